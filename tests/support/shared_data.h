// Why: facts to test against lie in a folder beside the project that a fresh clone need not have; a
// test that wants them says plainly when it is skipped.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace paretrain::tests {

// The path of a file or folder of the shared data, or nothing, after printing "skipped: …" with its
// name. The folder is $PARETRAIN_SHARED, else `../shared` beside the source folder.
[[nodiscard]] std::optional<std::filesystem::path> shared_data(std::string_view relative_path);

// The root of the source tree.
[[nodiscard]] std::filesystem::path source_folder();

}  // namespace paretrain::tests
