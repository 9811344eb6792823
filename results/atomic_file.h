// Why: a file that scripts read must never be seen half written, whatever happens to the machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace paretrain::results {

// Writes `path`.tmp beside it, flushes it to disk, renames it over `path` and flushes the folder.
// After an error `path` is as it was before and the temporary is gone.
// Errors: IoError naming the path.
void write_atomically(const std::filesystem::path& path, std::string_view content);

// The same without flushing the folder, and `older` names what `path` named before, if anything.
// After an error `path` is as it was before, and `older` is, too, or names the same as `path`.
void write_keeping_older(const std::filesystem::path& path,
                         const std::filesystem::path& older,
                         std::string_view content);

// So that new names survive a power cut. Errors: IoError.
void flush_folder(const std::filesystem::path& folder);

// Makes `copy` name what `path` names now, so that replacing `path` leaves the old content under
// `copy`. `path` is there all the time. Errors: IoError.
void keep_copy(const std::filesystem::path& path, const std::filesystem::path& copy);

}  // namespace paretrain::results
