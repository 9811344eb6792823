#include "results/history.h"

#include "tests/support/doctest.h"

namespace paretrain::results {

TEST_CASE("history_csv: a cell without a value is empty") {
  engine::GenerationReport infeasible;
  infeasible.evaluations = 40;
  infeasible.infeasible = 40;
  engine::GenerationReport feasible;
  feasible.generation = 1;
  feasible.evaluations = 80;
  feasible.front = 3;
  feasible.hypervolume = 0.25;
  feasible.best = {1500000, 64};
  const HistoryColumns columns{{"latency_cycles", "energy_pj", "peak_memory_bytes"},
                               {0, std::nullopt, 1}};
  const std::vector<engine::GenerationReport> reports{infeasible, feasible};
  CHECK(history_csv(columns, reports) ==
        "generation,evaluations,front,hypervolume,infeasible,best_latency_cycles,best_energy_pj,"
        "best_peak_memory_bytes\n"
        "0,40,0,,40,,,\n"
        "1,80,3,0.25,0,1500000,,64\n");
}

}  // namespace paretrain::results
