#include "problems/lowering.h"

#include "tests/support/doctest.h"

using namespace paretrain;
using namespace paretrain::evaluator;
using problems::content_hash;
using problems::lowered_step;

namespace {

StorageId add_storage(TrainingGraph& graph,
                      const std::string& name,
                      StorageRole role,
                      std::int64_t bytes) {
  Storage storage;
  storage.name = name;
  storage.role = role;
  storage.bytes = Bytes(bytes);
  graph.storages.push_back(storage);
  return StorageId(graph.storages.size() - 1);
}

Access touch(StorageId storage, std::int64_t bytes, bool accumulates = false) {
  Access access;
  access.storage = storage;
  access.bytes = Bytes(bytes);
  access.accumulates = accumulates;
  return access;
}

Operator& add_operator(TrainingGraph& graph,
                       Phase phase,
                       std::vector<Access> reads,
                       std::vector<Access> writes) {
  Operator op;
  op.name = "op" + std::to_string(graph.operators.size());
  op.phase = phase;
  op.reads = std::move(reads);
  op.writes = std::move(writes);
  op.macs = 10;
  graph.operators.push_back(op);
  return graph.operators.back();
}

// x, w -> y; y -> z (sums into a buffer); gradients back; an update.
struct SmallStep {
  SmallStep() {
    x = add_storage(graph, "x", StorageRole::Input, 8);
    w = add_storage(graph, "w", StorageRole::Parameter, 4);
    y = add_storage(graph, "y", StorageRole::Activation, 8);
    z = add_storage(graph, "z", StorageRole::Activation, 8);
    mean = add_storage(graph, "mean", StorageRole::Buffer, 2);
    gy = add_storage(graph, "gy", StorageRole::Gradient, 8);
    gw = add_storage(graph, "gw", StorageRole::ParameterGradient, 4);
    add_operator(graph, Phase::Forward, {touch(x, 8), touch(w, 4)}, {touch(y, 8)});
    add_operator(graph, Phase::Forward, {touch(y, 8)}, {touch(z, 8), touch(mean, 2, true)})
        .forward = OperatorId(1);
    add_operator(graph, Phase::Backward, {touch(z, 8)}, {touch(gy, 4)}).forward = OperatorId(1);
    add_operator(graph, Phase::Backward, {touch(y, 8)}, {touch(gy, 4)}).forward = OperatorId(1);
    add_operator(graph, Phase::Backward, {touch(gy, 8), touch(x, 8)}, {touch(gw, 4)});
    add_operator(graph, Phase::Update, {touch(w, 4), touch(gw, 4)}, {touch(w, 4)});
    graph.candidates = {z, y};
  }

  TrainingGraph graph;
  StorageId x, w, y, z, mean, gy, gw;
};

}  // namespace

TEST_CASE("lowered_step: storages become values of the kind their writers make them") {
  const SmallStep small;
  const StepGraph step = lowered_step(small.graph, {});
  REQUIRE(step.values.size() == 7);
  CHECK(step.values[small.x.index()].kind == StepValueKind::Resident);
  CHECK(step.values[small.x.index()].role == MemoryRole::Inputs);
  CHECK(step.values[small.w.index()].kind == StepValueKind::Resident);
  CHECK(step.values[small.w.index()].role == MemoryRole::Parameters);
  CHECK(step.values[small.y.index()].kind == StepValueKind::Forward);
  CHECK(step.values[small.mean.index()].role == MemoryRole::Other);
  CHECK(step.values[small.gy.index()].kind == StepValueKind::Gradient);
  CHECK(step.values[small.gw.index()].role == MemoryRole::Gradients);
}

TEST_CASE("lowered_step: keep genes are numbered by the operators that make the values") {
  const SmallStep small;
  const StepGraph step = lowered_step(small.graph, {});
  CHECK(step.keep_genes == 2);
  CHECK(step.values[small.y.index()].keep_gene == 0);
  CHECK(step.values[small.z.index()].keep_gene == 1);
  CHECK(step.operators[0].can_recompute);
  CHECK(step.operators[1].can_recompute);
}

TEST_CASE(
    "lowered_step: parts of a gradient that do not overlap are no contributions to one another") {
  SmallStep small;
  CHECK(lowered_step(small.graph, {}).values[small.gy.index()].disjoint_contributions);
  small.graph.operators[3].writes.front().accumulates = true;
  CHECK_FALSE(lowered_step(small.graph, {}).values[small.gy.index()].disjoint_contributions);
}

TEST_CASE(
    "lowered_step: running statistics are no business of plans but updates write what they own") {
  const SmallStep small;
  const StepGraph step = lowered_step(small.graph, {});
  CHECK(step.operators[1].writes == std::vector{StepValueId(small.z.index())});
  CHECK(step.operators[5].writes == std::vector{StepValueId(small.w.index())});
}

TEST_CASE(
    "lowered_step: with micro-batches parameter gradients exist from the start and work repeats") {
  const SmallStep small;
  const StepGraph once = lowered_step(small.graph, {});
  const StepGraph four = lowered_step(small.graph, {UpdatePlacement::Search, 4});
  CHECK_FALSE(once.values[small.gw.index()].exists_from_start);
  CHECK(four.values[small.gw.index()].exists_from_start);
  CHECK_FALSE(four.values[small.gy.index()].exists_from_start);
  CHECK(four.operators[0].work == 40);
  CHECK(four.operators[5].work == 10);
  CHECK(once.fusion_genes == FusionGenes::WithoutUpdates);
  CHECK(four.fusion_genes == FusionGenes::WithUpdates);
}

TEST_CASE("content_hash: names do not matter and sizes do") {
  const SmallStep first;
  SmallStep renamed;
  renamed.graph.storages[2].name = "other";
  renamed.graph.operators[0].name = "another";
  CHECK(content_hash(first.graph) == content_hash(renamed.graph));
  SmallStep larger;
  larger.graph.storages[2].bytes = Bytes(16);
  CHECK(content_hash(first.graph) != content_hash(larger.graph));
}
