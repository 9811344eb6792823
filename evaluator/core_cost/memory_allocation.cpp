#include "evaluator/core_cost/memory_allocation.h"

#include <limits>

#include "base/number_text.h"

namespace paretrain::evaluator {

namespace {

constexpr std::size_t kOutput = static_cast<std::size_t>(NestOperand::O);

// Prefixes of the order that one operand may keep in a memory, with the bits that they take and
// the traffic that they leave.
struct Choices {
  std::array<double, kMaxTemporalLoops + 1> bits{};
  std::array<double, kMaxTemporalLoops + 1> traffic{};
  std::size_t first = 0;
  std::size_t count = 0;
};

// Whether a loop that the output does not depend on lies outside prefix `i` or above the level.
bool still_reduces(const NestOnCore& nest,
                   const LoopOrder& order,
                   std::size_t level,
                   std::size_t i) {
  const auto unrolling = static_cast<std::size_t>(Unrolling::Fractional);
  if (nest.operands[kOutput].reduces_above[unrolling][level + 1]) return true;
  for (std::size_t l = i; l < order.size(); ++l) {
    if (order.role(kOutput, l) == LoopRole::Irrelevant) return true;
  }
  return false;
}

class Allocation {
 public:
  Allocation(const NestOnCore& nest, const LoopOrder& order) : nest_(nest), order_(order) {}

  [[nodiscard]] bool fill(const MemoryOnCore& memory) {
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      if (!gather(memory.users[u], memory.size_bits, choices_[u])) return false;
    }
    if (!choose(memory)) return false;
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      const OperandAtLevel user = memory.users[u];
      position_[user.operand] = chosen_[u];
      cuts_[user.operand][user.level] = static_cast<std::uint8_t>(chosen_[u]);
    }
    return true;
  }

  [[nodiscard]] const Cuts& cuts() const { return cuts_; }

 private:
  [[nodiscard]] double element_bits(OperandAtLevel user, std::size_t i) const {
    const OperandOnCore& operand = nest_.operands[user.operand];
    if (user.operand != kOutput) return operand.final_bits;
    return still_reduces(nest_, order_, user.level, i) ? operand.partial_bits : operand.final_bits;
  }

  [[nodiscard]] double bits_of(OperandAtLevel user, std::size_t i, double element) const {
    const OperandOnCore& operand = nest_.operands[user.operand];
    const Extent& spatial =
        operand.spatial[static_cast<std::size_t>(Unrolling::Fractional)][user.level + 1];
    if (nest_.model == CostModel::Zigzag && !nest_.whole_is_fractional)
      return elements_loop_by_loop(user, i) * element;
    return operand.indexing.elements(order_.extent(user.operand, i), spatial) * element;
  }

  // The same number multiplied up loop by loop, level by level. Rounding decides between prefixes
  // that leave equal traffic, and ZigZag rounds in this order.
  [[nodiscard]] double elements_loop_by_loop(OperandAtLevel user, std::size_t i) const {
    const OperandOnCore& operand = nest_.operands[user.operand];
    std::array<double, kLoopCount> sizes;
    sizes.fill(1);
    std::size_t next = 0;
    for (std::size_t level = 0; level <= user.level; ++level) {
      for (std::size_t l = 0; l < kLoopCount; ++l)
        sizes[l] *= operand.spatial_factors[level][l];
      const std::size_t end = level == user.level ? i : cuts_[user.operand][level];
      for (; next < end; ++next) {
        const TemporalLoop loop = order_.loop(next);
        sizes[static_cast<std::size_t>(loop.loop)] *= static_cast<double>(loop.size);
      }
    }
    Extent extent;
    for (std::size_t l = 0; l < kLoopCount; ++l)
      extent.grow(operand.indexing.roles[l], sizes[l]);
    return operand.indexing.elements(extent, Extent{});
  }

