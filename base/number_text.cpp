#include "base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace paretrain {

namespace {

template <class Number>
std::string shortest_text(Number number) {
  std::array<char, 40> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (text.empty() || result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr std::array kUnits{Unit{"KiB", 0x1p10},
                            Unit{"MiB", 0x1p20},
                            Unit{"GiB", 0x1p30},
                            Unit{"TiB", 0x1p40},
                            Unit{"KB", 1e3},
                            Unit{"MB", 1e6},
                            Unit{"GB", 1e9},
                            Unit{"TB", 1e12},
                            Unit{"B", 1.0}};

}  // namespace

std::string number_text(double number) {
  CHECK(std::isfinite(number), "only finite numbers are written");
  return shortest_text(number);
}

std::string number_text(std::int64_t number) {
  return shortest_text(number);
}

std::string grouped_text(std::int64_t number) {
  std::string text = number_text(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::optional<std::int64_t> parsed_integer(std::string_view text) {
  return whole_number<std::int64_t>(text);
}

std::optional<double> parsed_number(std::string_view text) {
  const std::optional<double> number = whole_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

std::optional<std::int64_t> parsed_bytes(std::string_view text) {
  double scale = 1.0;
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    scale = unit.bytes;
    break;
  }
  const std::optional<double> number = parsed_number(text);
  if (!number || *number < 0) return std::nullopt;
  const double bytes = std::round(*number * scale);
  if (bytes >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

}  // namespace paretrain
