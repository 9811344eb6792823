#include "evaluator/group/pipeline.h"

#include <algorithm>
#include <array>

#include "evaluator/group/first_come.h"

namespace paretrain::evaluator {
namespace {

constexpr std::int64_t kLongRound = 64;

std::int64_t busy_cycles(const Stage& stage, const StageUse& use) {
  if (stage.round == 1)
    return use.cycles * (stage.tiles - 1) + use.last_cycles +
           (stage.tiles > 1 ? use.first_more : 0);
  const auto sum = [&](const RoundCycles& round) {
    return round.first + round.others * (stage.round - 2) + round.last;
  };
  const std::int64_t rounds = stage.tiles / stage.round;
  return (rounds - 1) * sum(use.rounds) + sum(use.last_round) +
         (rounds > 1 ? sum(use.first_round_more) : 0);
}

std::vector<std::int64_t> busy_of(std::span<const Stage> stages, std::size_t resources) {
  std::vector<std::int64_t> busy(resources, 0);
  for (const Stage& stage : stages)
    for (const StageUse& use : stage.uses)
      busy[use.resource.index()] += busy_cycles(stage, use);
  return busy;
}

Makespan played(std::span<const Stage> stages,
                std::size_t resources,
                Extrapolation extrapolation,
                std::int64_t limit) {
  Makespan result;
  result.busy = busy_of(stages, resources);
  const auto run =
      FirstComePipeline(stages, resources, Contention::Shared).run(extrapolation, limit);
  result.cycles = run.cycles;
  result.items_taken = run.items;
  return result;
}

}  // namespace

Makespan makespan(std::span<const Stage> stages, std::size_t resources, std::int64_t limit) {
  return played(stages, resources, Extrapolation::On, limit);
}

Makespan makespan_by_items(std::span<const Stage> stages, std::size_t resources) {
  return played(stages, resources, Extrapolation::Off, kNoLimit);
}

std::int64_t least_makespan(std::span<const Stage> stages,
                            std::size_t resources,
                            std::int64_t limit) {
  const std::vector<std::int64_t> busy = busy_of(stages, resources);
  const std::int64_t busiest = busy.empty() ? 0 : *std::ranges::max_element(busy);
  // Playing long rounds is more than a bound is worth.
  if (busiest > limit ||
      std::ranges::any_of(stages, [](const Stage& stage) { return stage.round > kLongRound; }))
    return busiest;
  const auto alone =
      FirstComePipeline(stages, resources, Contention::Apart).run(Extrapolation::On, limit);
  return std::max(busiest, alone.cycles);
}

namespace {

// The stages of a block that is not the one in which stages of that occurrence happen.
std::vector<Stage> without(std::span<const Stage> stages, std::span<const Occurrence> absent) {
  std::vector<Stage> result(stages.begin(), stages.end());
  for (Stage& stage : result)
    if (std::ranges::find(absent, stage.occurrence) != absent.end()) stage.uses.clear();
  return result;
}

// Calls `visit(occurrences that are absent from a block, how many blocks are like it)`.
template <class Visit>
void visit_blocks(std::span<const Stage> stages, std::int64_t blocks, Visit&& visit) {
  using Absent = std::span<const Occurrence>;
  if (blocks == 1) {
    visit(Absent(), std::int64_t{1});
    return;
  }
  const auto occurs = [&](Occurrence occurrence) {
    return std::ranges::find(stages, occurrence, &Stage::occurrence) != stages.end();
  };
  constexpr std::array kBoth{Occurrence::FirstBlock, Occurrence::LastBlock};
  const std::int64_t first = occurs(Occurrence::FirstBlock) ? 1 : 0;
  const std::int64_t last = occurs(Occurrence::LastBlock) ? 1 : 0;
  if (first > 0) visit(Absent(kBoth).last(1), std::int64_t{1});
  if (blocks > first + last) visit(Absent(kBoth), blocks - first - last);
  if (last > 0) visit(Absent(kBoth).first(1), std::int64_t{1});
}

// The stages without what is absent, copied into `copy` when that changes them.
std::span<const Stage> present(std::span<const Stage> stages,
                               std::span<const Occurrence> absent,
                               std::vector<Stage>& copy) {
  if (absent.empty()) return stages;
  copy = without(stages, absent);
  return copy;
}

}  // namespace

Makespan makespan_of_blocks(std::span<const Stage> stages,
                            std::size_t resources,
                            std::int64_t blocks,
                            std::int64_t limit) {
  Makespan sum;
  sum.busy.resize(resources, 0);
  visit_blocks(stages, blocks, [&](std::span<const Occurrence> absent, std::int64_t times) {
    if (sum.cycles > limit) return;
    std::vector<Stage> copy;
    const std::int64_t left = limit == kNoLimit ? kNoLimit : (limit - sum.cycles) / times;
    const Makespan one = makespan(present(stages, absent, copy), resources, left);
    sum.cycles += one.cycles * times;
    sum.items_taken += one.items_taken;
    for (std::size_t r = 0; r < resources; ++r)
      sum.busy[r] += one.busy[r] * times;
  });
  return sum;
}

std::int64_t least_makespan_of_blocks(std::span<const Stage> stages,
                                      std::size_t resources,
                                      std::int64_t blocks,
                                      std::int64_t limit) {
  std::int64_t sum = 0;
  visit_blocks(stages, blocks, [&](std::span<const Occurrence> absent, std::int64_t times) {
    if (sum > limit) return;
    std::vector<Stage> copy;
    const std::int64_t left = limit == kNoLimit ? kNoLimit : (limit - sum) / times;
    sum += least_makespan(present(stages, absent, copy), resources, left) * times;
  });
  return sum;
}

std::int64_t busiest_cycles_of_blocks(std::span<const Stage> stages,
                                      std::size_t resources,
                                      std::int64_t blocks) {
  std::int64_t sum = 0;
  std::vector<std::int64_t> busy(resources, 0);
  visit_blocks(stages, blocks, [&](std::span<const Occurrence> absent, std::int64_t times) {
    std::ranges::fill(busy, 0);
    for (const Stage& stage : stages)
      if (std::ranges::find(absent, stage.occurrence) == absent.end())
        for (const StageUse& use : stage.uses)
          busy[use.resource.index()] += busy_cycles(stage, use);
    if (!busy.empty()) sum += *std::ranges::max_element(busy) * times;
  });
  return sum;
}

}  // namespace paretrain::evaluator
