#include <algorithm>
#include <exception>
#include <map>

#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>

#include "problems/onnx_import_parts.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;

onnx::TypeProto type_of(const TensorFacts& facts) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(onnx_element_type(facts.type));
  auto* const shape = type.mutable_tensor_type()->mutable_shape();
  for (const std::int64_t extent : facts.shape)
    shape->add_dim()->set_dim_value(extent);
  return type;
}

// The numbers as 64-bit integers or doubles would be read; only types that shapes come in.
std::optional<onnx::TensorProto> tensor_of(const TensorFacts& facts) {
  if (!facts.numbers) return std::nullopt;
  onnx::TensorProto tensor;
  tensor.set_data_type(onnx_element_type(facts.type));
  for (const std::int64_t extent : facts.shape)
    tensor.add_dims(extent);
  const evaluator::ConstantNumbers& numbers = *facts.numbers;
  if (facts.type == ElementType::Int64) {
    for (const std::int64_t number : numbers.integers)
      tensor.add_int64_data(number);
  } else if (facts.type == ElementType::Int32) {
    for (const std::int64_t number : numbers.integers)
      tensor.add_int32_data(static_cast<std::int32_t>(number));
  } else if (facts.type == ElementType::Float32) {
    for (const double number : numbers.floats)
      tensor.add_float_data(static_cast<float>(number));
  } else {
    return std::nullopt;
  }
  return tensor;
}

// What libonnx's rule for one operator may ask.
class OneNode : public onnx::InferenceContext {
 public:
  explicit OneNode(const NodeFacts& node) {
    for (const auto& [name, value] : node.node().attributes)
      attributes_.emplace(name, onnx_attribute(name, value));
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      types_.push_back(node.has_input(i) ? std::optional(type_of(node.input(i))) : std::nullopt);
      tensors_.push_back(node.has_input(i) ? tensor_of(node.input(i)) : std::nullopt);
    }
    outputs_.resize(node.node().outputs.size());
  }

  [[nodiscard]] const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] std::size_t getNumInputs() const override { return types_.size(); }

  [[nodiscard]] const onnx::TypeProto* getInputType(std::size_t index) const override {
    return index < types_.size() && types_[index] ? &*types_[index] : nullptr;
  }

  [[nodiscard]] const onnx::TensorProto* getInputData(std::size_t index) const override {
    return index < tensors_.size() && tensors_[index] ? &*tensors_[index] : nullptr;
  }

  [[nodiscard]] std::size_t getNumOutputs() const override { return outputs_.size(); }

  [[nodiscard]] onnx::TypeProto* getOutputType(std::size_t index) override {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

  [[nodiscard]] onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    return nullptr;
  }

  [[nodiscard]] const onnx::SparseTensorProto* getInputSparseData(std::size_t) const override {
    return nullptr;
  }

  [[nodiscard]] const onnx::TensorShapeProto* getSymbolicInput(std::size_t) const override {
    return nullptr;
  }

  // Empty when an extent stayed open.
  [[nodiscard]] std::optional<std::vector<TensorFacts>> outputs() const {
    std::vector<TensorFacts> result;
    for (const onnx::TypeProto& output : outputs_) {
      const auto type = element_type(output.tensor_type().elem_type());
      if (!type || !output.tensor_type().has_shape()) return std::nullopt;
      evaluator::Shape shape;
      for (const auto& dimension : output.tensor_type().shape().dim()) {
        if (!dimension.has_dim_value()) return std::nullopt;
        shape.push_back(dimension.dim_value());
      }
      result.push_back(facts(*type, std::move(shape)));
    }
    return result;
  }

 private:
  std::map<std::string, onnx::AttributeProto> attributes_;
  std::vector<std::optional<onnx::TypeProto>> types_;
  std::vector<std::optional<onnx::TensorProto>> tensors_;
  std::vector<onnx::TypeProto> outputs_;
};

}  // namespace

std::int32_t onnx_element_type(ElementType type) {
  for (std::int32_t number = 1; number <= 16; ++number)
    if (element_type(number) == type) return number;
  return 0;
}

onnx::AttributeProto onnx_attribute(const std::string& name, const evaluator::Attribute& value) {
  using onnx::AttributeProto;
  AttributeProto attribute;
  attribute.set_name(name);
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(*integer);
  } else if (const auto* const number = std::get_if<double>(&value)) {
    attribute.set_type(AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(*number));
  } else if (const auto* const text = std::get_if<std::string>(&value)) {
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(*text);
  } else if (const auto* const integers = std::get_if<std::vector<std::int64_t>>(&value)) {
    attribute.set_type(AttributeProto::INTS);
    attribute.mutable_ints()->Add(integers->begin(), integers->end());
  } else if (const auto* const numbers = std::get_if<std::vector<double>>(&value)) {
    attribute.set_type(AttributeProto::FLOATS);
    for (const double one : *numbers)
      attribute.add_floats(static_cast<float>(one));
  } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&value)) {
    attribute.set_type(AttributeProto::STRINGS);
    for (const std::string& one : *texts)
      attribute.add_strings(one);
  }
  return attribute;
}

std::optional<std::vector<TensorFacts>> library_output_facts(const NodeFacts& node) {
  const int opset = static_cast<int>(std::min<std::int64_t>(node.opset(), 1000));
  const onnx::OpSchema* const schema =
      onnx::OpSchemaRegistry::Schema(node.node().type, opset, node.node().domain);
  if (schema == nullptr || !schema->has_type_and_shape_inference_function()) return std::nullopt;
  OneNode one(node);
  try {
    schema->GetTypeAndShapeInferenceFunction()(one);
  } catch (const std::exception& error) {
    throw ShapeFault{error.what()};
  }
  return one.outputs();
}

}  // namespace paretrain::problems
