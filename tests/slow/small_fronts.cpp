// Brute force over every choice of what is kept and every legal grouping against `enumerate` and
// `optimize` with its default options (but `--generations`), on random small steps:
//
//   paretrain_small_fronts cost-graphs|training [--first 1] [--seeds 20] [--nodes 5] [--most 20000]
//     [--enumerate-bits 24] [--objectives 3] [--accelerator edge-tpu-quad] [--search-seeds 1]
//     [--generations 250]
//
// `--nodes`: operators of the network, at most (a loss adds two). Instances with more than `--most`
// groupings of their forward or their late part are skipped; `enumerate` runs where there are at
// most `--enumerate-bits` genes. Energies of real operators are sums of other orders and count as
// equal within 1e-12. Exits 1 when a front differs or a search misses a point of it.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "engine/enumeration.h"
#include "engine/search.h"
#include "evaluator/group/accelerator_group_model.h"
#include "problems/accelerator_file.h"
#include "problems/cost_graph_problem.h"
#include "problems/lowering.h"
#include "problems/plan_search_problem.h"
#include "problems/warm_plans.h"
#include "tests/slow/every_grouping.h"
#include "tests/slow/plain_cost_graph.h"
#include "tests/slow/program_options.h"
#include "tests/slow/random_instances.h"

namespace paretrain::tests {

namespace {

using problems::PlanObjective;
using problems::PlanProblem;

struct Options {
  bool training = false;
  std::uint64_t first = 1;
  std::uint64_t seeds = 20;
  std::uint64_t nodes = 5;
  std::uint64_t most = 20000;
  std::uint64_t enumerate_bits = 24;
  std::uint64_t objectives = 3;
  std::uint64_t search_seeds = 1;
  std::uint64_t generations = 250;
  std::string accelerator = "edge-tpu-quad";
};

// What both sides work on. Everything that the others look into stays in place.
struct Instance {
  problems::CostGraph cost_graph;
  std::unique_ptr<evaluator::TrainingGraph> graph;
  std::unique_ptr<PlanProblem> problem;
  PlainStep step;
  PlainGroups groups;
};

class Workshop {
 public:
  explicit Workshop(const Options& options) : options_(options) {
    if (options.training) accelerator_ = problems::accelerator_of(options.accelerator).accelerator;
  }

  [[nodiscard]] std::unique_ptr<Instance> instance(std::uint64_t seed) const {
    RandomStream random(seed, 0, options_.training ? 12 : 11);
    const std::size_t nodes = 1 + random.below(options_.nodes);
    return options_.training ? of_network(nodes, random) : of_cost_graph(nodes, random);
  }

 private:
  [[nodiscard]] static std::unique_ptr<Instance> of_cost_graph(std::size_t nodes,
                                                               RandomStream& random) {
    auto instance = std::make_unique<Instance>();
    instance->cost_graph = random_fused_cost_graph(nodes, random);
    const bool count = random.below(2) == 0;
    instance->step =
        plain_step(instance->cost_graph, count ? CountGradients::Yes : CountGradients::No);
    instance->groups = plain_groups(instance->cost_graph, instance->step);
    instance->problem = std::make_unique<PlanProblem>(problems::cost_graph_problem(
        instance->cost_graph,
        {.count_gradients = count, .max_group_length = {}, .memory_limit_bytes = {}}));
    return instance;
  }

  [[nodiscard]] std::unique_ptr<Instance> of_network(std::size_t nodes,
                                                     RandomStream& random) const {
    auto instance = std::make_unique<Instance>();
    const bool search = random.below(2) == 0;
    const auto update =
        search ? evaluator::UpdatePlacement::Search : evaluator::UpdatePlacement::End;
    instance->graph =
        std::make_unique<evaluator::TrainingGraph>(random_training_graph(nodes, update, random));
    evaluator::GroupCostOptions costs;
    costs.max_group_length = 2 + static_cast<std::int64_t>(random.below(5));
    auto model = std::make_unique<evaluator::AcceleratorGroupModel>(
        *instance->graph, accelerator_, evaluator::CoreAllocations{}, costs);
    const evaluator::AcceleratorGroupModel& asked = *model;
    // Every template edge, whether some group may hold it or not.
    instance->step = plain_step(*instance->graph,
                                search ? UpdateGenes::Yes : UpdateGenes::No,
                                [](const PlainRun&, const PlainRun&) { return true; });
    instance->groups.longest = static_cast<std::size_t>(costs.max_group_length);
    instance->groups.legal = [&asked](std::span<const evaluator::RunningOperator> operators) {
      return asked.is_legal(operators);
    };
    instance->groups.cost = [&asked](const evaluator::GroupContent& group) {
      return asked.cost(group);
    };
    problems::PlanProblemParts parts;
    parts.name = "random network";
    parts.graph = problems::lowered_step(*instance->graph, {update, 1});
    parts.model = std::move(model);
    instance->problem = std::make_unique<PlanProblem>(std::move(parts));
    return instance;
  }

  Options options_;
  evaluator::Accelerator accelerator_;
};

bool same(const PlainPoint& a, const PlainPoint& b) {
  return a.latency == b.latency && a.peak_bytes == b.peak_bytes &&
         std::abs(a.energy - b.energy) <= 1e-12 * std::max(a.energy, b.energy);
}

std::size_t found_points(const PlainFront& exact, const std::vector<PlainPoint>& found) {
  std::size_t count = 0;
  for (const PlainPoint& point : exact.points()) {
    for (const PlainPoint& other : found) {
      if (!same(point, other)) continue;
      ++count;
      break;
    }
  }
  return count;
}

// A point that the brute force does not know: neither on its front nor worse than that.
bool is_unknown(const PlainFront& exact, const PlainPoint& found) {
  for (const PlainPoint& point : exact.points()) {
    if (same(point, found)) return false;
    if (point.latency <= found.latency && point.energy <= found.energy * (1 + 1e-12) &&
        point.peak_bytes <= found.peak_bytes)
      return false;
  }
  return true;
}

class Trial {
 public:
  Trial(const Instance& instance, const Options& options)
      : instance_(instance),
        options_(options),
        space_(*instance.problem, {}),
        search_(*instance.problem, space_, objectives(options)) {}

