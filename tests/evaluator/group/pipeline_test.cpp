#include "evaluator/group/pipeline.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/random.h"
#include "evaluator/group/first_come.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::RandomStream;

namespace {

StageUse use(std::size_t resource, std::int64_t cycles) {
  return {ResourceId(resource), cycles, cycles};
}

// Fetch on resource 0, work on 1, store on 2, each with two buffers.
std::vector<Stage> fetch_work_store(std::int64_t tiles,
                                    std::int64_t fetch,
                                    std::int64_t work,
                                    std::int64_t store) {
  std::vector<Stage> stages(3);
  for (Stage& stage : stages)
    stage.tiles = tiles;
  stages[0] = {tiles, 0, {use(0, fetch)}, {}, {{1, 2}}};
  stages[1] = {tiles, 1, {use(1, work)}, {{0, 0}}, {{2, 2}}};
  stages[2] = {tiles, 2, {use(2, store)}, {{1, 0}}, {}};
  return stages;
}

std::uint64_t seed() {
  const char* const given = std::getenv("TEST_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

// Stages with random times, lags and buffers; levels such that what is waited for comes earlier.
std::vector<Stage> random_pipeline(RandomStream& random) {
  std::vector<Stage> stages(2 + random.below(6));
  const auto tiles = static_cast<std::int64_t>(1 + random.below(120));
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Stage& stage = stages[s];
    stage.tiles = tiles - static_cast<std::int64_t>(random.below(2)) * (tiles / 2);
    const auto cycles = static_cast<std::int64_t>(random.below(50));
    stage.uses = {{ResourceId(random.below(4)), cycles, cycles / 2}};
    stage.uses.front().first_more = random.below(2) == 0 ? 2 * cycles : -cycles / 2;
    if (s == 0) continue;
    const std::size_t before = random.below(s);
    const auto lag = static_cast<std::int64_t>(random.below(3));
    stage.level = stages[before].level + lag + static_cast<std::int64_t>(random.below(2));
    stage.waits.push_back({before, lag});
    // Tiles of this stage may be smaller than those of the other one.
    if (random.below(3) == 0) {
      const auto every = static_cast<std::int64_t>(1 + random.below(7));
      const std::int64_t gain = every - static_cast<std::int64_t>(random.below(2));
      const std::int64_t ahead = lag * every - static_cast<std::int64_t>(random.below(3));
      stage.waits.back() = {before, 0, 1, 1, {gain, ahead, every}};
    }
    stages[before].rooms.push_back(
        {s, stage.level - stages[before].level + 1 + static_cast<std::int64_t>(random.below(2))});
  }
  return stages;
}

StageUse random_rounds(RandomStream& random, std::size_t resource) {
  const auto cycles = [&] { return static_cast<std::int64_t>(random.below(30)); };
  StageUse use{ResourceId(resource), cycles(), cycles()};
  use.rounds = {cycles(), cycles(), cycles()};
  use.last_round = {cycles(), cycles(), cycles()};
  if (random.below(2) == 0) use.first_round_more = {cycles(), cycles(), -use.rounds.last};
  return use;
}

// An operator of rounds of steps; a tensor that comes in bursts while the round before is worked
// on, one that comes with every step, and a result that leaves after every round.
std::vector<Stage> random_rounds(RandomStream& random) {
  const auto rounds = static_cast<std::int64_t>(2 + random.below(60));
  const auto steps = static_cast<std::int64_t>(1 + random.below(5));
  std::vector<Stage> stages(5);
  for (Stage& stage : stages)
    stage.uses = {random_rounds(random, random.below(4))};
  stages[0].tiles = rounds * steps;
  stages[0].round = steps;
  stages[0].waits = {{0, -1}, {1, 0}, {2, -1, steps, steps}, {3, 0}};
  stages[0].rooms = {{4, 2, steps, 1}};
  stages[2].tiles = (rounds - 1) * steps;
  stages[2].round = stages[2].order_per = stages[2].order_times = stages[2].level = steps;
  stages[2].waits = {{1, 0}, {2, -1}};
  stages[2].rooms = {{0, 1, steps, steps}};
  stages[3].tiles = rounds * steps;
  stages[3].round = steps;
  stages[3].rooms = {{0, 2}};
  stages[4].tiles = rounds;
  stages[4].order_times = steps;
  stages[4].level = steps - 1;
  stages[4].waits = {{0, steps - 1, 1, steps}};
  return stages;
}

// An operator cut by two loops: what the inner loop needs comes with every step, what the outer one
// needs in bursts during the pass before, sums leave after every pass or step.
std::vector<Stage> random_passes(RandomStream& random) {
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  const std::int64_t passes = 2 + below(5);
  const std::int64_t steps = 100 + below(900);
  const std::int64_t bursts = below(2) == 0 ? 1 + below(4) : 1 + below(80);
  const auto uses = [&] {
    StageUse one = use(random.below(4), below(40));
    one.last_cycles = below(40);
    one.first_more = below(10);
    return std::vector<StageUse>{one};
  };
  std::vector<Stage> stages(4);
  stages[0].tiles = passes * steps;
  stages[0].uses = uses();
  stages[0].waits = {{0, -1}, {1, 0}, {2, -1, steps, bursts}};
  stages[1].tiles = passes * steps;
  stages[1].uses = uses();
  stages[1].rooms = {{0, 1 + below(2)}};
  stages[2].tiles = (passes - 1) * bursts;
  stages[2].uses = {random_rounds(random, random.below(4))};
  stages[2].uses.front().cycles = below(30);
  stages[2].round = bursts;
  stages[2].order_per = bursts;
  stages[2].order_times = stages[2].level = steps;
  stages[2].waits = {{2, -1}};
  stages[2].rooms = {{0, 1, bursts, steps}};
  const bool sums = below(2) == 0;
  stages[3].tiles = sums ? passes : passes * steps;
  stages[3].uses = uses();
  stages[3].level = sums ? steps - 1 : 1;
  stages[3].order_times = sums ? steps : 1;
  stages[3].waits = {sums ? StageWait{0, steps - 1, 1, steps} : StageWait{0, 0}};
  stages[0].rooms = {sums ? StageRoom{3, 1 + below(2), steps, 1} : StageRoom{3, 2}};
  return stages;
}

}  // namespace

TEST_CASE("makespan: without a stage nothing happens") {
  CHECK(makespan({}, 3).cycles == 0);
}

TEST_CASE("makespan: one tile passes through all stages in turn") {
  CHECK(makespan(fetch_work_store(1, 5, 7, 3), 3).cycles == 15);
}

TEST_CASE("makespan: the slowest stage sets the pace of ten tiles") {
  // First fetch, ten times the work, last store.
  CHECK(makespan(fetch_work_store(10, 5, 7, 3), 3).cycles == 5 + 10 * 7 + 3);
  CHECK(makespan(fetch_work_store(10, 9, 7, 3), 3).cycles == 10 * 9 + 7 + 3);
  CHECK(makespan(fetch_work_store(10, 2, 3, 8), 3).cycles == 2 + 3 + 10 * 8);
}

TEST_CASE("makespan: fetch and store on one medium add up") {
  std::vector<Stage> stages = fetch_work_store(10, 5, 4, 3);
  stages[2].uses = {use(0, 3)};
  const Makespan run = makespan(stages, 3);
  CHECK(run.busy[0] == 80);
  CHECK(run.cycles >= 80);
  CHECK(run.cycles <= 80 + 4 + 5);
}

TEST_CASE("makespan: with one buffer fetch and work take turns") {
  std::vector<Stage> stages = fetch_work_store(10, 5, 7, 0);
  stages[0].level = 0;
  stages[1].level = 0;
  stages[0].rooms = {{1, 1}};
  CHECK(makespan(stages, 3).cycles == 10 * (5 + 7));
}

TEST_CASE("makespan: a ragged last tile takes its own time") {
  std::vector<Stage> stages = fetch_work_store(10, 5, 7, 3);
  stages[1].uses = {{ResourceId(1), 7, 2}};
  // The store of the ninth tile ends after the tenth is done.
  CHECK(makespan(stages, 3).cycles == 5 + 9 * 7 + 3 + 3);
}

TEST_CASE("makespan: a larger first tile takes its own time") {
  std::vector<Stage> stages = fetch_work_store(10, 5, 7, 3);
  stages[0].uses.front().first_more = 20;
  const Makespan run = makespan(stages, 3);
  CHECK(run.cycles == 25 + 10 * 7 + 3);
  CHECK(run.busy[0] == 20 + 10 * 5);
}

TEST_CASE("makespan: the first of several rounds takes its own time") {
  // Two rounds of two: 5 + 2, then 3 + 2.
  Stage stage{4, 0, {{ResourceId(0)}}, {}, {}};
  stage.round = 2;
  stage.uses.front().rounds = stage.uses.front().last_round = {3, 3, 2};
  stage.uses.front().first_round_more = {2, 0, 0};
  const Makespan run = makespan(std::vector{stage}, 1);
  CHECK(run.cycles == 12);
  CHECK(run.busy[0] == 12);
}

TEST_CASE("makespan: a tile waits for as many of another size as it needs") {
  // Six tiles need tiles 0, 1, 1, 2, 3 and 3 of four that take 10 each.
  std::vector<Stage> stages(2);
  stages[0] = {4, 0, {use(0, 10)}, {}, {}};
  stages[1] = {6, 1, {use(1, 1)}, {{0, 0, 1, 1, {2, 1, 3}}}, {}};
  CHECK(makespan(stages, 2).cycles == 40 + 2);
  stages[1].uses = {use(1, 10)};
  CHECK(makespan(stages, 2).cycles == 10 + 60);
  CHECK(TilePace{2, 1, 3}.tile(1) == 1);
  CHECK(TilePace{2, 1, 3}.tile(3) == 2);
  CHECK(TilePace{1, -2, 1}.tile(1) == 0);
}

TEST_CASE("makespan: thousands of tiles are extrapolated from a few") {
  const Makespan run = makespan(fetch_work_store(100000, 5, 7, 3), 3);
  CHECK(run.cycles == 5 + 100000 * 7 + 3);
  CHECK(run.items_taken < 300);
}

TEST_CASE("makespan: extrapolation equals stepping and never beats the busiest resource") {
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    RandomStream random(seed(), 1, trial);
    const std::vector<Stage> stages = random_pipeline(random);
    const Makespan fast = makespan(stages, 4);
    const Makespan slow = makespan_by_items(stages, 4);
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    CHECK(fast.cycles == slow.cycles);
    CHECK(fast.busy == slow.busy);
    CHECK(fast.cycles >= *std::ranges::max_element(fast.busy));
  }
}

