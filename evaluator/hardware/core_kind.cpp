#include "evaluator/hardware/core_kind.h"

namespace paretrain::evaluator {

namespace {

bool unrolls(const Core& core, Loop loop) {
  for (const auto& axis : core.dataflow) {
    if (!axis) continue;
    for (const UnrollFactor& factor : *axis) {
      if (factor.loop == loop) return true;
    }
  }
  return false;
}

}  // namespace

CoreKind core_kind(const Core& core) {
  if (core.array.units() == 0 || core.array.sizes.empty()) return CoreKind::Memory;
  if (unrolls(core, Loop::FX) && unrolls(core, Loop::FY) && !unrolls(core, Loop::C))
    return CoreKind::Pooling;
  return core.array.sizes.size() == 1 ? CoreKind::Vector : CoreKind::Array;
}

}  // namespace paretrain::evaluator
