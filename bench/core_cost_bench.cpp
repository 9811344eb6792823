#include <algorithm>
#include <iostream>
#include <vector>

#include "base/error.h"
#include "base/number_text.h"
#include "bench/bench.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/core_cost/laid_order.h"
#include "evaluator/core_cost/loop_factors.h"
#include "evaluator/core_cost/order_energy.h"
#include "evaluator/core_cost/order_latency.h"
#include "evaluator/core_cost/spatial_mapping.h"
#include "evaluator/hardware/offchip.h"
#include "problems/accelerator_file.h"
#include "problems/operator_nests.h"

namespace paretrain::bench {

namespace {

using evaluator::Core;
using evaluator::CoreCostOptions;
using evaluator::CostModel;
using evaluator::Loop;
using evaluator::LoopNest;
using evaluator::Objective;
using problems::NestShape;

// A convolution of ResNet-18 at 224 x 224, batch 1.
struct Layer {
  std::int64_t k;
  std::int64_t c;
  std::int64_t size;
  std::int64_t window;
  std::int64_t stride;
};

constexpr Layer kLayers[] = {{64, 3, 112, 7, 2},
                             {64, 64, 56, 3, 1},
                             {128, 64, 28, 3, 2},
                             {128, 64, 28, 1, 2},
                             {128, 128, 28, 3, 1},
                             {256, 128, 14, 3, 2},
                             {256, 128, 14, 1, 2},
                             {256, 256, 14, 3, 1},
                             {512, 256, 7, 3, 2},
                             {512, 256, 7, 1, 2},
                             {512, 512, 7, 3, 1}};

LoopNest nest_of(const Layer& layer) {
  NestShape shape;
  const auto set = [&](Loop loop, std::int64_t size) {
    shape.sizes[static_cast<std::size_t>(loop)] = size;
  };
  set(Loop::K, layer.k);
  set(Loop::C, layer.c);
  set(Loop::OY, layer.size);
  set(Loop::OX, layer.size);
  set(Loop::FY, layer.window);
  set(Loop::FX, layer.window);
  shape.stride_y = shape.stride_x = layer.stride;
  shape.input_height = shape.input_width = layer.size * layer.stride;
  return problems::loop_nest_of(shape);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Milliseconds of one search, the best of several.
double search_milliseconds(const Core& core, const LoopNest& nest, const CoreCostOptions& options) {
  constexpr int kRepeats = 5;
  double best = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = thread_seconds();
    const auto found = evaluator::best_core_cost(core, nest, core.dataflow, options);
    const double elapsed = (thread_seconds() - start) * 1e3;
    if (!std::holds_alternative<evaluator::MappedCost>(found)) return 0;
    best = repeat == 0 ? elapsed : std::min(best, elapsed);
  }
  return best;
}

// Microseconds to lay one given order over the memories and to find its energy and latency.
double mapping_microseconds(const Core& core,
                            const LoopNest& nest,
                            const CoreCostOptions& options) {
  constexpr int kRepeats = 20000;
  const auto spatial = evaluator::spatial_mappings(core, nest, core.dataflow, options);
  const auto& mapping = std::get<0>(spatial).front();
  const auto prepared = evaluator::nest_on_core(core, nest, mapping, options);
  const auto& on_core = std::get<evaluator::NestOnCore>(prepared);
  const auto factors = evaluator::loop_factors(nest, mapping.temporal, options.loop_limit);
  evaluator::Allocations allocations(on_core, options.objective);
  evaluator::LoopOrder order;
  evaluator::LaidOrder laid;
  double sum = 0;
  const double start = thread_seconds();
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::size_t i = 0; i < factors.size(); ++i)
      order.place(on_core, i, factors[i]);
    laid.lay_out(on_core, order, allocations.of(order).front());
    sum +=
        evaluator::memory_energy_pj(on_core, laid) + evaluator::extra_cycles(on_core, laid).total();
  }
  const double elapsed = thread_seconds() - start;
  return sum > 0 ? elapsed / kRepeats * 1e6 : 0;
}

void measure(const std::string& name, CostModel model) {
  const auto chip = problems::accelerator_of(name).accelerator;
  const Core core = evaluator::with_offchip_level(chip, evaluator::CoreId(0));
  CoreCostOptions options;
  options.model = model;
  std::vector<double> searches;
  std::vector<double> mappings;
  for (const Layer& layer : kLayers) {
    const LoopNest nest = nest_of(layer);
    searches.push_back(search_milliseconds(core, nest, options));
    mappings.push_back(mapping_microseconds(core, nest, options));
  }
  std::cout << name << (model == CostModel::Zigzag ? " zigzag" : " corrected") << ": search "
            << number_text(median(searches)) << " ms (median), "
            << number_text(*std::max_element(searches.begin(), searches.end()))
            << " ms (worst); given mapping " << number_text(median(mappings)) << " us (median)\n";
}

}  // namespace

int core_cost_bench(const std::vector<std::string>& arguments) {
  std::vector<std::string> chips = arguments;
  if (chips.empty()) chips = {"tpu", "edge-tpu", "meta-prototype", "eyeriss", "edge-tpu-quad"};
  for (const std::string& chip : chips) {
    measure(chip, CostModel::Zigzag);
    measure(chip, CostModel::Corrected);
  }
  return 0;
}

}  // namespace paretrain::bench
