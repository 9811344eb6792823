// Why: the engine searches whatever offers this interface and knows nothing else about it: plans of
// a training step, benchmark functions, or a problem of somebody who uses the library alone.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/genome_row.h"

namespace paretrain::engine {

inline constexpr std::size_t kMaxObjectives = 16;

// The objectives of one genome, to be minimised, in place so that an evaluation allocates nothing.
class ObjectiveVector {
 public:
  ObjectiveVector() = default;

  // Requires: at most kMaxObjectives values.
  ObjectiveVector(std::initializer_list<double> values) noexcept {
    for (const double value : values)
      push_back(value);
  }

  void push_back(double value) noexcept { values_[size_++] = value; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] double operator[](std::size_t index) const noexcept { return values_[index]; }

  [[nodiscard]] std::span<const double> values() const noexcept { return {values_.data(), size_}; }

 private:
  std::array<double, kMaxObjectives> values_;
  std::size_t size_ = 0;
};

// Feasible when violation is 0; otherwise by how much the constraints are missed in total (in any
// unit that makes sums comparable), with objectives that are still finite. A NaN or an infinity
// anywhere makes the genome infeasible, the worst of all, and is counted in the statistics.
struct Evaluation {
  ObjectiveVector objectives = {};
  double violation = 0;
};

// Bits begin .. end-1 belong together (the genes of one operator, say). Block moves of the local
// search use these instead of windows at random places.
struct BitBlock {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What the engine needs to know of a problem. Every member is const and pure: the answer depends on
// the arguments only, and calls from several threads at a time are safe.
//
// The engine varies genomes and brings them into canonical form in parallel, removes duplicates
// among the canonical forms, and evaluates what is left in parallel.
class Problem {
 public:
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  Problem(Problem&&) = delete;
  Problem& operator=(Problem&&) = delete;
  virtual ~Problem() = default;

  // The same at every call.
  [[nodiscard]] virtual const GenomeLayout& layout() const = 0;
  // One name per objective, with its unit where it has one: "latency_cycles". The same at every
  // call.
  [[nodiscard]] virtual const std::vector<std::string>& objective_names() const = 0;
  // The genome is in canonical form.
  [[nodiscard]] virtual Evaluation evaluate(GenomeView genome) const = 0;

  // Brings a genome into the one form that stands for it (repair, inactive genes zero). Idempotent,
  // and a canonical form is a genome of its own right. The default leaves it as it is.
  virtual void canonicalize(GenomeRow genome) const;

  // Called after bits were flipped: `before` is the genome as it was, `after` with the flips. The
  // problem may change further genes that ought to follow. The default changes nothing.
  virtual void follow_flips(GenomeView before, GenomeRow after) const;

  // One small change that makes sense for this problem (moving a checkpoint to a neighbour, say),
  // for the local search and for mutation. Returns whether it changed anything; the default offers
  // none.
  [[nodiscard]] virtual bool structured_move(GenomeRow genome, RandomStream& random) const;

  // Ranges for block moves of the local search; none means windows at random places.
  [[nodiscard]] virtual std::vector<BitBlock> blocks() const;

  // Order of the genomes' text forms: of genomes with equal objectives the first one represents the
  // point in results. The default compares gene by gene: bits, then integers, then reals.
  [[nodiscard]] virtual std::strong_ordering text_order(GenomeView a, GenomeView b) const;

  // For `enumerate` of a problem of bits only with canonical forms: an order of all bit genes such
  // that zeroing the genes from any place of that order on turns a canonical genome into a
  // canonical genome. Then only canonical genomes (and their direct successors) are visited instead
  // of all. Empty: there is no such order, all 2^bits genomes are visited.
  [[nodiscard]] virtual std::vector<std::uint32_t> canonical_prefix_order() const;
};

// Number of genomes of a layout before canonicalisation; empty when there are reals or when it does
// not fit 63 bits.
[[nodiscard]] std::optional<std::uint64_t> genome_count(const GenomeLayout& layout);

}  // namespace paretrain::engine
