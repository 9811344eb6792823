// Why: the loss is outside of model files; it is added here as frameworks run it.
#pragma once

#include <cstddef>
#include <vector>

#include "evaluator/graph/step_builder.h"

namespace paretrain::evaluator {

// Adds the target and the loss of every output: LogSoftmax and the mean negative log-likelihood, or
// the mean squared error; several losses are summed, those of outputs of one shape share a target.
// Returns the tape entries where the backward
// pass starts; none when no output needs a gradient.
// Errors: InputError for outputs whose shape has no classes.
[[nodiscard]] std::vector<std::size_t> add_losses(StepBuilder& step, std::vector<Tensor> outputs);

}  // namespace paretrain::evaluator
