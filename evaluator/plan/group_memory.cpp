#include "evaluator/plan/group_memory.h"

#include <algorithm>

namespace paretrain::evaluator {

namespace {

// Keys are a few words long, less than a call of memcmp takes.
bool are_equal(std::span<const std::uint64_t> key, const std::uint64_t* words) {
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] != words[i]) return false;
  }
  return true;
}

}  // namespace

template <class Answer>
const Answer* AnswerTable<Answer>::found(std::span<const std::uint64_t> key,
                                         std::uint64_t hash) const {
  if (slots_.empty()) return nullptr;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.length == key.size() &&
        are_equal(key, words_.data() + entry.begin))
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

GroupKeyWriter GroupMemory::new_key(std::size_t most_words) {
  if (key_.size() < most_words) key_.resize(most_words);
  return GroupKeyWriter(key_.data());
}

GroupCost GroupMemory::cost(const GroupModel& model, const GroupContent& group) {
  GroupKeyWriter writer = new_key(most_words(group));
  writer.add(group);
  const std::span<const std::uint64_t> key(key_.data(), writer.end());
  const std::uint64_t hash = table_hash(key);
  if (const GroupCost* known = costs_.found(key, hash)) {
    ++hits_;
    return *known;
  }
  ++misses_;
  const GroupCost answer = model.cost(group);
  costs_.remember(key, hash, answer);
  return answer;
}

CarryAnswer GroupMemory::carried(const GroupModel& model, const CarryQuestion& question) {
  GroupKeyWriter writer =
      new_key(1 + question.candidates.size() + most_words(question.from) + most_words(question.to));
  writer.add(question.candidates.size() + (std::uint64_t{question.from.carried_in.size()} << 32U));
  writer.add(question.candidates);
  writer.add(question.from);
  writer.add(question.to);
  const std::span<const std::uint64_t> key(key_.data(), writer.end());
  const std::uint64_t hash = table_hash(key);
  if (const CarryAnswer* known = carried_.found(key, hash)) {
    ++hits_;
    return *known;
  }
  ++misses_;
  const CarryAnswer answer = model.carried(question);
  carried_.remember(key, hash, answer);
  return answer;
}

bool GroupMemory::is_legal(const GroupModel& model,
                           std::span<const RunningOperator> running,
                           std::span<const std::uint32_t> members) {
  GroupKeyWriter writer = new_key(2 * members.size());
  for (const std::uint32_t position : members)
    writer.add(running[position]);
  const std::span<const std::uint64_t> key(key_.data(), writer.end());
  const std::uint64_t hash = table_hash(key);
  if (const std::uint8_t* known = legal_.found(key, hash)) {
    ++hits_;
    return *known != 0;
  }
  ++misses_;
  operators_.clear();
  for (const std::uint32_t position : members)
    operators_.push_back(running[position]);
  const bool answer = model.is_legal(operators_);
  legal_.remember(key, hash, answer ? 1 : 0);
  return answer;
}

}  // namespace paretrain::evaluator
