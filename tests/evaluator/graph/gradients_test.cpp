// Which gradients share a buffer, which are added in place and which are summed into a new one.
#include <algorithm>
#include <string>

#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

TrainingOptions options_for(Allocation allocation) {
  TrainingOptions options = measured_options();
  options.loss = Loss::MeanSquaredError;
  options.allocation = allocation;
  return options;
}

// image -> product a -> product b -> Relu r -> a + r: a residual fork.
SmallModel residual() {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId a = m.node("a", "MatMul", {x, m.parameter("wa", {8, 8})}, {4, 8});
  const ValueId b = m.node("b", "MatMul", {a, m.parameter("wb", {8, 8})}, {4, 8});
  const ValueId r = m.node("r", "Relu", {b}, {4, 8});
  m.output(m.node("y", "Add", {a, r}, {4, 8}));
  return m;
}

std::int64_t gradient_storages(const TrainingGraph& graph) {
  return std::count_if(graph.storages.begin(), graph.storages.end(), [](const Storage& s) {
    return s.role == StorageRole::Gradient && s.elements == 32;
  });
}

}  // namespace

TEST_CASE("gradients: a residual sum shares its buffer and the second contribution adds in place") {
  const SmallModel m = residual();
  const TrainingGraph graph = training_step(m.graph(), options_for(Allocation::Ideal));
  CHECK(broken_law(graph).empty());
  // The loss makes the one that y, a and r share; the Relu makes the one of b. When b's input
  // gradient arrives nobody else waits for the first any more.
  CHECK(gradient_storages(graph) == 2);
  const Operator* into_a = operator_named(graph, "b:input_grad");
  REQUIRE(into_a != nullptr);
  CHECK(into_a->writes[0].accumulates);
  CHECK(graph.storage(into_a->writes[0].storage).name == "y:grad");
}

TEST_CASE("gradients: frameworks sum two contributions into a new buffer") {
  const SmallModel m = residual();
  const TrainingGraph graph = training_step(m.graph(), options_for(Allocation::Framework));
  CHECK(broken_law(graph).empty());
  CHECK(gradient_storages(graph) == 4);
  const bool summed = std::any_of(graph.operators.begin(),
                                  graph.operators.end(),
                                  [](const Operator& op) { return op.type == "GradientSum"; });
  CHECK(summed);
}

TEST_CASE("gradients: parts of a split go into one buffer of the source's shape") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 3, 4});
  const ValueId qkv = m.node("qkv", "MatMul", {x, m.parameter("w", {4, 12})}, {2, 3, 12});
  const auto parts = m.node_with_results(
      "part", "Split", {qkv}, {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}}, {{"axis", std::int64_t{2}}});
  const ValueId turned = m.node(
      "turned", "Transpose", {parts[1]}, {2, 4, 3}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
  const ValueId scores = m.node("scores", "MatMul", {parts[0], turned}, {2, 3, 3});
  m.output(m.node("y", "MatMul", {scores, parts[2]}, {2, 3, 4}));
  for (const Allocation allocation : {Allocation::Ideal, Allocation::Framework}) {
    const TrainingGraph graph = training_step(m.graph(), options_for(allocation));
    CHECK(broken_law(graph) == "");
    std::int64_t writers = 0;
    std::int64_t accumulating = 0;
    for (const Operator& op : graph.operators) {
      for (const Access& access : op.writes) {
        if (graph.storage(access.storage).name != "qkv:grad") continue;
        ++writers;
        if (access.accumulates) ++accumulating;
        CHECK(access.bytes == Bytes(2 * 3 * 4 * 4));
      }
    }
    CHECK(writers == 3);
    CHECK(accumulating == 0);
    // q and k are two views of one storage in one product.
    CHECK(operator_named(graph, "scores")->reads.size() == 2);
  }
}

TEST_CASE("gradients: a part that nobody reads is filled with zeros") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 4});
  const ValueId h = m.node("h", "MatMul", {x, m.parameter("w", {4, 6})}, {2, 6});
  const ValueId part =
      m.node("part", "Slice", {h, m.integers({0}), m.integers({3}), m.integers({1})}, {2, 3});
  m.output(m.node("y", "Exp", {part}, {2, 3}));
  const TrainingGraph graph = training_step(m.graph(), options_for(Allocation::Ideal));
  CHECK(broken_law(graph).empty());
  const Operator* zero = operator_named(graph, "part:grad:zero");
  REQUIRE(zero != nullptr);
  CHECK(zero->writes[0].bytes == Bytes(2 * 6 * 4));
}

