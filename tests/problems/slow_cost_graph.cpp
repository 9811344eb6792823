#include "tests/problems/slow_cost_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace paretrain::tests {

namespace {

using problems::CostGraph;
using problems::CostGraphNode;

std::string label(char letter, std::int64_t node) {
  return letter + std::to_string(node);
}

std::int64_t node_of(const std::string& name) {
  return std::stoll(name.substr(1));
}

bool has(const std::vector<std::int64_t>& list, std::int64_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class Slow {
 public:
  Slow(const CostGraph& graph, std::vector<bool> keep)
      : graph_(graph),
        keep_(std::move(keep)),
        count_(static_cast<std::int64_t>(graph.nodes.size())) {
    list_events();
  }

  [[nodiscard]] SlowPlan plan(const std::vector<bool>& fusion) {
    SlowPlan result;
    decode(fusion, result);
    evaluate(result);
    return result;
  }

  [[nodiscard]] std::vector<SlowPlan> plans_of_all_groupings() {
    std::vector<SlowEdge> active;
    for (const SlowEdge& edge : slow_edges(graph_)) {
      if (runs(edge.producer) && runs(edge.consumer)) active.push_back(edge);
    }
    std::set<std::map<std::string, int>> known;
    std::vector<SlowPlan> plans;
    for (std::size_t set = 0; set < (std::size_t{1} << active.size()); ++set) {
      const std::map<std::string, int> joined = join(active, set);
      if (!known.insert(joined).second || cyclic(joined) || !fit(joined)) continue;
      group_ = joined;
      plans.emplace_back();
      evaluate(plans.back());
    }
    return plans;
  }

 private:
  void evaluate(SlowPlan& result) {
    order(result);
    costs(result);
    result.peak_without_gradients = peak(false);
    result.peak_with_gradients = peak(true);
  }

  // The groups that the edges of a set of bits hold together, each named by its first event.
  std::map<std::string, int> join(const std::vector<SlowEdge>& edges, std::size_t set) const {
    std::map<std::string, int> groups;
    for (std::size_t p = 0; p < events_.size(); ++p)
      groups[events_[p]] = static_cast<int>(p);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (((set >> e) & 1U) == 0) continue;
      const int a = groups[edges[e].producer];
      const int b = groups[edges[e].consumer];
      for (auto& [event, name] : groups) {
        if (name == a || name == b) name = std::min(a, b);
      }
    }
    return groups;
  }

  bool fit(const std::map<std::string, int>& groups) const {
    std::map<int, int> lengths;
    for (const auto& [event, name] : groups)
      ++lengths[name];
    return std::all_of(lengths.begin(), lengths.end(), [&](const auto& group) {
      return group.second == 1 || fits(groups, group.first);
    });
  }

  const CostGraphNode& node(std::int64_t i) const {
    return graph_.nodes[static_cast<std::size_t>(i)];
  }

  bool kept(std::int64_t i) const { return keep_[static_cast<std::size_t>(i)]; }

  // Rules 1 to 3 of the plain semantics.
  void list_events() {
    std::set<std::int64_t> recomputed;
    for (std::int64_t i = 0; i < count_; ++i)
      events_.push_back(label('F', i));
    for (std::int64_t i = count_ - 1; i >= 0; --i) {
      if (!node(i).needs_gradient) continue;
      std::set<std::int64_t> needed;
      std::vector<std::int64_t> ask = node(i).backward_reads;
      while (!ask.empty()) {
        const std::int64_t p = ask.back();
        ask.pop_back();
        if (p < 0 || kept(p) || recomputed.contains(p) || needed.contains(p)) continue;
        needed.insert(p);
        for (const std::int64_t input : node(p).inputs)
          ask.push_back(input);
      }
      for (const std::int64_t p : needed)
        events_.push_back(label('R', p));
      recomputed.insert(needed.begin(), needed.end());
      events_.push_back(label('B', i));
    }
  }

  bool runs(const std::string& name) const {
    return std::find(events_.begin(), events_.end(), name) != events_.end();
  }

  // Copies: "i" the graph input, "t3", "r3" (recomputed).
  std::set<std::string> copies_read(const std::string& event) const {
    const std::int64_t i = node_of(event);
    const std::vector<std::int64_t>& list =
        event[0] == 'B' ? node(i).backward_reads : node(i).inputs;
    std::set<std::string> result;
    for (const std::int64_t p : list) {
      if (p < 0)
        result.insert("i");
      else
        result.insert(label(event[0] == 'F' || kept(p) ? 't' : 'r', p));
    }
    return result;
  }

  std::string copy_made(const std::string& event) const {
    if (event[0] == 'B') return "";
    return label(event[0] == 'F' ? 't' : 'r', node_of(event));
  }

  bool contributes(const std::string& event, std::int64_t gradient) const {
    return event[0] == 'B' && node(gradient).needs_gradient &&
           has(node(node_of(event)).inputs, gradient);
  }

  // Rule 3 of fusion: whether `before` must run before `after` because of data.
  bool depends(const std::string& after, const std::string& before) const {
    const std::string made = copy_made(before);
    if (!made.empty() && copies_read(after).contains(made)) return true;
    if (after[0] == 'B' && contributes(before, node_of(after))) return true;
    return before[0] == 'F' && after[0] != 'F';
  }

  // Whether the quotient graph has a cycle, when `group` says who is with whom.
  bool cyclic(const std::map<std::string, int>& group) const {
    std::map<int, std::set<int>> before;
    for (const std::string& a : events_) {
      for (const std::string& b : events_) {
        if (group.at(a) != group.at(b) && depends(a, b)) before[group.at(a)].insert(group.at(b));
      }
    }
    std::set<int> left;
    for (const std::string& event : events_)
      left.insert(group.at(event));
    while (!left.empty()) {
      const auto free = std::find_if(left.begin(), left.end(), [&](int g) {
        return std::none_of(
            before[g].begin(), before[g].end(), [&](int b) { return left.contains(b); });
      });
      if (free == left.end()) return true;
      left.erase(free);
    }
    return false;
  }

  bool fits(const std::map<std::string, int>& group, int name) const {
    std::int64_t length = 0;
    std::int64_t tiles = 0;
    for (const std::string& event : events_) {
      if (group.at(event) != name) continue;
      ++length;
      tiles += node(node_of(event)).tile_bytes;
    }
    return length <= graph_.fusion->max_group_length && tiles <= graph_.fusion->on_chip_bytes;
  }

  // Rules 5 and 6.
  void decode(const std::vector<bool>& fusion, SlowPlan& result) {
    for (std::size_t p = 0; p < events_.size(); ++p)
      group_[events_[p]] = static_cast<int>(p);
    result.fusion = fusion;
    if (!graph_.fusion) return;
    const std::vector<SlowEdge> edges = slow_edges(graph_);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (!fusion[e]) continue;
      result.fusion[e] = false;
      if (!runs(edges[e].producer) || !runs(edges[e].consumer)) continue;
      std::map<std::string, int> merged = group_;
      const int into = group_[edges[e].producer];
      const int from = group_[edges[e].consumer];
      for (auto& [event, name] : merged) {
        if (name == from) name = into;
      }
      if (into != from && (!fits(merged, into) || cyclic(merged))) continue;
      group_ = merged;
      result.fusion[e] = true;
    }
  }

