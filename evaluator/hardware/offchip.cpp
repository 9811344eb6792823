#include "evaluator/hardware/offchip.h"

#include <algorithm>
#include <numeric>

namespace paretrain::evaluator {

namespace {

bool has_dram(const Core& core) {
  return std::any_of(
      core.memories.begin(), core.memories.end(), [](const Memory& m) { return m.is_dram; });
}

}  // namespace

std::optional<Memory> offchip_memory(const Accelerator& accelerator) {
  if (accelerator.offchip) {
    const Core& core = accelerator.cores[accelerator.offchip->index()];
    if (!core.memories.empty()) return core.memories.back();
  }
  for (const Core& core : accelerator.cores) {
    for (auto memory = core.memories.rbegin(); memory != core.memories.rend(); ++memory) {
      if (memory->is_dram) return *memory;
    }
  }
  return std::nullopt;
}

Core on_chip_part(const Core& core) {
  Core part = core;
  std::erase_if(part.memories, [](const Memory& memory) { return memory.is_dram; });
  return part;
}

Core with_offchip_level(const Accelerator& accelerator, CoreId core) {
  Core extended = accelerator.cores[core.index()];
  std::optional<Memory> memory = offchip_memory(accelerator);
  if (!memory || has_dram(extended)) return extended;
  memory->served_axes.resize(extended.array.sizes.size());
  std::iota(memory->served_axes.begin(), memory->served_axes.end(), std::size_t{0});
  extended.memories.push_back(std::move(*memory));
  return extended;
}

}  // namespace paretrain::evaluator
