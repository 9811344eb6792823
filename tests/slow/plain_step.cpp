#include "tests/slow/plain_step.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace paretrain::tests {

using evaluator::Access;
using evaluator::Phase;
using evaluator::StorageRole;
using evaluator::TrainingGraph;

namespace {

bool alive_always(StorageRole role) {
  return role == StorageRole::Input || role == StorageRole::Target ||
         role == StorageRole::Parameter || role == StorageRole::OptimizerState ||
         role == StorageRole::Buffer;
}

bool holds(const std::vector<std::size_t>& list, std::size_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void add_once(std::vector<std::size_t>& list, std::size_t item) {
  if (!holds(list, item)) list.push_back(item);
}

class Build {
 public:
  Build(const TrainingGraph& graph, UpdateGenes updates, const PlainPairIsLegal& legal)
      : graph_(graph), updates_(updates), legal_(legal) {}

  PlainStep step() {
    list_accesses();
    for (std::size_t s = 0; s < step_.storages.size(); ++s)
      describe(s);
    for (const evaluator::StorageId candidate : graph_.candidates) {
      const PlainStorage& storage = step_.storages[candidate.index()];
      if (storage.maker) step_.operators[*storage.maker].may_recompute = true;
    }
    list_genes();
    order_operators();
    return std::move(step_);
  }

 private:
  PlainStorage& storage(std::size_t s) { return step_.storages[s]; }

  PlainOperator& op(std::size_t o) { return step_.operators[o]; }

  bool candidate(std::size_t s) const {
    return step_.storages[s].maker &&
           std::find(graph_.candidates.begin(), graph_.candidates.end(), evaluator::StorageId(s)) !=
               graph_.candidates.end();
  }

  // Running statistics that a forward operator adds to are no part of a plan.
  void list_accesses() {
    step_.storages.resize(graph_.storages.size());
    for (std::size_t o = 0; o < graph_.operators.size(); ++o) {
      const evaluator::Operator& given = graph_.operators[o];
      PlainOperator entry;
      entry.phase = given.phase;
      entry.forward = given.forward.index();
      for (const Access& read : given.reads)
        add_once(entry.reads, read.storage.index());
      for (const Access& write : given.writes) {
        const bool resident = alive_always(graph_.storage(write.storage).role);
        if (resident && given.phase != Phase::Update) continue;
        add_once(entry.writes, write.storage.index());
        if (resident && write.accumulates) add_once(entry.reads, write.storage.index());
      }
      for (const std::size_t s : entry.reads)
        storage(s).readers.push_back(o);
      for (const std::size_t s : entry.writes)
        storage(s).writers.push_back(o);
      step_.operators.push_back(std::move(entry));
    }
  }

  void describe(std::size_t s) {
    PlainStorage& entry = storage(s);
    entry.bytes = graph_.storages[s].bytes.number();
    entry.resident = alive_always(graph_.storages[s].role) || entry.writers.empty();
    if (entry.resident) return;
    if (op(entry.writers.front()).phase == Phase::Forward) {
      CHECK(entry.writers.size() == 1, graph_.storages[s].name + " has several makers");
      entry.maker = entry.writers.front();
      return;
    }
    // The parts of a whole, written by several, none of whom adds to what is there.
    entry.disjoint = entry.writers.size() > 1;
    for (const std::size_t o : entry.writers) {
      for (const Access& write : graph_.operators[o].writes) {
        if (write.storage.index() != s) continue;
        if (write.accumulates || write.bytes >= graph_.storages[s].bytes) entry.disjoint = false;
      }
    }
  }

  // Forward operators in order; of each: keep, F-in, R-in, R-B, B-in, B-U.
  void list_genes() {
    for (std::size_t i = 0; i < step_.operators.size(); ++i) {
      if (op(i).phase != Phase::Forward) continue;
      for (const evaluator::StorageId id : graph_.candidates) {
        if (storage(id.index()).maker != i) continue;
        storage(id.index()).gene = step_.genes.size();
        step_.genes.push_back({id.index(), {}, {}});
      }
      for (const std::size_t s : op(i).reads) {
        if (storage(s).maker) add_edge({*storage(s).maker, false}, {i, false});
      }
      if (op(i).may_recompute) add_recomputed_reads({i, true});
      const std::vector<std::size_t> late = late_operators_of(i, Phase::Backward);
      for (const std::size_t b : late)
        add_recomputed_reads({b, false});
      for (const std::size_t b : late)
        add_contributors(b);
      if (updates_ == UpdateGenes::No) continue;
      for (const std::size_t u : late_operators_of(i, Phase::Update))
        add_contributors(u);
    }
  }

  std::vector<std::size_t> late_operators_of(std::size_t forward, Phase phase) {
    std::vector<std::size_t> result;
    for (std::size_t o = 0; o < step_.operators.size(); ++o) {
      if (op(o).phase == phase && op(o).forward == forward) result.push_back(o);
    }
    return result;
  }

  // Each pair once; an edge that no group could hold has no gene.
  void add_edge(PlainRun producer, PlainRun consumer) {
    if (!known_.insert({producer, consumer}).second || !legal_(producer, consumer)) return;
    step_.genes.push_back({std::nullopt, producer, consumer});
  }

  void add_recomputed_reads(PlainRun consumer) {
    for (const std::size_t s : op(consumer.op).reads) {
      if (candidate(s)) add_edge({*storage(s).maker, true}, consumer);
    }
  }

  // Backward operators that contribute to gradients that `reader` reads, by forward operator.
  void add_contributors(std::size_t reader) {
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (const std::size_t s : op(reader).reads) {
      if (storage(s).resident || storage(s).maker) continue;
      for (const std::size_t writer : storage(s).writers) {
        if (writer < reader && op(writer).phase == Phase::Backward)
          found.insert({op(writer).forward, writer});
      }
    }
    for (const auto& [forward, writer] : found)
      add_edge({writer, false}, {reader, false});
  }

  // Whether a late operator reads a storage, or may ask for a recompute that does.
  bool may_read(std::size_t o, std::size_t s) {
    std::vector<std::size_t> open = {o};
    std::set<std::size_t> seen = {o};
    while (!open.empty()) {
      const std::size_t reader = open.back();
      open.pop_back();
      if (holds(op(reader).reads, s)) return true;
      for (const std::size_t input : op(reader).reads) {
        if (candidate(input) && seen.insert(*storage(input).maker).second)
          open.push_back(*storage(input).maker);
      }
    }
    return false;
  }

  // The operator behind which a late one runs: itself, or the last that may need what it
  // overwrites.
  std::size_t runs_behind(std::size_t o) {
    std::size_t last = o;
    for (const std::size_t s : op(o).writes) {
      if (!storage(s).resident) continue;
      for (std::size_t b = last + 1; b < step_.operators.size(); ++b) {
        if (!holds(op(b).writes, s) && may_read(b, s)) last = b;
      }
    }
    return last;
  }

  void order_operators() {
    std::vector<std::vector<std::size_t>> behind(step_.operators.size());
    for (std::size_t o = 0; o < step_.operators.size(); ++o) {
      const std::size_t place = op(o).phase == Phase::Forward ? o : runs_behind(o);
      if (place == o)
        behind[o].insert(behind[o].begin(), o);
      else
        behind[place].push_back(o);
    }
    for (const auto& list : behind)
      step_.order.insert(step_.order.end(), list.begin(), list.end());
    step_.rank.resize(step_.order.size());
    for (std::size_t r = 0; r < step_.order.size(); ++r)
      step_.rank[step_.order[r]] = r;
  }

  const TrainingGraph& graph_;
  UpdateGenes updates_;
  const PlainPairIsLegal& legal_;
  PlainStep step_;
  std::set<std::pair<PlainRun, PlainRun>> known_;
};

}  // namespace

PlainStep plain_step(const TrainingGraph& graph,
                     UpdateGenes updates,
                     const PlainPairIsLegal& legal) {
  return Build(graph, updates, legal).step();
}

}  // namespace paretrain::tests
