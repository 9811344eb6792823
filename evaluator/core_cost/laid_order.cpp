#include "evaluator/core_cost/laid_order.h"

#include <algorithm>
#include <cmath>

namespace paretrain::evaluator {

namespace {

constexpr std::size_t kOutput = static_cast<std::size_t>(NestOperand::O);
constexpr std::size_t kFractional = static_cast<std::size_t>(Unrolling::Fractional);
constexpr std::size_t kWhole = static_cast<std::size_t>(Unrolling::Whole);
constexpr double kAlmostOne = 1 + 1e-9;

constexpr std::size_t index_of(Direction direction) {
  return static_cast<std::size_t>(direction);
}

// Rounds half to even, as the model's source does. Exact below 2^51.
double rounded(double number) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  if (number >= 1e15) return std::nearbyint(number);
  return (number + kShift) - kShift;
}

}  // namespace

void LaidOrder::lay_out(const NestOnCore& nest, const LoopOrder& order, const Cuts& cuts) {
  Cuts merged = cuts;
  merge_stationary(nest, order, merged);
  lay_out(nest, order, cuts, merged);
}

void LaidOrder::lay_out(const NestOnCore& nest,
                        const LoopOrder& order,
                        const Cuts& cuts,
                        const Cuts& merged) {
  allocation_ = cuts;
  cuts_ = merged;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    if (!nest.operands[o].present) continue;
    measure(nest, order, o);
    find_outer_loops(order, o, nest.operands[o].level_count);
    if (o == kOutput) {
      mark_partial_sums(nest, order);
      add_output_links(nest);
    } else {
      add_input_links(nest, o);
    }
  }
}

void LaidOrder::measure(const NestOnCore& nest, const LoopOrder& order, std::size_t o) {
  const OperandOnCore& operand = nest.operands[o];
  OperandLayout& layout = operands_[o];
  for (std::size_t a = 0; a <= operand.level_count; ++a) {
    const std::size_t prefix = a == 0 ? 0 : cuts_[o][a - 1];
    const Extent& temporal = order.extent(o, prefix);
    layout.cycles[a] = order.steps(prefix);
    layout.elements[kFractional][a] =
        rounded(operand.indexing.elements(temporal, operand.spatial[kFractional][a]));
    layout.elements[kWhole][a] =
        nest.whole_is_fractional
            ? layout.elements[kFractional][a]
            : rounded(operand.indexing.elements(temporal, operand.spatial[kWhole][a]));
    layout.element_bits[kFractional][a] = operand.final_bits;
    layout.element_bits[kWhole][a] = operand.final_bits;
  }
  std::size_t still = 0;
  while (still < order.size() && order.role(o, still) == LoopRole::Irrelevant)
    ++still;
  layout.stationary_cycles = order.steps(still);
}

void LaidOrder::find_outer_loops(const LoopOrder& order, std::size_t o, std::size_t level_count) {
  OperandLayout& layout = operands_[o];
  layout.outer_relevant[0] = 1;
  layout.outer_irrelevant[0] = 1;
  for (std::size_t a = 1; a <= level_count; ++a) {
    const std::size_t begin = a == 1 ? 0 : cuts_[o][a - 2];
    const std::size_t end = cuts_[o][a - 1];
    layout.outer_relevant[a] = 1;
    layout.outer_irrelevant[a] = 1;
    if (begin == end) continue;
    const LoopRole role = order.role(o, end - 1);
    if (role != LoopRole::Relevant && role != LoopRole::Irrelevant) continue;
    const std::size_t first = std::max(begin, order.run_start(o, end));
    const double product = order.steps(end) / order.steps(first);
    (role == LoopRole::Relevant ? layout.outer_relevant : layout.outer_irrelevant)[a] = product;
  }
}

