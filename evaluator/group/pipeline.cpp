#include "evaluator/group/pipeline.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

enum class Extrapolation { Off, On };

// Ends of the latest tiles of every stage, and when each resource is free.
class TilePipeline {
 public:
  TilePipeline(std::span<const Stage> stages, std::size_t resources)
      : stages_(stages), free_(resources, 0) {
    for (const Stage& stage : stages) {
      last_step_ = std::max(last_step_, stage.level + stage.tiles - 1);
      for (const StageRoom& room : stage.rooms)
        reach_ = std::max(reach_, room.slots + stage.level - stages[room.stage].level + 2);
      for (const StageWait& wait : stage.waits)
        reach_ = std::max(reach_, stage.level - stages[wait.stage].level - wait.lag + 2);
    }
    ends_.assign(stages.size() * static_cast<std::size_t>(reach_), 0);
  }

  [[nodiscard]] Makespan run(Extrapolation extrapolation) {
    Makespan result;
    for (step_ = 0; step_ <= last_step_; ++step_) {
      advance();
      ++result.steps_taken;
      if (extrapolation == Extrapolation::On && is_periodic()) jump();
    }
    result.cycles = latest_;
    result.busy.assign(free_.size(), 0);
    for (const Stage& stage : stages_)
      for (const StageUse& use : stage.uses)
        result.busy[use.resource.index()] += use.cycles * (stage.tiles - 1) + use.last_cycles;
    return result;
  }

 private:
  [[nodiscard]] std::int64_t& end_of(std::size_t stage, std::int64_t tile) {
    return ends_[stage * static_cast<std::size_t>(reach_) +
                 static_cast<std::size_t>(tile % reach_)];
  }

  void advance() {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const std::int64_t tile = step_ - stages_[s].level;
      if (tile >= 0 && tile < stages_[s].tiles) take(s, tile);
    }
  }

  void take(std::size_t s, std::int64_t tile) {
    const Stage& stage = stages_[s];
    std::int64_t start = 0;
    for (const StageWait& wait : stage.waits)
      start = std::max(
          start, end_of(wait.stage, std::min(tile + wait.lag, stages_[wait.stage].tiles - 1)));
    for (const StageRoom& room : stage.rooms)
      if (tile >= room.slots)
        start = std::max(
            start, end_of(room.stage, std::min(tile - room.slots, stages_[room.stage].tiles - 1)));
    for (const StageUse& use : stage.uses)
      start = std::max(start, free_[use.resource.index()]);
    std::int64_t end = start;
    const bool is_last = tile + 1 == stage.tiles;
    for (const StageUse& use : stage.uses) {
      const std::int64_t done = start + (is_last ? use.last_cycles : use.cycles);
      free_[use.resource.index()] = done;
      end = std::max(end, done);
    }
    end_of(s, tile) = end;
    latest_ = std::max(latest_, end);
  }

  // Steps from this one on in which no stage begins, ends or is ragged.
  [[nodiscard]] std::int64_t uniform_steps() const {
    std::int64_t steps = last_step_ - step_;
    for (const Stage& stage : stages_) {
      const std::int64_t tile = step_ - stage.level;
      if (tile < 0) steps = std::min(steps, -tile - 1);
      if (tile >= 0 && tile < stage.tiles) steps = std::min(steps, stage.tiles - 2 - tile);
    }
    return steps;
  }

  // The times that later steps can see, of stages in progress: latest ends and resources.
  void note_state() {
    before_.swap(now_);
    now_.clear();
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const std::int64_t tile = step_ - stages_[s].level;
      if (tile >= 0 && tile < stages_[s].tiles) now_.push_back(end_of(s, tile));
    }
    for (const std::int64_t time : free_)
      now_.push_back(time);
  }

  // Every time seen grew by the same number for as many steps as anything looks back.
  [[nodiscard]] bool is_periodic() {
    note_state();
    std::int64_t growth = -1;
    bool uniform = before_.size() == now_.size() && uniform_steps() > 0;
    for (std::size_t i = 0; uniform && i < now_.size(); ++i) {
      const std::int64_t grown = now_[i] - before_[i];
      const bool idle = i + free_.size() >= now_.size() && grown == 0;
      if (idle) continue;
      if (growth < 0) growth = grown;
      uniform = grown == growth;
    }
    repeats_ = uniform && growth == growth_ ? repeats_ + 1 : 0;
    growth_ = growth;
    return uniform && growth > 0 && repeats_ > reach_;
  }

  // Moves everything that is in progress ahead by whole periods.
  void jump() {
    const std::int64_t steps = uniform_steps();
    const std::int64_t shift = steps * growth_;
    std::vector<std::int64_t> moved(static_cast<std::size_t>(reach_));
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const std::int64_t tile = step_ - stages_[s].level;
      if (tile < 0 || tile >= stages_[s].tiles) continue;
      for (std::int64_t back = 0; back < reach_ && tile - back >= 0; ++back)
        moved[static_cast<std::size_t>((tile + steps - back) % reach_)] =
            end_of(s, tile - back) + shift;
      for (std::int64_t back = 0; back < reach_ && tile - back >= 0; ++back)
        end_of(s, tile + steps - back) =
            moved[static_cast<std::size_t>((tile + steps - back) % reach_)];
      latest_ = std::max(latest_, end_of(s, tile + steps));
    }
    for (std::size_t r = 0; r < free_.size(); ++r)
      if (grew(r)) free_[r] += shift;
    step_ += steps;
    repeats_ = 0;
    before_.clear();
    now_.clear();
  }

  [[nodiscard]] bool grew(std::size_t resource) const {
    const std::size_t at = now_.size() - free_.size() + resource;
    return now_[at] != before_[at];
  }

  std::span<const Stage> stages_;
  std::vector<std::int64_t> free_;
  std::vector<std::int64_t> ends_;  // stage × tile modulo reach
  std::vector<std::int64_t> before_;
  std::vector<std::int64_t> now_;
  std::int64_t reach_ = 4;
  std::int64_t last_step_ = 0;
  std::int64_t step_ = 0;
  std::int64_t latest_ = 0;
  std::int64_t growth_ = -1;
  std::int64_t repeats_ = 0;
};

}  // namespace

