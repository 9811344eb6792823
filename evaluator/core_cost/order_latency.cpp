#include "evaluator/core_cost/order_latency.h"

#include <algorithm>
#include <span>

#include "evaluator/core_cost/recurring_windows.h"
#include "evaluator/core_cost/whole_number.h"

namespace paretrain::evaluator {

namespace {

constexpr std::size_t kOutput = static_cast<std::size_t>(NestOperand::O);
constexpr std::size_t kWhole = static_cast<std::size_t>(Unrolling::Whole);

constexpr std::size_t index_of(Direction direction) {
  return static_cast<std::size_t>(direction);
}

constexpr std::size_t kWriteFromHigh = index_of(Direction::WriteFromHigh);
constexpr std::size_t kReadToLow = index_of(Direction::ReadToLow);
constexpr std::size_t kWriteFromLow = index_of(Direction::WriteFromLow);
constexpr std::size_t kReadToHigh = index_of(Direction::ReadToHigh);

bool is_low(std::size_t direction) {
  return direction == kReadToLow || direction == kWriteFromLow;
}

// One user of a port. Without initial values: an array of them is set up for every order.
struct Transfer {
  PortLink link;
  double period;
  double count;
  double bits;
  double needed;   // cycles per period
  double allowed;  // cycles per period

  [[nodiscard]] double slack() const { return (needed - allowed) * (count - 1); }

  [[nodiscard]] double window() const { return allowed * (count - 1); }
};

class Timing {
 public:
  Timing(const NestOnCore& nest, const LaidOrder& laid) : nest_(nest), laid_(laid) {}

  [[nodiscard]] ExtraCycles cycles(double limit) {
    // ZigZag's drains can be negative, so that stalls alone decide nothing there.
    const double stall_limit =
        nest_.model == CostModel::Corrected ? limit : std::numeric_limits<double>::infinity();
    // ZigZag counts periods in operations even where an operation takes several cycles.
    cycles_per_step_ = nest_.model == CostModel::Zigzag ? 1 : nest_.cycles_per_operation;
    mark_double_buffers();
    double stall = 0;
    std::array<std::size_t, kMaxPorts> ends;
    for (std::size_t p = 0; p < nest_.ports.size(); ++p) {
      const std::size_t begin = transfer_count_;
      gather(nest_.ports[p]);
      ends[p] = transfer_count_;
      stall = std::max(
          stall, port_stall({transfers_.data() + begin, transfer_count_ - begin}, stall_limit));
      if (stall > stall_limit) return {stall, 0, 0};
    }
    computing_ = nest_.temporal_steps * nest_.cycles_per_operation;
    if (nest_.model == CostModel::Zigzag) computing_ += stall;
    for (std::size_t p = 0; p < nest_.ports.size(); ++p) {
      const std::size_t begin = p == 0 ? 0 : ends[p - 1];
      load_ahead({transfers_.data() + begin, ends[p] - begin}, nest_.ports[p].bandwidth_bits);
    }
    return {stall, onload(), offload()};
  }

 private:
  // Which operands have room for the next tile beside the present one.
  void mark_double_buffers() {
    for (const MemoryOnCore& memory : nest_.memories) {
      std::array<double, kNestOperandCount> share{};
      double used = 0;
      for (std::size_t u = 0; u < memory.user_count; ++u) {
        const OperandAtLevel user = memory.users[u];
        const OperandLayout& layout = laid_.operand(user.operand);
        const std::size_t a = user.level + 1U;
        const double bits = layout.elements[kWhole][a] * layout.element_bits[kWhole][a];
        share[user.operand] = rounded_down(bits / layout.outer_relevant[a]) / memory.size_bits;
        used += share[user.operand];
      }
      grant_doubling(memory, share, used);
    }
  }

  // ZigZag asks O, W, I in turn; the corrected model the smallest first, so that a larger memory
  // never doubles fewer.
  void grant_doubling(const MemoryOnCore& memory,
                      const std::array<double, kNestOperandCount>& share,
                      double used) {
    std::array<std::size_t, kNestOperandCount> rank{};  // of users, by place in the queue
    for (std::size_t u = 0; u < memory.user_count; ++u) {
      std::size_t before = 0;
      for (std::size_t other = 0; other < memory.user_count; ++other)
        before += other != u && precedes(memory.users[other], memory.users[u], share) ? 1U : 0U;
      rank[before] = u;
    }
    const bool all_fit = used <= 0.5;
    for (std::size_t r = 0; r < memory.user_count; ++r) {
      const OperandAtLevel user = memory.users[rank[r]];
      const bool fits = all_fit || share[user.operand] <= 1 - used;
      doubled_[user.operand][user.level + 1U] = fits;
      if (fits && !all_fit) used += share[user.operand];
    }
  }

