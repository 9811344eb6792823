#include <benchmark/benchmark.h>

#include "bench/benchmarks.h"

int main(int count, char** words) {
  paretrain::bench::register_core_cost_benchmarks();
  paretrain::bench::register_plan_benchmarks();
  paretrain::bench::register_engine_benchmarks();
  paretrain::bench::register_costly_objective_benchmarks();
#ifdef PARETRAIN_HAS_PAGMO
  paretrain::bench::register_pagmo_benchmarks();
#endif
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
  const std::size_t matching = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return matching == 0 ? 2 : 0;  // the library has said that the filter matches nothing
}
