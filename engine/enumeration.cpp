#include "engine/enumeration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "engine/archive.h"
#include "engine/genome_number.h"
#include "engine/non_dominated_ranks.h"
#include "engine/parallel_for.h"
#include "engine/thread_team.h"

namespace paretrain::engine {

namespace {

// Genomes looked at between two merges into the front, and those that a thread takes at a time.
constexpr std::size_t kBatch = std::size_t{1} << 15U;
constexpr std::size_t kShare = 32;

// A canonical genome whose successors set further genes, from place `depth` of the prefix order on.
struct Node {
  Genome genome;
  std::size_t depth = 0;
};

// What a thread found in its share of a batch.
struct Share {
  std::vector<Word> words;
  std::vector<Evaluation> evaluations;
  std::vector<Node> successors;

  void clear() {
    words.clear();
    evaluations.clear();
    successors.clear();
  }
};

bool is_finite(const Evaluation& evaluation) {
  const std::span<const double> values = evaluation.objectives.values();
  return std::isfinite(evaluation.violation) &&
         std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

[[noreturn]] void refuse(const std::string& found) {
  throw InputError({.where = "enumerate",
                    .what = found + "; at most " +
                            grouped_text(static_cast<std::int64_t>(kMaxEnumeratedGenomes)) +
                            " genomes can be enumerated",
                    .hint = "search it instead, or fix some of its genes"});
}

class Enumerator {
 public:
  Enumerator(const Problem& problem, const EnumerationOptions& options)
      : problem_(problem),
        team_(options.threads),
        words_(problem.layout().words()),
        objective_count_(problem.objective_names().size()),
        update_(problem, options.keep_equal) {
    for (Individuals* const rows : {&result_.front, &feasible_}) {
      rows->words_per_genome = words_;
      rows->objective_count = objective_count_;
    }
  }

  Enumeration run() {
    const std::optional<std::uint64_t> count = genome_count(problem_.layout());
    if (!count) refuse("the space has real genes or more than 2^62 genomes");
    result_.genomes = *count;
    const std::vector<std::uint32_t> order = problem_.canonical_prefix_order();
    if (!order.empty()) {
      CHECK(problem_.layout().integers.empty(), "a prefix order is one of bits only");
      visit_tree(order);
    } else {
      if (*count > kMaxEnumeratedGenomes)
        refuse("the space has " + grouped_text(static_cast<std::int64_t>(*count)) + " genomes");
      visit_all(*count);
    }
    spread_counts();
    return std::move(result_);
  }

 private:
  void visit_all(std::uint64_t count);
  void visit_tree(std::span<const std::uint32_t> order);
  void visit_node(std::span<const std::uint32_t> order, const Node& node, Share& share) const;
  void visit_genome(GenomeView genome, Share& share) const;
  void take_shares(std::size_t used);
  void take(GenomeView genome, const Evaluation& evaluation);
  void merge_batch();
  void spread_counts();

  const Problem& problem_;
  ThreadTeam team_;
  std::size_t words_;
  std::size_t objective_count_;
  ArchiveUpdate update_;
  NonDominatedRanks ranks_;
  std::vector<Share> shares_;
  Individuals feasible_;  // of the batch at hand
  std::vector<std::uint32_t> best_;
  std::map<std::vector<double>, std::uint64_t> genomes_per_point_;
  Enumeration result_;
};

void Enumerator::visit_genome(GenomeView genome, Share& share) const {
  share.words.insert(share.words.end(), genome.begin(), genome.end());
  share.evaluations.push_back(problem_.evaluate(genome));
}

void Enumerator::visit_all(std::uint64_t count) {
  for (std::uint64_t first = 0; first < count; first += kBatch) {
    const std::uint64_t end = std::min(count, first + kBatch);
    const auto used = static_cast<std::size_t>((end - first + kShare - 1) / kShare);
    shares_.resize(std::max(shares_.size(), used));
    parallel_for(used, team_, [&](std::size_t i) {
      shares_[i].clear();
      Genome genome(words_);
      const std::uint64_t begin = first + i * kShare;
      for (std::uint64_t number = begin; number < std::min(end, begin + kShare); ++number) {
        numbered_genome(problem_.layout(), number, genome);
        problem_.canonicalize(genome);
        if (genome_number(problem_.layout(), genome) == number) visit_genome(genome, shares_[i]);
      }
    });
    take_shares(used);
  }
}

void Enumerator::visit_node(std::span<const std::uint32_t> order,
                            const Node& node,
                            Share& share) const {
  visit_genome(node.genome, share);
  Genome longer(words_);
  Genome canonical(words_);
  for (std::size_t place = node.depth; place < order.size(); ++place) {
    longer = node.genome;
    set_bit(longer, order[place]);
    canonical = longer;
    problem_.canonicalize(canonical);
    if (canonical == longer) share.successors.push_back({.genome = longer, .depth = place + 1});
  }
}

// Every canonical genome is a node; its predecessor lacks its last gene in the prefix order.
// Batches come from the end of the list of open nodes, which keeps that list short.
void Enumerator::visit_tree(std::span<const std::uint32_t> order) {
  std::vector<Node> open(1);
  open.front().genome.assign(words_, 0);
  while (!open.empty()) {
    const std::size_t taken = std::min(open.size(), kBatch / kShare);
    const std::size_t first = open.size() - taken;
    shares_.resize(std::max(shares_.size(), taken));
    parallel_for(taken, team_, [&](std::size_t i) {
      shares_[i].clear();
      visit_node(order, open[first + i], shares_[i]);
    });
    open.resize(first);
    for (std::size_t i = 0; i < taken; ++i)
      std::move(
          shares_[i].successors.begin(), shares_[i].successors.end(), std::back_inserter(open));
    take_shares(taken);
    if (result_.canonical_genomes > kMaxEnumeratedGenomes)
      refuse("the space has more canonical genomes than that");
  }
}

void Enumerator::take_shares(std::size_t used) {
  for (std::size_t i = 0; i < used; ++i) {
    const GenomeView words(shares_[i].words);
    for (std::size_t k = 0; k < shares_[i].evaluations.size(); ++k)
      take(words.subspan(k * words_, words_), shares_[i].evaluations[k]);
  }
  merge_batch();
}

void Enumerator::take(GenomeView genome, const Evaluation& evaluation) {
  ++result_.canonical_genomes;
  const bool finite = is_finite(evaluation);
  if (!finite) ++result_.not_finite;
  if (!finite || evaluation.violation > 0) {
    ++result_.infeasible;
    return;
  }
  const std::span<const double> values = evaluation.objectives.values();
  feasible_.append(genome, values, 0);
  // Minus zero becomes zero, as in a search.
  for (std::size_t i = feasible_.objectives.size() - objective_count_;
       i < feasible_.objectives.size();
       ++i)
    feasible_.objectives[i] += 0.0;
  if (result_.worst.empty()) result_.worst.assign(values.begin(), values.end());
  for (std::size_t k = 0; k < objective_count_; ++k)
    result_.worst[k] = std::max(result_.worst[k], values[k]);
}

// A point of the final front is non-dominated in every batch, so counting those counts all.
void Enumerator::merge_batch() {
  if (feasible_.size() == 0) return;
  const std::span<const std::uint32_t> ranks = ranks_.ranks(feasible_.objectives, objective_count_);
  best_.clear();
  for (std::size_t row = 0; row < ranks.size(); ++row) {
    if (ranks[row] != 0) continue;
    best_.push_back(static_cast<std::uint32_t>(row));
    const std::span<const double> values = feasible_.objectives_of(row);
    ++genomes_per_point_[std::vector<double>(values.begin(), values.end())];
  }
  update_.add(result_.front, feasible_, best_);
  feasible_.clear();
  std::map<std::vector<double>, std::uint64_t> kept;
  for (std::size_t row = 0; row < result_.front.size(); ++row) {
    const std::span<const double> values = result_.front.objectives_of(row);
    const auto found = genomes_per_point_.find(std::vector<double>(values.begin(), values.end()));
    kept.insert(*found);
  }
  genomes_per_point_ = std::move(kept);
}

// One count per front row: rows with equal objectives (keep_equal above 1) share theirs.
void Enumerator::spread_counts() {
  for (std::size_t row = 0; row < result_.front.size(); ++row) {
    const std::span<const double> values = result_.front.objectives_of(row);
    result_.genomes_per_point.push_back(
        genomes_per_point_.at(std::vector<double>(values.begin(), values.end())));
  }
}

}  // namespace

Enumeration enumeration(const Problem& problem, const EnumerationOptions& options) {
  return Enumerator(problem, options).run();
}

}  // namespace paretrain::engine
