// Why: tables for people line up, also with names of any length.
#pragma once

#include <string>
#include <vector>

namespace paretrain::cli {

// The first row is the header; the first column is flush left, the others flush right.
class TextTable {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // A line across the table.
  void add_rule() { rows_.emplace_back(); }

  // Every line ends with a line end and has no blanks before it.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // an empty one is a rule
};

// In decimal notation with that many decimals.
[[nodiscard]] std::string fixed_text(double number, int decimals);
// In decimal notation with that many significant digits, whole parts always in full.
[[nodiscard]] std::string significant_text(double number, int digits);
// The same, with an exponent where the number is very small or large: shares of a volume.
[[nodiscard]] std::string general_text(double number, int digits);

}  // namespace paretrain::cli
