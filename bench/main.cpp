#include <chrono>
#include <ctime>
#include <exception>
#include <iostream>

#include "bench/bench.h"

namespace paretrain::bench {

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double elapsed_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

std::vector<Bench> benches() {
  return {{"plans",
           "plans MODEL [ACCELERATOR] [end|eager|search]: genomes per second of a running search",
           plan_bench},
          {"cost",
           "cost [ACCELERATOR…]: the search for one ResNet-18 layer, and one given mapping",
           core_cost_bench},
#ifdef PARETRAIN_HAS_PAGMO
          {"engine-ratios",
           "engine-ratios [generation|hypervolume|rank] [CALLS]: the engine against pagmo",
           engine_ratio_bench},
#endif
          {"engine-quality",
           "engine-quality [population|archive] [SEEDS]: points found on known fronts",
           engine_quality_bench}};
}

int usage() {
  std::cerr << "usage: paretrain_bench BENCH ARGUMENTS\n";
  for (const Bench& bench : benches())
    std::cerr << "  " << bench.usage << "\n";
  return 2;
}

}  // namespace

}  // namespace paretrain::bench

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.empty()) return paretrain::bench::usage();
  try {
    for (const paretrain::bench::Bench& bench : paretrain::bench::benches()) {
      if (bench.name == arguments[0]) return bench.run({arguments.begin() + 1, arguments.end()});
    }
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 2;
  }
  return paretrain::bench::usage();
}
