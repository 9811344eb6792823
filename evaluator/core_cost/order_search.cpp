#include "evaluator/core_cost/order_search.h"

#include <algorithm>

#include "evaluator/core_cost/order_energy.h"
#include "evaluator/core_cost/order_latency.h"

namespace paretrain::evaluator {

namespace {

// A quotient that rounds down must not lose an order that is as good as the best.
constexpr double kSlack = 1 + 1e-12;

double computing_cycles(const NestOnCore& nest) {
  return nest.temporal_steps * nest.cycles_per_operation;
}

// Exact up to `limit`; beyond it, some number above it.
double cycles_within(const NestOnCore& nest, const LaidOrder& laid, double limit) {
  const double computing = computing_cycles(nest);
  return computing + extra_cycles(nest, laid, limit - computing).total();
}

}  // namespace

bool better(const Score& a, const Score& b) {
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

Score score_of(Objective objective, double cycles, double energy) {
  switch (objective) {
    case Objective::Latency:
      return {cycles, energy};
    case Objective::Energy:
      return {energy, cycles};
    case Objective::Edp:
      return {cycles * energy, 0};
  }
  return {};
}

double cycles_of(const NestOnCore& nest, const LaidOrder& laid) {
  return computing_cycles(nest) + extra_cycles(nest, laid).total();
}

double energy_of(const NestOnCore& nest, const LaidOrder& laid) {
  return nest.mac_energy_pj + memory_energy_pj(nest, laid);
}

namespace {

// Empty when the order loses against the bound whatever its second number is.
std::optional<Score> score_within(Objective objective,
                                  const NestOnCore& nest,
                                  const LaidOrder& laid,
                                  const std::optional<Score>& bound) {
  switch (objective) {
    case Objective::Latency: {
      if (!bound) return score_of(objective, cycles_of(nest, laid), energy_of(nest, laid));
      const double cycles = cycles_within(nest, laid, bound->first);
      if (cycles > bound->first) return std::nullopt;
      return Score{cycles, energy_of(nest, laid)};
    }
    case Objective::Energy: {
      const double energy = energy_of(nest, laid);
      if (bound && energy > bound->first) return std::nullopt;
      return Score{energy, cycles_of(nest, laid)};
    }
    case Objective::Edp: {
      const double energy = energy_of(nest, laid);
      if (!bound) return score_of(objective, cycles_of(nest, laid), energy);
      const double cycles = cycles_within(nest, laid, bound->first / energy * kSlack);
      return cycles * energy > bound->first ? std::nullopt
                                            : std::optional(score_of(objective, cycles, energy));
    }
  }
  return std::nullopt;
}

}  // namespace

OrderSearch::OrderSearch(const NestOnCore& nest, Objective objective, std::optional<Score> bound)
    : nest_(nest),
      objective_(objective),
      best_(bound),
      allocations_(nest, objective),
      seen_(nest) {}

void OrderSearch::run(const std::vector<TemporalLoop>& factors) {
  for (const TemporalLoop& factor : factors) {
    const auto known = std::find_if(
        kinds_.begin(), kinds_.end(), [&](const Kind& kind) { return kind.loop == factor; });
    if (known == kinds_.end()) {
      kinds_.push_back({factor, 1, {}});
    } else {
      ++known->left;
    }
  }
  number_kinds();
  length_ = factors.size();
  descend(0);
}

// Loops of one size that play one role for an operand are the same to it.
void OrderSearch::number_kinds() {
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const auto role = [&](const Kind& kind) {
      return nest_.operands[o].indexing.role(kind.loop.loop);
    };
    std::uint32_t digit = 1;  // at most 2 ^ kMaxTemporalLoops
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (kinds_[k].digits[o] != 0) continue;
      std::uint32_t count = 0;
      for (std::size_t other = k; other < kinds_.size(); ++other) {
        Kind& alike = kinds_[other];
        if (alike.loop.size != kinds_[k].loop.size || role(alike) != role(kinds_[k])) continue;
        alike.digits[o] = digit;
        count += static_cast<std::uint32_t>(alike.left);
      }
      digit *= count + 1;
    }
  }
}

void OrderSearch::descend(std::size_t depth) {
  if (depth == length_) {
    judge();
    return;
  }
  const bool first_is_all = depth > 0 && depth + 1 < length_ && rest_does_not_matter(depth);
  for (Kind& kind : kinds_) {
    if (kind.left == 0) continue;
    --kind.left;
    place(depth, kind);
    descend(depth + 1);
    ++kind.left;
    if (first_is_all) return;
  }
}

void OrderSearch::place(std::size_t depth, const Kind& kind) {
  order_.place(nest_, depth, kind.loop);
  for (std::size_t o = 0; o < kNestOperandCount; ++o)
    prefixes_[o][depth + 1] = prefixes_[o][depth] + kind.digits[o];
  shared_ = std::min(shared_, depth);
}

// An order matters only by the loops that fit below the outermost memories and by the leading ones
// that leave an input in place (docs/core-cost.md, search).
bool OrderSearch::rest_does_not_matter(std::size_t depth) const {
  for (std::size_t o = 0; o < kNestOperandCount; ++o) {
    const OperandOnCore& operand = nest_.operands[o];
    if (!operand.present) continue;
    if (static_cast<NestOperand>(o) == NestOperand::O) continue;
    bool moved = false;
    for (std::size_t i = 0; i < depth; ++i)
      moved = moved || order_.role(o, i) != LoopRole::Irrelevant;
    if (!moved) return false;
  }
  return allocations_.is_settled(order_, depth);
}

void OrderSearch::judge() {
  const std::vector<Cuts>& allocated = allocations_.of(order_, shared_);
  shared_ = length_;
  for (const Cuts& cuts : allocated) {
    Cuts merged = cuts;
    merge_stationary(nest_, order_, merged);
    if (!seen_.add(order_, prefixes_, merged)) continue;
    laid_.lay_out(nest_, order_, cuts, merged);
    const std::optional<Score> score = score_within(objective_, nest_, laid_, best_);
    if (!score || (best_ && !better(*score, *best_))) continue;
    best_ = score;
    best_order_ = {order_, cuts};
  }
}

}  // namespace paretrain::evaluator