TEST_CASE("makespan: rounds of several steps are extrapolated exactly") {
  std::int64_t taken = 0;
  std::int64_t all = 0;
  for (std::uint64_t trial = 0; trial < 2000; ++trial) {
    RandomStream random(seed(), 8, trial);
    const std::vector<Stage> stages = random_rounds(random);
    const Makespan fast = makespan(stages, 4);
    const Makespan slow = makespan_by_items(stages, 4);
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    CHECK(fast.cycles == slow.cycles);
    CHECK(fast.cycles >= *std::ranges::max_element(fast.busy));
    taken += fast.items_taken;
    all += slow.items_taken;
  }
  CHECK(taken < all);
}

TEST_CASE("makespan: a few steps of every pass over an inner loop are enough") {
  for (const Contention contention : {Contention::Shared, Contention::Apart}) {
    std::int64_t taken = 0;
    std::int64_t all = 0;
    for (std::uint64_t trial = 0; trial < 400; ++trial) {
      RandomStream random(seed(), 11, trial);
      const std::vector<Stage> stages = random_passes(random);
      const auto fast = FirstComePipeline(stages, 4, contention).run(Extrapolation::On, kNoLimit);
      const auto slow = FirstComePipeline(stages, 4, contention).run(Extrapolation::Off, kNoLimit);
      INFO("TEST_SEED=" << seed() << " trial " << trial);
      CHECK(fast.cycles == slow.cycles);
      taken += fast.items;
      all += slow.items;
    }
    CHECK(taken * 4 < all);
  }
}

