// Why: a file with five mistakes should be refused once, with all five. This collects them while a
// tree is walked, each with file and line and, for an unknown key, the nearest known one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "problems/yaml_file.h"

namespace paretrain::problems {

// The word of `known` nearest to `word` (edit distance, ignoring case), when it is near.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string_view> known);

// Reads values of one file. Values that are wrong are noted and come back empty.
class YamlReader {
 public:
  explicit YamlReader(std::string file) : file_(std::move(file)) {}

  void problem(int line, std::string what, std::string hint = "");
  void warn(int line, const std::string& what);

  // Notes unknown and repeated keys. `last_wins`: keys that may be repeated, with a warning.
  void check_keys(const YamlNode& map,
                  std::string_view what,
                  std::span<const std::string_view> known,
                  std::span<const std::string_view> last_wins = {});

  // The value of a key, the last when it is repeated; null when absent.
  [[nodiscard]] const YamlNode* find(const YamlNode& map, std::string_view key) const;
  // Notes an absent key.
  [[nodiscard]] const YamlNode* require(const YamlNode& map,
                                        std::string_view key,
                                        std::string_view owner);

  [[nodiscard]] std::optional<double> number(const YamlNode& node, double low, double high);
  [[nodiscard]] std::optional<std::int64_t> integer(const YamlNode& node,
                                                    std::int64_t low,
                                                    std::int64_t high);
  [[nodiscard]] std::optional<std::string> word(const YamlNode& node);
  [[nodiscard]] std::optional<bool> truth(const YamlNode& node);
  // Notes anything but a list; then comes back null.
  [[nodiscard]] const std::vector<YamlNode>* list(const YamlNode& node);
  [[nodiscard]] bool is_map(const YamlNode& node, std::string_view what);

  // "K, 32" cut at the comma, blanks removed.
  struct Pair {
    std::string first;
    std::string second;
  };

  [[nodiscard]] std::optional<Pair> pair(const YamlNode& node);

  [[nodiscard]] const std::string& file() const { return file_; }

  [[nodiscard]] std::vector<Problem>& problems() { return problems_; }

  [[nodiscard]] std::vector<std::string>& warnings() { return warnings_; }

 private:
  std::string file_;
  std::vector<Problem> problems_;
  std::vector<std::string> warnings_;
};

}  // namespace paretrain::problems
