#include "evaluator/core_cost/fitted_core.h"

#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

using evaluator::Core;
using evaluator::CoreCostOptions;
using evaluator::CostModel;
using evaluator::fitted_core;
using evaluator::LoopNest;

TEST_CASE("fitted_core: widens a register whose port is narrower than an element") {
  const Core core = two_lanes();
  LoopNest nest = matrix_product(2, 2, 2);
  nest.bits = {32, 32, 32, 32};
  const auto fitted = fitted_core(core, nest, {});
  const evaluator::Memory& output = fitted.core().memories[0];
  CHECK(output.size_bits == 32);
  CHECK(output.read_energy_pj == doctest::Approx(0.2));
  CHECK(output.write_energy_pj == doctest::Approx(0.4));
  CHECK(output.ports[0].bandwidth_max_bits == 32);
  // The buffer serves the only axis, so it is no register: its bits are plain bits.
  CHECK(fitted.core().memories[1].size_bits == 1024);
  CHECK(fitted.core().memories[1].ports[0].bandwidth_max_bits == 16);
}

TEST_CASE("fitted_core: scales the operation by both input widths over 8 bits") {
  const Core core = two_lanes();
  LoopNest nest = matrix_product(2, 2, 2);
  nest.bits = {16, 32, 32, 32};
  CHECK(fitted_core(core, nest, {}).core().array.mac_energy_pj == doctest::Approx(2.0 * 4.0));
  nest.bits.weight = 0;  // an addition, not a product
  CHECK(fitted_core(core, nest, {}).core().array.mac_energy_pj == doctest::Approx(4.0));
}

TEST_CASE("fitted_core: leaves elements that fit alone") {
  const Core core = two_lanes();
  const auto fitted = fitted_core(core, matrix_product(2, 2, 2), {});
  CHECK(fitted.core().memories[0].size_bits == 16);
  CHECK(fitted.core().array.mac_energy_pj == 1.0);
}

TEST_CASE("fitted_core: is the core itself in the zigzag model") {
  const Core core = two_lanes();
  LoopNest nest = matrix_product(2, 2, 2);
  nest.bits = {32, 32, 32, 32};
  CoreCostOptions options;
  options.model = CostModel::Zigzag;
  const auto fitted = fitted_core(core, nest, options);
  CHECK(&fitted.core() == &core);
}

}  // namespace paretrain::tests