TEST_CASE("gradients: the gradient of a broadcast operand is a reduction of its own") {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId h = m.node("h", "MatMul", {x, m.parameter("w", {8, 8})}, {4, 8});
  const ValueId scale = m.node("scale", "Exp", {m.parameter("s", {8})}, {8});
  m.output(m.node("y", "Mul", {h, scale}, {4, 8}));
  const TrainingGraph graph = training_step(m.graph(), options_for(Allocation::Ideal));
  CHECK(broken_law(graph).empty());
  const Storage* gradient = storage_named(graph, "scale:grad");
  REQUIRE(gradient != nullptr);
  CHECK(gradient->bytes == Bytes(32));
}

TEST_CASE("gradients: a tied weight has one gradient that both uses add to") {
  for (const Allocation allocation : {Allocation::Ideal, Allocation::Framework}) {
    SmallModel m;
    const ValueId ids = m.input("ids", {2, 3}, ElementType::Int64);
    const ValueId table = m.parameter("table", {10, 4});
    const ValueId h = m.node("h", "Gather", {table, ids}, {2, 3, 4});
    const ValueId turned = m.node("turned", "Transpose", {table}, {4, 10});
    m.output(m.node("y", "MatMul", {h, turned}, {2, 3, 10}));
    const TrainingGraph graph = training_step(m.graph(), options_for(allocation));
    CHECK(broken_law(graph).empty());
    const StepSummary summary = step_summary(graph);
    CHECK(summary.gradient_bytes == Bytes(160));
    CHECK(summary.update_operators == 1);
    CHECK(summary.parameter_tensors == 1);
  }
}

TEST_CASE("gradients: none flow to inputs and frozen ancestors") {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId a = m.node("a", "MatMul", {x, m.parameter("wa", {8, 8})}, {4, 8});
  const ValueId r = m.node("r", "Relu", {a}, {4, 8});
  m.output(m.node("y", "MatMul", {r, m.parameter("wb", {8, 8})}, {4, 8}));
  TrainingOptions options = options_for(Allocation::Ideal);
  const TrainingGraph all = training_step(m.graph(), options);
  CHECK(operator_named(all, "a:input_grad") == nullptr);
  CHECK(operator_named(all, "y:input_grad") != nullptr);
  options.freeze = {"wa"};
  const TrainingGraph frozen = training_step(m.graph(), options);
  CHECK(operator_named(frozen, "y:input_grad") == nullptr);
  CHECK(operator_named(frozen, "a:weight_grad") == nullptr);
  CHECK(step_summary(frozen).gradient_bytes == Bytes(256));
  CHECK(step_summary(frozen).optimizer_state_bytes == Bytes(256));
  // r is read by the one weight gradient that is left, a by nothing.
  CHECK(saved_names(frozen) == std::vector<std::string>{"r", "y"});
}

TEST_CASE("gradients: an output that reaches no loss has no backward pass") {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId a = m.node("a", "MatMul", {x, m.parameter("wa", {8, 8})}, {4, 8});
  const ValueId main = m.node("main", "MatMul", {a, m.parameter("wm", {8, 3})}, {4, 3});
  const ValueId other = m.node("other", "MatMul", {a, m.parameter("wo", {8, 5})}, {4, 5});
  m.output(main);
  m.output(other);
  TrainingOptions options = measured_options();
  TrainingGraph graph = training_step(m.graph(), options);
  CHECK(operator_named(graph, "other:weight_grad") == nullptr);
  CHECK(step_summary(graph).gradient_bytes == Bytes((64 + 24) * 4));
  options.loss_outputs = {"main", "other"};
  graph = training_step(m.graph(), options);
  CHECK(operator_named(graph, "other:weight_grad") != nullptr);
  CHECK(operator_named(graph, "loss_sum") != nullptr);
  CHECK(broken_law(graph).empty());
}

TEST_CASE("gradients: eager updates free each gradient before the next is made") {
  SmallModel m;
  ValueId x = m.input("x", {2, 64});
  for (const char* name : {"a", "b", "c", "d"})
    x = m.node(name, "MatMul", {x, m.parameter(std::string("w") + name, {64, 64})}, {2, 64});
  m.output(x);
  TrainingOptions options = options_for(Allocation::Ideal);
  const Bytes late = step_summary(training_step(m.graph(), options)).peak.bytes;
  options.update = UpdatePlacement::Eager;
  const TrainingGraph graph = training_step(m.graph(), options);
  CHECK(broken_law(graph).empty());
  CHECK(step_summary(graph).peak.bytes < late);
  CHECK(graph.operators.back().phase == Phase::Update);
}

}  // namespace paretrain::tests
