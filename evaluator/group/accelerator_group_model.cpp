#include "evaluator/group/accelerator_group_model.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "evaluator/group/carry_choice.h"
#include "evaluator/group/core_assignment.h"
#include "evaluator/group/group_choice.h"
#include "evaluator/group/group_key.h"
#include "evaluator/group/group_simulator.h"
#include "evaluator/group/memo.h"
#include "evaluator/group/operator_content.h"
#include "evaluator/group/stream_layers.h"
#include "evaluator/group/zigzag_operator.h"
#include "evaluator/hardware/offchip.h"

namespace paretrain::evaluator {
namespace {

// Of a few hundred bytes each, asked for by whoever explains plans.
constexpr std::size_t kMostReports = 4096;

std::string split_name(SplitKind kind) {
  switch (kind) {
    case SplitKind::None:
      return "none";
    case SplitKind::Columns:
      return "columns";
    case SplitKind::Rows:
      return "rows";
  }
  return {};
}

// The same operator with one result each and with all: a recompute makes what is missing.
std::vector<RunningOperator> least_produced(const TrainingGraph& graph,
                                            const RunningOperator& running) {
  std::vector<RunningOperator> ways = {running};
  const std::size_t results = graph.operators[running.op.index()].writes.size();
  if (!running.recompute || results < 2) return ways;
  for (std::size_t r = 0; r < results; ++r)
    ways.push_back({running.op, true, std::uint64_t{1} << r});
  return ways;
}

// Makes a report of one run one of `times`.
void repeat(GroupReport& report, std::int64_t times) {
  const auto factor = static_cast<double>(times);
  report.repetitions = times;
  report.cost.latency *= times;
  report.cost.energy *= factor;
  report.cost.offchip_bytes *= times;
  report.energy.compute *= factor;
  report.energy.on_chip *= factor;
  report.energy.off_chip *= factor;
  report.energy.links *= factor;
  for (ResourceUse& use : report.resources)
    use.busy_cycles *= times;
}

bool passes_bytes(const TrainingGraph& graph,
                  const RunningOperator& producer,
                  const RunningOperator& consumer) {
  const std::vector<Access>& writes = graph.operators[producer.op.index()].writes;
  const std::vector<Access>& reads = graph.operators[consumer.op.index()].reads;
  return std::ranges::any_of(reads, [&](const Access& read) {
    return read.bytes.number() > 0 &&
           std::ranges::find(writes, read.storage, &Access::storage) != writes.end();
  });
}

}  // namespace

struct AcceleratorGroupModel::State {
  State(const TrainingGraph& training,
        const Accelerator& accelerator,
        CoreAllocations given,
        const GroupCostOptions& chosen)
      : graph(training),
        allocations(std::move(given)),
        options(chosen),
        chip(accelerator, chosen.cost_model),
        single_instances(chip.with_single_instances()),
        tile_costs(chip,
                   CoreCostOptions{chosen.cost_model, chosen.tile_objective, chosen.loop_limit},
                   chosen.remembered),
        places(chosen.residency == Residency::On ? holding_places(chip)
                                                 : std::vector<HoldingPlace>{}),
        groups(chosen.remembered),
        legal(chosen.remembered),
        reports(std::min(chosen.remembered, kMostReports)) {
    std::vector<std::vector<std::uint64_t>> placements;
    for (std::size_t o = 0; o < training.operators.size(); ++o) {
      const std::vector<CoreId> allowed =
          o < allocations.size() ? allocations[o].cores : std::vector<CoreId>{};
      sets.push_back(core_sets(chip, training.operators[o].operator_class, allowed));
      if (sets.back().empty())
        throw InputError(Problem{"accelerator " + accelerator.name,
                                 "no core can compute; expected an array with units",
                                 ""});
      placements.push_back(placement_words(o));
      unsplit.push_back(is_kept_on_one_core(o) ? 1 : 0);
    }
    if (chosen.cost_model == CostModel::Zigzag)
      for (std::size_t c = 0; c < accelerator.cores.size(); ++c)
        with_offchip.push_back(with_offchip_level(accelerator, CoreId(c)));
    contents = operator_contents(training, placements);
  }

