#include "problems/onnx_batch.h"

#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using evaluator::Shape;
using problems::BatchChange;
using problems::BatchPlace;

struct Placed {
  Shape shape;
  std::int64_t outer = 1;
  friend bool operator==(const Placed&, const Placed&) = default;
};

// From a file made with batch 1 to one of 8.
Placed placed(const Shape& source, BatchPlace place, const Shape& target) {
  const BatchChange change{1, 8};
  const BatchPlace found = problems::reshaped_batch(source, place, target, std::nullopt, change);
  return {problems::rescaled(target, found.axis, change), found.outer};
}

TEST_CASE("reshaped_batch: a batch axis in front stays in front") {
  CHECK(placed({1, 768, 14, 14}, {0, 1}, {1, 768, 196}) == Placed{{8, 768, 196}, 1});
  CHECK(placed({1, 512, 1, 1}, {0, 1}, {1, 512}) == Placed{{8, 512}, 1});
  CHECK(placed({1, 128, 768}, {0, 1}, {1, 128, 12, 64}) == Placed{{8, 128, 12, 64}, 1});
}

TEST_CASE("reshaped_batch: heads of one sequence first layout take the batch and give it back") {
  CHECK(placed({128, 1, 768}, {1, 1}, {128, 12, 64}) == Placed{{128, 96, 64}, 1});
  CHECK(placed({128, 12, 64}, {1, 1}, {128, 768}) == Placed{{1024, 768}, 128});
  CHECK(placed({128, 768}, {0, 128}, {128, 1, 768}) == Placed{{128, 8, 768}, 1});
}

TEST_CASE("reshaped_batch: tokens of all samples become rows") {
  CHECK(placed({1, 128, 768}, {0, 1}, {128, 768}) == Placed{{1024, 768}, 1});
  CHECK(placed({128, 768}, {0, 1}, {1, 128, 768}) == Placed{{8, 128, 768}, 1});
}

TEST_CASE("reshaped_batch: windows of an image multiply with the batch") {
  CHECK(placed({1, 8, 8, 7, 7, 96}, {0, 1}, {64, 49, 96}) == Placed{{512, 49, 96}, 1});
  CHECK(placed({64, 7, 7, 96}, {0, 1}, {1, 8, 8, 7, 7, 96}) == Placed{{8, 8, 8, 7, 7, 96}, 1});
}

TEST_CASE("reshaped_batch: a batch above one is found by its size") {
  const BatchChange change{4, 6};
  const auto rows = problems::reshaped_batch({5, 4, 3}, {1, 1}, {20, 3}, std::nullopt, change);
  CHECK(rows.axis == 0);
  CHECK(rows.outer == 5);
  CHECK(problems::rescaled({20, 3}, 0, change) == Shape{30, 3});
}

TEST_CASE("reshaped_batch: several axes that could take the batch are a fault") {
  CHECK_THROWS_AS(static_cast<void>(placed({2, 3}, {0, 2}, {2, 1, 1, 3})), problems::ShapeFault);
  const BatchPlace open = problems::reshaped_batch({2, 3}, {0, 2}, {2, 1, 1, 3}, 2, {1, 8});
  CHECK(open.axis == 2);
}

TEST_CASE("reshaped_batch: a batch that would be torn apart is a fault") {
  CHECK_THROWS_AS(
      static_cast<void>(problems::reshaped_batch({4, 3}, {0, 1}, {2, 2, 3}, std::nullopt, {4, 8})),
      problems::ShapeFault);
}

}  // namespace

}  // namespace paretrain::tests
