#include "problems/segment_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"

namespace paretrain::problems {

namespace {

using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepPhase;
using evaluator::StepValue;
using evaluator::StepValueKind;

// Operators are numbered as in the graph.
struct Candidate {
  std::int64_t bytes = 0;
  std::size_t maker = 0;
  std::size_t last_forward = 0;  // operator that uses it in the forward phase
  std::optional<std::size_t> first_late;
  std::optional<std::size_t> last_late;
  std::vector<std::size_t> recompute_readers;  // places of candidates made from it, ascending
};

// Sums over a range of events of what is alive at each.
class AliveBytes {
 public:
  void begin(std::size_t events) { changes_.assign(events + 1, 0); }

  // From event `first` to event `last`, both included.
  void add(std::size_t first, std::size_t last, std::int64_t bytes) {
    changes_[first] += bytes;
    changes_[last + 1] -= bytes;
  }

  // The largest sum together with what others take at each event.
  template <class Others>
  [[nodiscard]] std::int64_t largest(Others&& others) const {
    std::int64_t most = 0;
    std::int64_t sum = 0;
    for (std::size_t event = 0; event + 1 < changes_.size(); ++event) {
      sum += changes_[event];
      most = std::max(most, sum + others(event));
    }
    return most;
  }

  [[nodiscard]] std::vector<std::int64_t> sums() const {
    std::vector<std::int64_t> result(changes_.size() - 1);
    std::int64_t sum = 0;
    for (std::size_t event = 0; event < result.size(); ++event)
      result[event] = sum += changes_[event];
    return result;
  }

 private:
  std::vector<std::int64_t> changes_;
};

class Builder {
 public:
  Builder(const StepGraph& graph, const RecomputeCosts& costs) : graph_(graph), costs_(costs) {
    find_candidates();
    find_uses();
    find_other_bytes();
    find_windows();
  }

  [[nodiscard]] std::size_t places() const { return candidates_.size() + 2; }

  [[nodiscard]] Segment segment(std::size_t begin, std::size_t end) {
    find_recomputed(begin, end);
    Segment result;
    for (const std::size_t place : recomputed_) {
      result.latency += costs_.latency[place - 1];
      result.energy += costs_.energy[place - 1];
    }
    if (begin > 0 && (candidate(begin).last_late || is_read_by_recompute(begin)))
      result.kept_bytes = candidate(begin).bytes;
    result.local_bytes = std::max(
        {forward_bytes(begin, end, result), late_bytes(begin, end), burst_bytes(begin, end)});
    return result;
  }

 private:
  // Places count from 1.
  [[nodiscard]] const Candidate& candidate(std::size_t place) const {
    return candidates_[place - 1];
  }

  [[nodiscard]] bool is_candidate(std::size_t place) const {
    return place >= 1 && place <= candidates_.size();
  }

  void find_candidates() {
    forward_operators_ = 0;
    place_of_value_.assign(graph_.values.size(), 0);
    candidates_.resize(graph_.keep_genes);
    for (std::size_t value = 0; value < graph_.values.size(); ++value) {
      const StepValue& described = graph_.values[value];
      if (!described.keep_gene) continue;
      place_of_value_[value] = *described.keep_gene + 1;
      candidates_[*described.keep_gene].bytes = described.counted ? described.bytes.number() : 0;
    }
    for (std::size_t op = 0; op < graph_.operators.size(); ++op) {
      if (graph_.operators[op].phase != StepPhase::Forward) continue;
      forward_operators_ = op + 1;
      for (const evaluator::StepValueId value : graph_.operators[op].writes) {
        const std::size_t place = place_of_value_[value.index()];
        if (place == 0) continue;
        candidates_[place - 1].maker = op;
        candidates_[place - 1].last_forward = op;
      }
    }
  }

  void find_uses() {
    for (std::size_t op = 0; op < graph_.operators.size(); ++op) {
      const StepOperator& described = graph_.operators[op];
      for (const evaluator::StepValueId value : described.reads) {
        const std::size_t place = place_of_value_[value.index()];
        if (place == 0) continue;
        Candidate& read = candidates_[place - 1];
        if (described.phase != StepPhase::Forward) {
          if (!read.first_late) read.first_late = op;
          read.last_late = op;
          continue;
        }
        read.last_forward = op;
        for (const evaluator::StepValueId made : described.writes) {
          const std::size_t reader = place_of_value_[made.index()];
          if (reader != 0) read.recompute_readers.push_back(reader);
        }
      }
    }
  }

