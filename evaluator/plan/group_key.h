// Why: a genome asks for what is known of some hundred groups; describing each in words and hashing
// them is most of the work of a look-up.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "evaluator/plan/group_model.h"

namespace paretrain::evaluator {

// A hash for tables that compare keys in full: what it lacks in quality costs time, never an
// answer. Two chains of one multiplication a word, so that neither waits for the other.
[[nodiscard]] inline std::uint64_t table_hash(std::span<const std::uint64_t> key) noexcept {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::uint64_t even = key.size();
  std::uint64_t odd = 0;
  std::size_t i = 0;
  for (; i + 1 < key.size(); i += 2) {
    even = std::rotl((even ^ key[i]) * kFactor, 29);
    odd = std::rotl((odd ^ key[i + 1]) * kFactor, 29);
  }
  if (i < key.size()) even = std::rotl((even ^ key[i]) * kFactor, 29);
  const std::uint64_t hash = (even ^ std::rotl(odd, 17)) * kFactor;
  return hash ^ (hash >> 32U);
}

// Writes a question about groups as words. Different questions of one kind about groups of one
// model have different words. Meant to live in registers: whoever has one owns the words.
class GroupKeyWriter {
 public:
  // Requires: room behind `words` for what is added.
  explicit GroupKeyWriter(std::uint64_t* words) noexcept : end_(words) {}

  void add(std::uint64_t word) noexcept { *end_++ = word; }

  // What a recompute makes stands beside its operator where it fits; a second word is announced.
  void add(const RunningOperator& running) noexcept {
    const std::uint64_t op = running.op.index();
    if (!running.recompute) {
      add(op);
    } else if (running.produced < kLongProduced) {
      add(op + ((2 * running.produced + 1) << 32U));
    } else {
      add(op + (std::uint64_t{2} << 32U));
      add(running.produced);
    }
  }

  void add(std::span<const RunningOperator> operators) noexcept {
    for (const RunningOperator& running : operators)
      add(running);
  }

  // Two a word, as they lie in memory.
  void add(std::span<const StepValueId> values) noexcept {
    static_assert(sizeof(StepValueId) == 4 && std::is_trivially_copyable_v<StepValueId>);
    if (values.empty()) return;
    end_[(values.size() - 1) / 2] = 0;
    std::memcpy(end_, values.data(), values.size_bytes());
    end_ += (values.size() + 1) / 2;
  }

  void add(std::span<const CarriedValue> values) noexcept {
    for (const CarriedValue& carried : values)
      add(carried.value.index() + (std::uint64_t{carried.place} << 32U));
  }

  void add(const GroupContent& group) noexcept;

  [[nodiscard]] const std::uint64_t* end() const noexcept { return end_; }

 private:
  static constexpr std::uint64_t kLongProduced = std::uint64_t{1} << 31U;
  std::uint64_t* end_;
};

// The most words that a group adds.
[[nodiscard]] inline std::size_t most_words(const GroupContent& group) noexcept {
  return 2 + 2 * group.operators.size() + group.reads.size() + group.writes.size() +
         group.carried_in.size() + group.carried_out.size();
}

// The counts in front tell where each list ends; what is carried is counted only where there is
// some, which is told from its absence by the length of the key.
inline void GroupKeyWriter::add(const GroupContent& group) noexcept {
  add(group.operators.size() + (std::uint64_t{group.reads.size()} << 20U) +
      (std::uint64_t{group.writes.size()} << 40U));
  add(group.operators);
  add(group.reads);
  add(group.writes);
  if (group.carried_in.empty() && group.carried_out.empty()) return;
  add(group.carried_in.size());
  add(group.carried_in);
  add(group.carried_out);
}

}  // namespace paretrain::evaluator
