#include "genome/follow.h"

#include <vector>

#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

// Keep genes 0 and 5; the twins of gene 0 are 1 -> 3 and 2 -> 4, of gene 5 it is 6 -> 7.
genome::TwinTable table() {
  return {{0, 5}, {0, 2, 3}, {{1, 3}, {2, 4}, {6, 7}}};
}

std::vector<std::uint64_t> followed(std::uint64_t before, std::uint64_t after) {
  std::vector<std::uint64_t> row = {after};
  genome::follow_keep_flips(table(), std::vector<std::uint64_t>{before}, row);
  return row;
}

}  // namespace

TEST_CASE("follow_keep_flips: a dropped activation takes its recompute fusion from its forward") {
  // Gene 0 drops; F-F genes are 1 and not 2; R-R genes were the other way round.
  CHECK(followed(0b010011, 0b010010) == std::vector<std::uint64_t>{0b001010});
}

TEST_CASE("follow_keep_flips: changes nothing for genes that stay or become kept") {
  CHECK(followed(0b10011, 0b10011) == std::vector<std::uint64_t>{0b10011});
  CHECK(followed(0b10010, 0b10011) == std::vector<std::uint64_t>{0b10011});
}

TEST_CASE("follow_keep_flips: leaves the twins of other activations alone") {
  CHECK(followed(0b10100001, 0b10000001) == std::vector<std::uint64_t>{0b00000001});
  CHECK(followed(0b01100001, 0b01000001) == std::vector<std::uint64_t>{0b11000001});
}

}  // namespace paretrain::tests
