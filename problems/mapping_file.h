// Why: users of ZigZag and Stream have files that say which core runs what and how it is unrolled;
// this reads both kinds.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/core_cost/mapping.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::problems {

// How many parts a loop is cut into: a number, "all" (one step a part), or "*" (left to us).
enum class TilingAmount { Number, All, Any };

struct LoopTiling {
  evaluator::Loop loop = evaluator::Loop::K;
  TilingAmount amount = TilingAmount::Number;
  std::int64_t number = 1;
};

// A loop of a prescribed temporal order; without a size it takes what is left ("*").
struct OrderedLoop {
  evaluator::Loop loop = evaluator::Loop::K;
  std::optional<std::int64_t> size;
};

// What one entry says; what it leaves out is empty.
struct MappingEntry {
  std::string name;  // of a node, of an operator type, or "default"
  std::vector<evaluator::CoreId> cores;
  std::optional<std::vector<LoopTiling>> intra_core_tiling;
  std::optional<std::vector<LoopTiling>> inter_core_tiling;
  std::optional<evaluator::Dataflow> spatial;
  std::vector<OrderedLoop> order;  // inner to outer
  std::optional<std::array<evaluator::MemoryOperand, evaluator::kNestOperandCount>> links;
  int line = 0;
};

struct MappingFile {
  std::vector<MappingEntry> entries;

  // The entry for a node: by its name, else by its type, else the default; null without one.
  [[nodiscard]] const MappingEntry* find(std::string_view node, std::string_view type) const;
};

// Requires: core_count of the accelerator that the file is for.
// Errors: InputError with every problem, each with its line.
[[nodiscard]] MappingFile read_mapping_file(const std::filesystem::path& path,
                                            std::size_t core_count);

}  // namespace paretrain::problems
