#include "evaluator/core_cost/memory_allocation.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "base/number_text.h"

namespace paretrain::evaluator {

namespace {

constexpr std::size_t kOutput = static_cast<std::size_t>(NestOperand::O);

// Prefixes of the order that one operand may keep in a memory, with the bits that they take and
// the traffic that they leave.
struct Choices {
  std::array<double, kMaxTemporalLoops + 1> bits;  // only `count` are read, as of `traffic`
  std::array<double, kMaxTemporalLoops + 1> traffic;
  std::size_t first = 0;
  std::size_t count = 0;
};

// ZigZag multiplies rounded sizes in its own order.
bool multiplies_loop_by_loop(const NestOnCore& nest) {
  return nest.model == CostModel::Zigzag && !nest.whole_is_fractional;
}

// On a chip without a DRAM level, all combinations of up to this many memories are tried.
constexpr std::size_t kFewMemories = 3;

// Walks the memories, inner to outer, keeping what each operand has allocated so far.
class Walk {
 public:
  Walk(const NestOnCore& nest,
       const LoopOrder& order,
       const PrefixSizes& sizes,
       std::vector<Cuts>& found)
      : nest_(nest),
        order_(order),
        sizes_(sizes),
        found_(found),
        last_reduction_(order.irrelevant_end(kOutput)) {
    std::size_t chosen = 0;
    for (const MemoryOnCore& memory : nest.memories)
      chosen += memory.may_be_smaller ? 1U : 0U;
    any_may_be_smaller_ =
        nest.allocating == Allocating::Thorough || (!nest.has_dram && chosen <= kFewMemories);
  }

  // No memory is used as if it were smaller.
  void keep_to_full_sizes() { reduced_ = true; }

  void descend(std::size_t m) {
    while (m < nest_.memories.size() && nest_.memories[m].user_count == 0)
      ++m;
    if (m == nest_.memories.size()) {
      found_.push_back(cuts_);
      return;
    }
    const MemoryOnCore& memory = nest_.memories[m];
    const std::span<const OperandAtLevel> users(memory.users.data(), memory.user_count);
    if (std::all_of(
            users.begin(), users.end(), [&](OperandAtLevel user) { return is_outermost(user); })) {
      fill_up(m, users);
    } else if (users.size() == 1) {
      fill_alone(m, users[0]);
    } else {
      fill_shared(m);
    }
  }

 private:
  struct Combination {
    std::array<std::size_t, kNestOperandCount> prefixes{};
    double bits = 0;
  };

  [[nodiscard]] bool is_outermost(OperandAtLevel user) const {
    return user.level + 1U == nest_.operands[user.operand].level_count;
  }

  void fill_shared(std::size_t m) {
    const MemoryOnCore& memory = nest_.memories[m];
    std::array<Choices, kNestOperandCount> choices;
    for (std::size_t u = memory.user_count; u < kNestOperandCount; ++u) {
      choices[u].bits[0] = 0;
      choices[u].traffic[0] = 0;
      choices[u].count = 1;
    }
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      gather(memory.users[u], memory.size_bits, choices[u]);
      if (choices[u].count == 0) return;
    }
    const auto before = position_;
    const bool other_is_reduced = reduced_;
    double capacity = memory.size_bits;
    while (const std::optional<Combination> best = least_traffic(choices, capacity)) {
      for (std::size_t u = 0; u < memory.user_count; ++u) {
        const OperandAtLevel user = memory.users[u];
        position_[user.operand] = best->prefixes[u];
        cuts_[user.operand][user.level] = static_cast<std::uint8_t>(best->prefixes[u]);
      }
      descend(m + 1);
      position_ = before;
      if (!memory.may_be_smaller || other_is_reduced) break;
      reduced_ = !any_may_be_smaller_;
      // Halves that hold the same combination would give it again.
      while (capacity >= best->bits && capacity >= 1)
        capacity /= 2;
    }
    reduced_ = other_is_reduced;
  }

  // What fill_shared() does where everything that is left must fit.
  void fill_up(std::size_t m, std::span<const OperandAtLevel> users) {
    const std::size_t end = order_.size();
    double bits = 0;
    for (const OperandAtLevel user : users) {
      bits += bits_of(user, end, element_bits(user, position_[user.operand]));
      cuts_[user.operand][user.level] = static_cast<std::uint8_t>(end);
    }
    if (bits <= nest_.memories[m].size_bits) descend(m + 1);
  }

  // What fill_shared() does where there is nothing to combine.
  void fill_alone(std::size_t m, OperandAtLevel user) {
    const MemoryOnCore& memory = nest_.memories[m];
    const std::size_t start = position_[user.operand];
    const double element = element_bits(user, start);
    // Of each prefix that fits, and of the best one up to it.
    std::array<double, kMaxTemporalLoops + 1> bits;
    std::array<std::size_t, kMaxTemporalLoops + 1> best;
    std::size_t count = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = start; i <= order_.size(); ++i, ++count) {
      bits[count] = bits_of(user, i, element);
      if (bits[count] > memory.size_bits) break;
      const double traffic = sizes_.steps_left[i] * bits[count];
      best[count] = count == 0 || traffic <= least ? count : best[count - 1];
      least = std::min(least, traffic);
    }
    const bool other_is_reduced = reduced_;
    double capacity = memory.size_bits;
    while (count > 0) {
      const std::size_t chosen = best[count - 1];
      position_[user.operand] = start + chosen;
      cuts_[user.operand][user.level] = static_cast<std::uint8_t>(start + chosen);
      descend(m + 1);
      position_[user.operand] = start;
      if (!memory.may_be_smaller || other_is_reduced) break;
      reduced_ = !any_may_be_smaller_;
      while (capacity >= bits[chosen] && capacity >= 1)
        capacity /= 2;
      std::size_t fitting = 0;
      while (fitting < count && bits[fitting] <= capacity)
        ++fitting;
      count = fitting;
    }
    reduced_ = other_is_reduced;
  }

