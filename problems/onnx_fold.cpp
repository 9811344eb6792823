#include "problems/onnx_fold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/checked_math.h"
#include "base/number_text.h"

namespace paretrain::problems {

namespace {

using evaluator::ConstantNumbers;
using evaluator::is_float;
using evaluator::Shape;
using Folded = std::optional<ConstantNumbers>;
using Fold = Folded (*)(const NodeFacts&, const TensorFacts&);

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

std::size_t count_of(const Shape& shape) {
  return static_cast<std::size_t>(evaluator::element_count(shape));
}

// Row-major strides of `shape` as seen from the axes of `target`, 0 where it is broadcast.
std::vector<std::size_t> broadcast_strides(const Shape& shape, const Shape& target) {
  std::vector<std::size_t> strides(target.size(), 0);
  std::size_t stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = shape.size() - 1 - i;
    if (shape[axis] != 1) strides[target.size() - 1 - i] = stride;
    stride *= static_cast<std::size_t>(shape[axis]);
  }
  return strides;
}

// For each element of `target` in row-major order, where it lies in an operand with these strides.
std::vector<std::size_t> positions(const Shape& target, const std::vector<std::size_t>& strides) {
  std::vector<std::size_t> result;
  Shape at(target.size(), 0);
  for (std::size_t n = count_of(target); n > 0; --n) {
    std::size_t position = 0;
    for (std::size_t axis = 0; axis < target.size(); ++axis)
      position += static_cast<std::size_t>(at[axis]) * strides[axis];
    result.push_back(position);
    for (std::size_t axis = target.size(); axis-- > 0;) {
      if (++at[axis] < target[axis]) break;
      at[axis] = 0;
    }
  }
  return result;
}

ConstantNumbers picked(const TensorFacts& from, const std::vector<std::size_t>& where) {
  ConstantNumbers result;
  for (const std::size_t position : where) {
    if (is_float(from.type)) {
      result.floats.push_back(from.numbers->floats[position]);
    } else {
      result.integers.push_back(from.numbers->integers[position]);
    }
  }
  return result;
}

ConstantNumbers spread(const TensorFacts& from, const Shape& target) {
  return picked(from, positions(target, broadcast_strides(from.shape, target)));
}

std::int64_t required(std::optional<std::int64_t> number) {
  if (!number) throw ShapeFault{"integers beyond 64 bits"};
  return *number;
}

std::int64_t integer_result(const std::string& type, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  if (type == "Add" || type == "Sum") return required(checked_sum(a, b));
  if (type == "Mul") return required(checked_product(a, b));
  if (type == "Sub") return required(b == kLowest ? std::nullopt : checked_sum(a, -b));
  if (type == "Max") return std::max(a, b);
  if (type == "Min") return std::min(a, b);
  if (type == "And") return a != 0 && b != 0 ? 1 : 0;
  if (type == "Or") return a != 0 || b != 0 ? 1 : 0;
  if (type == "Equal") return a == b ? 1 : 0;
  if (type == "Less") return a < b ? 1 : 0;
  if (type == "LessOrEqual") return a <= b ? 1 : 0;
  if (type == "Greater") return a > b ? 1 : 0;
  if (type == "GreaterOrEqual") return a >= b ? 1 : 0;
  if (b == 0 || (a == kLowest && b == -1)) throw ShapeFault{"a division by zero"};
  if (type == "Div") return a / b;
  const std::int64_t rest = a % b;  // Mod takes the sign of the divisor
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double float_result(const std::string& type, double a, double b) {
  if (type == "Add" || type == "Sum") return a + b;
  if (type == "Mul") return a * b;
  if (type == "Sub") return a - b;
  if (type == "Max") return std::max(a, b);
  if (type == "Min") return std::min(a, b);
  if (type == "Div") return a / b;
  return std::fmod(a, b);
}

bool is_comparison(const std::string& type) {
  return type == "Equal" || type.starts_with("Less") || type.starts_with("Greater");
}

Folded binary(const NodeFacts& node, const TensorFacts& output) {
  if (node.input_count() != 2) return std::nullopt;
  const std::string& type = node.node().type;
  const bool floats = is_float(node.input(0).type);
  if (floats != is_float(node.input(1).type) || (floats && is_comparison(type)))
    return std::nullopt;
  const ConstantNumbers a = spread(node.input(0), output.shape);
  const ConstantNumbers b = spread(node.input(1), output.shape);
  ConstantNumbers result;
  for (std::size_t i = 0; i < a.floats.size(); ++i)
    result.floats.push_back(float_result(type, a.floats[i], b.floats[i]));
  for (std::size_t i = 0; i < a.integers.size(); ++i)
    result.integers.push_back(integer_result(type, a.integers[i], b.integers[i]));
  return result;
}

Folded unary(const NodeFacts& node, const TensorFacts&) {
  const std::string& type = node.node().type;
  ConstantNumbers result = *node.input(0).numbers;
  for (double& number : result.floats) {
    if (type == "Neg") number = -number;
    if (type == "Abs") number = std::abs(number);
    if (type == "Floor") number = std::floor(number);
    if (type == "Ceil") number = std::ceil(number);
    if (type == "Round") number = std::nearbyint(number);
    if (type == "Sqrt") number = std::sqrt(number);
    if (type == "Reciprocal") number = 1.0 / number;
  }
  for (std::int64_t& number : result.integers) {
    if (type == "Not") number = number == 0 ? 1 : 0;
    const bool negate = type == "Neg" || (type == "Abs" && number < 0);
    if (negate && number == std::numeric_limits<std::int64_t>::min())
      throw ShapeFault{"integers beyond 64 bits"};
    if (negate) number = -number;
  }
  return result;
}

Folded same(const NodeFacts& node, const TensorFacts&) {
  return node.input(0).numbers;
}

Folded cast(const NodeFacts& node, const TensorFacts& output) {
  const TensorFacts& input = node.input(0);
  ConstantNumbers result;
  if (is_float(output.type)) {
    result.floats = input.numbers->floats;
    for (const std::int64_t number : input.numbers->integers)
      result.floats.push_back(static_cast<double>(number));
    return result;
  }
  const bool flag = output.type == evaluator::ElementType::Bool;
  result.integers = input.numbers->integers;
  for (const double number : input.numbers->floats) {
    if (!(std::abs(number) <= kLargestExact) && !flag) return std::nullopt;
    result.integers.push_back(flag ? (number != 0.0 ? 1 : 0) : static_cast<std::int64_t>(number));
  }
  for (std::int64_t& number : result.integers)
    if (flag) number = number != 0 ? 1 : 0;
  return result;
}

Folded where(const NodeFacts& node, const TensorFacts& output) {
  const ConstantNumbers chosen = spread(node.input(0), output.shape);
  const ConstantNumbers a = spread(node.input(1), output.shape);
  const ConstantNumbers b = spread(node.input(2), output.shape);
  ConstantNumbers result;
  for (std::size_t i = 0; i < chosen.integers.size(); ++i) {
    const ConstantNumbers& from = chosen.integers[i] != 0 ? a : b;
    if (is_float(output.type)) result.floats.push_back(from.floats[i]);
    if (!is_float(output.type)) result.integers.push_back(from.integers[i]);
  }
  return result;
}

// Joins along an axis: blocks of each operand, one after another.
Folded concat(const NodeFacts& node, const TensorFacts& output) {
  const std::size_t axis = axis_index(node.integer("axis", 0), node.rank(0));
  const std::size_t outer = count_of(
      Shape(output.shape.begin(), output.shape.begin() + static_cast<std::ptrdiff_t>(axis)));
  ConstantNumbers result;
  for (std::size_t block = 0; block < outer; ++block) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const TensorFacts& part = node.input(i);
      const std::size_t size = count_of(part.shape) / outer;
      for (std::size_t k = block * size; k < (block + 1) * size; ++k) {
        if (is_float(part.type)) result.floats.push_back(part.numbers->floats[k]);
        if (!is_float(part.type)) result.integers.push_back(part.numbers->integers[k]);
      }
    }
  }
  return result;
}

