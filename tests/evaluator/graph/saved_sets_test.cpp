// What the backward pass of each operator reads, against the probes of single operators
// (reference/pytorch_saved_per_op.csv), worked out by hand from their shapes.
#include <algorithm>
#include <string>
#include <vector>

#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

// x = parameter-fed activation of shape [2, 4, 8, 8] that needs a gradient.
struct Probe {
  SmallModel model;
  ValueId x;

  explicit Probe(Shape shape = {2, 4, 8, 8}) {
    const ValueId image = model.input("image", shape);
    const ValueId shift = model.parameter("shift", shape);
    x = model.node("x", "Add", {image, shift}, std::move(shape));
  }

  [[nodiscard]] TrainingGraph step(ValueId result, TrainingOptions options = measured_options()) {
    model.output(result);
    options.loss = Loss::MeanSquaredError;
    return training_step(model.graph(), options);
  }
};

// Without what the loss itself reads of the result (the squared error reads it).
std::vector<std::string> saved_of(const TrainingGraph& graph, const std::string& result) {
  std::vector<std::string> names;
  for (const std::string& name : saved_names(graph))
    if (name != result) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

Names saved_by_activation(const std::string& type, SavedSet set) {
  Probe probe;
  const ValueId y = probe.model.node("y", type, {probe.x}, {2, 4, 8, 8});
  const ValueId z = probe.model.node("z", "Neg", {y}, {2, 4, 8, 8});
  TrainingOptions options = measured_options();
  options.saved = set;
  return saved_of(probe.step(z, options), "z");
}

}  // namespace

TEST_CASE("activations: frameworks keep the input or the output") {
  for (const char* type : {"Relu", "Sigmoid", "Tanh", "Exp", "Sqrt", "Rsqrt", "Reciprocal"})
    CHECK_MESSAGE(saved_by_activation(type, SavedSet::FrameworkCpu) == Names{"y"}, type);
  for (const char* type : {"LeakyRelu",
                           "Elu",
                           "Clip",
                           "HardSwish",
                           "HardSigmoid",
                           "Gelu",
                           "Silu",
                           "Mish",
                           "Softplus",
                           "Erf",
                           "Log",
                           "Abs"})
    CHECK_MESSAGE(saved_by_activation(type, SavedSet::FrameworkCpu) == Names{"x"}, type);
  CHECK(saved_by_activation("Neg", SavedSet::FrameworkCpu).empty());
}

TEST_CASE("activations: the minimal set keeps one sign bit where that is enough") {
  CHECK(saved_by_activation("Relu", SavedSet::Minimal) == Names{"y:sign"});
  CHECK(saved_by_activation("LeakyRelu", SavedSet::Minimal) == Names{"y:sign"});
  CHECK(saved_by_activation("Gelu", SavedSet::Minimal) == Names{"x"});
  Probe probe({1, 1, 3, 3});
  const ValueId y = probe.model.node("y", "Relu", {probe.x}, {1, 1, 3, 3});
  TrainingOptions options = measured_options();
  options.saved = SavedSet::Minimal;
  const TrainingGraph graph = probe.step(y, options);
  const Storage* bits = storage_named(graph, "y:sign");
  REQUIRE(bits != nullptr);
  CHECK(bits->bytes == Bytes(2));  // nine elements
  CHECK(bits->recomputable);
}

TEST_CASE("pools: frameworks keep int64 indices and the input") {
  for (const bool minimal : {false, true}) {
    Probe probe;
    const ValueId y = probe.model.node("y",
                                       "MaxPool",
                                       {probe.x},
                                       {2, 4, 4, 4},
                                       {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                        {"strides", std::vector<std::int64_t>{2, 2}}});
    TrainingOptions options = measured_options();
    if (minimal) options.saved = SavedSet::Minimal;
    const TrainingGraph graph = probe.step(y, options);
    CHECK(saved_of(graph, "y") == (minimal ? Names{"y:indices"} : Names{"x", "y:indices"}));
    CHECK(storage_named(graph, "y:indices")->bytes == Bytes(minimal ? 128 : 1024));
  }
}

