// Why: costs are pure functions of content, asked for millions of times by several threads. This
// remembers answers by their full key, within a bound, and never changes what an answer is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/hash.h"

namespace paretrain::evaluator {

using MemoKey = std::span<const std::uint64_t>;

// Value: small and copyable. Calls from several threads are safe; two threads that miss the same
// key both compute it, to the same answer.
template <class Value>
class Memo {
 public:
  // A part that is full is emptied before it takes another answer.
  explicit Memo(std::size_t most) : most_per_part_(most / kParts + 1) {}

  [[nodiscard]] std::optional<Value> found(MemoKey key) {
    Part& part = part_of(key);
    const std::scoped_lock lock(part.mutex);
    const auto at = part.answers.find(key);
    if (at == part.answers.end()) {
      ++part.misses;
      return std::nullopt;
    }
    ++part.hits;
    return at->second;
  }

  void remember(MemoKey key, const Value& value) {
    Part& part = part_of(key);
    const std::scoped_lock lock(part.mutex);
    if (part.answers.size() >= most_per_part_) part.answers.clear();
    part.answers.emplace(Key(key.begin(), key.end()), value);
  }

  [[nodiscard]] std::uint64_t hits() const { return sum(&Part::hits); }

  [[nodiscard]] std::uint64_t misses() const { return sum(&Part::misses); }

 private:
  using Key = std::vector<std::uint64_t>;

  struct Hash {
    using is_transparent = void;

    std::size_t operator()(MemoKey key) const noexcept { return hash_of(key); }

    std::size_t operator()(const Key& key) const noexcept { return hash_of(MemoKey(key)); }
  };

  struct Equal {
    using is_transparent = void;

    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
  };

  struct Part {
    std::mutex mutex;
    std::unordered_map<Key, Value, Hash, Equal> answers;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
  };

  [[nodiscard]] Part& part_of(MemoKey key) { return parts_[(hash_of(key) >> 32U) % kParts]; }

  [[nodiscard]] std::uint64_t sum(std::uint64_t Part::*count) const {
    std::uint64_t total = 0;
    for (const Part& part : parts_)
      total += part.*count;
    return total;
  }

  static constexpr std::size_t kParts = 64;
  std::size_t most_per_part_;
  std::array<Part, kParts> parts_;
};

}  // namespace paretrain::evaluator
