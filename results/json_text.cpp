#include "results/json_text.h"

#include "base/printable_text.h"
#include "results/plan_table.h"

namespace paretrain::results {

namespace {

std::string unicode_escape(unsigned value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U})
    text += kDigits[(value >> shift) & 0xFU];
  return text;
}

bool needs_escape(unsigned char c) {
  return c < 0x20 || c == 0x7F || c == '<' || c == '>' || c == '&' || c == '\'';
}

}  // namespace

std::string json_string(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string result = "\"";
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    const std::string_view rest = std::string_view(valid).substr(i);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += valid[i];
    } else if (needs_escape(c)) {
      result += unicode_escape(c);
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      result += unicode_escape(rest[2] == '\xA8' ? 0x2028 : 0x2029);
      i += 2;
    } else {
      result += valid[i];
    }
  }
  return result + '"';
}

std::string json_number(double number) {
  return energy_text(number);
}

}  // namespace paretrain::results
