#include "cli/config_file.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/input_file.h"
#include "base/number_text.h"

namespace paretrain::cli {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Without its comment.
std::string_view bare_line(std::string_view line) {
  return trimmed(line.substr(0, line.find('#')));
}

ConfigLine config_line(std::string where, std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos) return {std::move(where), "", std::string(line)};
  const std::string_view name = trimmed(line.substr(0, sign));
  const std::string_view value = name.empty() ? line : trimmed(line.substr(sign + 1));
  return {std::move(where), std::string(name), std::string(value)};
}

}  // namespace

std::vector<ConfigLine> config_lines(const std::string& file) {
  const std::string content = file_content(file, kMostBytes, "a file of lines `option = value`");
  std::string_view rest = content;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::vector<ConfigLine> lines;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = bare_line(rest.substr(0, end));
    if (!line.empty()) lines.push_back(config_line(file + ":" + number_text(number), line));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

}  // namespace paretrain::cli
