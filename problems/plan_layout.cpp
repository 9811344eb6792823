#include "problems/plan_layout.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.h"

namespace paretrain::problems {

namespace {

using evaluator::FusionGenes;
using evaluator::IndexLists;
using evaluator::kNone;
using evaluator::RunningOperator;
using evaluator::StepGraph;
using evaluator::StepOperator;
using evaluator::StepOperatorId;
using evaluator::StepPhase;
using evaluator::StepTemplate;
using evaluator::StepValueId;
using evaluator::StepValueKind;

struct Draft {
  std::vector<genome::OperatorGenes> operators;
  std::vector<Gene> genes;
  IndexLists values;  // per gene
};

// Late operators by the forward operator whose genes their own stand beside; the last list holds
// those without one.
std::vector<std::vector<std::uint32_t>> late_by_forward(const StepGraph& graph,
                                                        const StepTemplate& step) {
  std::vector<std::vector<std::uint32_t>> lists(step.forward_count + 1);
  for (std::uint32_t o = step.forward_count; o < step.operator_count; ++o) {
    const std::optional<StepOperatorId> forward = graph.operators[o].forward;
    CHECK(!forward || forward->index() < step.forward_count, "no forward operator");
    lists[forward ? forward->index() : step.forward_count].push_back(o);
  }
  return lists;
}

class Drafting {
 public:
  Drafting(const StepGraph& graph, const StepTemplate& step, const evaluator::GroupModel& model)
      : graph_(graph), step_(step), model_(model), late_(late_by_forward(graph, step)) {
    contributors_.resize(step.value_count);
    for (std::uint32_t o = step.forward_count; o < step.operator_count; ++o) {
      if (graph.operators[o].phase != StepPhase::Backward) continue;
      for (const std::uint32_t value : step.writes[o])
        contributors_[value].push_back(o);
    }
  }

  [[nodiscard]] Draft draft() {
    for (std::uint32_t i = 0; i <= step_.forward_count; ++i) {
      draft_.operators.emplace_back();
      if (i < step_.forward_count) add_forward(i);
      for (const std::uint32_t b : late_[i])
        add_recompute_reads(b);
      for (const std::uint32_t b : late_[i])
        add_contributors(b, StepPhase::Backward);
      if (graph_.fusion_genes != FusionGenes::WithUpdates) continue;
      for (const std::uint32_t u : late_[i])
        add_contributors(u, StepPhase::Update);
    }
    return std::move(draft_);
  }

 private:
  void add_forward(std::uint32_t i) {
    std::vector<std::uint32_t> results;
    for (const std::uint32_t value : step_.writes[i]) {
      if (step_.values[value].keep_gene != kNone) results.push_back(value);
    }
    std::sort(results.begin(), results.end(), [this](std::uint32_t a, std::uint32_t b) {
      return step_.values[a].keep_gene < step_.values[b].keep_gene;
    });
    for (const std::uint32_t value : results) {
      ++draft_.operators.back().keep_genes;
      draft_.genes.push_back({.kind = GeneKind::Keep, .value = StepValueId(value)});
      draft_.values.push_back({});
    }
    if (graph_.fusion_genes == FusionGenes::None) return;
    for (const std::uint32_t p : step_.forward_predecessors[i])
      add_edge(GeneKind::FuseForward, {p, i}, {});
    if (graph_.operators[i].can_recompute)
      add_edges_from_twins(GeneKind::FuseRecompute, i, step_.twin(i));
  }

  void add_recompute_reads(std::uint32_t b) {
    if (graph_.fusion_genes == FusionGenes::None) return;
    if (graph_.operators[b].phase != StepPhase::Backward) return;
    add_edges_from_twins(GeneKind::FuseRecomputeBackward, b, b);
  }

  // One edge per maker, in the order in which the operator reads its values.
  void add_edges_from_twins(GeneKind kind, std::uint32_t op, std::uint32_t node) {
    const std::span<const std::uint32_t> reads = step_.gene_reads[op];
    for (std::size_t r = 0; r < reads.size(); ++r) {
      const std::uint32_t maker = step_.values[reads[r]].maker;
      bool seen = false;
      for (std::size_t before = 0; before < r; ++before)
        seen = seen || step_.values[reads[before]].maker == maker;
      if (seen) continue;
      std::vector<std::uint32_t> values;
      for (const std::uint32_t value : reads) {
        if (step_.values[value].maker == maker) values.push_back(value);
      }
      add_edge(kind, {step_.twin(maker), node}, values);
    }
  }

