#include "evaluator/group/first_come.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

// Periods may hold changes that come every so many of that many items: then some of those stretches
// are played, otherwise a few items of each.
bool is_rare(std::int64_t every, std::int64_t items) {
  return every / 16 * every > items;
}

std::int64_t cycles_of(const Stage& stage, const StageUse& use, std::int64_t item) {
  if (stage.round == 1)
    return item + 1 == stage.tiles ? use.last_cycles
                                   : use.cycles + (item == 0 ? use.first_more : 0);
  const std::int64_t place = item % stage.round;
  const auto at = [&](const RoundCycles& round) {
    return place == 0 ? round.first : place + 1 == stage.round ? round.last : round.others;
  };
  if (item >= stage.tiles - stage.round) return at(use.last_round);
  return at(use.rounds) + (item < stage.round ? at(use.first_round_more) : 0);
}

bool has_other_first_round(const Stage& stage) {
  return stage.round > 1 && std::ranges::any_of(stage.uses, [](const StageUse& use) {
           return use.first_round_more != RoundCycles{};
         });
}

}  // namespace

FirstComePipeline::FirstComePipeline(std::span<const Stage> stages,
                                     std::size_t resources,
                                     Contention contention)
    : stages_(stages),
      progress_(stages.size()),
      heads_(stages.size()),
      free_(contention == Contention::Shared ? resources : stages.size(), 0),
      contention_(contention) {
  std::size_t items = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    CHECK(stage.tiles % stage.round == 0, "rounds of " + std::to_string(stage.round));
    items += static_cast<std::size_t>(stage.tiles);
    progress_[s].has_rare_rounds = is_rare(stage.round, stage.tiles);
    if (!progress_[s].has_rare_rounds) interval_ = std::lcm(interval_, stage.round);
    if (contention == Contention::Apart) used_.push_back(s);
    if (contention == Contention::Shared)
      for (const StageUse& use : stage.uses)
        used_.push_back(use.resource.index());
    if (stage.tiles > stages[reference_].tiles) reference_ = s;
  }
  std::ranges::sort(used_);
  used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  ends_ = std::make_unique_for_overwrite<std::int64_t[]>(items);
  std::int64_t* ends = ends_.get();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    progress_[s].ends = ends;
    progress_[s].has_other_first_round = has_other_first_round(stages[s]);
    ends += stages[s].tiles;
  }
  link_stages();
}

void FirstComePipeline::link_stages() {
  std::vector<std::size_t> first_need;
  std::vector<std::pair<std::size_t, std::size_t>> links;  // what is needed, by whom
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    first_need.push_back(needs_.size());
    for (const StageWait& wait : stages_[s].waits)
      needs_.push_back(need_of(wait));
    for (const StageRoom& room : stages_[s].rooms)
      needs_.push_back(
          {room.stage, stages_[room.stage].tiles - 1, {room.per, room.times, -room.slots}});
    for (std::size_t n = first_need.back(); n < needs_.size(); ++n) {
      Steps& item = needs_[n].item;
      item.rare = is_rare(item.per, stages_[s].tiles);
      if (!item.rare)
        interval_ = std::lcm(interval_, item.per * (item.pace == nullptr ? 1 : item.pace->every));
      if (needs_[n].stage != s) links.emplace_back(needs_[n].stage, s);
    }
  }
  first_need.push_back(needs_.size());
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  for (const auto& link : links)
    followers_.push_back(link.second);
  std::size_t link = 0;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    progress_[s].needs =
        std::span<Need>(needs_).subspan(first_need[s], first_need[s + 1] - first_need[s]);
    const std::size_t first = link;
    while (link < links.size() && links[link].first == s)
      ++link;
    progress_[s].followers = std::span<const std::size_t>(followers_).subspan(first, link - first);
    progress_[s].order = {stages_[s].order_per, stages_[s].order_times, stages_[s].level};
    progress_[s].order.rare = is_rare(stages_[s].order_per, stages_[s].tiles);
    set_steps(s);
  }
}