TEST_CASE("pools: an average keeps its input in frameworks and nothing by need") {
  for (const bool minimal : {false, true}) {
    Probe probe;
    const ValueId y = probe.model.node("y", "GlobalAveragePool", {probe.x}, {2, 4, 1, 1});
    TrainingOptions options = measured_options();
    if (minimal) options.saved = SavedSet::Minimal;
    CHECK(saved_of(probe.step(y, options), "y") == (minimal ? Names{} : Names{"x"}));
  }
}

TEST_CASE("normalisations: x and two statistics") {
  Probe probe;
  const ValueId scale = probe.model.parameter("scale", {4});
  const ValueId shift = probe.model.parameter("offset", {4});
  const ValueId y = probe.model.node("y",
                                     "GroupNormalization",
                                     {probe.x, scale, shift},
                                     {2, 4, 8, 8},
                                     {{"num_groups", std::int64_t{2}}});
  const TrainingGraph graph = probe.step(y);
  CHECK(saved_of(graph, "y") == Names{"x", "y:inverse_deviation", "y:mean"});
  CHECK(storage_named(graph, "y:mean")->bytes == Bytes(2 * 2 * 4));
  CHECK(broken_law(graph).empty());
}

TEST_CASE("normalisations: instance normalisation keeps its scale once per sample") {
  Probe probe;
  const ValueId scale = probe.model.parameter("scale", {4});
  const ValueId shift = probe.model.parameter("offset", {4});
  const ValueId y =
      probe.model.node("y", "InstanceNormalization", {probe.x, scale, shift}, {2, 4, 8, 8});
  const TrainingGraph graph = probe.step(y);
  CHECK(saved_of(graph, "y") == Names{"x", "y:inverse_deviation", "y:mean", "y:scale"});
  CHECK(storage_named(graph, "y:scale")->bytes == Bytes(8 * 4));
  CHECK(broken_law(graph).empty());
}

TEST_CASE("normalisations: batch statistics are reduced first and never recomputed") {
  Probe probe;
  SmallModel& m = probe.model;
  const ValueId y = m.node("y",
                           "BatchNormalization",
                           {probe.x,
                            m.parameter("scale", {4}),
                            m.parameter("offset", {4}),
                            m.buffer("running_mean", {4}, ElementType::Float32),
                            m.buffer("running_variance", {4}, ElementType::Float32)},
                           {2, 4, 8, 8},
                           {{"training_mode", std::int64_t{1}}});
  const TrainingGraph graph = probe.step(y);
  CHECK(saved_of(graph, "y") == Names{"x", "y:inverse_deviation", "y:mean"});
  const Operator* statistics = operator_named(graph, "y:statistics");
  REQUIRE(statistics != nullptr);
  CHECK(statistics->operator_class == OperatorClass::Reduction);
  CHECK(statistics->writes.size() == 4);  // two statistics, two running ones
  CHECK_FALSE(storage_named(graph, "y:mean")->recomputable);
}

TEST_CASE("normalisations: frozen statistics keep x only") {
  Probe probe;
  SmallModel& m = probe.model;
  const ValueId y = m.node("y",
                           "BatchNormalization",
                           {probe.x,
                            m.parameter("scale", {4}),
                            m.parameter("offset", {4}),
                            m.buffer("running_mean", {4}, ElementType::Float32),
                            m.buffer("running_variance", {4}, ElementType::Float32)},
                           {2, 4, 8, 8});
  CHECK(saved_of(probe.step(y), "y") == Names{"x"});
}

TEST_CASE("convolution: x is kept even when the weight is frozen") {
  Probe probe;
  const ValueId w = probe.model.parameter("w", {6, 4, 3, 3});
  const ValueId y = probe.model.node("y", "Conv", {probe.x, w}, {2, 6, 6, 6});
  TrainingOptions options = measured_options();
  options.freeze = {"w"};
  TrainingGraph graph = probe.step(y, options);
  CHECK(saved_of(graph, "y") == Names{"x"});
  CHECK(operator_named(graph, "y:weight_grad") == nullptr);
  options.saved = SavedSet::Minimal;
  options.loss = Loss::MeanSquaredError;
  graph = training_step(probe.model.graph(), options);
  CHECK(saved_of(graph, "y").empty());
}

