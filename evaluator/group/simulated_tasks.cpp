#include "evaluator/group/simulated_tasks.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "base/check.h"

namespace paretrain::evaluator {

std::size_t TaskList::add(SimulatedTask task) {
  tasks_.push_back(std::move(task));
  return tasks_.size() - 1;
}

void TaskList::wait(std::size_t task, std::size_t other) {
  tasks_[task].waits.push_back(other);
}

void TaskList::account(const TransferCost& cost) {
  result_.energy.on_chip += cost.on_chip_pj;
  result_.energy.off_chip += cost.off_chip_pj;
  result_.energy.links += cost.links_pj;
}

GroupSimulation TaskList::played(std::size_t resources) {
  struct Ready {
    std::int64_t since = 0;
    std::int64_t tile = 0;
    std::size_t task = 0;
    auto operator<=>(const Ready&) const = default;
  };

  std::vector<std::vector<std::size_t>> followers(tasks_.size());
  std::vector<std::size_t> missing(tasks_.size());
  std::vector<std::int64_t> since(tasks_.size(), 0);
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    missing[t] = tasks_[t].waits.size();
    for (const std::size_t other : tasks_[t].waits)
      followers[other].push_back(t);
    if (missing[t] == 0) ready.push({0, tasks_[t].tile, t});
  }
  std::vector<std::int64_t> free(resources, 0);
  result_.busy.assign(resources, 0);
  std::size_t played = 0;
  for (; !ready.empty(); ++played) {
    const Ready next = ready.top();
    ready.pop();
    const SimulatedTask& task = tasks_[next.task];
    std::int64_t start = next.since;
    for (const ResourceCycles& use : task.uses)
      start = std::max(start, free[use.resource.index()]);
    std::int64_t end = start;
    for (const ResourceCycles& use : task.uses) {
      free[use.resource.index()] = start + use.cycles;
      result_.busy[use.resource.index()] += use.cycles;
      end = std::max(end, start + use.cycles);
      if (use.cycles > 0)
        result_.uses.push_back({next.task, use.resource, start, start + use.cycles});
    }
    result_.latency = std::max(result_.latency, end);
    for (const std::size_t follower : followers[next.task]) {
      since[follower] = std::max(since[follower], end);
      if (--missing[follower] == 0) ready.push({since[follower], tasks_[follower].tile, follower});
    }
  }
  CHECK(played == tasks_.size(), "the simulated group waits for itself");
  std::ranges::stable_sort(result_.uses, {}, &SimulatedUse::start);
  for (SimulatedTask& task : tasks_)
    result_.tasks.push_back(std::move(task.name));
  return std::move(result_);
}

}  // namespace paretrain::evaluator
