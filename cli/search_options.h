// Why: every command that searches takes the same options for how and how long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace paretrain::cli {

struct SearchOptions {
  std::int64_t population = 100;
  std::int64_t generations = 250;
  std::optional<std::int64_t> max_evaluations;
  std::optional<double> max_seconds;
  std::optional<std::int64_t> patience;  // generations without a better hypervolume
  std::uint64_t seed = 1;
  int threads = 0;            // 0: all cores
  double local_search = 0.2;  // share of the evaluations
  bool warm_start = true;
  std::optional<double> crossover;     // probability; the engine's own when empty
  std::optional<double> mutation;      // expected flipped bits of an offspring
  std::optional<double> run_mutation;  // share of offspring; the engine's own when empty
  std::vector<double> reference;       // --reference A,B[,C]; empty: from the baselines
  std::int64_t keep_equal = 1;         // genomes kept per objective vector
  std::int64_t snapshot_every = 1;     // generations
  bool log_generations = false;
};

// How the search goes: population, seed, operators.
[[nodiscard]] OptionGroup search_option_group();
// When it stops.
[[nodiscard]] OptionGroup stop_option_group();
// The machine: threads, snapshots, log lines.
[[nodiscard]] OptionGroup machine_option_group();
// --config, --print-config, --force, -o.
[[nodiscard]] OptionGroup run_option_group();

// Groups that the syntax does not have keep their defaults.
// Errors: InputError naming the option.
[[nodiscard]] SearchOptions search_options(const Options& options);

}  // namespace paretrain::cli
