#include "evaluator/plan/step_template.h"

#include <algorithm>
#include <string>

#include "base/check.h"

namespace paretrain::evaluator {

namespace {

std::uint32_t index_of(StepValueId id) {
  return static_cast<std::uint32_t>(id.index());
}

// Readers and writers of each value among the late operators, in order of operators.
struct LateUses {
  std::vector<std::vector<std::uint32_t>> readers;
  std::vector<std::vector<std::uint32_t>> writers;
};

bool contains(std::span<const std::uint32_t> list, std::uint32_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void require_forward_operator(const StepGraph& graph, const StepOperator& op) {
  CHECK(op.writes.size() <= 64, op.name + " writes more than 64 values");
  bool has_gene = false;
  for (const StepValueId id : op.writes) {
    const StepValue& value = graph.values[id.index()];
    CHECK(value.kind == StepValueKind::Forward, op.name + " writes no forward value");
    has_gene = has_gene || value.keep_gene.has_value();
  }
  CHECK(op.can_recompute == has_gene, op.name + ": can_recompute is not what its results say");
  for (const StepValueId id : op.reads)
    CHECK(graph.values[id.index()].kind != StepValueKind::Gradient, op.name + " reads a gradient");
}

void require_sound(const StepGraph& graph) {
  bool late = false;
  for (const StepOperator& op : graph.operators) {
    CHECK(!late || op.phase != StepPhase::Forward, op.name + " stands behind the forward phase");
    late = late || op.phase != StepPhase::Forward;
    if (op.phase == StepPhase::Forward) {
      require_forward_operator(graph, op);
      continue;
    }
    CHECK(!op.can_recompute, op.name + " is no forward operator");
    for (const StepValueId id : op.writes)
      CHECK(graph.values[id.index()].kind != StepValueKind::Forward,
            op.name +
                " writes a forward "
                "value");
  }
}

void fill_values(const StepGraph& graph, StepTemplate& result) {
  result.always_alive_bytes = graph.static_bytes.number();
  for (const StepValue& value : graph.values) {
    TemplateValue entry;
    entry.bytes = value.bytes.number();
    entry.kind = value.kind;
    entry.keep_gene = value.keep_gene.value_or(kNone);
    entry.counted = value.counted;
    entry.exists_before = value.exists_from_backward || value.exists_from_start;
    entry.exists_from_start = value.exists_from_start;
    entry.exists_to_end = value.exists_to_end;
    entry.disjoint_contributions = value.disjoint_contributions;
    entry.leaves_step = value.leaves_step;
    const bool resident = value.kind == StepValueKind::Resident;
    entry.has_content_always = resident || entry.exists_before;
    entry.is_written_always = resident || entry.leaves_step || entry.exists_to_end;
    if (value.kind == StepValueKind::Resident && value.counted)
      result.always_alive_bytes += value.bytes.number();
    result.values.push_back(entry);
  }
}

void fill_operators(const StepGraph& graph, StepTemplate& result) {
  for (std::uint32_t o = 0; o < result.operator_count; ++o) {
    const StepOperator& op = graph.operators[o];
    std::vector<std::uint32_t> reads;
    std::vector<std::uint32_t> writes;
    std::vector<std::uint32_t> gene_reads;
    for (const StepValueId id : op.reads) {
      reads.push_back(index_of(id));
      result.values[id.index()].has_reader = true;
      if (graph.values[id.index()].keep_gene) gene_reads.push_back(index_of(id));
    }
    for (const StepValueId id : op.writes) {
      writes.push_back(index_of(id));
      if (op.phase == StepPhase::Forward) {
        CHECK(result.values[id.index()].maker == kNone, op.name + " is a second maker");
        result.values[id.index()].maker = o;
      }
    }
    result.reads.push_back(reads);
    result.writes.push_back(writes);
    result.gene_reads.push_back(gene_reads);
    result.work.push_back(op.work);
  }
}

void fill_forward(const StepGraph& graph, StepTemplate& result) {
  result.values_with_gene.assign(graph.keep_genes, kNone);
  std::vector<std::uint32_t> met(result.forward_count, kNone);  // the operator that met it last
  for (std::uint32_t o = 0; o < result.forward_count; ++o) {
    std::vector<std::uint32_t> predecessors;
    for (const std::uint32_t value : result.reads[o]) {
      if (graph.values[value].kind == StepValueKind::Resident) continue;
      const std::uint32_t maker = result.values[value].maker;
      CHECK(maker < o, graph.operators[o].name + " reads what is made later or never");
      if (met[maker] != o) predecessors.push_back(maker);
      met[maker] = o;
    }
    result.forward_predecessors.push_back(predecessors);
    if (graph.operators[o].can_recompute) result.recomputable.push_back(o);
    for (const std::uint32_t value : result.writes[o]) {
      const std::uint32_t gene = result.values[value].keep_gene;
      if (gene == kNone) continue;
      CHECK(gene < graph.keep_genes && result.values_with_gene[gene] == kNone,
            "keep genes are no "
            "numbering");
      result.values_with_gene[gene] = value;
    }
  }
  std::reverse(result.recomputable.begin(), result.recomputable.end());
  CHECK(!contains(result.values_with_gene, kNone), "a keep gene without a value");
}

LateUses late_uses(const StepGraph& graph, const StepTemplate& result) {
  LateUses uses{std::vector<std::vector<std::uint32_t>>(graph.values.size()),
                std::vector<std::vector<std::uint32_t>>(graph.values.size())};
  for (std::uint32_t o = result.forward_count; o < result.operator_count; ++o) {
    for (const std::uint32_t value : result.reads[o])
      uses.readers[value].push_back(o);
    for (const std::uint32_t value : result.writes[o])
      uses.writers[value].push_back(o);
  }
  return uses;
}

// Of each forward operator the last late operator that can ask for its recompute in some plan, or
// 0.
std::vector<std::uint32_t> last_demands(const StepTemplate& result, const LateUses& uses) {
  std::vector<std::uint32_t> last_of_value(result.value_count, 0);
  std::vector<std::uint32_t> last(result.forward_count, 0);
  for (const std::uint32_t f : result.recomputable) {
    for (const std::uint32_t value : result.writes[f]) {
      if (result.values[value].keep_gene == kNone) continue;
      if (!uses.readers[value].empty())
        last_of_value[value] = std::max(last_of_value[value], uses.readers[value].back());
      last[f] = std::max(last[f], last_of_value[value]);
    }
    for (const std::uint32_t value : result.gene_reads[f])
      last_of_value[value] = std::max(last_of_value[value], last[f]);
  }
  return last;
}

// The twins that read a resident value.
std::vector<std::vector<std::uint32_t>> twin_readers(const StepTemplate& result) {
  std::vector<std::vector<std::uint32_t>> readers(result.value_count);
  for (auto f = result.recomputable.rbegin(); f != result.recomputable.rend(); ++f) {
    for (const std::uint32_t value : result.reads[*f]) {
      if (result.values[value].kind == StepValueKind::Resident) readers[value].push_back(*f);
    }
  }
  return readers;
}

// Late operators as they stand, but one that overwrites a resident value only after the last one
// that reads it or can ask for a recompute that does.
void fill_late_order(StepTemplate& result, const LateUses& uses) {
  const std::vector<std::uint32_t> demands = last_demands(result, uses);
  const auto twins = twin_readers(result);
  std::vector<std::uint32_t> after(result.operator_count);
  for (std::uint32_t o = result.forward_count; o < result.operator_count; ++o) {
    after[o] = o;
    for (const std::uint32_t value : result.writes[o]) {
      if (result.values[value].kind != StepValueKind::Resident) continue;
      for (const std::uint32_t reader : uses.readers[value]) {
        if (!contains(result.writes[reader], value)) after[o] = std::max(after[o], reader);
      }
      for (const std::uint32_t twin : twins[value])
        after[o] = std::max(after[o], demands[twin]);
    }
    result.late_operators.push_back(o);
  }
  std::stable_sort(result.late_operators.begin(),
                   result.late_operators.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     // Those that wait come behind the one that they wait for.
                     if (after[a] != after[b]) return after[a] < after[b];
                     return (after[a] == a) > (after[b] == b);
                   });
  result.late_rank.assign(result.operator_count, kNone);
  for (std::uint32_t rank = 0; rank < result.late_operators.size(); ++rank)
    result.late_rank[result.late_operators[rank]] = rank;
}

void fill_late_predecessors(const StepGraph& graph, StepTemplate& result, const LateUses& uses) {
  const auto twins = twin_readers(result);
  std::vector<std::uint32_t> met(result.operator_count, kNone);  // the operator that met it last
  for (std::uint32_t rank = 0; rank < result.late_operators.size(); ++rank) {
    const std::uint32_t o = result.late_operators[rank];
    std::vector<std::uint32_t> predecessors;
    std::vector<std::uint32_t> overwritten;
    const auto add = [&](std::uint32_t other) {
      if (other == o || met[other] == o) return;
      met[other] = o;
      CHECK(result.late_rank[other] < rank, graph.operators[o].name + " runs before what it needs");
      predecessors.push_back(other);
    };
    // A gradient is read after what was added before, and added to after it was read before.
    for (const std::uint32_t value : result.reads[o]) {
      if (result.values[value].kind != StepValueKind::Gradient) continue;
      for (const std::uint32_t writer : uses.writers[value]) {
        if (writer < o) add(writer);
      }
    }
    for (const std::uint32_t value : result.writes[o]) {
      const bool resident = result.values[value].kind == StepValueKind::Resident;
      for (const std::uint32_t reader : uses.readers[value]) {
        if (reader < o || (resident && !contains(result.writes[reader], value))) add(reader);
      }
      if (!resident) continue;
      for (const std::uint32_t writer : uses.writers[value]) {
        if (writer < o) add(writer);
      }
      for (const std::uint32_t twin : twins[value]) {
        if (!contains(overwritten, twin)) overwritten.push_back(twin);
      }
    }
    result.late_predecessors.push_back(predecessors);
    result.overwritten_readers.push_back(overwritten);
  }
}

void fill_late_values(const StepGraph& graph, StepTemplate& result, const LateUses& uses) {
  for (std::uint32_t value = 0; value < result.value_count; ++value) {
    TemplateValue& entry = result.values[value];
    for (const std::uint32_t reader : uses.readers[value])
      entry.first_late_reader = std::min(entry.first_late_reader, result.late_rank[reader]);
    const bool touched = !uses.readers[value].empty() || !uses.writers[value].empty();
    if (entry.kind == StepValueKind::Gradient && touched) result.gradients.push_back(value);
    CHECK(entry.kind != StepValueKind::Forward || entry.maker != kNone,
          graph.values[value].name + " has no maker");
  }
}

}  // namespace

StepTemplate::StepTemplate(const StepGraph& graph)
    : operator_count(static_cast<std::uint32_t>(graph.operators.size())),
      value_count(static_cast<std::uint32_t>(graph.values.size())),
      keep_genes(graph.keep_genes) {
  require_sound(graph);
  while (forward_count < operator_count &&
         graph.operators[forward_count].phase == StepPhase::Forward)
    ++forward_count;
  fill_values(graph, *this);
  fill_operators(graph, *this);
  fill_forward(graph, *this);
  const LateUses uses = late_uses(graph, *this);
  fill_late_order(*this, uses);
  fill_late_predecessors(graph, *this, uses);
  fill_late_values(graph, *this, uses);
}

}  // namespace paretrain::evaluator
