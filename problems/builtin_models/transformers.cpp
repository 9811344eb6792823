#include <cmath>
#include <numeric>

#include "base/number_text.h"
#include "problems/builtin_models/families.h"
#include "problems/builtin_models/transformer_layers.h"

namespace paretrain::problems {

namespace {

using evaluator::ElementType;
using evaluator::Shape;
using List = std::vector<std::int64_t>;

constexpr double kDropout = 0.1;

std::string positions(NetworkWriter& writer, std::int64_t tokens) {
  List numbers(static_cast<std::size_t>(tokens));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return writer.integers("", numbers);
}

enum class Mask { Added, Filled };  // -inf above the diagonal, or a bool that selects it
enum class Gelu { Erf, Tanh };
enum class Head { Untied, Tied };  // whether the output layer shares the token table

struct LanguageModel {
  std::string_view name;
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t vocabulary;
  std::int64_t tokens;
  Mask mask;
  Gelu gelu;
  Head head;
};

std::string masked(NetworkWriter& writer,
                   const LanguageModel& model,
                   const std::string& module,
                   const std::string& scores) {
  const std::string scope = node_scope(module);
  const Shape square{model.tokens, model.tokens};
  if (model.mask == Mask::Filled) {
    const std::string mask =
        writer.buffer(weight_name(module) + ".mask", ElementType::Bool, square);
    return writer.add(
        {.type = "Where", .scope = scope, .inputs = {mask, writer.number(scope, -1e9), scores}});
  }
  // The exporter makes the filled square a constant, so it is named like one.
  const std::string filled =
      writer.buffer(scope + "/Constant_filled_output_0", ElementType::Float32, square);
  const std::string upper = writer.add({.type = "Trilu",
                                        .scope = scope,
                                        .inputs = {filled, writer.integer(scope, 1)},
                                        .attributes = {{"upper", std::int64_t{1}}}});
  return sum(writer, scope, scores, upper);
}

std::string causal_attention(NetworkWriter& writer,
                             const LanguageModel& model,
                             const std::string& module,
                             const std::string& input) {
  const std::string scope = node_scope(module);
  const std::int64_t width = model.width;
  const std::string packed = linear(writer, module + ".qkv", input, 3 * width, Bias::With);
  const std::string parts = writer.add({.type = "Split",
                                        .scope = scope,
                                        .inputs = {packed, writer.integers(scope, List(3, width))},
                                        .attributes = {{"axis", std::int64_t{2}}},
                                        .outputs = 3});
  const std::string stem = parts.substr(0, parts.size() - 1);
  const Shape heads{1, model.tokens, model.heads, width / model.heads};
  const std::string queries =
      transpose(writer, scope, reshape(writer, scope, stem + "0", heads), {0, 2, 1, 3});
  const std::string keys = reshape(writer, scope, stem + "1", heads);
  const std::string values =
      transpose(writer, scope, reshape(writer, scope, stem + "2", heads), {0, 2, 1, 3});
  const std::string turned = transpose(writer, scope, keys, {0, 2, 3, 1});
  const std::string scores = divided(writer,
                                     scope,
                                     product(writer, scope, queries, turned),
                                     std::sqrt(static_cast<double>(width / model.heads)));
  std::string weights = softmax(writer, scope, masked(writer, model, module, scores));
  weights = dropout(writer, module + ".drop_a", weights, kDropout);
  const std::string context = product(writer, scope, weights, values);
  const std::string joined = transpose(writer, scope, context, {0, 2, 1, 3});
  const std::string flattened = reshape(writer, scope, joined, {1, model.tokens, width});
  const std::string made = linear(writer, module + ".proj", flattened, width, Bias::With);
  return dropout(writer, module + ".drop_r1", made, kDropout);
}

std::string causal_block(NetworkWriter& writer,
                         const LanguageModel& model,
                         const std::string& module,
                         const std::string& input) {
  const std::string scope = node_scope(module);
  const std::string normal = layer_norm(writer, module + ".ln1", input);
  const std::string attended =
      sum(writer, scope, input, causal_attention(writer, model, module, normal));
  std::string value = layer_norm(writer, module + ".ln2", attended);
  value = linear(writer, module + ".fc", value, 4 * model.width, Bias::With);
  value =
      model.gelu == Gelu::Erf ? erf_gelu(writer, scope, value) : tanh_gelu(writer, scope, value);
  value = linear(writer, module + ".fc2", value, model.width, Bias::With);
  value = dropout(writer, module + ".drop_r2", value, kDropout);
  return sum(writer, scope, attended, value);
}

std::string language_model_bytes(const LanguageModel& model) {
  NetworkWriter writer(model.name);
  const std::string ids = writer.input("input_ids", ElementType::Int64, {1, model.tokens});
  const std::string tokens = embedding(writer, "wte", ids, {model.vocabulary, model.width});
  const std::string places =
      embedding(writer, "wpe", positions(writer, model.tokens), {model.tokens, model.width});
  std::string value = dropout(writer, "drop", sum(writer, "", tokens, places), kDropout);
  for (std::int64_t layer = 0; layer < model.layers; ++layer)
    value = causal_block(writer, model, "blocks:" + number_text(layer), value);
  value = layer_norm(writer, "lnf", value);
  const std::string table = model.head == Head::Tied
                                ? "wte.weight"
                                : writer.weight("head.weight", {model.vocabulary, model.width});
  writer.output(product(writer, "/head", value, transpose(writer, "/head", table, {1, 0})));
  return writer.bytes();
}

// One layer of nn.TransformerEncoder, normalised after each half.
std::string encoder_layer(NetworkWriter& writer,
                          const std::string& module,
                          const std::string& input) {
  const std::string scope = node_scope(module);
  const std::int64_t width = writer.shape(input)[2];
  std::string value = multi_head_attention(
      writer, module + ".self_attn", input, {.heads = 12, .dropout = kDropout});
  value = dropout(writer, module + ".dropout1", value, kDropout);
  const std::string attended =
      layer_norm(writer, module + ".norm1", sum(writer, scope, input, value));
  value = linear(writer, module + ".linear1", attended, 4 * width, Bias::With);
  value = dropout(writer, module + ".dropout", erf_gelu(writer, scope, value), kDropout);
  value = linear(writer, module + ".linear2", value, width, Bias::With);
  value = dropout(writer, module + ".dropout2", value, kDropout);
  return layer_norm(writer, module + ".norm2", sum(writer, scope, attended, value));
}

// The first token of every sequence.
std::string first_token(NetworkWriter& writer, const std::string& input) {
  return writer.add({.type = "Gather",
                     .scope = "",
                     .inputs = {input, writer.integer("", 0)},
                     .attributes = {{"axis", std::int64_t{1}}}});
}

// One layer of torchvision's vision transformer, normalised before each half.
std::string vision_layer(NetworkWriter& writer,
                         const std::string& module,
                         const std::string& input) {
  const std::string scope = node_scope(module);
  const std::int64_t width = writer.shape(input)[2];
  std::string value = layer_norm(writer, module + ".ln_1", input);
  value = multi_head_attention(writer, module + ".self_attention", value, {.heads = 12});
  value = dropout(writer, module + ".dropout", value, 0.0);
  const std::string attended = sum(writer, scope, value, input);
  value = layer_norm(writer, module + ".ln_2", attended);
  value = linear(writer, module + ".mlp.0", value, 4 * width, Bias::With);
  value = erf_gelu(writer, node_scope(module + ".mlp.1"), value);
  value = dropout(writer, module + ".mlp.2", value, 0.0);
  value = linear(writer, module + ".mlp.3", value, width, Bias::With);
  value = dropout(writer, module + ".mlp.4", value, 0.0);
  return sum(writer, scope, attended, value);
}

}  // namespace

std::string mini_gpt_bytes(std::int64_t tokens) {
  return language_model_bytes(
      {"mini-gpt", 4, 256, 8, 8192, tokens, Mask::Added, Gelu::Erf, Head::Untied});
}

std::string gpt2_small_bytes(std::int64_t tokens) {
  return language_model_bytes(
      {"gpt2-small", 12, 768, 12, 50257, tokens, Mask::Filled, Gelu::Tanh, Head::Tied});
}

std::string bert_base_bytes(std::int64_t tokens) {
  constexpr std::int64_t kWidth = 768;
  NetworkWriter writer("bert-base");
  const std::string ids = writer.input("input_ids", ElementType::Int64, {1, tokens});
  const std::string types = writer.input("token_type_ids", ElementType::Int64, {1, tokens});
  std::string value = embedding(writer, "tok", ids, {30522, kWidth});
  value =
      sum(writer, "", value, embedding(writer, "pos", positions(writer, tokens), {tokens, kWidth}));
  value = sum(writer, "", value, embedding(writer, "typ", types, {2, kWidth}));
  value = dropout(writer, "drop", layer_norm(writer, "ln", value), kDropout);
  for (std::int64_t layer = 0; layer < 12; ++layer)
    value = encoder_layer(writer, "enc.layers:" + number_text(layer), value);
  value = dense(writer, "pool", first_token(writer, value), kWidth);
  value = writer.add({.type = "Tanh", .scope = "", .inputs = {value}});
  writer.output(dense(writer, "cls", value, 2));
  return writer.bytes();
}

std::string vit_b_16_bytes() {
  constexpr std::int64_t kWidth = 768;
  NetworkWriter writer("vit-b-16");
  std::string value = writer.input("input", ElementType::Float32, {1, 3, 224, 224});
  value = convolution(
      writer, "conv_proj", value, {.channels = kWidth, .kernel = 16, .stride = 16}, Bias::With);
  value = reshape(writer, "", value, {1, kWidth, 196});
  value = transpose(writer, "", value, {0, 2, 1});
  const std::string token = writer.add({.type = "Expand",
                                        .scope = "",
                                        .inputs = {writer.weight("class_token", {1, 1, kWidth}),
                                                   writer.integers("", {1, 1, kWidth})}});
  value = writer.add({.type = "Concat",
                      .scope = "",
                      .inputs = {token, value},
                      .attributes = {{"axis", std::int64_t{1}}}});
  value = sum(writer, "/encoder", value, writer.weight("encoder.pos_embedding", {1, 197, kWidth}));
  value = dropout(writer, "encoder.dropout", value, 0.0);
  for (std::int64_t layer = 0; layer < 12; ++layer)
    value = vision_layer(writer, "encoder.layers.encoder_layer_" + number_text(layer), value);
  value = layer_norm(writer, "encoder.ln", value);
  writer.output(dense(writer, "heads.head", first_token(writer, value), 1000));
  return writer.bytes();
}

}  // namespace paretrain::problems
