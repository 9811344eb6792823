#include <algorithm>
#include <map>
#include <utility>

#include "base/number_text.h"
#include "problems/onnx_faults.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;

[[noreturn]] void throw_no_fit(const Shape& a, const Shape& b) {
  throw ShapeFault{"multiplies " + shape_text(a) + " by " + shape_text(b) +
                   "; the inner extents differ"};
}

Shape transposed(Shape shape) {
  if (shape.size() > 1) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  return shape;
}

// Source: ONNX operators, MatMul (as numpy.matmul).
Shape product_shape(Shape a, Shape b) {
  if (a.empty() || b.empty()) throw ShapeFault{"multiplies scalars; expected vectors or matrices"};
  const bool row = a.size() == 1;
  const bool column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  if (a.back() != b[b.size() - 2]) throw_no_fit(a, b);
  Shape output = broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!row) output.push_back(a[a.size() - 2]);
  if (!column) output.push_back(b.back());
  return output;
}

std::vector<TensorFacts> matrix_product(const NodeFacts& node) {
  return {facts(node.input(0).type, product_shape(node.shape(0), node.shape(1)))};
}

// onnxruntime's MatMul with transposed operands.
std::vector<TensorFacts> fused_product(const NodeFacts& node) {
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0)
    throw ShapeFault{"transposes batch axes, which the reader does not support"};
  const Shape& a = node.shape(0);
  const Shape& b = node.shape(1);
  return {facts(node.input(0).type,
                product_shape(node.integer("transA", 0) != 0 ? transposed(a) : a,
                              node.integer("transB", 0) != 0 ? transposed(b) : b))};
}

std::vector<TensorFacts> general_product(const NodeFacts& node) {
  const bool a_transposed = node.integer("transA", 0) != 0;
  const bool b_transposed = node.integer("transB", 0) != 0;
  if (node.rank(0) != 2 || node.rank(1) != 2)
    throw ShapeFault{"multiplies " + shape_text(node.shape(0)) + " by " +
                     shape_text(node.shape(1)) + "; expected matrices"};
  const Shape a = a_transposed ? transposed(node.shape(0)) : node.shape(0);
  const Shape b = b_transposed ? transposed(node.shape(1)) : node.shape(1);
  if (a[1] != b[0]) throw_no_fit(a, b);
  const Shape output{a[0], b[1]};
  if (node.has_input(2) && broadcast(output, node.shape(2)) != output)
    throw ShapeFault{"adds " + shape_text(node.shape(2)) + " to " + shape_text(output)};
  return {facts(node.input(0).type, output)};
}

struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

// Letters of the result when the equation has no arrow: those that stand once, in order.
std::string implied_result(const std::vector<std::string>& operands) {
  std::map<char, int> uses;
  for (const std::string& operand : operands)
    for (const char letter : operand)
      ++uses[letter];
  std::string result = uses.contains('.') ? "." : "";
  for (const auto& [letter, count] : uses)
    if (count == 1 && letter != '.') result += letter;
  return result;
}

// The ellipsis is kept as one '.'. Errors: ShapeFault when it is no equation.
Equation equation_of(const std::string& text) {
  Equation equation;
  std::string current;
  bool after_arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      current += c;
    } else if (text.compare(i, 3, "...") == 0 && current.find('.') == std::string::npos) {
      current += '.';
      i += 2;
    } else if (c == ',' && !after_arrow) {
      equation.operands.push_back(std::exchange(current, ""));
    } else if (text.compare(i, 2, "->") == 0 && !after_arrow) {
      equation.operands.push_back(std::exchange(current, ""));
      after_arrow = true;
      ++i;
    } else {
      throw ShapeFault{"equation " + quoted(text) + " is malformed"};
    }
  }
  if (!after_arrow) equation.operands.push_back(current);
  equation.result = after_arrow ? current : implied_result(equation.operands);
  return equation;
}

struct LetterExtents {
  std::map<char, std::int64_t> letters;
  Shape ellipsis;

  void bind(char letter, std::int64_t extent) {
    const auto [at, is_new] = letters.emplace(letter, extent);
    if (is_new || at->second == extent || extent == 1) return;
    if (at->second != 1)
      throw ShapeFault{"letter '" + std::string(1, letter) + "' stands for " +
                       number_text(at->second) + " and for " + number_text(extent)};
    at->second = extent;
  }

