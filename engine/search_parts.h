// Why: what a search is made of, and what happens to a generation between asking for evaluations
// and being told them. search.h is how others drive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/archive.h"
#include "engine/evaluation_memory.h"
#include "engine/hypervolume.h"
#include "engine/offspring.h"
#include "engine/parallel_for.h"
#include "engine/search.h"
#include "engine/survivors.h"

namespace paretrain::engine {

struct Search::Parts {
  using Clock = std::chrono::steady_clock;

  Parts(const Problem& its_problem, SearchOptions its_options);

  void begin();
  [[nodiscard]] bool is_stuck() const;
  void forget_population();
  void gather_batch();

  // A row of merged that the batch evaluates.
  struct BatchRow {
    std::uint32_t row = 0;
    bool is_new = false;  // as ask() saw it; a resumed run evaluates known genomes once more
    bool finite = true;   // all that tell() was told
  };

  void take_result(BatchRow& batch_row, const Evaluation& evaluation);
  void take_evaluations(std::span<const Evaluation> evaluations);
  void remember_results();
  void settle();
  void settle_survivors();
  void choose_survivors();
  void update_archive();
  [[nodiscard]] std::uint64_t slots_wanted() const;
  [[nodiscard]] std::optional<std::uint64_t> evaluations_left() const;
  [[nodiscard]] std::span<const Genome> offered_now() const;
  [[nodiscard]] double archive_volume();

  const Problem& problem;
  SearchOptions options;
  std::size_t objective_count;
  ThreadTeam team;
  EvaluationMemory memory;
  Offspring offspring;
  ArchiveUpdate archive_update;
  SurvivorSelection selection;
  Hypervolume hypervolume;
  SearchState state;
  Clock::time_point begun;
  std::optional<double> volume;  // of the archive, in units
  std::vector<Genome> warm;      // of generation 0
  std::vector<Genome> offered;
  bool first_pending = false;  // generation 0 has not been evaluated
  bool ready = false;          // start, resume or prepare was called
  bool asked = false;          // a batch is out
  bool cut_short = false;      // a generation had fewer slots than were wanted
  Individuals merged;          // the population, then this generation's offspring with results
  std::size_t parents = 0;     // rows of merged that are the population
  std::vector<BatchRow> batch_rows;
  Individuals batch;
  std::vector<Evaluation> evaluations;
  Pace pace;           // of evaluation
  Pace settling_pace;  // of survivors and of remembering
  std::vector<std::uint32_t> best_rows;
};

}  // namespace paretrain::engine
