// Groups of random training steps on random accelerators, the model of a group against the
// simulator (docs/group-cost.md, section 12):
//
//   paretrain_random_agreement [--first 1] [--trials 200] [--nodes 8] [--groups 12] [--worst 10]
//                              [--most-ppm 50000] [--above-ppm 10000]
//
// A trial is a network with its backward pass, an accelerator, options, and so many groups of up to
// six operators that follow one another; half of the trials hand tensors over. Prints how far
// latencies are apart and the worst groups with their trials. Exits 1 when more than one latency in
// 200 differs by `--most-ppm` millionths, one in 50 by `--above-ppm`, or when energy, traffic or
// the busiest resource do not agree.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/group_simulator.h"
#include "tests/slow/program_options.h"
#include "tests/slow/random_chips.h"
#include "tests/slow/random_networks.h"

namespace paretrain::tests {

namespace {

using evaluator::AcceleratorGroupModel;
using evaluator::CarriedValue;
using evaluator::GroupContent;
using evaluator::RunningOperator;
using evaluator::StepOperatorId;
using evaluator::StepValueId;
using evaluator::TrainingGraph;

// Operators that follow one another in the graph, with what they read and write off chip.
struct RandomGroup {
  std::vector<RunningOperator> operators;
  std::vector<StepValueId> reads;
  std::vector<StepValueId> writes;
  std::vector<CarriedValue> carried_in;
  std::vector<CarriedValue> carried_out;

  [[nodiscard]] GroupContent content() const {
    return {operators, reads, writes, carried_in, carried_out};
  }
};

void add_once(std::vector<StepValueId>& values, StepValueId value) {
  if (std::ranges::count(values, value) == 0) values.push_back(value);
}

// Results that nobody in the group reads are written, of the others one in four.
RandomGroup random_group(const TrainingGraph& graph,
                         std::size_t first,
                         std::size_t length,
                         RandomStream& random) {
  RandomGroup group;
  std::vector<StepValueId> made;
  std::vector<StepValueId> used;
  for (std::size_t o = first; o < std::min(first + length, graph.operators.size()); ++o) {
    group.operators.push_back({StepOperatorId(o), false});
    for (const auto& read : graph.operators[o].reads) {
      const StepValueId value(read.storage.index());
      add_once(used, value);
      if (std::ranges::count(made, value) == 0) add_once(group.reads, value);
    }
    for (const auto& write : graph.operators[o].writes)
      add_once(made, StepValueId(write.storage.index()));
  }
  for (const StepValueId value : made)
    if (std::ranges::count(used, value) == 0 || random.below(4) == 0) group.writes.push_back(value);
  return group;
}

// One value in three goes or comes on chip.
void carry_some(std::vector<StepValueId>& moved,
                std::vector<CarriedValue>& carried,
                std::uint32_t places,
                RandomStream& random) {
  std::vector<StepValueId> left;
  for (const StepValueId value : moved)
    if (random.below(3) == 0)
      carried.push_back({value, static_cast<std::uint32_t>(random.below(places))});
    else
      left.push_back(value);
  moved = std::move(left);
}

struct Compared {
  double off = 0;  // relative to the simulator
  std::int64_t latency = 0;
  std::int64_t played = 0;
  bool agrees = true;  // in all but latency
  std::string text;
};

std::string described(const TrainingGraph& graph,
                      const RandomGroup& group,
                      const evaluator::GroupReport& report,
                      const std::string& trial) {
  std::string text = trial + ", " + std::to_string(report.tiles) + "x" +
                     std::to_string(report.inner_tiles) + " along " + report.axis + ", split " +
                     report.split + ":";
  for (const RunningOperator& running : group.operators) {
    const auto& op = graph.operators[running.op.index()];
    text += " " + op.name;
  }
  for (const CarriedValue& value : group.carried_in)
    text += " <" + graph.storages[value.value.index()].name;
  for (const CarriedValue& value : group.carried_out)
    text += " >" + graph.storages[value.value.index()].name;
  return text;
}

Compared compared(const AcceleratorGroupModel& model,
                  const TrainingGraph& graph,
                  const RandomGroup& group,
                  const std::string& trial) {
  const evaluator::GroupReport report = model.report(group.content());
  const evaluator::GroupSimulation played = model.simulation(group.content());
  Compared result;
  result.latency = report.cost.latency;
  result.played = played.latency;
  if (played.latency > 0)
    result.off = static_cast<double>(report.cost.latency) / static_cast<double>(played.latency) - 1;
  const double energy = report.cost.energy;
  result.agrees = report.cost.offchip_bytes == played.offchip_bytes &&
                  std::abs(energy - played.energy.total()) <= 1e-9 * energy;
  for (const evaluator::ResourceUse& use : report.resources)
    result.agrees = result.agrees && use.busy_cycles <= report.cost.latency;
  for (const std::int64_t busy : played.busy)
    result.agrees = result.agrees && busy <= played.latency;
  result.text = described(graph, group, report, trial);
  return result;
}

class Trials {
 public:
  explicit Trials(const ProgramOptions& options) : options_(options) {}