  // Where an operator may run, as far as its cost depends on it.
  [[nodiscard]] std::vector<std::uint64_t> placement_words(std::size_t op) const {
    std::vector<std::uint64_t> words;
    for (const auto& set : sets[op])
      for (const CoreId core : set)
        words.push_back(core.index());
    if (options.cost_model == CostModel::Corrected) return words;
    words.push_back(is_free_in_stream(graph.operators[op]) ? 1 : 0);
    words.push_back(graph.operators[op].type == "Softmax" ? 1 : 0);
    if (op < allocations.size() && allocations[op].split) {
      words.push_back(static_cast<std::uint64_t>(*allocations[op].split));
      words.push_back(static_cast<std::uint64_t>(allocations[op].parts));
    }
    return words;
  }

  // Zigzag mode: the mapping file cuts the operator into one part.
  [[nodiscard]] bool is_kept_on_one_core(std::size_t op) const {
    return options.cost_model == CostModel::Zigzag && op < allocations.size() &&
           allocations[op].split && allocations[op].parts == 1;
  }

  // In zigzag mode an operator on its own keeps the off-chip memory as a level of its core.
  [[nodiscard]] std::optional<GroupChoice> zigzag_choice(const GroupShape& shape) const {
    const std::size_t op = shape.members.front().index;
    const CoreId core = sets[op].front().front();
    ZigzagOperator request;
    request.op = shape.members.front().op;
    request.level = &with_offchip[core.index()];
    if (op < allocations.size() && allocations[op].split) {
      request.split = allocations[op].split;
      request.parts = allocations[op].parts;
    }
    for (const Hop& hop : chip.path_from_offchip(core))
      request.link_bits = std::max(request.link_bits, hop.bandwidth_bits);
    const auto cost = zigzag_operator_cost(
        request, {options.cost_model, options.tile_objective, options.loop_limit});
    if (!cost) return std::nullopt;
    GroupChoice choice;
    choice.cost = *cost;
    Stage stage;
    for (std::int64_t part = 0; part < request.parts; ++part) {
      const auto& set = sets[op].front();
      const CoreId used = set[static_cast<std::size_t>(part) % set.size()];
      if (part < static_cast<std::int64_t>(set.size()))
        stage.uses.push_back({chip.core_resource(used), cost->latency, cost->latency});
    }
    choice.outline.stages.push_back(std::move(stage));
    return choice;
  }

  [[nodiscard]] bool is_zigzag_single(const GroupShape& shape) const {
    return options.cost_model == CostModel::Zigzag && shape.members.size() == 1;
  }

  [[nodiscard]] ChoiceContext context() {
    return {&chip, &single_instances, &tile_costs, sets, contents, unsplit, options.tile_objective};
  }

  // What is known about a group before it is costed: its shape and how it runs.
  struct ChosenGroup {
    GroupShape shape;
    GroupChoice choice;
  };

  [[nodiscard]] std::optional<ChosenGroup> chosen_if_any(const GroupContent& group) {
    const bool carries = !group.carried_in.empty() || !group.carried_out.empty();
    GroupShape shape = group_shape(graph, group, places);
    // Model: the off-chip memory that is a level of the core is where its operands come from.
    if (carries && is_zigzag_single(shape)) return std::nullopt;
    auto best = is_zigzag_single(shape) ? zigzag_choice(shape) : best_choice(context(), shape);
    // With less to move tiles may be cut less, and then lack a mapping that legality has seen.
    if (!best && !carries && shape.members.size() > 1) {
      shape = widest_group_shape(graph, group.operators);
      best = best_choice(context(), shape);
    }
    if (!best) return std::nullopt;
    return ChosenGroup{std::move(shape), std::move(*best)};
  }

