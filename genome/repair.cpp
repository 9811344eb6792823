#include "genome/repair.h"

#include <limits>
#include <numeric>

namespace paretrain::genome {

namespace {

constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void Grouping::reset(std::size_t nodes) {
  group_.resize(nodes);
  std::iota(group_.begin(), group_.end(), 0U);
  next_ = group_;
  slot_ = group_;
  order_ = group_;
  length_.assign(nodes, 1);
  reaching_.assign(nodes, 0);
  stamp_ = 0;
}

std::span<const std::uint32_t> Grouping::members_of_both(std::uint32_t a, std::uint32_t b) {
  members_.clear();
  for (const std::uint32_t name : {a, b}) {
    std::uint32_t node = name;
    do {
      members_.push_back(node);
      node = next_[node];
    } while (node != name);
  }
  std::sort(members_.begin(), members_.end());
  return members_;
}

// Looks at what the members of a group depend on; true when the group `first` is among it.
bool Grouping::visit(std::uint32_t name, const Dependences& dependences, std::uint32_t first) {
  std::uint32_t node = name;
  do {
    for (const std::uint32_t predecessor : dependences.of(node)) {
      const std::uint32_t other = group_[predecessor];
      if (other == first) return true;
      if (slot_[other] < lowest_slot_ || reaching_[other] == stamp_) continue;
      reaching_[other] = stamp_;
      pending_.push_back(other);
    }
    node = next_[node];
  } while (node != name);
  return false;
}

bool Grouping::path_through_others(std::uint32_t first,
                                   std::uint32_t last,
                                   const Dependences& dependences) {
  DCHECK(slot_[first] < slot_[last], "the order of groups is not topological");
  ++stamp_;
  lowest_slot_ = slot_[first];
  pending_.clear();
  reaching_[last] = stamp_;
  // The direct step from `first` to `last` is no path through others, so this round starts with
  // what else `last` depends on.
  std::uint32_t node = last;
  do {
    for (const std::uint32_t predecessor : dependences.of(node)) {
      const std::uint32_t other = group_[predecessor];
      if (slot_[other] <= lowest_slot_ || reaching_[other] == stamp_) continue;
      reaching_[other] = stamp_;
      pending_.push_back(other);
    }
    node = next_[node];
  } while (node != last);
  while (!pending_.empty()) {
    const std::uint32_t name = pending_.back();
    pending_.pop_back();
    if (visit(name, dependences, first)) return true;
  }
  return false;
}

void Grouping::join(std::uint32_t into, std::uint32_t from) {
  std::uint32_t node = from;
  do {
    group_[node] = into;
    node = next_[node];
  } while (node != from);
  std::swap(next_[into], next_[from]);  // two rings become one
  length_[into] += length_[from];
}

// What reaches `last` must stay before the merged group, the rest of what stood between goes behind
// it: both keep their own order.
void Grouping::merge(std::uint32_t first, std::uint32_t last) {
  const std::uint32_t begin = slot_[first];
  const std::uint32_t end = slot_[last];
  moved_.clear();
  std::uint32_t place = begin;
  for (std::uint32_t at = begin + 1; at < end; ++at) {
    const std::uint32_t name = order_[at];
    if (name == kNobody) continue;
    if (reaching_[name] == stamp_) {
      slot_[name] = place;
      order_[place++] = name;
    } else {
      moved_.push_back(name);
    }
  }
  slot_[first] = place;
  order_[place++] = first;
  for (const std::uint32_t name : moved_) {
    slot_[name] = place;
    order_[place++] = name;
  }
  std::fill(order_.begin() + place, order_.begin() + end + 1, kNobody);
  join(first, last);
}

void Grouping::merge_unordered(std::uint32_t a, std::uint32_t b) {
  if (length_[a] < length_[b]) std::swap(a, b);
  join(a, b);
}

}  // namespace paretrain::genome
