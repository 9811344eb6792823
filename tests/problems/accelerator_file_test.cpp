#include "problems/accelerator_file.h"

#include <fstream>

#include "base/error.h"
#include "problems/builtin_accelerators.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::tests {

namespace {

namespace fs = std::filesystem;
using evaluator::Accelerator;
using evaluator::Core;
using evaluator::CoreKind;
using evaluator::Memory;
using problems::accelerator_text;
using problems::read_accelerator_file;
using problems::read_accelerator_text;

const char* const kCore = R"(name: small
type: compute
memories:
  buffer:
    size: 4096
    r_cost: 1.5
    w_cost: 2
    operands: [I1, I2, O]
    ports:
      - name: rw_port_1
        type: read_write
        bandwidth_min: 8
        bandwidth_max: 64
        allocation: ["I1, fh", "I1, tl", "I2, fh", "I2, tl", "O, fh", "O, tl", "O, fl", "O, th"]
    served_dimensions: [D1]
operational_array:
  unit_energy: 0.1
  dimensions: [D1]
  sizes: [8]
dataflows:
  D1:
    - K, 8
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

// The whole message of the refusal, or an empty text.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(read_accelerator_text(text, "chip.yaml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool same_memory(const Memory& a, const Memory& b) {
  bool same = a.name == b.name && a.size_bits == b.size_bits &&
              a.read_energy_pj == b.read_energy_pj && a.write_energy_pj == b.write_energy_pj &&
              a.is_dram == b.is_dram && a.operands == b.operands &&
              a.served_axes == b.served_axes && a.ports.size() == b.ports.size();
  for (std::size_t p = 0; same && p < a.ports.size(); ++p) {
    same = a.ports[p].bandwidth_min_bits == b.ports[p].bandwidth_min_bits &&
           a.ports[p].bandwidth_max_bits == b.ports[p].bandwidth_max_bits &&
           a.ports[p].uses.size() == b.ports[p].uses.size();
    for (std::size_t u = 0; same && u < a.ports[p].uses.size(); ++u) {
      same = a.ports[p].uses[u].operand == b.ports[p].uses[u].operand &&
             a.ports[p].uses[u].direction == b.ports[p].uses[u].direction;
    }
  }
  return same;
}

void check_same_core(const Core& a, const Core& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.array.sizes == b.array.sizes);
  CHECK(a.array.mac_energy_pj == b.array.mac_energy_pj);
  REQUIRE(a.memories.size() == b.memories.size());
  for (std::size_t m = 0; m < a.memories.size(); ++m) {
    INFO(a.memories[m].name);
    CHECK(same_memory(a.memories[m], b.memories[m]));
  }
  REQUIRE(a.dataflow.size() == b.dataflow.size());
  for (std::size_t axis = 0; axis < a.dataflow.size(); ++axis) {
    REQUIRE(a.dataflow[axis].has_value() == b.dataflow[axis].has_value());
    if (!a.dataflow[axis]) continue;
    REQUIRE(a.dataflow[axis]->size() == b.dataflow[axis]->size());
    for (std::size_t f = 0; f < a.dataflow[axis]->size(); ++f) {
      CHECK((*a.dataflow[axis])[f].loop == (*b.dataflow[axis])[f].loop);
      CHECK((*a.dataflow[axis])[f].factor == (*b.dataflow[axis])[f].factor);
    }
  }
}

void check_same(const Accelerator& a, const Accelerator& b) {
  REQUIRE(a.cores.size() == b.cores.size());
  for (std::size_t c = 0; c < a.cores.size(); ++c) {
    INFO("core " << c);
    check_same_core(a.cores[c], b.cores[c]);
  }
  CHECK(a.offchip == b.offchip);
  CHECK(a.shared_memories == b.shared_memories);
  REQUIRE(a.links.size() == b.links.size());
  for (std::size_t l = 0; l < a.links.size(); ++l) {
    CHECK(a.links[l].is_bus == b.links[l].is_bus);
    CHECK(a.links[l].cores == b.links[l].cores);
    CHECK(a.links[l].bandwidth_bits == b.links[l].bandwidth_bits);
    CHECK(a.links[l].energy_per_cycle_pj == b.links[l].energy_per_cycle_pj);
  }
}

}  // namespace

