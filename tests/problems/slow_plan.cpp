#include "tests/problems/slow_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace paretrain::tests {

namespace {

using evaluator::GroupCost;
using evaluator::RunningOperator;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepOperatorId;
using evaluator::StepPhase;
using evaluator::StepValue;
using evaluator::StepValueId;
using evaluator::StepValueKind;
using problems::Gene;
using problems::GeneKind;

// An operator that runs, and a copy of a value.
struct Event {
  std::size_t op = 0;
  bool recompute = false;

  friend auto operator<=>(const Event&, const Event&) = default;
};

struct Copy {
  std::size_t value = 0;
  bool recomputed = false;

  friend auto operator<=>(const Copy&, const Copy&) = default;
};

// By which step, and where the copy lies until the next one.
struct HandOver {
  std::size_t step = 0;
  std::uint32_t place = 0;
};

class Slow {
 public:
  Slow(const problems::PlanProblem& problem, problems::GenomeView genome)
      : problem_(problem), graph_(problem.graph()), genome_(genome.begin(), genome.end()) {
    makers_.assign(graph_.values.size(), graph_.operators.size());
    for (std::size_t o = graph_.operators.size(); o-- > 0;) {
      for (const StepValueId id : op(o).writes)
        makers_[id.index()] = o;
    }
    list_events();
    for (const Event& event : events_) {
      for (const StepValueId id : op(event.op).reads)
        read_.insert(copy_read(event, id.index()));
    }
    for (std::size_t p = 0; p < events_.size(); ++p)
      place_[events_[p]] = p;
    list_dependences();
  }

  [[nodiscard]] SlowEvaluation evaluation() {
    decode();
    order();
    list_uses();
    list_hand_overs();
    SlowEvaluation result;
    result.canonical = genome_;
    result.groups = steps_.size();
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const GroupCost cost = problem_.model().cost(Content(*this, s).content());
      result.latency += cost.latency;
      result.energy += cost.energy;
      result.offchip_bytes += cost.offchip_bytes;
    }
    result.peak_bytes = peak();
    return result;
  }

 private:
  const StepValue& value(std::size_t v) const { return graph_.values[v]; }

  const StepOperator& op(std::size_t o) const { return graph_.operators[o]; }

  static bool lists(const std::vector<StepValueId>& ids, std::size_t v) {
    return std::find(ids.begin(), ids.end(), StepValueId(v)) != ids.end();
  }

  bool late(std::size_t o) const { return op(o).phase != StepPhase::Forward; }

  bool kept(std::size_t v) const {
    if (!value(v).keep_gene) return true;
    return problems::gene_is_set(genome_, problem_.keep_gene_positions()[*value(v).keep_gene]);
  }

  std::size_t maker(std::size_t v) const { return makers_[v]; }

  // Forward operators whose recompute an operator's reads ask for. `missing` says of a value
  // whether it would have to be recomputed.
  template <class Missing>
  std::set<std::size_t> asked(std::size_t o, Missing missing) const {
    std::set<std::size_t> found;
    std::vector<std::size_t> open = {o};
    while (!open.empty()) {
      const std::size_t reader = open.back();
      open.pop_back();
      for (const StepValueId id : op(reader).reads) {
        const std::size_t v = id.index();
        if (value(v).kind != StepValueKind::Forward || !missing(v)) continue;
        if (found.insert(maker(v)).second) open.push_back(maker(v));
      }
    }
    return found;
  }

  // The operator behind which a late operator runs: itself, or a later one when it overwrites what
  // that one reads or may ask to be read.
  std::size_t place(std::size_t o) const {
    std::size_t last = o;
    for (const StepValueId written : op(o).writes) {
      if (value(written.index()).kind != StepValueKind::Resident) continue;
      for (std::size_t b = o + 1; b < graph_.operators.size(); ++b) {
        bool reads = lists(op(b).reads, written.index()) && !lists(op(b).writes, written.index());
        const auto recomputable = [&](std::size_t v) { return value(v).keep_gene.has_value(); };
        for (const std::size_t f : asked(b, recomputable))
          reads = reads || lists(op(f).reads, written.index());
        if (reads) last = b;
      }
    }
    return last;
  }

  void list_events() {
    std::vector<std::size_t> late_order;
    for (std::size_t o = 0; o < graph_.operators.size(); ++o) {
      if (!late(o)) {
        events_.push_back({o, false});
        continue;
      }
      late_order.push_back(o);
    }
    std::map<std::size_t, std::size_t> places;
    for (const std::size_t o : late_order)
      places[o] = place(o);
    // Those that wait come behind the one they wait for.
    std::stable_sort(late_order.begin(), late_order.end(), [&](std::size_t a, std::size_t b) {
      if (places[a] != places[b]) return places[a] < places[b];
      return (places[a] == a) > (places[b] == b);
    });
    std::set<std::size_t> done;
    for (const std::size_t o : late_order) {
      const auto missing = [&](std::size_t v) { return !kept(v) && !done.contains(maker(v)); };
      const std::set<std::size_t> twins = asked(o, missing);
      for (const std::size_t f : twins)
        events_.push_back({f, true});
      done.insert(twins.begin(), twins.end());
      events_.push_back({o, false});
    }
  }

