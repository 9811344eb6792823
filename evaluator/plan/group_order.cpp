#include "evaluator/plan/group_order.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace paretrain::evaluator {

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
  successor_begin_.assign(size + 1, 0);
  arrows_.clear();
  const std::span<const std::uint32_t> begin = running.predecessor_begin();
  const std::span<const std::uint32_t> list = running.predecessor_list();
  for (std::uint32_t position = 0; position < size; ++position) {
    const std::uint32_t group = groups[position];
    first_[group] = std::min(first_[group], position);
    for (std::uint32_t i = begin[position]; i < begin[position + 1]; ++i) {
      const std::uint32_t other = groups[list[i]];
      if (other == group) continue;
      arrows_.push_back({other, group});
      ++successor_begin_[other + 1];
      ++waiting_for_[group];
    }
  }
  for (std::size_t name = 0; name < size; ++name)
    successor_begin_[name + 1] += successor_begin_[name];
  successors_.resize(arrows_.size());
  // Filled from the back of each list, after which the begins are one list too far: so they are
  // taken from the next name's.
  for (const Arrow& arrow : arrows_)
    successors_[--successor_begin_[arrow.from + 1]] = arrow.to;
}

void GroupOrder::run(std::span<const std::uint32_t> groups) {
  const std::size_t size = groups.size();
  ready_.assign((size + 63) / 64, 0);
  step_of_group_.resize(size);
  for (std::uint32_t name = 0; name < size; ++name) {
    if (first_[name] != kNone && waiting_for_[name] == 0)
      ready_[first_[name] / 64] |= std::uint64_t{1} << (first_[name] % 64);
  }
  steps_ = 0;
  std::size_t word = 0;
  while (word < ready_.size()) {
    if (ready_[word] == 0) {
      ++word;
      continue;
    }
    const std::size_t position =
        word * 64 + static_cast<std::size_t>(std::countr_zero(ready_[word]));
    ready_[word] &= ready_[word] - 1;
    const std::uint32_t group = groups[position];
    step_of_group_[group] = steps_++;
    const std::uint32_t end = group + 2 < successor_begin_.size()
                                  ? successor_begin_[group + 2]
                                  : static_cast<std::uint32_t>(successors_.size());
    for (std::uint32_t i = successor_begin_[group + 1]; i < end; ++i) {
      const std::uint32_t next = successors_[i];
      if (--waiting_for_[next] != 0) continue;
      ready_[first_[next] / 64] |= std::uint64_t{1} << (first_[next] % 64);
      word = std::min<std::size_t>(word, first_[next] / 64);
    }
  }
}

void GroupOrder::gather(std::span<const std::uint32_t> groups) {
  const std::size_t size = groups.size();
  step_.resize(size);
  member_begin_.assign(steps_ + 1, 0);
  for (std::size_t position = 0; position < size; ++position) {
    step_[position] = step_of_group_[groups[position]];
    ++member_begin_[step_[position] + 1];
  }
  for (std::size_t s = 0; s < steps_; ++s)
    member_begin_[s + 1] += member_begin_[s];
  members_.resize(size);
  for (auto position = static_cast<std::uint32_t>(size); position-- > 0;)
    members_[--member_begin_[step_[position] + 1]] = position;
  // As in find_quotient: the begin of step s now stands at s + 1.
  std::rotate(member_begin_.begin(), member_begin_.begin() + 1, member_begin_.end());
  member_begin_.back() = static_cast<std::uint32_t>(size);
}

}  // namespace paretrain::evaluator