TEST_CASE("makespan: who asked first is served first and of equals the earlier tile") {
  // Two fetches want the bus at 0: the second stage's tile is of an earlier step.
  std::vector<Stage> stages(3);
  stages[0] = {1, 5, {use(0, 10)}, {}, {}};
  stages[1] = {1, 4, {use(0, 3)}, {}, {}};
  stages[2] = {1, 6, {use(1, 20)}, {{1, 0}}, {}};
  CHECK(makespan(stages, 2).cycles == 3 + 20);
  // Asking earlier counts for more than an earlier step.
  stages[1].waits = {{2, 0}};
  stages[2] = {1, 6, {use(1, 1)}, {}, {}};
  CHECK(makespan(stages, 2).cycles == 10 + 3);
}

TEST_CASE("least_makespan: is no more than the makespan and grows with every stage") {
  for (std::uint64_t trial = 0; trial < 500; ++trial) {
    RandomStream random(seed(), 9, trial);
    std::vector<Stage> stages =
        random.below(2) == 0 ? random_pipeline(random) : random_rounds(random);
    const std::int64_t least = least_makespan(stages, 4);
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    CHECK(least <= makespan(stages, 4).cycles);
    StageUse& longer = stages[random.below(stages.size())].uses.front();
    longer.cycles += 7;
    longer.last_cycles += 2;
    longer.rounds.others += 3;
    CHECK(least_makespan(stages, 4) >= least);
  }
}

