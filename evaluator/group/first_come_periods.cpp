#include <algorithm>
#include <limits>
#include <utility>

#include "evaluator/group/first_come.h"

namespace paretrain::evaluator {
namespace {

// Shorter pipelines are played to the end; of longer ones so many moments are compared.
constexpr std::int64_t kLeastItems = 12;
constexpr std::size_t kMostMoments = 48;

// A stage waits when what it waits for is so many items ahead.
constexpr std::int64_t kFarAhead = 16;

// What stands among distances for a stage that waits, for an item that has ended, and for one that
// is none.
constexpr std::int64_t kWaits = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kEnded = kWaits + 1;
constexpr std::int64_t kBeforeAll = kWaits / 2;

std::uint64_t hash_of(const std::vector<std::int64_t>& words) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::int64_t word : words)
    hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001b3U;
  return hash;
}

// Whether an item of a round is its first one (0), its last one (2) or between (1).
std::int64_t part_of_round(std::int64_t place, std::int64_t round) {
  return place == 0 ? 0 : place + 1 == round ? 2 : 1;
}

}  // namespace

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
  here_.waiting.clear();
  here_.taken.clear();
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    here_.taken.push_back(progress_[s].taken);
    here_.state.push_back(is_finished(s) ? 2 : progress_[s].taken == 0 ? 1 : 0);
  }
  for (std::size_t s = 0; s < stages_.size(); ++s)
    if (!note_stage(s)) return false;
  for (const std::size_t r : used_)
    here_.state.push_back(std::max<std::int64_t>(0, free_[r] - now_));
  here_.hash = hash_of(here_.state);
  return true;
}

bool FirstComePipeline::note_stage(std::size_t s) {
  const Progress& progress = progress_[s];
  if (is_finished(s))
    return progress.taken <= progress.past || progress.ends[progress.taken - 1] <= now_;
  if (progress.taken == 0) return is_blocked(s);
  note_ends(s);
  const bool waiting = is_waiting(s);
  if (waiting) here_.state.push_back(kWaits);
  note_items(s, waiting ? here_.waiting : here_.state);
  return true;
}

// Of what has been taken.
void FirstComePipeline::note_ends(std::size_t s) {
  const Progress& progress = progress_[s];
  for (std::int64_t item = progress.taken; item-- > progress.past;) {
    const std::int64_t ahead = progress.ends[item] - now_;
    if (ahead <= 0) break;
    here_.state.push_back(ahead);
  }
  here_.state.push_back(0);
}

// Of what comes next.
void FirstComePipeline::note_items(std::size_t s, std::vector<std::int64_t>& state) const {
  const Progress& progress = progress_[s];
  const Stage& stage = stages_[s];
  const std::int64_t place = progress.taken % stage.round;
  state.push_back(heads_[s].is_ready() ? heads_[s].since - now_ : -1);
  state.push_back(progress.order.now - progress_[reference_].order.now);
  state.push_back(progress.has_rare_rounds ? part_of_round(place, stage.round) : place);
  if (progress.has_other_first_round) state.push_back(progress.taken < stage.round ? 1 : 0);
  if (!progress.order.rare) state.push_back(progress.taken % stage.order_per);
  for (const Need& need : progress.needs)
    note_need(need, progress.taken, state);
}

void FirstComePipeline::note_need(const Need& need,
                                  std::int64_t taken,
                                  std::vector<std::int64_t>& state) const {
  const std::int64_t item = need.item.now;
  if (need.item.rare) {
    if (item < 0 || has_ended(need, item)) {
      state.push_back(kEnded);
      return;
    }
  } else {
    state.push_back(taken % need.item.per);
    if (need.item.pace != nullptr)
      state.push_back(need.item.tile * need.item.pace->gain % need.item.pace->every);
    if (item < 0) {
      state.push_back(kBeforeAll + item);
      return;
    }
  }
  if (!is_finished(need.stage)) state.push_back(item - progress_[need.stage].taken);
}

// Whether the item that is needed has been taken and ended.
bool FirstComePipeline::has_ended(const Need& need, std::int64_t item) const {
  const Progress& maker = progress_[need.stage];
  const std::int64_t wanted = need.item_for(item);
  return wanted < maker.taken && (wanted < maker.past || maker.ends[wanted] <= now_);
}

// Something that the stage waits for is far ahead, and the rest is past or has to be taken, too.
bool FirstComePipeline::is_waiting(std::size_t s) const {
  if (heads_[s].is_ready()) return false;
  bool far = false;
  for (const Need& need : progress_[s].needs) {
    if (need.item.now < 0) continue;
    const std::int64_t ahead = need.item_for(need.item.now) - progress_[need.stage].taken;
    if (ahead < 0 && !has_ended(need, need.item.now)) return false;
    far = far || ahead >= kFarAhead;
  }
  return far;
}

