// Why: the one door through which a network comes in, whether it is a file or built in: an ONNX
// graph is checked, its shapes are worked out and its constants folded before anything else sees
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"
#include "problems/import_options.h"

namespace paretrain::problems {

// A forward graph still needs its backward pass derived; a ready-made training graph (as
// onnxruntime writes them) holds forward, backward and optimizer nodes already.
enum class ModelKind { ForwardGraph, ReadyMadeTrainingGraph };

// Nodes of the file by phase, before constants are folded. Forward graphs have forward nodes only.
using evaluator::ImportedNodes;

// An operator of the file that the reader has no shape rule for. Its outputs were given the
// broadcast shape of its inputs, as if it were elementwise; whoever builds the training graph
// refuses such operators unless `--unknown-op elementwise` was given.
struct UnknownOperatorUse {
  std::string type;  // with "domain." before it outside the standard domain
  std::int64_t count = 0;
  std::string first_node;
};

struct ImportedModel {
  evaluator::ModelGraph graph;
  ModelKind kind = ModelKind::ForwardGraph;
  ImportedNodes nodes;
  std::vector<std::string> warnings;  // one sentence each
  std::vector<UnknownOperatorUse> unknown_operators;
  std::string batch_dimension;  // the open axis that --batch sets; empty when it is fixed
  std::string name;  // the built-in's name, or the file's name without folders and ".onnx"
};

// Reads `file_or_name`: the name of a built-in model (problems/builtin_models.h) unless a file of
// that name exists. Names in the graph are printable UTF-8 of at most 200 bytes: control characters
// and broken encodings are written \xNN, long names are cut and marked with a hash.
// Errors: InputError with every fault found (structure first, then shapes) when the file is
// missing, no ONNX model, inconsistent, too large, or when a dimension is open; IoError when it
// cannot be read.
// Cost: linear in nodes and edges of the file.
[[nodiscard]] ImportedModel imported_model(const std::string& file_or_name,
                                           const ImportOptions& options);

// The same for the bytes of a file; `label` stands for the file in messages.
[[nodiscard]] ImportedModel imported_model_bytes(const std::string& bytes,
                                                 const std::string& label,
                                                 const ImportOptions& options);

// The options that import `model` once more, at another batch.
[[nodiscard]] ImportOptions at_batch(ImportOptions options,
                                     const ImportedModel& model,
                                     std::int64_t batch);

}  // namespace paretrain::problems
