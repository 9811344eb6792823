#include "tests/problems/csv_rows.h"

#include <fstream>
#include <iterator>

#include "base/check.h"

namespace paretrain::tests {

namespace {

std::vector<std::vector<std::string>> cells_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string cell;
  bool in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && in_quotes && i + 1 < text.size() && text[i + 1] == '"') {
      cell += '"';
      ++i;
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (in_quotes || (c != ',' && c != '\n' && c != '\r')) {
      cell += c;
    } else if (c != '\r') {
      rows.back().push_back(cell);
      cell.clear();
      if (c == '\n') rows.emplace_back();
    }
  }
  if (!cell.empty()) rows.back().push_back(cell);
  if (rows.back().empty()) rows.pop_back();
  return rows;
}

}  // namespace

std::vector<std::map<std::string, std::string>> csv_rows(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto rows = cells_of(text);
  CHECK(!rows.empty(), "a table has a header");
  std::vector<std::map<std::string, std::string>> result;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    CHECK(rows[row].size() == rows[0].size(), path.string() + ": rows are as long as the header");
    auto& named = result.emplace_back();
    for (std::size_t column = 0; column < rows[0].size(); ++column)
      named[rows[0][column]] = rows[row][column];
  }
  return result;
}

}  // namespace paretrain::tests
