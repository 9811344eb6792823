// Why: long chains cannot be enumerated, but their plans fall into segments between kept tensors
// whose latency and energy add up; a dynamic programme over segments gives their whole exact front,
// an oracle for what a search finds of it.
#pragma once

#include <cstdint>
#include <vector>

#include "problems/cost_graph_file.h"

namespace paretrain::tests {

struct ChainPoint {
  std::int64_t latency = 0;
  std::int64_t energy = 0;
  std::int64_t peak = 0;
};

// Bytes, latency and energy are integers, so the programme keeps, for every place, kept bytes and
// latency, the least energy, and is exact. One pass for every budget of the peak.
// Requires: node i has the one input i - 1, reads no other tensors than i - 1 and i in its backward
// and needs a gradient; no fusion; sums of bytes, latencies and energies below 2^31.
// Cost: budgets * nodes^2 * (distinct kept bytes * distinct latencies, few of them undominated).
class ChainFront {
 public:
  explicit ChainFront(const problems::CostGraph& chain);

  // No plan has a smaller peak, and keeping everything has no larger one.
  [[nodiscard]] std::int64_t least_peak() const noexcept { return least_peak_; }

  [[nodiscard]] std::int64_t largest_peak() const noexcept { return largest_peak_; }

  // The undominated pairs of latency and energy of plans within the budget, latency ascending; the
  // peak of every point is the budget.
  [[nodiscard]] std::vector<ChainPoint> plans_within(std::int64_t budget) const;
  // The front in all three.
  [[nodiscard]] std::vector<ChainPoint> front() const;

 private:
  // Between a kept tensor and the next one; begin -1 is the graph input, end n the loss.
  struct Segment {
    std::int64_t latency = 0;      // of recomputes
    std::int64_t energy = 0;       // of recomputes
    std::int64_t kept_bytes = 0;   // the first tensor's, if it is used in the backward phase
    std::int64_t local_bytes = 0;  // at its worst event, without what was kept before
  };

  struct Label {
    std::int32_t kept = 0;
    std::int32_t latency = 0;
    std::int32_t energy = 0;
  };

  [[nodiscard]] Segment segment(int begin, int end) const;
  [[nodiscard]] const Segment& segment_at(std::size_t begin_place, std::size_t end_place) const;
  [[nodiscard]] std::vector<Label> labels_at(const std::vector<std::vector<Label>>& labels,
                                             std::size_t place,
                                             std::int64_t budget) const;
  [[nodiscard]] bool reads(int backward, int tensor) const;

  const problems::CostGraph& chain_;
  std::size_t places_ = 0;           // the input, every tensor, the loss
  std::vector<Segment> segments_;    // by begin and end
  std::int64_t always_bytes_ = 0;    // input and static
  std::int64_t always_latency_ = 0;  // without recomputes
  std::int64_t always_energy_ = 0;
  std::int64_t most_latency_ = 0;  // of recomputes
  std::int64_t least_peak_ = 0;
  std::int64_t largest_peak_ = 0;
};

}  // namespace paretrain::tests
