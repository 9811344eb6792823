// Why: everything a user can choose about the training step itself, in one value that identifies
// the step.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace paretrain::evaluator {

enum class Precision { Fp32, Fp16, Bf16, Mixed, Int8 };
enum class Optimizer { Sgd, Momentum, Adam, AdamW };
enum class UpdatePlacement { End, Eager, Search };
enum class Loss { CrossEntropy, MeanSquaredError };
enum class SavedSet { Minimal, Framework, FrameworkCpu };
enum class Allocation { Ideal, Framework };
enum class RandomOperators { Keep, Replay };
enum class CandidateSet { All, Saved, Monet };
enum class UnknownOperator { Error, Elementwise };

struct TrainingOptions {
  std::optional<Precision> precision;  // the file's element types when empty
  Optimizer optimizer = Optimizer::Adam;
  UpdatePlacement update = UpdatePlacement::End;
  Loss loss = Loss::CrossEntropy;
  std::vector<std::string> loss_outputs;  // empty: the first output
  std::vector<std::string> freeze;        // patterns of parameter names (globs: * and ?)
  SavedSet saved = SavedSet::Framework;
  Allocation allocation = Allocation::Ideal;
  RandomOperators random = RandomOperators::Keep;
  CandidateSet candidates = CandidateSet::All;
  UnknownOperator unknown_operator = UnknownOperator::Error;
  bool fold_im2col = true;  // of ready-made training graphs
  bool inference = false;   // forward only: no loss, backward or update
};

}  // namespace paretrain::evaluator
