#include "results/snapshot_writer.h"

#include <cstddef>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "results/atomic_file.h"

namespace paretrain::results {

SnapshotWriter::SnapshotWriter(std::filesystem::path folder, RunIdentity identity)
    : folder_(std::move(folder)) {
  snapshot_.identity = std::move(identity);
}

void SnapshotWriter::begin(const engine::SearchState& state,
                           const std::vector<engine::GenerationReport>& history,
                           OlderSnapshot older) {
  wait();
  std::vector<engine::GenerationReport>& known = snapshot_.history;
  CHECK(known.size() <= history.size(), "history only grows");
  known.insert(
      known.end(), history.begin() + static_cast<std::ptrdiff_t>(known.size()), history.end());
  snapshot_.state = state;
  try {
    writing_ = std::async(std::launch::async, [this, older] { write(older); });
  } catch (const std::system_error& error) {
    throw IoError("threads", error.what());
  }
}

void SnapshotWriter::finish() {
  if (!writing_.valid()) return;
  wait();
  flush_folder(folder_);
}

void SnapshotWriter::wait() {
  if (writing_.valid()) writing_.get();
}

void SnapshotWriter::write(OlderSnapshot older) {
  bytes_ = snapshot_bytes(snapshot_, std::move(bytes_));
  write_snapshot(folder_, bytes_, older);
}

}  // namespace paretrain::results
