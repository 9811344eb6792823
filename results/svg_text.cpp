#include "results/svg_text.h"

#include <cmath>

#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::results {

namespace {

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

}  // namespace

std::string markup_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\'') {
      result += "&#39;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string coordinate(double value) {
  const double rounded = std::round(value * 100) / 100;
  return number_text(rounded == 0 ? 0.0 : rounded);
}

double text_width(std::string_view text, double font_size) {
  constexpr double kMeanAdvance = 0.58;  // of the font size, for common sans-serif fonts
  std::size_t characters = 0;
  for (const char c : text)
    if (starts_character(c)) ++characters;
  return static_cast<double>(characters) * kMeanAdvance * font_size;
}

std::string shortened(std::string_view text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!starts_character(text[i])) continue;
    if (++characters > most) return std::string(text.substr(0, i)) + "…";
  }
  return std::string(text);
}

}  // namespace paretrain::results
