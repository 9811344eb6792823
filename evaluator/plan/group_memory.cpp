#include "evaluator/plan/group_memory.h"

#include <algorithm>

#include "base/hash.h"

namespace paretrain::evaluator {

template <class Answer>
const Answer* AnswerTable<Answer>::found(std::span<const std::uint64_t> key,
                                         std::uint64_t hash) const {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.length == key.size() &&
        std::equal(key.begin(), key.end(), words_.begin() + entry.begin))
      return &entry.answer;
  }
  return nullptr;
}

template <class Answer>
void AnswerTable<Answer>::remember(std::span<const std::uint64_t> key,
                                   std::uint64_t hash,
                                   const Answer& answer) {
  if (entries_.size() >= kMostEntries || words_.size() + key.size() > kMostWords) forget();
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != 0)
    slot = (slot + 1) & mask;
  entries_.push_back({hash,
                      static_cast<std::uint32_t>(words_.size()),
                      static_cast<std::uint32_t>(key.size()),
                      answer});
  words_.insert(words_.end(), key.begin(), key.end());
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
}

template <class Answer>
void AnswerTable<Answer>::forget() {
  std::fill(slots_.begin(), slots_.end(), 0U);
  entries_.clear();
  words_.clear();
}

template <class Answer>
void AnswerTable<Answer>::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    std::size_t slot = entries_[e].hash & mask;
    while (slots_[slot] != 0)
      slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(e + 1);
  }
}

void GroupMemory::belong_to(std::uint64_t owner) {
  if (owner == owner_) return;
  owner_ = owner;
  costs_.forget();
  legal_.forget();
  carried_.forget();
}

void GroupMemory::add(std::span<const RunningOperator> operators) {
  for (const RunningOperator& running : operators) {
    key_.push_back(2 * running.op.index() + (running.recompute ? 1 : 0));
    if (running.recompute) key_.push_back(running.produced);
  }
}

void GroupMemory::add(std::span<const StepValueId> values) {
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2)
    key_.push_back(values[i].index() + (std::uint64_t{values[i + 1].index()} << 32U));
  if (i < values.size()) key_.push_back(values[i].index());
}

void GroupMemory::add(std::span<const CarriedValue> values) {
  for (const CarriedValue& carried : values)
    key_.push_back(carried.value.index() + (std::uint64_t{carried.place} << 32U));
}

// The counts in front tell where each list ends; what is carried is counted only where there is
// some, which is told from its absence by the length of the key.
void GroupMemory::add(const GroupContent& group) {
  key_.push_back(group.operators.size() + (std::uint64_t{group.reads.size()} << 20U) +
                 (std::uint64_t{group.writes.size()} << 40U));
  add(group.operators);
  add(group.reads);
  add(group.writes);
  if (group.carried_in.empty() && group.carried_out.empty()) return;
  key_.push_back(group.carried_in.size());
  add(group.carried_in);
  add(group.carried_out);
}

GroupCost GroupMemory::cost(const GroupModel& model, const GroupContent& group) {
  key_.clear();
  add(group);
  const std::uint64_t hash = hash_of(key_);
  if (const GroupCost* known = costs_.found(key_, hash)) {
    ++hits_;
    return *known;
  }
  ++misses_;
  const GroupCost answer = model.cost(group);
  costs_.remember(key_, hash, answer);
  return answer;
}

CarryAnswer GroupMemory::carried(const GroupModel& model, const CarryQuestion& question) {
  key_.clear();
  key_.push_back(question.candidates.size() +
                 (std::uint64_t{question.from.carried_in.size()} << 32U));
  add(question.candidates);
  add(question.from);
  add(question.to);
  const std::uint64_t hash = hash_of(key_);
  if (const CarryAnswer* known = carried_.found(key_, hash)) {
    ++hits_;
    return *known;
  }
  ++misses_;
  const CarryAnswer answer = model.carried(question);
  carried_.remember(key_, hash, answer);
  return answer;
}

bool GroupMemory::is_legal(const GroupModel& model, std::span<const RunningOperator> operators) {
  key_.clear();
  add(operators);
  const std::uint64_t hash = hash_of(key_);
  if (const std::uint8_t* known = legal_.found(key_, hash)) {
    ++hits_;
    return *known != 0;
  }
  ++misses_;
  const bool answer = model.is_legal(operators);
  legal_.remember(key_, hash, answer ? 1 : 0);
  return answer;
}

}  // namespace paretrain::evaluator