  // False when nothing fits.
  bool gather(OperandAtLevel user, double capacity, Choices& choices) const {
    const std::size_t start = position_[user.operand];
    const std::size_t end = order_.size();
    const bool is_top = user.level + 1U == nest_.operands[user.operand].level_count;
    double element = element_bits(user, start);
    choices.first = start;
    choices.count = 0;
    if (is_top) {
      choices.first = end;
      if (nest_.model == CostModel::Corrected) element = element_bits(user, end);
      choices.bits[0] = bits_of(user, end, element);
      choices.traffic[0] = 0;
      choices.count = choices.bits[0] <= capacity ? 1 : 0;
      return choices.count > 0;
    }
    for (std::size_t i = start; i <= end; ++i) {
      if (nest_.model == CostModel::Corrected && i > start) element = element_bits(user, i);
      const double bits = bits_of(user, i, element);
      if (bits > capacity) {
        if (nest_.model == CostModel::Zigzag || user.operand != kOutput) break;
        // A finished output is narrower than its partial sums, so a longer prefix may fit again.
        choices.bits[choices.count] = std::numeric_limits<double>::infinity();
        choices.traffic[choices.count++] = 0;
        continue;
      }
      choices.bits[choices.count] = bits;
      choices.traffic[choices.count++] = order_.steps(end) / order_.steps(i) * bits;
    }
    return choices.count > 0;
  }

  // The combination with the least remaining traffic; of equals the last. Places without a user
  // have one choice that takes nothing.
  bool choose(const MemoryOnCore& memory) {
    for (std::size_t u = memory.user_count; u < kNestOperandCount; ++u)
      choices_[u].count = 1, choices_[u].bits[0] = 0, choices_[u].traffic[0] = 0;
    const auto& [first, second, third] = choices_;
    double best = std::numeric_limits<double>::infinity();
    bool found = false;
    for (std::size_t i = 0; i < first.count; ++i) {
      for (std::size_t j = 0; j < second.count; ++j) {
        const double bits = first.bits[i] + second.bits[j];
        if (bits > memory.size_bits) continue;
        const double traffic = first.traffic[i] + second.traffic[j];
        for (std::size_t k = 0; k < third.count; ++k) {
          if (bits + third.bits[k] > memory.size_bits || traffic + third.traffic[k] > best)
            continue;
          best = traffic + third.traffic[k];
          found = true;
          chosen_ = {first.first + i, second.first + j, third.first + k};
        }
      }
    }
    return found;
  }

  const NestOnCore& nest_;
  const LoopOrder& order_;
  Cuts cuts_{};
  std::array<std::size_t, kNestOperandCount> position_{};
  std::array<Choices, kNestOperandCount> choices_;
  std::array<std::size_t, kNestOperandCount> chosen_{};
};

}  // namespace

std::optional<Cuts> allocated(const NestOnCore& nest, const LoopOrder& order) {
  Allocation allocation(nest, order);
  for (const MemoryOnCore& memory : nest.memories) {
    if (memory.user_count > 0 && !allocation.fill(memory)) return std::nullopt;
  }
  return allocation.cuts();
}

void merge_stationary(const NestOnCore& nest, const LoopOrder& order, Cuts& cuts) {
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest.operands[o];
    for (std::size_t level = 0; level < operand.level_count; ++level) {
      std::uint8_t& cut = cuts[o][level];
      while (cut < order.size() && order.role(o, cut) == LoopRole::Irrelevant)
        ++cut;
    }
  }
}

NoMapping reason_for_no_allocation(const NestOnCore& nest, const Core& core) {
  static constexpr std::array<const char*, kNestOperandCount> kNames = {"O", "W", "I"};
  const auto unrolling = static_cast<std::size_t>(Unrolling::Fractional);
  for (const MemoryOnCore& memory : nest.memories) {
    double total = 0;
    std::string users;
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      const OperandAtLevel user = memory.users[u];
      const OperandOnCore& operand = nest.operands[user.operand];
      const Extent& spatial = operand.spatial[unrolling][user.level + 1];
      total += operand.indexing.elements(spatial, Extent{}) * operand.partial_bits;
      users += (users.empty() ? "" : " and ") + std::string(kNames[user.operand]);
    }
    if (total <= memory.size_bits) continue;
    return NoMapping{"memory " + core.memories[memory.index].name + " holds " +
                     number_text(memory.size_bits) + " bits but " + users + " need " +
                     number_text(total) + " at the least"};
  }
  return NoMapping{"the outermost memory of the core is too small for the whole of its operands"};
}

}  // namespace paretrain::evaluator