TEST_CASE("read_accelerator_text: reads a single core") {
  const auto file = read_accelerator_text(kCore, "chip.yaml");
  CHECK(file.warnings.empty());
  CHECK(file.accelerator.name == "small");
  CHECK_FALSE(file.accelerator.offchip.has_value());
  REQUIRE(file.accelerator.cores.size() == 1);
  const Core& core = file.accelerator.cores[0];
  CHECK(core.kind == CoreKind::Vector);
  CHECK(core.memories[0].size_bits == 4096);
  CHECK(core.memories[0].ports[0].uses.size() == 8);
  CHECK((*core.dataflow[0])[0].factor == 8);
}

TEST_CASE("read_accelerator_text: a missing field is named with its line") {
  CHECK(refusal(replaced(kCore, "    r_cost: 1.5\n", "")) ==
        "chip.yaml:5: memory 'buffer' lacks the key 'r_cost'");
}

TEST_CASE("read_accelerator_text: an unknown key names the nearest known one") {
  const std::string text = refusal(replaced(kCore, "    w_cost: 2", "    w_cots: 2"));
  CHECK(text.find("chip.yaml:7: unknown key 'w_cots' in memory 'buffer'") != std::string::npos);
  CHECK(text.find("did you mean 'w_cost'?") != std::string::npos);
  CHECK(text.find("memory 'buffer' lacks the key 'w_cost'") != std::string::npos);
}

TEST_CASE("read_accelerator_text: all problems come in one go") {
  std::string text = replaced(kCore, "size: 4096", "size: -1");
  text = replaced(text, "r_cost: 1.5", "r_cost: cheap");
  text = replaced(text, "[D1]\noperational", "[D7]\noperational");
  try {
    static_cast<void>(read_accelerator_text(text, "chip.yaml"));
    FAIL("was accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 3);
    CHECK(error.problems()[0].where == "chip.yaml:5");
    CHECK(error.problems()[1].where == "chip.yaml:6");
    CHECK(error.problems()[1].what == "found 'cheap'; expected a number");
    CHECK(error.problems()[2].what == "found 'D7'; expected a dimension of the array (D1)");
  }
}

TEST_CASE("read_accelerator_text: refuses a port that is missing or given twice") {
  CHECK(refusal(replaced(kCore, ", \"O, th\"", "")) ==
        "chip.yaml:5: memory 'buffer' has 'O, th' on 0 ports; expected one");
  CHECK(refusal(replaced(kCore, "\"O, th\"", "\"O, th\", \"I1, tl\"")) ==
        "chip.yaml:5: memory 'buffer' has 'I1, tl' on 2 ports; expected one");
}

TEST_CASE("read_accelerator_text: the last of two port lists counts with a warning") {
  const auto file = read_accelerator_text(
      replaced(kCore, "    ports:\n", "    ports:\n      - fh: w_port_1\n    ports:\n"),
      "chip.yaml");
  REQUIRE(file.warnings.size() == 1);
  CHECK(file.warnings[0] == "chip.yaml:11: key 'ports' stands twice; the last one counts");
  CHECK(file.accelerator.cores[0].memories[0].ports.size() == 1);
}

TEST_CASE("read_accelerator_text: core kinds come from dataflows and axes") {
  std::string text = replaced(
      kCore, "  dimensions: [D1]\n  sizes: [8]", "  dimensions: [D1, D2]\n  sizes: [3, 3]");
  CHECK(read_accelerator_text(replaced(text, "    - K, 8", "    - K, 3"), "x")
            .accelerator.cores[0]
            .kind == CoreKind::Array);
  CHECK(read_accelerator_text(replaced(text, "    - K, 8", "    - FX, 3\n  D2:\n    - FY, 3"), "x")
            .accelerator.cores[0]
            .kind == CoreKind::Pooling);
}

TEST_CASE("read_accelerator_file: finds core files in the folder cores") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "cores");
  std::ofstream(folder.path() / "cores" / "a.yaml") << kCore;
  std::ofstream(folder.path() / "cores" / "dram.yaml")
      << replaced(replaced(replaced(kCore, "compute", "memory"), "sizes: [8]", "sizes: [0]"),
                  "dataflows:\n  D1:\n    - K, 8\n",
                  "");
  std::ofstream(folder.path() / "chip.yaml")
      << "name: chip\ncores:\n  0: a.yaml\n  1: dram.yaml\noffchip_core_id: 1\n"
         "core_connectivity:\n  - type: bus\n    cores: [0, 1]\n    bandwidth: 64\n";
  const auto file = read_accelerator_file(folder.path() / "chip.yaml");
  CHECK(file.accelerator.cores.size() == 2);
  CHECK(file.accelerator.cores[1].kind == CoreKind::Memory);
  CHECK(file.accelerator.offchip == evaluator::CoreId(1));
}

