#include "problems/model_import.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.h"
#include "problems/builtin_models.h"
#include "problems/onnx_facts.h"
#include "tests/problems/csv_rows.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::tests {

namespace {

using evaluator::ModelGraph;
using evaluator::Shape;
using evaluator::Value;
using evaluator::ValueKind;
using problems::imported_model;
using problems::ImportOptions;

std::map<std::string, Shape> shapes_of(const ModelGraph& model) {
  std::map<std::string, Shape> shapes;
  for (const Value& value : model.values)
    shapes[value.name] = value.shape;
  return shapes;
}

std::int64_t parameter_elements(const ModelGraph& model) {
  std::int64_t elements = 0;
  for (const Value& value : model.values)
    if (value.kind == ValueKind::Parameter) elements += evaluator::element_count(value.shape);
  return elements;
}

std::string shape_cell(const Shape& shape) {
  return shape.empty() ? "" : problems::shape_text(shape);
}

ImportOptions with_batch(std::int64_t batch) {
  ImportOptions options;
  options.batch = batch;
  return options;
}

ImportOptions options_for(const std::string& stem) {
  return stem.find("dynbatch") == std::string::npos ? ImportOptions{} : with_batch(1);
}

std::string error_of(const std::string& file, const ImportOptions& options) {
  try {
    static_cast<void>(imported_model(file, options));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("imported_model: every shape equals the one of the reference tables") {
  const auto folder = shared_data("reference/onnx_shapes");
  const auto models = shared_data("models");
  if (!folder || !models) return;
  std::int64_t compared = 0;
  std::vector<std::filesystem::path> tables(std::filesystem::directory_iterator(*folder), {});
  std::ranges::sort(tables);
  for (const auto& table : tables) {
    const std::string name = table.filename().string();
    const std::string stem = name.substr(0, name.find(".shapes.csv"));
    CAPTURE(stem);
    const auto model = imported_model((*models / (stem + ".onnx")).string(), options_for(stem));
    const auto shapes = shapes_of(model.graph);
    for (const auto& row : csv_rows(table)) {
      const auto found = shapes.find(row.at("value"));
      // Folded constants are gone; names stand for extents that inference left open.
      const bool open = row.at("shape").find_first_of("?Nu") != std::string::npos;
      if (found == shapes.end() || open) continue;
      CAPTURE(row.at("value"));
      CHECK(shape_cell(found->second) == row.at("shape"));
      ++compared;
    }
  }
  CHECK(compared > 11000);
}

TEST_CASE("imported_model: parameters are those that PyTorch trains") {
  const auto table = shared_data("reference/pytorch_training_memory.csv");
  const auto folder = shared_data("models");
  if (!table || !folder) return;
  std::map<std::string, std::string> elements;
  for (const auto& row : csv_rows(*table))
    elements[row.at("model")] = row.at("params");
  std::int64_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    const std::string name = entry.path().filename().string();
    const auto count = elements.find(name.substr(0, name.find('.')));
    if (name.find(".train.") == std::string::npos || count == elements.end()) continue;
    CAPTURE(name);
    const auto imported = imported_model(entry.path().string(), options_for(name));
    CHECK(std::to_string(parameter_elements(imported.graph)) == count->second);
    CHECK(imported.unknown_operators.empty());
    CHECK(imported.warnings.empty());
    CHECK(imported.kind == problems::ModelKind::ForwardGraph);
    ++compared;
  }
  CHECK(compared >= 20);
}

TEST_CASE("imported_model: another batch scales one axis of everything that depends on the data") {
  const auto folder = shared_data("models");
  if (!folder) return;
  for (const std::string stem : {"resnet18_224.train",
                                 "mobilenet_v2_224.train",
                                 "vgg16_224.train",
                                 "unet_small_128.train",
                                 "densenet121_224.train",
                                 "squeezenet1_1_224.train",
                                 "mini_gpt_128.train",
                                 "gpt2_small_128.train",
                                 "bert_base_128.train",
                                 "vit_b_16_224.train",
                                 "vit_b_16_224.eval",
                                 "bert_base_128.eval",
                                 "mini_gpt_128.eval"}) {
    CAPTURE(stem);
    const std::string path = (*folder / (stem + ".onnx")).string();
    const ModelGraph one = imported_model(path, {}).graph;
    const ModelGraph many = imported_model(path, with_batch(6)).graph;
    CHECK(many.batch == 6);
    REQUIRE(one.values.size() == many.values.size());
    for (std::size_t i = 0; i < one.values.size(); ++i) {
      CAPTURE(one.values[i].name);
      const std::int64_t before = evaluator::element_count(one.values[i].shape);
      const std::int64_t after = evaluator::element_count(many.values[i].shape);
      const bool is_data = one.values[i].kind == ValueKind::Input;
      CHECK((after == 6 * before || (after == before && !is_data)));
    }
    for (const evaluator::ValueId output : many.outputs)
      CHECK(many.value(output).shape[0] == 6);
  }
}

TEST_CASE("imported_model: a symbolic batch gives what the fixed one gives") {
  const auto fixed = shared_data("models/mini_gpt_128.train.onnx");
  const auto open = shared_data("models/mini_gpt_128.train.dynbatch.onnx");
  if (!fixed || !open) return;
  const ModelGraph expected = imported_model(fixed->string(), with_batch(8)).graph;
  const ModelGraph found = imported_model(open->string(), with_batch(8)).graph;
  REQUIRE(found.nodes.size() == expected.nodes.size());
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    CAPTURE(found.nodes[i].name);
    CHECK(found.nodes[i].type == expected.nodes[i].type);
    CHECK(found.value(*found.nodes[i].outputs[0]).shape ==
          expected.value(*expected.nodes[i].outputs[0]).shape);
  }
  ImportOptions named;
  named.dimensions["N"] = 3;
  CHECK(imported_model(open->string(), named).graph.batch == 3);
  CHECK(error_of(open->string(), {}) == open->string() +
                                            ": input 'input_ids': dimension 0 ('N') is open\n"
                                            "hint: set it with --dim N=N or --batch N");
  const ImportOptions part = problems::at_batch(named, imported_model(open->string(), named), 1);
  CHECK(imported_model(open->string(), part).graph.batch == 1);
  named.dimensions["M"] = 3;
  CHECK(error_of(open->string(), named) ==
        open->string() + ": --dim M: no such open dimension; the model has 'N'");
  ImportOptions twice = with_batch(4);
  twice.dimensions["N"] = 3;
  CHECK(error_of(open->string(), twice) == open->string() + ": --batch: contradicts --dim N=3");
}

TEST_CASE("imported_model: a rescaled batch equals a file that was made with it") {
  // The file was made with batch 2; scaling it to 1 and to 2 must agree with the model at 1.
  const auto two = shared_data("models/resnet18_32.train.onnx");
  if (!two) return;
  const ModelGraph same = imported_model(two->string(), with_batch(2)).graph;
  CHECK(shapes_of(same) == shapes_of(imported_model(two->string(), {}).graph));
  const ModelGraph one = imported_model(two->string(), with_batch(1)).graph;
  CHECK(one.value(one.outputs[0]).shape == Shape{1, 10});
}

TEST_CASE("imported_model: built-in ResNet-18 is the exported one node by node") {
  const ModelGraph built = imported_model("resnet18", {}).graph;
  CHECK(parameter_elements(built) == 11689512);
  CHECK(built.nodes.size() == 69);
  CHECK(built.value(built.outputs[0]).shape == Shape{1, 1000});
  const auto path = shared_data("models/resnet18_224.train.onnx");
  if (!path) return;
  const ModelGraph exported = imported_model(path->string(), {}).graph;
  CHECK(shapes_of(built) == shapes_of(exported));
  REQUIRE(built.nodes.size() == exported.nodes.size());
  for (std::size_t i = 0; i < built.nodes.size(); ++i) {
    CHECK(built.nodes[i].name == exported.nodes[i].name);
    CHECK(built.nodes[i].type == exported.nodes[i].type);
    CHECK(built.nodes[i].inputs.size() == exported.nodes[i].inputs.size());
  }
}

TEST_CASE("imported_model: files that are none are named") {
  const TemporaryFolder folder;
  const std::string missing = (folder.path() / "missing.onnx").string();
  CHECK(error_of(missing, {}) == missing +
                                     ": no such file or built-in model\n"
                                     "hint: `paretrain list models` shows what is built in");
  CHECK(error_of(folder.path().string(), {}) ==
        folder.path().string() + ": is a folder; expected an ONNX model");
  const std::string text = (folder.path() / "text.onnx").string();
  std::ofstream(text) << "{\"ir_version\": 8}";
  CHECK(error_of(text, {}) ==
        text + ": no ONNX model, or damaged; expected the bytes of an onnx.ModelProto");
  const std::string empty = (folder.path() / "empty.onnx").string();
  std::ofstream{empty};
  CHECK(error_of(empty, {}) == empty + ": empty file; expected an ONNX model");
}

TEST_CASE("imported_model: options that do not fit are refused by name") {
  ImportOptions options;
  options.batch = 0;
  CHECK(error_of("resnet18", options) == "resnet18: --batch: 0; expected 1 to 2^40");
  ImportOptions unknown;
  unknown.data_inputs = {"inputs"};
  CHECK(error_of("resnet18", unknown) ==
        "resnet18: --data-input 'inputs': the model has no such input");
  ImportOptions dimension;
  dimension.dimensions["seq"] = 4;
  CHECK(error_of("resnet18", dimension) ==
        "--dim seq: no such open dimension; built-in model resnet18 has none");
}

// Laws for any bytes: a result or InputError, and the same again.
TEST_CASE("imported_model_bytes: damaged bytes give a model or an InputError") {
  const std::string bytes = problems::builtin_model_bytes("resnet18", {});
  const auto is_handled = [](const std::string& damaged) {
    try {
      return !problems::imported_model_bytes(damaged, "damaged", {}).graph.nodes.empty();
    } catch (const InputError& error) {
      return std::string(error.what()).find("damaged") == 0;
    }
  };
  for (std::size_t length = 0; length < bytes.size(); length += 97)
    CHECK(is_handled(bytes.substr(0, length)));
  for (std::size_t at = 0; at < bytes.size(); at += 61) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    CHECK(is_handled(flipped));
  }
}

}  // namespace

}  // namespace paretrain::tests
