#include "tests/support/shared_data.h"

#include <cstdlib>
#include <iostream>

namespace paretrain::tests {

std::filesystem::path source_folder() {
  return PARETRAIN_SOURCE_FOLDER;
}

std::optional<std::filesystem::path> shared_data(std::string_view relative_path) {
  const char* const chosen = std::getenv("PARETRAIN_SHARED");
  const std::filesystem::path folder =
      chosen != nullptr ? std::filesystem::path(chosen) : source_folder().parent_path() / "shared";
  std::filesystem::path path = folder / relative_path;
  if (std::filesystem::exists(path)) return path;
  std::cout << "skipped: no shared data " << relative_path << '\n';
  return std::nullopt;
}

}  // namespace paretrain::tests
