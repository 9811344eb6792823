#include <string>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/benchmarks.h"
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

std::string name(const Layer& layer) {
  return "K" + std::to_string(layer.k) + "_C" + std::to_string(layer.c) + "_O" +
         std::to_string(layer.size) + "_F" + std::to_string(layer.window) + "_s" +
         std::to_string(layer.stride);
}

// A layer on the first core of a chip with its DRAM.
struct Case {
  std::string name;
  Core core;
  LoopNest nest;
  CoreCostOptions options;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* const chip : {"tpu", "edge-tpu", "meta-prototype", "eyeriss", "edge-tpu-quad"}) {
    const auto accelerator = problems::accelerator_of(chip).accelerator;
    const Core core = evaluator::with_offchip_level(accelerator, evaluator::CoreId(0));
    for (const CostModel model : {CostModel::Zigzag, CostModel::Corrected}) {
      const char* const suffix = model == CostModel::Zigzag ? "/zigzag/" : "/corrected/";
      CoreCostOptions options;
      options.model = model;
      for (const Layer& layer : kLayers)
        cases.push_back({chip + std::string(suffix) + name(layer), core, nest_of(layer), options});
    }
  }
  return cases;
}

// The whole search for the order with the least latency. Nothing is remembered between calls.
void search_orders(benchmark::State& state, const Case& layer) {
  std::int64_t orders = 0;
  for (auto _ : state) {
    const auto found = evaluator::best_core_cost(layer.core, layer.nest, layer.options);
    if (const auto* const mapped = std::get_if<evaluator::MappedCost>(&found))
      orders = mapped->orders;
  }
  if (orders == 0) state.SkipWithError("no mapping");
  state.counters["orders"] = static_cast<double>(orders);
}

// What the search does for an order that shares nothing with the one before: lays its loops over
// the memories and finds energy and latency.
void evaluate_given_order(benchmark::State& state, const Case& layer) {
  const auto spatial =
      evaluator::spatial_mappings(layer.core, layer.nest, layer.core.dataflow, layer.options);
  const auto& mapping = std::get<0>(spatial).front();
  const auto prepared = evaluator::nest_on_core(layer.core, layer.nest, mapping, layer.options);
  const auto& on_core = std::get<evaluator::NestOnCore>(prepared);
  const auto factors =
      evaluator::loop_factors(layer.nest, mapping.temporal, layer.options.loop_limit);
  evaluator::Allocations allocations(on_core, layer.options.objective);
  evaluator::LoopOrder order;
  evaluator::LaidOrder laid;
  for (auto _ : state) {
    for (std::size_t i = 0; i < factors.size(); ++i)
      order.place(on_core, i, factors[i]);
    laid.lay_out(on_core, order, allocations.of(order).front());
    benchmark::DoNotOptimize(evaluator::memory_energy_pj(on_core, laid));
    benchmark::DoNotOptimize(evaluator::extra_cycles(on_core, laid).total());
  }
}

// The answer to one call from outside, with the full account of cycles, energy and levels.
void account_for_order(benchmark::State& state, const Case& layer) {
  const auto found = evaluator::best_core_cost(layer.core, layer.nest, layer.options);
  const auto& mapping = std::get<evaluator::MappedCost>(found).mapping;
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluator::core_cost_of_order(
        layer.core, layer.nest, layer.core.dataflow, mapping.order, layer.options));
  }
}

}  // namespace

void register_core_cost_benchmarks() {
  for (const Case& layer : all_cases()) {
    const auto add = [&](const char* what, void (*run)(benchmark::State&, const Case&)) {
      return benchmark::RegisterBenchmark(
          (what + layer.name).c_str(),
          [run, layer](benchmark::State& state) { run(state, layer); });
    };
    add("order_search/", search_orders)->Unit(benchmark::kMicrosecond);
    add("given_order/", evaluate_given_order)->Unit(benchmark::kNanosecond);
    add("order_account/", account_for_order)->Unit(benchmark::kNanosecond);
  }
}

}  // namespace paretrain::bench
