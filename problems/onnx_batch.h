// Why: exports bake the batch size they were made with into constants; to train with another one,
// the batch has to be found again in every constant target it went into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "problems/onnx_facts.h"

namespace paretrain::problems {

// The batch sizes that a file was made with and that is wanted.
struct BatchChange {
  std::int64_t from = 1;
  std::int64_t to = 1;
};

// Where the batch lies in a tensor: in which axis, and the product of the factors of that axis that
// vary more slowly than the batch (an axis of tokens x batch has outer = tokens).
struct BatchPlace {
  std::size_t axis = 0;
  std::int64_t outer = 1;
};

// Where the batch comes to lie when a tensor of shape `source`, which holds it at `place`, is read
// in the shape `target` (both at the file's batch, with equal element counts). `open` is the axis
// that the target leaves open (-1), which takes the batch where several could.
// Model: row-major order fixes the place up to axes of extent 1 and to whether the batch is the
// fastest factor of one axis or the slowest of the next. There an axis of extent 1 is taken first;
// else, when the axes on both sides are left as they are, the left one; else the right one, unless
// it is the last axis (features).
// Errors: ShapeFault when it would be split over axes, or several axes of extent 1 could take it.
[[nodiscard]] BatchPlace reshaped_batch(const evaluator::Shape& source,
                                        BatchPlace place,
                                        const evaluator::Shape& target,
                                        std::optional<std::size_t> open,
                                        const BatchChange& change);

// `shape` with the batch in that axis changed. Errors: ShapeFault when the extent is no multiple.
[[nodiscard]] evaluator::Shape rescaled(evaluator::Shape shape,
                                        std::size_t axis,
                                        const BatchChange& change);

}  // namespace paretrain::problems
