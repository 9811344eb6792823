#include "evaluator/group/core_assignment.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

std::vector<CoreKind> preferred_kinds(OperatorClass operator_class) {
  switch (operator_class) {
    case OperatorClass::Matrix:
      return {CoreKind::Array, CoreKind::Vector, CoreKind::Pooling};
    case OperatorClass::Pooling:
      return {CoreKind::Pooling, CoreKind::Vector, CoreKind::Array};
    case OperatorClass::Elementwise:
    case OperatorClass::Reduction:
    case OperatorClass::DataMovement:
      return {CoreKind::Vector, CoreKind::Array, CoreKind::Pooling};
  }
  CHECK(false, "an operator has a class that does not exist");
  return {};
}

CoreSets sets_of(const Chip& chip, std::span<const CoreId> cores) {
  std::map<std::size_t, std::vector<CoreId>> alike;
  for (const CoreId core : cores)
    alike[chip.core(core).alike].push_back(core);
  CoreSets sets;
  for (auto& [first, members] : alike)
    sets.push_back(chip.nearest(std::move(members), kMostIdenticalCores));
  return sets;
}

}  // namespace

CoreSets core_sets(const Chip& chip,
                   OperatorClass operator_class,
                   std::span<const CoreId> allowed) {
  if (!allowed.empty()) return sets_of(chip, allowed);
  for (const CoreKind kind : preferred_kinds(operator_class)) {
    std::vector<CoreId> cores;
    for (std::size_t c = 0; c < chip.cores().size(); ++c)
      if (chip.cores()[c].computes && chip.cores()[c].core.kind == kind) cores.emplace_back(c);
    if (!cores.empty()) return sets_of(chip, cores);
  }
  return {};
}

}  // namespace paretrain::evaluator
