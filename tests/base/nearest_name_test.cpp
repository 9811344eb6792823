#include "base/nearest_name.h"

#include <array>

#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

constexpr std::array<std::string_view, 3> kKnown = {"inputs", "input_bytes", "output_bytes"};

}  // namespace

TEST_CASE("nearest_name: forgives case and misspelling") {
  CHECK(nearest_name("Input_Bytes", kKnown) == "input_bytes");
  CHECK(nearest_name("input", kKnown) == "inputs");
  CHECK(nearest_name("ouptut_bytes", kKnown) == "output_bytes");
}

TEST_CASE("nearest_name: takes the beginning of a name for it") {
  const std::vector<std::string> known{"population", "patience", "seed"};
  CHECK(nearest_name("populatoin", known) == "population");
  CHECK(nearest_name("pop", known) == "population");
}

TEST_CASE("nearest_name: names nothing that is far away") {
  CHECK_FALSE(nearest_name("x", kKnown));
  CHECK_FALSE(nearest_name("", kKnown));
  CHECK_FALSE(nearest_name("something_else_entirely_and_long", kKnown));
  CHECK_FALSE(nearest_name("inputs", std::span<const std::string_view>()));
  CHECK_FALSE(nearest_name("xyzzy", kKnown));
  CHECK_FALSE(nearest_name(std::string(100'000, 'x'), kKnown));
}

}  // namespace paretrain::tests
