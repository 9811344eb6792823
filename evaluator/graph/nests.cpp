#include "evaluator/graph/nests.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/checked_math.h"
#include "evaluator/graph/tensor_view.h"

namespace paretrain::evaluator {
namespace {

constexpr std::size_t kFoldedRank = 4;

// One dimension of the iteration space with the stride of every operand along it (0: not indexed).
struct IterationDimension {
  std::int64_t extent = 1;
  std::vector<std::int64_t> strides;
};

std::vector<const OperandView*> all_operands(const PointwiseOperands& operands) {
  std::vector<const OperandView*> all;
  for (const OperandView& read : operands.reads)
    all.push_back(&read);
  for (const OperandView& write : operands.writes)
    all.push_back(&write);
  return all;
}

std::vector<IterationDimension> iteration_dimensions(const Shape& iteration,
                                                     const std::vector<const OperandView*>& all) {
  std::vector<IterationDimension> dimensions;
  for (std::size_t d = 0; d < iteration.size(); ++d) {
    IterationDimension dimension{iteration[d], {}};
    for (const OperandView* operand : all) {
      const std::size_t lead = iteration.size() - operand->shape.size();
      const bool indexed = d >= lead && operand->shape[d - lead] == iteration[d];
      dimension.strides.push_back(indexed ? operand->strides[d - lead] : 0);
    }
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

bool mergeable(const IterationDimension& outer, const IterationDimension& inner) {
  for (std::size_t o = 0; o < outer.strides.size(); ++o)
    if (outer.strides[o] != inner.strides[o] * inner.extent) return false;
  return true;
}

void fold(std::vector<IterationDimension>& dimensions) {
  if (dimensions.size() <= kFoldedRank) return;
  std::erase_if(dimensions, [](const IterationDimension& d) { return d.extent == 1; });
  for (std::size_t d = dimensions.size(); d-- > 1 && dimensions.size() > kFoldedRank;) {
    if (!mergeable(dimensions[d - 1], dimensions[d])) continue;
    dimensions[d].extent *= dimensions[d - 1].extent;
    dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(d - 1));
  }
}

std::vector<Loop> loops_of(NestLayout layout, std::size_t rank) {
  using L = Loop;
  if (rank > kFoldedRank) {
    std::vector<Loop> loops = {
        L::B, L::H, L::D, L::OY, L::OX, L::C, L::G, L::FY, L::FX, L::IY, L::IX};
    CHECK(rank <= loops.size() + 1, "more dimensions than loops");
    loops.resize(rank - 1);
    loops.push_back(L::K);
    return loops;
  }
  static const std::array<std::array<std::vector<Loop>, kFoldedRank + 1>, 3> kLoops = {{
      {{{}, {L::K}, {L::B, L::K}, {L::B, L::K, L::OX}, {L::B, L::K, L::OY, L::OX}}},
      {{{}, {L::K}, {L::B, L::K}, {L::B, L::D, L::K}, {L::B, L::H, L::D, L::K}}},
      {{{}, {L::K}, {L::K, L::C}, {L::K, L::C, L::FX}, {L::K, L::C, L::FY, L::FX}}},
  }};
  return kLoops[static_cast<std::size_t>(layout)][rank];
}

Bytes bytes_of(std::int64_t elements, std::int64_t bits) {
  return Bytes(ceil_div(elements * bits, 8));
}

AxisIndex plain_axis(Loop loop, std::int64_t extent) {
  AxisIndex axis;
  axis.first = loop;
  axis.extent = extent;
  return axis;
}

// Axes of one operand, built dimension by dimension.
class AccessDraft {
 public:
  explicit AccessDraft(const OperandView& view) : bits_(view.element_bits) {
    access_.storage = view.storage;
    access_.accumulates = view.accumulates;
  }

  void add(const AxisIndex& axis, std::int64_t stride, std::int64_t touched) {
    access_.axes.push_back(axis);
    access_.strides.push_back(stride);
    elements_ *= touched;
  }

  void add(Loop loop, std::int64_t extent, std::int64_t stride) {
    add(plain_axis(loop, extent), stride, extent);
  }

  // With `operand`, the nest indexes it, too.
  [[nodiscard]] Access access(LoopNest& nest, std::optional<NestOperand> operand) {
    access_.bytes = bytes_of(elements_, bits_);
    access_.operand = operand;
    if (operand) nest.operand(*operand) = access_.axes;
    return access_;
  }

 private:
  Access access_;
  std::int64_t bits_;
  std::int64_t elements_ = 1;
};

// Which operand of the nest each read and write is: the largest read I, the next W, the largest
// write O.
std::vector<std::optional<NestOperand>> chosen_operands(const std::vector<std::int64_t>& elements,
                                                        std::size_t reads) {
  std::vector<std::optional<NestOperand>> chosen(elements.size());
  const auto choose = [&](std::size_t begin, std::size_t end, NestOperand operand) {
    std::optional<std::size_t> best;
    for (std::size_t i = begin; i < end; ++i)
      if (!chosen[i] && (!best || elements[i] > elements[*best])) best = i;
    if (best) chosen[*best] = operand;
  };
  choose(0, reads, NestOperand::I);
  choose(0, reads, NestOperand::W);
  choose(reads, elements.size(), NestOperand::O);
  return chosen;
}

void set_bits(LoopNest& nest, NestOperand operand, std::int64_t bits) {
  switch (operand) {
    case NestOperand::I:
      nest.bits.input = bits;
      return;
    case NestOperand::W:
      nest.bits.weight = bits;
      return;
    case NestOperand::O:
      nest.bits.output_final = bits;
      return;
  }
}

// Leading dimensions of a matrix product: those before the last two.
std::vector<Loop> leading_loops(std::size_t count) {
  static const std::vector<Loop> kNames = {Loop::B, Loop::H, Loop::G, Loop::OY, Loop::OX, Loop::FY};
  CHECK(count <= kNames.size(), "more leading dimensions than loops");
  return {kNames.begin(), kNames.begin() + static_cast<std::ptrdiff_t>(count)};
}

struct ProductDimension {
  std::size_t rank_from_right = 0;  // position in the operand, counted from the right
  Loop loop = Loop::B;
  std::int64_t extent = 1;
};

AccessDraft product_access(const OperandView& view, const std::vector<ProductDimension>& plan) {
  AccessDraft draft(view);
  for (const ProductDimension& dimension : plan) {
    if (dimension.rank_from_right >= view.shape.size()) continue;
    const std::size_t d = view.shape.size() - 1 - dimension.rank_from_right;
    if (view.shape[d] != dimension.extent || (view.strides[d] == 0 && view.shape[d] > 1)) continue;
    draft.add(dimension.loop, dimension.extent, view.strides[d]);
  }
  return draft;
}

// Extents of the leading dimensions, broadcast over the operands, outermost first.
Shape leading_shape(const ProductOperands& operands) {
  std::size_t rank = 2;
  for (const OperandView* view : {&operands.left, &operands.right, &operands.out})
    rank = std::max(rank, view->shape.size());
  Shape lead(rank - 2, 1);
  for (const OperandView* view : {&operands.left, &operands.right, &operands.out}) {
    for (std::size_t d = 0; d + 2 < view->shape.size(); ++d) {
      std::int64_t& extent = lead[lead.size() - (view->shape.size() - 2) + d];
      extent = std::max(extent, view->shape[d]);
    }
  }
  return lead;
}

struct ProductLoops {
  Loop second_last_left = Loop::D;
  Loop last_left = Loop::C;
  Loop second_last_right = Loop::C;
  Loop last_right = Loop::K;
  Loop second_last_out = Loop::D;
  Loop last_out = Loop::K;
};

BuiltNest built_product(const ProductOperands& operands, const ProductLoops& loops) {
  BuiltNest built;
  LoopNest& nest = built.nest;
  const Shape lead = leading_shape(operands);
  const auto names = leading_loops(lead.size());
  std::vector<ProductDimension> leading;
  for (std::size_t d = 0; d < lead.size(); ++d) {
    nest.size(names[d]) = lead[d];
    leading.push_back({lead.size() - 1 - d + 2, names[d], lead[d]});
  }
  const auto draft = [&](const OperandView& view, Loop second_last, Loop last) {
    auto plan = leading;
    plan.push_back({1, second_last, view.shape[view.shape.size() - 2]});
    plan.push_back({0, last, view.shape.back()});
    nest.size(second_last) = plan[plan.size() - 2].extent;
    nest.size(last) = plan.back().extent;
    return product_access(view, plan);
  };
  auto left = draft(operands.left, loops.second_last_left, loops.last_left);
  auto right = draft(operands.right, loops.second_last_right, loops.last_right);
  auto out = draft(operands.out, loops.second_last_out, loops.last_out);
  nest.bits = {operands.right.element_bits,
               operands.left.element_bits,
               operands.partial_bits,
               operands.out.element_bits};
  built.reads = {left.access(nest, NestOperand::I), right.access(nest, NestOperand::W)};
  built.writes = {out.access(nest, NestOperand::O)};
  return built;
}

// Loops of a spatial axis: over the smaller side, over the kernel.
struct SpatialLoops {
  std::vector<Loop> outer;
  std::vector<Loop> kernel;
};

SpatialLoops spatial_loops(std::size_t rank) {
  CHECK(rank >= 1 && rank <= 3, "one to three spatial axes");
  const std::vector<Loop> outer = {Loop::D, Loop::OY, Loop::OX};
  const std::vector<Loop> kernel = {Loop::H, Loop::FY, Loop::FX};
  const auto skip = static_cast<std::ptrdiff_t>(3 - rank);
  return {{outer.begin() + skip, outer.end()}, {kernel.begin() + skip, kernel.end()}};
}

SpatialLoops transposed_spatial_loops(std::size_t rank) {
  SpatialLoops loops = spatial_loops(rank);
  for (Loop& loop : loops.outer) {
    if (loop == Loop::OY) loop = Loop::IY;
    if (loop == Loop::OX) loop = Loop::IX;
  }
  return loops;
}

// Index of a channel that is group * per_group + loop.
AxisIndex channel_axis(Loop loop, std::int64_t groups, std::int64_t per_group) {
  AxisIndex axis = plain_axis(loop, groups * per_group);
  if (groups == 1) return axis;
  axis.first = Loop::G;
  axis.stride = per_group;
  axis.windowed = per_group > 1;
  axis.second = loop;
  return axis;
}

struct WindowAxis {
  AxisIndex index;
  std::int64_t touched = 1;  // positions of the larger side that any window sees
};

struct WindowExtent {
  std::int64_t image = 1;
  std::int64_t feature = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

WindowAxis window_axis(Loop feature, Loop kernel, const WindowExtent& extent) {
  WindowAxis axis;
  axis.index.first = feature;
  axis.index.stride = extent.stride;
  axis.index.windowed = extent.kernel > 1;
  axis.index.second = kernel;
  axis.index.dilation = extent.dilation;
  axis.index.extent = extent.image;
  axis.touched = std::min(extent.image, extent.feature * extent.kernel);
  return axis;
}

WindowExtent window_extent(const OperandView& image,
                           const OperandView& feature,
                           const Window& window,
                           std::size_t axis) {
  return {image.shape[axis + 2],
          feature.shape[axis + 2],
          window.kernel[axis],
          window.stride[axis],
          window.dilation[axis]};
}

// Channels of a convolution per group, and its loops.
struct ConvolutionPlan {
  std::int64_t groups = 1;
  std::int64_t in = 1;   // image channels per group
  std::int64_t out = 1;  // feature channels per group
  std::size_t spatial = 2;
};

ConvolutionPlan convolution_plan(const ConvolutionOperands& operands) {
  return {operands.groups,
          operands.image.shape[1] / operands.groups,
          operands.feature.shape[1] / operands.groups,
          operands.window.kernel.size()};
}

AccessDraft image_access(const ConvolutionOperands& operands,
                         const SpatialLoops& loops,
                         Loop channel) {
  const ConvolutionPlan plan = convolution_plan(operands);
  const OperandView& image = operands.image;
  AccessDraft draft(image);
  draft.add(Loop::B, image.shape[0], image.strides[0]);
  draft.add(channel_axis(channel, plan.groups, plan.in), image.strides[1], image.shape[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s) {
    const auto axis = window_axis(loops.outer[s],
                                  loops.kernel[s],
                                  window_extent(image, operands.feature, operands.window, s));
    draft.add(axis.index, image.strides[s + 2], axis.touched);
  }
  return draft;
}

AccessDraft feature_access(const ConvolutionOperands& operands,
                           const SpatialLoops& loops,
                           Loop channel) {
  const ConvolutionPlan plan = convolution_plan(operands);
  const OperandView& feature = operands.feature;
  AccessDraft draft(feature);
  draft.add(Loop::B, feature.shape[0], feature.strides[0]);
  draft.add(channel_axis(channel, plan.groups, plan.out), feature.strides[1], feature.shape[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s)
    draft.add(loops.outer[s], feature.shape[s + 2], feature.strides[s + 2]);
  return draft;
}

AccessDraft weight_access(const ConvolutionOperands& operands,
                          const SpatialLoops& loops,
                          Loop out,
                          Loop in) {
  const ConvolutionPlan plan = convolution_plan(operands);
  const OperandView& weight = operands.weight;
  AccessDraft draft(weight);
  draft.add(channel_axis(out, plan.groups, plan.out), weight.strides[0], weight.shape[0]);
  draft.add(in, plan.in, weight.strides[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s)
    draft.add(loops.kernel[s], weight.shape[s + 2], weight.strides[s + 2]);
  return draft;
}

void set_convolution_sizes(LoopNest& nest,
                           const ConvolutionOperands& operands,
                           const SpatialLoops& loops) {
  const ConvolutionPlan plan = convolution_plan(operands);
  nest.size(Loop::B) = operands.image.shape[0];
  nest.size(Loop::G) = plan.groups;
  for (std::size_t s = 0; s < plan.spatial; ++s) {
    nest.size(loops.outer[s]) = operands.feature.shape[s + 2];
    nest.size(loops.kernel[s]) = operands.window.kernel[s];
  }
}

BuiltNest pooling_like_nest(const PoolingOperands& operands, const SpatialLoops& loops) {
  BuiltNest built;
  LoopNest& nest = built.nest;
  const OperandView& image = operands.image;
  const OperandView& feature = operands.feature;
  const std::size_t spatial = operands.window.kernel.size();
  nest.size(Loop::B) = feature.shape[0];
  nest.size(Loop::K) = feature.shape[1];
  AccessDraft image_draft(image);
  AccessDraft feature_draft(feature);
  for (std::size_t d = 0; d < 2; ++d) {
    const Loop loop = d == 0 ? Loop::B : Loop::K;
    image_draft.add(loop, image.shape[d], image.strides[d]);
    feature_draft.add(loop, feature.shape[d], feature.strides[d]);
  }
  for (std::size_t s = 0; s < spatial; ++s) {
    nest.size(loops.outer[s]) = feature.shape[s + 2];
    nest.size(loops.kernel[s]) = operands.window.kernel[s];
    const auto axis = window_axis(
        loops.outer[s], loops.kernel[s], window_extent(image, feature, operands.window, s));
    image_draft.add(axis.index, image.strides[s + 2], axis.touched);
    feature_draft.add(loops.outer[s], feature.shape[s + 2], feature.strides[s + 2]);
  }
  built.reads = {image_draft.access(nest, std::nullopt)};
  built.writes = {feature_draft.access(nest, std::nullopt)};
  return built;
}

Access indices_access(const PoolingOperands& operands, const Access& feature) {
  Access access = feature;
  access.storage = operands.indices->storage;
  access.bytes = bytes_of(element_count(operands.indices->shape), operands.indices->element_bits);
  access.operand = std::nullopt;
  access.accumulates = false;
  return access;
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(const Shape& shape) {
  return whole_view(shape).strides;
}

BuiltNest pointwise_nest(const PointwiseOperands& operands) {
  const auto all = all_operands(operands);
  auto dimensions = iteration_dimensions(operands.iteration, all);
  fold(dimensions);
  const auto loops = loops_of(operands.layout, dimensions.size());
  BuiltNest built;
  built.nest.cycles_per_operation = operands.cycles_per_operation;
  built.nest.bits.output_partial = operands.partial_bits;
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    built.nest.size(loops[d]) = dimensions[d].extent;
  std::vector<std::int64_t> elements;
  for (const OperandView* operand : all)
    elements.push_back(element_count(operand->shape));
  const auto chosen = chosen_operands(elements, operands.reads.size());
  for (std::size_t o = 0; o < all.size(); ++o) {
    AccessDraft draft(*all[o]);
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      if (dimensions[d].strides[o] != 0)
        draft.add(loops[d], dimensions[d].extent, dimensions[d].strides[o]);
    if (chosen[o]) set_bits(built.nest, *chosen[o], all[o]->element_bits);
    auto& accesses = o < operands.reads.size() ? built.reads : built.writes;
    accesses.push_back(draft.access(built.nest, chosen[o]));
  }
  return built;
}

BuiltNest product_nest(const ProductOperands& operands) {
  ProductLoops loops;
  if (leading_shape(operands).empty()) loops.second_last_left = loops.second_last_out = Loop::B;
  return built_product(operands, loops);
}

BuiltNest row_sum_product_nest(const ProductOperands& operands) {
  ProductLoops loops;
  loops.second_last_left = Loop::C;
  loops.last_left = Loop::D;
  return built_product(operands, loops);
}

BuiltNest convolution_nest(const ConvolutionOperands& operands) {
  BuiltNest built;
  const SpatialLoops loops = spatial_loops(operands.window.kernel.size());
  const ConvolutionPlan plan = convolution_plan(operands);
  set_convolution_sizes(built.nest, operands, loops);
  built.nest.size(Loop::K) = plan.out;
  built.nest.size(Loop::C) = plan.in;
  built.nest.bits = {operands.weight.element_bits,
                     operands.image.element_bits,
                     operands.partial_bits,
                     operands.feature.element_bits};
  built.reads = {
      image_access(operands, loops, Loop::C).access(built.nest, NestOperand::I),
      weight_access(operands, loops, Loop::K, Loop::C).access(built.nest, NestOperand::W)};
  built.writes = {feature_access(operands, loops, Loop::K).access(built.nest, NestOperand::O)};
  return built;
}

BuiltNest transposed_convolution_nest(const ConvolutionOperands& operands) {
  BuiltNest built;
  const SpatialLoops loops = transposed_spatial_loops(operands.window.kernel.size());
  const ConvolutionPlan plan = convolution_plan(operands);
  set_convolution_sizes(built.nest, operands, loops);
  built.nest.size(Loop::K) = plan.in;
  built.nest.size(Loop::C) = plan.out;
  built.nest.bits = {operands.weight.element_bits,
                     operands.feature.element_bits,
                     operands.partial_bits,
                     operands.image.element_bits};
  built.reads = {
      feature_access(operands, loops, Loop::C).access(built.nest, NestOperand::I),
      weight_access(operands, loops, Loop::C, Loop::K).access(built.nest, NestOperand::W)};
  built.writes = {image_access(operands, loops, Loop::K).access(built.nest, NestOperand::O)};
  return built;
}

BuiltNest convolution_weight_gradient_nest(const ConvolutionOperands& operands) {
  BuiltNest built;
  LoopNest& nest = built.nest;
  const ConvolutionPlan plan = convolution_plan(operands);
  const SpatialLoops loops = spatial_loops(plan.spatial);
  nest.size(Loop::B) = plan.in;
  nest.size(Loop::K) = plan.out;
  nest.size(Loop::G) = plan.groups;
  nest.size(Loop::C) = operands.image.shape[0];
  AccessDraft image(operands.image);
  AccessDraft feature(operands.feature);
  AccessDraft weight(operands.weight);
  image.add(Loop::C, operands.image.shape[0], operands.image.strides[0]);
  feature.add(Loop::C, operands.feature.shape[0], operands.feature.strides[0]);
  image.add(channel_axis(Loop::B, plan.groups, plan.in),
            operands.image.strides[1],
            operands.image.shape[1]);
  feature.add(channel_axis(Loop::K, plan.groups, plan.out),
              operands.feature.strides[1],
              operands.feature.shape[1]);
  weight.add(channel_axis(Loop::K, plan.groups, plan.out),
             operands.weight.strides[0],
             operands.weight.shape[0]);
  weight.add(Loop::B, plan.in, operands.weight.strides[1]);
  for (std::size_t s = 0; s < plan.spatial; ++s) {
    const WindowExtent e = window_extent(operands.image, operands.feature, operands.window, s);
    const WindowAxis axis = window_axis(
        loops.outer[s], loops.kernel[s], {e.image, e.kernel, e.feature, e.dilation, e.stride});
    nest.size(loops.outer[s]) = e.kernel;
    nest.size(loops.kernel[s]) = e.feature;
    image.add(axis.index, operands.image.strides[s + 2], axis.touched);
    feature.add(loops.kernel[s], e.feature, operands.feature.strides[s + 2]);
    weight.add(loops.outer[s], e.kernel, operands.weight.strides[s + 2]);
  }
  nest.bits = {operands.feature.element_bits,
               operands.image.element_bits,
               operands.partial_bits,
               operands.weight.element_bits};
  built.reads = {image.access(nest, NestOperand::I), feature.access(nest, NestOperand::W)};
  built.writes = {weight.access(nest, NestOperand::O)};
  return built;
}

std::optional<LoopNest> im2col_weight_gradient_nest(const ConvolutionOperands& operands) {
  if (operands.groups != 1) return std::nullopt;
  LoopNest nest;
  std::int64_t taps = operands.image.shape[1];
  std::int64_t positions = operands.image.shape[0];
  for (std::size_t s = 0; s < operands.window.kernel.size(); ++s) {
    taps *= operands.window.kernel[s];
    positions *= operands.feature.shape[s + 2];
  }
  nest.size(Loop::D) = taps;
  nest.size(Loop::C) = positions;
  nest.size(Loop::K) = operands.feature.shape[1];
  nest.operand(NestOperand::I) = {plain_axis(Loop::D, taps), plain_axis(Loop::C, positions)};
  nest.operand(NestOperand::W) = {plain_axis(Loop::C, positions),
                                  plain_axis(Loop::K, operands.feature.shape[1])};
  nest.operand(NestOperand::O) = {plain_axis(Loop::D, taps),
                                  plain_axis(Loop::K, operands.feature.shape[1])};
  nest.bits = {operands.feature.element_bits,
               operands.image.element_bits,
               operands.partial_bits,
               operands.weight.element_bits};
  return nest;
}

BuiltNest pooling_nest(const PoolingOperands& operands) {
  BuiltNest built = pooling_like_nest(operands, spatial_loops(operands.window.kernel.size()));
  Access& image = built.reads.front();
  Access& feature = built.writes.front();
  image.operand = NestOperand::I;
  feature.operand = NestOperand::O;
  built.nest.operand(NestOperand::I) = image.axes;
  built.nest.operand(NestOperand::O) = feature.axes;
  built.nest.bits = {operands.image.element_bits,
                     operands.image.element_bits,
                     operands.feature.element_bits,
                     operands.feature.element_bits};
  if (operands.indices) {
    const Access indices = indices_access(operands, feature);
    built.writes.push_back(indices);
  }
  return built;
}

BuiltNest pooling_gradient_nest(const PoolingOperands& operands) {
  BuiltNest built =
      pooling_like_nest(operands, transposed_spatial_loops(operands.window.kernel.size()));
  std::swap(built.reads, built.writes);
  Access& feature = built.reads.front();
  Access& image = built.writes.front();
  feature.operand = NestOperand::I;
  image.operand = NestOperand::O;
  built.nest.operand(NestOperand::I) = feature.axes;
  built.nest.operand(NestOperand::O) = image.axes;
  built.nest.bits = {operands.feature.element_bits,
                     operands.feature.element_bits,
                     operands.image.element_bits,
                     operands.image.element_bits};
  if (operands.indices) {
    Access indices = indices_access(operands, feature);
    indices.operand = NestOperand::W;
    built.nest.operand(NestOperand::W) = indices.axes;
    built.nest.bits.weight = operands.indices->element_bits;
    built.reads.push_back(indices);
  }
  return built;
}

}  // namespace paretrain::evaluator
