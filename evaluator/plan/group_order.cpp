#include "evaluator/plan/group_order.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace paretrain::evaluator {

namespace {

// From the lengths of lists, list n's at n + 2, to their begins, list n's at n + 1: which filling
// the list moves on to its end, so that n and n + 1 hold its begin and its end when all are filled.
void begin_lists(std::vector<std::uint32_t>& lengths) {
  std::uint32_t begin = 0;
  for (std::uint32_t& length : lengths)
    length = begin += length;
}

}  // namespace

void GroupOrder::rebuild(const RunningPlan& running, std::span<const std::uint32_t> groups) {
  find_quotient(running, groups);
  run(groups);
  DCHECK(
      std::all_of(waiting_for_.begin(), waiting_for_.end(), [](std::uint32_t n) { return n == 0; }),
      "the quotient graph of the groups is cyclic");
  gather(groups);
}

// Arrows between groups, by the group they leave; several between two groups count as often.
void GroupOrder::find_quotient(const RunningPlan& running, std::span<const std::uint32_t> groups) {
  const std::size_t size = groups.size();
  first_.assign(size, kNone);
  waiting_for_.assign(size, 0);
  successor_begin_.assign(size + 2, 0);
  const std::span<const std::uint32_t> begin = running.predecessor_begin();
  const std::span<const std::uint32_t> list = running.predecessor_list();
  if (arrows_.size() < list.size()) arrows_.resize(list.size());
  Arrow* next = arrows_.data();
  std::uint32_t* const first = first_.data();
  std::uint32_t* const waiting_for = waiting_for_.data();
  std::uint32_t* const successors_of = successor_begin_.data() + 2;
  for (std::uint32_t position = 0; position < size; ++position) {
    const std::uint32_t group = groups[position];
    first[group] = std::min(first[group], position);
    for (const std::uint32_t predecessor :
         list.subspan(begin[position], begin[position + 1] - begin[position])) {
      const std::uint32_t other = groups[predecessor];
      if (other == group) continue;
      *next++ = {other, group};
      ++successors_of[other];
      ++waiting_for[group];
    }
  }
  begin_lists(successor_begin_);
  const std::span<const Arrow> arrows(arrows_.data(), next);
  successors_.resize(arrows.size());
  for (const Arrow& arrow : arrows)
    successors_[successor_begin_[arrow.from + 1]++] = arrow.to;
}

void GroupOrder::run(std::span<const std::uint32_t> groups) {
  const std::size_t size = groups.size();
  ready_.assign((size + 63) / 64, 0);
  step_of_group_.resize(size);
  std::uint64_t* const ready = ready_.data();
  const std::uint32_t* const first = first_.data();
  std::uint32_t* const waiting_for = waiting_for_.data();
  for (std::uint32_t name = 0; name < size; ++name) {
    if (first[name] != kNone && waiting_for[name] == 0)
      ready[first[name] / 64] |= std::uint64_t{1} << (first[name] % 64);
  }
  steps_ = 0;
  std::size_t word = 0;
  while (word < ready_.size()) {
    if (ready[word] == 0) {
      ++word;
      continue;
    }
    const std::size_t position =
        word * 64 + static_cast<std::size_t>(std::countr_zero(ready[word]));
    ready[word] &= ready[word] - 1;
    const std::uint32_t group = groups[position];
    step_of_group_[group] = steps_++;
    const std::uint32_t end = successor_begin_[group + 1];
    for (std::uint32_t i = successor_begin_[group]; i < end; ++i) {
      const std::uint32_t next = successors_[i];
      if (--waiting_for[next] != 0) continue;
      ready[first[next] / 64] |= std::uint64_t{1} << (first[next] % 64);
      word = std::min<std::size_t>(word, first[next] / 64);
    }
  }
}

void GroupOrder::gather(std::span<const std::uint32_t> groups) {
  const std::size_t size = groups.size();
  step_.resize(size);
  member_begin_.assign(std::size_t{steps_} + 2, 0);
  for (std::size_t position = 0; position < size; ++position) {
    step_[position] = step_of_group_[groups[position]];
    ++member_begin_[step_[position] + 2];
  }
  begin_lists(member_begin_);
  members_.resize(size);
  for (std::uint32_t position = 0; position < size; ++position)
    members_[member_begin_[step_[position] + 1]++] = position;
  member_begin_.pop_back();
}

}  // namespace paretrain::evaluator
