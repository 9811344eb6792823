// Why: what an optimizer keeps per parameter and what its update reads and writes.
#pragma once

#include "evaluator/graph/gradients.h"
#include "evaluator/graph/step_builder.h"

namespace paretrain::evaluator {

// Adds one update operator for the parameter, with its states; the phase is Update while it is
// added. Requires: the parameter has a complete gradient.
// States per element: sgd 0, momentum 1, adam and adamw 2.
void add_update(StepBuilder& step, StorageId parameter, StorageId gradient);

}  // namespace paretrain::evaluator
