#include "tests/problems/random_plan_problem.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"

namespace paretrain::tests {

namespace {

using evaluator::FusionGenes;
using evaluator::GroupContent;
using evaluator::GroupCost;
using evaluator::RunningOperator;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepOperatorId;
using evaluator::StepPhase;
using evaluator::StepValue;
using evaluator::StepValueId;
using evaluator::StepValueKind;

// A model whose answers depend on all that it is told, in whatever order values are listed.
class MixingModel final : public evaluator::GroupModel {
 public:
  MixingModel(std::uint64_t seed, std::vector<std::int64_t> bytes, HandOvers hand_overs)
      : seed_(seed), bytes_(std::move(bytes)), hand_overs_(hand_overs) {}

  [[nodiscard]] std::int64_t max_group_length() const override {
    return 2 + static_cast<std::int64_t>(seed_ % 4);
  }

  [[nodiscard]] bool is_legal(std::span<const RunningOperator> operators) const override {
    return hash_of_operators(operators) % 8 != 0;
  }

  [[nodiscard]] GroupCost cost(const GroupContent& group) const override {
    GroupCost result;
    std::uint64_t mixed_values = 0;
    for (const StepValueId id : group.reads) {
      mixed_values += mixed(id.index());
      result.offchip_bytes += bytes_[id.index()];
    }
    for (const StepValueId id : group.writes) {
      mixed_values += mixed(1000 + id.index());
      result.offchip_bytes += bytes_[id.index()];
    }
    mixed_values += mixed_carried(group.carried_in, 2000) + mixed_carried(group.carried_out, 3000);
    const std::uint64_t hash = combined(hash_of_operators(group.operators), mixed_values);
    result.latency = static_cast<std::int64_t>(hash % 1000);
    result.energy = static_cast<double>((hash >> 20U) % 1000);
    return result;
  }

  [[nodiscard]] std::int64_t most_carried_bytes() const override {
    return hand_overs_ == HandOvers::Some ? 7 : 0;
  }

  [[nodiscard]] evaluator::CarryAnswer carried(
      const evaluator::CarryQuestion& question) const override {
    std::uint64_t hash = combined(hash_of_operators(question.from.operators),
                                  hash_of_operators(question.to.operators));
    hash = combined(hash, mixed_carried(question.from.carried_in, 2000));
    evaluator::CarryAnswer answer{};
    for (std::size_t c = 0; c < question.candidates.size(); ++c) {
      hash = combined(hash, question.candidates[c].index());
      answer[c] = static_cast<std::uint8_t>(hash % 4);
    }
    return answer;
  }

 private:
  static std::uint64_t mixed_carried(std::span<const evaluator::CarriedValue> values,
                                     std::uint64_t offset) {
    std::uint64_t sum = 0;
    for (const evaluator::CarriedValue& carried : values)
      sum += mixed(offset + 10 * carried.value.index() + carried.place);
    return sum;
  }

  [[nodiscard]] std::uint64_t hash_of_operators(std::span<const RunningOperator> operators) const {
    std::uint64_t hash = seed_;
    for (const RunningOperator& running : operators) {
      hash = combined(hash, 2 * running.op.index() + (running.recompute ? 1 : 0));
      hash = combined(hash, running.produced);
    }
    return hash;
  }

  std::uint64_t seed_;
  std::vector<std::int64_t> bytes_;
  HandOvers hand_overs_;
};

class Builder {
 public:
  explicit Builder(RandomStream& random) : random_(random) {}

  [[nodiscard]] StepGraph graph() {
    graph_.static_bytes = Bytes(static_cast<std::int64_t>(random_.below(3)));
    for (std::uint64_t i = 0; i < 3; ++i)
      parameters_.push_back(add_value(StepValueKind::Resident));
    const std::uint64_t forward = 1 + random_.below(5);
    for (std::uint64_t i = 0; i < forward; ++i)
      add_forward();
    for (std::uint64_t i = 0; i < 1 + random_.below(6); ++i)
      add_backward(forward);
    for (const StepValueId gradient : gradients_)
      add_update(gradient);
    graph_.fusion_genes =
        random_.below(2) == 0 ? FusionGenes::WithUpdates : FusionGenes::WithoutUpdates;
    return graph_;
  }

 private:
  bool one_in(std::uint64_t count) { return random_.below(count) == 0; }

  StepValueId any(const std::vector<StepValueId>& ids) { return ids[random_.below(ids.size())]; }

  static void add_once(std::vector<StepValueId>& ids, StepValueId id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }

