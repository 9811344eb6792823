// Why: the functions of real variables on which multi-objective engines have been compared for
// twenty years.
#pragma once

#include <cstddef>

#include "problems/bench_problem.h"

namespace paretrain::problems {

// Zitzler, Deb, Thiele, Evolutionary Computation 8(2), 2000; two objectives, minimised. Requires:
// at least 2 variables. ZDT4's variables but the first lie in [-5, 5], all others in [0, 1].
[[nodiscard]] BenchProblem zdt1(std::size_t variables);
[[nodiscard]] BenchProblem zdt2(std::size_t variables);
[[nodiscard]] BenchProblem zdt3(std::size_t variables);
[[nodiscard]] BenchProblem zdt4(std::size_t variables);
[[nodiscard]] BenchProblem zdt6(std::size_t variables);

// Deb, Thiele, Laumanns, Zitzler, CEC 2002, with three objectives, minimised, variables in [0, 1].
// Requires: at least 3 variables.
[[nodiscard]] BenchProblem dtlz1(std::size_t variables);
[[nodiscard]] BenchProblem dtlz2(std::size_t variables);
[[nodiscard]] BenchProblem dtlz7(std::size_t variables);

}  // namespace paretrain::problems
