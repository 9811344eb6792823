#include "tests/slow/plain_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace paretrain::tests {

using evaluator::GroupCost;
using evaluator::Phase;
using evaluator::RunningOperator;
using evaluator::StepValueId;

namespace {

using Grouping = std::vector<std::size_t>;

// Merges the groups of two runs if that is legal. A group is named by its first run.
bool join(const PlainStep& step,
          const PlainGroups& groups,
          const PlainRuns& plan,
          std::pair<std::size_t, std::size_t> ends,
          Grouping& group) {
  const std::size_t into = std::min(group[ends.first], group[ends.second]);
  const std::size_t from = std::max(group[ends.first], group[ends.second]);
  if (into == from) return true;
  Grouping merged = group;
  std::replace(merged.begin(), merged.end(), from, into);
  std::vector<RunningOperator> members;
  for (std::size_t r = 0; r < plan.runs.size(); ++r) {
    if (merged[r] == into) members.push_back(running_operator(step, plan, r));
  }
  if (members.size() > groups.longest || !groups.legal(members) || is_cyclic(plan, merged))
    return false;
  group = std::move(merged);
  return true;
}

// Of the groups whose predecessors have all run, the one whose first run stands first.
std::vector<std::vector<std::size_t>> steps_in_order(const PlainRuns& plan, const Grouping& group) {
  std::map<std::size_t, std::vector<std::size_t>> left;
  for (std::size_t r = 0; r < group.size(); ++r)
    left[group[r]].push_back(r);
  const auto is_ready = [&](const std::vector<std::size_t>& members) {
    for (const std::size_t r : members) {
      for (const std::size_t b : plan.before[r]) {
        if (group[b] != group[r] && left.contains(group[b])) return false;
      }
    }
    return true;
  };
  std::vector<std::vector<std::size_t>> steps;
  while (!left.empty()) {
    // The barrier is no step and is passed as soon as it may.
    auto next = left.find(plan.barrier());
    if (next == left.end() || !is_ready(next->second))
      next = std::find_if(left.begin(), left.end(), [&](const auto& entry) {
        return entry.first != plan.barrier() && is_ready(entry.second);
      });
    CHECK(next != left.end(), "groups wait for each other");
    if (next->first != plan.barrier()) steps.push_back(next->second);
    left.erase(next);
  }
  return steps;
}

// Traffic and lifetimes once the order is known.
class Turns {
 public:
  Turns(const PlainStep& step,
        const PlainGroups& groups,
        const PlainRuns& plan,
        std::vector<std::vector<std::size_t>> steps)
      : step_(step), groups_(groups), plan_(plan), steps_(std::move(steps)) {
    step_of_.resize(plan.runs.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const std::size_t r : steps_[s])
        step_of_[r] = s;
    }
  }

