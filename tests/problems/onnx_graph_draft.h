// Why: tests of what a whole graph means write it down as plain values, without a file format.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "problems/onnx_graph.h"

namespace paretrain::tests {

class GraphDraft {
 public:
  using List = std::vector<std::int64_t>;

  GraphDraft() { graph_.opset = 16; }

  GraphDraft& input(const std::string& name,
                    const List& shape,
                    evaluator::ElementType type = evaluator::ElementType::Float32) {
    problems::OnnxValue value;
    value.name = name;
    value.type = type;
    value.shape.emplace();
    for (const std::int64_t extent : shape)
      value.shape->push_back({extent, ""});
    graph_.inputs.push_back(std::move(value));
    return *this;
  }

  // Gives an axis of the last input a name in place of its extent.
  GraphDraft& open_axis(std::size_t axis, const std::string& symbol) {
    (*graph_.inputs.back().shape)[axis] = {std::nullopt, symbol};
    return *this;
  }

  GraphDraft& weight(const std::string& name,
                     const List& shape,
                     evaluator::ElementType type = evaluator::ElementType::Float32) {
    problems::OnnxTensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.shape = shape;
    graph_.initializers.push_back(std::move(tensor));
    return *this;
  }

  GraphDraft& integers(const std::string& name, const List& numbers) {
    return integers(name, {static_cast<std::int64_t>(numbers.size())}, numbers);
  }

  GraphDraft& integers(const std::string& name, const List& shape, const List& numbers) {
    weight(name, shape, evaluator::ElementType::Int64);
    graph_.initializers.back().numbers = evaluator::ConstantNumbers{{}, numbers};
    return *this;
  }

  GraphDraft& node(const std::string& type,
                   std::vector<std::string> inputs,
                   std::vector<std::string> outputs,
                   std::map<std::string, evaluator::Attribute> attributes = {}) {
    problems::OnnxNode node;
    node.name = outputs[0];
    node.type = type;
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    node.attributes = std::move(attributes);
    graph_.nodes.push_back(std::move(node));
    return *this;
  }

  GraphDraft& output(const std::string& name) {
    graph_.outputs.emplace_back().name = name;
    return *this;
  }

  [[nodiscard]] problems::OnnxGraph& graph() { return graph_; }

 private:
  problems::OnnxGraph graph_;
};

}  // namespace paretrain::tests
