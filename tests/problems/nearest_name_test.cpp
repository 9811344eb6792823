#include "problems/nearest_name.h"

#include <array>

#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

constexpr std::array<std::string_view, 3> kKnown = {"inputs", "input_bytes", "output_bytes"};

}  // namespace

TEST_CASE("nearest_name: forgives case and misspelling") {
  CHECK(problems::nearest_name("Input_Bytes", kKnown) == "input_bytes");
  CHECK(problems::nearest_name("input", kKnown) == "inputs");
  CHECK(problems::nearest_name("ouptut_bytes", kKnown) == "output_bytes");
}

TEST_CASE("nearest_name: names nothing that is far away") {
  CHECK_FALSE(problems::nearest_name("x", kKnown));
  CHECK_FALSE(problems::nearest_name("", kKnown));
  CHECK_FALSE(problems::nearest_name("something_else_entirely_and_long", kKnown));
  CHECK_FALSE(problems::nearest_name("inputs", {}));
}

}  // namespace paretrain::tests
