// Why: a snapshot is flushed to the disk after every generation, and the disk may take longer than
// the generation did; the next one is searched meanwhile.
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "engine/search.h"
#include "engine/search_state.h"
#include "results/run_snapshot.h"
#include "results/snapshot_files.h"

namespace paretrain::results {

// Writes the snapshots of one run, one after another, each on a thread of its own beside the
// caller. Of those that were begun at most the last one is not on the disk yet. Whoever ends
// without finish() waits for that one all the same, but does not learn whether it could be written.
class SnapshotWriter {
 public:
  // `folder` is held (results/run_folder.h) as long as this lives.
  SnapshotWriter(std::filesystem::path folder, RunIdentity identity);

  // Waits for the snapshot before, copies what it is given and returns while the new one is being
  // made and written. `history` continues what it was before.
  // Errors: IoError, when the snapshot before could not be written or no thread can be started.
  void begin(const engine::SearchState& state,
             const std::vector<engine::GenerationReport>& history,
             OlderSnapshot older);

  // Waits for the last snapshot and flushes the folder. Errors: IoError, when one of them fails.
  void finish();

 private:
  void wait();
  void write(OlderSnapshot older);

  std::filesystem::path folder_;
  RunSnapshot snapshot_;
  std::string bytes_;  // the buffer of the snapshot before
  // Touches all above until it is waited for, which its destructor, the first one, does.
  std::future<void> writing_;
};

}  // namespace paretrain::results
