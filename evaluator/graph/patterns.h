// Why: exporters write what a framework runs as one operator as several nodes; the derivative, and
// what is kept for it, are those of the one operator.
#pragma once

#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"

namespace paretrain::evaluator {

struct Recognition {
  ModelGraph model;  // with one node for each pattern found
  std::vector<RecognisedPattern> recognised;
};

// A pattern is replaced only when nothing outside it reads what it makes inside. The values that
// vanish stay in `model.values` without a node.
// Source: docs/training-graph.md, Patterns.
[[nodiscard]] Recognition recognised_patterns(const ModelGraph& model);

}  // namespace paretrain::evaluator
