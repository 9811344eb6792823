#include "tests/evaluator/graph/small_model.h"

#include <algorithm>
#include <set>

#include "evaluator/graph/training_step.h"

namespace paretrain::tests {

using namespace evaluator;

SmallModel::SmallModel() {
  graph_.name = "small";
  graph_.opset = 16;
}

ValueId SmallModel::add(const std::string& name, Shape shape, ValueKind kind) {
  Value value;
  value.name = name;
  value.shape = std::move(shape);
  value.kind = kind;
  graph_.values.push_back(std::move(value));
  return ValueId(graph_.values.size() - 1);
}

ValueId SmallModel::input(const std::string& name, Shape shape, ElementType type) {
  const ValueId id = add(name, std::move(shape), ValueKind::Input);
  graph_.values[id.index()].type = type;
  if (!graph_.value(id).shape.empty()) graph_.batch = graph_.value(id).shape[0];
  graph_.inputs.push_back(id);
  return id;
}

ValueId SmallModel::parameter(const std::string& name, Shape shape) {
  return add(name, std::move(shape), ValueKind::Parameter);
}

ValueId SmallModel::buffer(const std::string& name, Shape shape, ElementType type) {
  const ValueId id = add(name, std::move(shape), ValueKind::Buffer);
  graph_.values[id.index()].type = type;
  return id;
}

ValueId SmallModel::number(double value) {
  const ValueId id = add("number", {}, ValueKind::Constant);
  graph_.values[id.index()].numbers = ConstantNumbers{{value}, {}};
  return id;
}

ValueId SmallModel::integers(std::vector<std::int64_t> values) {
  const ValueId id =
      add("integers", {static_cast<std::int64_t>(values.size())}, ValueKind::Constant);
  graph_.values[id.index()].type = ElementType::Int64;
  graph_.values[id.index()].numbers = ConstantNumbers{{}, std::move(values)};
  return id;
}

ValueId SmallModel::node(const std::string& name,
                         const std::string& type,
                         Inputs inputs,
                         Shape shape,
                         Attributes attributes) {
  return node_with_results(name, type, std::move(inputs), {std::move(shape)}, std::move(attributes))
      .front();
}

std::vector<ValueId> SmallModel::node_with_results(const std::string& name,
                                                   const std::string& type,
                                                   Inputs inputs,
                                                   std::vector<Shape> shapes,
                                                   Attributes attributes) {
  Node node;
  node.name = name;
  node.type = type;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  std::vector<ValueId> results;
  for (Shape& shape : shapes) {
    const std::string suffix = results.empty() ? "" : "." + std::to_string(results.size());
    results.push_back(add(name + suffix, std::move(shape), ValueKind::Computed));
    node.outputs.emplace_back(results.back());
  }
  graph_.nodes.push_back(std::move(node));
  return results;
}

void SmallModel::output(ValueId value) {
  graph_.outputs.push_back(value);
}

TrainingOptions measured_options() {
  TrainingOptions options;
  options.precision = Precision::Fp32;
  options.optimizer = Optimizer::Momentum;
  options.saved = SavedSet::FrameworkCpu;
  return options;
}

const Storage* storage_named(const TrainingGraph& graph, const std::string& name) {
  for (const Storage& storage : graph.storages)
    if (storage.name == name) return &storage;
  return nullptr;
}

const Operator* operator_named(const TrainingGraph& graph, const std::string& name) {
  for (const Operator& op : graph.operators)
    if (op.name == name) return &op;
  return nullptr;
}

std::vector<std::string> saved_names(const TrainingGraph& graph) {
  std::vector<std::string> names;
  for (const StorageId id : saved_storages(graph)) {
    const StorageRole role = graph.storage(id).role;
    if (role != StorageRole::Input && role != StorageRole::Target)
      names.push_back(graph.storage(id).name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

bool is_leaf(StorageRole role) {
  return role == StorageRole::Input || role == StorageRole::Target ||
         role == StorageRole::Parameter || role == StorageRole::OptimizerState ||
         role == StorageRole::Buffer;
}

bool is_forward_made(StorageRole role) {
  return role == StorageRole::Activation || role == StorageRole::Statistic ||
         role == StorageRole::DropoutMask;
}

std::string access_fault(const TrainingGraph& graph, const Operator& op, const Access& access) {
  const Storage& storage = graph.storage(access.storage);
  if (access.bytes > storage.bytes) return "touches more than there is of " + storage.name;
  if (access.axes.size() != access.strides.size()) return "an axis without a stride";
  for (const AxisIndex& axis : access.axes) {
    const bool plain = !axis.windowed && axis.stride == 1;
    const bool clipped = op.mac_kind == MacKind::WeightGradient;
    if (plain && !clipped && op.nest.size(axis.first) != axis.extent)
      return "an axis of another size than its loop, of " + storage.name;
  }
  if (access.operand && op.nest.operand(*access.operand).size() != access.axes.size())
    return "an operand with other axes than its access";
  return "";
}

}  // namespace

std::string broken_law(const TrainingGraph& graph) {
  std::vector<bool> written(graph.storages.size(), false);
  Phase last = Phase::Forward;
  for (std::size_t o = 0; o < graph.operators.size(); ++o) {
    const Operator& op = graph.operators[o];
    const auto fault = [&](const std::string& what) { return op.name + ": " + what; };
    if (op.phase == Phase::Forward && last != Phase::Forward)
      return fault("a forward operator after the forward phase");
    last = op.phase;
    if (op.phase == Phase::Forward && op.forward.index() != o)
      return fault("is not its own forward operator");
    if (graph.operators[op.forward.index()].phase != Phase::Forward)
      return fault("belongs to no forward operator");
    const bool counts = op.mac_kind != MacKind::None;
    if (op.macs != (counts ? op.nest.operations() : 0)) return fault("counts other operations");
    for (const Access& access : op.reads) {
      const Storage& storage = graph.storage(access.storage);
      if (!is_leaf(storage.role) && !written[access.storage.index()])
        return fault("reads " + storage.name + " before anybody wrote it");
      const std::string wrong = access_fault(graph, op, access);
      if (!wrong.empty()) return fault(wrong);
    }
    for (const Access& access : op.writes) {
      const Storage& storage = graph.storage(access.storage);
      const bool before = written[access.storage.index()];
      const bool read_too = std::any_of(op.reads.begin(), op.reads.end(), [&](const Access& r) {
        return r.storage == access.storage && r.bytes > Bytes(0);
      });
      if (read_too) return fault("writes what it reads: " + storage.name);
      if (access.accumulates && !is_leaf(storage.role) && !before)
        return fault("accumulates into nothing: " + storage.name);
      if (is_forward_made(storage.role) && (before || op.phase != Phase::Forward))
        return fault("writes again " + storage.name);
      written[access.storage.index()] = true;
      const std::string wrong = access_fault(graph, op, access);
      if (!wrong.empty()) return fault(wrong);
    }
  }
  std::set<StorageId> distinct(graph.candidates.begin(), graph.candidates.end());
  if (distinct.size() != graph.candidates.size()) return "a candidate twice";
  for (const StorageId id : graph.candidates)
    if (!graph.storage(id).recomputable && !graph.storage(id).monet_candidate)
      return "a candidate that may not be recomputed";
  return "";
}

}  // namespace paretrain::tests
