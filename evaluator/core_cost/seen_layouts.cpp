#include "evaluator/core_cost/seen_layouts.h"

#include <algorithm>

namespace paretrain::evaluator {

namespace {

constexpr std::size_t kOutput = static_cast<std::size_t>(NestOperand::O);
constexpr std::size_t kFirstSlots = 64;

std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

}  // namespace

bool outermost_run_matters(const NestOnCore& nest, std::size_t operand) {
  const auto is_top = [&](const OperandAtLevel& user) {
    return user.level + 1U == nest.operands[user.operand].level_count;
  };
  return std::any_of(nest.memories.begin(), nest.memories.end(), [&](const MemoryOnCore& memory) {
    const std::span<const OperandAtLevel> users(memory.users.data(), memory.user_count);
    const bool holds = std::any_of(users.begin(), users.end(), [&](const OperandAtLevel& user) {
      return user.operand == operand && is_top(user);
    });
    return holds && !std::all_of(users.begin(), users.end(), is_top);
  });
}

SeenLayouts::SeenLayouts(const NestOnCore& nest) : nest_(nest), slots_(kFirstSlots, 0) {
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    if (!nest.operands[o].present) continue;
    outermost_matters_[o] = outermost_run_matters(nest, o);
    words_ += nest.operands[o].level_count - (outermost_matters_[o] ? 0U : 1U);
    words_ += o == kOutput ? 0U : 1U;
  }
}

bool SeenLayouts::add(const LoopOrder& order, const PrefixNumbers& prefixes, const Cuts& merged) {
  std::size_t word = 0;
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest_.operands[o];
    if (!operand.present) continue;
    std::size_t begin = 0;
    const std::size_t levels = operand.level_count - (outermost_matters_[o] ? 0U : 1U);
    for (std::size_t level = 0; level < levels; ++level) {
      const std::size_t end = merged[o][level];
      std::size_t first = end;
      if (end > begin) {
        const LoopRole role = order.role(o, end - 1);
        if (role == LoopRole::Relevant || role == LoopRole::Irrelevant)
          first = std::max(begin, order.run_start(o, end));
      }
      key_[word++] = static_cast<std::uint64_t>(prefixes[o][end]) << 32U | prefixes[o][first];
      begin = end;
    }
    if (o == kOutput) continue;
    std::size_t still = 0;
    while (still < order.size() && order.role(o, still) == LoopRole::Irrelevant)
      ++still;
    key_[word++] = prefixes[o][still];
  }
  const std::span<const std::uint64_t> key(key_.data(), words_);
  const std::uint64_t hash = hash_of(key);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
    if (hashes_[slots_[slot] - 1] == hash && is_at(slot, key)) return false;
  keys_.insert(keys_.end(), key.begin(), key.end());
  hashes_.push_back(hash);
  slots_[slot] = static_cast<std::uint32_t>(hashes_.size());
  if (2 * hashes_.size() > slots_.size()) grow();
  return true;
}

bool SeenLayouts::is_at(std::size_t slot, std::span<const std::uint64_t> key) const {
  const std::uint64_t* known = keys_.data() + words_ * (slots_[slot] - 1);
  return std::equal(key.begin(), key.end(), known);
}

void SeenLayouts::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::size_t k = 0; k < hashes_.size(); ++k) {
    std::size_t slot = hashes_[k] & (slots_.size() - 1);
    while (slots_[slot] != 0)
      slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(k + 1);
  }
}

}  // namespace paretrain::evaluator
