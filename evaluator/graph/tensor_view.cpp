#include "evaluator/graph/tensor_view.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

struct Dimension {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
};

// Dimensions larger than 1, outermost (largest stride) first, mergeable neighbours merged.
std::vector<Dimension> merged_by_stride(const TensorView& view) {
  std::vector<Dimension> dimensions;
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] > 1) dimensions.push_back({view.shape[d], view.strides[d]});
  std::stable_sort(dimensions.begin(),
                   dimensions.end(),
                   [](const Dimension& a, const Dimension& b) { return a.stride > b.stride; });
  std::vector<Dimension> merged;
  for (const Dimension& d : dimensions) {
    if (!merged.empty() && merged.back().stride == d.stride * d.extent) {
      merged.back() = {merged.back().extent * d.extent, d.stride};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

std::vector<std::size_t> order_by_stride(const TensorView& view) {
  std::vector<std::size_t> order(view.shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return view.strides[a] > view.strides[b];
  });
  return order;
}

// Whether dimension `d` of extent 1 can be merged with both neighbours as if it were larger.
bool merges_with_neighbours(const TensorView& view, std::size_t d) {
  const bool left = d == 0 || view.strides[d - 1] == view.shape[d] * view.strides[d];
  const bool right =
      d + 1 == view.shape.size() || view.strides[d] == view.shape[d + 1] * view.strides[d + 1];
  return left && right;
}

// Whether `shape` has a dimension of extent 1 after `before` elements' worth of dimensions.
bool keeps_unit_dimension(const Shape& shape, std::int64_t before) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    if (product == before && extent == 1) return true;
    product *= extent;
  }
  return false;
}

}  // namespace

TensorView whole_view(const Shape& shape) {
  TensorView view{shape, std::vector<std::int64_t>(shape.size(), 1), 0};
  for (std::size_t d = shape.size(); d-- > 1;)
    view.strides[d - 1] = view.strides[d] * shape[d];
  return view;
}

bool is_contiguous(const TensorView& view) {
  std::int64_t expected = 1;
  for (std::size_t d = view.shape.size(); d-- > 0;) {
    if (view.shape[d] == 1) continue;
    if (view.strides[d] != expected) return false;
    expected *= view.shape[d];
  }
  return true;
}

bool repeats_elements(const TensorView& view) {
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] > 1 && view.strides[d] == 0) return true;
  return false;
}

bool covers(const TensorView& view, std::int64_t elements) {
  if (element_count(view.shape) != elements || repeats_elements(view)) return false;
  const auto merged = merged_by_stride(view);
  return merged.empty() || (merged.size() == 1 && merged.front().stride == 1);
}

std::optional<TensorView> reshaped(const TensorView& view, const Shape& shape) {
  CHECK(element_count(view.shape) == element_count(shape), "a reshape keeps the elements");
  TensorView result{shape, std::vector<std::int64_t>(shape.size(), 1), view.offset};
  if (view.shape.empty()) return result;
  std::size_t target = shape.size();
  std::int64_t chunk_stride = view.strides.back();
  std::int64_t source_count = 1;
  std::int64_t target_count = 1;
  for (std::size_t d = view.shape.size(); d-- > 0;) {
    source_count *= view.shape[d];
    const bool ends_chunk =
        d == 0 || (view.shape[d - 1] != 1 && view.strides[d - 1] != source_count * chunk_stride);
    if (!ends_chunk) continue;
    while (target > 0 && (target_count < source_count || shape[target - 1] == 1)) {
      result.strides[target - 1] = target_count * chunk_stride;
      target_count *= shape[target - 1];
      --target;
    }
    if (target_count != source_count) return std::nullopt;
    if (d > 0) {
      chunk_stride = view.strides[d - 1];
      source_count = 1;
      target_count = 1;
    }
  }
  if (target != 0) return std::nullopt;
  return result;
}

std::optional<TensorView> reshaped_for_any_batch(const TensorView& view, const Shape& shape) {
  auto result = reshaped(view, shape);
  if (!result || is_contiguous(view)) return result;
  std::int64_t before = 1;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const bool merged = view.shape[d] == 1 && !keeps_unit_dimension(shape, before);
    if (merged && !merges_with_neighbours(view, d)) return std::nullopt;
    before *= view.shape[d];
  }
  return result;
}

TensorView transposed(const TensorView& view, const std::vector<std::int64_t>& permutation) {
  CHECK(permutation.size() == view.shape.size(), "a permutation names every dimension");
  TensorView result{{}, {}, view.offset};
  for (const std::int64_t from : permutation) {
    result.shape.push_back(view.shape[static_cast<std::size_t>(from)]);
    result.strides.push_back(view.strides[static_cast<std::size_t>(from)]);
  }
  return result;
}

TensorView sliced(const TensorView& view, const SliceRange& range) {
  TensorView result = view;
  result.offset += range.start * view.strides[range.axis];
  result.shape[range.axis] = range.count;
  result.strides[range.axis] = view.strides[range.axis] * range.step;
  return result;
}