  bool runs(const Event& event) const { return place_.contains(event); }

  bool first_run_of_forward(const Event& event) const {
    return !event.recompute && !late(event.op);
  }

  Copy copy_read(const Event& event, std::size_t v) const {
    return {v, value(v).kind == StepValueKind::Forward && !first_run_of_forward(event) && !kept(v)};
  }

  bool reads(const Event& event, const Copy& copy) const {
    return lists(op(event.op).reads, copy.value) && copy_read(event, copy.value) == copy;
  }

  // A recompute produces what is missing and read; everything else produces all its results.
  bool makes(const Event& event, const Copy& copy) const {
    if (!lists(op(event.op).writes, copy.value)) return false;
    if (!event.recompute) return !copy.recomputed;
    return copy.recomputed && !kept(copy.value) && read_.contains(copy);
  }

  // Whether `before` must run before `after` because of one value; the order of the graph decides
  // between uses of a gradient that do not commute.
  bool depends(const Event& after, const Event& before, std::size_t v) const {
    const bool after_reads = lists(op(after.op).reads, v);
    const bool before_reads = lists(op(before.op).reads, v);
    const bool after_writes = lists(op(after.op).writes, v);
    const bool before_writes = lists(op(before.op).writes, v);
    switch (value(v).kind) {
      case StepValueKind::Forward:
        return after_reads && makes(before, copy_read(after, v));
      case StepValueKind::Gradient:
        return before.op < after.op &&
               ((after_reads && before_writes) || (after_writes && before_reads));
      case StepValueKind::Resident:
        if (after_writes && before_writes) return before.op < after.op;
        return after_writes && before_reads && !first_run_of_forward(before);
    }
    return false;
  }

  // Per event the events that must run before it because of a value. That forward operators run
  // before all others is left to the order of positions, which never contradicts it.
  void list_dependences() {
    std::map<std::size_t, std::vector<std::size_t>> touching;
    for (std::size_t p = 0; p < events_.size(); ++p) {
      for (const auto* ids : {&op(events_[p].op).reads, &op(events_[p].op).writes}) {
        for (const StepValueId id : *ids)
          touching[id.index()].push_back(p);
      }
    }
    before_.resize(events_.size());
    for (const auto& [v, places] : touching) {
      for (const std::size_t after : places) {
        for (const std::size_t before : places) {
          if (events_[after] != events_[before] && depends(events_[after], events_[before], v))
            before_[after].insert(before);
        }
      }
    }
  }

