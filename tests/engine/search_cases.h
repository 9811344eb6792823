// Why: tests of a search start from the same small one.
#pragma once

#include "engine/search.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

inline engine::SearchOptions small_options() {
  engine::SearchOptions options;
  options.population = 24;
  options.seed = 5;
  options.threads = 1;
  options.stop.generations = 12;
  return options;
}

inline void run(engine::Search& search) {
  while (!search.stop_reason())
    search.step();
}

inline engine::SearchState finished_state(const engine::Problem& problem,
                                          const engine::SearchOptions& options) {
  engine::Search search(problem, options);
  search.start({});
  run(search);
  return search.state();
}

inline void check_same_rows(const engine::Individuals& a, const engine::Individuals& b) {
  CHECK(a.words == b.words);
  CHECK(a.objectives == b.objectives);
  CHECK(a.violations == b.violations);
}

}  // namespace paretrain::tests