TEST_CASE(
    "makespan_of_blocks: what stays comes with the first block and sums leave with the last") {
  // Weights in 7 cycles, two tiles of 5, sums out in 3: 17, 10, 10 and 13 for four blocks.
  std::vector<Stage> stages(3);
  stages[0] = {1, 0, {use(0, 7)}, {}, {}, Occurrence::FirstBlock};
  stages[1] = {2, 1, {use(1, 5)}, {{0, 0}}, {}, Occurrence::EveryBlock};
  stages[2] = {1, 3, {use(0, 3)}, {{1, 1}}, {}, Occurrence::LastBlock};
  CHECK(makespan_of_blocks(stages, 2, 1).cycles == 20);
  CHECK(makespan_of_blocks(stages, 2, 2).cycles == 30);
  const Makespan four = makespan_of_blocks(stages, 2, 4);
  CHECK(four.cycles == 50);
  CHECK(four.busy == std::vector<std::int64_t>{10, 40});
}

TEST_CASE("makespan_of_blocks: a limit only matters to what is beyond it") {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream random(seed(), 10, trial);
    std::vector<Stage> stages =
        random.below(2) == 0 ? random_pipeline(random) : random_rounds(random);
    stages.front().occurrence = Occurrence::FirstBlock;
    const auto blocks = static_cast<std::int64_t>(1 + random.below(5));
    const std::int64_t cycles = makespan_of_blocks(stages, 4, blocks).cycles;
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    CHECK(makespan_of_blocks(stages, 4, blocks, cycles).cycles == cycles);
    for (const std::int64_t limit : {cycles - 1, cycles / 2, std::int64_t{-1}})
      if (limit < cycles) CHECK(makespan_of_blocks(stages, 4, blocks, limit).cycles > limit);
  }
}

TEST_CASE("least_makespan_of_blocks: a limit gives something between it and the bound") {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream random(seed(), 12, trial);
    std::vector<Stage> stages =
        random.below(2) == 0 ? random_pipeline(random) : random_rounds(random);
    stages.front().occurrence = Occurrence::FirstBlock;
    const auto blocks = static_cast<std::int64_t>(1 + random.below(5));
    const std::int64_t least = least_makespan_of_blocks(stages, 4, blocks);
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    CHECK(least_makespan_of_blocks(stages, 4, blocks, least) == least);
    for (const std::int64_t limit : {least - 1, least / 2, std::int64_t{0}}) {
      if (limit >= least) continue;
      const std::int64_t limited = least_makespan_of_blocks(stages, 4, blocks, limit);
      CHECK(limited > limit);
      CHECK(limited <= least);
    }
  }
}

TEST_CASE("busiest_cycles_of_blocks: is no more than the bound that knows what waits for what") {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    RandomStream random(seed(), 11, trial);
    std::vector<Stage> stages = random_pipeline(random);
    stages.back().occurrence = Occurrence::LastBlock;
    const auto blocks = static_cast<std::int64_t>(1 + random.below(5));
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    const std::int64_t busiest = busiest_cycles_of_blocks(stages, 4, blocks);
    CHECK(busiest > 0);
    CHECK(busiest <= least_makespan_of_blocks(stages, 4, blocks));
  }
}

TEST_CASE("makespan_of_blocks: blocks that are all alike add up") {
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    RandomStream random(seed(), 7, trial);
    const std::vector<Stage> stages = random_pipeline(random);
    const auto blocks = static_cast<std::int64_t>(1 + random.below(9));
    INFO("TEST_SEED=" << seed() << " trial " << trial);
    CHECK(makespan_of_blocks(stages, 4, blocks).cycles ==
          blocks * makespan_by_items(stages, 4).cycles);
  }
}
