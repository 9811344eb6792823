#include "problems/onnx_model.h"

#include <string>

#include "base/error.h"
#include "tests/problems/onnx_graph_draft.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using evaluator::Value;
using evaluator::ValueKind;
using problems::ImportedModel;
using problems::ImportOptions;
using List = std::vector<std::int64_t>;

constexpr std::int64_t kOne = 1;

ImportedModel model_of(GraphDraft& draft, std::int64_t batch = 0) {
  ImportOptions options;
  if (batch > 0) options.batch = batch;
  return problems::model_of(draft.graph(), "draft", options);
}

const Value& value(const ImportedModel& model, const std::string& name) {
  for (const Value& candidate : model.graph.values)
    if (candidate.name == name) return candidate;
  FAIL("no value " << name);
  return model.graph.values.front();
}

std::string error_of(GraphDraft& draft, std::int64_t batch = 0) {
  try {
    static_cast<void>(model_of(draft, batch));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("model_of: the batch is the axis that is named for it or the first") {
  const auto sequence_first = [] {
    GraphDraft draft;
    draft.input("x", {5, 3, 8});
    return draft;
  };
  GraphDraft second = sequence_first();
  second.open_axis(1, "N").node("Relu", {"x"}, {"y"}).output("y");
  CHECK(model_of(second, 4).graph.batch == 4);
  CHECK(value(model_of(second, 4), "y").shape == Shape{5, 4, 8});
  GraphDraft both = sequence_first();
  both.open_axis(0, "sequence").open_axis(1, "batch_size").node("Relu", {"x"}, {"y"}).output("y");
  CHECK(error_of(both, 4) ==
        "draft: input 'x': dimension 0 ('sequence') is open\nhint: set it with --dim sequence=N");
  GraphDraft first = sequence_first();
  first.open_axis(0, "items").node("Relu", {"x"}, {"y"}).output("y");
  CHECK(value(model_of(first, 4), "y").shape == Shape{4, 3, 8});
  GraphDraft fixed = sequence_first();
  fixed.node("Relu", {"x"}, {"y"}).output("y");
  CHECK(model_of(fixed, 4).graph.batch == 4);
  CHECK(model_of(fixed).graph.batch == 5);
}

TEST_CASE("model_of: cycles and names are judged before shapes") {
  GraphDraft cycle;
  cycle.input("x", {1, 4}).node("Add", {"x", "b"}, {"a"}).node("Relu", {"a"}, {"b"}).output("x");
  CHECK(error_of(cycle) ==
        "draft: node 'a' ('Add'): in a cycle, or fed by one (2 nodes in all); expected a graph "
        "without cycles");
  GraphDraft twice;
  twice.input("x", {1, 4}).node("Relu", {"x"}, {"a"}).node("Tanh", {"x"}, {"a"}).output("a");
  CHECK(error_of(twice) == "draft: value 'a': defined twice; expected one definition a name");
  GraphDraft missing;
  missing.input("x", {1, 4}).node("Add", {"x", "nowhere"}, {"a"}).output("b");
  CHECK(error_of(missing) ==
        "draft: node 'a' ('Add'): reads 'nowhere', which nothing in the file makes\n"
        "draft: output 'b': nothing in the file makes it");
}

TEST_CASE("model_of: nodes come into an order in which they can run") {
  GraphDraft draft;
  draft.input("x", {1, 4}).node("Relu", {"a"}, {"b"}).node("Tanh", {"x"}, {"a"}).output("b");
  const ImportedModel model = model_of(draft);
  REQUIRE(model.graph.nodes.size() == 2);
  CHECK(model.graph.nodes[0].type == "Tanh");
}

TEST_CASE("model_of: every fault of a graph is told in one go") {
  GraphDraft draft;
  draft.input("x", {1, 4}).weight("w", {5, 2}).weight("v", {7, 2});
  draft.node("MatMul", {"x", "w"}, {"a"}).node("MatMul", {"x", "v"}, {"b"});
  draft.node("Add", {"a", "b"}, {"c"}).output("c");
  CHECK(error_of(draft) ==
        "draft: node 'a' ('MatMul'): multiplies 1x4 by 5x2; the inner extents differ\n"
        "draft: node 'b' ('MatMul'): multiplies 1x4 by 7x2; the inner extents differ");
}

TEST_CASE("model_of: operators without a rule are listed and treated as elementwise") {
  GraphDraft draft;
  draft.input("x", {2, 4}).node("Mystery", {"x"}, {"a"}).node("Mystery", {"a"}, {"b"}).output("b");
  const ImportedModel model = model_of(draft);
  REQUIRE(model.unknown_operators.size() == 1);
  CHECK(model.unknown_operators[0].type == "Mystery");
  CHECK(model.unknown_operators[0].count == 2);
  CHECK(model.unknown_operators[0].first_node == "a");
  CHECK(value(model, "b").shape == Shape{2, 4});
}

TEST_CASE("model_of: parameters, buffers and constants are told apart by use") {
  GraphDraft draft;
  draft.input("x", {2, 3, 8, 8}).weight("w", {4, 3, 3, 3}).weight("s", {4}).weight("o", {4});
  draft.weight("mean", {4}).weight("var", {4}).weight("scale", {4, 1, 1});
  draft.weight("/Constant_7_output_0", {4, 1, 1}).integers("t", {2, -1});
  draft.weight("flags", {4, 1, 1}, ElementType::Bool).weight("/fc/Transpose_output_0", {144, 5});
  draft.node("Conv", {"x", "w"}, {"c"});
  draft.node(
      "BatchNormalization", {"c", "s", "o", "mean", "var"}, {"n"}, {{"training_mode", kOne}});
  draft.node("Mul", {"n", "scale"}, {"m"}).node("Add", {"m", "/Constant_7_output_0"}, {"a"});
  draft.node("Where", {"flags", "a", "m"}, {"f"}).node("Reshape", {"f", "t"}, {"r"});
  draft.node("MatMul", {"r", "/fc/Transpose_output_0"}, {"y"}).output("y");
  const ImportedModel model = model_of(draft);
  CHECK(value(model, "w").kind == ValueKind::Parameter);
  CHECK(value(model, "s").kind == ValueKind::Parameter);
  CHECK(value(model, "scale").kind == ValueKind::Parameter);
  CHECK(value(model, "mean").kind == ValueKind::Buffer);
  CHECK(value(model, "var").kind == ValueKind::Buffer);
  CHECK(value(model, "/Constant_7_output_0").kind == ValueKind::Buffer);
  CHECK(value(model, "flags").kind == ValueKind::Buffer);
  CHECK(value(model, "t").kind == ValueKind::Constant);
  CHECK(value(model, "/fc/Transpose_output_0").kind == ValueKind::Parameter);
  CHECK(model.graph.inputs.size() == 1);
}

TEST_CASE("model_of: inputs that only weights' slots read are parameters unless named as data") {
  GraphDraft draft;
  draft.input("x", {2, 6}).input("w", {5, 6}).input("b", {5}).input("y", {2, 5});
  draft.node("Gemm", {"x", "w", "b"}, {"g"}, {{"transB", kOne}}).node("Add", {"g", "y"}, {"o"});
  draft.output("o");
  const ImportedModel model = model_of(draft);
  CHECK(value(model, "w").kind == ValueKind::Parameter);
  CHECK(value(model, "b").kind == ValueKind::Parameter);
  CHECK(value(model, "y").kind == ValueKind::Input);
  ImportOptions options;
  options.data_inputs = {"w"};
  const ImportedModel named = problems::model_of(draft.graph(), "draft", options);
  CHECK(value(named, "w").kind == ValueKind::Input);
}

TEST_CASE("model_of: weights as inputs of a transformer") {
  GraphDraft draft;
  draft.input("ids", {1, 4}, ElementType::Int64).input("token", {1, 1, 6});
  draft.input("tok.weight", {9, 6}).input("pos", {1, 5, 6}).input("enc.pos", {1, 5, 6});
  draft.integers("e", {1, 1, 6});
  draft.node("Gather", {"tok.weight", "ids"}, {"t"}).node("Expand", {"token", "e"}, {"c"});
  draft.node("Concat", {"c", "t"}, {"s"}, {{"axis", kOne}}).node("Add", {"s", "pos"}, {"a"});
  draft.node("Add", {"a", "enc.pos"}, {"y"}).output("y");
  const ImportedModel model = model_of(draft);
  CHECK(value(model, "tok.weight").kind == ValueKind::Parameter);
  CHECK(value(model, "token").kind == ValueKind::Parameter);
  CHECK(value(model, "enc.pos").kind == ValueKind::Parameter);
  CHECK(value(model, "pos").kind == ValueKind::Input);
}

TEST_CASE("model_of: another name for a parameter is the parameter") {
  GraphDraft draft;
  draft.input("x", {2, 6}).weight("w", {6, 6});
  draft.node("Identity", {"w"}, {"v"}).node("MatMul", {"x", "w"}, {"a"});
  draft.node("MatMul", {"a", "v"}, {"y"}).output("y");
  const ImportedModel model = model_of(draft);
  REQUIRE(model.graph.nodes.size() == 2);
  CHECK(model.graph.nodes[0].inputs[1] == model.graph.nodes[1].inputs[1]);
}

TEST_CASE("model_of: what no output needs is left out with a warning") {
  GraphDraft draft;
  draft.input("x", {2, 6}).node("Relu", {"x"}, {"y"}).node("Tanh", {"x"}, {"z"}).output("y");
  const ImportedModel model = model_of(draft);
  CHECK(model.graph.nodes.size() == 1);
  CHECK(model.warnings == std::vector<std::string>{"1 nodes that no output needs are left out"});
}

TEST_CASE("model_of: declared shapes that contradict the operators are warned of") {
  GraphDraft draft;
  draft.input("x", {2, 6}).node("Relu", {"x"}, {"y"}).output("y");
  draft.graph().inner.push_back({"y", ElementType::Float32, {{{std::int64_t{3}, ""}}}});
  CHECK(model_of(draft).warnings ==
        std::vector<std::string>{"1 shapes that the file declares contradict its operators, which "
                                 "are believed; the first: 'y' is 2x6"});
}

// The batch of 2 that these graphs were made with is baked into their constants.
TEST_CASE("model_of: expanded positions grow with the batch") {
  GraphDraft draft;
  draft.input("ids", {2, 7}, ElementType::Int64).weight("tok", {11, 6}).weight("pos", {7, 6});
  draft.integers("p", {1, 7}, {0, 1, 2, 3, 4, 5, 6}).integers("e", {2, 7}).integers("r", {14, 6});
  draft.weight("w", {5, 6}).integers("b", {2, 7, 5});
  draft.node("Gather", {"tok", "ids"}, {"t"}).node("Expand", {"p", "e"}, {"q"});
  draft.node("Gather", {"pos", "q"}, {"u"}).node("Add", {"t", "u"}, {"a"});
  draft.node("Reshape", {"a", "r"}, {"m"}).node("Gemm", {"m", "w"}, {"g"}, {{"transB", kOne}});
  draft.node("Reshape", {"g", "b"}, {"y"}).output("y");
  const ImportedModel model = model_of(draft, 6);
  CHECK(value(model, "q").shape == Shape{6, 7});
  CHECK(value(model, "m").shape == Shape{42, 6});
  CHECK(value(model, "y").shape == Shape{6, 7, 5});
}

TEST_CASE("model_of: a class token is expanded to the batch") {
  GraphDraft draft;
  draft.input("x", {2, 4, 6}).weight("token", {1, 1, 6}).integers("e", {2, 1, 6});
  draft.node("Expand", {"token", "e"}, {"c"});
  draft.node("Concat", {"c", "x"}, {"y"}, {{"axis", kOne}}).output("y");
  CHECK(value(model_of(draft, 6), "y").shape == Shape{6, 5, 6});
}

TEST_CASE("model_of: zero states of a recurrent layer grow with the batch") {
  GraphDraft draft;
  draft.input("x", {2, 5, 3}).weight("w", {1, 16, 3}).weight("r", {1, 16, 4});
  draft.weight("/Constant_output_0", {1, 2, 4});
  draft.node("Transpose", {"x"}, {"t"}, {{"perm", List{1, 0, 2}}});
  draft.node("LSTM",
             {"t", "w", "r", "", "", "/Constant_output_0", "/Constant_output_0"},
             {"y", "h"},
             {{"hidden_size", std::int64_t{4}}});
  draft.output("h");
  const ImportedModel model = model_of(draft, 6);
  CHECK(value(model, "y").shape == Shape{5, 1, 6, 4});
  CHECK(value(model, "/Constant_output_0").shape == Shape{1, 6, 4});
}

TEST_CASE("model_of: the time of a recurrent layer is no batch") {
  GraphDraft draft;
  draft.input("x", {5, 2, 3}).weight("w", {1, 16, 3}).weight("r", {1, 16, 4});
  draft.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", std::int64_t{4}}}).output("y");
  CHECK(error_of(draft, 6) ==
        "draft: node 'y' ('LSTM'): the axis that --batch would change is its time; expected batch "
        "first inputs\n"
        "hint: the batch could not be followed from 5 to 6 here: leave --batch out, or export the "
        "model with that batch");
}

TEST_CASE("model_of: windows of images and constant sizes follow the batch") {
  GraphDraft draft;
  draft.input("x", {2, 4, 4, 6}).integers("t1", {2, 2, 2, 2, 2, 6}).integers("t2", {8, 4, 6});
  draft.integers("t3", {2, 2, 2, 2, 2, 6}).integers("s", {2, 4, 4, 12});
  draft.node("Reshape", {"x", "t1"}, {"a"});
  draft.node("Transpose", {"a"}, {"b"}, {{"perm", List{0, 1, 3, 2, 4, 5}}});
  draft.node("Reshape", {"b", "t2"}, {"w"}).node("Softmax", {"w"}, {"v"});
  draft.node("Reshape", {"v", "t3"}, {"c"});
  draft.node("Resize", {"x", "", "", "s"}, {"z"}).output("c").output("z");
  const ImportedModel model = model_of(draft, 6);
  CHECK(value(model, "w").shape == Shape{24, 4, 6});
  CHECK(value(model, "c").shape == Shape{6, 2, 2, 2, 2, 6});
  CHECK(value(model, "z").shape == Shape{6, 4, 4, 12});
}

}  // namespace

}  // namespace paretrain::tests
