#include "evaluator/graph/patterns.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "evaluator/graph/pattern_match.h"

namespace paretrain::evaluator {
namespace {

// In this order: a node taken by one pattern is not looked at by the next.
constexpr std::array<Pattern, 8> kPatterns = {recurrent_weights_pattern,
                                              layer_normalisation_pattern,
                                              group_normalisation_pattern,
                                              gelu_pattern,
                                              gated_linear_pattern,
                                              gated_activation_pattern,
                                              chained_function_pattern,
                                              linear_pattern};

struct Replacement {
  std::size_t position = 0;  // of the last node that it replaces
  Node node;
};

ModelGraph replaced(const ModelGraph& model,
                    const std::vector<bool>& taken,
                    std::vector<Replacement> replacements) {
  ModelGraph result = model;
  result.nodes.clear();
  std::map<std::size_t, Node> by_position;
  for (Replacement& replacement : replacements)
    by_position.emplace(replacement.position, std::move(replacement.node));
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    const auto found = by_position.find(n);
    if (found != by_position.end()) {
      result.nodes.push_back(found->second);
    } else if (!taken[n]) {
      result.nodes.push_back(model.nodes[n]);
    }
  }
  return result;
}

}  // namespace

Recognition recognised_patterns(const ModelGraph& model) {
  const ModelIndex index(model);
  std::vector<bool> taken(model.nodes.size(), false);
  std::vector<Replacement> replacements;
  std::map<std::string, std::int64_t> counts;
  for (const Pattern pattern : kPatterns) {
    for (std::size_t n = 0; n < model.nodes.size(); ++n) {
      if (taken[n]) continue;
      auto match = pattern(index, n);
      if (!match) continue;
      const bool free = std::none_of(
          match->nodes.begin(), match->nodes.end(), [&](std::size_t m) { return taken[m]; });
      if (!free) continue;
      for (const std::size_t m : match->nodes)
        taken[m] = true;
      ++counts[match->pattern];
      const std::size_t last = *std::max_element(match->nodes.begin(), match->nodes.end());
      replacements.push_back({last, std::move(match->replacement)});
    }
  }
  Recognition recognition{replaced(model, taken, std::move(replacements)), {}};
  for (const auto& [pattern, count] : counts)
    recognition.recognised.push_back({pattern, count});
  return recognition;
}

}  // namespace paretrain::evaluator
