// Options of the step: precision, optimizer, freezing, errors, candidates, inference.
#include "evaluator/graph/training_step.h"

#include <algorithm>

#include "base/error.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/evaluator/graph/transformer_block.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

SmallModel two_layers() {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId a = m.node("a", "MatMul", {x, m.parameter("wa", {8, 16})}, {4, 16});
  const ValueId r = m.node("r", "Relu", {a}, {4, 16});
  m.output(m.node("y", "MatMul", {r, m.parameter("wb", {16, 3})}, {4, 3}));
  return m;
}

std::string message_of(const ModelGraph& model, const TrainingOptions& options) {
  try {
    (void)training_step(model, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("training_step: multiply-accumulates by hand") {
  const TrainingGraph graph = training_step(two_layers().graph(), measured_options());
  const StepSummary summary = step_summary(graph);
  CHECK(summary.macs.forward == 4 * 8 * 16 + 4 * 16 * 3);
  CHECK(summary.macs.backward_weight_grad == summary.macs.forward);
  CHECK(summary.macs.backward_input_grad == 4 * 16 * 3);
  CHECK(summary.macs.forward_activation == 0);
}

TEST_CASE("training_step: the peak of a keep-all step by hand") {
  const TrainingGraph graph = training_step(two_layers().graph(), measured_options());
  const StepSummary summary = step_summary(graph);
  // After the head's weight gradient: r (256), its gradient (256), the gradient of the logits (48),
  // gradients of both weights (192, and 512 once r's gradient has passed the Relu).
  CHECK(summary.peak.phase == Phase::Backward);
  const std::int64_t at_relu = 256 + 256 + 256 + 192;
  const std::int64_t at_first_weight = 256 + 192 + 512;
  CHECK(summary.peak.bytes >= Bytes(std::max(at_relu, at_first_weight)));
  CHECK(summary.peak.bytes ==
        Bytes(summary.peak.by_role.activations + summary.peak.by_role.gradients +
              summary.peak.by_role.parameter_gradients));
}

TEST_CASE("training_step: bytes per element by precision preset") {
  struct Row {
    std::optional<Precision> precision;
    std::int64_t activation, parameter, gradient, state, log_probability;
  };

  const std::vector<Row> rows = {{std::nullopt, 4, 4, 4, 4, 4},
                                 {Precision::Fp32, 4, 4, 4, 4, 4},
                                 {Precision::Fp16, 2, 2, 2, 2, 4},
                                 {Precision::Bf16, 2, 2, 2, 2, 4},
                                 {Precision::Mixed, 2, 6, 2, 4, 4},
                                 {Precision::Int8, 1, 1, 1, 1, 1}};
  for (const Row& row : rows) {
    TrainingOptions options = measured_options();
    options.precision = row.precision;
    const TrainingGraph graph = training_step(two_layers().graph(), options);
    CHECK(storage_named(graph, "r")->bytes == Bytes(64 * row.activation));
    CHECK(storage_named(graph, "wa")->bytes == Bytes(128 * row.parameter));
    CHECK(storage_named(graph, "wa:grad")->bytes == Bytes(128 * row.gradient));
    CHECK(storage_named(graph, "wa:momentum")->bytes == Bytes(128 * row.state));
    CHECK(storage_named(graph, "log_probabilities")->bytes == Bytes(12 * row.log_probability));
    CHECK(storage_named(graph, "target")->bytes == Bytes(4 * 8));
    CHECK(operator_named(graph, "a")->nest.bits.output_partial ==
          (row.precision == Precision::Int8 ? 16 : 32));
  }
}

TEST_CASE("training_step: states per optimizer") {
  const auto states = [](Optimizer optimizer) {
    TrainingOptions options = measured_options();
    options.optimizer = optimizer;
    return step_summary(training_step(two_layers().graph(), options))
        .optimizer_state_bytes.number();
  };
  constexpr std::int64_t kParameters = (128 + 48) * 4;
  CHECK(states(Optimizer::Sgd) == 0);
  CHECK(states(Optimizer::Momentum) == kParameters);
  CHECK(states(Optimizer::Adam) == 2 * kParameters);
  CHECK(states(Optimizer::AdamW) == 2 * kParameters);
}

TEST_CASE("training_step: updates stand at the end or right after their gradient") {
  TrainingOptions options = measured_options();
  const TrainingGraph end = training_step(two_layers().graph(), options);
  CHECK(end.operators[end.operators.size() - 2].name == "wa:update");
  CHECK(end.operators.back().name == "wb:update");
  options.update = UpdatePlacement::Eager;
  const TrainingGraph eager = training_step(two_layers().graph(), options);
  CHECK(eager.operators.back().name == "wa:update");
  CHECK(broken_law(eager).empty());
}

TEST_CASE("training_step: a weight gradient and its update share the axis of output channels") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 3, 8, 8});
  const ValueId c = m.node("c", "Conv", {x, m.parameter("w", {5, 3, 3, 3})}, {2, 5, 6, 6});
  m.output(c);
  const TrainingGraph graph = training_step(m.graph(), measured_options());
  const Access& made = operator_named(graph, "c:weight_grad")->writes[0];
  const Access& read = operator_named(graph, "w:update")->reads[0];
  CHECK(made.storage == read.storage);
  CHECK(made.strides == read.strides);
  CHECK(made.axes[0].first == Loop::K);
  CHECK(read.axes[0].first == Loop::K);
  REQUIRE(operator_named(graph, "c:weight_grad")->matrix_nest.has_value());
  CHECK(operator_named(graph, "c:weight_grad")->matrix_nest->operations() ==
        operator_named(graph, "c:weight_grad")->macs);
}

