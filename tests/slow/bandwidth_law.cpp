// More bandwidth and the cost of plans (docs/group-cost.md, section 8): random plans of random
// training steps on random accelerators, of which some media get wider.
//
//   paretrain_bandwidth_law [--first 1] [--trials 200] [--nodes 8] [--plans 20] [--worst 10]
//                           [--group-ppm 50000] [--plan-ppm 20000]
//
// A trial is a network with its backward pass, an accelerator, a tile objective, what becomes wider
// (all links, one link, the ports of the off-chip memory, those of the outermost memories on chip,
// everything) and how much (by a quarter to eight times). Compares what the tile objective
// minimises, of every plan and of every different group. Prints how many cost more and the worst
// ones, with what the simulator says of both. Exits 1 when energy is minimised and any costs more,
// when more than one group in 500 does, a group by more than `--group-ppm` millionths or a plan by
// more than `--plan-ppm`.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/group_simulator.h"
#include "problems/lowering.h"
#include "problems/plan_problem.h"
#include "tests/problems/random_plan_problem.h"
#include "tests/slow/program_options.h"
#include "tests/slow/random_chips.h"
#include "tests/slow/random_networks.h"

namespace paretrain::tests {

namespace {

using evaluator::Accelerator;
using evaluator::AcceleratorGroupModel;
using evaluator::Core;
using evaluator::CoreKind;
using evaluator::GroupContent;
using evaluator::GroupCost;
using evaluator::GroupCostOptions;
using evaluator::Memory;
using evaluator::MemoryPort;
using evaluator::Objective;
using evaluator::PlanStep;
using evaluator::StepValueId;
using evaluator::TrainingGraph;
using problems::Genome;
using problems::PlanProblem;

enum class Media : std::uint8_t { Links, OneLink, OffChip, OnChip, Everything };
constexpr std::array kMediaNames{"links", "one link", "off-chip", "on-chip", "everything"};
constexpr std::array kObjectiveNames{"latency", "energy", "edp"};

struct Factor {
  std::int64_t up = 1;
  std::int64_t down = 1;
};

constexpr std::array<Factor, 5> kFactors{{{5, 4}, {3, 2}, {2, 1}, {4, 1}, {8, 1}}};

enum class Place { OffChip, OnChip };

// On chip those of the outermost memory: registers have rules of their own.
void widen_ports(Accelerator& chip, Place place, Factor factor) {
  for (Core& core : chip.cores)
    for (Memory& memory : core.memories) {
      const bool offchip = memory.is_dram || core.kind == CoreKind::Memory;
      if (offchip != (place == Place::OffChip)) continue;
      if (!offchip && &memory != &core.memories.back()) continue;
      for (MemoryPort& port : memory.ports)
        port.bandwidth_max_bits = port.bandwidth_max_bits * factor.up / factor.down;
    }
}

Accelerator widened(Accelerator chip, Media media, Factor factor, RandomStream& random) {
  const bool all = media == Media::Everything;
  const std::size_t one = chip.links.empty() ? 0 : random.below(chip.links.size());
  for (std::size_t l = 0; l < chip.links.size(); ++l) {
    const bool wider = all || media == Media::Links || (media == Media::OneLink && l == one);
    if (!wider) continue;
    chip.links[l].bandwidth_bits = chip.links[l].bandwidth_bits * factor.up / factor.down;
  }
  if (all || media == Media::OffChip) widen_ports(chip, Place::OffChip, factor);
  if (all || media == Media::OnChip) widen_ports(chip, Place::OnChip, factor);
  return chip;
}

double minimised(const GroupCost& cost, Objective objective) {
  const auto latency = static_cast<double>(cost.latency);
  if (objective == Objective::Latency) return latency;
  return objective == Objective::Energy ? cost.energy : latency * cost.energy;
}

// A step on one accelerator: its plans, and the model that costs their groups.
struct CostedStep {
  PlanProblem problem;
  const AcceleratorGroupModel* model = nullptr;
};

CostedStep costed_step(const TrainingGraph& graph,
                       const Accelerator& chip,
                       const GroupCostOptions& options) {
  auto model = std::make_unique<const AcceleratorGroupModel>(
      graph, chip, evaluator::CoreAllocations{}, options);
  const AcceleratorGroupModel* const costs = model.get();
  problems::PlanProblemParts parts;
  parts.name = "random";
  parts.graph = problems::lowered_step(graph, {});
  parts.model = std::move(model);
  return {PlanProblem(std::move(parts)), costs};
}

// What a model is told of a step of a plan.
class ToldGroup {
 public:
  explicit ToldGroup(const PlanStep& step) : operators_(&step.operators) {
    for (const evaluator::ValueCopy& copy : step.reads)
      reads_.push_back(copy.value);
    for (const evaluator::ValueCopy& copy : step.writes)
      writes_.push_back(copy.value);
  }

  [[nodiscard]] GroupContent content() const { return {*operators_, reads_, writes_}; }

  [[nodiscard]] std::string key() const {
    std::string text;
    for (const evaluator::RunningOperator& running : *operators_)
      text += std::to_string(running.op.index()) + (running.recompute ? "r" : "f") +
              std::to_string(running.produced) + " ";
    for (const StepValueId value : reads_)
      text += "<" + std::to_string(value.index());
    for (const StepValueId value : writes_)
      text += ">" + std::to_string(value.index());
    return text;
  }

