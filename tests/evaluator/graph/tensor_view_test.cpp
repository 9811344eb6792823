#include "evaluator/graph/tensor_view.h"

#include <map>
#include <set>

#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

// The storage positions that a view shows, in row-major order of its dimensions.
std::vector<std::int64_t> positions(const TensorView& view) {
  std::vector<std::int64_t> result = {view.offset};
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t base : result)
      for (std::int64_t i = 0; i < view.shape[d]; ++i)
        next.push_back(base + i * view.strides[d]);
    result = next;
  }
  return result;
}

Shape factored(std::int64_t elements, RandomStream& random) {
  Shape shape;
  while (elements > 1) {
    std::int64_t factor = 1 + static_cast<std::int64_t>(random.below(6));
    while (elements % factor != 0)
      --factor;
    shape.push_back(factor);
    elements /= factor;
    if (shape.size() == 5) {
      shape.back() *= elements;
      break;
    }
  }
  return shape;
}

}  // namespace

TEST_CASE("reshaped: a view that exists shows the same elements in the same order") {
  RandomStream random(7, 0, 0);
  int found = 0;
  for (int round = 0; round < 2000; ++round) {
    TensorView view = whole_view({2, 3, 4, 6});
    std::vector<std::int64_t> permutation = {0, 1, 2, 3};
    for (std::size_t i = 3; i > 0; --i)
      std::swap(permutation[i], permutation[random.below(i + 1)]);
    if (random.below(2) == 0) view = transposed(view, permutation);
    const std::size_t axis = random.below(4);
    const std::int64_t extent = view.shape[axis];
    view = sliced(view, {axis, 0, std::max<std::int64_t>(1, extent / 2), 1});
    const Shape shape = factored(element_count(view.shape), random);
    const auto seen = reshaped(view, shape);
    if (!seen) continue;
    ++found;
    CHECK(positions(*seen) == positions(view));
  }
  CHECK(found > 100);
}

TEST_CASE("reshaped: heads that were turned cannot be joined without a copy") {
  const TensorView heads = transposed(whole_view({2, 5, 4, 8}), {0, 2, 1, 3});
  CHECK_FALSE(reshaped(heads, {2, 4, 40}).has_value());
  CHECK_FALSE(reshaped(heads, {8, 5, 8}).has_value());
  const TensorView one_sample = transposed(whole_view({1, 5, 4, 8}), {0, 2, 1, 3});
  CHECK(reshaped(one_sample, {4, 5, 8}).has_value());
}

TEST_CASE("reshaped_for_any_batch: a part of a packed projection is copied also for one sample") {
  // [tokens, batch, 3 * width], the first third, to [tokens, batch * heads, width / heads].
  const TensorView part = sliced(whole_view({7, 1, 24}), {2, 0, 8, 1});
  CHECK(reshaped(part, {7, 2, 4}).has_value());
  CHECK_FALSE(reshaped_for_any_batch(part, {7, 2, 4}).has_value());
  // Splitting the width alone needs no copy.
  CHECK(reshaped_for_any_batch(sliced(whole_view({1, 7, 24}), {2, 0, 8, 1}), {1, 7, 2, 4})
            .has_value());
}

TEST_CASE("pulled_back and pushed_through: are inverse on whole views") {
  RandomStream random(11, 0, 0);
  const Shape base = {3, 4, 5};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> permutation = {0, 1, 2};
    for (std::size_t i = 2; i > 0; --i)
      std::swap(permutation[i], permutation[random.below(i + 1)]);
    const TensorView part = transposed(whole_view(base), permutation);
    // Values that lie elsewhere with gaps.
    TensorView values = whole_view({part.shape[0], part.shape[1], part.shape[2] * 2});
    values = sliced(values, {2, part.shape[2], part.shape[2], 1});
    const auto back = pulled_back(part, base, values);
    REQUIRE(back.has_value());
    CHECK(back->shape == base);
    const auto forth = pushed_through(part, base, *back);
    REQUIRE(forth.has_value());
    CHECK(positions(*forth) == positions(values));
  }
}

TEST_CASE("partition: thirds tile a row and a third alone does not") {
  const TensorView whole = whole_view({2, 5, 12});
  const auto third = [&](std::int64_t i) { return sliced(whole, {2, 4 * i, 4, 1}); };
  CHECK(partition({third(0), third(1), third(2)}, 120));
  CHECK(partition({third(0), third(1), third(1), third(2)}, 120));
  CHECK_FALSE(partition({third(0), third(2)}, 120));
  CHECK_FALSE(partition({whole, third(0)}, 120));
  CHECK(partition({whole}, 120));
}

TEST_CASE("dense_like: keeps the order of dimensions and closes gaps") {
  const TensorView turned = transposed(whole_view({2, 3, 4}), {2, 0, 1});
  CHECK(dense_like(turned).strides == turned.strides);
  const TensorView part = sliced(turned, {0, 0, 2, 1});
  CHECK(covers(dense_like(part), 12));
}

TEST_CASE("expanded: repeats with stride 0 and covers nothing twice") {
  const TensorView row = whole_view({1, 4});
  const TensorView wide = expanded(row, {3, 4});
  CHECK(repeats_elements(wide));
  CHECK_FALSE(covers(wide, 4));
  CHECK(covers(row, 4));
}

}  // namespace paretrain::tests
