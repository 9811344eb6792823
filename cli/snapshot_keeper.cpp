#include "cli/snapshot_keeper.h"

#include <utility>

namespace paretrain::cli {

SnapshotKeeper::SnapshotKeeper(const results::RunFolder& folder,
                               results::RunIdentity identity,
                               std::uint64_t interval)
    : interval_(interval), writer_(folder.path(), std::move(identity)) {}

void SnapshotKeeper::go_on_from(const engine::SearchState& state,
                                std::vector<engine::GenerationReport> history) {
  history_ = std::move(history);
  saved_ = state.generation;
}

void SnapshotKeeper::close(const engine::SearchState& state) {
  if (closed_) return;
  if (saved_ != state.generation || !written_) save(state);
  closed_ = true;
}

void SnapshotKeeper::close_before_the_first(const engine::SearchState& nothing) {
  save(nothing);
  closed_ = true;
  before_the_first_ = true;
}

void SnapshotKeeper::save_when_due(const engine::SearchState& state) {
  if (!closed_ && is_due(state.generation)) save(state);
}

void SnapshotKeeper::save_last(const engine::SearchState& state) {
  if (!closed_ && saved_ != state.generation) save(state);
  writer_.finish();
}

void SnapshotKeeper::save(const engine::SearchState& state) {
  if (saved_) {
    const bool keep = *saved_ != state.generation && is_due(*saved_);
    older_ = keep ? results::OlderSnapshot::Kept : results::OlderSnapshot::Dropped;
  }
  writer_.begin(state, history_, older_);
  saved_ = state.generation;
  written_ = true;
}

}  // namespace paretrain::cli
