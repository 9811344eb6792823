// Why: the best plans of a chain keep activations at ends of segments that shrink towards the loss;
// found by a small dynamic programme they are the starts that chance takes longest to find.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace paretrain::problems {

// A candidate as the programme sees it, candidates in forward order.
struct SegmentCandidate {
  std::int64_t kept_bytes = 0;  // what keeping it takes from then on
  // What it takes while its segment is recomputed: all, or 0 when it is gone again at once.
  std::int64_t recomputed_bytes = 0;
  double cost = 0;  // of recomputing it
};

// Which candidates to keep for the smallest cost, when after every kept one those kept so far and
// the segment up to the next kept one must fit the budget; empty when nothing does. The model is
// exact for a chain but for what is alive for an operator or two. Near the optimum: of the ways to
// a candidate only kLabels are followed, the one with fewest kept bytes always.
[[nodiscard]] std::vector<bool> cheapest_segments(std::span<const SegmentCandidate> candidates,
                                                  std::int64_t budget_bytes);

// The smallest budget that admits a plan. Requires: recomputed bytes are at most
// kept bytes; none is negative and their sum does not overflow.
[[nodiscard]] std::int64_t smallest_segment_budget(std::span<const SegmentCandidate> candidates);

}  // namespace paretrain::problems
