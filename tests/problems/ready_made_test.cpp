// Ready-made training graphs against the tables of their makers (reference/MONET.md).
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "problems/model_step.h"
#include "problems/onnx_model.h"
#include "tests/problems/csv_rows.h"
#include "tests/problems/onnx_graph_draft.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

using evaluator::MacKind;
using evaluator::Phase;
using evaluator::StorageRole;
using evaluator::TrainingGraph;
using evaluator::TrainingOptions;

struct Expected {
  std::string file;
  std::string tables;
  std::int64_t forward;
  std::int64_t backward;
  std::int64_t optimizer;
  std::int64_t candidate_bytes;
  std::int64_t forward_macs;
  std::int64_t backward_macs;
};

const std::vector<Expected>& expected() {
  static const std::vector<Expected> all{
      {"resnet18_full_training", "resnet18_full", 49, 251, 315, 4460544, 2221690880, 4436303872},
      {"resnet18_lora_training", "resnet18_lora", 129, 441, 600, 4891648, 2376454144, 2523254784},
      {"gpt2like_training", "gpt2like", 139, 213, 90, 13778944, 3309305856, 6618611712}};
  return all;
}

TrainingOptions monet_options() {
  TrainingOptions options;
  options.candidates = evaluator::CandidateSet::Monet;
  options.precision = evaluator::Precision::Fp16;
  return options;
}

std::int64_t macs(const TrainingGraph& graph, Phase phase) {
  std::int64_t sum = 0;
  for (const evaluator::Operator& op : graph.operators)
    if (op.phase == phase) sum += op.macs;
  return sum;
}

// A convolution and a linear layer with their gradients, as onnxruntime spells them: one image of
// 2x4x4, kernel 3x3 with padding, 3 channels, 5 classes.
GraphDraft small_training_graph() {
  using List = std::vector<std::int64_t>;
  GraphDraft draft;
  draft.graph().opset = 13;
  draft.input("x", {1, 2, 4, 4}).input("labels", {1}, evaluator::ElementType::Int64);
  draft.input("k", {3, 2, 3, 3}).input("w", {5, 48}).input("moment", {3, 2, 3, 3});
  draft.integers("flat", {1, 48}).integers("image", {1, 3, 4, 4}).integers("rows", {1, 3, 16});
  draft.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1}).integers("columns", {1, 16, 18});
  draft.integers("taps", {3, 4}, {0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5}).integers("batch", {0});
  draft.integers("weight", {3, 2, 3, 3}).weight("one", {});
  draft.node("Conv", {"x", "k"}, {"c"}, {{"pads", List{1, 1, 1, 1}}});
  draft.node("Relu", {"c"}, {"r"}).node("Reshape", {"r", "flat"}, {"f"});
  draft.node("Gemm", {"f", "w"}, {"logits"}, {{"transB", std::int64_t{1}}});
  draft.node("SoftmaxCrossEntropyLossGrad", {"one", "logits", "labels"}, {"dl"});
  draft.node("Gemm", {"dl", "w"}, {"df"}).node("Reshape", {"df", "image"}, {"dr"});
  draft.node("ReluGrad", {"dr", "r"}, {"dc"}).node("Reshape", {"dc", "rows"}, {"drows"});
  draft.node("Pad", {"x", "pads"}, {"p"});
  draft.node("Gather", {"p", "taps"}, {"h"}, {{"axis", std::int64_t{2}}});
  draft.node("Gather", {"h", "taps"}, {"v"}, {{"axis", std::int64_t{4}}});
  draft.node("Transpose", {"v"}, {"t"}, {{"perm", List{0, 3, 5, 1, 2, 4}}});
  draft.node("Reshape", {"t", "columns"}, {"m"}).node("MatMul", {"drows", "m"}, {"g"});
  draft.node("ReduceSum", {"g", "batch"}, {"s"}, {{"keepdims", std::int64_t{0}}});
  draft.node("Reshape", {"s", "weight"}, {"dk"});
  draft.node("Mul", {"moment", "dk"}, {"Adam_step"});
  draft.node("Sub", {"k", "Adam_step"}, {"Adam_Update_k"}).output("Adam_Update_k");
  for (problems::OnnxNode& node : draft.graph().nodes)
    if (node.type.ends_with("Grad")) node.domain = "com.microsoft";
  return draft;
}