 private:
  const std::vector<evaluator::RunningOperator>* operators_;
  std::vector<StepValueId> reads_;
  std::vector<StepValueId> writes_;
};

std::string described(const AcceleratorGroupModel& model, const GroupContent& group) {
  const evaluator::GroupReport report = model.report(group);
  return std::to_string(report.cost.latency) + " cycles (simulator " +
         std::to_string(model.simulation(group).latency) + ", " + std::to_string(report.tiles) +
         "x" + std::to_string(report.inner_tiles) + " along " + report.axis + ")";
}

struct Dearer {
  double ratio = 1;
  std::string text;
};

// How often something was compared and by how much it cost more.
class Comparisons {
 public:
  // Sums of energies are of other orders.
  static bool is_more(double before, double after) { return after > before * (1 + 1e-12); }

  void add(double before, double after, const std::string& text) {
    ++all_;
    if (is_more(before, after)) dearer_.push_back({after / before, text});
  }

  void print(const char* what, std::size_t most) {
    std::ranges::sort(dearer_, std::ranges::greater(), &Dearer::ratio);
    std::printf("%s: %zu, of which %zu cost more\n", what, all_, dearer_.size());
    for (std::size_t d = 0; d < std::min(most, dearer_.size()); ++d)
      std::printf("  %+.4f %%  %s\n", 100 * (dearer_[d].ratio - 1), dearer_[d].text.c_str());
  }

  [[nodiscard]] std::size_t count() const { return all_; }

  [[nodiscard]] std::size_t count_of_dearer() const { return dearer_.size(); }

  [[nodiscard]] double worst() const {
    return dearer_.empty() ? 1 : std::ranges::max(dearer_, {}, &Dearer::ratio).ratio;
  }

 private:
  std::size_t all_ = 0;
  std::vector<Dearer> dearer_;
};

class Trials {
 public:
  explicit Trials(const ProgramOptions& options) : options_(options) {}

  // 0 or 1, after a table.
  int run() {
    const std::uint64_t first = options_.number("--first");
    for (std::uint64_t trial = first; trial < first + options_.number("--trials"); ++trial)
      run_trial(trial);
    plans_.print("plans", options_.number("--worst"));
    groups_.print("groups", options_.number("--worst"));
    std::printf("trials without: %zu; with energy minimised, plans or groups that cost more: %zu\n",
                empty_,
                more_energy_);
    const bool good = groups_.count() > 0 && more_energy_ == 0 &&
                      groups_.count_of_dearer() * 500 <= groups_.count() &&
                      groups_.worst() <= limit("--group-ppm") &&
                      plans_.worst() <= limit("--plan-ppm");
    return good ? 0 : 1;
  }

 private:
  [[nodiscard]] double limit(const char* option) const {
    return 1 + 1e-6 * static_cast<double>(options_.number(option));
  }

  void run_trial(std::uint64_t trial) {
    RandomStream random(trial, 0, 31);
    const TrainingGraph graph =
        random_network_step(1 + random.below(options_.number("--nodes")), random);
    const Accelerator chip = random_accelerator(random);
    GroupCostOptions options;
    options.tile_objective = static_cast<Objective>(random.below(3));
    const auto media = static_cast<Media>(random.below(kMediaNames.size()));
    const Factor factor = kFactors[random.below(kFactors.size())];
    const Accelerator wide = widened(chip, media, factor, random);
    objective_ = options.tile_objective;
    text_ = "trial " + std::to_string(trial) + " " + chip.name + ", " +
            kMediaNames[static_cast<std::size_t>(media)] + " x " + std::to_string(factor.up) + "/" +
            std::to_string(factor.down) + ", " +
            kObjectiveNames[static_cast<std::size_t>(objective_)];
    seen_.clear();
    try {
      const CostedStep before = costed_step(graph, chip, options);
      const CostedStep after = costed_step(graph, wide, options);
      for (std::uint64_t p = 0; p < options_.number("--plans"); ++p)
        compare_plans(before, after, random_genome(before.problem, random));
    } catch (const InputError&) {
      ++empty_;  // toys may hold no tile of an operator at all
    }
  }

  void compare_plans(const CostedStep& before, const CostedStep& after, const Genome& genome) {
    const std::vector<PlanStep> narrow = before.problem.explain(genome).steps;
    const std::vector<PlanStep> wide = after.problem.explain(genome).steps;
    double sum_before = 0;
    double sum_after = 0;
    for (std::size_t s = 0; s < narrow.size(); ++s) {
      const double was = minimised(narrow[s].cost, objective_);
      const double is = minimised(wide[s].cost, objective_);
      sum_before += was;
      sum_after += is;
      const ToldGroup group(narrow[s]);
      if (!seen_.insert(group.key()).second) continue;
      std::string text = text_;
      if (Comparisons::is_more(was, is))
        text += ": " + described(*before.model, group.content()) + ", then " +
                described(*after.model, group.content());
      add(groups_, was, is, text);
    }
    add(plans_, sum_before, sum_after, text_);
  }

  void add(Comparisons& comparisons, double before, double after, const std::string& text) {
    comparisons.add(before, after, text);
    if (objective_ == Objective::Energy && Comparisons::is_more(before, after)) ++more_energy_;
  }

  const ProgramOptions& options_;
  Comparisons plans_;
  Comparisons groups_;
  std::size_t empty_ = 0;
  std::size_t more_energy_ = 0;
  // Of the trial.
  Objective objective_ = Objective::Latency;
  std::string text_;
  std::set<std::string> seen_;
};

int run(const std::vector<std::string>& words) {
  const ProgramOptions options(words,
                               {{"--first", "1"},
                                {"--trials", "200"},
                                {"--nodes", "8"},
                                {"--plans", "20"},
                                {"--worst", "10"},
                                {"--group-ppm", "50000"},
                                {"--plan-ppm", "20000"}});
  return Trials(options).run();
}

}  // namespace

}  // namespace paretrain::tests

int main(int count, char** words) {
  return paretrain::tests::program(count, words, paretrain::tests::run);
}
