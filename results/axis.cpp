#include "results/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/check.h"
#include "base/number_text.h"

namespace paretrain::results {

namespace {

struct Prefix {
  double divisor;
  std::string_view text;
};

constexpr std::array kEnergy{
    Prefix{1e12, "J"}, Prefix{1e9, "mJ"}, Prefix{1e6, "µJ"}, Prefix{1e3, "nJ"}, Prefix{1, "pJ"}};
constexpr std::array kCycles{Prefix{1e12, "T cycles"},
                             Prefix{1e9, "G cycles"},
                             Prefix{1e6, "M cycles"},
                             Prefix{1e3, "k cycles"},
                             Prefix{1, "cycles"}};
constexpr std::array kBytes{Prefix{0x1p40, "TiB"},
                            Prefix{0x1p30, "GiB"},
                            Prefix{0x1p20, "MiB"},
                            Prefix{0x1p10, "KiB"},
                            Prefix{1, "bytes"}};

AxisUnit fitting(std::span<const Prefix> prefixes, double largest) {
  const auto found = std::ranges::find_if(
      prefixes, [&](const Prefix& prefix) { return largest >= prefix.divisor; });
  const Prefix& prefix = found == prefixes.end() ? prefixes.back() : *found;
  return {prefix.divisor, std::string(prefix.text)};
}

// 1, 2 or 5 times a power of ten, at least `step`.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::string tick_text(double value, double step) {
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
  const double scale = std::pow(10.0, decimals);
  const double rounded = std::round(value * scale) / scale;
  return number_text(rounded == 0 ? 0.0 : rounded);
}

}  // namespace

AxisUnit axis_unit(std::string_view unit, double largest) {
  if (unit == "pj" || unit == "pJ") return fitting(kEnergy, largest);
  if (unit == "cycles") return fitting(kCycles, largest);
  if (unit == "bytes") return fitting(kBytes, largest);
  if (largest < 1e5) return {1, std::string(unit)};
  const int power = 3 * static_cast<int>(std::floor(std::log10(largest) / 3));
  return {std::pow(10.0, power),
          "10^" + number_text(static_cast<std::int64_t>(power)) + " " + std::string(unit)};
}

Axis axis(double smallest, double largest, int at_most_ticks) {
  CHECK(std::isfinite(smallest) && std::isfinite(largest) && smallest <= largest,
        "an axis needs a finite range");
  const double width = largest - smallest;
  const double tiny = std::max(std::abs(largest), 1.0) * 1e-9;
  const double room = width > tiny ? 0.06 * width : std::max(0.1 * std::abs(largest), 0.5);
  Axis result;
  result.low = smallest - room;
  result.high = largest + room;
  if (smallest >= 0) result.low = std::max(result.low, 0.0);
  const double step = round_step((result.high - result.low) / at_most_ticks);
  for (double k = std::ceil(result.low / step); k * step <= result.high; k += 1)
    result.ticks.push_back({k * step, tick_text(k * step, step)});
  return result;
}

}  // namespace paretrain::results