Folded gather(const NodeFacts& node, const TensorFacts&) {
  const TensorFacts& data = node.input(0);
  const std::size_t axis = axis_index(node.integer("axis", 0), node.rank(0));
  const std::int64_t extent = data.shape[axis];
  const auto cut = data.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const std::size_t outer = count_of(Shape(data.shape.begin(), cut));
  const std::size_t inner = count_of(Shape(cut + 1, data.shape.end()));
  std::vector<std::size_t> where_from;
  for (std::size_t block = 0; block < outer; ++block) {
    for (const std::int64_t index : node.integers(1)) {
      if (index < -extent || index >= extent)
        throw ShapeFault{"index " + number_text(index) + " into an extent of " +
                         number_text(extent)};
      const auto at = static_cast<std::size_t>(index < 0 ? index + extent : index);
      const std::size_t first = (block * static_cast<std::size_t>(extent) + at) * inner;
      for (std::size_t k = 0; k < inner; ++k)
        where_from.push_back(first + k);
    }
  }
  return picked(data, where_from);
}

// Which positions of each axis a slice takes; ends are already in the output's shape.
Folded slice(const NodeFacts& node, const TensorFacts& output) {
  const Shape& input = node.shape(0);
  const auto starts = node.integer_list_or_input("starts", 1);
  const auto axes = node.integer_list_or_input("axes", 3);
  if (!starts) return std::nullopt;
  Shape first(input.size(), 0);
  Shape step(input.size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::size_t axis =
        axis_index(axes ? (*axes)[i] : static_cast<std::int64_t>(i), node.rank(0));
    const std::int64_t extent = input[axis];
    if (node.has_input(4)) step[axis] = node.integers(4)[i];
    const std::int64_t last = step[axis] > 0 ? extent : std::max<std::int64_t>(extent - 1, 0);
    const std::int64_t start = (*starts)[i];
    first[axis] = std::clamp<std::int64_t>(
        start < 0 ? std::max(start, -extent - 1) + extent : start, 0, last);
  }
  std::vector<std::size_t> where_from{0};
  for (std::size_t axis = 0; axis < input.size(); ++axis) {
    std::vector<std::size_t> finer;
    for (const std::size_t block : where_from)
      for (std::int64_t i = 0; i < output.shape[axis]; ++i)
        finer.push_back(block * static_cast<std::size_t>(input[axis]) +
                        static_cast<std::size_t>(first[axis] + i * step[axis]));
    where_from = std::move(finer);
  }
  return picked(node.input(0), where_from);
}

