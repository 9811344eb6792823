// Why: groups of equal content have equal cost wherever they stand in the network. The key says the
// content and how tensors pass between the operators, in as few words as possible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/graph/training_graph.h"
#include "evaluator/group/memo.h"
#include "evaluator/plan/group_model.h"

namespace paretrain::evaluator {

// Words in place for usual groups, on the heap for very large ones.
class GroupKey {
 public:
  void add(std::uint64_t word);

  [[nodiscard]] MemoKey words() const {
    return count_ <= kInPlace ? MemoKey(in_place_.data(), count_) : MemoKey(heap_);
  }

 private:
  static constexpr std::size_t kInPlace = 192;
  std::array<std::uint64_t, kInPlace> in_place_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> heap_;
};

// Two groups have the same key exactly when their operators have the same contents, produce the
// same results, pass tensors alike, fetch and store the same of them, and are handed and hand on
// the same of them at the same places.
// Cost: accesses × distinct tensors of the group.
[[nodiscard]] GroupKey cost_key(const TrainingGraph& graph,
                                std::span<const std::uint32_t> contents,
                                const GroupContent& group);

// The same without what is fetched, stored and handed over.
[[nodiscard]] GroupKey legality_key(const TrainingGraph& graph,
                                    std::span<const std::uint32_t> contents,
                                    std::span<const RunningOperator> operators);

}  // namespace paretrain::evaluator
