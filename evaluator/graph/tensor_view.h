// Why: views share a storage; which layouts can be seen as a view of which, and which force a copy,
// is decided by strides alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/graph/model_graph.h"

namespace paretrain::evaluator {

// Element [i0, i1, …] lies at offset + i0 * strides[0] + i1 * strides[1] + … of the storage.
// A stride of 0 repeats elements (Expand).
struct TensorView {
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  friend bool operator==(const TensorView&, const TensorView&) = default;
};

// The row-major view of a whole storage.
[[nodiscard]] TensorView whole_view(const Shape& shape);

// Row-major without gaps; dimensions of extent 1 do not matter.
[[nodiscard]] bool is_contiguous(const TensorView& view);
[[nodiscard]] bool repeats_elements(const TensorView& view);
// Whether the view shows every element of a storage of `elements` exactly once.
[[nodiscard]] bool covers(const TensorView& view, std::int64_t elements);

// The same elements in row-major order under another shape, when strides can express it.
// Requires: equal element counts. Source: the usual rule of strided tensors.
[[nodiscard]] std::optional<TensorView> reshaped(const TensorView& view, const Shape& shape);

// The same for a Reshape that a program wrote: programs are written for any batch, so a dimension
// of extent 1 that is merged with a neighbour must be mergeable by its strides, too.
[[nodiscard]] std::optional<TensorView> reshaped_for_any_batch(const TensorView& view,
                                                               const Shape& shape);

// permutation[i] is the old position of new dimension i.
[[nodiscard]] TensorView transposed(const TensorView& view,
                                    const std::vector<std::int64_t>& permutation);

struct SliceRange {
  std::size_t axis = 0;
  std::int64_t start = 0;
  std::int64_t count = 1;
  std::int64_t step = 1;
};

[[nodiscard]] TensorView sliced(const TensorView& view, const SliceRange& range);
[[nodiscard]] TensorView without_axis(const TensorView& view, std::size_t axis);
[[nodiscard]] TensorView with_axis(const TensorView& view, std::size_t axis);
// Broadcast to `shape`: dimensions align at the right. Requires: broadcastable.
[[nodiscard]] TensorView expanded(const TensorView& view, const Shape& shape);

// A dense view with the dimension order (by strides) of `like`, as elementwise results have.
[[nodiscard]] TensorView dense_like(const TensorView& like);

// `part` looks into a row-major base of shape `base`; `values` has part's shape and looks
// elsewhere. The view of shape `base` under which `values` shows the base's elements. Empty when
// part does not cover the base or strides cannot express it.
[[nodiscard]] std::optional<TensorView> pulled_back(const TensorView& part,
                                                    const Shape& base,
                                                    const TensorView& values);

// The other way round: `base_values` has shape `base` and looks elsewhere; what `part` of the base
// looks like there.
[[nodiscard]] std::optional<TensorView> pushed_through(const TensorView& part,
                                                       const Shape& base,
                                                       const TensorView& base_values);

// Whether the views show the elements of a storage of `elements` exactly once altogether, equal
// views counted once. False when strides do not tell.
[[nodiscard]] bool partition(const std::vector<TensorView>& views, std::int64_t elements);

}  // namespace paretrain::evaluator
