#include <string>

#include "results/json_text.h"
#include "results/svg_text.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

TEST_CASE("markup_text: nothing in a name can become markup") {
  CHECK(markup_text("<script>alert('x')</script>") ==
        "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  CHECK(markup_text("a\" onload=\"b & c") == "a&quot; onload=&quot;b &amp; c");
  CHECK(markup_text("bell\a esc\x1b[2J") == "bell\\x07 esc\\x1b[2J");
  CHECK(markup_text("\xE2\x80\xAE reversed") == "\\u{202e} reversed");
  CHECK(markup_text("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(markup_text("\xFF") == "\\xff");
}

TEST_CASE("json_string: nothing in a name can end a string or a script") {
  CHECK(json_string("</script>") == "\"\\u003c/script\\u003e\"");
  CHECK(json_string("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(json_string("line\nend\x7F") == "\"line\\u000aend\\u007f\"");
  CHECK(json_string("\xE2\x80\xA8\xE2\x80\xA9") == "\"\\u2028\\u2029\"");
  CHECK(json_string("\xC3") == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("json_number: whole numbers have no exponent") {
  CHECK(json_number(1e15) == "1000000000000000");
  CHECK(json_number(0.5) == "0.5");
  CHECK(json_number(0) == "0");
}

TEST_CASE("coordinate: at most two decimals and no minus zero") {
  CHECK(coordinate(1.2345) == "1.23");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(100) == "100");
}

TEST_CASE("shortened: counts characters and not bytes") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc…");
  CHECK(shortened("ééé", 2) == "éé…");
}

}  // namespace paretrain::results
