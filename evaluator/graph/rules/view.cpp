// Operators that only look at a storage differently. Where strides cannot say it, a copy is made.
#include <algorithm>
#include <array>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

NestLayout layout_after(const Tensor& tensor, std::size_t rank) {
  const bool image = tensor.layout == NestLayout::Image && rank == tensor.shape().size();
  return image ? NestLayout::Image : NestLayout::Tokens;
}

void bind_view(NodeContext& context, const Tensor& source, const TensorView& view) {
  Tensor result = source;
  result.view = view;
  result.layout = layout_after(source, view.shape.size());
  result.name = context.out_name();
  context.bind(0, result);
}

void identity(NodeContext& context) {
  context.bind(0, context.in(0));
}

void reshape(NodeContext& context) {
  Tensor source = context.in(0);
  if (source.elements() != element_count(context.out_shape()))
    context.refuse("has a result of another size");
  auto view = reshaped_for_any_batch(source.view, context.out_shape());
  if (!view) {
    source = context.step().copied(source, context.out_name());
    view = reshaped(source.view, context.out_shape());
  }
  bind_view(context, source, *view);
}

// Squeeze and Unsqueeze move no element, whatever the strides.
void drop_or_add_axes(NodeContext& context) {
  const Tensor& source = context.in(0);
  const Shape& target = context.out_shape();
  if (source.elements() != element_count(target)) context.refuse("has a result of another size");
  TensorView view{target, std::vector<std::int64_t>(target.size(), 1), source.view.offset};
  std::size_t d = 0;
  for (std::size_t t = target.size(); t-- > 0;) {
    if (target[t] == 1) {
      view.strides[t] =
          t + 1 < target.size() ? view.strides[t + 1] * target[t + 1] : std::int64_t{1};
      continue;
    }
    while (d < source.shape().size() && source.shape()[source.shape().size() - 1 - d] == 1)
      ++d;
    view.strides[t] = source.view.strides[source.shape().size() - 1 - d];
    ++d;
  }
  bind_view(context, source, view);
}

void transpose(NodeContext& context) {
  const Tensor& source = context.in(0);
  std::vector<std::int64_t> permutation(source.shape().size());
  for (std::size_t d = 0; d < permutation.size(); ++d)
    permutation[d] = static_cast<std::int64_t>(permutation.size() - 1 - d);
  permutation = context.integers("perm").value_or(permutation);
  auto sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t d = 0; d < sorted.size(); ++d)
    if (sorted[d] != static_cast<std::int64_t>(d)) context.refuse("has no permutation");
  if (permutation.size() != source.shape().size())
    context.refuse("has a permutation of another rank");
  bind_view(context, source, transposed(source.view, permutation));
}

void expand(NodeContext& context) {
  const Tensor& source = context.in(0);
  if (!broadcasts(source.shape(), context.out_shape()))
    context.refuse("has a result that its input does not broadcast to");
  bind_view(context, source, expanded(source.view, context.out_shape()));
}

void split(NodeContext& context) {
  const Tensor source = context.in(0);
  const std::size_t axis = context.axis(0, source.shape().size());
  if (axis >= source.shape().size()) context.refuse("its axis is out of range");
  std::int64_t start = 0;
  for (std::size_t o = 0; o < context.node().outputs.size(); ++o) {
    if (!context.has_output(o)) context.refuse("has a part without a name");
    if (context.out_shape(o).size() != source.shape().size())
      context.refuse("has a part of another rank");
    const std::int64_t count = context.out_shape(o)[axis];
    if (start + count > source.shape()[axis]) context.refuse("has parts larger than their source");
    Tensor part = source;
    part.name = context.out_name(o);
    part.view = sliced(source.view, {axis, start, count, 1});
    context.bind(o, part);
    start += count;
  }
}

// What a Slice takes along one axis, with ONNX's clamping.
SliceRange range_of(const Shape& shape, std::size_t axis, std::int64_t start, std::int64_t step) {
  SliceRange range;
  range.axis = axis;
  range.step = step;
  const std::int64_t extent = shape[axis];
  if (start < 0) start += extent;
  range.start = std::clamp<std::int64_t>(start, 0, std::max<std::int64_t>(extent - 1, 0));
  return range;
}

bool named_twice(const std::vector<std::int64_t>& axes, std::size_t i, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  for (std::size_t j = 0; j < i; ++j)
    if ((axes[i] - axes[j]) % count == 0) return true;
  return false;
}

void slice(NodeContext& context) {
  const Tensor source = context.in(0);
  const std::size_t rank = source.shape().size();
  const auto starts = context.integers("starts").value_or(context.constant_integers(1));
  std::vector<std::int64_t> named = context.integers("axes").value_or(context.constant_integers(3));
  const auto steps = context.constant_integers(4);
  if (starts.empty()) context.refuse("has starts that are not known before the step runs");
  if (named.empty())
    for (std::size_t d = 0; d < starts.size(); ++d)
      named.push_back(static_cast<std::int64_t>(d));
  TensorView view = source.view;
  bool reversed = false;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto axis = static_cast<std::size_t>(
        named[i] < 0 ? named[i] + static_cast<std::int64_t>(rank) : named[i]);
    if (axis >= rank || i >= starts.size()) context.refuse("has axes that do not fit");
    if (context.out_shape().size() != rank) context.refuse("has a result of another rank");
    SliceRange range = range_of(source.shape(), axis, starts[i], i < steps.size() ? steps[i] : 1);
    range.count = context.out_shape()[axis];
    reversed = reversed || range.step < 0;
    if (range.step < 0) {
      range.start += (range.count - 1) * range.step;
      range.step = -range.step;
    }
    const std::int64_t last = range.start + (range.count - 1) * range.step;
    if (range.start < 0 || last >= source.shape()[axis] || named_twice(named, i, rank))
      context.refuse("takes more than there is");
    view = sliced(view, range);
  }
  Tensor part = source;
  part.view = view;
  if (reversed && part.storage) {
    part = context.step().copied(part, context.out_name());
    view = part.view;
  }
  bind_view(context, part, view);
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Identity", identity},
    {"Reshape", reshape},
    {"Flatten", reshape},
    {"Squeeze", drop_or_add_axes},
    {"Unsqueeze", drop_or_add_axes},
    {"Transpose", transpose},
    {"Expand", expand},
    {"Split", split},
    {"Slice", slice},
});

}  // namespace

std::span<const RuleEntry> view_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
