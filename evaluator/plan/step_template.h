// Why: a search evaluates one step graph millions of times; what does not depend on the genome is
// laid out once, in flat arrays.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "evaluator/plan/group_model.h"
#include "evaluator/plan/step_graph.h"

namespace paretrain::evaluator {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Lists of different lengths, one after another.
struct IndexLists {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> list;

  void push_back(std::span<const std::uint32_t> items) {
    list.insert(list.end(), items.begin(), items.end());
    begin.push_back(static_cast<std::uint32_t>(list.size()));
  }

  [[nodiscard]] std::size_t size() const noexcept { return begin.size() - 1; }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t index) const noexcept {
    return {list.data() + begin[index], list.data() + begin[index + 1]};
  }
};

// What a sweep over all values needs of one.
struct TemplateValue {
  std::int64_t bytes = 0;
  std::uint32_t maker = kNone;  // forward operator that makes it
  std::uint32_t keep_gene = kNone;
  std::uint32_t first_late_reader = kNone;  // late rank
  StepValueKind kind = StepValueKind::Forward;
  bool counted = true;
  bool exists_before = false;  // before its first contribution
  bool exists_from_start = false;
  bool exists_to_end = false;
  bool disjoint_contributions = false;
  bool leaves_step = false;
  bool has_reader = false;          // of any operator
  bool has_content_always = false;  // resident or exists before: read also where it is made
  bool is_written_always = false;   // where it is made, whoever reads it
};

// Nodes: operator o is node o, the recompute twin of forward operator f is node operators + f.
// "Late" operators are those of the backward and update phases; their rank is their place in the
// order of execution among themselves.
struct StepTemplate {
  // Requires: the invariants stated in step_graph.h (CHECKed).
  explicit StepTemplate(const StepGraph& graph);

  [[nodiscard]] std::uint32_t twin(std::uint32_t forward_operator) const noexcept {
    return operator_count + forward_operator;
  }

  std::uint32_t operator_count = 0;
  std::uint32_t forward_count = 0;
  std::uint32_t value_count = 0;
  std::uint32_t keep_genes = 0;
  std::int64_t always_alive_bytes = 0;  // static and resident
  std::vector<TemplateValue> values;
  std::vector<std::uint32_t> values_with_gene;  // by keep gene
  std::vector<std::uint32_t> gradients;         // values of that kind that an operator touches
  std::vector<std::uint32_t> late_operators;    // by rank
  std::vector<std::uint32_t> late_rank;         // by operator; kNone for forward ones
  std::vector<std::uint32_t> recomputable;      // forward operators with a twin, descending
  std::vector<std::int64_t> work;               // by operator
  IndexLists reads;                             // by operator: values
  IndexLists writes;
  IndexLists gene_reads;            // by operator: values read that have a keep gene
  IndexLists forward_predecessors;  // by forward operator: forward operators
  IndexLists late_predecessors;     // by late rank: late operators that run before it in every plan
  // By late rank: forward operators whose twin, if it runs, reads what this one overwrites.
  IndexLists overwritten_readers;
};

}  // namespace paretrain::evaluator
