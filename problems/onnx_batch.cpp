#include "problems/onnx_batch.h"

#include "base/checked_math.h"
#include "base/number_text.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;

std::int64_t product_before(const Shape& shape, std::size_t axis) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < axis; ++i)
    product *= shape[i];
  return product;
}

// Axes of the target in which a block of `batch` elements that starts at `position` (in units of
// the row-major product of the factors before it) can lie.
struct Candidates {
  std::vector<std::size_t> ones;        // axes of extent exactly the batch at the position
  std::optional<std::size_t> ending;    // the axis whose fastest factor it would be
  std::optional<std::size_t> starting;  // the axis whose slowest factor it would be
  std::optional<std::size_t> inside;    // the axis that holds it in the middle
};

Candidates candidates_of(const Shape& target, std::int64_t position, std::int64_t batch) {
  Candidates found;
  std::int64_t before = 1;
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    const std::int64_t after = before * target[axis];
    const std::int64_t end = position * batch;
    const bool fits =
        before <= position && end <= after && position % before == 0 && after % end == 0;
    if (fits && target[axis] == batch && before == position) {
      found.ones.push_back(axis);
    } else if (fits && after == end) {
      found.ending = axis;
    } else if (fits && before == position) {
      if (!found.starting) found.starting = axis;
    } else if (fits) {
      found.inside = axis;
    }
    before = after;
  }
  return found;
}

bool holds(const std::optional<std::size_t>& axis, std::size_t wanted) {
  return axis && *axis == wanted;
}

}  // namespace

BatchPlace reshaped_batch(const Shape& source,
                          BatchPlace place,
                          const Shape& target,
                          std::optional<std::size_t> open,
                          const BatchChange& change) {
  if (source == target) return place;
  const std::int64_t position = product_before(source, place.axis) * place.outer;
  const Candidates found = candidates_of(target, position, change.from);
  const auto placed = [&](std::size_t axis) {
    return BatchPlace{axis, position / product_before(target, axis)};
  };
  if (found.ones.size() == 1) return placed(found.ones[0]);
  for (const std::size_t axis : found.ones) {
    // Axes in front that stay as they are keep their meaning.
    const bool own = source[place.axis] == change.from;
    if (own && axis == place.axis) return placed(axis);
    if (open && axis == *open) return placed(axis);
  }
  if (!found.ones.empty())
    throw ShapeFault{"the batch could be axis " +
                     number_text(static_cast<std::int64_t>(found.ones[0])) + " or " +
                     number_text(static_cast<std::int64_t>(found.ones[1])) + " of " +
                     shape_text(target)};
  if (found.inside) return placed(*found.inside);
  if (!found.ending && !found.starting)
    throw ShapeFault{"the batch of " + shape_text(source) + " would be split over axes of " +
                     shape_text(target)};
  if (!found.starting) return placed(*found.ending);
  if (!found.ending) return placed(*found.starting);
  if (open && (holds(found.ending, *open) || holds(found.starting, *open))) return placed(*open);
  const bool own = source[place.axis] == change.from;
  const bool left_same = own && place.axis > 0 && source[place.axis - 1] == target[*found.ending];
  const bool right_same =
      own && place.axis + 1 < source.size() && source[place.axis + 1] == target[*found.starting];
  const bool last = *found.starting + 1 == target.size();
  return placed((left_same && right_same) || last ? *found.ending : *found.starting);
}

Shape rescaled(Shape shape, std::size_t axis, const BatchChange& change) {
  std::int64_t& extent = shape[axis];
  if (extent % change.from != 0)
    throw ShapeFault{"an extent of " + number_text(extent) + " holds the batch of " +
                     number_text(change.from) + " but is no multiple of it"};
  const auto product = checked_product(extent / change.from, change.to);
  if (!product) throw ShapeFault{"the batch is too large"};
  extent = *product;
  return shape;
}

}  // namespace paretrain::problems