Folded transpose(const NodeFacts& node, const TensorFacts& output) {
  const Shape& input = node.shape(0);
  std::vector<std::size_t> strides(input.size(), 1);
  for (std::size_t axis = input.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * static_cast<std::size_t>(input[axis]);
  const auto order = node.integer_list("perm");
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < input.size(); ++i)
    moved.push_back(strides[order ? static_cast<std::size_t>((*order)[i]) : input.size() - 1 - i]);
  return picked(node.input(0), positions(output.shape, moved));
}

Folded expand(const NodeFacts& node, const TensorFacts& output) {
  return spread(node.input(0), output.shape);
}

// Reductions of a whole vector: numbers of elements.
Folded reduce(const NodeFacts& node, const TensorFacts& output) {
  if (count_of(output.shape) != 1 || is_float(output.type)) return std::nullopt;
  const std::string& type = node.node().type;
  const std::vector<std::int64_t>& numbers = node.input(0).numbers->integers;
  if (numbers.empty()) return std::nullopt;
  std::int64_t result = numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i)
    result = integer_result(type == "ReduceProd"  ? "Mul"
                            : type == "ReduceSum" ? "Add"
                            : type == "ReduceMax" ? "Max"
                                                  : "Min",
                            result,
                            numbers[i]);
  return ConstantNumbers{.floats = {}, .integers = {result}};
}

Folded range(const NodeFacts& node, const TensorFacts& output) {
  ConstantNumbers result;
  for (std::int64_t i = 0; i < output.shape[0]; ++i) {
    if (is_float(output.type)) {
      result.floats.push_back(node.input(0).numbers->floats[0] +
                              static_cast<double>(i) * node.input(2).numbers->floats[0]);
    } else {
      const auto offset = checked_product(i, node.input(2).numbers->integers[0]);
      result.integers.push_back(
          required(checked_sum(node.input(0).numbers->integers[0], required(offset))));
    }
  }
  return result;
}