  // Partial sums while a loop that the output does not depend on lies outside prefix `i` or above
  // the level.
  [[nodiscard]] double element_bits(OperandAtLevel user, std::size_t i) const {
    constexpr auto kUnrolling = static_cast<std::size_t>(Unrolling::Fractional);
    const OperandOnCore& operand = nest_.operands[user.operand];
    if (user.operand != kOutput) return operand.final_bits;
    const bool reduces = i < last_reduction_ || operand.reduces_above[kUnrolling][user.level + 1U];
    return reduces ? operand.partial_bits : operand.final_bits;
  }

  [[nodiscard]] double bits_of(OperandAtLevel user, std::size_t i, double element) const {
    if (multiplies_loop_by_loop(nest_)) return elements_loop_by_loop(user, i) * element;
    return sizes_.elements[user.operand][user.level][i] * element;
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

  // Fills in what fits, shortest first.
  void gather(OperandAtLevel user, double capacity, Choices& choices) const {
    const std::size_t start = position_[user.operand];
    const std::size_t end = order_.size();
    const double element = element_bits(user, start);
    if (user.level + 1U == nest_.operands[user.operand].level_count) {
      // The outermost memory of the operand holds all that is left.
      choices.first = end;
      choices.bits[0] = bits_of(user, end, element);
      choices.traffic[0] = 0;
      choices.count = choices.bits[0] <= capacity ? 1 : 0;
      return;
    }
    choices.first = start;
    for (std::size_t i = start; i <= end; ++i) {
      const double bits = bits_of(user, i, element);
      if (bits > capacity) break;
      choices.bits[choices.count] = bits;
      choices.traffic[choices.count++] = sizes_.steps_left[i] * bits;
    }
  }

  // The combination with the least remaining traffic; of equals the last. A place without a user
  // has one choice, which takes nothing.
  [[nodiscard]] static std::optional<Combination> least_traffic(
      const std::array<Choices, kNestOperandCount>& choices, double capacity) {
    const auto& [first, second, third] = choices;
    double least = std::numeric_limits<double>::infinity();
    std::optional<Combination> best;
    for (std::size_t i = 0; i < first.count; ++i) {
      for (std::size_t j = 0; j < second.count; ++j) {
        const double bits = first.bits[i] + second.bits[j];
        if (bits > capacity) break;
        const double traffic = first.traffic[i] + second.traffic[j];
        for (std::size_t k = 0; k < third.count; ++k) {
          if (bits + third.bits[k] > capacity) break;
          if (traffic + third.traffic[k] > least) continue;
          least = traffic + third.traffic[k];
          best = {{first.first + i, second.first + j, third.first + k}, bits + third.bits[k]};
        }
      }
    }
    return best;
  }

  const NestOnCore& nest_;
  const LoopOrder& order_;
  const PrefixSizes& sizes_;
  std::vector<Cuts>& found_;
  std::size_t last_reduction_;  // one past it
  Cuts cuts_{};
  std::array<std::size_t, kNestOperandCount> position_{};
  bool any_may_be_smaller_ = false;  // small hierarchies: several at once
  bool reduced_ = false;             // one memory is used as if it were smaller: no other may be
};

// Of prefixes longer than `known` loops.
void measure(const NestOnCore& nest,
             const LoopOrder& order,
             std::size_t known,
             PrefixSizes& sizes) {
  const std::size_t end = order.size();
  for (std::size_t i = known; i <= end; ++i)
    sizes.steps_left[i] = order.steps(end) / order.steps(i);
  if (multiplies_loop_by_loop(nest)) return;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest.operands[o];
    if (!operand.present) continue;
    const auto& spatial = operand.spatial[static_cast<std::size_t>(Unrolling::Fractional)];
    for (std::size_t level = 0; level < operand.level_count; ++level) {
      const bool is_top = level + 1 == operand.level_count;
      if (is_top && known > 0) continue;  // the whole order is as it was
      for (std::size_t i = is_top ? end : known; i <= end; ++i)
        sizes.elements[o][level][i] =
            operand.indexing.elements(order.extent(o, i), spatial[level + 1]);
    }
  }
}

}  // namespace

const std::vector<Cuts>& Allocations::of(const LoopOrder& order, std::size_t shared) {
  found_.clear();
  measure(nest_, order, shared == 0 ? 0 : shared + 1, sizes_);
  Walk walk(nest_, order, sizes_, found_);
  if (!tries_smaller_) walk.keep_to_full_sizes();
  walk.descend(0);
  return found_;
}

bool Allocations::is_settled(const LoopOrder& order, std::size_t depth) const {
  constexpr auto kUnrolling = static_cast<std::size_t>(Unrolling::Fractional);
  for (const MemoryOnCore& memory : nest_.memories) {
    std::size_t outermost = 0;
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      const OperandAtLevel user = memory.users[u];
      const OperandOnCore& operand = nest_.operands[user.operand];
      if (user.level + 1U == operand.level_count) {
        ++outermost;
        continue;
      }
      if (multiplies_loop_by_loop(nest_)) return false;
      const double elements = operand.indexing.elements(
          order.extent(user.operand, depth), operand.spatial[kUnrolling][user.level + 1U]);
      if (elements * std::min(operand.partial_bits, operand.final_bits) <= memory.size_bits)
        return false;
    }
    // Double buffers of the others depend on the outermost loops then.
    if (outermost > 0 && outermost < memory.user_count) return false;
  }
  return true;
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
