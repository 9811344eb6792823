#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/number_text.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "problems/accelerator_file.h"
#include "problems/operator_nests.h"
#include "problems/yaml_file.h"
#include "results/cost_rows.h"
#include "results/csv.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

using evaluator::CoreCost;
using evaluator::CoreCostOptions;
using evaluator::MappedCost;
using evaluator::NoMapping;
using evaluator::Objective;
using results::CostRow;

constexpr const char* kFiles[] = {"zigzag_single_layers.csv",
                                  "zigzag_resnet18_tpu_like.csv",
                                  "zigzag_resnet18_edge_tpu_like.csv",
                                  "zigzag_resnet18_eyeriss_like.csv",
                                  "zigzag_resnet18_meta_prototype.csv"};

// The recorded answers beside the operators that they belong to.
struct Recorded {
  CostRow row;
  std::map<std::string, std::string> cells;

  [[nodiscard]] double number(const std::string& column) const {
    return parsed_number(cells.at(column)).value();
  }
};

std::vector<Recorded> recorded_rows(const std::filesystem::path& path) {
  const std::string text = problems::text_of_file(path);
  const results::CsvTable table = results::csv_table(text, path.string());
  std::vector<Recorded> recorded;
  for (CostRow& row : results::cost_rows(text, path.string())) {
    Recorded one;
    for (std::size_t c = 0; c < table.header.size(); ++c)
      one.cells[table.header[c]] = table.rows[row.row].cells[c];
    one.row = std::move(row);
    recorded.push_back(std::move(one));
  }
  return recorded;
}

evaluator::Core core_of(const std::filesystem::path& folder, const std::string& name) {
  const auto path = folder / "accelerators" / "zigzag" / (name + ".yaml");
  return problems::read_accelerator_file(path).accelerator.cores[0];
}

CoreCostOptions zigzag_options(const CostRow& row) {
  CoreCostOptions options;
  options.model = evaluator::CostModel::Zigzag;
  if (row.objective) options.objective = *row.objective;
  return options;
}

bool agrees(double mine, double recorded) {
  return std::abs(mine - recorded) <= 1e-7 * std::max(1.0, std::abs(recorded));
}

void check_levels(const Recorded& recorded, const evaluator::Core& core, const CoreCost& cost) {
  static constexpr std::array<const char*, 3> kNames = {"O", "W", "I"};
  std::istringstream words(recorded.cells.at("energy_by_operand_level_pJ"));
  std::map<std::string, double> expected;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    expected[word.substr(0, equals)] = parsed_number(word.substr(equals + 1)).value();
  }
  CHECK(expected.size() == cost.traffic.size());
  for (const evaluator::LevelTraffic& traffic : cost.traffic) {
    const std::string name = std::string(kNames[static_cast<std::size_t>(traffic.operand)]) + "@" +
                             core.memories[traffic.memory].name;
    INFO(name);
    double sum = 0;
    for (const double energy : traffic.energy_pj)
      sum += energy;
    CHECK(agrees(sum, expected.at(name)));
  }
}

void check_recorded_order(const Recorded& recorded, const evaluator::Core& core) {
  const auto result = evaluator::core_cost_of_order(core,
                                                    problems::loop_nest_of(recorded.row.shape),
                                                    *recorded.row.dataflow,
                                                    recorded.row.order,
                                                    zigzag_options(recorded.row));
  REQUIRE(std::holds_alternative<MappedCost>(result));
  const CoreCost& cost = std::get<MappedCost>(result).cost;
  CHECK(agrees(cost.ideal_cycles, recorded.number("ideal_cycles")));
  CHECK(agrees(cost.ideal_cycles + cost.spatial_cycles, recorded.number("ideal_temporal_cycles")));
  CHECK(agrees(cost.stall_cycles, recorded.number("stall_cycles")));
  CHECK(agrees(cost.onload_cycles, recorded.number("onload_cycles")));
  CHECK(agrees(cost.offload_cycles, recorded.number("offload_cycles")));
  CHECK(agrees(cost.total_cycles(), recorded.number("latency_total2")));
  CHECK(agrees(cost.mac_energy_pj, recorded.number("energy_mac_pJ")));
  CHECK(agrees(cost.total_energy_pj(), recorded.number("energy_total_pJ")));
  check_levels(recorded, core, cost);
}