TEST_CASE("ready_made_training: a small graph worked by hand") {
  GraphDraft draft = small_training_graph();
  const auto model = problems::model_of(draft.graph(), "draft", {});
  CHECK(model.kind == problems::ModelKind::ReadyMadeTrainingGraph);
  CHECK(model.nodes.forward == 4);
  CHECK(model.nodes.backward == 13);
  CHECK(model.nodes.optimizer == 2);
  const TrainingGraph graph = problems::model_step(model, {});
  std::vector<std::string> types;
  std::map<std::string, StorageRole> roles;
  for (const evaluator::Operator& op : graph.operators)
    types.push_back(op.type);
  for (const evaluator::Storage& storage : graph.storages)
    roles[storage.name] = storage.role;
  CHECK(types == std::vector<std::string>{"Conv",
                                          "Relu",
                                          "Gemm",
                                          "SoftmaxCrossEntropyLossGrad",
                                          "Gemm",
                                          "ReluGrad",
                                          "ConvWeightGradient",
                                          "Mul",
                                          "Sub"});
  CHECK(graph.operators[0].macs == 3 * 2 * 9 * 16);
  CHECK(graph.operators[4].mac_kind == MacKind::InputGradient);
  CHECK(graph.operators[6].mac_kind == MacKind::WeightGradient);
  CHECK(graph.operators[6].macs == 3 * 2 * 9 * 16);
  CHECK(graph.operators[6].matrix_nest.has_value());
  CHECK(roles.at("x") == StorageRole::Input);
  CHECK(roles.at("labels") == StorageRole::Target);
  CHECK(roles.at("k") == StorageRole::Parameter);
  CHECK(roles.at("w") == StorageRole::Parameter);
  CHECK(roles.at("moment") == StorageRole::OptimizerState);
  CHECK(roles.at("dk") == StorageRole::ParameterGradient);
  CHECK(roles.at("r") == StorageRole::Activation);
  REQUIRE(graph.candidates.size() == 2);  // not the logits, which only the loss reads
  CHECK(graph.storage(graph.candidates[0]).name == "c");
  CHECK(graph.storage(graph.candidates[1]).name == "r");
  TrainingOptions unfolded;
  unfolded.fold_im2col = false;
  CHECK(macs(problems::model_step(model, unfolded), Phase::Backward) ==
        macs(graph, Phase::Backward));
}

TEST_CASE("ready_made_training: phases and products are those of the file") {
  for (const Expected& want : expected()) {
    const auto path = shared_data("models/" + want.file + ".onnx");
    if (!path) return;
    CAPTURE(want.file);
    const auto model = problems::imported_model(path->string(), {});
    CHECK(model.kind == problems::ModelKind::ReadyMadeTrainingGraph);
    for (const bool fold : {true, false}) {
      TrainingOptions options = monet_options();
      options.fold_im2col = fold;
      const TrainingGraph graph = problems::model_step(model, options);
      REQUIRE(graph.imported_nodes.has_value());
      CHECK(graph.imported_nodes->forward == want.forward);
      CHECK(graph.imported_nodes->backward == want.backward);
      CHECK(graph.imported_nodes->optimizer == want.optimizer);
      std::int64_t updates = 0;
      for (const evaluator::Operator& op : graph.operators)
        if (op.phase == Phase::Update) ++updates;
      CHECK(updates == want.optimizer);
      CHECK(macs(graph, Phase::Forward) == want.forward_macs);
      CHECK(macs(graph, Phase::Backward) == want.backward_macs);
      CHECK(macs(graph, Phase::Update) == 0);
    }
  }
}

