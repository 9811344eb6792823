// Why: the exact front of a small step by brute force over plans, not over genomes: every choice of
// what is kept and every legal grouping of what then runs, found as sets of runs. It knows no
// repair and no order of genes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/slow/plain_plan.h"
#include "tests/slow/plain_step.h"

namespace paretrain::tests {

struct PlainPoint {
  std::int64_t latency = 0;
  double energy = 0;
  std::int64_t peak_bytes = 0;
};

// Undominated points by latency, then energy, then peak; equal points once.
class PlainFront {
 public:
  // With `uses_energy` off the energy of points is 0 and two objectives are left.
  void add(const PlainPoint& point);

  [[nodiscard]] const std::vector<PlainPoint>& points() const { return points_; }

 private:
  std::vector<PlainPoint> points_;
};

enum class PlainObjectives { LatencyPeak, LatencyEnergyPeak };

struct EveryGrouping {
  PlainFront front;
  std::uint64_t plans = 0;  // counted as products of the parts
};

// A legal grouping: every group connected by active template edges, no longer than allowed, legal
// for the model when it has more than one member, and no groups that wait for each other in a
// circle (a group that is not convex is such a circle). Forward operators share no group with
// others and all run first, so a plan's forward part and its late part are chosen independently:
// latency and energy add up, the peak is the larger one. `step` needs a gene for every template
// edge, also those that no legal group holds. Empty when there are more than `most` groupings of a
// part.
// Cost: 2^keep genes times the groupings of both parts.
[[nodiscard]] std::optional<EveryGrouping> every_grouping(const PlainStep& step,
                                                          const PlainGroups& groups,
                                                          PlainObjectives objectives,
                                                          std::uint64_t most);

}  // namespace paretrain::tests
