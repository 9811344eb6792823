#include "problems/mapping_file.h"

#include <fstream>

#include "base/error.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::tests {

namespace {

using evaluator::Loop;
using evaluator::MemoryOperand;
using problems::MappingEntry;
using problems::MappingFile;
using problems::read_mapping_file;

MappingFile mapping_of(const std::string& text) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "mapping.yaml";
  std::ofstream(path) << text;
  return read_mapping_file(path, 6);
}

}  // namespace

TEST_CASE("read_mapping_file: reads an entry of ZigZag") {
  const MappingFile file = mapping_of(
      "- name: default\n"
      "  spatial_mapping:\n"
      "    D1:\n      - OY, 14\n"
      "    D2:\n      - FY, 3\n      - K, 4\n"
      "  temporal_ordering:\n    - [OX, 112]\n    - [C, '*']\n"
      "  memory_operand_links:\n    O: O\n    W: I1\n    I: I2\n");
  REQUIRE(file.entries.size() == 1);
  const MappingEntry& entry = file.entries[0];
  REQUIRE(entry.spatial.has_value());
  REQUIRE(entry.spatial->size() == 2);
  CHECK((*(*entry.spatial)[1])[1].loop == Loop::K);
  CHECK((*(*entry.spatial)[1])[1].factor == 4);
  REQUIRE(entry.order.size() == 2);
  CHECK(entry.order[0].size == 112);
  CHECK_FALSE(entry.order[1].size.has_value());
  REQUIRE(entry.links.has_value());
  CHECK((*entry.links)[1] == MemoryOperand::I1);
}

TEST_CASE("read_mapping_file: reads an entry of Stream") {
  const MappingFile file = mapping_of(
      "- name: Conv\n  core_allocation: [0, 1]\n"
      "  intra_core_tiling:\n    - OY, all\n  inter_core_tiling:\n    - K, *\n"
      "- name: default\n  core_allocation: [5]\n  intra_core_tiling:\n    - D, 4\n");
  const MappingEntry* conv = file.find("layer1", "Conv");
  REQUIRE(conv != nullptr);
  CHECK(conv->cores.size() == 2);
  CHECK((*conv->intra_core_tiling)[0].amount == problems::TilingAmount::All);
  CHECK((*conv->inter_core_tiling)[0].amount == problems::TilingAmount::Any);
  const MappingEntry* other = file.find("relu", "Relu");
  REQUIRE(other != nullptr);
  CHECK(other->name == "default");
  CHECK((*other->intra_core_tiling)[0].number == 4);
}

TEST_CASE("read_mapping_file: names every problem with its line") {
  try {
    static_cast<void>(
        mapping_of("- name: Conv\n  core_allocation: [9]\n  inter_core_tiling:\n    - KK, 2\n"
                   "- core_alocation: [1]\n"));
    FAIL("was accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 4);
    CHECK(error.problems()[0].what == "found '9'; expected a whole number from 0 to 5");
    CHECK(error.problems()[1].what == "found 'KK'; expected a loop name");
    CHECK(error.problems()[2].hint == "did you mean 'core_allocation'?");
    CHECK(error.problems()[3].what == "the mapping lacks the key 'name'");
  }
}

}  // namespace paretrain::tests