  [[nodiscard]] ChosenGroup chosen(const GroupContent& group) {
    auto found = chosen_if_any(group);
    if (!found) refuse(group);
    return std::move(*found);
  }

  [[noreturn]] void refuse(const GroupContent& group) const {
    throw InputError(
        Problem{"operator " + graph.operators[group.operators.front().op.index()].name,
                "cannot run on this accelerator: no tile of it fits its core's memory and array",
                "larger on-chip memories, or a core whose ports take the precision"});
  }

  // Forward and backward run once per micro-batch, updates once.
  [[nodiscard]] std::int64_t times(std::span<const RunningOperator> operators) const {
    const bool updates = std::ranges::any_of(operators, [&](const RunningOperator& running) {
      return graph.operators[running.op.index()].phase == Phase::Update;
    });
    return updates ? 1 : options.repetitions;
  }

  // Model: with micro-batches an update runs apart from what is repeated.
  [[nodiscard]] bool mixes_repetitions(std::span<const RunningOperator> operators) const {
    return options.repetitions > 1 && times(operators) == 1 &&
           std::ranges::any_of(operators, [&](const RunningOperator& running) {
             return graph.operators[running.op.index()].phase != Phase::Update;
           });
  }

  // Of one run of the group.
  [[nodiscard]] GroupReport report_of(const GroupChoice& choice) const {
    const GroupOutline& outline = choice.outline;
    GroupReport report;
    report.energy = choice.cost.energy;
    report.cost = {choice.cost.latency, report.energy.total(), choice.cost.offchip_bytes};
    report.tiles = outline.tiles;
    report.inner_tiles = outline.inner_tiles;
    report.axis = outline.axis;
    report.split = split_name(outline.split);
    const auto names = chip.resource_names();
    const Makespan run = makespan_of_blocks(outline.stages, names.size(), outline.blocks);
    for (std::size_t r = 0; r < names.size(); ++r)
      if (run.busy[r] > 0) report.resources.push_back({names[r], run.busy[r]});
    return report;
  }