Makespan makespan(std::span<const Stage> stages, std::size_t resources) {
  return TilePipeline(stages, resources).run(Extrapolation::On);
}

Makespan makespan_by_steps(std::span<const Stage> stages, std::size_t resources) {
  return TilePipeline(stages, resources).run(Extrapolation::Off);
}

namespace {

void add_blocks(Makespan& sum, const Makespan& block, std::int64_t times) {
  sum.cycles += block.cycles * times;
  sum.steps_taken += block.steps_taken;
  sum.busy.resize(block.busy.size(), 0);
  for (std::size_t r = 0; r < block.busy.size(); ++r)
    sum.busy[r] += block.busy[r] * times;
}

// The stages of a block that is not the one in which stages of that occurrence happen.
std::vector<Stage> without(std::span<const Stage> stages, std::span<const Occurrence> absent) {
  std::vector<Stage> result(stages.begin(), stages.end());
  for (Stage& stage : result)
    if (std::ranges::find(absent, stage.occurrence) != absent.end()) stage.uses.clear();
  return result;
}

}  // namespace

Makespan makespan_of_blocks(std::span<const Stage> stages,
                            std::size_t resources,
                            std::int64_t blocks) {
  if (blocks == 1) return makespan(stages, resources);
  const auto occurs = [&](Occurrence occurrence) {
    return std::ranges::find(stages, occurrence, &Stage::occurrence) != stages.end();
  };
  constexpr std::array kFirst{Occurrence::FirstBlock};
  constexpr std::array kLast{Occurrence::LastBlock};
  constexpr std::array kBoth{Occurrence::FirstBlock, Occurrence::LastBlock};
  const std::int64_t first = occurs(Occurrence::FirstBlock) ? 1 : 0;
  const std::int64_t last = occurs(Occurrence::LastBlock) ? 1 : 0;
  Makespan sum;
  if (first > 0) add_blocks(sum, makespan(without(stages, kLast), resources), 1);
  if (blocks > first + last)
    add_blocks(sum, makespan(without(stages, kBoth), resources), blocks - first - last);
  if (last > 0) add_blocks(sum, makespan(without(stages, kFirst), resources), 1);
  return sum;
}

}  // namespace paretrain::evaluator
