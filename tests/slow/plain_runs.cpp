#include "tests/slow/plain_runs.h"

#include <algorithm>

namespace paretrain::tests {

using evaluator::Phase;
using evaluator::RunningOperator;
using evaluator::StepOperatorId;

namespace {

bool holds(const std::vector<std::size_t>& list, std::size_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class Build {
 public:
  Build(const PlainStep& step, std::span<const std::uint8_t> genes) : step_(step), genes_(genes) {}

  PlainRuns runs() {
    list_runs();
    list_copies();
    list_dependences();
    return std::move(plan_);
  }

 private:
  const PlainStorage& storage(std::size_t s) const { return step_.storages[s]; }

  const PlainOperator& op(std::size_t run) const { return step_.operators[plan_.runs[run].op]; }

  bool kept(std::size_t s) const { return !storage(s).gene || genes_[*storage(s).gene] != 0; }

  bool is_forward(std::size_t run) const {
    return op(run).phase == Phase::Forward && !plan_.runs[run].recompute;
  }

  // Directly before a late operator run the recomputes that it lacks, in forward order.
  void list_runs() {
    std::vector<bool> recomputed(step_.operators.size(), false);
    for (const std::size_t o : step_.order) {
      std::vector<std::size_t> missing;
      std::vector<std::size_t> open;
      if (step_.operators[o].phase != Phase::Forward) open.push_back(o);
      while (!open.empty()) {
        const std::size_t reader = open.back();
        open.pop_back();
        for (const std::size_t s : step_.operators[reader].reads) {
          if (!storage(s).maker || kept(s) || recomputed[*storage(s).maker]) continue;
          recomputed[*storage(s).maker] = true;
          missing.push_back(*storage(s).maker);
          open.push_back(*storage(s).maker);
        }
      }
      std::sort(missing.begin(), missing.end());
      for (const std::size_t f : missing)
        plan_.runs.push_back({f, true});
      plan_.runs.push_back({o, false});
    }
  }

  // A recompute makes what is not kept and has a reader in the backward phase.
  void list_copies() {
    const std::size_t count = plan_.runs.size();
    plan_.readers.resize(2 * step_.storages.size());
    plan_.makers.resize(2 * step_.storages.size());
    plan_.reads.resize(count);
    plan_.makes.resize(count);
    for (std::size_t r = 0; r < count; ++r) {
      for (const std::size_t s : op(r).reads) {
        const bool second = storage(s).maker && !is_forward(r) && !kept(s);
        plan_.reads[r].push_back(2 * s + (second ? 1 : 0));
        plan_.readers[plan_.reads[r].back()].push_back(r);
      }
    }
    for (std::size_t r = 0; r < count; ++r) {
      const bool recompute = plan_.runs[r].recompute;
      for (const std::size_t s : op(r).writes) {
        const std::size_t copy = 2 * s + (recompute ? 1 : 0);
        if (recompute && (kept(s) || plan_.readers[copy].empty())) continue;
        plan_.makes[r].push_back(copy);
        plan_.makers[copy].push_back(r);
      }
    }
  }

  void list_dependences() {
    const std::size_t barrier = plan_.barrier();
    plan_.before.resize(barrier + 1);
    for (std::size_t r = 0; r < barrier; ++r) {
      if (is_forward(r))
        plan_.before[barrier].push_back(r);
      else
        plan_.before[r].push_back(barrier);
      for (const std::size_t copy : plan_.reads[r])
        depend_on_makers(r, copy);
      for (const std::size_t copy : plan_.makes[r])
        depend_on_earlier_uses(r, copy);
    }
  }

  void depend_on_makers(std::size_t r, std::size_t copy) {
    if (storage(copy / 2).resident) return;
    for (const std::size_t maker : plan_.makers[copy]) {
      const bool before = storage(copy / 2).maker || plan_.runs[maker].op < plan_.runs[r].op;
      if (maker != r && before) plan_.before[r].push_back(maker);
    }
  }

  // What adds to a gradient comes behind those that read it before; what overwrites a resident
  // storage behind everything else that reads it, and behind earlier writers.
  void depend_on_earlier_uses(std::size_t r, std::size_t copy) {
    const PlainStorage& of = storage(copy / 2);
    if (of.maker) return;
    for (const std::size_t reader : plan_.readers[copy]) {
      const bool behind = of.resident ? !holds(plan_.makes[reader], copy)
                                      : plan_.runs[reader].op < plan_.runs[r].op;
      if (reader != r && behind) plan_.before[r].push_back(reader);
    }
    if (!of.resident) return;
    for (const std::size_t maker : plan_.makers[copy]) {
      if (plan_.runs[maker].op < plan_.runs[r].op) plan_.before[r].push_back(maker);
    }
  }

  const PlainStep& step_;
  std::span<const std::uint8_t> genes_;
  PlainRuns plan_;
};

}  // namespace

std::optional<std::size_t> PlainRuns::place(const PlainRun& run) const {
  const auto at = std::find(runs.begin(), runs.end(), run);
  if (at == runs.end()) return std::nullopt;
  return static_cast<std::size_t>(at - runs.begin());
}

PlainRuns plain_runs(const PlainStep& step, std::span<const std::uint8_t> genes) {
  return Build(step, genes).runs();
}

bool is_active(const PlainRuns& plan, const PlainGene& gene) {
  const auto producer = plan.place(gene.producer);
  const auto consumer = plan.place(gene.consumer);
  if (gene.storage || !producer || !consumer) return false;
  if (!gene.producer.recompute) return true;
  const std::vector<std::size_t>& made = plan.makes[*producer];
  return std::any_of(made.begin(), made.end(), [&](std::size_t copy) {
    return holds(plan.reads[*consumer], copy);
  });
}

// Takes away groups that wait for none; a rest means a circle.
bool is_cyclic(const PlainRuns& plan, const std::vector<std::size_t>& group) {
  std::vector<std::size_t> waits(group.size(), 0);
  std::vector<std::vector<std::size_t>> followers(group.size());
  for (std::size_t r = 0; r < group.size(); ++r) {
    for (const std::size_t b : plan.before[r]) {
      if (group[b] == group[r]) continue;
      ++waits[group[r]];
      followers[group[b]].push_back(group[r]);
    }
  }
  std::vector<std::size_t> open;
  std::size_t left = 0;
  for (std::size_t name = 0; name < group.size(); ++name) {
    if (group[name] != name) continue;
    ++left;
    if (waits[name] == 0) open.push_back(name);
  }
  while (!open.empty()) {
    const std::size_t name = open.back();
    open.pop_back();
    --left;
    for (const std::size_t follower : followers[name]) {
      if (--waits[follower] == 0) open.push_back(follower);
    }
  }
  return left > 0;
}

RunningOperator running_operator(const PlainStep& step, const PlainRuns& plan, std::size_t run) {
  RunningOperator result{.op = StepOperatorId(plan.runs[run].op),
                         .recompute = plan.runs[run].recompute};
  if (!result.recompute) return result;
  result.produced = 0;
  const std::vector<std::size_t>& writes = step.operators[plan.runs[run].op].writes;
  for (std::size_t w = 0; w < writes.size(); ++w) {
    if (holds(plan.makes[run], 2 * writes[w] + 1)) result.produced |= std::uint64_t{1} << w;
  }
  return result;
}

}  // namespace paretrain::tests
