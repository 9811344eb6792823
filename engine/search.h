// Why: the search loop, one generation per call, so that whoever drives it can write a snapshot,
// history and progress in between and stop where it likes.
//
// Use:
//   Search search(problem, options);             // the problem must outlive the search
//   search.start(warm_genomes);                  // generation 0; or search.resume(state)
//   while (!search.stop_reason()) {
//     search.step();                             // one generation
//     ... search.report(), search.state() ...
//   }
//   search.state().archive                       // the front
//
// step() is ask() and tell() with the problem's own evaluate() in parallel in between. Whoever
// evaluates elsewhere calls these two instead; the first ask() after prepare() hands out generation
// 0:
//   search.prepare(warm_genomes);
//   while (!search.stop_reason()) {
//     const Individuals& batch = search.ask();   // genomes only
//     search.tell(evaluations);                  // one per row of the batch, in order
//   }
//
// The result depends on the problem, the options (but for threads) and the warm genomes only.
//
// A limit of evaluations may leave the last generation fewer genomes than it should have. What
// comes of that is a result, but nothing to resume from with a larger limit: the run without
// interruption would have had that generation whole. Whoever keeps states keeps the one before it:
//   if (search.is_next_cut_short()) ... keep search.state() ...
//   search.step();
//   if (!search.is_cut_short()) ... search.state() may be kept ...
// Where generation 0 was cut short already, a larger limit takes a new start().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/problem.h"
#include "engine/search_options.h"
#include "engine/search_state.h"

namespace paretrain::engine {

enum class StopReason {
  Generations,
  Evaluations,
  Seconds,
  Patience,
  Exhausted,  // every genome of the space has been evaluated: the front is exact
  NothingNew  // kMostBarrenGenerations generations in a row found no genome not seen before
};

inline constexpr double kOfferedShare = 0.2;
inline constexpr std::uint64_t kMostBarrenGenerations = 100;

// A sentence for people: "every genome has been evaluated".
[[nodiscard]] std::string_view description(StopReason reason);

// One line of history.
struct GenerationReport {
  std::uint64_t generation = 0;
  std::uint64_t evaluations = 0;          // so far
  std::size_t front = 0;                  // genomes in the archive
  std::optional<double> hypervolume;      // of the archive, in units; empty without a reference
  std::size_t infeasible = 0;             // in the population
  std::optional<double> least_violation;  // smallest in the population, when nothing is feasible
  std::vector<double> best;               // smallest value per objective; empty: nothing feasible
};

class Search {
 public:
  // Requires: options within their ranges, a layout with at least one gene, 1 to kMaxObjectives
  // objectives; `problem` outlives the search.
  Search(const Problem& problem, SearchOptions options);
  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;

  // Genomes that may be good, of which every generation after 0 takes the next kOfferedShare of the
  // population beside its offspring; one that was evaluated already changes like any offspring.
  // Requires: called before start(), resume() or prepare(), with the same genomes for a resumed
  // run.
  void offer(std::vector<Genome> genomes);

  // Evaluates generation 0: the warm genomes (brought into canonical form, duplicates removed, all
  // of them even when they are more than the population) and random genomes up to the population.
  void start(std::span<const Genome> warm);
  // Goes on after the generation that `state` was taken at.
  // Requires: a state of the same problem and options (stops and threads may differ), taken before
  // any generation was cut short.
  void resume(SearchState state);
  // The next generation. Requires: start() or resume() before. No effect once exhausted.
  void step();

  // Generation 0 without evaluating it: the next ask() hands it out.
  void prepare(std::span<const Genome> warm);
  // Genomes to be evaluated next, canonical and distinct; the same batch again until tell(). May be
  // empty: then tell({}) ends the generation.
  [[nodiscard]] const Individuals& ask();
  // Requires: one evaluation per row of the batch, in its order.
  void tell(std::span<const Evaluation> evaluations);

  // Whether StopOptions::evaluations leaves the next generation fewer genomes than it should have.
  // Requires: start(), resume() or prepare() before.
  [[nodiscard]] bool is_next_cut_short() const;
  // Whether a generation since start(), resume() or prepare() was: then state() depends on the
  // limit, and is not to be resumed with another one.
  [[nodiscard]] bool is_cut_short() const noexcept;
  // The reason to stop now, if there is one. Requires: start(), resume() or prepare() before.
  [[nodiscard]] std::optional<StopReason> stop_reason() const;
  [[nodiscard]] GenerationReport report() const;
  [[nodiscard]] const SearchState& state() const noexcept;
  [[nodiscard]] const SearchOptions& options() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace paretrain::engine
