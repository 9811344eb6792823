// Why: timed figures are quoted in docs/performance.md with the command that gives them; all of
// them are subcommands of one program. Nothing here passes or fails.
#pragma once

#include <string>
#include <vector>

namespace paretrain::bench {

// Prints figures to standard output; returns the exit code.
using Run = int (*)(const std::vector<std::string>& arguments);

struct Bench {
  std::string name;
  std::string usage;  // arguments and what is measured, one line
  Run run = nullptr;
};

// Processor time of this thread and elapsed time, in seconds since some moment.
[[nodiscard]] double thread_seconds();
[[nodiscard]] double elapsed_seconds();

// bench/plan_bench.cpp
[[nodiscard]] int plan_bench(const std::vector<std::string>& arguments);

// bench/engine_quality.cpp
[[nodiscard]] int engine_quality_bench(const std::vector<std::string>& arguments);

// bench/engine_ratios.cpp; built only where pagmo is installed.
[[nodiscard]] int engine_ratio_bench(const std::vector<std::string>& arguments);

// bench/core_cost_bench.cpp
[[nodiscard]] int core_cost_bench(const std::vector<std::string>& arguments);

}  // namespace paretrain::bench