  [[nodiscard]] bool precedes(OperandAtLevel a,
                              OperandAtLevel b,
                              const std::array<double, kNestOperandCount>& share) const {
    if (nest_.model == CostModel::Corrected && share[a.operand] != share[b.operand])
      return share[a.operand] < share[b.operand];
    return a.operand < b.operand;
  }

  void gather(const PortOnCore& port) {
    for (const PortLink link : port.links) {
      const LinkTraffic& traffic = laid_.link(link.operand, link.level, link.direction);
      if (traffic.period_count == 0 || traffic.whole_bits == 0) continue;
      const OperandLayout& layout = laid_.operand(link.operand);
      const std::size_t a = is_low(link.direction) ? link.level : link.level + 1U;
      const bool doubled = a > 0 && doubled_[link.operand][a];
      const double window =
          doubled ? traffic.period : rounded_down(traffic.period / layout.outer_irrelevant[a]);
      Transfer& transfer = transfers_[transfer_count_++];
      transfer = {link,
                  traffic.period * cycles_per_step_,
                  traffic.period_count,
                  traffic.whole_bits,
                  rounded_up(traffic.whole_bits / port.bandwidth_bits),
                  rounded_up(window * nest_.cycles_per_operation)};
    }
  }

  // Stall (positive) or slack (negative) of a port; beyond `limit` some number above it.
  [[nodiscard]] static double port_stall(std::span<const Transfer> transfers, double limit) {
    if (transfers.empty()) return 0;
    if (transfers.size() == 1) return transfers[0].slack();
    double stalls = 0;
    double slacks = 0;
    double windows = 0;
    for (const Transfer& transfer : transfers) {
      const double slack = transfer.slack();
      (slack > 0 ? stalls : slacks) += slack;
      windows += transfer.window();
    }
    if (stalls > limit) return stalls;
    return stalls + std::max(0.0, slacks + windows - union_of_windows(transfers));
  }

  [[nodiscard]] static double union_of_windows(std::span<const Transfer> transfers) {
    RecurringWindows windows;
    double longest = 0;
    double count = 0;
    bool everything = false;
    for (const Transfer& transfer : transfers) {
      everything = everything || transfer.allowed >= transfer.period;
      if (transfer.period > longest) {
        longest = transfer.period;
        count = transfer.count;
      }
      windows.add({transfer.period, transfer.allowed});
    }
    return (everything ? longest : windows.covered(longest)) * count;
  }

  // Cycles of the first fill of each link of the port; what is loaded only once may be loaded
  // during the computation as far as the port is free.
  void load_ahead(std::span<const Transfer> transfers, double bandwidth) {
    double taken = 0;
    std::array<const Transfer*, kMaxPortLinks> once;
    std::size_t once_count = 0;
    for (const Transfer& transfer : transfers) {
      const bool back =
          transfer.link.operand == kOutput &&
          (transfer.link.direction == kReadToLow || transfer.link.direction == kWriteFromHigh);
      if (back) continue;
      fill(transfer.link) = transfer.needed;
      if (transfer.count > 1) {
        taken += rounded_up(rounded_down(transfer.bits / transfer.period));
      } else {
        once[once_count++] = &transfer;
      }
    }
    if (once_count == 0) return;
    const double spare = std::max(0.0, (bandwidth - taken) / bandwidth * computing_);
    const std::span<const Transfer*> ahead(once.data(), once_count);
    if (nest_.model == CostModel::Zigzag) {
      lower_in_steps(ahead, bandwidth, spare);
    } else {
      lower_evenly(ahead, bandwidth, spare);
    }
  }

  // Cycles that a fill takes at the least: those of one innermost unit.
  [[nodiscard]] double least_fill(const Transfer& transfer, double bandwidth) const {
    const OperandLayout& layout = laid_.operand(transfer.link.operand);
    const double unit = layout.elements[kWhole][1] * layout.element_bits[kWhole][1];
    return std::min(transfer.needed, rounded_up(unit / bandwidth));
  }

  // As ZigZag does it: from the largest fill on, the k largest are each lowered by what the k-th
  // has above its least, so that the larger ones may fall below theirs, even below zero.
  void lower_in_steps(std::span<const Transfer*> once, double bandwidth, double spare) {
    std::stable_sort(once.begin(), once.end(), [](const Transfer* a, const Transfer* b) {
      return a->needed > b->needed;
    });
    for (std::size_t k = 1; k <= once.size() && spare > 0; ++k) {
      const Transfer& last = *once[k - 1];
      const auto sharers = static_cast<double>(k);
      const double step = std::min(last.needed - least_fill(last, bandwidth), spare / sharers);
      for (std::size_t i = 0; i < k; ++i)
        fill(once[i]->link) -= step;
      spare -= step * sharers;
    }
  }

