#include "problems/training_problem.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "evaluator/hardware/offchip.h"
#include "problems/accelerator_file.h"
#include "problems/lowering.h"
#include "problems/mapping_file.h"
#include "problems/model_import.h"
#include "problems/model_step.h"

namespace paretrain::problems {

using evaluator::Accelerator;
using evaluator::AcceleratorGroupModel;
using evaluator::TrainingGraph;

namespace {

std::uint64_t text_hash(std::uint64_t hash, std::string_view text) {
  for (const char letter : text)
    hash = combined(hash, static_cast<unsigned char>(letter));
  return combined(hash, text.size());
}

std::uint64_t identity_of(const TrainingGraph& graph,
                          const Accelerator& accelerator,
                          const evaluator::CoreAllocations& allocations,
                          const TrainingProblemOptions& options,
                          std::int64_t repetitions) {
  std::uint64_t hash = text_hash(content_hash(graph), accelerator_text(accelerator));
  for (const evaluator::CoreAllocation& allocation : allocations) {
    hash = combined(hash, allocation.cores.size());
    for (const auto core : allocation.cores)
      hash = combined(hash, core.index());
    hash = combined(hash, allocation.split ? static_cast<std::uint64_t>(*allocation.split) + 1 : 0);
    hash = combined(hash, static_cast<std::uint64_t>(allocation.parts));
  }
  hash = combined(hash, static_cast<std::uint64_t>(options.cost_model));
  hash = combined(hash, static_cast<std::uint64_t>(options.tile_objective));
  hash = combined(hash, static_cast<std::uint64_t>(options.residency));
  return combined(hash, static_cast<std::uint64_t>(repetitions));
}

evaluator::CoreAllocation allocation_of(const MappingEntry* entry) {
  evaluator::CoreAllocation allocation;
  if (entry == nullptr) return allocation;
  allocation.cores = entry->cores;
  if (!entry->inter_core_tiling || entry->inter_core_tiling->empty()) return allocation;
  const LoopTiling& tiling = entry->inter_core_tiling->front();
  allocation.split = tiling.loop;
  // "all" and "*" leave the number to us: as many as there are cores.
  allocation.parts = tiling.amount == TilingAmount::Number
                         ? tiling.number
                         : static_cast<std::int64_t>(std::max<std::size_t>(1, entry->cores.size()));
  return allocation;
}

// Cores by operator: the mapping file's entry for its name, its type, or the default.
evaluator::CoreAllocations allocations_of(const TrainingGraph& graph,
                                          const Accelerator& accelerator,
                                          const std::optional<std::string>& mapping) {
  evaluator::CoreAllocations allocations;
  if (!mapping) return allocations;
  const MappingFile file = read_mapping_file(*mapping, accelerator.cores.size());
  for (const evaluator::Operator& op : graph.operators)
    allocations.push_back(allocation_of(file.find(op.name, op.type)));
  return allocations;
}

}  // namespace

TrainingProblem training_problem(const std::string& model, const TrainingProblemOptions& options) {
  AcceleratorFile file = accelerator_of(options.accelerator);
  MicroBatchedModel step = micro_batched_model(model, options.import, options.micro_batch);
  auto graph = std::make_unique<const TrainingGraph>(model_step(step.model, options.training));
  auto accelerator = std::make_unique<const Accelerator>(std::move(file.accelerator));

  evaluator::GroupCostOptions costs;
  costs.cost_model = options.cost_model;
  costs.tile_objective = options.tile_objective;
  costs.max_group_length = options.max_group_length;
  costs.residency = options.residency;
  costs.repetitions = step.repetitions;
  const evaluator::CoreAllocations allocations =
      allocations_of(*graph, *accelerator, options.mapping);
  auto group_model =
      std::make_unique<const AcceleratorGroupModel>(*graph, *accelerator, allocations, costs);
  const AcceleratorGroupModel* group_costs = group_model.get();

  PlanProblemParts parts;
  parts.name = step.model.name;
  parts.graph = lowered_step(*graph, {options.training.update, step.repetitions});
  parts.model = std::move(group_model);
  parts.memory_limit_bytes = options.memory_limit_bytes;
  if (!parts.memory_limit_bytes)
    if (const auto dram = evaluator::offchip_memory(*accelerator))
      parts.memory_limit_bytes = dram->size_bits / 8;
  parts.identity = identity_of(*graph, *accelerator, allocations, options, step.repetitions);

  std::vector<std::string> warnings = std::move(step.model.warnings);
  warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
  warnings.insert(warnings.end(), graph->warnings.begin(), graph->warnings.end());
  return {std::move(graph),
          std::move(accelerator),
          group_costs,
          PlanProblem(std::move(parts)),
          std::move(warnings)};
}

}  // namespace paretrain::problems