  // What is alive that is no candidate and not always there.
  void find_other_bytes() {
    const std::size_t operators = graph_.operators.size();
    AliveBytes all;
    AliveBytes older;
    all.begin(operators);
    older.begin(operators);
    constexpr std::size_t kNever = ~std::size_t{0};
    std::vector<std::size_t> first(graph_.values.size(), kNever);
    std::vector<std::size_t> last(graph_.values.size(), 0);
    for (std::size_t op = 0; op < operators; ++op) {
      for (const auto* const list : {&graph_.operators[op].reads, &graph_.operators[op].writes}) {
        for (const evaluator::StepValueId value : *list) {
          first[value.index()] = std::min(first[value.index()], op);
          last[value.index()] = op;
        }
      }
    }
    for (std::size_t value = 0; value < graph_.values.size(); ++value) {
      const StepValue& described = graph_.values[value];
      if (described.kind == StepValueKind::Resident || place_of_value_[value] != 0) continue;
      if (!described.counted || first[value] == kNever) continue;
      std::size_t from = first[value];
      const bool exists = described.exists_from_start || described.exists_from_backward;
      if (described.exists_from_start) from = 0;
      if (described.exists_from_backward) from = std::min(from, forward_operators_);
      const std::size_t to = described.exists_to_end ? operators - 1 : last[value];
      all.add(from, to, described.bytes.number());
      const std::size_t older_from = exists ? from : from + 1;
      if (older_from <= to) older.add(older_from, to, described.bytes.number());
    }
    other_bytes_ = all.sums();
    older_bytes_ = older.sums();
  }

  // late_begin_[g]: the first late operator whose forward operator comes before or at the maker of
  // place g + 1.
  void find_windows() {
    late_begin_.assign(candidates_.size() + 1, graph_.operators.size());
    std::size_t gap = candidates_.size();
    for (std::size_t op = forward_operators_; op < graph_.operators.size(); ++op) {
      if (const auto& forward = graph_.operators[op].forward) {
        const auto later =
            std::lower_bound(candidates_.begin(),
                             candidates_.end(),
                             forward->index(),
                             [](const Candidate& made, std::size_t at) { return made.maker < at; });
        gap = static_cast<std::size_t>(later - candidates_.begin());
      }
      for (std::size_t g = gap; g < late_begin_.size(); ++g)
        late_begin_[g] = std::min(late_begin_[g], op);
    }
  }

  // Late operators of the segment: from `first` up to before `last`.
  struct Window {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  [[nodiscard]] Window window(std::size_t begin, std::size_t end) const {
    return {.first = late_begin_[end - 1],
            .last = begin == 0 ? graph_.operators.size() : late_begin_[begin - 1]};
  }

  // Places between the two that run again, ascending.
  void find_recomputed(std::size_t begin, std::size_t end) {
    recomputed_.clear();
    is_recomputed_.assign(places(), 0);
    burst_ = graph_.operators.size();
    for (std::size_t place = end - 1; place > begin; --place) {
      const Candidate& own = candidate(place);
      const bool is_read = std::any_of(
          own.recompute_readers.begin(), own.recompute_readers.end(), [&](std::size_t reader) {
            return is_recomputed_[reader] != 0;
          });
      if (!own.first_late && !is_read) continue;
      is_recomputed_[place] = 1;
      recomputed_.push_back(place);
      if (own.first_late) burst_ = std::min(burst_, *own.first_late);
    }
    std::reverse(recomputed_.begin(), recomputed_.end());
  }

  [[nodiscard]] bool is_read_by_recompute(std::size_t place) const {
    const std::vector<std::size_t>& readers = candidate(place).recompute_readers;
    return std::any_of(readers.begin(), readers.end(), [&](std::size_t reader) {
      return is_recomputed_[reader] != 0;
    });
  }

  [[nodiscard]] std::int64_t forward_bytes(std::size_t begin,
                                           std::size_t end,
                                           const Segment& found) {
    const std::size_t first = begin == 0 ? 0 : candidate(begin).maker + 1;
    const std::size_t last = is_candidate(end) ? candidate(end).maker + 1 : forward_operators_;
    if (first >= last) return 0;
    alive_.begin(last - first);
    const auto add = [&](std::size_t from, std::size_t to, std::int64_t bytes) {
      from = std::max(from, first);
      to = std::min(to, last - 1);
      if (from <= to) alive_.add(from - first, to - first, bytes);
    };
    for (std::size_t place = begin + 1; place < end; ++place)
      add(candidate(place).maker, candidate(place).last_forward, candidate(place).bytes);
    if (is_candidate(end)) add(candidate(end).maker, candidate(end).maker, candidate(end).bytes);
    if (found.kept_bytes > 0) {
      add(first, last - 1, found.kept_bytes);
    } else if (begin > 0) {
      add(first, candidate(begin).last_forward, candidate(begin).bytes);
    }
    return alive_.largest([&](std::size_t event) { return other_bytes_[first + event]; });
  }

