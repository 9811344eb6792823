#include "engine/row_keys.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/problem.h"

namespace paretrain::engine {

namespace {

// Differences below it convert to integers.
constexpr double kWidestRange = 0x1.0p53;
constexpr std::size_t kFewRows = 8;

// How one objective becomes an integer.
struct Code {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  unsigned bits = 0;
};

using Codes = std::array<Code, kMaxObjectives>;

// Whether the values of the first few rows lie whole steps apart, as far as that is quickly seen.
bool is_likely_whole(std::span<const double> objectives, std::size_t count) {
  const std::size_t some = std::min(objectives.size(), kFewRows * count);
  for (std::size_t i = count; i < some; ++i) {
    const double difference = objectives[i] - objectives[i - count];
    if (!(std::abs(difference) < kWidestRange)) return false;
    if (static_cast<double>(static_cast<std::int64_t>(difference)) != difference) return false;
  }
  return true;
}

// Returns whether they take 64 bits or fewer.
bool measure(std::span<const double> objectives, std::span<Code> codes) {
  const std::size_t count = codes.size();
  for (std::size_t first = 0; first < objectives.size(); first += count) {
    for (std::size_t k = 0; k < count; ++k) {
      codes[k].low = std::min(codes[k].low, objectives[first + k]);
      codes[k].high = std::max(codes[k].high, objectives[first + k]);
    }
  }
  unsigned bits = 0;
  for (Code& code : codes) {
    if (!(code.high - code.low < kWidestRange)) return false;
    code.bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(code.high - code.low)));
    bits += code.bits;
  }
  return bits <= 64;
}

}  // namespace

bool pack_rows(std::span<const double> objectives,
               std::size_t objective_count,
               std::vector<std::uint64_t>& keys) {
  if (objective_count > kMaxObjectives) return false;
  Codes all_codes;
  const std::span<Code> codes(all_codes.data(), objective_count);
  keys.resize(objectives.size() / objective_count);
  if (keys.empty()) return true;
  if (!is_likely_whole(objectives, objective_count) || !measure(objectives, codes)) return false;
  const double* value = objectives.data();
  for (std::uint64_t& key : keys) {
    bool is_exact = true;
    std::uint64_t packed = 0;
    for (const Code& code : codes) {
      const auto steps = static_cast<std::int64_t>(*value - code.low);
      // Then the steps say which value it is.
      is_exact = is_exact && code.low + static_cast<double>(steps) == *value;
      packed = packed << code.bits | static_cast<std::uint64_t>(steps);
      ++value;
    }
    if (!is_exact) return false;
    key = packed;
  }
  return true;
}

}  // namespace paretrain::engine
