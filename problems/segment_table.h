// Why: whatever chooses what to keep segment by segment must know what each segment takes and
// costs; all of that is in the step graph and needs no evaluation of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/plan/step_graph.h"

namespace paretrain::problems {

// Between one kept candidate and the next one.
struct Segment {
  double latency = 0;  // of what is recomputed
  double energy = 0;
  std::int64_t kept_bytes = 0;   // the first candidate's, from here on; 0 when no late operator and
                                 // no recompute reads it
  std::int64_t local_bytes = 0;  // at its worst operator, the first candidate's included, without
                                 // what was kept before and what is always alive
};

// What recomputing each candidate costs, in forward order.
struct RecomputeCosts {
  std::vector<double> latency;
  std::vector<double> energy;
};

// Segments of all pairs of places: place 0 is the start, place i + 1 candidate i in forward order,
// the last place the end. Operators that run late (backward, update) belong to a segment by their
// forward operators. A candidate between the two places is recomputed, when a late operator of the
// segment or a recompute of the segment reads it, in one go before the first late operator that
// reads one of them.
//
// Exact for a chain in which late operators read what stands next to them, unfused; near it where
// values are read across segments. Cost: O(candidates^2 * operators between them).
class SegmentTable {
 public:
  SegmentTable(const evaluator::StepGraph& graph, const RecomputeCosts& costs);

  // Shape: `segments` by first place, then by second place. Requires: places^2 of them, places > 1.
  SegmentTable(std::size_t places, std::vector<Segment> segments);

  [[nodiscard]] std::size_t places() const noexcept { return places_; }

  // Requires: begin < end < places().
  [[nodiscard]] const Segment& at(std::size_t begin, std::size_t end) const noexcept {
    return segments_[begin * places_ + end];
  }

 private:
  std::size_t places_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace paretrain::problems
