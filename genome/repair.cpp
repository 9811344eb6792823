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
  members_.resize(length_[a] + length_[b]);
  std::uint32_t* next = members_.data();
  std::uint32_t left_of_a = length_[a];
  std::uint32_t left_of_b = length_[b];
  while (left_of_a != 0 && left_of_b != 0) {
    const bool from_a = a < b;
    *next++ = from_a ? a : b;
    if (from_a) {
      a = next_[a];
      --left_of_a;
    } else {
      b = next_[b];
      --left_of_b;
    }
  }
  for (; left_of_a != 0; --left_of_a, a = next_[a])
    *next++ = a;
  for (; left_of_b != 0; --left_of_b, b = next_[b])
    *next++ = b;
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
  // Most merges are of neighbours, with nothing between.
  if (slot_[last] == lowest_slot_ + 1) return false;
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

// The group of what members_of_both() found last.
void Grouping::join_members() {
  const std::uint32_t name = members_.front();
  std::uint32_t before = members_.back();
  for (const std::uint32_t node : members_) {
    group_[node] = name;
    next_[before] = node;
    before = node;
  }
  length_[name] = static_cast<std::uint32_t>(members_.size());
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
  const std::uint32_t merged = members_.front();
  slot_[merged] = place;
  order_[place++] = merged;
  for (const std::uint32_t name : moved_) {
    slot_[name] = place;
    order_[place++] = name;
  }
  std::fill(order_.begin() + place, order_.begin() + end + 1, kNobody);
  join_members();
}

void Grouping::merge_unordered(std::uint32_t a, std::uint32_t b) {
  if (length_[a] < length_[b]) std::swap(a, b);
  std::uint32_t node = b;
  do {
    group_[node] = a;
    node = next_[node];
  } while (node != b);
  std::swap(next_[a], next_[b]);  // two rings become one
  length_[a] += length_[b];
}

}  // namespace paretrain::genome
