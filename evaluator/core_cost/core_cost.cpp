#include "evaluator/core_cost/core_cost.h"

namespace paretrain::evaluator {

double CoreCost::memory_energy_pj() const {
  double sum = 0;
  for (const LevelTraffic& level : traffic) {
    for (const double energy : level.energy_pj)
      sum += energy;
  }
  return sum;
}

}  // namespace paretrain::evaluator