  [[nodiscard]] std::int64_t late_bytes(std::size_t begin, std::size_t end) {
    const Window own = window(begin, end);
    if (own.first >= own.last) return 0;
    alive_.begin(own.last - own.first);
    const auto add = [&](std::size_t from, std::size_t to, std::int64_t bytes) {
      from = std::max(from, own.first);
      to = std::min(to, own.last - 1);
      if (from <= to) alive_.add(from - own.first, to - own.first, bytes);
    };
    for (const std::size_t place : recomputed_) {
      const Candidate& made = candidate(place);
      if (made.last_late) add(burst_, *made.last_late, made.bytes);
    }
    if (is_candidate(end) && candidate(end).last_late)
      add(own.first, *candidate(end).last_late, candidate(end).bytes);
    if (begin > 0) {
      const Candidate& kept = candidate(begin);
      if (kept.last_late) {
        add(own.first, *kept.last_late, kept.bytes);
      } else if (is_read_by_recompute(begin) && burst_ > own.first) {
        add(own.first, burst_ - 1, kept.bytes);
      }
    }
    return alive_.largest([&](std::size_t event) { return other_bytes_[own.first + event]; });
  }

  // While the recomputes run, one event each.
  [[nodiscard]] std::int64_t burst_bytes(std::size_t begin, std::size_t end) {
    if (recomputed_.empty() || burst_ == graph_.operators.size()) return 0;
    const std::size_t events = recomputed_.size();
    alive_.begin(events);
    const auto event_of = [&](std::size_t place) {
      return static_cast<std::size_t>(
          std::lower_bound(recomputed_.begin(), recomputed_.end(), place) - recomputed_.begin());
    };
    const auto last_reader = [&](std::size_t place) -> std::optional<std::size_t> {
      std::optional<std::size_t> found;
      for (const std::size_t reader : candidate(place).recompute_readers) {
        if (is_recomputed_[reader] != 0) found = std::max(found.value_or(0), event_of(reader));
      }
      return found;
    };
    for (std::size_t event = 0; event < events; ++event) {
      const std::size_t place = recomputed_[event];
      const std::size_t until =
          candidate(place).last_late ? events - 1 : last_reader(place).value_or(event);
      alive_.add(event, until, candidate(place).bytes);
    }
    if (is_candidate(end) && candidate(end).last_late.value_or(0) >= burst_)
      alive_.add(0, events - 1, candidate(end).bytes);
    if (begin > 0) {
      const std::optional<std::size_t> reader = last_reader(begin);
      if (candidate(begin).last_late) {
        alive_.add(0, events - 1, candidate(begin).bytes);
      } else if (reader) {
        alive_.add(0, *reader, candidate(begin).bytes);
      }
    }
    return alive_.largest([&](std::size_t) { return older_bytes_[burst_]; });
  }

  const StepGraph& graph_;
  const RecomputeCosts& costs_;
  std::size_t forward_operators_ = 0;
  std::vector<std::size_t> place_of_value_;  // 0: no candidate
  std::vector<Candidate> candidates_;
  std::vector<std::int64_t> other_bytes_;  // per operator
  std::vector<std::int64_t> older_bytes_;  // per operator: of those, what was there before it
  std::vector<std::size_t> late_begin_;
  // Of the segment at hand.
  std::vector<std::size_t> recomputed_;
  std::vector<std::uint8_t> is_recomputed_;  // per place
  std::size_t burst_ = 0;                    // the late operator before which they run
  AliveBytes alive_;
};

}  // namespace

SegmentTable::SegmentTable(const StepGraph& graph, const RecomputeCosts& costs) {
  CHECK(costs.latency.size() == graph.keep_genes && costs.energy.size() == graph.keep_genes,
        "one cost per candidate");
  Builder builder(graph, costs);
  places_ = builder.places();
  segments_.resize(places_ * places_);
  for (std::size_t begin = 0; begin + 1 < places_; ++begin) {
    for (std::size_t end = begin + 1; end < places_; ++end)
      segments_[begin * places_ + end] = builder.segment(begin, end);
  }
}

SegmentTable::SegmentTable(std::size_t places, std::vector<Segment> segments)
    : places_(places), segments_(std::move(segments)) {
  CHECK(places_ > 1 && segments_.size() == places_ * places_, "one segment per pair of places");
}

}  // namespace paretrain::problems
