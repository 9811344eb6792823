// Operators that the reference networks do not use: they derive, keep the laws, and keep what the
// table says.
#include <functional>
#include <string>

#include "base/error.h"
#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;
using Integers = std::vector<std::int64_t>;

// x needs a gradient; `build` returns the result of the operator under test.
TrainingGraph derived(const Shape& shape,
                      const std::function<ValueId(SmallModel&, ValueId)>& build) {
  SmallModel m;
  const ValueId x =
      m.node("x", "Add", {m.input("image", shape), m.parameter("shift", shape)}, shape);
  m.output(build(m, x));
  std::string broken;
  TrainingGraph graph;
  for (const SavedSet saved : {SavedSet::Minimal, SavedSet::FrameworkCpu}) {
    for (const Allocation allocation : {Allocation::Ideal, Allocation::Framework}) {
      TrainingOptions options = measured_options();
      options.loss = Loss::MeanSquaredError;
      options.saved = saved;
      options.allocation = allocation;
      graph = training_step(m.graph(), options);
      broken += broken_law(graph);
    }
  }
  CHECK(broken == "");
  return graph;
}

}  // namespace

TEST_CASE("operators: upsampling by whole factors keeps nothing") {
  const TrainingGraph graph = derived({2, 3, 4, 4}, [](SmallModel& m, ValueId x) {
    return m.node("y", "Resize", {x}, {2, 3, 8, 12});
  });
  CHECK(saved_names(graph) == std::vector<std::string>{"y"});
  const Operator* up = operator_named(graph, "y");
  CHECK(up->nest.operations() == 2 * 3 * 8 * 12);
}

TEST_CASE("operators: rearrangements and pads make new storages and keep nothing") {
  for (const char* type : {"DepthToSpace", "Tile", "Pad", "ReverseSequence"}) {
    const Shape shape = std::string(type) == "DepthToSpace" ? Shape{2, 1, 4, 4} : Shape{2, 4, 4, 4};
    const TrainingGraph graph = derived(
        {2, 4, 2, 2}, [&](SmallModel& m, ValueId x) { return m.node("y", type, {x}, shape); });
    CHECK_MESSAGE(saved_names(graph) == std::vector<std::string>{"y"}, type);
  }
}

TEST_CASE("operators: a pad of nothing is the tensor itself") {
  const TrainingGraph graph = derived({2, 4, 2, 2}, [](SmallModel& m, ValueId x) {
    const ValueId same =
        m.node("same", "Pad", {x, m.integers({0, 0, 0, 0, 0, 0, 0, 0})}, {2, 4, 2, 2});
    return m.node("y", "Exp", {same}, {2, 4, 2, 2});
  });
  CHECK(storage_named(graph, "same") == nullptr);
}

TEST_CASE("operators: einsum is a product after views") {
  const TrainingGraph graph = derived({2, 5, 3, 4}, [](SmallModel& m, ValueId x) {
    const ValueId k = m.parameter("k", {2, 6, 3, 4});
    return m.node(
        "y", "Einsum", {x, k}, {2, 3, 5, 6}, {{"equation", std::string("bqhd,bkhd->bhqk")}});
  });
  const StepSummary summary = step_summary(graph);
  CHECK(summary.macs.forward == 2 * 3 * 5 * 6 * 4);
  CHECK(summary.macs.backward == 2 * summary.macs.forward);
}

TEST_CASE("operators: an einsum that is no product is refused") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 3});
  m.output(m.node(
      "y", "Einsum", {x, m.parameter("w", {3, 4})}, {2}, {{"equation", std::string("ab,bc->a")}}));
  CHECK_THROWS_AS(static_cast<void>(training_step(m.graph(), measured_options())), InputError);
}

TEST_CASE("operators: shuffle of channels by reshape and transpose is one copy") {
  const TrainingGraph graph = derived({2, 6, 4, 4}, [](SmallModel& m, ValueId x) {
    const ValueId groups =
        m.node("groups", "Reshape", {x, m.integers({2, 2, 3, 4, 4})}, {2, 2, 3, 4, 4});
    const ValueId turned = m.node(
        "turned", "Transpose", {groups}, {2, 3, 2, 4, 4}, {{"perm", Integers{0, 2, 1, 3, 4}}});
    const ValueId joined =
        m.node("joined", "Reshape", {turned, m.integers({2, 6, 4, 4})}, {2, 6, 4, 4});
    return m.node("y", "Relu", {joined}, {2, 6, 4, 4});
  });
  REQUIRE(operator_named(graph, "joined") != nullptr);
  CHECK(operator_named(graph, "joined")->type == "Copy");
  CHECK(storage_named(graph, "groups") == nullptr);
}

TEST_CASE("operators: half of the channels keeps the whole storage") {
  const TrainingGraph graph = derived({2, 6, 4, 4}, [](SmallModel& m, ValueId x) {
    const auto halves = m.node_with_results(
        "half", "Split", {x}, {{2, 3, 4, 4}, {2, 3, 4, 4}}, {{"axis", std::int64_t{1}}});
    const ValueId right =
        m.node("right", "Conv", {halves[1], m.parameter("w", {3, 3, 1, 1})}, {2, 3, 4, 4});
    return m.node("y", "Concat", {halves[0], right}, {2, 6, 4, 4}, {{"axis", std::int64_t{1}}});
  });
  CHECK(saved_names(graph) == std::vector<std::string>{"x", "y"});
}

