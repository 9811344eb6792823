#include "cli/text_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace paretrain::cli {

namespace {

// Characters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::size_t> widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> result;
  for (const auto& row : rows) {
    result.resize(std::max(result.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i)
      result[i] = std::max(result[i], width_of(row[i]));
  }
  return result;
}

}  // namespace

std::string TextTable::text() const {
  const std::vector<std::size_t> column_widths = widths(rows_);
  std::size_t total = 0;
  for (const std::size_t width : column_widths)
    total += width + 2;
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    if (row.empty()) line = std::string(total < 2 ? 0 : total - 2, '-');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(column_widths[i] - width_of(row[i]), ' ');
      line += (i == 0 ? "" : "  ") + (i == 0 ? row[i] + blanks : blanks + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string fixed_text(double number, int decimals) {
  CHECK(std::isfinite(number), "only finite numbers are printed");
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  return {buffer.data(), result.ptr};
}

std::string significant_text(double number, int digits) {
  const double size = std::abs(number);
  const int before = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  return fixed_text(number, std::clamp(digits - before, 0, 15));
}

std::string general_text(double number, int digits) {
  CHECK(std::isfinite(number), "only finite numbers are printed");
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::general, digits);
  return {buffer.data(), result.ptr};
}

}  // namespace paretrain::cli
