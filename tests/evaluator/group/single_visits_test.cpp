#include "evaluator/group/single_visits.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/checked_math.h"
#include "base/random.h"
#include "tests/evaluator/group/small_graph.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::ceil_div;
using paretrain::RandomStream;
using paretrain::tests::SmallGraph;

namespace {

std::uint64_t seed() {
  const char* const given = std::getenv("TEST_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

std::int64_t between(RandomStream& random, std::int64_t least, std::int64_t most) {
  return least +
         static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

// Indices that a tile moves, by definition: the extreme ones that its iterations touch; of the
// innermost cut, or without halos, only those beyond what the tile before reached. What a stride
// leaves out between two tiles goes with the later one.
std::int64_t moved_by_definition(const Slide& along,
                                 const LoopCut& cut,
                                 std::int64_t tile,
                                 bool adds) {
  const std::int64_t first = tile * cut.count;
  const std::int64_t past = std::min(first + cut.count, along.loop_size);
  const std::int64_t to = past == along.loop_size ? along.extent : along.end_of(past - 1);
  const std::int64_t before = tile > 0 ? along.end_of(first - 1) : 0;
  return std::max<std::int64_t>(0, to - (adds ? before : std::min(before, along.begin_of(first))));
}

// A convolution of [1, 4, 16, 16], 64 bytes a row, and its read of the image.
struct Subject {
  Subject(std::int64_t kernel, std::int64_t stride) {
    graph.convolution(graph.tensor("x", {1, 4, 16, 16}, StorageRole::Input), 8, kernel, stride);
  }

  [[nodiscard]] TensorVisits visits(const std::vector<LoopCount>& cuts) const {
    const Operator& op = graph.graph().operators.front();
    return tensor_visits(
        op.reads.front(), op.nest, loop_cuts(op.nest, cuts), 16 * 64, Halo::Included);
  }

  SmallGraph graph;
};

}  // namespace

TEST_CASE("tensor_visits: lists in order what tile after tile moves") {
  std::size_t several = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    RandomStream random(seed(), 0, trial);
    LoopNest nest;
    nest.size(Loop::OY) = between(random, 1, 60);
    nest.size(Loop::FY) = between(random, 1, 7);
    nest.size(Loop::K) = between(random, 1, 40);
    Access access;
    const std::int64_t stride = between(random, 1, 3);
    const std::int64_t dilation = between(random, 1, 2);
    const std::int64_t span =
        stride * (nest.size(Loop::OY) - 1) + dilation * (nest.size(Loop::FY) - 1) + 1;
    access.axes = {{Loop::K, 1, false, Loop::FY, 1, nest.size(Loop::K)},
                   {Loop::OY,
                    stride,
                    true,
                    Loop::FY,
                    dilation,
                    std::max<std::int64_t>(1, span - between(random, 0, 8))}};
    const Halo halo = random.below(2) == 0 ? Halo::Included : Halo::Excluded;
    std::vector<LoopCount> counts = {{Loop::OY, between(random, 1, nest.size(Loop::OY))},
                                     {Loop::K, between(random, 1, nest.size(Loop::K))}};
    if (random.below(2) == 0) std::swap(counts[0], counts[1]);
    const std::vector<LoopCut> cuts = loop_cuts(nest, counts);
    const std::int64_t total = between(random, 1, 100000);
    const bool inner_moves = cuts[1].tiles > 1;
    std::vector<Portion> expected;
    std::vector<Portion> outer;
    const Slide first = *slide(access, nest, cuts[0].loop);
    const Slide second = *slide(access, nest, cuts[1].loop);
    if (!inner_moves && cuts[0].tiles == 1) continue;
    for (std::int64_t tile = 0; tile < cuts[0].tiles; ++tile)
      add_portion(outer,
                  moved_by_definition(first, cuts[0], tile, !inner_moves || halo == Halo::Excluded),
                  1);
    for (const Portion& part : outer) {
      const std::int64_t bytes = ceil_div(total * part.bytes, first.extent);
      std::vector<Portion> lengths;
      for (std::int64_t tile = 0; inner_moves && tile < cuts[1].tiles; ++tile)
        add_portion(lengths, moved_by_definition(second, cuts[1], tile, true), 1);
      for (const Portion& length : lengths)
        add_portion(
            expected, ceil_div(bytes * length.bytes, second.extent), part.times * length.times);
      if (!inner_moves) add_portion(expected, bytes, part.times);
    }
    const TensorVisits visits = tensor_visits(access, nest, cuts, total, halo);
    REQUIRE(visits.portions.size() == expected.size());
    for (std::size_t p = 0; p < expected.size(); ++p) {
      CHECK(visits.portions[p].bytes == expected[p].bytes);
      CHECK(visits.portions[p].times == expected[p].times);
    }
    several += expected.size() > 2 ? 1U : 0U;
  }
  CHECK(several > 50);
}

TEST_CASE("tensor_visits: the first and the last part along padded rows differ from the others") {
  const TensorVisits visits = Subject(3, 1).visits({{Loop::OY, 4}});
  CHECK(visits.count == 4);
  // Rows 0 to 4, then four each, then three.
  CHECK(visits.rounds == VisitBytes{5 * 64, 4 * 64, 3 * 64});
}

TEST_CASE("tensor_visits: the first of several rounds lacks what padding is for the others") {
  const TensorVisits visits = Subject(3, 1).visits({{Loop::OY, 4}, {Loop::C, 2}});
  CHECK(visits.count == 8);
  CHECK(visits.round == 2);
  // Five rows at the edges, six between them, of two of four channels.
  CHECK(visits.first_round == VisitBytes{5 * 32, 5 * 32, 5 * 32});
  CHECK(visits.rounds == VisitBytes{6 * 32, 6 * 32, 6 * 32});
  CHECK(visits.last_round == VisitBytes{5 * 32, 5 * 32, 5 * 32});
}
