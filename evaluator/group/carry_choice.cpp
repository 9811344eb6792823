#include "evaluator/group/carry_choice.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

// Of both groups together: what is minimised, then what decides between equals.
struct PairRank {
  double first = 0;
  double second = 0;
  friend auto operator<=>(const PairRank&, const PairRank&) = default;
};

struct PairCost {
  PairRank rank;
  std::int64_t offchip_bytes = 0;
};

PairRank rank_of(const GroupCost& cost, Objective objective) {
  const auto latency = static_cast<double>(cost.latency);
  switch (objective) {
    case Objective::Latency:
      return {latency, cost.energy};
    case Objective::Energy:
      return {cost.energy, latency};
    case Objective::Edp:
      return {latency * cost.energy, cost.energy};
  }
  CHECK(false, "an objective that does not exist");
  return {};
}

class CarryChooser {
 public:
  CarryChooser(Objective objective, const CarryQuestion& question, const CostOfGroup& cost)
      : objective_(objective),
        question_(question),
        cost_(cost),
        writes_(question.from.writes.begin(), question.from.writes.end()),
        reads_(question.to.reads.begin(), question.to.reads.end()) {}

  // Of what is carried now. Empty when one of the two groups does not fit.
  [[nodiscard]] std::optional<PairCost> cost() const {
    const auto from = cost_({question_.from.operators,
                             question_.from.reads,
                             writes_,
                             question_.from.carried_in,
                             carried_});
    if (!from) return std::nullopt;
    const auto to = cost_({question_.to.operators, reads_, question_.to.writes, carried_, {}});
    if (!to) return std::nullopt;
    const PairRank a = rank_of(*from, objective_);
    const PairRank b = rank_of(*to, objective_);
    return PairCost{{a.first + b.first, a.second + b.second},
                    from->offchip_bytes + to->offchip_bytes};
  }

  void add(CarriedValue carried) {
    std::erase(writes_, carried.value);
    std::erase(reads_, carried.value);
    carried_.push_back(carried);
  }

 private:
  Objective objective_;
  const CarryQuestion& question_;
  const CostOfGroup& cost_;
  std::vector<StepValueId> writes_;  // of the first group
  std::vector<StepValueId> reads_;   // of the second
  std::vector<CarriedValue> carried_;
};

}  // namespace

CarryAnswer carry_choice(const TrainingGraph& graph,
                         std::span<const HoldingPlace> places,
                         Objective objective,
                         const CarryQuestion& question,
                         const CostOfGroup& cost) {
  CarryAnswer answer{};
  CarryChooser chosen(objective, question, cost);
  std::optional<PairCost> best = chosen.cost();
  CHECK(best.has_value(), "a group of a plan has no way without hand-overs");
  for (std::size_t c = 0; c < question.candidates.size(); ++c) {
    const StepValueId value = question.candidates[c];
    const std::int64_t bytes = graph.storages[value.index()].bytes.number();
    const PairCost before = *best;
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (bytes > places[p].most_bytes) continue;
      CarryChooser with = chosen;
      with.add({value, static_cast<std::uint32_t>(p)});
      const auto tried = with.cost();
      if (!tried || tried->offchip_bytes > before.offchip_bytes) continue;
      const bool better = answer[c] == 0 ? tried->rank <= best->rank : tried->rank < best->rank;
      if (!better) continue;
      best = tried;
      answer[c] = static_cast<std::uint8_t>(p + 1);
    }
    if (answer[c] > 0) chosen.add({value, answer[c] - 1U});
  }
  return answer;
}

}  // namespace paretrain::evaluator
