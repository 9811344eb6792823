// Why: reference tables come as CSV; tests read them by column name.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace paretrain::tests {

// Rows of an RFC 4180 table by column name. Requires: every row has the header's cells.
[[nodiscard]] std::vector<std::map<std::string, std::string>> csv_rows(
    const std::filesystem::path& path);

}  // namespace paretrain::tests
