// Why: the cycles that an order needs beyond its loops: waiting for data, filling, draining.
#pragma once

#include <limits>

#include "evaluator/core_cost/laid_order.h"
#include "evaluator/core_cost/nest_on_core.h"

namespace paretrain::evaluator {

struct ExtraCycles {
  double stall = 0;
  double onload = 0;
  double offload = 0;

  [[nodiscard]] double total() const { return stall + onload + offload; }
};

// Corrected model: when stalls alone exceed `stall_limit`, the other two are not worked out and
// stay 0: a search has lost the order by then. Source: docs/core-cost.md, latency.
[[nodiscard]] ExtraCycles extra_cycles(
    const NestOnCore& nest,
    const LaidOrder& laid,
    double stall_limit = std::numeric_limits<double>::infinity());

}  // namespace paretrain::evaluator