  void add_contributors(std::uint32_t reader, StepPhase phase) {
    if (graph_.fusion_genes == FusionGenes::None || graph_.operators[reader].phase != phase) return;
    std::vector<std::uint32_t> contributors;
    for (const std::uint32_t value : step_.reads[reader]) {
      if (step_.values[value].kind != StepValueKind::Gradient) continue;
      for (const std::uint32_t writer : contributors_[value]) {
        if (writer < reader) contributors.push_back(writer);
      }
    }
    std::sort(contributors.begin(), contributors.end(), [this](std::uint32_t a, std::uint32_t b) {
      const std::size_t forward_a = forward_of(a);
      const std::size_t forward_b = forward_of(b);
      return forward_a != forward_b ? forward_a < forward_b : a < b;
    });
    contributors.erase(std::unique(contributors.begin(), contributors.end()), contributors.end());
    const GeneKind kind =
        phase == StepPhase::Update ? GeneKind::FuseUpdate : GeneKind::FuseBackward;
    for (const std::uint32_t contributor : contributors)
      add_edge(kind, {contributor, reader}, {});
  }

  [[nodiscard]] std::size_t forward_of(std::uint32_t op) const {
    const std::optional<StepOperatorId> forward = graph_.operators[op].forward;
    return forward ? forward->index() : step_.forward_count;
  }

  [[nodiscard]] RunningOperator running(std::uint32_t node) const {
    if (node < step_.operator_count) return {.op = StepOperatorId(node)};
    return {.op = StepOperatorId(node - step_.operator_count), .recompute = true};
  }

  void add_edge(GeneKind kind,
                genome::TemplateEdge edge,
                const std::vector<std::uint32_t>& values) {
    const RunningOperator producer = running(edge.producer);
    const RunningOperator consumer = running(edge.consumer);
    if (!model_.has_fusion_gene(producer, consumer)) return;
    draft_.operators.back().edges.push_back(edge);
    draft_.genes.push_back({.kind = kind, .producer = producer, .consumer = consumer});
    draft_.values.push_back(values);
  }

  const StepGraph& graph_;
  const StepTemplate& step_;
  const evaluator::GroupModel& model_;
  std::vector<std::vector<std::uint32_t>> late_;
  std::vector<std::vector<std::uint32_t>> contributors_;  // per value: backward operators
  Draft draft_;
};

// The F-F and R-R genes over the same two operators, by the consumer's keep genes.
genome::TwinTable twin_table(const genome::Layout& layout, const StepTemplate& step) {
  genome::TwinTable table;
  table.keep_genes.assign(layout.keep_genes().begin(), layout.keep_genes().end());
  table.begin.push_back(0);
  std::map<genome::TemplateEdge, std::uint32_t> forward_genes;
  std::vector<std::vector<genome::TwinGenes>> twins(step.forward_count);
  for (std::size_t e = 0; e < layout.edges().size(); ++e) {
    const genome::TemplateEdge& edge = layout.edges()[e];
    if (edge.consumer < step.forward_count) forward_genes[edge] = layout.fusion_genes()[e];
    if (edge.consumer < step.operator_count) continue;
    const std::uint32_t op = edge.consumer - step.operator_count;
    const auto forward = forward_genes.find({edge.producer - step.operator_count, op});
    if (forward != forward_genes.end())
      twins[op].push_back({forward->second, layout.fusion_genes()[e]});
  }
  for (const std::uint32_t value : step.values_with_gene) {
    const std::vector<genome::TwinGenes>& own = twins[step.values[value].maker];
    table.twins.insert(table.twins.end(), own.begin(), own.end());
    table.begin.push_back(static_cast<std::uint32_t>(table.twins.size()));
  }
  return table;
}

}  // namespace

PlanLayout::PlanLayout(const StepGraph& graph,
                       const StepTemplate& step,
                       const evaluator::GroupModel& model)
    : layout(std::span<const genome::OperatorGenes>()) {
  Draft draft = Drafting(graph, step, model).draft();
  layout = genome::Layout(draft.operators);
  genes = std::move(draft.genes);
  always.assign(layout.word_count(), 0);
  std::uint32_t keep = 0;
  for (std::size_t gene = 0; gene < genes.size(); ++gene) {
    if (genes[gene].kind == GeneKind::Keep) {
      CHECK(step.values_with_gene[keep++] == genes[gene].value.index(),
            "keep genes are not numbered in the order of their makers");
      continue;
    }
    values.push_back(draft.values[gene]);
    if (draft.values[gene].empty()) set_gene(always, gene, 1);
  }
  twins = twin_table(layout, step);
}

}  // namespace paretrain::problems
