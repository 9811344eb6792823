// Why: whenever the machine stops, a run folder has a whole snapshot to go on from, so there are
// two of them, and reading takes the newest that is good.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "results/run_snapshot.h"

namespace paretrain::results {

// What becomes of the snapshot before when a new one is written.
enum class OlderSnapshot {
  Kept,     // as `folder`/snapshot.previous
  Dropped,  // the one before that stays `folder`/snapshot.previous
};

// Writes the bytes of a snapshot as `folder`/snapshot. Whenever the machine stops, it or
// `folder`/snapshot.previous is whole; that the new one is `folder`/snapshot also after a power cut
// takes a flush of the folder, which the file system does sooner or later by itself.
// Errors: IoError.
void write_snapshot(const std::filesystem::path& folder,
                    std::string_view bytes,
                    OlderSnapshot older = OlderSnapshot::Kept);

struct FoundSnapshot {
  RunSnapshot snapshot;
  std::filesystem::path path;
  std::string warning;  // why the newer one was passed over; empty when it was not
};

// The newest good snapshot of a run folder, or a snapshot file itself.
// Errors: InputError when there is none.
[[nodiscard]] FoundSnapshot read_snapshot(const std::filesystem::path& folder_or_file);

}  // namespace paretrain::results