  void bind_operand(const std::string& letters_of, const Shape& shape) {
    const bool open = letters_of.find('.') != std::string::npos;
    const std::size_t named = letters_of.size() - (open ? 1 : 0);
    if (shape.size() < named || (!open && shape.size() != named))
      throw ShapeFault{"operand of shape " + shape_text(shape) + " for '" + letters_of + "'"};
    std::size_t axis = 0;
    for (const char letter : letters_of) {
      if (letter != '.') {
        bind(letter, shape[axis++]);
        continue;
      }
      const std::size_t end = axis + shape.size() - named;
      ellipsis = broadcast(ellipsis,
                           Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis),
                                 shape.begin() + static_cast<std::ptrdiff_t>(end)));
      axis = end;
    }
  }
};

std::vector<TensorFacts> einsum(const NodeFacts& node) {
  const Equation equation = equation_of(node.text("equation", ""));
  if (equation.operands.size() != node.input_count())
    throw ShapeFault{
        "its equation names " + number_text(static_cast<std::int64_t>(equation.operands.size())) +
        " operands; it has " + number_text(static_cast<std::int64_t>(node.input_count()))};
  LetterExtents extents;
  for (std::size_t i = 0; i < equation.operands.size(); ++i)
    extents.bind_operand(equation.operands[i], node.shape(i));
  Shape output;
  for (const char letter : equation.result) {
    if (letter == '.') {
      output.insert(output.end(), extents.ellipsis.begin(), extents.ellipsis.end());
      continue;
    }
    const auto found = extents.letters.find(letter);
    if (found == extents.letters.end() || std::ranges::count(equation.result, letter) != 1)
      throw ShapeFault{"its equation makes '" + std::string(1, letter) + "' from nothing or twice"};
    output.push_back(found->second);
  }
  return {facts(node.input(0).type, output)};
}

// Shapes of one recurrent layer's operands. Source: ONNX operators, LSTM, GRU, RNN.
struct Recurrence {
  std::int64_t directions = 1;
  std::int64_t hidden = 0;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  bool batch_first = false;
};

Recurrence recurrence_of(const NodeFacts& node, std::int64_t gates) {
  Recurrence result;
  result.directions = node.text("direction", "forward") == "bidirectional" ? 2 : 1;
  if (node.rank(0) != 3 || node.rank(1) != 3 || node.rank(2) != 3)
    throw ShapeFault{"input or weights are not of rank 3"};
  const Shape& input = node.shape(0);
  result.batch_first = node.integer("layout", 0) != 0;
  result.steps = input[result.batch_first ? 1 : 0];
  result.batch = input[result.batch_first ? 0 : 1];
  const Shape& recurrent = node.shape(2);
  result.hidden = node.integer("hidden_size", recurrent[2]);
  if (result.hidden < 1 || result.hidden > kMaximumElements / 8)
    throw ShapeFault{"a hidden size of " + number_text(result.hidden)};
  const Shape from_input{result.directions, gates * result.hidden, input[2]};
  const Shape from_state{result.directions, gates * result.hidden, result.hidden};
  if (node.shape(1) != from_input || recurrent != from_state)
    throw ShapeFault{"weights of shape " + shape_text(node.shape(1)) + " and " +
                     shape_text(recurrent) + "; expected " + shape_text(from_input) + " and " +
                     shape_text(from_state)};
  return result;
}

std::vector<TensorFacts> recurrent_outputs(const NodeFacts& node, std::int64_t gates) {
  const Recurrence r = recurrence_of(node, gates);
  const evaluator::ElementType type = node.input(0).type;
  Shape all{r.steps, r.directions, r.batch, r.hidden};
  Shape last{r.directions, r.batch, r.hidden};
  if (r.batch_first) {
    all = {r.batch, r.steps, r.directions, r.hidden};
    last = {r.batch, r.directions, r.hidden};
  }
  for (std::size_t i = 5; i < 7; ++i)
    if (node.has_input(i) && node.shape(i) != last)
      throw ShapeFault{"initial state of shape " + shape_text(node.shape(i)) + "; expected " +
                       shape_text(last)};
  return {facts(type, all), facts(type, last), facts(type, last)};
}

std::vector<TensorFacts> long_short_term_memory(const NodeFacts& node) {
  return recurrent_outputs(node, 4);
}

std::vector<TensorFacts> gated_recurrent_unit(const NodeFacts& node) {
  return recurrent_outputs(node, 3);
}

std::vector<TensorFacts> plain_recurrence(const NodeFacts& node) {
  return recurrent_outputs(node, 1);
}

constexpr NamedRule kRules[] = {{"MatMul", matrix_product},
                                {"FusedMatMul", fused_product},
                                {"Gemm", general_product},
                                {"Einsum", einsum},
                                {"LSTM", long_short_term_memory},
                                {"GRU", gated_recurrent_unit},
                                {"RNN", plain_recurrence}};

}  // namespace

std::span<const NamedRule> matrix_rules() {
  return kRules;
}

}  // namespace paretrain::problems
