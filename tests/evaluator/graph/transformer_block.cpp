#include "tests/evaluator/graph/transformer_block.h"

namespace paretrain::tests {

namespace {

using evaluator::ElementType;
using Integers = std::vector<std::int64_t>;

class Writer {
 public:
  Writer(SmallModel& model, const BlockSizes& sizes) : m_(model), s_(sizes) {}

  ValueId dropout(const std::string& name, ValueId x, const Shape& shape) {
    return m_.node(name, "Dropout", {x, m_.number(0.1), m_.integers({1})}, shape);
  }

  ValueId linear(const std::string& name, ValueId x, std::int64_t in, std::int64_t out) {
    const ValueId weight = m_.parameter(name + ".weight", {out, in});
    const ValueId turned =
        m_.node(name + ".turned", "Transpose", {weight}, {in, out}, {{"perm", Integers{1, 0}}});
    const Shape shape = {s_.batch, s_.sequence, out};
    const ValueId product = m_.node(name + ".product", "MatMul", {x, turned}, shape);
    return m_.node(name, "Add", {m_.parameter(name + ".bias", {out}), product}, shape);
  }

  ValueId norm(const std::string& name, ValueId x) {
    const Shape shape = {s_.batch, s_.sequence, s_.hidden};
    return m_.node(
        name,
        "LayerNormalization",
        {x, m_.parameter(name + ".weight", {s_.hidden}), m_.parameter(name + ".bias", {s_.hidden})},
        shape,
        {{"axis", std::int64_t{-1}}});
  }

  ValueId heads(const std::string& name, ValueId part, const Integers& order) {
    const std::int64_t width = s_.hidden / s_.heads;
    const Shape split = {s_.batch, s_.sequence, s_.heads, width};
    Shape turned;
    for (const std::int64_t d : order)
      turned.push_back(split[static_cast<std::size_t>(d)]);
    const ValueId view = m_.node(name + ".heads", "Reshape", {part, m_.integers(split)}, split);
    return m_.node(name, "Transpose", {view}, turned, {{"perm", order}});
  }

  ValueId attention(const std::string& name, ValueId x) {
    const Shape tokens = {s_.batch, s_.sequence, s_.hidden};
    const Shape map = {s_.batch, s_.heads, s_.sequence, s_.sequence};
    const ValueId qkv = linear(name + ".qkv", x, s_.hidden, 3 * s_.hidden);
    const auto parts = m_.node_with_results(
        name + ".part", "Split", {qkv}, {tokens, tokens, tokens}, {{"axis", std::int64_t{2}}});
    const ValueId q = heads(name + ".q", parts[0], {0, 2, 1, 3});
    const ValueId k = heads(name + ".k", parts[1], {0, 2, 3, 1});
    const ValueId v = heads(name + ".v", parts[2], {0, 2, 1, 3});
    const ValueId scores = m_.node(name + ".scores", "MatMul", {q, k}, map);
    const ValueId scaled = m_.node(name + ".scaled", "Div", {scores, m_.number(8)}, map);
    const ValueId weights =
        m_.node(name + ".softmax", "Softmax", {scaled}, map, {{"axis", std::int64_t{-1}}});
    const ValueId dropped = dropout(name + ".dropped", weights, map);
    const std::int64_t width = s_.hidden / s_.heads;
    const ValueId context = m_.node(
        name + ".context", "MatMul", {dropped, v}, {s_.batch, s_.heads, s_.sequence, width});
    const ValueId turned = m_.node(name + ".turned",
                                   "Transpose",
                                   {context},
                                   {s_.batch, s_.sequence, s_.heads, width},
                                   {{"perm", Integers{0, 2, 1, 3}}});
    const ValueId joined =
        m_.node(name + ".joined", "Reshape", {turned, m_.integers(tokens)}, tokens);
    return dropout(name + ".out", linear(name + ".proj", joined, s_.hidden, s_.hidden), tokens);
  }

  // As exporters write the erf form.
  ValueId gelu(const std::string& name, ValueId x, const Shape& shape) {
    const ValueId inner = m_.node(name + ".inner", "Div", {x, m_.number(1.4142135)}, shape);
    const ValueId erf = m_.node(name + ".erf", "Erf", {inner}, shape);
    const ValueId one = m_.node(name + ".one", "Add", {erf, m_.number(1)}, shape);
    const ValueId product = m_.node(name + ".product", "Mul", {x, one}, shape);
    return m_.node(name, "Mul", {product, m_.number(0.5)}, shape);
  }

  ValueId block(const std::string& name, ValueId x) {
    const Shape tokens = {s_.batch, s_.sequence, s_.hidden};
    const Shape wide = {s_.batch, s_.sequence, 4 * s_.hidden};
    const ValueId attended = attention(name + ".attention", norm(name + ".ln1", x));
    const ValueId middle = m_.node(name + ".middle", "Add", {x, attended}, tokens);
    const ValueId up = linear(name + ".up", norm(name + ".ln2", middle), s_.hidden, 4 * s_.hidden);
    const ValueId down =
        linear(name + ".down", gelu(name + ".gelu", up, wide), 4 * s_.hidden, s_.hidden);
    return m_.node(name + ".end", "Add", {middle, dropout(name + ".mlp", down, tokens)}, tokens);
  }

 private:
  SmallModel& m_;
  const BlockSizes& s_;
};

}  // namespace

SmallModel transformer(const BlockSizes& sizes, std::int64_t blocks) {
  constexpr std::int64_t kVocabulary = 16;
  SmallModel model;
  Writer writer(model, sizes);
  const Shape tokens = {sizes.batch, sizes.sequence, sizes.hidden};
  const ValueId ids = model.input("ids", {sizes.batch, sizes.sequence}, ElementType::Int64);
  ValueId x = model.node(
      "embedded", "Gather", {model.parameter("table", {kVocabulary, sizes.hidden}), ids}, tokens);
  for (std::int64_t b = 0; b < blocks; ++b)
    x = writer.block("block" + std::to_string(b), x);
  model.output(writer.linear("head", writer.norm("final", x), sizes.hidden, kVocabulary));
  return model;
}

}  // namespace paretrain::tests