  // Lowers the largest first and evenly, none below its least, by `spare` in all.
  void lower_evenly(std::span<const Transfer* const> once, double bandwidth, double spare) {
    double level = 0;
    double reducible = 0;
    for (const Transfer* transfer : once) {
      level = std::max(level, transfer->needed);
      reducible += transfer->needed - least_fill(*transfer, bandwidth);
    }
    level = reducible <= spare ? 0 : water_level(once, bandwidth, spare, level);
    for (const Transfer* transfer : once) {
      fill(transfer->link) = std::clamp(level, least_fill(*transfer, bandwidth), transfer->needed);
    }
  }

  // Falls from one step (a fill or a least fill) to the next until `spare` is used up.
  [[nodiscard]] double water_level(std::span<const Transfer* const> once,
                                   double bandwidth,
                                   double spare,
                                   double level) const {
    while (spare > 0) {
      double next = 0;
      double active = 0;
      for (const Transfer* transfer : once) {
        const double least = least_fill(*transfer, bandwidth);
        if (transfer->needed < level) next = std::max(next, transfer->needed);
        if (transfer->needed < level || least >= level) continue;
        active += 1;
        next = std::max(next, least);
      }
      if (next >= level) break;
      const double step = active > 0 ? std::min(level - next, spare / active) : level - next;
      level -= step;
      spare -= step * active;
      if (active > 0 && level > next) break;
    }
    return level;
  }

  [[nodiscard]] double& fill(PortLink link) {
    return fills_[link.operand][link.level][link.direction];
  }

  struct InputParts {
    double shared = 0;
    double half_shared = 0;
    double individual = 0;
  };

  [[nodiscard]] InputParts parts_of(NestOperand input) const {
    const auto o = static_cast<std::size_t>(input);
    InputParts parts;
    for (std::size_t m = 0; m + 1 < nest_.operands[o].level_count; ++m) {
      const double cycles = std::max(fills_[o][m][kWriteFromHigh], fills_[o][m + 1][kReadToLow]);
      switch (nest_.sharing[input == NestOperand::W ? 0 : 1][m]) {
        case Sharing::Shared:
          parts.shared += cycles;
          break;
        case Sharing::Individual:
          parts.individual += cycles;
          break;
        case Sharing::HalfShared:
          // ZigZag keeps the last pair only (docs/core-cost.md, differences).
          parts.half_shared =
              nest_.model == CostModel::Zigzag ? cycles : parts.half_shared + cycles;
          break;
      }
    }
    return parts;
  }

  [[nodiscard]] double onload() const {
    const bool weight = nest_.operands[static_cast<std::size_t>(NestOperand::W)].present;
    const bool input = nest_.operands[static_cast<std::size_t>(NestOperand::I)].present;
    const InputParts w = parts_of(NestOperand::W);
    const InputParts i = parts_of(NestOperand::I);
    if (weight && input) {
      const auto in_order = [](const InputParts& first, const InputParts& second) {
        return first.shared + std::max(second.shared + second.half_shared + second.individual,
                                       first.half_shared + first.individual);
      };
      return std::min(in_order(w, i), in_order(i, w));
    }
    const InputParts& only = weight ? w : i;
    if (nest_.model == CostModel::Zigzag) return only.individual;
    return only.shared + only.half_shared + only.individual;
  }

  [[nodiscard]] double offload() const {
    double sum = 0;
    for (std::size_t m = 0; m + 1 < nest_.operands[kOutput].level_count; ++m)
      sum += std::max(fills_[kOutput][m][kReadToHigh], fills_[kOutput][m + 1][kWriteFromLow]);
    return sum;
  }

  const NestOnCore& nest_;
  const LaidOrder& laid_;
  double computing_ = 0;
  double cycles_per_step_ = 1;
  std::array<std::array<bool, kMaxLevels + 1>, kNestOperandCount> doubled_{};
  std::array<std::array<std::array<double, kDirectionCount>, kMaxLevels>, kNestOperandCount>
      fills_{};
  // By port, in the order of the file. Not initialised: only the first transfer_count_ are read.
  std::array<Transfer, kMaxPortLinks> transfers_;
  std::size_t transfer_count_ = 0;
};

}  // namespace

ExtraCycles extra_cycles(const NestOnCore& nest, const LaidOrder& laid, double stall_limit) {
  return Timing(nest, laid).cycles(stall_limit);
}

}  // namespace paretrain::evaluator
