#include "base/nearest_name.h"

#include <algorithm>
#include <vector>

namespace paretrain {

namespace {

constexpr std::size_t kLongest = 100;
constexpr std::size_t kLeastStart = 3;  // shorter beginnings are of too many names

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

// Source: optimal string alignment (Damerau, CACM 7(3), 1964).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                             std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i <= a.size(); ++i)
    cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j)
    cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]);
      const char y = lower(b[j - 1]);
      cost[i][j] = std::min(
          {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (x == y ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]);
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

bool goes_on_from(std::string_view candidate, std::string_view name) {
  return name.size() >= kLeastStart && candidate.starts_with(name);
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string_view> known) {
  std::optional<std::string> nearest;
  if (name.size() > kLongest) return nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const bool goes_on = goes_on_from(candidate, name);
    const std::size_t changes = goes_on ? 1 : distance(name, candidate);
    if (changes >= least || 2 * changes > candidate.size()) continue;
    nearest = std::string(candidate);
    least = changes;
  }
  return nearest;
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return nearest_name(name, std::span<const std::string_view>(views));
}

}  // namespace paretrain