TEST_CASE("linear layers: x is not kept when the weight is frozen") {
  Probe probe({5, 16});
  const ValueId w = probe.model.parameter("w", {8, 16});
  const ValueId y =
      probe.model.node("y", "Gemm", {probe.x, w}, {5, 8}, {{"transB", std::int64_t{1}}});
  TrainingOptions options = measured_options();
  options.freeze = {"w"};
  CHECK(saved_of(probe.step(y, options), "y").empty());
}

TEST_CASE("arithmetic: a product keeps the other factor of each side that needs a gradient") {
  Probe probe;
  SmallModel& m = probe.model;
  const ValueId gate = m.input("gate", {2, 4, 1, 1});
  const ValueId one_sided = m.node("a", "Mul", {probe.x, gate}, {2, 4, 8, 8});
  const ValueId both = m.node("b", "Mul", {one_sided, probe.x}, {2, 4, 8, 8});
  const ValueId scaled = m.node("c", "Div", {both, m.number(2)}, {2, 4, 8, 8});
  const TrainingGraph graph = probe.step(scaled);
  CHECK(saved_of(graph, "c") == Names{"a", "c:scalar", "x"});
  CHECK(storage_named(graph, "c:scalar")->bytes == Bytes(8));
}

TEST_CASE("arithmetic: sums keep nothing and a condition is kept as it is") {
  Probe probe;
  SmallModel& m = probe.model;
  const ValueId mask = m.input("mask", {8, 8}, ElementType::Bool);
  const ValueId masked = m.node("masked", "Where", {mask, m.number(-1e9), probe.x}, {2, 4, 8, 8});
  const ValueId sum = m.node("sum", "Add", {masked, probe.x}, {2, 4, 8, 8});
  const TrainingGraph graph = probe.step(sum);
  CHECK(saved_of(graph, "sum").empty());
  const StepSummary summary = step_summary(graph);
  // The mask, the target and the result that the squared error reads.
  CHECK(summary.saved_input_bytes == Bytes(64 + 2048));
}

TEST_CASE("dropout: the mask is a float on the CPU or a byte or a bit") {
  const auto mask_bytes = [](SavedSet set) {
    Probe probe;
    SmallModel& m = probe.model;
    const ValueId training = m.integers({1});
    const ValueId y = m.node("y", "Dropout", {probe.x, m.number(0.5), training}, {2, 4, 8, 8});
    TrainingOptions options = measured_options();
    options.saved = set;
    const TrainingGraph graph = probe.step(y, options);
    CHECK(saved_of(graph, "y") == Names{"y:mask"});
    CHECK_FALSE(storage_named(graph, "y:mask")->recomputable);
    return storage_named(graph, "y:mask")->bytes.number();
  };
  CHECK(mask_bytes(SavedSet::FrameworkCpu) == 2048);
  CHECK(mask_bytes(SavedSet::Framework) == 512);
  CHECK(mask_bytes(SavedSet::Minimal) == 64);
}

TEST_CASE("dropout: a replayed mask has a gene and its generator reads nothing") {
  Probe probe;
  SmallModel& m = probe.model;
  const ValueId y = m.node("y", "Dropout", {probe.x, m.number(0.5), m.integers({1})}, {2, 4, 8, 8});
  TrainingOptions options = measured_options();
  options.random = RandomOperators::Replay;
  const TrainingGraph graph = probe.step(y, options);
  CHECK(storage_named(graph, "y:mask")->recomputable);
  CHECK(operator_named(graph, "y:mask")->reads.empty());
}

TEST_CASE("dropout: ratio 0 makes nothing") {
  Probe probe;
  SmallModel& m = probe.model;
  const ValueId y = m.node("y", "Dropout", {probe.x, m.number(0), m.integers({1})}, {2, 4, 8, 8});
  const ValueId z = m.node("z", "Neg", {y}, {2, 4, 8, 8});
  CHECK(storage_named(probe.step(z), "y:mask") == nullptr);
}

