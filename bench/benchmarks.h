// Why: timed figures are quoted in docs/performance.md with the command that gives them; all of
// them are benchmarks of one program, named what/of/which, and each source registers its own.
#pragma once

namespace paretrain::bench {

// order_search, given_order, order_account: bench/core_cost_benchmarks.cpp.
void register_core_cost_benchmarks();

// first_plan, search, evaluate, canonicalize, parallel_search, parallel_evaluate:
// bench/plan_benchmarks.cpp.
void register_plan_benchmarks();

// rank/own, hypervolume/own, generation/own: bench/engine_benchmarks.cpp.
void register_engine_benchmarks();

// The same with pagmo in the place of own: bench/pagmo_benchmarks.cpp, only where it is installed.
void register_pagmo_benchmarks();

// costly: bench/costly_objective_benchmarks.cpp.
void register_costly_objective_benchmarks();

}  // namespace paretrain::bench
