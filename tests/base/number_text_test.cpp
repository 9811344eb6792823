#include "base/number_text.h"

#include "tests/support/doctest.h"

namespace paretrain {

TEST_CASE("number_text: prints the shortest text that reads back") {
  CHECK_EQ(number_text(0.1), "0.1");
  CHECK_EQ(number_text(1e300), "1e+300");
  CHECK_EQ(number_text(std::int64_t{-42}), "-42");
}

TEST_CASE("grouped_text: separates groups of three digits") {
  CHECK_EQ(grouped_text(0), "0");
  CHECK_EQ(grouped_text(999), "999");
  CHECK_EQ(grouped_text(-1234567), "-1,234,567");
}

TEST_CASE("parsed_integer: refuses what is not wholly a decimal integer") {
  CHECK_EQ(parsed_integer("17"), 17);
  for (const char* text : {"", " 17", "17 ", "+17", "1.0", "0x10", "9223372036854775808"}) {
    CHECK_FALSE(parsed_integer(text).has_value());
  }
}

TEST_CASE("parsed_number: refuses infinities and trailing text") {
  CHECK_EQ(parsed_number("1.5e3"), 1500.0);
  for (const char* text : {"", "nan", "inf", "1e999", "1,5", "1.5x"})
    CHECK_FALSE(parsed_number(text).has_value());
}

TEST_CASE("parsed_bytes: knows binary and decimal units") {
  CHECK_EQ(parsed_bytes("64MiB"), 67108864);
  CHECK_EQ(parsed_bytes("1.5GB"), 1500000000);
  CHECK_EQ(parsed_bytes("4096"), 4096);
  CHECK_EQ(parsed_bytes("4096B"), 4096);
  for (const char* text : {"", "MiB", "-1", "64 MiB", "64mib", "1e30TB"})
    CHECK_FALSE(parsed_bytes(text).has_value());
}

}  // namespace paretrain