TEST_CASE("reductions: means keep their input and sums keep nothing") {
  const auto saved = [](const std::string& type) {
    Probe probe;
    const ValueId y = probe.model.node(
        "y",
        type,
        {probe.x},
        {2, 4},
        {{"axes", std::vector<std::int64_t>{2, 3}}, {"keepdims", std::int64_t{0}}});
    const TrainingGraph graph = probe.step(y);
    CHECK(broken_law(graph).empty());
    return saved_of(graph, "y");
  };
  CHECK(saved("ReduceSum").empty());
  CHECK(saved("ReduceMean") == Names{"x"});
  CHECK(saved("ReduceMax") == Names{"y:indices"});
}

TEST_CASE(
    "reductions: the position of a maximum is 8 bytes in frameworks and 1 where that will do") {
  const auto position_bytes = [](SavedSet set) {
    Probe probe;
    const ValueId y =
        probe.model.node("y",
                         "ReduceMax",
                         {probe.x},
                         {2, 4, 8},
                         {{"axes", std::vector<std::int64_t>{3}}, {"keepdims", std::int64_t{0}}});
    TrainingOptions options = measured_options();
    options.saved = set;
    return storage_named(probe.step(y, options), "y:indices")->bytes;
  };
  CHECK(position_bytes(SavedSet::Framework) == Bytes(2 * 4 * 8 * 8));
  CHECK(position_bytes(SavedSet::Minimal) == Bytes(2 * 4 * 8));
}

TEST_CASE("indexing: an embedding keeps its indices") {
  SmallModel m;
  const ValueId ids = m.input("ids", {2, 5}, ElementType::Int64);
  const ValueId table = m.parameter("table", {10, 4});
  const ValueId y = m.node("y", "Gather", {table, ids}, {2, 5, 4});
  m.output(y);
  TrainingOptions options = measured_options();
  const TrainingGraph graph = training_step(m.graph(), options);
  const StepSummary summary = step_summary(graph);
  CHECK(summary.saved_input_bytes == Bytes(80 + 80));  // ids, and targets of [2, 5]
  CHECK(summary.gradient_bytes == Bytes(160));
}

TEST_CASE("indexing: position constants count as saved but a bool mask does not") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 4}, ElementType::Float32);
  const ValueId table = m.parameter("table", {6, 4});
  const ValueId positions = m.buffer("positions", {6}, ElementType::Int64);
  const ValueId mask = m.buffer("mask", {6, 4}, ElementType::Bool);
  const ValueId rows = m.node("rows", "Gather", {table, positions}, {6, 4});
  const ValueId masked = m.node("masked", "Where", {mask, rows, m.number(0)}, {6, 4});
  const ValueId y = m.node("y", "MatMul", {masked, m.node("xt", "Transpose", {x}, {4, 2})}, {6, 2});
  m.output(y);
  const TrainingGraph graph = training_step(m.graph(), measured_options());
  const auto names = saved_names(graph);
  CHECK(std::find(names.begin(), names.end(), "positions") != names.end());
  CHECK(std::find(names.begin(), names.end(), "mask") == names.end());
}

TEST_CASE("loss: log-probabilities and targets are kept and logits are not") {
  SmallModel m;
  const ValueId x = m.input("x", {5, 3});
  const ValueId w = m.parameter("w", {3, 7});
  const ValueId y = m.node("logits", "MatMul", {x, w}, {5, 7});
  m.output(y);
  const TrainingGraph graph = training_step(m.graph(), measured_options());
  CHECK(saved_names(graph) == Names{"log_probabilities", "total_weight"});
  const StepSummary summary = step_summary(graph);
  CHECK(summary.saved_bytes == Bytes(5 * 3 * 4 + 5 * 8 + 5 * 7 * 4 + 4));
  // Only the loss reads logits and log-probabilities: nothing to decide.
  CHECK(graph.candidates.empty());
}

}  // namespace paretrain::tests