FirstComePipeline::Need FirstComePipeline::need_of(const StageWait& wait) const {
  const std::int64_t last = stages_[wait.stage].tiles - 1;
  if (wait.pace.is_in_step())
    return {wait.stage, last, {wait.per, wait.times, wait.pace.ahead * wait.times + wait.lag}};
  return {wait.stage, last, {wait.per, wait.times, wait.lag, &wait.pace}};
}

FirstComePipeline::Played FirstComePipeline::run(Extrapolation extrapolation, std::int64_t limit) {
  for (std::size_t s = 0; s < stages_.size(); ++s)
    look_again(s);
  for (std::size_t next = next_stage(); next < heads_.size(); next = next_stage()) {
    take(next);
    if (latest_ > limit) return {latest_, items_};
    if (extrapolation == Extrapolation::On && next == reference_ && is_time_to_look())
      extrapolate();
  }
  for (std::size_t s = 0; s < stages_.size(); ++s)
    CHECK(is_finished(s), "a pipeline waits for itself at stage " + std::to_string(s));
  return {latest_, items_};
}

bool FirstComePipeline::is_finished(std::size_t s) const {
  return progress_[s].taken == stages_[s].tiles;
}

// As many as there are stages when none is ready. (Returning an optional took a fifth of the time.)
std::size_t FirstComePipeline::next_stage() const {
  std::size_t next = heads_.size();
  Head best;
  for (std::size_t s = 0; s < heads_.size(); ++s) {
    const Head& head = heads_[s];
    if (head.since > best.since || (head.since == best.since && head.order >= best.order)) continue;
    best = head;
    next = s;
  }
  return best.is_ready() ? next : heads_.size();
}

// Whether the stage's next item has all it waits for.
void FirstComePipeline::look_again(std::size_t s) {
  const Progress& progress = progress_[s];
  heads_[s].since = kNever;
  if (is_finished(s)) return;
  std::int64_t since = now_;
  for (const Need& need : progress.needs) {
    if (need.item.now < 0) continue;
    const std::int64_t item = need.item_for(need.item.now);
    const Progress& maker = progress_[need.stage];
    if (item >= maker.taken) return;
    if (item >= maker.past) since = std::max(since, maker.ends[item]);
  }
  heads_[s] = {since, progress.order.now};
}

void FirstComePipeline::set_steps(std::size_t s) {
  Progress& progress = progress_[s];
  for (Need& need : progress.needs)
    need.item.set(progress.taken);
  progress.order.set(progress.taken);
}

void FirstComePipeline::take(std::size_t s) {
  Progress& progress = progress_[s];
  now_ = heads_[s].since;
  const std::int64_t end = occupied(s, now_);
  progress.ends[progress.taken] = end;
  ++progress.taken;
  ++items_;
  latest_ = std::max(latest_, end);
  for (Need& need : progress.needs)
    need.item.advance();
  progress.order.advance();
  look_again(s);
  for (const std::size_t follower : progress.followers)
    if (!heads_[follower].is_ready()) look_again(follower);
}

// Takes the resources of the stage's next item from `start` on, or when they are free.
std::int64_t FirstComePipeline::occupied(std::size_t s, std::int64_t start) {
  const Stage& stage = stages_[s];
  const std::int64_t item = progress_[s].taken;
  if (contention_ == Contention::Apart) {
    std::int64_t longest = 0;
    for (const StageUse& use : stage.uses)
      longest = std::max(longest, cycles_of(stage, use, item));
    free_[s] = std::max(start, free_[s]) + longest;
    return free_[s];
  }
  for (const StageUse& use : stage.uses)
    start = std::max(start, free_[use.resource.index()]);
  std::int64_t end = start;
  for (const StageUse& use : stage.uses) {
    const std::int64_t done = start + cycles_of(stage, use, item);
    free_[use.resource.index()] = done;
    end = std::max(end, done);
  }
  return end;
}

}  // namespace paretrain::evaluator
