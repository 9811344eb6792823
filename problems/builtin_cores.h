// Why: the cores that built-in accelerators are put together from; every figure stands here once
// and is sourced in docs/accelerators.md.
#pragma once

#include <cstdint>
#include <string>

#include "evaluator/hardware/accelerator.h"

namespace paretrain::problems::cores {

// Cores of multi-core chips (no DRAM level). Units: bits, bits per cycle, pJ per access of the full
// port.
[[nodiscard]] evaluator::Core tpu_like_core();
[[nodiscard]] evaluator::Core pooling_core();
[[nodiscard]] evaluator::Core simd_core();
[[nodiscard]] evaluator::Core edge_tpu_element();
[[nodiscard]] evaluator::Core fusemax_array_search();
[[nodiscard]] evaluator::Core fusemax_vector_search();
[[nodiscard]] evaluator::Core fusemax_array_example();
[[nodiscard]] evaluator::Core fusemax_vector_example();
[[nodiscard]] evaluator::Core tpu_v4i_array();
[[nodiscard]] evaluator::Core tpu_v4i_vector();
[[nodiscard]] evaluator::Core tpu_v4i_memory();

// A memory core of 8 GiB with one port.
[[nodiscard]] evaluator::Core offchip_core(const std::string& name,
                                           std::int64_t bandwidth_bits,
                                           double energy_per_access_pj);

// Single-core chips with their DRAM, as ZigZag has them.
[[nodiscard]] evaluator::Core tpu_like();
[[nodiscard]] evaluator::Core edge_tpu_like();
[[nodiscard]] evaluator::Core eyeriss_like();
[[nodiscard]] evaluator::Core meta_prototype();

}  // namespace paretrain::problems::cores
