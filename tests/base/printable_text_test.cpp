#include "base/printable_text.h"

#include <string>

#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain {

TEST_CASE("printable: escapes what steers a terminal and keeps the rest") {
  CHECK(printable("plain caf\xC3\xA9 \xF0\x9F\x98\x80") == "plain caf\xC3\xA9 \xF0\x9F\x98\x80");
  CHECK(printable("a\nb\tc\rd") == "a\\nb\\tc\\rd");
  CHECK(printable(std::string("\0\x1b\x7F", 3)) == "\\x00\\x1b\\x7f");
  CHECK(printable("\xC2\x9B") == "\\x9b");                // C1 control sequence introducer
  CHECK(printable("\xE2\x80\xAEx") == "\\u{202e}x");      // right-to-left override
  CHECK(printable("\xEF\xBB\xBF") == "\\u{feff}");        // byte-order mark
  CHECK(printable("\xF3\xA0\x81\x81") == "\\u{e0041}");   // invisible tag
  CHECK(printable("\xFF\xC0\xAF") == "\\xff\\xc0\\xaf");  // no UTF-8; overlong
  CHECK(printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");  // surrogate
}

TEST_CASE("printable_lines: keeps line ends and tabs") {
  CHECK(printable_lines("a\tb\nc\x1b") == "a\tb\nc\\x1b");
}

TEST_CASE("valid_utf8: replaces broken bytes and is idempotent") {
  CHECK(valid_utf8("ok \xC3\xA9") == "ok \xC3\xA9");
  CHECK(valid_utf8("\xC3") == "\xEF\xBF\xBD");
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0);
    std::string bytes;
    for (std::uint64_t n = random.below(40); n > 0; --n)
      bytes += static_cast<char>(random.below(256));
    const std::string valid = valid_utf8(bytes);
    CHECK(valid_utf8(valid) == valid);
    const std::string shown = printable(bytes);
    for (const char c : shown)
      CHECK(static_cast<unsigned char>(c) >= 0x20);
    CHECK(valid_utf8(shown) == shown);
  }
}

}  // namespace paretrain