TEST_CASE("read_accelerator_file: refuses a folder and a missing file") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(static_cast<void>(read_accelerator_file(folder.path())),
                       (folder.path().string() + ": is a folder; expected a file").c_str(),
                       InputError);
  const fs::path missing = folder.path() / "none.yaml";
  CHECK_THROWS_WITH_AS(static_cast<void>(read_accelerator_file(missing)),
                       (missing.string() + ": no such file").c_str(),
                       InputError);
}

TEST_CASE("accelerator_of: an unknown name lists what is built in") {
  try {
    static_cast<void>(problems::accelerator_of("edge-tpu-squad"));
    FAIL("was accepted");
  } catch (const InputError& error) {
    CHECK(
        error.problems()[0].hint.starts_with("did you mean edge-tpu-quad? built in are edge-tpu,"));
  }
}

TEST_CASE("accelerator_text: every built-in accelerator reads back to the same numbers") {
  for (const problems::BuiltinAccelerator& builtin : problems::builtin_accelerators()) {
    INFO(builtin.name);
    const auto original = problems::builtin_accelerator(builtin.name);
    REQUIRE(original.has_value());
    const auto again = read_accelerator_text(accelerator_text(*original), "again.yaml");
    CHECK(again.accelerator.name == original->name);
    CHECK(again.warnings.empty());
    check_same(*original, again.accelerator);
  }
}

TEST_CASE("builtin_accelerator: equals the published description") {
  struct Pair {
    const char* name;
    const char* file;
  };

  for (const Pair pair : {Pair{"edge-tpu-4x4", "stream/edge_tpu_4x4.yaml"},
                          Pair{"fusemax", "stream/fusemax.yaml"},
                          Pair{"fusemax-example", "stream/fusemax_example.yaml"}}) {
    INFO(pair.name);
    const auto path = shared_data(std::string("reference/accelerators/") + pair.file);
    if (!path) return;
    check_same(*problems::builtin_accelerator(pair.name), read_accelerator_file(*path).accelerator);
  }
  const auto path = shared_data("reference/accelerators/stream/tpu_like_quad_core.yaml");
  if (!path) return;
  Accelerator quad = read_accelerator_file(*path).accelerator;
  const Accelerator built_in = *problems::builtin_accelerator("edge-tpu-quad");
  // The only difference: the DRAM is raised from 10^10 bits to 8 GiB.
  CHECK(quad.cores[6].memories[0].size_bits == 10'000'000'000);
  quad.cores[6].memories[0].size_bits = std::int64_t{1} << 36U;
  check_same(built_in, quad);
}

TEST_CASE("builtin_accelerator: single cores equal the published ones but for the dataflow") {
  struct Pair {
    const char* name;
    const char* file;
  };

  for (const Pair pair : {Pair{"tpu", "tpu_like.yaml"},
                          Pair{"edge-tpu", "edge_tpu_like.yaml"},
                          Pair{"eyeriss", "eyeriss_like.yaml"},
                          Pair{"meta-prototype", "meta_prototype.yaml"}}) {
    INFO(pair.name);
    const auto path = shared_data(std::string("reference/accelerators/zigzag/") + pair.file);
    if (!path) return;
    Accelerator read = read_accelerator_file(*path).accelerator;
    const Accelerator built_in = *problems::builtin_accelerator(pair.name);
    CHECK(read.name == built_in.name);
    read.cores[0].dataflow = built_in.cores[0].dataflow;
    check_same(built_in, read);
  }
}

}  // namespace paretrain::tests