TEST_CASE("operators: one position of an axis is a view and others are picked") {
  const TrainingGraph graph = derived({2, 6, 4}, [](SmallModel& m, ValueId x) {
    const ValueId index = m.number(0);
    SmallModel::Inputs inputs = {x, m.integers({0})};
    const ValueId first = m.node("first", "Gather", inputs, {2, 1, 4}, {{"axis", std::int64_t{1}}});
    (void)index;
    return m.node("y", "Tanh", {first}, {2, 1, 4});
  });
  CHECK(storage_named(graph, "first") == nullptr);
  const TrainingGraph picked = derived({2, 6, 4}, [](SmallModel& m, ValueId x) {
    return m.node("y", "Gather", {x, m.integers({3, 1})}, {2, 2, 4}, {{"axis", std::int64_t{1}}});
  });
  CHECK(operator_named(picked, "y:input_grad")->type == "GatherGradient");
}

TEST_CASE("operators: gather of elements keeps its input in frameworks") {
  const TrainingGraph graph = derived({4, 9}, [](SmallModel& m, ValueId x) {
    const ValueId index = m.input("index", {4, 2}, ElementType::Int64);
    return m.node("y", "GatherElements", {x, index}, {4, 2}, {{"axis", std::int64_t{1}}});
  });
  CHECK(saved_names(graph) == std::vector<std::string>{"x", "y"});
}

TEST_CASE("operators: a transposed convolution counts input elements times taps") {
  const TrainingGraph graph = derived({2, 4, 8, 8}, [](SmallModel& m, ValueId x) {
    return m.node("y",
                  "ConvTranspose",
                  {x, m.parameter("w", {4, 6, 2, 2}), m.parameter("b", {6})},
                  {2, 6, 16, 16},
                  {{"strides", Integers{2, 2}}});
  });
  const StepSummary summary = step_summary(graph);
  CHECK(summary.macs.forward == 2 * 4 * 8 * 8 * 6 * 4);
  CHECK(summary.macs.backward == 2 * summary.macs.forward);
}

TEST_CASE("operators: convolutions of one and of three axes") {
  const TrainingGraph line = derived({2, 4, 16}, [](SmallModel& m, ValueId x) {
    return m.node("y", "Conv", {x, m.parameter("w", {6, 4, 3})}, {2, 6, 14});
  });
  CHECK(step_summary(line).macs.forward == 2 * 6 * 14 * 4 * 3);
  const TrainingGraph volume = derived({1, 2, 4, 5, 6}, [](SmallModel& m, ValueId x) {
    return m.node("y", "Conv", {x, m.parameter("w", {3, 2, 2, 2, 2})}, {1, 3, 3, 4, 5});
  });
  CHECK(step_summary(volume).macs.forward == 3 * 3 * 4 * 5 * 2 * 8);
}

TEST_CASE("operators: a trained slope reads x and its gradient is a reduction") {
  const TrainingGraph graph = derived({2, 4, 8, 8}, [](SmallModel& m, ValueId x) {
    return m.node("y", "PRelu", {x, m.parameter("slope", {4, 1, 1})}, {2, 4, 8, 8});
  });
  CHECK(saved_names(graph) == std::vector<std::string>{"x", "y"});
  CHECK(storage_named(graph, "slope:grad")->bytes == Bytes(16));
}

TEST_CASE("operators: auxiliary heads add their losses and share the labels") {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId trunk = m.node("trunk", "MatMul", {x, m.parameter("w", {8, 8})}, {4, 8});
  m.output(m.node("main", "MatMul", {trunk, m.parameter("wm", {8, 3})}, {4, 3}));
  m.output(m.node("aux", "MatMul", {trunk, m.parameter("wa", {8, 3})}, {4, 3}));
  TrainingOptions options = measured_options();
  options.loss_outputs = {"main", "aux"};
  const TrainingGraph graph = training_step(m.graph(), options);
  CHECK(broken_law(graph) == "");
  const StepSummary summary = step_summary(graph);
  CHECK(summary.saved_bytes == Bytes(4 * 8 * 4 * 2 + 2 * (4 * 3 * 4 + 4) + 4 * 8));
}

TEST_CASE("operators: heads of other shapes or losses have labels of their own") {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  m.output(m.node("main", "MatMul", {x, m.parameter("wm", {8, 3})}, {4, 3}));
  m.output(m.node("other", "MatMul", {x, m.parameter("wo", {8, 5})}, {4, 5}));
  TrainingOptions options = measured_options();
  options.loss_outputs = {"main", "other"};
  CHECK(step_summary(training_step(m.graph(), options)).saved_input_bytes ==
        Bytes(4 * 8 * 4 + 2 * 4 * 8));
  options.loss = Loss::MeanSquaredError;
  CHECK(step_summary(training_step(m.graph(), options)).saved_input_bytes ==
        Bytes(4 * 8 * 4 + 4 * 4 * (3 + 5)));
}

TEST_CASE("operators: windows rolled by slices and joined keep nothing of their own") {
  const TrainingGraph graph = derived({2, 8, 4}, [](SmallModel& m, ValueId x) {
    const ValueId tail =
        m.node("tail", "Slice", {x, m.integers({3}), m.integers({8}), m.integers({1})}, {2, 5, 4});
    const ValueId head =
        m.node("head", "Slice", {x, m.integers({0}), m.integers({3}), m.integers({1})}, {2, 3, 4});
    const ValueId rolled =
        m.node("rolled", "Concat", {tail, head}, {2, 8, 4}, {{"axis", std::int64_t{1}}});
    return m.node("y", "Neg", {rolled}, {2, 8, 4});
  });
  CHECK(saved_names(graph) == std::vector<std::string>{"y"});
}

}  // namespace paretrain::tests
