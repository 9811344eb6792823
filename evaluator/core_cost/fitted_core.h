// Why: cores are described for the element width that they were built for; a wider element needs
// wider registers and multipliers (corrected model).
#pragma once

#include <optional>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/loop_nest.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

// The core itself, or a copy fitted to the nest's element widths.
class FittedCore {
 public:
  // Requires: the core outlives this.
  explicit FittedCore(const Core* original) : original_(original) {}

  explicit FittedCore(Core copy) : copy_(std::move(copy)) {}

  [[nodiscard]] const Core& core() const { return copy_ ? *copy_ : *original_; }

 private:
  const Core* original_ = nullptr;
  std::optional<Core> copy_;
};

// Corrected model: a register (a level-0 memory that does not serve every array axis) whose port is
// narrower than an element grows in size, bandwidth and access energy by element bits / port bits,
// and it holds at least one element of each operand that starts there;
// the energy of an operation grows with the widths of its two inputs relative to the port of the
// weight register (8 bits where there is none). ZigZag's model: the core as it is.
// Source: docs/core-cost.md, precision.
[[nodiscard]] FittedCore fitted_core(const Core& core,
                                     const LoopNest& nest,
                                     const CoreCostOptions& options);

}  // namespace paretrain::evaluator
