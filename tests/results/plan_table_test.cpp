#include "results/plan_table.h"

#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

PlanRow some_row() {
  problems::PlanEvaluation evaluation;
  evaluation.latency = 83387100;
  evaluation.energy = 9.2348871e10;
  evaluation.peak_bytes = 64;
  evaluation.recomputed = 2;
  evaluation.groups = 5;
  evaluation.offchip_bytes = 7;
  evaluation.recompute_work = 11;
  return {"keep-all", evaluation, "kr:0a@00ff"};
}

}  // namespace

TEST_CASE("front_csv: has the columns that scripts rely on") {
  const std::vector<PlanRow> rows{some_row(), some_row()};
  CHECK(front_csv({}, rows) ==
        "plan,latency_cycles,energy_pj,peak_memory_bytes,recomputed,groups,offchip_bytes,"
        "recompute_macs,genome\n"
        "0,83387100,92348871000,64,2,5,7,11,kr:0a@00ff\n"
        "1,83387100,92348871000,64,2,5,7,11,kr:0a@00ff\n");
  CHECK(front_csv({}, {}).find('\n') == front_csv({}, {}).size() - 1);
}

TEST_CASE("baselines_csv: names the plans and uses the problem's units") {
  const std::vector<PlanRow> rows{some_row()};
  CHECK(baselines_csv({"ms", "mJ, at 20 C"}, rows) ==
        "name,latency_ms,\"energy_mJ, at 20 C\",peak_memory_bytes,recomputed,groups,offchip_bytes,"
        "recompute_macs,genome\n"
        "keep-all,83387100,92348871000,64,2,5,7,11,kr:0a@00ff\n");
}

TEST_CASE("energy_text: whole numbers in full and others shortest") {
  CHECK(energy_text(1e15) == "1000000000000000");
  CHECK(energy_text(0.1) == "0.1");
  CHECK(energy_text(-0.0) == "0");
  CHECK(energy_text(1e300) == "1e+300");
}

}  // namespace paretrain::results
