#include "tests/evaluator/group/small_graph.h"

#include <algorithm>
#include <utility>

namespace paretrain::tests {

using namespace evaluator;

StorageId SmallGraph::tensor(const std::string& name, const Shape& shape, StorageRole role) {
  Storage storage;
  storage.name = name;
  storage.role = role;
  storage.shape = shape;
  storage.elements = element_count(shape);
  storage.bytes = Bytes(storage.elements * bits_ / 8);
  graph_.storages.push_back(storage);
  return StorageId(graph_.storages.size() - 1);
}

OperandView SmallGraph::view(StorageId id) const {
  const Shape& shape = graph_.storage(id).shape;
  return {id, shape, contiguous_strides(shape), bits_, false};
}

StorageId SmallGraph::add_operator(const std::string& type,
                                   OperatorClass operator_class,
                                   BuiltNest built,
                                   StorageId result) {
  Operator op;
  op.name = type + std::to_string(graph_.operators.size());
  op.type = type;
  op.operator_class = operator_class;
  op.nest = std::move(built.nest);
  op.reads = std::move(built.reads);
  op.writes = std::move(built.writes);
  op.forward = OperatorId(graph_.operators.size());
  if (operator_class == OperatorClass::Matrix) {
    op.mac_kind = MacKind::Forward;
    op.macs = op.nest.operations();
  }
  graph_.operators.push_back(std::move(op));
  return result;
}

StorageId SmallGraph::convolution(StorageId image,
                                  std::int64_t channels,
                                  std::int64_t kernel,
                                  std::int64_t stride) {
  const Shape in = graph_.storage(image).shape;
  const std::int64_t pad = kernel / 2;
  const auto side = [&](std::int64_t size) { return (size + 2 * pad - kernel) / stride + 1; };
  const StorageId weight = tensor("w", {channels, in[1], kernel, kernel}, StorageRole::Parameter);
  const StorageId out =
      tensor("y", {in[0], channels, side(in[2]), side(in[3])}, StorageRole::Activation);
  ConvolutionOperands operands;
  operands.image = view(image);
  operands.weight = view(weight);
  operands.feature = view(out);
  operands.window = {{kernel, kernel}, {stride, stride}, {1, 1}, {pad, pad}};
  operands.partial_bits = 2 * bits_;
  return add_operator("Conv", OperatorClass::Matrix, convolution_nest(operands), out);
}

StorageId SmallGraph::relu(StorageId x) {
  const StorageId out = tensor("r", graph_.storage(x).shape, StorageRole::Activation);
  PointwiseOperands operands;
  operands.iteration = graph_.storage(x).shape;
  operands.reads = {view(x)};
  operands.writes = {view(out)};
  operands.partial_bits = bits_;
  return add_operator("Relu", OperatorClass::Elementwise, pointwise_nest(operands), out);
}

StorageId SmallGraph::add(StorageId a, StorageId b) {
  const StorageId out = tensor("s", graph_.storage(a).shape, StorageRole::Activation);
  PointwiseOperands operands;
  operands.iteration = graph_.storage(a).shape;
  operands.reads = {view(a), view(b)};
  operands.writes = {view(out)};
  operands.partial_bits = bits_;
  return add_operator("Add", OperatorClass::Elementwise, pointwise_nest(operands), out);
}

StorageId SmallGraph::product(StorageId x, std::int64_t columns) {
  const Shape in = graph_.storage(x).shape;
  const StorageId weight = tensor("m", {in[1], columns}, StorageRole::Parameter);
  const StorageId out = tensor("p", {in[0], columns}, StorageRole::Activation);
  ProductOperands operands{view(x), view(weight), view(out), 2 * bits_};
  return add_operator("MatMul", OperatorClass::Matrix, product_nest(operands), out);
}

StorageId SmallGraph::channel_sum(StorageId x) {
  const Shape in = graph_.storage(x).shape;
  const StorageId out = tensor("c", {in[1]}, StorageRole::Statistic);
  OperandView sum = view(out);
  sum.shape = {1, in[1], 1, 1};
  sum.strides = {0, 1, 0, 0};
  PointwiseOperands operands;
  operands.iteration = in;
  operands.reads = {view(x)};
  operands.writes = {sum};
  operands.partial_bits = 2 * bits_;
  return add_operator("Sum", OperatorClass::Reduction, pointwise_nest(operands), out);
}

GroupOf::GroupOf(const TrainingGraph& graph, std::size_t first, std::size_t last) {
  std::vector<std::size_t> made;
  std::vector<std::size_t> used;
  for (std::size_t o = first; o <= last; ++o) {
    operators.push_back({StepOperatorId(o), false});
    for (const Access& read : graph.operators[o].reads) {
      used.push_back(read.storage.index());
      const StepValueId value(read.storage.index());
      if (std::ranges::count(made, read.storage.index()) == 0 &&
          std::ranges::count(reads, value) == 0)
        reads.push_back(value);
    }
    for (const Access& write : graph.operators[o].writes)
      made.push_back(write.storage.index());
  }
  for (const std::size_t value : made)
    if (std::ranges::count(used, value) == 0) writes.emplace_back(value);
}

}  // namespace paretrain::tests
