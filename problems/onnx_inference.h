// Why: the one walk over a file's nodes that finds every shape and folds every constant, at the
// file's batch and, if wanted, once more at another.
#pragma once

#include <optional>
#include <vector>

#include "problems/onnx_batch.h"
#include "problems/onnx_facts.h"
#include "problems/onnx_faults.h"
#include "problems/onnx_roles.h"

namespace paretrain::problems {

// What is known of each value, by its number in the IndexedGraph. Values are unknown (empty) only
// after a fault.
using AllFacts = std::vector<std::optional<TensorFacts>>;

struct Inference {
  AllFacts facts;
  std::vector<std::size_t> unknown_nodes;  // whose operator has no shape rule
};

// What to believe where a file declares a full shape (value_info) that its operators contradict.
// Ready-made training graphs leave out attributes that their shapes need (output_padding).
enum class Declared { Ignored, Believed };

// Starts from the facts of initializers and inputs in `facts`. A fault of a node is added with its
// name, and what depends on the node is passed over in silence. Where there is no rule, a fully
// declared shape (value_info) is taken, else the broadcast of the inputs.
// Cost: linear in nodes and edges, times the sizes of folded constants.
[[nodiscard]] Inference inferred(const IndexedGraph& graph,
                                 AllFacts facts,
                                 Declared declared,
                                 OnnxFaults& faults);

// The same graph at another batch: `base` are the facts at the file's batch, `facts` those of
// initializers and inputs at the wanted one. Constant targets of Reshape, Expand, Resize, Slice and
// Split are rescaled where the batch lies in them, and constants that are joined or broadcast with
// the batch grow with it.
[[nodiscard]] Inference inferred_at_batch(const IndexedGraph& graph,
                                          const AllFacts& base,
                                          AllFacts facts,
                                          const BatchChange& change,
                                          OnnxFaults& faults);

}  // namespace paretrain::problems