  const TrainingGraph& graph;
  CoreAllocations allocations;
  std::vector<Core> with_offchip;  // zigzag mode: by core
  GroupCostOptions options;
  Chip chip;
  Chip single_instances;
  TileCosts tile_costs;
  std::vector<CoreSets> sets;
  std::vector<std::uint32_t> contents;
  std::vector<std::uint8_t> unsplit;  // by operator
  std::vector<HoldingPlace> places;   // empty without --residency
  Memo<std::optional<GroupCost>> groups;
  Memo<bool> legal;
  Memo<GroupReport> reports;
};

AcceleratorGroupModel::AcceleratorGroupModel(const TrainingGraph& graph,
                                             const Accelerator& accelerator,
                                             CoreAllocations allocations,
                                             const GroupCostOptions& options)
    : state_(std::make_unique<State>(graph, accelerator, std::move(allocations), options)) {}

AcceleratorGroupModel::~AcceleratorGroupModel() = default;

std::int64_t AcceleratorGroupModel::max_group_length() const {
  return state_->options.max_group_length;
}

// A pair that waits only for a tensor to be alive has no tile axis in common, but a third operator
// may give it one. Everything else that a pair may not do, a larger group may not, either.
bool AcceleratorGroupModel::has_fusion_gene(const RunningOperator& producer,
                                            const RunningOperator& consumer) const {
  const TrainingGraph& graph = state_->graph;
  for (const RunningOperator& made : least_produced(graph, producer))
    for (const RunningOperator& reads : least_produced(graph, consumer))
      if (is_legal(std::array{made, reads})) return true;
  return max_group_length() > 2 && !state_->mixes_repetitions(std::array{producer, consumer}) &&
         !passes_bytes(graph, producer, consumer);
}

bool AcceleratorGroupModel::is_legal(std::span<const RunningOperator> operators) const {
  if (operators.size() < 2) return true;
  if (static_cast<std::int64_t>(operators.size()) > max_group_length()) return false;
  State& state = *state_;
  if (state.mixes_repetitions(operators)) return false;
  const GroupKey key = legality_key(state.graph, state.contents, operators);
  if (const auto known = state.legal.found(key.words())) return *known;
  const bool legal = has_way(state.context(), widest_group_shape(state.graph, operators));
  state.legal.remember(key.words(), legal);
  return legal;
}

std::optional<GroupCost> AcceleratorGroupModel::possible_cost(const GroupContent& group) const {
  State& state = *state_;
  const GroupKey key = cost_key(state.graph, state.contents, group);
  std::optional<GroupCost> cost;
  if (const auto known = state.groups.found(key.words())) {
    cost = *known;
  } else {
    if (const auto best = state.chosen_if_any(group))
      cost = GroupCost{best->choice.cost.latency,
                       best->choice.cost.energy.total(),
                       best->choice.cost.offchip_bytes};
    state.groups.remember(key.words(), cost);
  }
  if (!cost) return std::nullopt;
  const std::int64_t times = state.times(group.operators);
  return GroupCost{cost->latency * times,
                   cost->energy * static_cast<double>(times),
                   cost->offchip_bytes * times};
}

GroupCost AcceleratorGroupModel::cost(const GroupContent& group) const {
  const auto cost = possible_cost(group);
  if (!cost) state_->refuse(group);
  return *cost;
}

std::int64_t AcceleratorGroupModel::most_carried_bytes() const {
  std::int64_t most = 0;
  for (const HoldingPlace& place : state_->places)
    most = std::max(most, place.most_bytes);
  return most;
}

CarryAnswer AcceleratorGroupModel::carried(const CarryQuestion& question) const {
  State& state = *state_;
  // An update follows the last micro-batch only.
  if (state.times(question.from.operators) != state.times(question.to.operators)) return {};
  return carry_choice(state.graph,
                      state.places,
                      state.options.tile_objective,
                      question,
                      [this](const GroupContent& group) {
                        auto cost = possible_cost(group);
                        const bool carries =
                            !group.carried_in.empty() || !group.carried_out.empty();
                        if (!cost && !carries) state_->refuse(group);
                        return cost;
                      });
}

std::uint32_t AcceleratorGroupModel::place_count() const {
  return static_cast<std::uint32_t>(state_->places.size());
}

const std::string& AcceleratorGroupModel::place_name(std::uint32_t place) const {
  return state_->places[place].name;
}

GroupReport AcceleratorGroupModel::report(const GroupContent& group) const {
  State& state = *state_;
  const GroupKey key = cost_key(state.graph, state.contents, group);
  auto report = state.reports.found(key.words());
  if (!report) {
    report = state.report_of(state.chosen(group).choice);
    state.reports.remember(key.words(), *report);
  }
  repeat(*report, state.times(group.operators));
  return std::move(*report);
}

GroupSimulation AcceleratorGroupModel::simulation(const GroupContent& group) const {
  State& state = *state_;
  const auto [shape, choice] = state.chosen(group);
  if (state.is_zigzag_single(shape)) {
    GroupSimulation played;
    played.latency = choice.cost.latency;
    played.energy = choice.cost.energy;
    played.offchip_bytes = choice.cost.offchip_bytes;
    return played;
  }
  auto simulation = simulated_group(state.chip, state.tile_costs, shape, choice.outline.way);
  CHECK(simulation.has_value(), "a chosen tile has no mapping");
  return std::move(*simulation);
}

std::span<const std::string> AcceleratorGroupModel::resource_names() const {
  return state_->chip.resource_names();
}

MemoStatistics AcceleratorGroupModel::statistics() const {
  return {state_->groups.hits(),
          state_->groups.misses(),
          state_->tile_costs.hits(),
          state_->tile_costs.misses()};
}

}  // namespace paretrain::evaluator