  void run() {
    const std::uint64_t first = options_.number("--first");
    for (std::uint64_t trial = first; trial < first + options_.number("--trials"); ++trial)
      run_trial(trial);
  }

  // 0 or 1, after a table.
  [[nodiscard]] int report() {
    std::ranges::sort(found_, {}, [](const Compared& group) { return -std::abs(group.off); });
    const auto above = [&](double share) {
      return static_cast<std::size_t>(std::ranges::count_if(
          found_, [&](const Compared& group) { return std::abs(group.off) > share; }));
    };
    const auto disagree =
        static_cast<std::size_t>(std::ranges::count(found_, false, &Compared::agrees));
    std::printf(
        "%zu groups, %zu trials without: above 0.1 %% %zu, 1 %% %zu, 5 %% %zu, 10 %% %zu; energy, "
        "traffic or resources differ: %zu\n",
        found_.size(),
        empty_,
        above(0.001),
        above(0.01),
        above(0.05),
        above(0.1),
        disagree);
    for (std::size_t g = 0; g < std::min<std::size_t>(found_.size(), options_.number("--worst"));
         ++g)
      print(found_[g]);
    for (const Compared& group : found_)
      if (!group.agrees) print(group);
    const double most = 1e-6 * static_cast<double>(options_.number("--most-ppm"));
    const double some = 1e-6 * static_cast<double>(options_.number("--above-ppm"));
    const bool good = !found_.empty() && disagree == 0 && above(most) * 200 <= found_.size() &&
                      above(some) * 50 <= found_.size();
    return good ? 0 : 1;
  }

 private:
  static void print(const Compared& group) {
    std::printf("%+7.2f %% %10lld %10lld  %s\n",
                100 * group.off,
                static_cast<long long>(group.latency),
                static_cast<long long>(group.played),
                group.text.c_str());
  }

  void run_trial(std::uint64_t trial) {
    RandomStream random(trial, 0, 29);
    const TrainingGraph graph =
        random_network_step(1 + random.below(options_.number("--nodes")), random);
    const evaluator::Accelerator chip = random_accelerator(random);
    evaluator::GroupCostOptions options;
    options.tile_objective = static_cast<evaluator::Objective>(random.below(3));
    options.residency = random.below(2) == 0 ? evaluator::Residency::On : evaluator::Residency::Off;
    std::size_t before = found_.size();
    try {
      const AcceleratorGroupModel model(graph, chip, {}, options);
      const std::string text = "trial " + std::to_string(trial) + " " + chip.name;
      for (std::uint64_t g = 0; g < options_.number("--groups"); ++g)
        run_group(model, graph, random, text);
    } catch (const InputError&) {
      // Toys may hold no tile of an operator at all.
    }
    if (found_.size() == before) ++empty_;
  }

  void run_group(const AcceleratorGroupModel& model,
                 const TrainingGraph& graph,
                 RandomStream& random,
                 const std::string& trial) {
    const std::size_t first = random.below(graph.operators.size());
    RandomGroup group = random_group(graph, first, 1 + random.below(6), random);
    while (group.operators.size() > 1 && !model.is_legal(group.operators))
      group = random_group(graph, first, group.operators.size() - 1, random);
    if (model.place_count() > 0) {
      carry_some(group.reads, group.carried_in, model.place_count(), random);
      carry_some(group.writes, group.carried_out, model.place_count(), random);
    }
    if (model.possible_cost(group.content()))
      found_.push_back(compared(model, graph, group, trial));
  }

  const ProgramOptions& options_;
  std::vector<Compared> found_;
  std::size_t empty_ = 0;
};

int run(const std::vector<std::string>& words) {
  const ProgramOptions options(words,
                               {{"--first", "1"},
                                {"--trials", "200"},
                                {"--nodes", "8"},
                                {"--groups", "12"},
                                {"--worst", "10"},
                                {"--most-ppm", "50000"},
                                {"--above-ppm", "10000"}});
  Trials trials(options);
  trials.run();
  return trials.report();
}

}  // namespace

}  // namespace paretrain::tests

int main(int count, char** words) {
  return paretrain::tests::program(count, words, paretrain::tests::run);
}
