#include "evaluator/group/link_paths.h"

#include <map>

namespace paretrain::evaluator {

LinkPaths::LinkPaths(const Accelerator& accelerator, CostModel model)
    : links_(accelerator.links),
      model_(model),
      links_of_core_(accelerator.cores.size()),
      component_(accelerator.cores.size(), accelerator.cores.size()),
      rows_(accelerator.cores.size()) {
  for (std::size_t l = 0; l < links_.size(); ++l)
    for (const CoreId core : links_[l].cores) {
      std::vector<std::uint32_t>& links = links_of_core_[core.index()];
      if (links.empty() || links.back() != l) links.push_back(static_cast<std::uint32_t>(l));
    }
  mark_components();
}

// A component has the number of its first core.
void LinkPaths::mark_components() {
  std::vector<bool> link_is_done(links_.size(), false);
  for (std::size_t first = 0; first < component_.size(); ++first) {
    if (component_[first] != component_.size()) continue;
    component_[first] = first;
    std::vector<CoreId> open = {CoreId(first)};
    while (!open.empty()) {
      const CoreId at = open.back();
      open.pop_back();
      for (const std::uint32_t l : links_of_core_[at.index()]) {
        if (link_is_done[l]) continue;
        link_is_done[l] = true;
        for (const CoreId to : links_[l].cores) {
          if (component_[to.index()] == first) continue;
          component_[to.index()] = first;
          open.push_back(to);
        }
      }
    }
  }
}

std::span<const std::optional<LastHop>> LinkPaths::last_hops(CoreId from) const {
  Row& row = rows_[from.index()];
  std::call_once(row.once, [&] { row.hops = searched(from); });
  return row.hops;
}

std::vector<std::optional<LastHop>> LinkPaths::searched(CoreId from) const {
  std::vector<std::optional<LastHop>> hops(links_of_core_.size());
  std::vector<CoreId> queue = {from};
  std::vector<bool> bus_is_done(links_.size(), false);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const CoreId at = queue[head];
    const std::uint32_t so_far = at == from ? 0 : hops[at.index()]->hops;
    for (const Neighbour& next : neighbours(at, bus_is_done)) {
      if (next.core == from || hops[next.core.index()]) continue;
      hops[next.core.index()] = LastHop{at, next.link, so_far + 1};
      queue.push_back(next.core);
    }
  }
  return hops;
}

// In order of their ids. Of each neighbour the link to it that the cost model takes: the first of
// two cores alone, else the first bus; in zigzag mode the last one listed. A bus that all its cores
// have been reached by is left out.
std::vector<LinkPaths::Neighbour> LinkPaths::neighbours(CoreId from,
                                                        std::vector<bool>& bus_is_done) const {
  std::map<CoreId, std::uint32_t> chosen;
  for (const std::uint32_t l : links_of_core_[from.index()]) {
    if (bus_is_done[l]) continue;
    bus_is_done[l] = links_[l].is_bus;
    for (const CoreId to : links_[l].cores) {
      const auto [at, first] = chosen.try_emplace(to, l);
      const bool better =
          model_ == CostModel::Zigzag || (links_[at->second].is_bus && !links_[l].is_bus);
      if (!first && better) at->second = l;
    }
  }
  std::vector<Neighbour> result;
  for (const auto& [core, link] : chosen)
    result.push_back({core, link});
  return result;
}

}  // namespace paretrain::evaluator