// Something that the stage's first item waits for remains to be taken, and the rest is past.
bool FirstComePipeline::is_blocked(std::size_t s) const {
  if (heads_[s].is_ready()) return false;
  return std::ranges::all_of(progress_[s].needs, [&](const Need& need) {
    const std::int64_t item = need.item.of(0);
    return item < 0 || need.item_for(item) >= progress_[need.stage].taken || has_ended(need, item);
  });
}

void FirstComePipeline::extrapolate() {
  if (!note_moment()) return;
  for (std::size_t back = 0; back < moments_.size(); ++back) {
    Moment& known = moments_[(newest_ + moments_.size() - back) % moments_.size()];
    if (known.hash != here_.hash || known.state != here_.state) continue;
    if (!has_come_back(known)) continue;
    const std::int64_t periods = periods_ahead(known);
    if (periods == 0) break;  // those of earlier moments are longer
    const Moment before = std::move(known);
    moments_.clear();
    jump(before, periods);
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

// Of stages that wait: they have waited all the time, or what they do next is the same, too.
bool FirstComePipeline::has_come_back(const Moment& before) const {
  if (before.waiting == here_.waiting) return true;
  for (std::size_t s = 0; s < stages_.size(); ++s)
    if (here_.taken[s] != before.taken[s] && !is_finished(s) && is_waiting(s)) return false;
  return true;
}

// Periods from now on in which no stage begins, ends, stops waiting or is different in a new way.
std::int64_t FirstComePipeline::periods_ahead(const Moment& before) const {
  std::int64_t periods = std::numeric_limits<std::int64_t>::max();
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (is_finished(s)) continue;
    const std::int64_t taken = progress_[s].taken;
    if (taken != before.taken[s])
      periods = std::min(periods, periods_alike(s, before.taken[s]));
    else if (taken == 0 || is_waiting(s))
      periods = std::min(periods, periods_blocked(s, before));
    if (periods == 0) return 0;
  }
  return periods;
}

// Periods in which something that the stage's next item waits for remains to be taken.
std::int64_t FirstComePipeline::periods_blocked(std::size_t s, const Moment& before) const {
  std::int64_t longest = 0;
  for (const Need& need : progress_[s].needs) {
    const std::int64_t item = need.item_for(need.item.now);
    const std::int64_t taken = progress_[need.stage].taken;
    if (item < taken) continue;
    const std::int64_t each = taken - before.taken[need.stage];
    if (each == 0) return std::numeric_limits<std::int64_t>::max();
    longest = std::max(longest, (item - taken) / each);
  }
  return longest;
}

// Periods in which the stage does the same as since it had taken `before` items.
std::int64_t FirstComePipeline::periods_alike(std::size_t s, std::int64_t before) const {
  const Stage& stage = stages_[s];
  const std::int64_t taken = progress_[s].taken;
  const std::int64_t alike = stage.tiles - (stage.round > 1 ? stage.round : 1);
  const Stretch stretch = stretch_of(s);
  if (before < stretch.first) return 0;
  const std::int64_t end = std::min(alike, stretch.end - 1);
  return end <= taken ? 0 : (end - taken) / (taken - before);
}

// Around the item that is next.
FirstComePipeline::Stretch FirstComePipeline::stretch_of(std::size_t s) const {
  const Progress& progress = progress_[s];
  Stretch stretch;
  const auto cut = [&](const Steps& steps) {
    if (!steps.rare) return;
    stretch.first = std::max(stretch.first, steps.tile * steps.per);
    stretch.end = std::min(stretch.end, progress.taken + steps.left);
  };
  cut(progress.order);
  for (const Need& need : progress.needs)
    cut(need.item);
  if (progress.has_rare_rounds) {
    const std::int64_t round = stages_[s].round;
    const std::int64_t start = progress.taken / round * round;
    const bool between = part_of_round(progress.taken - start, round) == 1;
    stretch.first = std::max(stretch.first, between ? start + 1 : progress.taken);
    stretch.end = std::min(stretch.end, between ? start + round - 1 : progress.taken);
  }
  return stretch;
}

void FirstComePipeline::jump(const Moment& before, std::int64_t periods) {
  const std::int64_t shift = (now_ - before.now) * periods;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    Progress& progress = progress_[s];
    if (is_finished(s) || progress.taken == 0) continue;
    const std::int64_t ahead = (progress.taken - before.taken[s]) * periods;
    std::int64_t item = progress.taken;
    for (; item > progress.past && progress.ends[item - 1] > now_; --item)
      progress.ends[item - 1 + ahead] = progress.ends[item - 1] + shift;
    progress.past = item + ahead;
    progress.taken += ahead;
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
