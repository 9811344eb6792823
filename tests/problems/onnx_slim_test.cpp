#include "problems/onnx_slim.h"

#include <sstream>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "problems/builtin_models.h"
#include "problems/model_import.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

void append_field(std::string& to, char field, const std::string& bytes) {
  to += static_cast<char>(field << 3 | 2);
  for (std::size_t length = bytes.size();; length >>= 7U) {
    if (length < 0x80) {
      to += static_cast<char>(length);
      break;
    }
    to += static_cast<char>(length | 0x80U);
  }
  to += bytes;
}

std::string number_field(char field, char number) {
  return {static_cast<char>(field << 3), number};
}

// x [1, 256] times w [256, 256], whose data is `bytes` long.
std::string model_with_data(std::size_t bytes) {
  const std::string extent = "\x08\x80\x02";  // dims: 256
  std::string weight = extent + extent + number_field(2, 1);
  append_field(weight, 8, "w");
  append_field(weight, 9, std::string(bytes, 'w'));
  std::string node;
  append_field(node, 1, "x");
  append_field(node, 1, "w");
  append_field(node, 2, "y");
  append_field(node, 4, "MatMul");
  std::string shape;
  append_field(shape, 1, number_field(1, 1));
  append_field(shape, 1, extent);
  std::string tensor = number_field(1, 1);
  append_field(tensor, 2, shape);
  std::string type;
  append_field(type, 1, tensor);
  std::string input;
  append_field(input, 1, "x");
  append_field(input, 2, type);
  std::string output;
  append_field(output, 1, "y");
  std::string graph;
  append_field(graph, 1, node);
  append_field(graph, 5, weight);
  append_field(graph, 11, input);
  append_field(graph, 12, output);
  std::string model = number_field(1, 8);
  append_field(model, 7, graph);
  append_field(model, 8, number_field(2, 16));
  return model;
}

std::string slim(const std::string& bytes) {
  std::istringstream file(bytes);
  return problems::slim_model_bytes(file);
}

std::string verdict(const std::string& bytes) {
  try {
    const auto model = problems::imported_model_bytes(bytes, "m", {});
    return "values: " + std::to_string(model.graph.values.size());
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST_CASE("slim_model_bytes: data of weights is left out and its length is still checked") {
  const std::string model = model_with_data(256 * 256 * 4);
  CHECK(slim(model).size() < 300);
  CHECK(verdict(slim(model)) == "values: 3");
  CHECK(verdict(slim(model)) == verdict(model));
  CHECK(verdict(slim(model_with_data(200000))) ==
        "m: tensor 'w': 200000 bytes of data; its shape takes 262144");
}

TEST_CASE("slim_model_bytes: small models stay byte for byte") {
  for (const problems::BuiltinModel& model : problems::builtin_models()) {
    const std::string bytes = problems::builtin_model_bytes(model.name, {});
    CHECK(slim(bytes) == bytes);
  }
  CHECK(slim("").empty());
  CHECK(slim("no model at all") == "no model at all");
}

TEST_CASE("slim_model_bytes: damaged files get the same verdict as without") {
  const std::string bytes = problems::builtin_model_bytes("mlp", {});
  RandomStream random(1, 0, 0);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = bytes;
    damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (round % 3 == 0) damaged.resize(random.below(damaged.size()));
    CAPTURE(round);
    CHECK(verdict(slim(damaged)) == verdict(damaged));
  }
}

}  // namespace

}  // namespace paretrain::tests
