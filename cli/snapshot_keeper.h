// Why: which generations of a run have a snapshot, and which of them stays as the older one, must
// not depend on where the run was interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/search.h"
#include "engine/search_state.h"
#include "results/run_folder.h"
#include "results/run_snapshot.h"
#include "results/snapshot_files.h"
#include "results/snapshot_writer.h"

namespace paretrain::cli {

// Keeps the snapshot of the run: what was asked for, the state, the history. A resumed run leaves
// the same files as one that was never interrupted: where that would have had no snapshot of its
// own, the one that the interruption left is not kept as the older one; and the snapshot stays at
// the last whole generation when the limit of evaluations cuts one short. A snapshot is written
// while the search goes on; whatever saves fails (IoError) when the one before could not be
// written.
class SnapshotKeeper {
 public:
  // A snapshot after every generation that `interval` divides. Requires: the folder outlives this.
  SnapshotKeeper(const results::RunFolder& folder,
                 results::RunIdentity identity,
                 std::uint64_t interval);

  [[nodiscard]] const std::vector<engine::GenerationReport>& history() const { return history_; }

  // The generation of the snapshot; none when generation 0 was cut short.
  [[nodiscard]] std::optional<std::uint64_t> last_whole() const {
    return before_the_first_ ? std::nullopt : saved_;
  }

  void add(const engine::GenerationReport& report) { history_.push_back(report); }

  // The folder has a snapshot of this state.
  void go_on_from(const engine::SearchState& state, std::vector<engine::GenerationReport> history);

  // The folder has a snapshot of the time before generation 0.
  void go_on_from_nothing() { older_ = results::OlderSnapshot::Dropped; }

  // A generation that is cut short comes next, and nothing after this state is saved; the history
  // of the snapshot ends here. The options may be others than those that were saved with the state.
  void close(const engine::SearchState& state);

  // Instead of a generation 0 that was cut short.
  void close_before_the_first(const engine::SearchState& nothing);

  void save_when_due(const engine::SearchState& state);

  // At the end of the run: everything is on the disk then.
  void save_last(const engine::SearchState& state);

 private:
  [[nodiscard]] bool is_due(std::uint64_t generation) const { return generation % interval_ == 0; }

  void save(const engine::SearchState& state);

  std::uint64_t interval_;
  std::vector<engine::GenerationReport> history_;
  std::optional<std::uint64_t> saved_;
  results::OlderSnapshot older_ = results::OlderSnapshot::Kept;  // as long as nothing is saved
  bool written_ = false;                                         // by this program run
  bool closed_ = false;
  bool before_the_first_ = false;
  results::SnapshotWriter writer_;
};

}  // namespace paretrain::cli
