// Exact fronts of the reference instances, over every genome.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "engine/enumeration.h"
#include "problems/cost_graph_file.h"
#include "problems/cost_graph_problem.h"
#include "problems/json_file.h"
#include "problems/plan_search_problem.h"
#include "problems/search_space.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::tests {

namespace {

using problems::JsonValue;
using problems::PlanObjective;

const JsonValue& member(const JsonValue& object, std::string_view key) {
  for (const problems::JsonMember& entry : object.members) {
    if (entry.key == key) return entry.value;
  }
  FAIL("no key " << std::string(key));
  return object;
}

std::int64_t number(const JsonValue& object, std::string_view key) {
  return *parsed_integer(member(object, key).text);
}

bool has(const JsonValue& object, std::string_view key) {
  return std::any_of(object.members.begin(), object.members.end(), [&](const auto& entry) {
    return entry.key == key;
  });
}

std::vector<double> numbers(const JsonValue& list) {
  std::vector<double> result;
  for (const JsonValue& item : list.items)
    result.push_back(static_cast<double>(*parsed_integer(item.text)));
  return result;
}

struct Mode {
  bool count_gradients = false;
  std::vector<PlanObjective> objectives;
  std::string key;
};

std::vector<Mode> modes() {
  const std::vector<PlanObjective> two = {PlanObjective::Latency, PlanObjective::Memory};
  const std::vector<PlanObjective> three = {
      PlanObjective::Latency, PlanObjective::Energy, PlanObjective::Memory};
  return {{false, two, "without gradients, latency,peak"},
          {false, three, "without gradients, latency,energy,peak"},
          {true, two, "with gradients, latency,peak"},
          {true, three, "with gradients, latency,energy,peak"}};
}

void check_front(const engine::Enumeration& found, const JsonValue& expected) {
  std::vector<double> reference = found.worst;
  for (double& worst : reference)
    worst += 1;
  CHECK(reference == numbers(member(expected, "reference_point")));
  const JsonValue& points = member(expected, "points");
  REQUIRE(found.front.size() == points.items.size());
  for (std::size_t row = 0; row < points.items.size(); ++row) {
    const std::span<const double> objectives = found.front.objectives_of(row);
    CHECK(std::vector<double>(objectives.begin(), objectives.end()) ==
          numbers(member(points.items[row], "objectives")));
    CHECK(static_cast<std::int64_t>(found.genomes_per_point[row]) ==
          number(points.items[row], "genomes"));
  }
}

void check_instance(const std::filesystem::path& folder, const std::string& name) {
  INFO(name);
  const problems::CostGraph graph = problems::read_cost_graph(folder / (name + ".json"));
  const JsonValue fronts = problems::parsed_json(
      problems::read_text_file(folder / (name + ".front.json")), name + ".front.json");
  for (const Mode& mode : modes()) {
    INFO(mode.key);
    const problems::PlanProblem problem =
        problems::cost_graph_problem(graph,
                                     {.count_gradients = mode.count_gradients,
                                      .max_group_length = {},
                                      .memory_limit_bytes = {}});
    const problems::SearchSpace space(problem, {});
    const problems::PlanSearchProblem search(problem, space, mode.objectives);
    const engine::Enumeration found = engine::enumeration(search, {.keep_equal = 1, .threads = 1});
    CHECK(static_cast<std::int64_t>(found.genomes) == number(fronts, "genomes"));
    if (has(fronts, "canonical_genomes"))
      CHECK(static_cast<std::int64_t>(found.canonical_genomes) ==
            number(fronts, "canonical_genomes"));
    check_front(found, member(member(fronts, "fronts"), mode.key));
    if (has(fronts, "fusion_genes")) {
      const JsonValue& genes = member(fronts, "fusion_genes");
      REQUIRE(genes.items.size() == problem.fusion_gene_count());
      for (std::size_t f = 0; f < genes.items.size(); ++f)
        CHECK(problem.gene_name(problem.fusion_gene_positions()[f]) == genes.items[f].text);
    }
    for (const auto& [key, genome] : {std::pair{"keep_all", problem.keep_all()},
                                      std::pair{"recompute_all", problem.recompute_all()}}) {
      const problems::PlanEvaluation evaluation = problem.evaluate(genome);
      const JsonValue& expected = member(fronts, key);
      CHECK(evaluation.latency == number(expected, "cost"));
      CHECK(evaluation.energy == static_cast<double>(number(expected, "energy")));
      CHECK(evaluation.peak_bytes ==
            number(expected, mode.count_gradients ? "peak_acts_grads" : "peak_acts"));
    }
  }
}

// Returns the number of instances.
std::size_t check_folder(const std::filesystem::path& folder) {
  std::size_t instances = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".json") || file.ends_with(".front.json")) continue;
    check_instance(folder, file.substr(0, file.size() - 5));
    ++instances;
  }
  return instances;
}

}  // namespace

TEST_CASE("enumeration: gives the exact fronts of the reference cost graphs in this tree") {
  CHECK(check_folder(source_folder() / "tests" / "reference" / "cost_graphs") == 3);
}

TEST_CASE("enumeration: gives the exact fronts of all reference cost graphs") {
  const auto folder = shared_data("reference/cost_graphs");
  if (!folder) return;
  CHECK(check_folder(*folder) == 8);
}

}  // namespace paretrain::tests
