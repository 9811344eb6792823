// Recurrent layers: what frameworks keep per step, and multiply-accumulates with the constant first
// hidden state.
#include <numeric>

#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

struct LayerSizes {
  std::int64_t steps = 2;
  std::int64_t batch = 3;
  std::int64_t input = 8;
  std::int64_t hidden = 4;
};

// A layer fed by an activation that needs a gradient; its sequence is the result.
SmallModel layer(const std::string& type, std::int64_t gates, const LayerSizes& s) {
  SmallModel m;
  const Shape shape = {s.steps, s.batch, s.input};
  const ValueId x = m.node("x", "Add", {m.input("seq", shape), m.parameter("shift", shape)}, shape);
  const ValueId y = m.node(type == "" ? "y" : "y",
                           type,
                           {x,
                            m.parameter("w", {1, gates * s.hidden, s.input}),
                            m.parameter("r", {1, gates * s.hidden, s.hidden}),
                            m.parameter("b", {1, 2 * gates * s.hidden})},
                           {s.steps, 1, s.batch, s.hidden},
                           {{"hidden_size", s.hidden}});
  const Shape squeezed = {s.steps, s.batch, s.hidden};
  const ValueId flat = m.node("flat", "Squeeze", {y, m.integers({1})}, squeezed);
  m.output(m.node("z", "Neg", {flat}, squeezed));
  return m;
}

std::int64_t kept_elements(const std::string& type, std::int64_t gates, const LayerSizes& sizes) {
  TrainingOptions options = measured_options();
  options.loss = Loss::MeanSquaredError;
  const TrainingGraph graph = training_step(layer(type, gates, sizes).graph(), options);
  CHECK(broken_law(graph) == "");
  std::int64_t elements = 0;
  for (const StorageId id : saved_storages(graph)) {
    const Storage& storage = graph.storage(id);
    if (storage.role == StorageRole::Activation && storage.name != "z" && storage.name != "x")
      elements += storage.elements;
  }
  return elements;
}

}  // namespace

TEST_CASE("recurrent: an LSTM keeps seven states per step and sample") {
  const LayerSizes s;
  CHECK(kept_elements("LSTM", 4, s) == 7 * s.hidden * s.batch * s.steps);
}

TEST_CASE("recurrent: a GRU keeps seven and a plain cell one more state than steps") {
  const LayerSizes s;
  CHECK(kept_elements("GRU", 3, s) == 7 * s.hidden * s.batch * s.steps);
  CHECK(kept_elements("RNN", 1, s) == s.hidden * s.batch * (s.steps + 1));
}

TEST_CASE("recurrent: the first step's hidden product has no input gradient") {
  const LayerSizes s{5, 3, 8, 4};
  TrainingOptions options = measured_options();
  options.loss = Loss::MeanSquaredError;
  const StepSummary summary = step_summary(training_step(layer("LSTM", 4, s).graph(), options));
  const std::int64_t input = s.steps * s.batch * 4 * s.hidden * s.input;
  const std::int64_t hidden = s.batch * 4 * s.hidden * s.hidden;
  CHECK(summary.macs.forward == input + s.steps * hidden);
  CHECK(summary.macs.backward_weight_grad == input + s.steps * hidden);
  CHECK(summary.macs.backward_input_grad == input + (s.steps - 1) * hidden);
}

TEST_CASE("recurrent: gates that an exporter rearranged are recognised as parameters") {
  SmallModel m;
  const Shape shape = {2, 3, 8};
  const ValueId x = m.input("seq", shape);
  const auto arranged = [&](const std::string& name, Shape packed) {
    const ValueId p = m.parameter(name, packed);
    const std::int64_t rows = packed[0];
    Shape half = packed;
    half[0] = rows / 2;
    const ValueId low = m.node(name + ".low",
                               "Slice",
                               {p, m.integers({0}), m.integers({rows / 2}), m.integers({0})},
                               half);
    const ValueId high = m.node(name + ".high",
                                "Slice",
                                {p, m.integers({rows / 2}), m.integers({rows}), m.integers({0})},
                                half);
    const ValueId joined =
        m.node(name + ".joined", "Concat", {high, low}, packed, {{"axis", std::int64_t{0}}});
    packed.insert(packed.begin(), 1);
    return m.node(name + ".wide", "Unsqueeze", {joined, m.integers({0})}, packed);
  };
  const ValueId w = arranged("w", {16, 8});
  const ValueId r = arranged("r", {16, 4});
  const auto results = m.node_with_results("y",
                                           "LSTM",
                                           {x, w, r},
                                           {{2, 1, 3, 4}, {1, 3, 4}, {1, 3, 4}},
                                           {{"hidden_size", std::int64_t{4}}});
  m.output(m.node("flat", "Squeeze", {results[1], m.integers({0})}, {3, 4}));
  const TrainingGraph graph = training_step(m.graph(), measured_options());
  CHECK(broken_law(graph) == "");
  REQUIRE(graph.recognised.size() == 1);
  CHECK(graph.recognised[0].pattern == "Recurrent weights");
  const StepSummary summary = step_summary(graph);
  CHECK(summary.gradient_bytes == summary.parameter_bytes);
  CHECK(summary.macs.forward_activation == 0);
}

TEST_CASE("recurrent: two directions have weights of their own and are stacked") {
  SmallModel m;
  const ValueId x = m.input("seq", {2, 3, 8});
  const ValueId y = m.node("y",
                           "GRU",
                           {x, m.parameter("w", {2, 12, 8}), m.parameter("r", {2, 12, 4})},
                           {2, 2, 3, 4},
                           {{"direction", std::string("bidirectional")}});
  const ValueId turned = m.node(
      "turned", "Transpose", {y}, {2, 3, 2, 4}, {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
  m.output(m.node("flat", "Reshape", {turned, m.integers({2, 3, 8})}, {2, 3, 8}));
  for (const SavedSet saved : {SavedSet::Minimal, SavedSet::FrameworkCpu}) {
    TrainingOptions options = measured_options();
    options.saved = saved;
    const TrainingGraph graph = training_step(m.graph(), options);
    CHECK(broken_law(graph) == "");
    const StepSummary summary = step_summary(graph);
    CHECK(summary.macs.forward == 2 * (2 * 3 * 12 * 8 + 2 * 3 * 12 * 4));
    CHECK(summary.gradient_bytes == summary.parameter_bytes);
  }
}

}  // namespace paretrain::tests
