// Why: a search meets the same groups again and again, and a thread that asks itself first neither
// waits for others nor describes the group to the model. Answers are never different for it: keys
// are compared in full.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/plan/group_key.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::evaluator {

// Answers by key, within a bound; when full, all are forgotten. Not for several threads.
template <class Answer>
class AnswerTable {
 public:
  // The answer to a key, or the place to put it: null when unknown.
  [[nodiscard]] const Answer* found(std::span<const std::uint64_t> key, std::uint64_t hash) const;
  void remember(std::span<const std::uint64_t> key, std::uint64_t hash, const Answer& answer);
  void forget();

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0;  // of the key in words_
    std::uint32_t length = 0;
    Answer answer{};
  };

  void grow();

  static constexpr std::size_t kMostEntries = std::size_t{1} << 16U;
  static constexpr std::size_t kMostWords = std::size_t{1} << 20U;
  std::vector<std::uint32_t> slots_;  // 1 + entry, 0 when empty; a power of two, at most half full
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> words_;
};

// What one thread remembers of one model. At most about 16 MiB, 24 MiB with hand-overs.
class GroupMemory {
 public:
  // Forgets everything unless the owner is the same as before. Requires: equal owners mean models
  // with equal answers.
  void belong_to(std::uint64_t owner);

  [[nodiscard]] GroupCost cost(const GroupModel& model, const GroupContent& group);

  // `members` are positions in `running`, ascending.
  [[nodiscard]] bool is_legal(const GroupModel& model,
                              std::span<const RunningOperator> running,
                              std::span<const std::uint32_t> members);

  [[nodiscard]] CarryAnswer carried(const GroupModel& model, const CarryQuestion& question);

  [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }

  [[nodiscard]] std::uint64_t misses() const noexcept { return misses_; }

 private:
  [[nodiscard]] GroupKeyWriter new_key(std::size_t most_words);

  AnswerTable<GroupCost> costs_;
  AnswerTable<std::uint8_t> legal_;
  AnswerTable<CarryAnswer> carried_;
  std::vector<std::uint64_t> key_;  // of the question at hand
  std::vector<RunningOperator> operators_;
  std::uint64_t owner_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace paretrain::evaluator
