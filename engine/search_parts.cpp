#include "engine/search_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/shared_loop.h"

namespace paretrain::engine {

namespace {

// A front of fewer points than one in so many of the population that gains none for so long.
constexpr std::size_t kFewPoints = 2;
constexpr std::uint64_t kStuckGenerations = 30;

void check_options(const SearchOptions& options, std::size_t objective_count) {
  CHECK(options.population >= 1, "a population needs at least one individual");
  const double local_search = options.local_search.value_or(0);
  CHECK(local_search >= 0 && local_search <= 1, "a share is between 0 and 1");
  const double crossover = options.variation.crossover_probability.value_or(0);
  CHECK(crossover >= 0 && crossover <= 1, "a probability is between 0 and 1");
  CHECK(options.variation.mutated_genes.value_or(0) >= 0, "mutation changes no fewer than 0 genes");
  CHECK(options.variation.run_mutation >= 0 && options.variation.run_mutation <= 1,
        "a share is between 0 and 1");
  if (options.hypervolume) {
    CHECK(options.hypervolume->reference.size() == objective_count,
          "a reference point has one value per objective");
    CHECK(options.hypervolume->unit > 0, "a unit of volume is positive");
  }
}

bool is_finite(const Evaluation& evaluation) {
  const std::span<const double> values = evaluation.objectives.values();
  return std::isfinite(evaluation.violation) &&
         std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

Search::Parts::Parts(const Problem& its_problem, SearchOptions its_options)
    : problem(its_problem),
      options(std::move(its_options)),
      objective_count(problem.objective_names().size()),
      team(options.threads),
      memory(problem.layout().words(), objective_count),
      offspring(problem, options),
      archive_update(problem, options.keep_equal) {
  CHECK(problem.layout().genes() > 0, "a genome needs at least one gene");
  CHECK(objective_count >= 1 && objective_count <= kMaxObjectives,
        "a problem has 1 to 16 objectives");
  check_options(options, objective_count);
  for (Individuals* const rows : {&state.population, &state.archive, &batch, &merged}) {
    rows->words_per_genome = problem.layout().words();
    rows->objective_count = objective_count;
  }
}

void Search::Parts::begin() {
  CHECK(!ready, "a search is started once");
  ready = true;
  begun = Clock::now();
}

std::optional<std::uint64_t> Search::Parts::evaluations_left() const {
  if (!options.stop.evaluations) return std::nullopt;
  const std::uint64_t most = *options.stop.evaluations;
  const std::uint64_t done = state.statistics.evaluations;
  return most > done ? most - done : 0;
}

// How many genomes the next generation has when nothing limits it.
std::uint64_t Search::Parts::slots_wanted() const {
  if (state.exhausted) return 0;
  return first_pending ? std::max<std::uint64_t>(options.population, warm.size())
                       : options.population;
}

// A front of few points that has not grown for long: the population holds hardly anything but other
// genomes of the same points, and what is missing lies far from all of them.
bool Search::Parts::is_stuck() const {
  const std::uint64_t since = state.generation - state.last_addition;
  return !first_pending && local_search_share(options, problem.layout()) > 0 &&
         state.archive.size() > 0 && state.archive.size() < options.population / kFewPoints &&
         since > 0 && since % kStuckGenerations == 0;
}

// The next generation is random again; the archive stays.
void Search::Parts::forget_population() {
  state.population.clear();
  state.ranks.clear();
  state.crowding.clear();
}

// Where they begin follows from the generation, so that a resumed run needs to know no more.
std::span<const Genome> Search::Parts::offered_now() const {
  const auto each =
      static_cast<std::size_t>(std::ceil(kOfferedShare * static_cast<double>(options.population)));
  const std::uint64_t begin =
      std::min<std::uint64_t>(state.generation, offered.size() / each + 1) * each;
  const std::span<const Genome> all(offered);
  return begin < all.size() ? all.subspan(begin, std::min(each, all.size() - begin))
                            : std::span<const Genome>();
}

// Puts the offspring behind the population; those whose results are known get them at once.
void Search::Parts::gather_batch() {
  merged.clear();
  const Individuals& made = offspring.genomes();
  merged.reserve(state.population.size() + made.size());
  merged.append(state.population);
  parents = state.population.size();
  batch.clear();
  batch_rows.clear();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::uint64_t fingerprint = offspring.fingerprints()[i];
    const bool evaluated = offspring.evaluated()[i] != 0;
    std::optional<EvaluationMemory::Result> known;
    if (evaluated) known = memory.result(fingerprint, made.genome(i));
    if (known) {
      merged.append(*known->rows, known->row);
    } else {
      batch_rows.push_back(
          {.row = static_cast<std::uint32_t>(merged.size()), .is_new = !evaluated});
      merged.append(made, i);
      batch.append(made, i);
    }
  }
}

void Search::Parts::take_result(BatchRow& batch_row, const Evaluation& evaluation) {
  CHECK(evaluation.objectives.size() == objective_count, "an evaluation with other objectives");
  const bool finite = is_finite(evaluation);
  const std::size_t row = batch_row.row;
  batch_row.finite = finite;
  for (std::size_t i = 0; i < objective_count; ++i)
    merged.objectives[row * objective_count + i] = finite ? evaluation.objectives[i] + 0.0 : 0;
  merged.violations[row] =
      finite ? std::max(evaluation.violation, 0.0) : std::numeric_limits<double>::max();
}

void Search::Parts::take_evaluations(std::span<const Evaluation> results) {
  CHECK(results.size() == batch_rows.size(), "one evaluation per row of the batch");
  for (std::size_t i = 0; i < results.size(); ++i)
    take_result(batch_rows[i], results[i]);
}

void Search::Parts::remember_results() {
  const std::uint64_t before = state.statistics.evaluations;
  for (const BatchRow& batch_row : batch_rows) {
    const std::size_t row = batch_row.row;
    const std::uint64_t fingerprint = offspring.fingerprints()[row - parents];
    // The memory may have forgotten the genome since ask(), on account of rows before this one.
    if (!batch_row.is_new || !memory.remember(state.seen, fingerprint, merged, row)) continue;
    ++state.statistics.evaluations;
    if (merged.violations[row] > 0) ++state.statistics.infeasible_evaluations;
    if (!batch_row.finite) ++state.statistics.not_finite;
  }
  const std::uint64_t added = state.statistics.evaluations - before;
  state.statistics.cache_hits += offspring.genomes().size() - added;
  state.statistics.duplicates += offspring.duplicates();
  state.barren_generations = added == 0 ? state.barren_generations + 1 : 0;
  state.swept = offspring.swept();
  state.exhausted = offspring.is_all_swept();
}

// Survivors and what is remembered have nothing in common but the results: of the state, the one
// writes the population, the archive and what is said of it, the other the rest.
void Search::Parts::settle() {
  parallel_for(2, team, settling_pace, [this](std::size_t part) {
    if (part == 0) {
      settle_survivors();
    } else {
      remember_results();
    }
  });
}

// The population and the archive need the fronts and nothing of one another.
void Search::Parts::settle_survivors() {
  selection.rank(merged);
  best_rows.clear();
  for (const std::uint32_t row : selection.first_front()) {
    if (row >= parents) best_rows.push_back(row);
  }
  shared_for(2, [this](std::size_t part) {
    if (part == 0) {
      update_archive();
    } else {
      choose_survivors();
    }
  });
}

void Search::Parts::choose_survivors() {
  const SurvivorList& survivors = selection.choose(options.population, options.selection);
  state.population.clear();
  for (const std::uint32_t row : survivors.rows)
    state.population.append(merged, row);
  state.ranks = survivors.ranks;
  state.crowding = survivors.crowding;
}

double Search::Parts::archive_volume() {
  return hypervolume.volume(state.archive.objectives, options.hypervolume->reference) /
         options.hypervolume->unit;
}

void Search::Parts::update_archive() {
  const ArchiveGain gain = archive_update.add(state.archive, merged, best_rows);
  state.walked = gain.points > 0 ? 0 : offspring.walked();
  if (gain.points > 0) state.last_addition = state.generation;
  bool progress = gain.points > 0;
  if (options.hypervolume && (gain.points > 0 || !volume)) {
    volume = archive_volume();
    progress = *volume > state.best_hypervolume;
    if (progress) state.best_hypervolume = *volume;
  }
  if (progress || state.archive.size() == 0) state.last_progress = state.generation;
}

}  // namespace paretrain::engine