TEST_CASE("training_step: what has no rule is named all at once") {
  SmallModel m;
  const ValueId x = m.input("x", {4, 8});
  const ValueId a = m.node("a", "Frobnicate", {x}, {4, 8});
  const ValueId b = m.node("b", "Twist", {a}, {4, 8});
  m.output(m.node("y", "MatMul", {b, m.parameter("w", {8, 3})}, {4, 3}));
  const auto unsupported = unsupported_operators(m.graph());
  REQUIRE(unsupported.size() == 2);
  CHECK(unsupported[0].type == "Frobnicate");
  CHECK(unsupported[1].first_node == "b");
  const std::string message = message_of(m.graph(), measured_options());
  CHECK(message.find("operator Frobnicate (1 in the model) has no rule") != std::string::npos);
  CHECK(message.find("operator Twist") != std::string::npos);
  TrainingOptions options = measured_options();
  options.unknown_operator = UnknownOperator::Elementwise;
  CHECK(broken_law(training_step(m.graph(), options)).empty());
}

TEST_CASE("training_step: names that match nothing are refused") {
  TrainingOptions options = measured_options();
  options.freeze = {"w*", "encoder.*"};
  CHECK(
      message_of(two_layers().graph(), options).find("--freeze encoder.*: matches no parameter") !=
      std::string::npos);
  options.freeze = {};
  options.loss_outputs = {"z"};
  CHECK(message_of(two_layers().graph(), options).find("--loss-output z: is no output") !=
        std::string::npos);
}

TEST_CASE("training_step: an output without classes is trained by squared error with a warning") {
  SmallModel m;
  const ValueId x = m.input("x", {8});
  m.output(m.node("y", "Mul", {x, m.parameter("w", {8})}, {8}));
  const TrainingGraph graph = training_step(m.graph(), measured_options());
  CHECK(graph.warnings ==
        std::vector<std::string>{"output y has no class axis: mean squared error is taken"});
  TrainingOptions options = measured_options();
  options.loss = Loss::MeanSquaredError;
  CHECK(training_step(m.graph(), options).warnings.empty());
}

