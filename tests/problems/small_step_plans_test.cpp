#include "problems/small_step_plans.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/enumeration.h"
#include "problems/plan_scratch.h"
#include "problems/plan_search_problem.h"
#include "problems/training_problem.h"
#include "tests/problems/random_plan_problem.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using problems::Genome;
using problems::PlanObjective;
using problems::PlanProblem;
using problems::SearchSpace;
using problems::SearchSpaceOptions;

using Point = std::vector<double>;

constexpr std::size_t kMostGenes = 16;
const std::vector<PlanObjective> kAll = {
    PlanObjective::Latency, PlanObjective::Energy, PlanObjective::Memory};
const std::vector<PlanObjective> kTwo = {PlanObjective::Latency, PlanObjective::Memory};

std::set<Point> enumerated(const PlanProblem& problem,
                           const SearchSpace& space,
                           const std::vector<PlanObjective>& objectives) {
  const problems::PlanSearchProblem search(problem, space, objectives);
  const engine::Enumeration all = engine::enumeration(search, {.threads = 1});
  std::set<Point> points;
  for (std::size_t row = 0; row < all.front.size(); ++row) {
    const auto values = all.front.objectives_of(row);
    points.emplace(values.begin(), values.end());
  }
  return points;
}

std::set<Point> points_of(const PlanProblem& problem,
                          const std::vector<Genome>& plans,
                          const std::vector<PlanObjective>& objectives) {
  std::set<Point> points;
  for (const Genome& plan : plans) {
    const problems::PlanEvaluation evaluation = problem.evaluate(plan);
    Point point;
    for (const PlanObjective objective : objectives)
      point.push_back(problems::objective_value(evaluation, objective));
    points.insert(point);
  }
  return points;
}

// The problem of a round, small enough to enumerate; none otherwise.
std::optional<PlanProblem> small_problem(RandomStream& random) {
  PlanProblem problem = random_plan_problem(random);
  if (problem.gene_count() > kMostGenes || problem.fusion_gene_count() == 0) return std::nullopt;
  return problem;
}

}  // namespace

TEST_CASE("phase_costs: the halves make up the plan, and neither depends on the other's groups") {
  std::size_t compared = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    RandomStream random(1, round, 21);
    INFO("round " << round);
    const PlanProblem problem = random_plan_problem(random);
    problems::PlanScratch scratch;
    const Genome genome = problem.canonical(random_genome(problem, random));
    const problems::PhaseCosts costs = problem.phase_costs(genome, scratch);
    const problems::PlanEvaluation plan = problem.evaluate(genome);
    CHECK(costs.forward.latency + costs.late.latency == plan.latency);
    CHECK(costs.forward.energy + costs.late.energy == doctest::Approx(plan.energy));
    CHECK(std::max(costs.forward.peak_bytes, costs.late.peak_bytes) == plan.peak_bytes);
    // With the other half unfused.
    Genome forward = genome;
    Genome late = genome;
    for (const std::uint32_t gene : problem.fusion_gene_positions()) {
      const bool is_forward = problem.genes()[gene].kind == problems::GeneKind::FuseForward;
      problems::set_gene(is_forward ? late : forward, gene, 0);
    }
    REQUIRE(problem.canonical(forward) == forward);
    REQUIRE(problem.canonical(late) == late);
    const problems::PhaseCost first = problem.phase_costs(forward, scratch).forward;
    const problems::PhaseCost second = problem.phase_costs(late, scratch).late;
    CHECK(first.latency == costs.forward.latency);
    CHECK(first.energy == doctest::Approx(costs.forward.energy));
    CHECK(first.peak_bytes == costs.forward.peak_bytes);
    CHECK(second.latency == costs.late.latency);
    CHECK(second.energy == doctest::Approx(costs.late.energy));
    CHECK(second.peak_bytes == costs.late.peak_bytes);
    compared += forward != genome && late != genome ? 1 : 0;
  }
  CHECK(compared > 50);
}

TEST_CASE("small_step_plans: the exact front of small steps, whatever is fixed") {
  std::size_t compared = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    RandomStream random(1, round, 22);
    INFO("round " << round);
    const std::optional<PlanProblem> problem = small_problem(random);
    if (!problem) continue;
    SearchSpaceOptions options;
    if (random.below(3) == 0) options.checkpointing = problems::Checkpointing::KeepAll;
    const SearchSpace space(*problem, options);
    const auto small = problems::small_step_plans(*problem, space);
    REQUIRE(small.has_value());
    for (const Genome& plan : small->plans)
      CHECK(problem->canonical(space.projected(plan)) == plan);
    const std::set<Point> points = points_of(*problem, small->plans, kAll);
    CHECK(points.size() == small->plans.size());
    CHECK(points == enumerated(*problem, space, kAll));
    // The front in two objectives is among them.
    const std::set<Point> fewer = points_of(*problem, small->plans, kTwo);
    for (const Point& point : enumerated(*problem, space, kTwo))
      CHECK(fewer.contains(point));
    ++compared;
  }
  CHECK(compared > 50);
}

TEST_CASE("small_step_plans: nothing where halves are joined, fusion is fixed or work runs out") {
  std::size_t joined = 0;
  std::size_t cut = 0;
  for (std::uint64_t round = 0; round < 100; ++round) {
    RandomStream random(1, round, 23);
    INFO("round " << round);
    const PlanProblem carrying = random_plan_problem(random, HandOvers::Some);
    CHECK_FALSE(problems::small_step_plans(carrying, SearchSpace(carrying, {})).has_value());
    ++joined;
    const std::optional<PlanProblem> problem = small_problem(random);
    if (!problem) continue;
    SearchSpaceOptions none;
    none.fusion = problems::Fusion::None;
    CHECK_FALSE(problems::small_step_plans(*problem, SearchSpace(*problem, none)).has_value());
    const SearchSpace space(*problem, {});
    const auto whole = problems::small_step_plans(*problem, space);
    REQUIRE(whole.has_value());
    // Whatever the limit: everything or nothing.
    for (std::uint64_t most = 1; most < std::uint64_t{1} << 22U; most *= 4) {
      const auto limited = problems::small_step_plans(*problem, space, most);
      if (limited) CHECK(limited->plans == whole->plans);
      cut += limited ? 0 : 1;
    }
  }
  CHECK(joined == 100);
  CHECK(cut > 50);
}

TEST_CASE("small_step_plans: real networks are recognised as not small without walking them") {
  for (const char* const model : {"resnet18", "mini-gpt"}) {
    problems::TrainingProblemOptions options;
    options.accelerator = "edge-tpu-quad";
    const problems::TrainingProblem step = problems::training_problem(model, options);
    SearchSpaceOptions kept;
    kept.checkpointing = problems::Checkpointing::KeepAll;
    for (const SearchSpaceOptions& fixed : {SearchSpaceOptions{}, kept}) {
      const SearchSpace space(step.problem, fixed);
      CHECK_FALSE(problems::small_step_plans(step.problem, space).has_value());
    }
  }
}

}  // namespace paretrain::tests
