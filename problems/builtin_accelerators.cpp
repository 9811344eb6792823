#include "problems/builtin_accelerators.h"

#include <array>

#include "evaluator/hardware/core_kind.h"
#include "problems/builtin_cores.h"

namespace paretrain::problems {

namespace {

using evaluator::Accelerator;
using evaluator::Core;
using evaluator::CoreId;
using evaluator::Link;

constexpr std::array<BuiltinAccelerator, 9> kBuiltins = {{
    {"edge-tpu", "Edge-TPU-like array of 8x8x4x4 MACs (ZigZag)"},
    {"edge-tpu-4x4",
     "Edge-TPU template: 4x4 processing elements of 64x4 MACs, pooling, SIMD, 8 GiB"},
    {"edge-tpu-quad", "four TPU-like cores of 32x32 MACs, pooling, SIMD, 8 GiB DRAM"},
    {"eyeriss", "Eyeriss-like array of 14x12 MACs (ZigZag)"},
    {"fusemax", "FuseMax, search template: 128x128 MACs, vector unit, 16 MiB"},
    {"fusemax-example", "FuseMax, published example: 256x256 MACs, vector unit, 2 MiB shared"},
    {"meta-prototype", "prototype of 32x2x4x4 MACs (ZigZag)"},
    {"tpu", "TPU-like array of 32x32 MACs (ZigZag)"},
    {"tpu-v4i", "data-centre chip from public figures: 4 arrays of 128x128, 128 MiB, HBM", false},
}};

Link link(std::size_t a, std::size_t b, std::int64_t bandwidth_bits, double energy_pj = 0) {
  return {false, {CoreId(a), CoreId(b)}, bandwidth_bits, energy_pj};
}

Link bus(std::size_t cores, std::int64_t bandwidth_bits) {
  Link all{true, {}, bandwidth_bits, 0};
  for (std::size_t c = 0; c < cores; ++c)
    all.cores.emplace_back(c);
  return all;
}

// Source: docs/accelerators.md, edge-tpu-quad.
Accelerator edge_tpu_quad() {
  Accelerator chip;
  chip.name = "edge-tpu-quad";
  chip.cores.assign(4, cores::tpu_like_core());
  chip.cores.push_back(cores::pooling_core());
  chip.cores.push_back(cores::simd_core());
  chip.cores.push_back(cores::offchip_core("dram_8GiB", 64, 1000));
  chip.offchip = CoreId(6);
  for (std::size_t c = 0; c < 4; ++c)
    chip.links.push_back(link(c, (c + 1) % 4, 32));
  for (std::size_t helper = 4; helper < 6; ++helper) {
    for (std::size_t c = 0; c < 4; ++c)
      chip.links.push_back(link(c, helper, 32));
  }
  chip.links.push_back(bus(7, 128));
  return chip;
}

// Source: docs/accelerators.md, edge-tpu-4x4.
Accelerator edge_tpu_4x4() {
  constexpr std::size_t kSide = 4;
  constexpr std::size_t kElements = kSide * kSide;
  Accelerator chip;
  chip.name = "edge-tpu-4x4";
  chip.cores.assign(kElements, cores::edge_tpu_element());
  chip.cores.push_back(cores::pooling_core());
  chip.cores.push_back(cores::simd_core());
  chip.cores.push_back(cores::offchip_core("dram_8GiB", 64, 1000));
  chip.offchip = CoreId(kElements + 2);
  for (std::size_t c = 0; c < kElements; ++c) {
    if (c % kSide + 1 < kSide) chip.links.push_back(link(c, c + 1, 32));
    if (c + kSide < kElements) chip.links.push_back(link(c, c + kSide, 32));
  }
  for (std::size_t helper = kElements; helper < kElements + 2; ++helper) {
    for (std::size_t c = 0; c < kElements; ++c)
      chip.links.push_back(link(c, helper, 32));
  }
  chip.links.push_back(bus(kElements + 3, 128));
  return chip;
}

// Source: docs/accelerators.md, fusemax.
Accelerator fusemax() {
  Accelerator chip;
  chip.name = "fusemax";
  chip.cores = {cores::fusemax_array_search(),
                cores::fusemax_vector_search(),
                cores::offchip_core("dram_8GiB_wide", 2048, 32000)};
  chip.offchip = CoreId(2);
  chip.links = {link(0, 1, 512), bus(3, 2048)};
  return chip;
}

// Source: docs/accelerators.md, fusemax-example.
Accelerator fusemax_example() {
  Accelerator chip;
  chip.name = "fusemax-example";
  chip.cores = {cores::fusemax_array_example(),
                cores::fusemax_vector_example(),
                cores::offchip_core("dram_10pJ", 3200, 32000)};
  chip.offchip = CoreId(2);
  chip.links = {link(0, 2, 512, 512), link(1, 2, 512, 512)};
  chip.shared_memories = {{CoreId(0), CoreId(1)}};
  return chip;
}

// Source: docs/accelerators.md, tpu-v4i.
Accelerator tpu_v4i() {
  Accelerator chip;
  chip.name = "tpu-v4i";
  chip.cores.assign(4, cores::tpu_v4i_array());
  chip.cores.push_back(cores::tpu_v4i_vector());
  chip.cores.push_back(cores::tpu_v4i_memory());
  chip.offchip = CoreId(5);
  chip.links = {bus(6, 4678)};
  chip.shared_memories = {{CoreId(0), CoreId(1), CoreId(2), CoreId(3), CoreId(4)}};
  return chip;
}

// A chip of one core that has its DRAM as a level of its own. The name is that of the reference
// files.
Accelerator single(Core core) {
  Accelerator chip;
  chip.name = core.name;
  chip.cores = {std::move(core)};
  return chip;
}

std::optional<Accelerator> described(std::string_view name) {
  if (name == "edge-tpu") return single(cores::edge_tpu_like());
  if (name == "edge-tpu-quad") return edge_tpu_quad();
  if (name == "edge-tpu-4x4") return edge_tpu_4x4();
  if (name == "eyeriss") return single(cores::eyeriss_like());
  if (name == "fusemax") return fusemax();
  if (name == "fusemax-example") return fusemax_example();
  if (name == "meta-prototype") return single(cores::meta_prototype());
  if (name == "tpu") return single(cores::tpu_like());
  if (name == "tpu-v4i") return tpu_v4i();
  return std::nullopt;
}

}  // namespace

std::span<const BuiltinAccelerator> builtin_accelerators() {
  return kBuiltins;
}

std::optional<Accelerator> builtin_accelerator(std::string_view name) {
  auto chip = described(name);
  if (!chip) return std::nullopt;
  for (Core& core : chip->cores) {
    core.dataflow.resize(core.array.sizes.size());
    core.kind = evaluator::core_kind(core);
  }
  return chip;
}

}  // namespace paretrain::problems