double value(Objective objective, double cycles, double energy) {
  switch (objective) {
    case Objective::Latency:
      return cycles;
    case Objective::Energy:
      return energy;
    case Objective::Edp:
      return cycles * energy;
  }
  return 0;
}

// Kendall's tau-a over pairs that the first list does not tie.
double kendall_tau(const std::vector<double>& a, const std::vector<double>& b) {
  double agreeing = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (a[i] == a[j]) continue;
      pairs += 1;
      agreeing += (a[i] < a[j]) == (b[i] < b[j]) && b[i] != b[j] ? 1 : -1;
    }
  }
  return agreeing / pairs;
}

}  // namespace

TEST_CASE("core_cost_of_order: equals every recorded mapping in the zigzag model") {
  const auto folder = shared_data("reference");
  if (!folder) return;
  std::size_t compared = 0;
  for (const char* file : kFiles) {
    for (const Recorded& recorded : recorded_rows(*folder / file)) {
      INFO(file << " row " << recorded.row.row << " " << recorded.row.layer);
      const evaluator::Core core = core_of(*folder, recorded.row.accelerator);
      if (recorded.row.order.empty()) continue;
      check_recorded_order(recorded, core);
      ++compared;
    }
  }
  CHECK(compared == 477);
}

TEST_CASE("best_core_cost: refuses what the recorded search refused") {
  const auto folder = shared_data("reference");
  if (!folder) return;
  std::size_t refused = 0;
  for (const Recorded& recorded : recorded_rows(*folder / kFiles[0])) {
    if (!recorded.row.order.empty()) continue;
    const evaluator::Core core = core_of(*folder, recorded.row.accelerator);
    const auto result = evaluator::best_core_cost(
        core, problems::loop_nest_of(recorded.row.shape), zigzag_options(recorded.row));
    REQUIRE(std::holds_alternative<NoMapping>(result));
    CHECK(std::get<NoMapping>(result).reason.find("at the least") != std::string::npos);
    ++refused;
  }
  CHECK(refused == 3);
}

TEST_CASE("best_core_cost: finds every recorded optimum and ranks layers alike") {
  const auto folder = shared_data("reference");
  if (!folder) return;
  std::vector<double> cycles[2];
  std::vector<double> energies[2];
  std::set<std::string> seen;
  for (const char* file : kFiles) {
    for (const Recorded& recorded : recorded_rows(*folder / file)) {
      if (recorded.row.order.empty()) continue;
      // Layers with the same nest were recorded once for all.
      const std::string key = recorded.row.accelerator + recorded.cells.at("computed_at_layer_id") +
                              recorded.cells.at("objective") + file;
      if (!seen.insert(key).second) continue;
      INFO(file << " row " << recorded.row.row << " " << recorded.row.layer);
      const CoreCostOptions options = zigzag_options(recorded.row);
      const auto result = evaluator::best_core_cost(core_of(*folder, recorded.row.accelerator),
                                                    problems::loop_nest_of(recorded.row.shape),
                                                    *recorded.row.dataflow,
                                                    options);
      REQUIRE(std::holds_alternative<MappedCost>(result));
      const MappedCost& mapped = std::get<MappedCost>(result);
      CHECK(agrees(
          value(options.objective, mapped.cost.total_cycles(), mapped.cost.total_energy_pj()),
          value(options.objective,
                recorded.number("latency_total2"),
                recorded.number("energy_total_pJ"))));
      CHECK(mapped.orders == static_cast<std::int64_t>(recorded.number("mappings_evaluated")));
      if (std::string(file) != kFiles[0]) continue;
      cycles[0].push_back(recorded.number("latency_total2"));
      cycles[1].push_back(mapped.cost.total_cycles());
      energies[0].push_back(recorded.number("energy_total_pJ"));
      energies[1].push_back(mapped.cost.total_energy_pj());
    }
  }
  CHECK(kendall_tau(cycles[0], cycles[1]) >= 0.999);
  CHECK(kendall_tau(energies[0], energies[1]) >= 0.999);
}

}  // namespace paretrain::tests
