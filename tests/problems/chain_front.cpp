#include "tests/problems/chain_front.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace paretrain::tests {

namespace {

constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();

// Something that takes bytes from one event of a segment's backward phase up to another.
struct Life {
  std::size_t begin = 0;
  std::size_t end = 0;  // included
  std::int64_t bytes = 0;
};

}  // namespace

ChainFront::ChainFront(const problems::CostGraph& chain)
    : chain_(chain), places_(chain.nodes.size() + 2) {
  CHECK(!chain.fusion, "chains are without fusion");
  always_bytes_ = chain.input_bytes + chain.static_bytes;
  std::int64_t all_bytes = 0;
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    const problems::CostGraphNode& node = chain.nodes[i];
    const auto id = static_cast<std::int64_t>(i);
    CHECK(node.needs_gradient, "every node of a chain needs a gradient");
    CHECK(node.inputs == std::vector<std::int64_t>{id - 1}, "a chain");
    for (const std::int64_t tensor : node.backward_reads)
      CHECK(tensor == id || tensor == id - 1, "reads own tensors only");
    always_latency_ += node.forward_latency + node.backward_latency;
    always_energy_ += node.forward_energy + node.backward_energy;
    most_latency_ += node.forward_latency;
    all_bytes += node.output_bytes;
  }
  CHECK(std::max({all_bytes, always_latency_, always_energy_}) < kNone, "sums below 2^31");
  const int nodes = static_cast<int>(chain.nodes.size());
  segments_.resize(places_ * places_);
  for (int begin = -1; begin < nodes; ++begin) {
    for (int end = begin + 1; end <= nodes; ++end) {
      const auto row = static_cast<std::size_t>(begin + 1);
      segments_[row * places_ + static_cast<std::size_t>(end + 1)] = segment(begin, end);
    }
  }
  std::int64_t kept = 0;
  for (std::size_t place = 0; place + 1 < places_; ++place) {
    const Segment& own = segment_at(place, place + 1);
    largest_peak_ = std::max(largest_peak_, always_bytes_ + kept + own.local_bytes);
    kept += own.kept_bytes;
  }
  std::int64_t low = 0;
  std::int64_t high = largest_peak_;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (plans_within(middle).empty()) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  least_peak_ = low;
}

const ChainFront::Segment& ChainFront::segment_at(std::size_t begin_place,
                                                  std::size_t end_place) const {
  return segments_[begin_place * places_ + end_place];
}

bool ChainFront::reads(int backward, int tensor) const {
  if (backward < 0 || backward >= static_cast<int>(chain_.nodes.size())) return false;
  const std::vector<std::int64_t>& list =
      chain_.nodes[static_cast<std::size_t>(backward)].backward_reads;
  return std::find(list.begin(), list.end(), tensor) != list.end();
}

ChainFront::Segment ChainFront::segment(int begin, int end) const {
  const int nodes = static_cast<int>(chain_.nodes.size());
  const int last = std::min(end, nodes - 1);
  const auto bytes = [&](int tensor) {
    return tensor < 0 || tensor >= nodes
               ? 0
               : chain_.nodes[static_cast<std::size_t>(tensor)].output_bytes;
  };
  const auto gradient = [&](int tensor) {
    if (!chain_.count_gradients || tensor < 0) return std::int64_t{0};
    return chain_.nodes[static_cast<std::size_t>(tensor)].gradient_bytes;
  };
  // The first backward that reads a tensor that is not kept asks for all that come before it.
  int asking = -1;
  int recomputed = begin;
  for (int i = last; i > begin && asking < 0; --i) {
    for (int tensor = i; tensor >= i - 1; --tensor) {
      if (asking >= 0 || tensor <= begin || tensor >= end || !reads(i, tensor)) continue;
      asking = i;
      recomputed = tensor;
    }
  }
  Segment result;
  for (int i = begin + 1; i <= recomputed; ++i) {
    result.latency += chain_.nodes[static_cast<std::size_t>(i)].forward_latency;
    result.energy += chain_.nodes[static_cast<std::size_t>(i)].forward_energy;
  }
  const bool read_by_backward = reads(begin, begin) || reads(begin + 1, begin);
  if (begin >= 0 && (read_by_backward || recomputed > begin)) result.kept_bytes = bytes(begin);
  for (int i = begin + 1; i <= last; ++i) {
    const std::int64_t first = i == begin + 1 ? bytes(begin) : result.kept_bytes;
    const std::int64_t operand = i - 1 > begin ? bytes(i - 1) : 0;
    result.local_bytes = std::max(result.local_bytes, first + operand + bytes(i));
  }
  // The backward phase: when each event happens, then what is alive.
  std::vector<std::size_t> backward_at(static_cast<std::size_t>(nodes) + 1, 0);
  std::vector<std::size_t> recompute_at(static_cast<std::size_t>(nodes) + 1, 0);
  std::vector<std::int64_t> alive;
  for (int i = last; i > begin; --i) {
    if (i == asking) {
      for (int j = begin + 1; j <= recomputed; ++j) {
        recompute_at[static_cast<std::size_t>(j)] = alive.size();
        alive.push_back(gradient(i));
      }
    }
    backward_at[static_cast<std::size_t>(i)] = alive.size();
    alive.push_back(gradient(i) + gradient(i - 1));
  }
  std::vector<Life> lives;
  for (int j = begin + 1; j <= recomputed; ++j) {
    const std::size_t made = recompute_at[static_cast<std::size_t>(j)];
    std::size_t until = j < recomputed ? recompute_at[static_cast<std::size_t>(j + 1)] : made;
    for (const int i : {j, j + 1}) {
      if (i <= last && reads(i, j))
        until = std::max(until, backward_at[static_cast<std::size_t>(i)]);
    }
    lives.push_back({.begin = made, .end = until, .bytes = bytes(j)});
  }
  if (end < nodes && reads(end, end))
    lives.push_back(
        {.begin = 0, .end = backward_at[static_cast<std::size_t>(end)], .bytes = bytes(end)});
  if (result.kept_bytes > 0 && !alive.empty()) {
    const std::size_t until =
        read_by_backward ? alive.size() - 1 : recompute_at[static_cast<std::size_t>(begin + 1)];
    lives.push_back({.begin = 0, .end = until, .bytes = result.kept_bytes});
  }
  for (const Life& life : lives) {
    for (std::size_t event = life.begin; event <= life.end; ++event)
      alive[event] += life.bytes;
  }
  for (const std::int64_t sum : alive)
    result.local_bytes = std::max(result.local_bytes, sum);
  return result;
}