TensorView without_axis(const TensorView& view, std::size_t axis) {
  TensorView result = view;
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  result.strides.erase(result.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return result;
}

TensorView with_axis(const TensorView& view, std::size_t axis) {
  TensorView result = view;
  const std::int64_t stride =
      axis < view.shape.size() ? view.strides[axis] * view.shape[axis] : std::int64_t{1};
  result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  result.strides.insert(result.strides.begin() + static_cast<std::ptrdiff_t>(axis), stride);
  return result;
}

TensorView expanded(const TensorView& view, const Shape& shape) {
  CHECK(shape.size() >= view.shape.size(), "a broadcast does not lose dimensions");
  TensorView result{shape, std::vector<std::int64_t>(shape.size(), 0), view.offset};
  const std::size_t lead = shape.size() - view.shape.size();
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    CHECK(view.shape[d] == 1 || view.shape[d] == shape[lead + d], "shapes broadcast");
    if (view.shape[d] == shape[lead + d]) result.strides[lead + d] = view.strides[d];
  }
  return result;
}

TensorView dense_like(const TensorView& like) {
  if (repeats_elements(like)) return whole_view(like.shape);
  TensorView result{like.shape, like.strides, 0};
  std::int64_t stride = 1;
  const auto order = order_by_stride(like);
  for (std::size_t i = order.size(); i-- > 0;) {
    result.strides[order[i]] = stride;
    stride *= like.shape[order[i]];
  }
  return result;
}

std::optional<TensorView> pulled_back(const TensorView& part,
                                      const Shape& base,
                                      const TensorView& values) {
  if (part.offset != 0 || !covers(part, element_count(base))) return std::nullopt;
  TensorView sorted{{}, {}, values.offset};
  for (const std::size_t d : order_by_stride(part)) {
    if (part.shape[d] == 1) continue;
    sorted.shape.push_back(values.shape[d]);
    sorted.strides.push_back(values.strides[d]);
  }
  return reshaped(sorted, base);
}

std::optional<TensorView> pushed_through(const TensorView& part,
                                         const Shape& base,
                                         const TensorView& base_values) {
  // Runs of base dimensions that are also one dimension in the values: (extent, stride in the
  // base, stride in the values).
  struct Run {
    std::int64_t extent = 1;
    std::int64_t base_stride = 1;
    std::int64_t value_stride = 1;
  };

  const TensorView whole = whole_view(base);
  std::vector<Run> runs;
  for (std::size_t d = 0; d < base.size(); ++d) {
    if (base[d] == 1) continue;
    const Run run{base[d], whole.strides[d], base_values.strides[d]};
    if (!runs.empty() && runs.back().value_stride == run.extent * run.value_stride) {
      runs.back() = {runs.back().extent * run.extent, run.base_stride, run.value_stride};
    } else {
      runs.push_back(run);
    }
  }
  TensorView result{
      part.shape, std::vector<std::int64_t>(part.shape.size(), 0), base_values.offset};
  std::int64_t rest = part.offset;
  for (const Run& run : runs) {
    result.offset += rest / run.base_stride * run.value_stride;
    rest %= run.base_stride;
  }
  for (std::size_t d = 0; d < part.shape.size(); ++d) {
    if (part.shape[d] == 1 || part.strides[d] == 0) continue;
    bool found = false;
    for (const Run& run : runs) {
      const std::int64_t reach = (part.shape[d] - 1) * part.strides[d];
      if (part.strides[d] % run.base_stride != 0) continue;
      if (reach >= run.extent * run.base_stride) continue;
      result.strides[d] = part.strides[d] / run.base_stride * run.value_stride;
      found = true;
      break;
    }
    if (!found) return std::nullopt;
  }
  return result;
}

bool partition(const std::vector<TensorView>& views, std::int64_t elements) {
  std::vector<TensorView> distinct;
  for (const TensorView& view : views) {
    if (repeats_elements(view)) return false;
    const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const TensorView& other) {
      if (other.offset != view.offset) return false;
      const auto a = merged_by_stride(other);
      const auto b = merged_by_stride(view);
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto x, auto y) {
        return x.extent == y.extent && x.stride == y.stride;
      });
    });
    if (!known) distinct.push_back(view);
  }

  // Every view must be `rows` pieces of one length at one pitch; the pieces must tile the pitch.
  struct Piece {
    std::int64_t begin = 0;
    std::int64_t length = 0;
  };

  std::vector<Piece> pieces;
  std::int64_t pitch = elements;
  bool first = true;
  for (const TensorView& view : distinct) {
    auto merged = merged_by_stride(view);
    std::int64_t length = 1;
    if (!merged.empty() && merged.back().stride == 1) {
      length = merged.back().extent;
      merged.pop_back();
    }
    if (merged.size() > 1) return false;
    const std::int64_t own_pitch = merged.empty() ? elements : merged.front().stride;
    if (!merged.empty() && merged.front().extent * own_pitch != elements) return false;
    if (!first && own_pitch != pitch) return false;
    if (view.offset + length > own_pitch) return false;
    pitch = own_pitch;
    first = false;
    pieces.push_back({view.offset, length});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.begin < b.begin;
  });
  std::int64_t end = 0;
  for (const Piece& piece : pieces) {
    if (piece.begin != end) return false;
    end = piece.begin + piece.length;
  }
  return end == pitch;
}

}  // namespace paretrain::evaluator
