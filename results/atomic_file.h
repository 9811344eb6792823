// Why: a file that scripts read must never be seen half written, whatever happens to the machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace paretrain::results {

// Writes `path`.tmp beside it, flushes it to disk, and renames it over `path`. After an error
// `path` is as it was before and the temporary is gone.
// Errors: IoError naming the path.
void write_atomically(const std::filesystem::path& path, std::string_view content);

// The whole content of a file of at most `most_bytes`.
// Errors: InputError when it is missing, no regular file, unreadable, or larger; IoError when
// reading fails half-way.
[[nodiscard]] std::string file_content(const std::filesystem::path& path, std::size_t most_bytes);

// Makes `copy` name what `path` names now, so that replacing `path` leaves the old content under
// `copy`. `path` is there all the time. Errors: IoError.
void keep_copy(const std::filesystem::path& path, const std::filesystem::path& copy);

}  // namespace paretrain::results
