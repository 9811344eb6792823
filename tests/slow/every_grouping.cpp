#include "tests/slow/every_grouping.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/check.h"

namespace paretrain::tests {

using evaluator::Phase;
using evaluator::RunningOperator;

namespace {

using Mask = std::uint64_t;  // bit r: run r

Mask bit(std::size_t run) {
  return Mask{1} << run;
}

bool no_worse(const PlainPoint& a, const PlainPoint& b) {
  return a.latency <= b.latency && a.energy <= b.energy && a.peak_bytes <= b.peak_bytes;
}

// The groupings of the forward runs or of all others, with the other part unfused.
class Part {
 public:
  Part(const PlainStep& step,
       const PlainGroups& groups,
       const PlainRuns& plan,
       Mask runs,
       PlainObjectives objectives,
       std::uint64_t most)
      : step_(step),
        groups_(groups),
        plan_(plan),
        runs_(runs),
        objectives_(objectives),
        most_(most),
        neighbours_(plan.runs.size(), 0) {
    for (std::size_t r = 0; r <= plan.runs.size(); ++r)
      group_.push_back(r);
    for (const PlainGene& gene : step.genes) {
      if (!is_active(plan, gene)) continue;
      const std::size_t a = *plan.place(gene.producer);
      const std::size_t b = *plan.place(gene.consumer);
      neighbours_[a] |= bit(b);
      neighbours_[b] |= bit(a);
    }
    list_blocks();
  }

  // False when there are too many.
  bool search() {
    extend(runs_);
    return count_ <= most_;
  }

  [[nodiscard]] const PlainFront& front() const { return front_; }

  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  // All connected sets of runs that may be a group, by their first run.
  void list_blocks() {
    blocks_.resize(plan_.runs.size());
    std::set<Mask> level;
    for (std::size_t r = 0; r < plan_.runs.size(); ++r) {
      if ((runs_ & bit(r)) != 0) level.insert(bit(r));
    }
    for (std::size_t length = 1; length <= groups_.longest && !level.empty(); ++length) {
      std::set<Mask> longer;
      for (const Mask block : level) {
        if (length == 1 || is_legal(block)) blocks_[first(block)].push_back(block);
        for (std::size_t r = 0; r < plan_.runs.size(); ++r) {
          const bool touches = (block & neighbours_[r]) != 0;
          if ((runs_ & ~block & bit(r)) != 0 && touches) longer.insert(block | bit(r));
        }
      }
      level = std::move(longer);
    }
  }

  static std::size_t first(Mask block) {
    std::size_t r = 0;
    while ((block & bit(r)) == 0)
      ++r;
    return r;
  }

  bool is_legal(Mask block) const {
    std::vector<RunningOperator> members;
    for (std::size_t r = 0; r < plan_.runs.size(); ++r) {
      if ((block & bit(r)) != 0) members.push_back(running_operator(step_, plan_, r));
    }
    return groups_.legal(members);
  }

  // Chooses the group of the first run that has none. Groups chosen before wait for each other in a
  // circle whatever follows, so such a choice is given up at once.
  void extend(Mask left) {
    if (count_ > most_) return;
    if (left == 0) {
      ++count_;
      add_point();
      return;
    }
    const std::size_t name = first(left);
    for (const Mask block : blocks_[name]) {
      if ((block & ~left) != 0) continue;
      name_members(block, name);
      if (block == bit(name) || !is_cyclic(plan_, group_)) extend(left & ~block);
      unname_members(block);
    }
  }

  void name_members(Mask block, std::size_t name) {
    for (std::size_t r = 0; r < plan_.runs.size(); ++r) {
      if ((block & bit(r)) != 0) group_[r] = name;
    }
  }

  void unname_members(Mask block) {
    for (std::size_t r = 0; r < plan_.runs.size(); ++r) {
      if ((block & bit(r)) != 0) group_[r] = r;
    }
  }

  void add_point() {
    PlainPoint point;
    for (const PlainTurn& turn : plain_turns(step_, groups_, plan_, group_)) {
      if ((runs_ & bit(turn.runs.front())) == 0) continue;
      point.latency += turn.cost.latency;
      if (objectives_ == PlainObjectives::LatencyEnergyPeak) point.energy += turn.cost.energy;
      point.peak_bytes = std::max(point.peak_bytes, turn.alive_bytes);
    }
    front_.add(point);
  }

  const PlainStep& step_;
  const PlainGroups& groups_;
  const PlainRuns& plan_;
  Mask runs_;
  PlainObjectives objectives_;
  std::uint64_t most_;
  std::vector<Mask> neighbours_;           // per run, over active edges
  std::vector<std::vector<Mask>> blocks_;  // per first run
  std::vector<std::size_t> group_;
  PlainFront front_;
  std::uint64_t count_ = 0;
};

Mask forward_runs(const PlainStep& step, const PlainRuns& plan) {
  Mask result = 0;
  for (std::size_t r = 0; r < plan.runs.size(); ++r) {
    const bool forward = step.operators[plan.runs[r].op].phase == Phase::Forward;
    if (forward && !plan.runs[r].recompute) result |= bit(r);
  }
  return result;
}

}  // namespace

void PlainFront::add(const PlainPoint& point) {
  for (const PlainPoint& known : points_) {
    if (no_worse(known, point)) return;
  }
  std::erase_if(points_, [&](const PlainPoint& known) { return no_worse(point, known); });
  const auto key = [](const PlainPoint& p) {
    return std::tuple(p.latency, p.energy, p.peak_bytes);
  };
  points_.insert(std::upper_bound(points_.begin(),
                                  points_.end(),
                                  point,
                                  [&](const auto& a, const auto& b) { return key(a) < key(b); }),
                 point);
}

std::optional<EveryGrouping> every_grouping(const PlainStep& step,
                                            const PlainGroups& groups,
                                            PlainObjectives objectives,
                                            std::uint64_t most) {
  std::vector<std::size_t> keep;
  for (std::size_t g = 0; g < step.genes.size(); ++g) {
    if (step.genes[g].storage) keep.push_back(g);
  }
  EveryGrouping result;
  for (std::uint64_t kept = 0; kept < (std::uint64_t{1} << keep.size()); ++kept) {
    std::vector<std::uint8_t> genes(step.genes.size(), 0);
    for (std::size_t k = 0; k < keep.size(); ++k)
      genes[keep[k]] = ((kept >> k) & 1U) != 0 ? 1 : 0;
    const PlainRuns plan = plain_runs(step, genes);
    CHECK(plan.runs.size() < 64, "too many operators for a brute force");
    const Mask forward = forward_runs(step, plan);
    const Mask late = (bit(plan.runs.size()) - 1) & ~forward;
    Part first(step, groups, plan, forward, objectives, most);
    Part second(step, groups, plan, late, objectives, most);
    if (!first.search() || !second.search()) return std::nullopt;
    result.plans += first.count() * second.count();
    for (const PlainPoint& a : first.front().points()) {
      for (const PlainPoint& b : second.front().points())
        result.front.add(
            {a.latency + b.latency, a.energy + b.energy, std::max(a.peak_bytes, b.peak_bytes)});
    }
  }
  return result;
}

}  // namespace paretrain::tests
