#include "evaluator/group/first_come.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

// Shorter pipelines are played to the end; of longer ones so many moments are compared.
constexpr std::int64_t kLeastItems = 12;
constexpr std::size_t kMostMoments = 48;

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

std::uint64_t hash_of(const std::vector<std::int64_t>& words) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::int64_t word : words)
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001b3U;
  return hash;
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
    interval_ = std::lcm(interval_, stage.round);
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
      const Steps& item = needs_[n].item;
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
    since = std::max(since, maker.ends[item]);
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

// ---- extrapolation ----

bool FirstComePipeline::is_time_to_look() const {
  const Progress& progress = progress_[reference_];
  return stages_[reference_].tiles >= kLeastItems && !is_finished(reference_) &&
         progress.taken % interval_ == 0;
}

// Everything that the future depends on. Times that are past are all alike, because nothing asks
// for anything earlier than now. False when the moment cannot come back.
bool FirstComePipeline::note_moment() {
  here_.now = now_;
  here_.state.clear();
  here_.taken.clear();
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    here_.taken.push_back(progress_[s].taken);
    here_.state.push_back(is_finished(s) ? 2 : progress_[s].taken == 0 ? 1 : 0);
  }
  for (std::size_t s = 0; s < stages_.size(); ++s)
    if (!note_stage(s, here_.state)) return false;
  for (const std::size_t r : used_)
    here_.state.push_back(std::max<std::int64_t>(0, free_[r] - now_));
  here_.hash = hash_of(here_.state);
  return true;
}

bool FirstComePipeline::note_stage(std::size_t s, std::vector<std::int64_t>& state) const {
  const Progress& progress = progress_[s];
  const std::int64_t last_end = progress.taken == 0 ? 0 : progress.ends[progress.taken - 1];
  if (is_finished(s)) return last_end <= now_;
  if (progress.taken == 0) return is_blocked(s);
  state.push_back(heads_[s].is_ready() ? heads_[s].since - now_ : -1);
  state.push_back(progress.order.now - progress_[reference_].order.now);
  state.push_back(progress.taken % stages_[s].round);
  if (progress.has_other_first_round) state.push_back(progress.taken < stages_[s].round ? 1 : 0);
  state.push_back(progress.taken % stages_[s].order_per);
  for (const Need& need : progress.needs) {
    const std::int64_t item = need.item.now;
    if (item < 0) return false;
    state.push_back(progress.taken % need.item.per);
    if (need.item.pace != nullptr)
      state.push_back(need.item.tile * need.item.pace->gain % need.item.pace->every);
    if (!is_finished(need.stage)) state.push_back(item - progress_[need.stage].taken);
  }
  for (std::int64_t item = progress.taken; item-- > 0;) {
    const std::int64_t ahead = progress.ends[item] - now_;
    if (ahead <= 0) break;
    state.push_back(ahead);
  }
  state.push_back(0);
  return true;
}

// Something that the stage's first item waits for remains to be taken, and the rest is past.
bool FirstComePipeline::is_blocked(std::size_t s) const {
  if (heads_[s].is_ready()) return false;
  return std::ranges::all_of(progress_[s].needs, [&](const Need& need) {
    const Progress& maker = progress_[need.stage];
    const std::int64_t item = need.item_for(need.item.of(0));
    return item < 0 || item >= maker.taken || maker.ends[item] <= now_;
  });
}

void FirstComePipeline::extrapolate() {
  if (!note_moment()) return;
  for (std::size_t back = 0; back < moments_.size(); ++back) {
    Moment& known = moments_[(newest_ + moments_.size() - back) % moments_.size()];
    if (known.hash != here_.hash || known.state != here_.state) continue;
    const std::int64_t periods = periods_ahead(known);
    if (periods > 0) {
      const Moment before = std::move(known);
      moments_.clear();
      jump(before, periods);
    }
    return;
  }
  remember_moment();
}

void FirstComePipeline::remember_moment() {
  if (moments_.size() < kMostMoments) {
    newest_ = moments_.size();
    moments_.push_back(here_);
    return;
  }
  newest_ = (newest_ + 1) % kMostMoments;
  std::swap(moments_[newest_], here_);
}

// Periods from now on in which no stage begins, ends or is ragged in a new way.
std::int64_t FirstComePipeline::periods_ahead(const Moment& before) const {
  std::int64_t periods = std::numeric_limits<std::int64_t>::max();
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (is_finished(s)) continue;
    const std::int64_t taken = progress_[s].taken;
    if (taken == 0) {
      periods = std::min(periods, periods_blocked(s, before));
      continue;
    }
    const std::int64_t each = taken - before.taken[s];
    if (each == 0) continue;
    const std::int64_t alike =
        stages_[s].round > 1 ? stages_[s].tiles - stages_[s].round : stages_[s].tiles - 1;
    periods = std::min(periods, (alike - taken) / each);
  }
  return periods;
}

// Periods in which something that the stage's first item waits for remains to be taken.
std::int64_t FirstComePipeline::periods_blocked(std::size_t s, const Moment& before) const {
  std::int64_t longest = 0;
  for (const Need& need : progress_[s].needs) {
    const std::int64_t item = need.item_for(need.item.of(0));
    const std::int64_t taken = progress_[need.stage].taken;
    if (item < taken) continue;
    const std::int64_t each = taken - before.taken[need.stage];
    if (each == 0) return std::numeric_limits<std::int64_t>::max();
    longest = std::max(longest, (item - taken) / each);
  }
  return longest;
}

void FirstComePipeline::jump(const Moment& before, std::int64_t periods) {
  const std::int64_t shift = (now_ - before.now) * periods;
  std::vector<std::int64_t> ahead(stages_.size());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    Progress& progress = progress_[s];
    if (is_finished(s) || progress.taken == 0) continue;
    ahead[s] = (progress.taken - before.taken[s]) * periods;
    std::int64_t item = progress.taken;
    for (; item > 0 && progress.ends[item - 1] > now_; --item)
      progress.ends[item - 1 + ahead[s]] = progress.ends[item - 1] + shift;
    // What is past is past, whenever it was.
    for (; item > 0 && ahead[s] > 0; --item)
      progress.ends[item - 1 + ahead[s]] = 0;
    progress.taken += ahead[s];
    set_steps(s);
  }
  for (const std::size_t r : used_)
    if (free_[r] > now_) free_[r] += shift;
  now_ += shift;
  latest_ += shift;
  for (std::size_t s = 0; s < stages_.size(); ++s)
    look_again(s);
}

}  // namespace paretrain::evaluator
