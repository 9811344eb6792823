#include "cli/snapshot_keeper.h"

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/input_file.h"
#include "results/snapshot_frame.h"
#include "tests/engine/test_problems.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

engine::SearchOptions some_options(int threads) {
  engine::SearchOptions options;
  options.population = 24;
  options.seed = 5;
  options.threads = threads;
  options.stop.generations = 40;
  return options;
}

results::RunIdentity some_identity() {
  results::RunIdentity identity;
  identity.command = "optimize";
  identity.objectives = {"f1", "f2"};
  return identity;
}

void search_and_keep(engine::Search& search, SnapshotKeeper& keeper) {
  search.start({});
  keeper.add(search.report());
  keeper.save_when_due(search.state());
  while (!search.stop_reason()) {
    search.step();
    keeper.add(search.report());
    keeper.save_when_due(search.state());
  }
  keeper.save_last(search.state());
}

}  // namespace

TEST_CASE("SnapshotKeeper: what is saved beside a search is its last state") {
  const tests::FunctionProblem problem = tests::one_min_max(70);
  for (const int threads : {1, 3}) {
    for (const std::uint64_t interval : {1U, 7U, 1000U}) {
      CAPTURE(threads);
      CAPTURE(interval);
      const tests::TemporaryFolder parent;
      const auto folder =
          results::RunFolder::created(parent.path() / "run", results::Replace::Refuse);
      engine::Search search(problem, some_options(threads));
      SnapshotKeeper keeper(folder, some_identity(), interval);
      search_and_keep(search, keeper);
      const results::RunSnapshot expected{
          .identity = some_identity(), .state = search.state(), .history = keeper.history()};
      CHECK(file_content(folder.path() / "snapshot", results::kMostSnapshotBytes) ==
            results::snapshot_bytes(expected));
      // The one before is of the last generation before that which the interval divides.
      const fs::path previous = folder.path() / "snapshot.previous";
      CHECK(results::read_snapshot(previous).snapshot.state.generation == 39 / interval * interval);
    }
  }
}

TEST_CASE("SnapshotKeeper: a folder that goes away is noticed by the next save or the last one") {
  const tests::FunctionProblem problem = tests::one_min_max(70);
  const tests::TemporaryFolder parent;
  const auto folder = results::RunFolder::created(parent.path() / "run", results::Replace::Refuse);
  engine::Search search(problem, some_options(1));
  search.start({});
  SnapshotKeeper keeper(folder, some_identity(), 1);
  keeper.add(search.report());
  fs::remove_all(folder.path());
  keeper.save_when_due(search.state());
  CHECK_THROWS_WITH_AS(keeper.save_last(search.state()),
                       doctest::Contains("run/snapshot: cannot be written: "),
                       IoError);
}

}  // namespace paretrain::cli