  std::vector<PlainTurn> turns() const {
    std::vector<PlainTurn> result(steps_.size());
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      result[s].runs = steps_[s];
      result[s].cost = cost_of(s);
    }
    add_alive(result);
    return result;
  }

 private:
  using Runs = std::vector<std::size_t>;

  const PlainStorage& storage(std::size_t copy) const { return step_.storages[copy / 2]; }

  bool used_at(const Runs& runs, std::size_t step) const {
    return std::any_of(
        runs.begin(), runs.end(), [&](std::size_t r) { return step_of_[r] == step; });
  }

  bool used_before(const Runs& runs, std::size_t step) const {
    return std::any_of(runs.begin(), runs.end(), [&](std::size_t r) { return step_of_[r] < step; });
  }

  bool used_behind(const Runs& runs, std::size_t step) const {
    return std::any_of(runs.begin(), runs.end(), [&](std::size_t r) { return step_of_[r] > step; });
  }

  // What is there before the step (it always was, nobody makes it, or somebody did before) is
  // fetched for those that read it and those that add to it.
  bool is_fetched(std::size_t copy, std::size_t step) const {
    const PlainStorage& of = storage(copy);
    const Runs& makers = plan_.makers[copy];
    const bool there = of.resident || makers.empty() || used_before(makers, step);
    const bool adds = !of.resident && !of.maker && !of.disjoint && used_at(makers, step);
    return there && (used_at(plan_.readers[copy], step) || adds);
  }

  // What a step makes is stored unless nobody needs it later.
  bool is_stored(std::size_t copy, std::size_t step) const {
    const Runs& makers = plan_.makers[copy];
    const Runs& readers = plan_.readers[copy];
    return used_at(makers, step) && (storage(copy).resident || readers.empty() ||
                                     used_behind(readers, step) || used_behind(makers, step));
  }

  GroupCost cost_of(std::size_t step) const {
    std::vector<RunningOperator> members;
    std::vector<std::size_t> copies;
    for (const std::size_t r : steps_[step]) {
      members.push_back(running_operator(step_, plan_, r));
      copies.insert(copies.end(), plan_.reads[r].begin(), plan_.reads[r].end());
      copies.insert(copies.end(), plan_.makes[r].begin(), plan_.makes[r].end());
    }
    std::sort(copies.begin(), copies.end());
    copies.erase(std::unique(copies.begin(), copies.end()), copies.end());
    std::vector<StepValueId> fetched;
    std::vector<StepValueId> stored;
    for (const std::size_t copy : copies) {
      if (is_fetched(copy, step)) fetched.push_back(StepValueId(copy / 2));
      if (is_stored(copy, step)) stored.push_back(StepValueId(copy / 2));
    }
    return groups_.cost({members, fetched, stored});
  }

  std::size_t first_late_step() const {
    std::size_t s = 0;
    while (s < steps_.size()) {
      const PlainRun& run = plan_.runs[steps_[s].front()];
      if (run.recompute || step_.operators[run.op].phase != Phase::Forward) break;
      ++s;
    }
    return s;
  }

  // Resident storages always; another copy from its first to its last use, unless it is made and
  // read within one step.
  void add_alive(std::vector<PlainTurn>& turns) const {
    std::int64_t always = step_.static_bytes;
    for (std::size_t copy = 0; copy < plan_.makers.size(); ++copy) {
      const PlainStorage& of = storage(copy);
      if (!of.counted) continue;
      if (of.resident) {
        always += copy % 2 == 0 ? of.bytes : 0;
        continue;
      }
      std::vector<std::size_t> uses;
      for (const Runs* runs : {&plan_.makers[copy], &plan_.readers[copy]}) {
        for (const std::size_t r : *runs)
          uses.push_back(step_of_[r]);
      }
      if (uses.empty()) continue;
      std::size_t first = *std::min_element(uses.begin(), uses.end());
      const std::size_t last = *std::max_element(uses.begin(), uses.end());
      if (first == last && !plan_.readers[copy].empty() && !plan_.makers[copy].empty()) continue;
      if (of.exists_from_backward) first = first_late_step();
      for (std::size_t s = first; s <= last; ++s)
        turns[s].alive_bytes += of.bytes;
    }
    for (PlainTurn& turn : turns)
      turn.alive_bytes += always;
  }

  const PlainStep& step_;
  const PlainGroups& groups_;
  const PlainRuns& plan_;
  std::vector<std::vector<std::size_t>> steps_;
  std::vector<std::size_t> step_of_;  // per run
};

}  // namespace

std::vector<PlainTurn> plain_turns(const PlainStep& step,
                                   const PlainGroups& groups,
                                   const PlainRuns& plan,
                                   const Grouping& group) {
  return Turns(step, groups, plan, steps_in_order(plan, group)).turns();
}

PlainPlan plain_plan(const PlainStep& step,
                     const PlainGroups& groups,
                     std::span<const std::uint8_t> genes) {
  CHECK(genes.size() == step.genes.size(), "a bit per gene");
  PlainPlan result;
  result.genes.assign(genes.begin(), genes.end());
  const PlainRuns plan = plain_runs(step, genes);
  Grouping group;
  for (std::size_t r = 0; r <= plan.runs.size(); ++r)
    group.push_back(r);
  for (std::size_t g = 0; g < genes.size(); ++g) {
    const PlainGene& gene = step.genes[g];
    if (gene.storage || genes[g] == 0) continue;
    const bool stays =
        is_active(plan, gene) &&
        join(step, groups, plan, {*plan.place(gene.producer), *plan.place(gene.consumer)}, group);
    result.genes[g] = stays ? 1 : 0;
  }
  for (const PlainTurn& turn : plain_turns(step, groups, plan, group)) {
    ++result.groups;
    result.latency += turn.cost.latency;
    result.energy += turn.cost.energy;
    result.offchip_bytes += turn.cost.offchip_bytes;
    result.peak_bytes = std::max(result.peak_bytes, turn.alive_bytes);
  }
  return result;
}

}  // namespace paretrain::tests