  // False when something is wrong; a line about it either way.
  [[nodiscard]] bool passes() {
    const auto exact = every_grouping(instance_.step,
                                      instance_.groups,
                                      options_.objectives == 3 ? PlainObjectives::LatencyEnergyPeak
                                                               : PlainObjectives::LatencyPeak,
                                      options_.most);
    std::cout << instance_.step.operators.size() << " operators, "
              << instance_.problem->gene_count() << " genes, ";
    if (!exact) {
      std::cout << "too many groupings\n";
      return true;
    }
    std::cout << exact->plans << " plans, " << exact->front.points().size() << " points";
    bool well = true;
    if (instance_.problem->gene_count() <= options_.enumerate_bits) {
      const engine::Enumeration all = engine::enumeration(search_, {.threads = 1});
      std::cout << ", enumerated " << all.canonical_genomes;
      well = compare(exact->front, points_of(all.front));
    }
    const problems::StartPlans starts = problems::start_plans(*instance_.problem, space_);
    std::cout << ", " << starts.halves << " halves, optimized";
    for (std::uint64_t seed = 1; seed <= options_.search_seeds; ++seed)
      well = compare(exact->front, optimized(starts, seed)) && well;
    std::cout << (well ? "\n" : "  DIFFERS\n") << std::flush;
    return well;
  }

 private:
  static std::vector<PlanObjective> objectives(const Options& options) {
    if (options.objectives == 2) return {PlanObjective::Latency, PlanObjective::Memory};
    return {PlanObjective::Latency, PlanObjective::Energy, PlanObjective::Memory};
  }

  [[nodiscard]] std::vector<PlainPoint> points_of(const engine::Individuals& rows) const {
    std::vector<PlainPoint> points;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto values = rows.objectives_of(row);
      PlainPoint point;
      point.latency = static_cast<std::int64_t>(values[0]);
      if (values.size() == 3) point.energy = values[1];
      point.peak_bytes = static_cast<std::int64_t>(values.back());
      points.push_back(point);
    }
    return points;
  }

  [[nodiscard]] bool compare(const PlainFront& exact, const std::vector<PlainPoint>& found) const {
    const std::size_t count = found_points(exact, found);
    std::cout << " " << count << "/" << exact.points().size();
    for (const PlainPoint& point : found) {
      if (!is_unknown(exact, point)) continue;
      std::cout << " with an unknown point";
      return false;
    }
    return count == exact.points().size();
  }

  // As `optimize` starts and stops when no option is given.
  [[nodiscard]] std::vector<PlainPoint> optimized(const problems::StartPlans& starts,
                                                  std::uint64_t seed) const {
    engine::SearchOptions options;
    options.threads = 1;
    options.seed = seed;
    options.stop.generations = options_.generations;
    std::vector<engine::Genome> warm;
    for (const problems::NamedPlan& plan : starts.baselines)
      warm.push_back(search_.free_bits(plan.genome));
    std::vector<engine::Genome> offered;
    for (const problems::Genome& genome : starts.others)
      (warm.size() < options.population / 2 ? warm : offered).push_back(search_.free_bits(genome));
    engine::Search search(search_, options);
    search.offer(offered);
    search.start(warm);
    while (!search.stop_reason())
      search.step();
    return points_of(search.state().archive);
  }

  const Instance& instance_;
  const Options& options_;
  problems::SearchSpace space_;
  problems::PlanSearchProblem search_;
};

Options parsed(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != "cost-graphs" && words[0] != "training"))
    throw InputError(Problem{"arguments", "expected cost-graphs or training first", ""});
  const ProgramOptions given({words.begin() + 1, words.end()},
                             {{"--first", "1"},
                              {"--seeds", "20"},
                              {"--nodes", "5"},
                              {"--most", "20000"},
                              {"--enumerate-bits", "24"},
                              {"--objectives", "3"},
                              {"--search-seeds", "1"},
                              {"--generations", "250"},
                              {"--accelerator", "edge-tpu-quad"}});
  Options options;
  options.training = words[0] == "training";
  options.first = given.number("--first");
  options.seeds = given.number("--seeds");
  options.nodes = given.number("--nodes");
  options.most = given.number("--most");
  options.enumerate_bits = given.number("--enumerate-bits");
  options.objectives = given.number("--objectives");
  options.search_seeds = given.number("--search-seeds");
  options.generations = given.number("--generations");
  options.accelerator = given.text("--accelerator");
  return options;
}

int run(const std::vector<std::string>& words) {
  const Options options = parsed(words);
  const Workshop workshop(options);
  std::uint64_t failed = 0;
  for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    const std::unique_ptr<Instance> instance = workshop.instance(seed);
    std::cout << "seed " << seed << ": ";
    failed += Trial(*instance, options).passes() ? 0 : 1;
  }
  std::cout << failed << " of " << options.seeds << " differ\n";
  return failed > 0 ? 1 : 0;
}

}  // namespace

}  // namespace paretrain::tests

int main(int count, char** words) {
  return paretrain::tests::program(count, words, paretrain::tests::run);
}
