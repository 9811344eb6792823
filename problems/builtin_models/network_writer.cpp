#include "problems/builtin_models/network_writer.h"

#include <utility>

#include <onnx/onnx_pb.h>

#include "base/check.h"
#include "base/number_text.h"
#include "problems/onnx_fold.h"
#include "problems/onnx_import_parts.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;

constexpr const char* kDataFile = "weights.bin";

}  // namespace

struct NetworkWriter::Contents {
  onnx::ModelProto model;
  std::int64_t opset = 0;
  std::int64_t data_bytes = 0;
  std::map<std::string, TensorFacts> facts;
  std::map<std::string, std::int64_t> uses;  // of node names

  onnx::GraphProto& graph() { return *model.mutable_graph(); }

  const TensorFacts& at(const std::string& value) const {
    const auto found = facts.find(value);
    CHECK(found != facts.end(), "built-in models read only what they wrote: " + value);
    return found->second;
  }

  std::string unique_name(const std::string& stem) {
    const std::int64_t use = uses[stem]++;
    return use == 0 ? stem : stem + '_' + number_text(use);
  }

  void know(const std::string& value, TensorFacts about) {
    CHECK(facts.emplace(value, std::move(about)).second, "written twice: " + value);
  }

  void declare(onnx::ValueInfoProto& value, const std::string& name) {
    const TensorFacts& about = at(name);
    value.set_name(name);
    auto* const tensor = value.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnx_element_type(about.type));
    for (const std::int64_t extent : about.shape)
      tensor->mutable_shape()->add_dim()->set_dim_value(extent);
  }
};

NetworkWriter::NetworkWriter(std::string_view graph_name, std::int64_t opset)
    : contents_(std::make_unique<Contents>()) {
  contents_->opset = opset;
  onnx::ModelProto& model = contents_->model;
  model.set_ir_version(8);
  model.set_producer_name("paretrain");
  auto* const version = model.add_opset_import();
  version->set_domain("");
  version->set_version(opset);
  contents_->graph().set_name(std::string(graph_name));
}

NetworkWriter::~NetworkWriter() = default;

std::string NetworkWriter::input(std::string_view name, ElementType type, Shape shape) {
  const std::string value(name);
  contents_->know(value, facts(type, std::move(shape)));
  contents_->declare(*contents_->graph().add_input(), value);
  return value;
}

std::string NetworkWriter::weight(std::string_view name, const Shape& shape) {
  return buffer(name, ElementType::Float32, shape);
}

std::string NetworkWriter::buffer(std::string_view name, ElementType type, const Shape& shape) {
  const std::string value(name);
  contents_->know(value, facts(type, shape));
  onnx::TensorProto& tensor = *contents_->graph().add_initializer();
  tensor.set_name(value);
  tensor.set_data_type(onnx_element_type(type));
  for (const std::int64_t extent : shape)
    tensor.add_dims(extent);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const std::int64_t bytes = evaluator::element_count(shape) * evaluator::element_bytes(type);
  const auto add = [&](const char* key, const std::string& text) {
    auto* const entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(text);
  };
  add("location", kDataFile);
  add("offset", number_text(contents_->data_bytes));
  add("length", number_text(bytes));
  contents_->data_bytes += bytes;
  return value;
}

namespace {

std::string constant(NetworkWriter& writer,
                     std::string_view scope,
                     const char* attribute,
                     evaluator::Attribute value) {
  return writer.add({.type = "Constant",
                     .scope = std::string(scope),
                     .inputs = {},
                     .attributes = {{attribute, std::move(value)}}});
}

}  // namespace

std::string NetworkWriter::integers(std::string_view scope,
                                    const std::vector<std::int64_t>& numbers) {
  return constant(*this, scope, "value_ints", numbers);
}

std::string NetworkWriter::integer(std::string_view scope, std::int64_t number) {
  return constant(*this, scope, "value_int", number);
}

std::string NetworkWriter::number(std::string_view scope, double number) {
  return constant(*this, scope, "value_float", number);
}

std::string NetworkWriter::truth(std::string_view scope) {
  const std::string stem = contents_->unique_name(std::string(scope) + "/Constant");
  onnx::NodeProto& node = *contents_->graph().add_node();
  node.set_op_type("Constant");
  node.set_name(stem);
  node.add_output(stem + "_output_0");
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(onnx::TensorProto::BOOL);
  attribute.mutable_t()->set_raw_data(std::string(1, '\1'));
  TensorFacts about = facts(ElementType::Bool, {});
  about.constant = true;
  about.numbers = evaluator::ConstantNumbers{.floats = {}, .integers = {1}};
  contents_->know(node.output(0), std::move(about));
  return node.output(0);
}

std::string NetworkWriter::add(const WrittenNode& written) {
  const std::string name = contents_->unique_name(written.scope + "/" + written.type);
  OnnxNode source{.name = name,
                  .type = written.type,
                  .domain = "",
                  .inputs = written.inputs,
                  .outputs = {},
                  .attributes = written.attributes,
                  .tensors = {}};
  onnx::NodeProto& node = *contents_->graph().add_node();
  node.set_op_type(written.type);
  node.set_name(name);
  std::vector<const TensorFacts*> inputs;
  bool constant = true;
  for (const std::string& input : written.inputs) {
    node.add_input(input);
    inputs.push_back(input.empty() ? nullptr : &contents_->at(input));
    constant = constant && (input.empty() || inputs.back()->constant);
  }
  for (const auto& [key, value] : written.attributes)
    *node.add_attribute() = onnx_attribute(key, value);
  for (std::size_t i = 0; i < written.outputs; ++i) {
    source.outputs.push_back(name + "_output_" + number_text(static_cast<std::int64_t>(i)));
    node.add_output(source.outputs.back());
  }
  const NodeFacts about(source, contents_->opset, std::move(inputs));
  try {
    auto outputs = output_facts(about);
    CHECK(outputs && outputs->size() >= written.outputs, "operators of built-in models are known");
    for (std::size_t i = 0; i < written.outputs; ++i) {
      TensorFacts& output = (*outputs)[i];
      output.constant = constant;
      if (constant && i == 0) output.numbers = folded_numbers(about, output);
      contents_->know(source.outputs[i], std::move(output));
    }
  } catch (const ShapeFault& fault) {
    CHECK(false, name + ": " + fault.what);
  }
  return source.outputs[0];
}

const Shape& NetworkWriter::shape(const std::string& value) const {
  return contents_->at(value).shape;
}

void NetworkWriter::output(const std::string& value) {
  onnx::GraphProto& graph = contents_->graph();
  onnx::NodeProto& last = *graph.mutable_node(graph.node_size() - 1);
  CHECK(last.output_size() > 0 && last.output(0) == value, "the last node makes the output");
  contents_->know("output", contents_->at(value));
  last.set_output(0, "output");
  contents_->declare(*graph.add_output(), "output");
}

std::string NetworkWriter::bytes() const {
  return contents_->model.SerializeAsString();
}

}  // namespace paretrain::problems
