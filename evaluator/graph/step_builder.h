// Why: rules of operators say what is made, read and written; the growing training graph, its
// storages and the tape for the backward pass are kept here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluator/graph/nests.h"
#include "evaluator/graph/precision.h"
#include "evaluator/graph/tensor_view.h"
#include "evaluator/graph/training_graph.h"
#include "evaluator/graph/training_options.h"

namespace paretrain::evaluator {

// A value of the forward network: a view into a storage. Folded constants have no storage.
struct Tensor {
  std::string name;
  ElementType type = ElementType::Float32;
  TensorView view;
  std::optional<StorageId> storage;
  bool needs_gradient = false;
  NestLayout layout = NestLayout::Tokens;

  [[nodiscard]] const Shape& shape() const { return view.shape; }

  [[nodiscard]] std::int64_t elements() const { return element_count(view.shape); }
};

struct StorageDraft {
  std::string name;
  StorageRole role = StorageRole::Activation;
  ElementKind kind = ElementKind::Activation;
  ElementType type = ElementType::Float32;
  Shape shape;
  bool recomputable = false;
};

struct OperatorDraft {
  std::string name;
  std::string type;
  OperatorClass operator_class = OperatorClass::Elementwise;
  MacKind mac_kind = MacKind::None;
  BuiltNest built;
  std::optional<LoopNest> matrix_nest;
};

// An elementwise operator, a reduction or a copy. Operands of constants are left out by the caller.
struct PointwiseDraft {
  std::string name;
  std::string type;
  OperatorClass operator_class = OperatorClass::Elementwise;
  Shape iteration;
  NestLayout layout = NestLayout::Tokens;
  std::vector<OperandView> reads;
  std::vector<OperandView> writes;
};

class Gradients;

// What one forward node left for the backward pass.
struct TapeEntry {
  OperatorId forward;
  std::vector<Tensor> inputs;  // those that need a gradient
  std::vector<Tensor> outputs;
  std::function<void(Gradients&)> backward;
};

class StepBuilder {
 public:
  StepBuilder(const TrainingOptions& options, std::string name, std::int64_t batch);

  [[nodiscard]] const TrainingOptions& options() const { return options_; }

  [[nodiscard]] const std::string& name() const { return graph_.name; }

  [[nodiscard]] TrainingGraph& graph() { return graph_; }

  [[nodiscard]] std::vector<TapeEntry>& tape() { return tape_; }

  // What frameworks keep beyond the mathematics is kept, too.
  [[nodiscard]] bool keeps_like_framework() const { return options_.saved != SavedSet::Minimal; }

  StorageId add_storage(const StorageDraft& draft);

  [[nodiscard]] const Storage& storage(StorageId id) const { return graph_.storage(id); }

  [[nodiscard]] std::int64_t bits(StorageId id) const { return bits_[id.index()]; }

  [[nodiscard]] ElementKind kind(StorageId id) const { return kinds_[id.index()]; }

  [[nodiscard]] std::int64_t partial_bits(ElementType type) const;

  // A result of the forward operator about to be added, row-major.
  Tensor result(const std::string& name, const Shape& shape, const Tensor& like);
  // The same with the dimension order of `like`, as elementwise results have it.
  Tensor elementwise_result(const std::string& name, const Shape& shape, const Tensor& like);
  // The tensor with another element type, which decides its bytes. Requires: nothing reads it yet.
  Tensor retyped(const Tensor& tensor, ElementType type);
  // Statistics are always kept.
  Tensor statistic(const std::string& name, const Shape& shape);
  Tensor auxiliary(const StorageDraft& draft);

  // How an operator sees a tensor. Requires: a storage.
  [[nodiscard]] OperandView seen(const Tensor& tensor) const;
  [[nodiscard]] OperandView seen(StorageId storage, const TensorView& view) const;

  OperatorId add(OperatorDraft draft);
  OperatorId add(const PointwiseDraft& draft);
  // The newest operator keeps the storage alive without touching it.
  void hold(StorageId storage);

  // Records how the node's gradients are made. `inputs` without a gradient are dropped; without any
  // left nothing is recorded.
  void record(std::vector<Tensor> inputs,
              std::vector<Tensor> outputs,
              std::function<void(Gradients&)> backward);

  // Materialises a layout as a new row-major storage of the tensor's shape.
  Tensor copied(const Tensor& tensor, const std::string& name);

  void set_phase(Phase phase) { phase_ = phase; }

  [[nodiscard]] Phase phase() const { return phase_; }

  // Backward operators belong to this forward operator.
  void set_forward(OperatorId forward) { forward_ = forward; }

 private:
  const TrainingOptions& options_;
  TrainingGraph graph_;
  std::vector<std::int64_t> bits_;  // per element of each storage
  std::vector<ElementKind> kinds_;
  std::vector<TapeEntry> tape_;
  Phase phase_ = Phase::Forward;
  OperatorId forward_;
};

}  // namespace paretrain::evaluator