TEST_CASE("training_step: candidate sets") {
  TrainingOptions options = measured_options();
  const auto names = [&](CandidateSet set) {
    options.candidates = set;
    std::vector<std::string> result;
    const TrainingGraph graph = training_step(two_layers().graph(), options);
    for (const StorageId id : graph.candidates)
      result.push_back(graph.storage(id).name);
    return result;
  };
  using Names = std::vector<std::string>;
  CHECK(names(CandidateSet::All) == Names{"a", "r"});
  CHECK(names(CandidateSet::Saved) == Names{"r"});
  CHECK(names(CandidateSet::Monet) == Names{"r"});
}

TEST_CASE("training_step: an export for inference is warned of") {
  SmallModel m;
  const ValueId x = m.input("x", {2, 3, 4, 4});
  const ValueId w = m.parameter("onnx::Conv_12", {5, 3, 1, 1});
  m.output(m.node("y", "Conv", {x, w, m.parameter("onnx::Conv_13", {5})}, {2, 5, 4, 4}));
  const TrainingGraph graph = training_step(m.graph(), measured_options());
  REQUIRE(graph.warnings.size() == 1);
  CHECK(graph.warnings[0].find("folded into 1 convolutions") != std::string::npos);
  CHECK(training_step(two_layers().graph(), measured_options()).warnings.empty());
}

TEST_CASE("step_summary: parameters and whether they are trained") {
  TrainingOptions options = measured_options();
  options.freeze = {"wa"};
  const StepSummary summary = step_summary(training_step(two_layers().graph(), options));
  REQUIRE(summary.parameters.size() == 2);
  CHECK(summary.parameters[0].name == "wa");
  CHECK_FALSE(summary.parameters[0].trained);
  CHECK(summary.parameters[1].trained);
  CHECK(summary.parameters[1].bytes == Bytes(48 * 4));
}

TEST_CASE("training_step: nothing left to train is warned of") {
  TrainingOptions options = measured_options();
  options.freeze = {"*"};
  const TrainingGraph graph = training_step(two_layers().graph(), options);
  REQUIRE(graph.warnings.size() == 1);
  CHECK(graph.warnings[0].find("nothing is trained") != std::string::npos);
  CHECK(step_summary(graph).backward_operators == 0);
}

TEST_CASE("training_step: inference is the forward phase alone") {
  TrainingOptions options;
  options.inference = true;
  const TrainingGraph graph = training_step(transformer({}, 1).graph(), options);
  CHECK(broken_law(graph).empty());
  const StepSummary summary = step_summary(graph);
  CHECK(summary.backward_operators == 0);
  CHECK(summary.update_operators == 0);
  CHECK(summary.saved_tensors == 0);
  CHECK(storage_named(graph, "block0.mlp:mask") == nullptr);
}

TEST_CASE("training_step: every option keeps the laws") {
  for (const SavedSet saved : {SavedSet::Minimal, SavedSet::Framework, SavedSet::FrameworkCpu}) {
    for (const Allocation allocation : {Allocation::Ideal, Allocation::Framework}) {
      for (const UpdatePlacement update : {UpdatePlacement::End, UpdatePlacement::Eager}) {
        TrainingOptions options;
        options.saved = saved;
        options.allocation = allocation;
        options.update = update;
        CHECK(broken_law(training_step(transformer({}, 2).graph(), options)) == "");
      }
    }
  }
}

TEST_CASE("training_step: the minimal set is never larger than the framework's") {
  const auto saved = [](SavedSet set) {
    TrainingOptions options;
    options.saved = set;
    return step_summary(training_step(transformer({}, 2).graph(), options)).saved_bytes;
  };
  CHECK(saved(SavedSet::Minimal) < saved(SavedSet::Framework));
  CHECK(saved(SavedSet::Framework) < saved(SavedSet::FrameworkCpu));
}

}  // namespace paretrain::tests
