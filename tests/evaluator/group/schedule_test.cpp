#include "evaluator/group/schedule.h"

#include "problems/builtin_accelerators.h"
#include "tests/support/doctest.h"

using namespace paretrain::evaluator;
using paretrain::problems::builtin_accelerator;

namespace {

// Cycles of an item of core 0, with times by variant.
StageUse timed(const OperatorRun& run,
               std::int64_t tiles,
               const std::vector<std::int64_t>& cycles) {
  const Chip chip(*builtin_accelerator("edge-tpu-quad"), CostModel::Corrected);
  Stage stage;
  stage.tiles = tiles;
  stage.uses.push_back({chip.core_resource(CoreId(0))});
  set_operator_cycles(chip, stage, run, cycles);
  return stage.uses.front();
}

}  // namespace

TEST_CASE("set_operator_cycles: the slowest core sets the time, which may be the last one") {
  OperatorRun run;
  run.full = {0, 1};
  run.last = {2, 2};
  const StageUse use = timed(run, 4, {10, 12, 7});
  CHECK(use.cycles == 12);
  CHECK(use.last_cycles == 7);
}

TEST_CASE("set_operator_cycles: tiles of many shapes count as their mean") {
  OperatorRun run;
  run.turns = {{{0, 0}, 6}, {{1, 1}, 3}, {{2, 2}, 1}};
  const StageUse use = timed(run, 10, {10, 4, 1});
  CHECK(use.cycles == 7);  // 73 over 10 tiles
  CHECK(use.last_cycles == 7);
}

TEST_CASE("stage_uses: the first transfer may be larger or smaller than the others") {
  const auto transfer = [](std::int64_t cycles) {
    TransferCost cost;
    cost.uses.push_back({ResourceId(0), cycles});
    return cost;
  };
  const StageUse use = stage_uses({transfer(8), transfer(7), transfer(6)}).front();
  CHECK(use.cycles == 7);
  CHECK(use.first_more == 1);
  CHECK(use.last_cycles == 6);
  const RoundTransfers round{transfer(5), transfer(5), transfer(4)};
  const RoundTransfers first{transfer(9), transfer(3), transfer(4)};
  CHECK(stage_uses(first, round, round).front().first_round_more == RoundCycles{4, -2, 0});
}
