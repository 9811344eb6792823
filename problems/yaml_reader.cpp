#include "problems/yaml_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "base/number_text.h"

namespace paretrain::problems {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

// 010 is 8 to one YAML reader and 10 to the next.
bool has_leading_zero(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] != '.' && text[1] != 'e' && text[1] != 'E';
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word,
                                        std::span<const std::string_view> known) {
  if (word.size() > 200) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = std::string(candidate);
  }
  return best;
}

void YamlReader::problem(int line, std::string what, std::string hint) {
  const std::string where = line > 0 ? file_ + ":" + std::to_string(line) : file_;
  problems_.push_back({where, std::move(what), std::move(hint)});
}

void YamlReader::warn(int line, const std::string& what) {
  warnings_.push_back(file_ + ":" + std::to_string(line) + ": " + what);
}

void YamlReader::check_keys(const YamlNode& map,
                            std::string_view what,
                            std::span<const std::string_view> known,
                            std::span<const std::string_view> last_wins) {
  for (std::size_t i = 0; i < map.entries.size(); ++i) {
    const YamlEntry& entry = map.entries[i];
    if (!contains(known, entry.key)) {
      const auto near = nearest_word(entry.key, known);
      problem(entry.line,
              "unknown key '" + entry.key + "' in " + std::string(what),
              near ? "did you mean '" + *near + "'?" : "");
      continue;
    }
    const auto earlier =
        std::find_if(map.entries.begin(),
                     map.entries.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const YamlEntry& other) { return other.key == entry.key; });
    if (earlier == map.entries.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    if (contains(last_wins, entry.key)) {
      warn(entry.line, "key '" + entry.key + "' stands twice; the last one counts");
    } else {
      problem(
          entry.line,
          "key '" + entry.key + "' stands twice, first in line " + std::to_string(earlier->line));
    }
  }
}

const YamlNode* YamlReader::find(const YamlNode& map, std::string_view key) const {
  const auto entry = std::find_if(
      map.entries.rbegin(), map.entries.rend(), [&](const YamlEntry& e) { return e.key == key; });
  return entry == map.entries.rend() ? nullptr : &entry->value;
}

const YamlNode* YamlReader::require(const YamlNode& map,
                                    std::string_view key,
                                    std::string_view owner) {
  const YamlNode* node = find(map, key);
  if (node == nullptr)
    problem(map.line, std::string(owner) + " lacks the key '" + std::string(key) + "'");
  return node;
}

std::optional<double> YamlReader::number(const YamlNode& node, double low, double high) {
  const auto value = node.is_scalar() ? parsed_number(node.text) : std::nullopt;
  if (!value || has_leading_zero(node.text)) {
    problem(node.line, "found " + node.description() + "; expected a number");
    return std::nullopt;
  }
  if (*value < low || *value > high) {
    problem(node.line,
            "found " + node.description() + "; expected a number from " + number_text(low) +
                (std::isfinite(high) ? " to " + number_text(high) : std::string(" up")));
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> YamlReader::integer(const YamlNode& node,
                                                std::int64_t low,
                                                std::int64_t high) {
  const auto value = node.is_scalar() ? parsed_number(node.text) : std::nullopt;
  const bool whole = value && std::floor(*value) == *value && !has_leading_zero(node.text);
  if (!whole || *value < static_cast<double>(low) || *value > static_cast<double>(high)) {
    problem(node.line,
            "found " + node.description() + "; expected a whole number from " + number_text(low) +
                " to " + number_text(high));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

std::optional<std::string> YamlReader::word(const YamlNode& node) {
  if (node.is_scalar() && !node.text.empty()) return node.text;
  problem(node.line, "found " + node.description() + "; expected a word");
  return std::nullopt;
}

std::optional<bool> YamlReader::truth(const YamlNode& node) {
  const std::string& text = node.text;
  if (node.is_scalar() && (text == "true" || text == "True" || text == "TRUE")) return true;
  if (node.is_scalar() && (text == "false" || text == "False" || text == "FALSE")) return false;
  problem(node.line, "found " + node.description() + "; expected true or false");
  return std::nullopt;
}

const std::vector<YamlNode>* YamlReader::list(const YamlNode& node) {
  if (node.is_list()) return &node.items;
  problem(node.line, "found " + node.description() + "; expected a list");
  return nullptr;
}

bool YamlReader::is_map(const YamlNode& node, std::string_view what) {
  if (node.is_map()) return true;
  problem(node.line, "found " + node.description() + "; expected " + std::string(what));
  return false;
}

std::optional<YamlReader::Pair> YamlReader::pair(const YamlNode& node) {
  if (node.is_list() && node.items.size() == 2 && node.items[0].is_scalar() &&
      node.items[1].is_scalar())
    return Pair{node.items[0].text, node.items[1].text};
  const auto comma = node.is_scalar() ? node.text.find(',') : std::string::npos;
  if (comma == std::string::npos || node.text.find(',', comma + 1) != std::string::npos) {
    problem(node.line, "found " + node.description() + "; expected two words with a comma between");
    return std::nullopt;
  }
  return Pair{trimmed(std::string_view(node.text).substr(0, comma)),
              trimmed(std::string_view(node.text).substr(comma + 1))};
}

}  // namespace paretrain::problems