// At arch level a: some reduction loop sits in the temporal loops outside it or in the spatial
// lists above it.
void LaidOrder::mark_partial_sums(const NestOnCore& nest, const LoopOrder& order) {
  const OperandOnCore& operand = nest.operands[kOutput];
  OperandLayout& layout = operands_[kOutput];
  const std::size_t last_reduction = order.irrelevant_end(kOutput);
  for (std::size_t u = 0; u < kUnrollingCount; ++u) {
    for (std::size_t a = 0; a <= operand.level_count; ++a) {
      const std::size_t prefix = a == 0 ? 0 : cuts_[kOutput][a - 1];
      bool partial = last_reduction > prefix || operand.reduces_above[u][a + 1];
      if (!partial && operand.indexing.window_count > 0) {
        const double here =
            operand.indexing.revisits(order.extent(kOutput, prefix),
                                      operand.spatial[u][std::min(a + 1, operand.level_count + 1)]);
        const double all = operand.indexing.revisits(order.extent(kOutput, order.size()),
                                                     operand.spatial[u][operand.level_count + 1]);
        partial = all / here > kAlmostOne;
      }
      layout.partial[u][a] = partial;
      if (partial) layout.element_bits[u][a] = operand.partial_bits;
    }
  }
}

// Between a level and what lies below it.
LinkTraffic LaidOrder::low_link(const NestOnCore& nest, std::size_t o, std::size_t level) const {
  const OperandOnCore& operand = nest.operands[o];
  const OperandLayout& layout = operands_[o];
  LinkTraffic link;
  link.period = layout.cycles[level];
  if (level == 0 && o != kOutput) link.period = layout.stationary_cycles;
  link.period_count = nest.temporal_steps / link.period;
  link.bits = layout.elements[kFractional][level] * operand.levels[level].boost[kFractional] *
              layout.element_bits[kFractional][level];
  link.whole_bits = layout.elements[kWhole][level] * operand.levels[level].boost[kWhole] *
                    layout.element_bits[kWhole][level];
  return link;
}

// Between a level and the one above it.
LinkTraffic LaidOrder::high_link(const NestOnCore& nest, std::size_t o, std::size_t level) const {
  const OperandLayout& layout = operands_[o];
  const std::size_t a = level + 1;
  LinkTraffic link;
  link.period = layout.cycles[a];
  link.period_count = nest.temporal_steps / link.period;
  link.bits = layout.elements[kFractional][a] * layout.element_bits[kFractional][a];
  link.whole_bits = layout.elements[kWhole][a] * layout.element_bits[kWhole][a];
  return link;
}

void LaidOrder::add_input_links(const NestOnCore& nest, std::size_t o) {
  const std::size_t count = nest.operands[o].level_count;
  for (std::size_t level = 0; level < count; ++level) {
    auto& links = links_[o][level];
    links[index_of(Direction::ReadToLow)] = low_link(nest, o, level);
    links[index_of(Direction::WriteFromHigh)] =
        level + 1 < count ? high_link(nest, o, level) : LinkTraffic{};
  }
}

void LaidOrder::add_output_links(const NestOnCore& nest) {
  const std::size_t count = nest.operands[kOutput].level_count;
  const OperandLayout& layout = operands_[kOutput];
  for (std::size_t level = 0; level < count; ++level) {
    auto& links = links_[kOutput][level];
    links[index_of(Direction::WriteFromLow)] = low_link(nest, kOutput, level);
    links[index_of(Direction::ReadToLow)] = LinkTraffic{};
    links[index_of(Direction::ReadToHigh)] = LinkTraffic{};
    links[index_of(Direction::WriteFromHigh)] = LinkTraffic{};
    // Partial sums come back to be added to. Energy and latency may differ in whether they do.
    const auto read_back = [](LinkTraffic link, bool fractional, bool whole) {
      if (!fractional) link.bits = 0;
      if (!whole) link.whole_bits = 0;
      if (!fractional && !whole) link = {};
      return link;
    };
    links[index_of(Direction::ReadToLow)] = read_back(links[index_of(Direction::WriteFromLow)],
                                                      layout.partial[kFractional][level],
                                                      layout.partial[kWhole][level]);
    if (level + 1 == count) continue;
    links[index_of(Direction::ReadToHigh)] = high_link(nest, kOutput, level);
    links[index_of(Direction::WriteFromHigh)] = read_back(links[index_of(Direction::ReadToHigh)],
                                                          layout.partial[kFractional][level + 1],
                                                          layout.partial[kWhole][level + 1]);
  }
}

}  // namespace paretrain::evaluator
