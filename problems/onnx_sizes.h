// Why: open dimensions of a file's inputs get their numbers from the command line, and a fixed
// batch may be changed there; what was asked for must be possible before shapes are worked out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/import_options.h"
#include "problems/onnx_batch.h"
#include "problems/onnx_faults.h"
#include "problems/onnx_roles.h"

namespace paretrain::problems {

// Shapes of the inputs at the file's batch, and how the batch is to change, if it is.
struct InputSizes {
  std::vector<evaluator::Shape> shapes;  // by input of the graph
  std::optional<BatchChange> change;     // of axis 0 of the data inputs that have the batch there
  std::vector<bool> has_batch;           // by input of the graph
  std::int64_t batch = 1;                // as wanted
  std::string batch_symbol;              // of its axis, when that is open
};

// Symbols get their numbers from --dim, the batch axis of the first data input also from --batch:
// an open axis that is named for it (batch, N, ...), else axis 0. Faults for open dimensions
// without a number, for numbers without a dimension, and for extents below 1.
[[nodiscard]] InputSizes input_sizes(const IndexedGraph& graph,
                                     const std::vector<evaluator::ValueKind>& kinds,
                                     const ImportOptions& options,
                                     OnnxFaults& faults);

}  // namespace paretrain::problems
