// Why: some files hold a whole training step already (onnxruntime writes them); it is taken as it
// is, so that plans can be compared with those of the systems that made the file.
#pragma once

#include <string_view>
#include <vector>

#include "evaluator/graph/model_graph.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::evaluator {

// The phase of every node of a ready-made training graph: forward before the first node whose type
// contains "LossGrad", update where the name starts with Sum_Grad_ or Adam_, backward else.
// Source: docs/models.md, Ready-made training graphs.
[[nodiscard]] std::vector<Phase> ready_made_phases(const ModelGraph& model);

// Whether the name belongs to a tensor that MONET lets be recomputed: not one with lazy_reset, loss
// or prob in it.
[[nodiscard]] bool is_monet_name(std::string_view name);

// The training step that the file holds: one operator per node that computes, views as views,
// im2col chains of weight gradients (Pad, Gather, Gather, Transpose, Reshape, MatMul, ReduceSum,
// Reshape) as one weight gradient unless `options.fold_im2col` is off. Loss, optimizer, freezing
// and the placement of updates are the file's; options about them are warned of. MONET's candidates
// are tensors, not storages: with CandidateSet::Monet views among them are copies with a storage of
// their own. Errors: InputError naming every operator without a rule, unless unknown operators are
// elementwise. Cost: linear in nodes and edges.
[[nodiscard]] TrainingGraph ready_made_training(const ModelGraph& model,
                                                const TrainingOptions& options);

}  // namespace paretrain::evaluator
