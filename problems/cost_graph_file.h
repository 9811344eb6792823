// Why: users with measured costs bring a JSON cost graph; it is checked completely before anything
// is computed from it, and all that is wrong is reported in one go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paretrain::problems {

// Ids are positions in `nodes`; -1 is the graph input. Duplicates in lists are dropped, the first
// occurrence stays.
struct CostGraphNode {
  std::string name;  // "" when the file has none
  std::string op;
  std::vector<std::int64_t> inputs;
  std::vector<std::int64_t> backward_reads;
  std::int64_t forward_latency = 0;
  std::int64_t backward_latency = 0;
  std::int64_t forward_energy = 0;
  std::int64_t backward_energy = 0;
  std::int64_t output_bytes = 0;
  std::int64_t gradient_bytes = 0;
  std::int64_t tile_bytes = 0;
  bool needs_gradient = true;
};

struct CostGraphFusion {
  std::int64_t max_group_length = 1;
  std::int64_t on_chip_bytes = 0;
  std::int64_t latency_per_byte = 0;
  std::int64_t energy_per_byte = 0;
};

struct CostGraph {
  std::string source;  // what messages call it: the file
  std::string name;
  std::string latency_unit = "cycles";
  std::string energy_unit = "pj";
  std::int64_t input_bytes = 0;
  std::int64_t static_bytes = 0;
  bool count_gradients = true;
  std::optional<CostGraphFusion> fusion;
  std::vector<CostGraphNode> nodes;
};

// Errors: InputError with every problem found (at most 20, then how many more); IoError when the
// file is there but the machine cannot read it.
[[nodiscard]] CostGraph read_cost_graph(const std::filesystem::path& file);
// `name` is what messages call the text.
[[nodiscard]] CostGraph parsed_cost_graph(std::string_view text, const std::string& name);

}  // namespace paretrain::problems
