// Why: which gradients share a buffer, which are added in place and which need a new one decides
// the memory of the backward pass; these rules stand in one place and operators only contribute.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "evaluator/graph/step_builder.h"

namespace paretrain::evaluator {

// Walks the tape backwards. Rules: docs/training-graph.md, Gradients.
class Gradients {
 public:
  explicit Gradients(StepBuilder& step);

  // Adds the backward pass of everything on the tape that reaches a root, newest first. A root is
  // an entry whose backward function needs no gradient of its outputs. `after_entry` runs after
  // each entry (updates that are placed eagerly).
  void run(const std::vector<std::size_t>& roots, const std::function<void()>& after_entry);

  // For the backward functions of rules:
  [[nodiscard]] StepBuilder& step() { return step_; }

  // The gradient of an output. Requires: it has one.
  [[nodiscard]] OperandView of(const Tensor& output) const;
  [[nodiscard]] bool has(const Tensor& output) const;

  using Writer = std::function<void(const OperandView& target)>;
  // `write` adds one operator that writes the gradient of `input` to the target. Nothing happens
  // when the input needs none.
  void contribute(const Tensor& input, const Writer& write);
  // The gradient of `input` is the gradient of an output, seen as `view` (of the input's shape, or
  // of a shape that the input was broadcast to).
  void share(const Tensor& input, StorageId storage, const TensorView& view);
  void share(const Tensor& input, const Tensor& output);
  // The input's gradient is a part of an output's.
  void share_part(const Tensor& input, const Tensor& output, const SliceRange& part);

  // The same for a view of the output's gradient that `seen` takes.
  void share_view(const Tensor& input,
                  const Tensor& output,
                  const std::function<TensorView(const TensorView&)>& seen);

  // The complete gradient of a parameter after `run`, or during it after its last contribution.
  [[nodiscard]] std::optional<StorageId> parameter_gradient(StorageId parameter) const;
  // Parameters whose gradients were completed since the last call.
  [[nodiscard]] std::vector<StorageId> completed_parameters();

 private:
  struct State {
    StorageId storage;
    TensorView values;                // of the shape of the forward storage
    bool complete = false;            // every element has been written
    std::vector<TensorView> written;  // parts, while not complete
  };

  struct DeferredSum {
    StorageId first;
    TensorView first_view;
    StorageId second;
    TensorView second_view;
    StorageId sum;
    NestLayout layout;
  };

  [[nodiscard]] TensorView view_of(const Tensor& output) const;
  void mark_active(const std::vector<std::size_t>& roots);
  void run_entry(const TapeEntry& entry);
  void hold_together(std::size_t first_operator);
  void emit_deferred_sums();
  void contribute_once(const Tensor& input, const Writer& write);
  void contribute_first(const Tensor& input, const Writer& write);
  void contribute_more(const Tensor& input, State& state, const Writer& write);
  void contribute_repeated(const Tensor& input, const Writer& write);
  void reduce_to(const Tensor& input, const OperandView& values);
  void add_shared(const Tensor& input, StorageId storage, const TensorView& view);
  void set_state(StorageId forward, State state);
  [[nodiscard]] bool exclusive(StorageId gradient) const;
  enum class Completeness { Partial, Final };
  // A buffer for the gradient of a forward storage; Final is what an update reads.
  [[nodiscard]] StorageId new_gradient(StorageId forward, Completeness completeness);
  [[nodiscard]] bool is_parameter(StorageId forward) const;
  [[nodiscard]] Completeness next_contribution(StorageId forward) const;
  void count_contribution(StorageId forward);
  void add_sum(const DeferredSum& sum);

  StepBuilder& step_;
  std::vector<bool> active_;
  std::map<StorageId, State> states_;                     // by forward storage
  std::map<StorageId, std::vector<TensorView>> uses_;     // views that will contribute
  std::map<StorageId, std::int64_t> contributions_left_;  // of parameters
  std::map<StorageId, std::int64_t> sharers_;             // states by gradient storage
  std::vector<DeferredSum> deferred_;
  std::vector<StorageId> completed_;
};

}  // namespace paretrain::evaluator
