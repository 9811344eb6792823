#include "base/printable_text.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace paretrain {

namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes; 0 where the text is not UTF-8
};

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Source: RFC 3629 (no overlong forms, no surrogates, at most U+10FFFF).
CodePoint code_point_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  std::size_t length = 0;
  std::uint32_t least = 0;
  if ((first & 0xE0U) == 0xC0U) {
    length = 2;
    least = 0x80;
  } else if ((first & 0xF0U) == 0xE0U) {
    length = 3;
    least = 0x800;
  } else if ((first & 0xF8U) == 0xF0U) {
    length = 4;
    least = 0x10000;
  } else {
    return {};
  }
  if (text.size() < length) return {};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return {};
    value = (value << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least || value > 0x10FFFF || surrogate) return {};
  return {value, length};
}

bool is_harmful(std::uint32_t value) {
  if (value < 0x20 || (value >= 0x7F && value < 0xA0)) return true;
  if (value == 0xAD || value == 0x61C || value == 0xFEFF) return true;
  if (value >= 0x200B && value <= 0x200F) return true;    // zero width, direction marks
  if (value >= 0x2028 && value <= 0x202E) return true;    // separators, direction overrides
  if (value >= 0x2060 && value <= 0x206F) return true;    // invisible operators, isolates
  if (value >= 0xE0000 && value <= 0xE0FFF) return true;  // tags, variation selectors
  return false;
}

std::string hexadecimal(std::uint32_t value) {
  std::array<char, 12> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16).ptr;
  return {buffer.data(), end};
}

std::string escape(std::uint32_t value) {
  if (value == '\n') return "\\n";
  if (value == '\r') return "\\r";
  if (value == '\t') return "\\t";
  if (value >= 0x100) return "\\u{" + hexadecimal(value) + "}";
  return (value < 0x10 ? "\\x0" : "\\x") + hexadecimal(value);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = code_point_at(text);
    const std::size_t length = point.length == 0 ? 1 : point.length;
    const bool is_kept = length == 1 && kept.find(text[0]) != std::string_view::npos;
    if (point.length == 0) {
      result += escape(static_cast<unsigned char>(text[0]));
    } else if (is_harmful(point.value) && !is_kept) {
      result += escape(point.value);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, "");
}

std::string printable_lines(std::string_view text) {
  return escaped(text, "\n\t");
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = code_point_at(text);
    if (point.length == 0) {
      result += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    result += text.substr(0, point.length);
    text.remove_prefix(point.length);
  }
  return result;
}

}  // namespace paretrain
