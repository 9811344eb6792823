// Why: knapsacks and MNK-landscapes have no closed form; instances come from files, and enumeration
// gives their fronts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "problems/bench_problem.h"

namespace paretrain::problems {

// 0/1 knapsack with several profits and several capacities; item i is bit i. Profits are maximised;
// every capacity must hold and at least min_items items must be taken.
// Source: Zitzler, Thiele, IEEE TEVC 3(4), 1999.
struct Knapsack {
  std::size_t items = 0;
  std::size_t min_items = 0;
  std::vector<std::vector<double>> profits;  // per objective one per item
  std::vector<std::vector<double>> weights;  // per constraint one per item
  std::vector<double> capacities;            // one per constraint
};

// Sums over loci, maximised. A locus adds the entry of its table whose index has the locus itself
// as bit 0 and its q-th link as bit q + 1. Source: Aguirre, Tanaka, CEC 2004.
struct MnkLandscape {
  std::size_t bits = 0;
  std::size_t objectives = 0;
  std::size_t links_per_locus = 0;
  // [objective][locus][link]; the links of a locus are distinct other loci
  std::vector<std::uint32_t> links;
  std::vector<double> tables;  // [objective][locus][2^(links_per_locus + 1)]
};

// Errors: InputError with file and line.
// The texts are JSON objects with the keys items, objectives, constraints, min_items, profits,
// weights, capacities, and bits, objectives, K, links_row_is_objective_times_bits_plus_locus,
// table_index_bit0_is_own_locus. Further keys are ignored.
[[nodiscard]] Knapsack knapsack_from_json(std::string_view text, const std::string& name);
[[nodiscard]] MnkLandscape mnk_from_json(std::string_view text, const std::string& name);

// The violation of a knapsack is the sum of the excess over each capacity, in multiples of the
// capacity (plus 1), and of the missing items, in multiples of min_items.
[[nodiscard]] BenchProblem knapsack_problem(Knapsack knapsack, const std::string& name);
[[nodiscard]] BenchProblem mnk_problem(MnkLandscape landscape, const std::string& name);

}  // namespace paretrain::problems
