// Why: what the simulator plays is a list of tasks with what each waits for; this is the list and
// the one rule by which resources are granted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/group/group_simulator.h"
#include "evaluator/group/transfers.h"

namespace paretrain::evaluator {

// All resources of a task begin together; the task ends with the longest.
struct SimulatedTask {
  std::string name;
  std::vector<ResourceCycles> uses;
  std::vector<std::size_t> waits;  // tasks that must have ended
  std::int64_t tile = 0;  // of tasks that are ready together the one of the earlier tile goes first
};

class TaskList {
 public:
  std::size_t add(SimulatedTask task);
  // `task` also waits for `other`, which may have been added later.
  void wait(std::size_t task, std::size_t other);
  void account(const TransferCost& cost);

  void account_bytes(std::int64_t bytes) { result_.offchip_bytes += bytes; }

  [[nodiscard]] EnergyBreakdown& energy() { return result_.energy; }

  // First come, first served: of the tasks that have all they wait for, the one that has had it
  // longest is next (ties by tile, then by order of creation); it begins when its resources are
  // free. Requires: no cycle of waits. Cost: tasks × log tasks.
  [[nodiscard]] GroupSimulation played(std::size_t resources);

 private:
  std::vector<SimulatedTask> tasks_;
  GroupSimulation result_;
};

}  // namespace paretrain::evaluator