TEST_CASE("ready_made_training: MONET's candidates with their bytes in order") {
  for (const Expected& want : expected()) {
    const auto path = shared_data("models/" + want.file + ".onnx");
    const auto table =
        shared_data("reference/monet_training_graph_" + want.tables + "_saved_activations.csv");
    if (!path || !table) return;
    CAPTURE(want.file);
    const TrainingGraph graph =
        problems::model_step(problems::imported_model(path->string(), {}), monet_options());
    std::vector<std::string> names;
    std::vector<std::string> bytes;
    for (const auto& row : csv_rows(*table)) {
      if (row.at("checkpoint_candidate") != "1") continue;
      names.push_back(row.at("tensor"));
      bytes.push_back(row.at("bytes_fp16"));
    }
    REQUIRE(graph.candidates.size() == names.size());
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const evaluator::Storage& storage = graph.storage(graph.candidates[i]);
      CHECK(storage.name == names[i]);
      CHECK(std::to_string(storage.bytes.number()) == bytes[i]);
      sum += storage.bytes.number();
    }
    CHECK(sum == want.candidate_bytes);
  }
}

TEST_CASE("ready_made_training: operators run in an order that makes what they read") {
  for (const Expected& want : expected()) {
    const auto path = shared_data("models/" + want.file + ".onnx");
    if (!path) return;
    CAPTURE(want.file);
    const TrainingGraph graph =
        problems::model_step(problems::imported_model(path->string(), {}), {});
    std::vector<bool> exists;
    for (const evaluator::Storage& storage : graph.storages) {
      const bool given =
          storage.role == StorageRole::Input || storage.role == StorageRole::Target ||
          storage.role == StorageRole::Parameter || storage.role == StorageRole::Buffer ||
          storage.role == StorageRole::OptimizerState;
      exists.push_back(given);
    }
    Phase phase = Phase::Forward;
    for (const evaluator::Operator& op : graph.operators) {
      CAPTURE(op.name);
      CHECK(op.phase >= phase);
      phase = op.phase;
      CHECK(graph.operators[op.forward.index()].phase == Phase::Forward);
      for (const evaluator::Access& access : op.reads)
        CHECK(exists[access.storage.index()]);
      for (const evaluator::Access& access : op.writes)
        exists[access.storage.index()] = true;
    }
  }
}

TEST_CASE("ready_made_training: spelled-out weight gradients become one operator each") {
  const auto path = shared_data("models/resnet18_full_training.onnx");
  if (!path) return;
  const auto model = problems::imported_model(path->string(), {});
  const auto count = [&](const TrainingGraph& graph, const std::string& type) {
    std::int64_t found = 0;
    for (const evaluator::Operator& op : graph.operators)
      if (op.phase == Phase::Backward && op.type == type) ++found;
    return found;
  };
  const TrainingGraph folded = problems::model_step(model, {});
  CHECK(count(folded, "ConvWeightGradient") == 19);
  CHECK(count(folded, "Pad") == 0);
  CHECK(count(folded, "MatMul") == 1);  // of the first layer, whose im2col matrix is an input
  TrainingOptions options;
  options.fold_im2col = false;
  const TrainingGraph plain = problems::model_step(model, options);
  CHECK(count(plain, "ConvWeightGradient") == 0);
  CHECK(count(plain, "MatMul") == 20);
}

TEST_CASE("ready_made_training: LoRA has no weight gradient that its optimizer does not use") {
  const auto path = shared_data("models/resnet18_lora_training.onnx");
  if (!path) return;
  const TrainingGraph graph =
      problems::model_step(problems::imported_model(path->string(), {}), {});
  std::int64_t gradients = 0;
  for (const evaluator::Operator& op : graph.operators)
    if (op.mac_kind == MacKind::WeightGradient) ++gradients;
  CHECK(gradients == 40);
  std::int64_t trained = 0;
  for (const evaluator::Storage& storage : graph.storages)
    if (storage.role == StorageRole::ParameterGradient) ++trained;
  CHECK(trained == 40);
}

TEST_CASE("ready_made_training: what the file decides cannot be chosen") {
  const auto path = shared_data("models/resnet18_full_training.onnx");
  if (!path) return;
  const auto model = problems::imported_model(path->string(), {});
  TrainingOptions options;
  options.freeze = {"conv1*"};
  try {
    static_cast<void>(problems::model_step(model, options));
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "--freeze: a ready-made training graph has its own; expected a forward network\n"
          "hint: leave the option out");
  }
}

}  // namespace

}  // namespace paretrain::tests
