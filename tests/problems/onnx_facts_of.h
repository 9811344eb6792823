// Why: tests of shape rules and of the folder write nodes by hand, without files.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "problems/onnx_facts.h"

namespace paretrain::tests {

// A node with its operands, kept alive together.
class WrittenNodeFacts {
 public:
  explicit WrittenNodeFacts(std::string type, std::int64_t opset = 16) : opset_(opset) {
    node_.type = std::move(type);
    node_.outputs = {"y"};
  }

  WrittenNodeFacts& operand(evaluator::Shape shape,
                            evaluator::ElementType type = evaluator::ElementType::Float32) {
    operands_.push_back(problems::facts(type, std::move(shape)));
    node_.inputs.push_back("x" + std::to_string(operands_.size()));
    return *this;
  }

  // A constant vector of integers.
  WrittenNodeFacts& integers(std::vector<std::int64_t> numbers) {
    const auto count = static_cast<std::int64_t>(numbers.size());
    return constant({count}, std::move(numbers));
  }

  WrittenNodeFacts& constant(evaluator::Shape shape, std::vector<std::int64_t> numbers) {
    operand(std::move(shape), evaluator::ElementType::Int64);
    operands_.back().constant = true;
    operands_.back().numbers = evaluator::ConstantNumbers{{}, std::move(numbers)};
    return *this;
  }

  WrittenNodeFacts& reals(evaluator::Shape shape, std::vector<double> numbers) {
    operand(std::move(shape));
    operands_.back().constant = true;
    operands_.back().numbers = evaluator::ConstantNumbers{std::move(numbers), {}};
    return *this;
  }

  WrittenNodeFacts& omitted() {
    operands_.emplace_back();
    node_.inputs.emplace_back();
    return *this;
  }

  WrittenNodeFacts& attribute(const std::string& name, evaluator::Attribute value) {
    node_.attributes[name] = std::move(value);
    return *this;
  }

  WrittenNodeFacts& outputs(std::size_t count) {
    node_.outputs.clear();
    for (std::size_t i = 0; i < count; ++i)
      node_.outputs.push_back("y" + std::to_string(i));
    return *this;
  }

  [[nodiscard]] problems::NodeFacts facts() const {
    std::vector<const problems::TensorFacts*> inputs;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      inputs.push_back(node_.inputs[i].empty() ? nullptr : &operands_[i]);
    return {node_, opset_, std::move(inputs)};
  }

 private:
  std::int64_t opset_;
  problems::OnnxNode node_;
  std::deque<problems::TensorFacts> operands_;
};

}  // namespace paretrain::tests
