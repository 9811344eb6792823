// Why: whatever a user names as an input (a pipe without a writer, a device, a folder) must be
// answered at once and alike, so all files that are read are opened here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace paretrain {

// What most inputs are expected to be, for messages.
inline constexpr std::string_view kAnyFile = "a file";

// A regular file, open for reading. `expected` says in messages what it should have been.
// Errors: InputError when it is missing, no regular file, or unreadable; IoError when the machine
// has no room for another open file.
[[nodiscard]] std::ifstream input_stream(const std::filesystem::path& path,
                                         std::string_view expected = kAnyFile);

// The whole content of a file of at most `most_bytes`.
// Errors: as above; InputError when it is larger; IoError when reading fails half-way.
[[nodiscard]] std::string file_content(const std::filesystem::path& path,
                                       std::size_t most_bytes,
                                       std::string_view expected = kAnyFile);

}  // namespace paretrain