std::vector<ChainFront::Label> ChainFront::labels_at(const std::vector<std::vector<Label>>& labels,
                                                     std::size_t place,
                                                     std::int64_t budget) const {
  const auto columns = static_cast<std::size_t>(most_latency_ + 1);
  const auto rows = static_cast<std::size_t>(budget - always_bytes_ + 1);
  std::vector<std::int32_t> least(rows * columns, kNone);
  for (std::size_t from = 0; from < place; ++from) {
    const Segment& step = segment_at(from, place);
    const std::int64_t room = budget - always_bytes_ - step.local_bytes;
    for (const Label& label : labels[from]) {
      if (label.kept > room) break;  // ordered by kept bytes
      const auto row = static_cast<std::size_t>(label.kept + step.kept_bytes);
      const auto column = static_cast<std::size_t>(label.latency + step.latency);
      if (row >= rows) continue;
      std::int32_t& cell = least[row * columns + column];
      cell = std::min(cell, label.energy + static_cast<std::int32_t>(step.energy));
    }
  }
  std::vector<Label> result;
  std::vector<std::int32_t> above(columns, kNone);  // least energy of rows before
  for (std::size_t row = 0; row < rows; ++row) {
    std::int32_t before = kNone;  // of this row up to the column
    for (std::size_t column = 0; column < columns; ++column) {
      before = std::min(before, above[column]);
      const std::int32_t cell = least[row * columns + column];
      if (cell < before) {
        result.push_back({.kept = static_cast<std::int32_t>(row),
                          .latency = static_cast<std::int32_t>(column),
                          .energy = cell});
        before = cell;
      }
      above[column] = before;
    }
  }
  return result;
}

std::vector<ChainPoint> ChainFront::plans_within(std::int64_t budget) const {
  std::vector<ChainPoint> plans;
  if (budget < always_bytes_) return plans;
  std::vector<std::vector<Label>> labels(places_);
  labels[0].push_back({});
  for (std::size_t place = 1; place < places_; ++place)
    labels[place] = labels_at(labels, place, budget);
  std::vector<Label>& ends = labels.back();
  std::sort(ends.begin(), ends.end(), [](const Label& a, const Label& b) {
    return a.latency != b.latency ? a.latency < b.latency : a.energy < b.energy;
  });
  for (const Label& label : ends) {
    const std::int64_t energy = always_energy_ + label.energy;
    if (!plans.empty() && plans.back().energy <= energy) continue;
    plans.push_back({.latency = always_latency_ + label.latency, .energy = energy, .peak = budget});
  }
  return plans;
}

std::vector<ChainPoint> ChainFront::front() const {
  std::vector<ChainPoint> result;
  std::vector<ChainPoint> best;  // of all smaller budgets
  for (std::int64_t budget = least_peak_; budget <= largest_peak_; ++budget) {
    const std::vector<ChainPoint> plans = plans_within(budget);
    for (const ChainPoint& plan : plans) {
      // Ascending latency and falling energy: the last one that is no later has least energy.
      const auto later = std::upper_bound(
          best.begin(),
          best.end(),
          plan.latency,
          [](std::int64_t latency, const ChainPoint& other) { return latency < other.latency; });
      if (later == best.begin() || (later - 1)->energy > plan.energy) result.push_back(plan);
    }
    best = plans;
  }
  return result;
}

}  // namespace paretrain::tests