Folded constant_of_shape(const NodeFacts& node, const TensorFacts& output) {
  const auto value = node.node().tensors.find("value");
  ConstantNumbers result;
  const std::size_t count = count_of(output.shape);
  if (value == node.node().tensors.end()) {
    result.floats.assign(count, 0.0);
    return result;
  }
  const auto& numbers = value->second.numbers;
  if (!numbers || numbers->floats.size() + numbers->integers.size() != 1) return std::nullopt;
  if (is_float(output.type)) result.floats.assign(count, numbers->floats[0]);
  if (!is_float(output.type)) result.integers.assign(count, numbers->integers[0]);
  return result;
}

const std::map<std::string_view, Fold>& folds() {
  static const std::map<std::string_view, Fold> table{
      {"Add", binary},          {"Sub", binary},
      {"Mul", binary},          {"Div", binary},
      {"Mod", binary},          {"Max", binary},
      {"Min", binary},          {"And", binary},
      {"Or", binary},           {"Equal", binary},
      {"Less", binary},         {"LessOrEqual", binary},
      {"Greater", binary},      {"GreaterOrEqual", binary},
      {"Neg", unary},           {"Abs", unary},
      {"Floor", unary},         {"Ceil", unary},
      {"Round", unary},         {"Sqrt", unary},
      {"Reciprocal", unary},    {"Not", unary},
      {"Identity", same},       {"Reshape", same},
      {"Flatten", same},        {"Squeeze", same},
      {"Unsqueeze", same},      {"Cast", cast},
      {"Where", where},         {"Concat", concat},
      {"Gather", gather},       {"Slice", slice},
      {"Transpose", transpose}, {"Expand", expand},
      {"ReduceProd", reduce},   {"ReduceSum", reduce},
      {"ReduceMax", reduce},    {"ReduceMin", reduce},
      {"Range", range},         {"ConstantOfShape", constant_of_shape}};
  return table;
}

Folded folded_constant(const OnnxNode& node) {
  if (!node.tensors.empty()) return node.tensors.begin()->second.numbers;
  if (node.attributes.size() != 1) return std::nullopt;
  const evaluator::Attribute& value = node.attributes.begin()->second;
  ConstantNumbers result;
  if (const auto* const one = std::get_if<std::int64_t>(&value)) result.integers = {*one};
  if (const auto* const one = std::get_if<double>(&value)) result.floats = {*one};
  if (const auto* const list = std::get_if<std::vector<std::int64_t>>(&value))
    result.integers = *list;
  if (const auto* const list = std::get_if<std::vector<double>>(&value)) result.floats = *list;
  return result;
}

Folded folded_shape(const NodeFacts& node, const TensorFacts& output) {
  const Shape& input = node.shape(0);
  const std::int64_t rank = node.rank(0);
  const std::int64_t start = node.integer("start", 0);
  const std::int64_t first = start < 0 ? std::max(start, -rank) + rank : std::min(start, rank);
  const auto begin = input.begin() + first;
  return ConstantNumbers{.floats = {}, .integers = Shape(begin, begin + output.shape[0])};
}

}  // namespace

Folded folded_numbers(const NodeFacts& node, const TensorFacts& output) {
  const std::string& type = node.node().type;
  if (!node.node().domain.empty()) return std::nullopt;
  if (type == "Constant") return folded_constant(node.node());
  if (type == "Shape") return folded_shape(node, output);
  if (type == "Size")
    return ConstantNumbers{.floats = {}, .integers = {checked_elements(node.shape(0))}};
  const auto fold = folds().find(type);
  if (fold == folds().end() || checked_elements(output.shape) > kMaximumKnownNumbers)
    return std::nullopt;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (node.has_input(i) && !node.input(i).numbers) return std::nullopt;
  return fold->second(node, output);
}

}  // namespace paretrain::problems