  RunningOperator running(const Event& event) const {
    RunningOperator result{.op = StepOperatorId(event.op), .recompute = event.recompute};
    if (!event.recompute) return result;
    result.produced = 0;
    const std::vector<StepValueId>& writes = op(event.op).writes;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (makes(event, {writes[i].index(), true})) result.produced |= std::uint64_t{1} << i;
    }
    return result;
  }

  // Takes away, again and again, the groups that wait for none; what is left waits in a circle.
  bool cyclic(const std::vector<std::size_t>& groups) const {
    std::map<std::size_t, std::set<std::size_t>> waits_for;
    for (std::size_t after = 0; after < events_.size(); ++after) {
      waits_for[groups[after]];
      for (const std::size_t before : before_[after]) {
        if (groups[before] != groups[after]) waits_for[groups[after]].insert(groups[before]);
      }
    }
    while (!waits_for.empty()) {
      std::vector<std::size_t> free;
      for (const auto& [name, others] : waits_for) {
        if (std::none_of(others.begin(), others.end(), [&](std::size_t other) {
              return waits_for.contains(other);
            }))
          free.push_back(name);
      }
      if (free.empty()) return true;
      for (const std::size_t name : free)
        waits_for.erase(name);
    }
    return false;
  }

  bool active(const Gene& gene) const {
    const Event producer{gene.producer.op.index(), gene.producer.recompute};
    const Event consumer{gene.consumer.op.index(), gene.consumer.recompute};
    if (!runs(producer) || !runs(consumer)) return false;
    if (!producer.recompute) return true;
    for (const StepValueId id : op(producer.op).writes) {
      if (reads(consumer, {id.index(), true})) return true;
    }
    return false;
  }

  bool legal(const std::vector<std::size_t>& groups, std::size_t name) const {
    std::vector<RunningOperator> members;
    for (std::size_t p = 0; p < events_.size(); ++p) {
      if (groups[p] == name) members.push_back(running(events_[p]));
    }
    return static_cast<std::int64_t>(members.size()) <= problem_.model().max_group_length() &&
           problem_.model().is_legal(members);
  }

  void decode() {
    for (std::size_t p = 0; p < events_.size(); ++p)
      group_.push_back(p);
    for (std::size_t g = 0; g < problem_.gene_count(); ++g) {
      const Gene& gene = problem_.genes()[g];
      if (gene.kind == GeneKind::Keep || !problems::gene_is_set(genome_, g)) continue;
      problems::set_gene(genome_, g, 0);
      if (!active(gene)) continue;
      const std::size_t into =
          group_[place_.at({gene.producer.op.index(), gene.producer.recompute})];
      const std::size_t from =
          group_[place_.at({gene.consumer.op.index(), gene.consumer.recompute})];
      std::vector<std::size_t> merged = group_;
      std::replace(merged.begin(), merged.end(), from, into);
      if (into != from && (!legal(merged, into) || cyclic(merged))) continue;
      group_ = merged;
      problems::set_gene(genome_, g, 1);
    }
  }

  // Of the groups whose predecessors have run, the one with the smallest position next.
  void order() {
    std::map<std::size_t, std::vector<std::size_t>> left;
    for (std::size_t p = 0; p < events_.size(); ++p)
      left[group_[p]].push_back(p);
    while (!left.empty()) {
      const auto ready = [&](const std::vector<std::size_t>& members) {
        for (const std::size_t after : members) {
          for (const std::size_t before : before_[after]) {
            if (group_[before] != group_[after] && left.contains(group_[before])) return false;
          }
        }
        return true;
      };
      auto next = left.end();
      for (auto group = left.begin(); group != left.end(); ++group) {
        const bool smaller = next == left.end() || group->second.front() < next->second.front();
        if (smaller && ready(group->second)) next = group;
      }
      steps_.emplace_back();
      for (const std::size_t p : next->second)
        steps_.back().push_back(events_[p]);
      left.erase(next);
    }
  }

  // Steps at which each copy is made or added to, and read.
  void list_uses() {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      for (const Event& event : steps_[s]) {
        for (const StepValueId id : op(event.op).reads)
          reading_[copy_read(event, id.index())].insert(s);
        for (const StepValueId id : op(event.op).writes) {
          const Copy copy{id.index(), event.recompute};
          if (makes(event, copy)) making_[copy].insert(s);
        }
      }
    }
  }

  std::set<std::size_t> making_steps(const Copy& copy) const {
    const auto found = making_.find(copy);
    return found == making_.end() ? std::set<std::size_t>() : found->second;
  }

  std::set<std::size_t> reading_steps(const Copy& copy) const {
    const auto found = reading_.find(copy);
    return found == reading_.end() ? std::set<std::size_t>() : found->second;
  }

  bool exists_before(const Copy& copy) const {
    const StepValue& v = value(copy.value);
    return v.kind == StepValueKind::Resident || v.exists_from_backward || v.exists_from_start ||
           making_steps(copy).empty();
  }

  bool is_read(std::size_t step, const Copy& copy) const {
    const std::set<std::size_t> makers = making_steps(copy);
    const bool content = exists_before(copy) || *makers.begin() < step;
    if (handed_.contains(copy)) return false;
    const StepValue& v = value(copy.value);
    const bool adds =
        v.kind == StepValueKind::Gradient && !v.disjoint_contributions && makers.contains(step);
    return content && (reading_steps(copy).contains(step) || adds);
  }

  bool is_written(std::size_t step, const Copy& copy) const {
    const std::set<std::size_t> makers = making_steps(copy);
    if (!makers.contains(step) || handed_.contains(copy)) return false;
    const StepValue& v = value(copy.value);
    const std::set<std::size_t> readers = reading_steps(copy);
    const bool later = *makers.rbegin() > step || (!readers.empty() && *readers.rbegin() > step);
    return later || readers.empty() || v.kind == StepValueKind::Resident || v.leaves_step ||
           v.exists_to_end;
  }

  std::set<Copy> touched(std::size_t step) const {
    std::set<Copy> copies;
    for (const Event& event : steps_[step]) {
      for (const StepValueId id : op(event.op).reads)
        copies.insert(copy_read(event, id.index()));
      for (const StepValueId id : op(event.op).writes)
        copies.insert({id.index(), event.recompute});
    }
    return copies;
  }

  // What a step is for the model.
  struct Content {
    Content(const Slow& slow, std::size_t step) {
      for (const Event& event : slow.steps_[step])
        members.push_back(slow.running(event));
      for (const Copy& copy : slow.touched(step)) {
        if (slow.is_read(step, copy)) read.push_back(StepValueId(copy.value));
        if (slow.is_written(step, copy)) written.push_back(StepValueId(copy.value));
      }
      for (const auto& [copy, hand_over] : slow.handed_) {
        const evaluator::CarriedValue value{StepValueId(copy.value), hand_over.place};
        if (hand_over.step + 1 == step) carried_in.push_back(value);
        if (hand_over.step == step) carried_out.push_back(value);
      }
    }

    evaluator::GroupContent content() const {
      return {members, read, written, carried_in, carried_out};
    }

    std::vector<RunningOperator> members;
    std::vector<StepValueId> read;
    std::vector<StepValueId> written;
    std::vector<evaluator::CarriedValue> carried_in;
    std::vector<evaluator::CarriedValue> carried_out;
  };

  // Made in the step alone, read in the next one, touched by nobody else.
  bool may_be_handed_over(std::size_t step, const Copy& copy) const {
    const StepValue& v = value(copy.value);
    const std::set<std::size_t> readers = reading_steps(copy);
    return !exists_before(copy) && !v.leaves_step && !v.exists_to_end &&
           making_steps(copy) == std::set<std::size_t>{step} && !readers.empty() &&
           *readers.rbegin() == step + 1 &&
           v.bytes.number() <= problem_.model().most_carried_bytes();
  }

  void list_hand_overs() {
    if (problem_.model().most_carried_bytes() == 0) return;
    for (std::size_t s = 0; s + 1 < steps_.size(); ++s) {
      std::vector<Copy> copies;
      for (const Copy& copy : touched(s))
        if (may_be_handed_over(s, copy)) copies.push_back(copy);
      std::stable_sort(copies.begin(), copies.end(), [&](const Copy& a, const Copy& b) {
        return value(a.value).bytes > value(b.value).bytes;
      });
      if (copies.empty()) continue;
      copies.resize(std::min(copies.size(), evaluator::kMostCarried));
      std::vector<StepValueId> candidates;
      for (const Copy& copy : copies)
        candidates.push_back(StepValueId(copy.value));
      const Content from(*this, s);
      const Content to(*this, s + 1);
      const auto answer = problem_.model().carried({from.content(), to.content(), candidates});
      for (std::size_t c = 0; c < copies.size(); ++c)
        if (answer[c] > 0) handed_[copies[c]] = {s, answer[c] - 1U};
    }
  }

  std::int64_t peak() const {
    std::int64_t always = graph_.static_bytes.number();
    std::vector<std::int64_t> alive(steps_.size(), 0);
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      if (!value(v).counted) continue;
      if (value(v).kind == StepValueKind::Resident) {
        always += value(v).bytes.number();
        continue;
      }
      for (const bool recomputed : {false, true}) {
        for (const std::size_t s : alive_steps({v, recomputed}))
          alive[s] += value(v).bytes.number();
      }
    }
    return always + (alive.empty() ? 0 : *std::max_element(alive.begin(), alive.end()));
  }

  std::set<std::size_t> alive_steps(const Copy& copy) const {
    std::set<std::size_t> uses = making_steps(copy);
    const std::set<std::size_t> readers = reading_steps(copy);
    const bool made = !uses.empty();
    uses.insert(readers.begin(), readers.end());
    if (uses.empty() || handed_.contains(copy)) return {};
    const StepValue& v = value(copy.value);
    if (made && !exists_before(copy) && uses.size() == 1 && !readers.empty() && !v.leaves_step &&
        !v.exists_to_end)
      return {};
    std::size_t first = *uses.begin();
    if (v.exists_from_start) {
      first = 0;
    } else if (v.exists_from_backward) {
      first = 0;
      while (first_run_of_forward(steps_[first].front()))
        ++first;
    }
    const std::size_t last = v.exists_to_end ? steps_.size() - 1 : *uses.rbegin();
    std::set<std::size_t> result;
    for (std::size_t s = first; s <= last; ++s)
      result.insert(s);
    return result;
  }

  const problems::PlanProblem& problem_;
  const StepGraph& graph_;
  problems::Genome genome_;
  std::vector<std::size_t> makers_;  // per value: the first operator that writes it
  std::vector<Event> events_;        // by original position
  std::set<Copy> read_;              // by any event
  std::map<Event, std::size_t> place_;
  std::vector<std::set<std::size_t>> before_;
  std::vector<std::size_t> group_;  // per event
  std::vector<std::vector<Event>> steps_;
  std::map<Copy, std::set<std::size_t>> making_;
  std::map<Copy, std::set<std::size_t>> reading_;
  std::map<Copy, HandOver> handed_;
};

}  // namespace

SlowEvaluation slow_evaluation(const problems::PlanProblem& problem, problems::GenomeView genome) {
  return Slow(problem, genome).evaluation();
}

}  // namespace paretrain::tests
