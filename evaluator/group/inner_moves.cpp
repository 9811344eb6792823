#include "evaluator/group/inner_moves.h"

#include <algorithm>
#include <vector>

#include "base/checked_math.h"

namespace paretrain::evaluator {
namespace {

// Each core takes the halo of its rows from the next one.
std::vector<Handover> halo_pairs(const InnerEdge& edge, const MemberTiling& to, std::int64_t all) {
  std::vector<Handover> pairs;
  const std::int64_t bytes = std::min(all, edge.halo_bytes);
  for (std::size_t c = 1; c < to.cores.size(); ++c)
    pairs.push_back({{to.cores[c], operand_of_write(*edge.made), bytes},
                     {to.cores[c - 1], operand_of_read(*edge.used), bytes}});
  return pairs;
}

// In how many parts the reading cores share the tensor; 1 when each needs all of it.
std::int64_t shares_of_reader(const InnerEdge& edge,
                              const MemberTiling& to,
                              const LoopNest& reader) {
  if (!to.split.loop || !slide(*edge.used, reader, *to.split.loop)) return 1;
  return static_cast<std::int64_t>(to.cores.size());
}

bool is_one_memory(const Chip& chip, const Endpoint& a, const Endpoint& b) {
  const auto node = [&](const Endpoint& end) {
    return chip.core(end.core).memories[static_cast<std::size_t>(end.operand)].node;
  };
  return a.core == b.core || node(a) == node(b);
}

// Every reading core takes its part, one in `shares`, from every core that made some of it.
std::vector<Handover> whole_pairs(const Chip& chip,
                                  const InnerEdge& edge,
                                  const TiledGroup& tiling,
                                  std::int64_t shares,
                                  std::int64_t all) {
  const MemberTiling& from = tiling.members[edge.from];
  const auto makers = static_cast<std::int64_t>(from.cores.size());
  const std::int64_t part = ceil_div(all, makers);
  const std::int64_t needed = ceil_div(all, shares);
  std::vector<Handover> pairs;
  for (const CoreId sender : from.cores)
    for (const CoreId receiver : tiling.members[edge.to].cores) {
      const Endpoint source{sender, operand_of_write(*edge.made), part};
      const Endpoint sink{receiver, operand_of_read(*edge.used), ceil_div(needed, makers)};
      if (!is_one_memory(chip, source, sink)) pairs.push_back({source, sink});
    }
  return pairs;
}

}  // namespace

TransferCost inner_move(const Chip& chip,
                        const GroupShape& group,
                        const TiledGroup& tiling,
                        const InnerEdge& edge,
                        std::int64_t bytes) {
  const MemberTiling& to = tiling.members[edge.to];
  if (edge.halo_bytes > 0) return handover_cost(chip, halo_pairs(edge, to, bytes));
  const std::int64_t shares = shares_of_reader(edge, to, group.members[edge.to].op->nest);
  return handover_cost(chip, whole_pairs(chip, edge, tiling, shares, bytes));
}

}  // namespace paretrain::evaluator