  StepValueId add_value(StepValueKind kind) {
    StepValue value;
    value.kind = kind;
    value.name = "v" + std::to_string(graph_.values.size());
    value.bytes = Bytes(static_cast<std::int64_t>(random_.below(10)));
    value.counted = !one_in(8);
    value.leaves_step = kind != StepValueKind::Resident && one_in(8);
    if (kind == StepValueKind::Gradient) {
      value.exists_from_backward = one_in(8);
      value.exists_from_start = one_in(8);
      value.exists_to_end = one_in(8);
      value.disjoint_contributions = one_in(4);
    }
    graph_.values.push_back(value);
    return StepValueId(graph_.values.size() - 1);
  }

  void add_forward() {
    StepOperator op;
    op.name = "f" + std::to_string(graph_.operators.size());
    for (std::uint64_t k = random_.below(3); k > 0 && !forward_.empty(); --k)
      add_once(op.reads, any(forward_));
    if (one_in(2)) add_once(op.reads, any(parameters_));
    std::vector<StepValueId> made;
    for (std::uint64_t k = 1 + random_.below(2); k > 0; --k) {
      made.push_back(add_value(StepValueKind::Forward));
      if (one_in(5)) continue;
      graph_.values.back().keep_gene = graph_.keep_genes++;
      op.can_recompute = true;
    }
    op.writes = made;
    op.work = static_cast<std::int64_t>(random_.below(100));
    forward_.insert(forward_.end(), made.begin(), made.end());
    graph_.operators.push_back(op);
  }

  void add_backward(std::uint64_t forward) {
    StepOperator op;
    op.phase = StepPhase::Backward;
    op.name = "b" + std::to_string(graph_.operators.size());
    if (!one_in(6)) op.forward = StepOperatorId(random_.below(forward));
    for (std::uint64_t k = random_.below(3); k > 0; --k)
      add_once(op.reads, any(forward_));
    if (one_in(3)) add_once(op.reads, any(parameters_));
    for (std::uint64_t k = random_.below(3); k > 0 && !gradients_.empty(); --k)
      add_once(op.reads, any(gradients_));
    for (std::uint64_t k = 1 + random_.below(2); k > 0; --k) {
      const bool old = !gradients_.empty() && one_in(2);
      const StepValueId id = old ? any(gradients_) : add_value(StepValueKind::Gradient);
      if (std::find(op.reads.begin(), op.reads.end(), id) != op.reads.end()) continue;
      add_once(op.writes, id);
      add_once(gradients_, id);
    }
    graph_.operators.push_back(op);
  }

  // Somewhere behind the last contribution, which may be before others read the parameter.
  void add_update(StepValueId gradient) {
    if (!one_in(2) || parameters_.size() < 2) return;
    StepOperator op;
    op.phase = StepPhase::Update;
    op.name = "u" + std::to_string(graph_.operators.size());
    op.reads = {gradient, parameters_.back()};
    op.writes = {parameters_.back()};
    parameters_.pop_back();
    op.forward = StepOperatorId(0);
    std::size_t place = graph_.operators.size();
    while (one_in(2) && place > 0) {
      const StepOperator& before = graph_.operators[place - 1];
      const bool contributes =
          std::find(before.writes.begin(), before.writes.end(), gradient) != before.writes.end();
      if (before.phase == StepPhase::Forward || contributes) break;
      --place;
    }
    graph_.operators.insert(graph_.operators.begin() + static_cast<std::ptrdiff_t>(place), op);
  }

  RandomStream& random_;
  StepGraph graph_;
  std::vector<StepValueId> parameters_;
  std::vector<StepValueId> forward_;
  std::vector<StepValueId> gradients_;
};

}  // namespace

problems::PlanProblem random_plan_problem(RandomStream& random, HandOvers hand_overs) {
  problems::PlanProblemParts parts;
  parts.name = "random";
  parts.graph = Builder(random).graph();
  std::vector<std::int64_t> bytes;
  for (const StepValue& value : parts.graph.values)
    bytes.push_back(value.bytes.number());
  parts.model = std::make_unique<MixingModel>(random.next(), std::move(bytes), hand_overs);
  return problems::PlanProblem(std::move(parts));
}

problems::Genome random_genome(const problems::PlanProblem& problem, RandomStream& random) {
  problems::Genome genome(problem.word_count(), 0);
  for (std::size_t gene = 0; gene < problem.gene_count(); ++gene)
    problems::set_gene(genome, gene, random.below(2));
  return genome;
}

}  // namespace paretrain::tests
