// Why: cores and nests small enough to be worked by hand, and random ones for laws.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "evaluator/core_cost/core_cost_search.h"

namespace paretrain::tests {

// Matrix product O[d k] += W[c k] * I[d c].
[[nodiscard]] evaluator::LoopNest matrix_product(std::int64_t d, std::int64_t c, std::int64_t k);
// Convolution with stride 1 and a square 3x3 window, unpadded.
[[nodiscard]] evaluator::LoopNest convolution(std::int64_t k, std::int64_t c, std::int64_t size);

// Two lanes along D1 that unroll K; a 16-bit output register per lane, one memory of 1024 bits for
// everything with a 16-bit port each way.
[[nodiscard]] evaluator::Core two_lanes();

// A core of one or two axes with registers, a buffer and an outermost memory of random sizes.
[[nodiscard]] evaluator::Core random_core(RandomStream& random);
// A matrix product or a convolution of few, small loops with random element widths.
[[nodiscard]] evaluator::LoopNest random_nest(RandomStream& random);

// $TEST_SEED, or 1.
[[nodiscard]] std::uint64_t test_seed();

}  // namespace paretrain::tests