  // Rule 7.
  void order(SlowPlan& result) {
    std::set<int> done;
    const auto may_run = [&](const std::string& event) {
      return std::none_of(events_.begin(), events_.end(), [&](const std::string& before) {
        return group_[before] != group_[event] && !done.contains(group_[before]) &&
               depends(event, before);
      });
    };
    for (;;) {
      std::vector<std::string> next;
      for (const std::string& event : events_) {
        if (done.contains(group_[event])) continue;
        std::vector<std::string> members;
        for (const std::string& other : events_) {
          if (group_[other] == group_[event]) members.push_back(other);
        }
        if (std::all_of(members.begin(), members.end(), may_run)) {
          next = members;
          break;
        }
      }
      if (next.empty()) break;
      done.insert(group_[next.front()]);
      result.groups.push_back(next);
    }
    groups_ = result.groups;
  }

  static bool in(const std::vector<std::string>& group, const std::string& event) {
    return std::find(group.begin(), group.end(), event) != group.end();
  }

  std::vector<std::string> readers(const std::string& copy) const {
    std::vector<std::string> result;
    for (const std::string& event : events_) {
      if (copies_read(event).contains(copy)) result.push_back(event);
    }
    return result;
  }

  std::vector<std::string> contributors(std::int64_t gradient) const {
    std::vector<std::string> result;
    for (const std::string& event : events_) {
      if (contributes(event, gradient)) result.push_back(event);
    }
    return result;
  }

