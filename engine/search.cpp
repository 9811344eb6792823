#include "engine/search.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/check.h"
#include "engine/parallel_for.h"
#include "engine/search_parts.h"

namespace paretrain::engine {

std::string_view description(StopReason reason) {
  switch (reason) {
    case StopReason::Generations:
      return "the number of generations was reached";
    case StopReason::Evaluations:
      return "the number of evaluations was reached";
    case StopReason::Seconds:
      return "the time was up";
    case StopReason::Patience:
      return "there was no progress within the patience";
    case StopReason::Exhausted:
      return "every genome has been evaluated";
    case StopReason::NothingNew:
      return "no new genome was found for many generations";
  }
  CHECK(false, "a stop reason without a description");
}

Search::Search(const Problem& problem, SearchOptions options)
    : parts_(std::make_unique<Parts>(problem, std::move(options))) {}

Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

void Search::offer(std::vector<Genome> genomes) {
  CHECK(!parts_->ready, "genomes are offered before a search is started");
  for (const Genome& genome : genomes)
    CHECK(genome.size() == parts_->problem.layout().words(), "an offered genome of another layout");
  parts_->offered = std::move(genomes);
}

void Search::prepare(std::span<const Genome> warm) {
  parts_->begin();
  for (const Genome& genome : warm)
    CHECK(genome.size() == parts_->problem.layout().words(), "a warm genome of another layout");
  parts_->warm.assign(warm.begin(), warm.end());
  parts_->first_pending = true;
}

void Search::start(std::span<const Genome> warm) {
  prepare(warm);
  step();
}

void Search::resume(SearchState state) {
  parts_->begin();
  CHECK(state.population.words_per_genome == parts_->problem.layout().words() &&
            state.population.objective_count == parts_->objective_count,
        "a state of another problem");
  parts_->state = std::move(state);
  parts_->memory.restore(parts_->state.seen);
  if (parts_->options.hypervolume) parts_->volume = parts_->archive_volume();
}

const Individuals& Search::ask() {
  Parts& parts = *parts_;
  CHECK(parts.ready, "start, resume or prepare comes first");
  if (parts.asked) return parts.batch;
  std::uint64_t slots = parts.slots_wanted();
  if (const auto left = parts.evaluations_left()) slots = std::min(slots, *left);
  if (parts.is_stuck()) parts.forget_population();
  const OffspringSource source{.state = parts.state,
                               .memory = parts.memory,
                               .team = parts.team,
                               .generation = parts.first_pending ? 0 : parts.state.generation + 1,
                               .slots = slots,
                               .offered = parts.offered_now()};
  if (parts.first_pending) {
    parts.offspring.make_first(source, parts.warm);
  } else {
    parts.offspring.make(source);
  }
  parts.gather_batch();
  parts.asked = true;
  return parts.batch;
}

void Search::tell(std::span<const Evaluation> evaluations) {
  Parts& parts = *parts_;
  CHECK(parts.asked, "ask comes before tell");
  parts.cut_short = is_next_cut_short() || parts.cut_short;
  parts.asked = false;
  parts.take_evaluations(evaluations);
  if (!parts.first_pending) ++parts.state.generation;
  parts.first_pending = false;
  parts.settle();
}

void Search::step() {
  Parts& parts = *parts_;
  if (parts.state.exhausted) return;
  const Individuals& batch = ask();
  parts.evaluations.resize(batch.size());
  parallel_for(batch.size(), parts.team, parts.pace, [&parts, &batch](std::size_t i) {
    parts.evaluations[i] = parts.problem.evaluate(batch.genome(i));
  });
  tell(parts.evaluations);
}

bool Search::is_next_cut_short() const {
  CHECK(parts_->ready, "start, resume or prepare comes first");
  const auto left = parts_->evaluations_left();
  return left && *left < parts_->slots_wanted();
}

bool Search::is_cut_short() const noexcept {
  return parts_->cut_short;
}

std::optional<StopReason> Search::stop_reason() const {
  const Parts& parts = *parts_;
  CHECK(parts.ready, "start, resume or prepare comes first");
  if (parts.first_pending) return std::nullopt;
  const SearchState& state = parts.state;
  const StopOptions& stop = parts.options.stop;
  if (state.exhausted) return StopReason::Exhausted;
  if (stop.generations && state.generation >= *stop.generations) return StopReason::Generations;
  if (parts.evaluations_left() == 0U) return StopReason::Evaluations;
  if (stop.patience && state.archive.size() > 0 &&
      state.generation - state.last_progress >= *stop.patience)
    return StopReason::Patience;
  if (state.barren_generations >= kMostBarrenGenerations) return StopReason::NothingNew;
  if (stop.seconds) {
    const std::chrono::duration<double> elapsed = Parts::Clock::now() - parts.begun;
    if (elapsed.count() >= *stop.seconds) return StopReason::Seconds;
  }
  return std::nullopt;
}

GenerationReport Search::report() const {
  const SearchState& state = parts_->state;
  GenerationReport report;
  report.generation = state.generation;
  report.evaluations = state.statistics.evaluations;
  report.front = state.archive.size();
  report.hypervolume = parts_->volume;
  const std::vector<double>& violations = state.population.violations;
  report.infeasible = static_cast<std::size_t>(
      std::count_if(violations.begin(), violations.end(), [](double v) { return v > 0; }));
  if (state.archive.size() == 0) {
    if (!violations.empty())
      report.least_violation = *std::min_element(violations.begin(), violations.end());
    return report;
  }
  for (std::size_t i = 0; i < parts_->objective_count; ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < state.archive.size(); ++row)
      best = std::min(best, state.archive.objectives_of(row)[i]);
    report.best.push_back(best);
  }
  return report;
}

const SearchState& Search::state() const noexcept {
  return parts_->state;
}

const SearchOptions& Search::options() const noexcept {
  return parts_->options;
}

}  // namespace paretrain::engine
