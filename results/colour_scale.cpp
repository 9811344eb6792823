#include "results/colour_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace paretrain::results {

namespace {

struct Colour {
  double red;
  double green;
  double blue;
};

// From indigo over blue, teal and green to yellow, chosen so that lightness rises evenly.
constexpr std::array kStops{Colour{43, 20, 94},
                            Colour{48, 62, 138},
                            Colour{34, 107, 150},
                            Colour{24, 148, 140},
                            Colour{82, 184, 102},
                            Colour{168, 213, 66},
                            Colour{247, 230, 72}};

constexpr std::array<std::string_view, 8> kSeries{
    "#2f5fa8", "#d9772b", "#2a9d62", "#b03a6a", "#7a5bc0", "#8a6d3b", "#1f9bb0", "#6b7280"};

void append_byte(std::string& text, double value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 255.0)));
  text += kDigits[byte >> 4U];
  text += kDigits[byte & 0xFU];
}

}  // namespace

std::string scale_colour(double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const double part = place - static_cast<double>(below);
  const Colour& a = kStops[below];
  const Colour& b = kStops[below + 1];
  std::string text = "#";
  append_byte(text, a.red + part * (b.red - a.red));
  append_byte(text, a.green + part * (b.green - a.green));
  append_byte(text, a.blue + part * (b.blue - a.blue));
  return text;
}

std::string series_colour(std::size_t index) {
  return std::string(kSeries[index % kSeries.size()]);
}

}  // namespace paretrain::results