  // Rule 8.
  bool internal_copy(const std::string& copy, const std::vector<std::string>& makers_group) const {
    const std::vector<std::string> all = readers(copy);
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const std::string& reader) {
      return in(makers_group, reader);
    });
  }

  bool internal_gradient(std::int64_t gradient) const {
    const std::vector<std::string> all = contributors(gradient);
    if (all.empty()) return false;
    const int home = group_.at(label('B', gradient));
    return std::all_of(all.begin(), all.end(), [&](const std::string& contributor) {
      return group_.at(contributor) == home;
    });
  }

  std::int64_t copy_bytes(const std::string& copy) const {
    return copy == "i" ? graph_.input_bytes : node(node_of(copy)).output_bytes;
  }

  // Rule 9.
  std::int64_t moved(std::size_t step) const {
    const std::vector<std::string>& group = groups_[step];
    std::set<std::string> read;
    std::set<std::string> made;
    for (const std::string& event : group) {
      for (const std::string& copy : copies_read(event))
        read.insert(copy);
      if (!copy_made(event).empty()) made.insert(copy_made(event));
    }
    std::int64_t bytes = 0;
    for (const std::string& copy : read) {
      if (!made.contains(copy)) bytes += copy_bytes(copy);
    }
    for (const std::string& copy : made) {
      if (!internal_copy(copy, group)) bytes += copy_bytes(copy);
    }
    for (std::int64_t j = 0; j < count_; ++j) {
      if (node(j).needs_gradient) bytes += moved_gradient(step, j);
    }
    return bytes;
  }

  std::int64_t moved_gradient(std::size_t step, std::int64_t j) const {
    const std::vector<std::string>& group = groups_[step];
    const std::vector<std::string> all = contributors(j);
    const auto inside = [&](const std::string& event) { return in(group, event); };
    const std::int64_t bytes = node(j).gradient_bytes;
    if (in(group, label('B', j)))
      return all.empty() || !std::all_of(all.begin(), all.end(), inside) ? bytes : 0;
    if (std::none_of(all.begin(), all.end(), inside)) return 0;
    const bool earlier = std::any_of(all.begin(), all.end(), [&](const std::string& event) {
      return !inside(event) && step_of(event) < step;
    });
    return earlier ? 2 * bytes : bytes;
  }

  std::size_t step_of(const std::string& event) const {
    for (std::size_t s = 0; s < groups_.size(); ++s) {
      if (in(groups_[s], event)) return s;
    }
    return groups_.size();
  }

  // Rule 10.
  void costs(SlowPlan& result) const {
    for (std::size_t s = 0; s < groups_.size(); ++s) {
      std::int64_t latency = 0;
      for (const std::string& event : groups_[s]) {
        const CostGraphNode& costed = node(node_of(event));
        latency += event[0] == 'B' ? costed.backward_latency : costed.forward_latency;
        result.energy += event[0] == 'B' ? costed.backward_energy : costed.forward_energy;
      }
      if (graph_.fusion) {
        const std::int64_t bytes = moved(s);
        latency = std::max(latency, bytes * graph_.fusion->latency_per_byte);
        result.energy += bytes * graph_.fusion->energy_per_byte;
      }
      result.latency += latency;
    }
  }

  // Rule 11.
  std::int64_t peak(bool with_gradients) const {
    std::int64_t most = 0;
    for (std::size_t s = 0; s < groups_.size(); ++s) {
      std::int64_t alive = 0;
      for (const std::string& event : events_) {
        const std::string copy = copy_made(event);
        if (copy.empty() || internal_copy(copy, groups_[step_of(event)])) continue;
        std::size_t last = step_of(event);
        for (const std::string& reader : readers(copy))
          last = std::max(last, step_of(reader));
        if (step_of(event) <= s && s <= last) alive += copy_bytes(copy);
      }
      for (std::int64_t j = 0; with_gradients && j < count_; ++j) {
        if (node(j).needs_gradient && !internal_gradient(j) && alive_gradient(j, s))
          alive += node(j).gradient_bytes;
      }
      most = std::max(most, alive);
    }
    return graph_.static_bytes + graph_.input_bytes + most;
  }

  bool alive_gradient(std::int64_t j, std::size_t step) const {
    const std::size_t last = step_of(label('B', j));
    std::size_t first = last;
    for (const std::string& contributor : contributors(j))
      first = std::min(first, step_of(contributor));
    if (j == count_ - 1) {
      first = 0;
      while (groups_[first].front()[0] == 'F')
        ++first;
    }
    return first <= step && step <= last;
  }

  const CostGraph& graph_;
  std::vector<bool> keep_;
  std::int64_t count_;
  std::vector<std::string> events_;
  std::map<std::string, int> group_;
  std::vector<std::vector<std::string>> groups_;
};

}  // namespace

std::vector<SlowEdge> slow_edges(const CostGraph& graph) {
  std::vector<SlowEdge> edges;
  if (!graph.fusion) return edges;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(graph.nodes.size()); ++i) {
    const CostGraphNode& node = graph.nodes[static_cast<std::size_t>(i)];
    for (const char letter : {'F', 'R'}) {
      for (const std::int64_t p : node.inputs) {
        if (p >= 0) edges.push_back({label(letter, p), label(letter, i)});
      }
    }
    if (!node.needs_gradient) continue;
    for (const std::int64_t p : node.backward_reads) {
      if (p >= 0) edges.push_back({label('R', p), label('B', i)});
    }
    for (std::int64_t c = 0; c < static_cast<std::int64_t>(graph.nodes.size()); ++c) {
      const CostGraphNode& consumer = graph.nodes[static_cast<std::size_t>(c)];
      if (consumer.needs_gradient && has(consumer.inputs, i))
        edges.push_back({label('B', c), label('B', i)});
    }
  }
  return edges;
}

SlowPlan slow_plan(const CostGraph& graph,
                   const std::vector<bool>& keep,
                   const std::vector<bool>& fusion) {
  return Slow(graph, keep).plan(fusion);
}

std::vector<SlowPlan> slow_plans_of_all_groupings(const CostGraph& graph,
                                                  const std::vector<bool>& keep) {
  return Slow(graph, keep).plans_of_all_groupings();
}

}  // namespace paretrain::tests
