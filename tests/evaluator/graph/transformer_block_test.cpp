// Saved bytes of a transformer block against the published formula sbh (34 + 5 a s / h): 16-bit
// activations, one-byte masks, statistics and scalars ignored (Korthikanti et al.).
#include "tests/evaluator/graph/transformer_block.h"

#include <array>
#include <map>
#include <string>

#include "evaluator/graph/training_step.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

TrainingOptions half_precision() {
  TrainingOptions options;
  options.precision = Precision::Fp16;
  options.saved = SavedSet::Framework;
  return options;
}

// Bytes by storage name of what the block's backward pass reads, small buffers left out.
std::map<std::string, std::int64_t> saved_of_block(const TrainingGraph& graph,
                                                   const std::string& block) {
  std::map<std::string, std::int64_t> saved;
  for (const StorageId id : saved_storages(graph)) {
    const Storage& storage = graph.storage(id);
    if (storage.role == StorageRole::Statistic) continue;
    if (storage.name.rfind(block, 0) == 0) saved[storage.name] += storage.bytes.number();
  }
  return saved;
}

std::int64_t total(const std::map<std::string, std::int64_t>& saved) {
  std::int64_t sum = 0;
  for (const auto& [name, bytes] : saved)
    sum += bytes;
  return sum;
}

struct PublishedSize {
  BlockSizes sizes;
  std::int64_t bytes = 0;  // per layer, nothing recomputed
};

}  // namespace

TEST_CASE("transformer block: saved bytes at the five published sizes") {
  const std::array<PublishedSize, 5> published = {{{{1024, 8, 768, 12}, 717225984},
                                                   {{2048, 4, 6144, 64}, 7079985152},
                                                   {{2048, 1, 12288, 96}, 2868903936},
                                                   {{2048, 1, 20480, 128}, 4110417920},
                                                   {{2048, 1, 25600, 160}, 5138022400}}};
  for (const PublishedSize& size : published) {
    // The middle one of three blocks: its last sum is the next block's input.
    const TrainingGraph graph = training_step(transformer(size.sizes, 3).graph(), half_precision());
    const auto saved = saved_of_block(graph, "block1.");
    CHECK(total(saved) == size.bytes);
  }
}

TEST_CASE("transformer block: saved bytes term by term") {
  const BlockSizes sizes{16, 3, 32, 4};
  const TrainingGraph graph = training_step(transformer(sizes, 3).graph(), half_precision());
  CHECK(broken_law(graph) == "");
  const auto saved = saved_of_block(graph, "block1.");
  const std::int64_t tokens = sizes.sequence * sizes.batch * sizes.hidden;
  const std::int64_t maps = sizes.heads * sizes.sequence * sizes.sequence * sizes.batch;
  const std::map<std::string, std::int64_t> expected = {
      {"block1.end", 2 * tokens},  // the next block's layer norm 1 reads it
      {"block1.ln1", 2 * tokens},
      {"block1.attention.q:copy", 2 * tokens},
      {"block1.attention.k:copy", 2 * tokens},
      {"block1.attention.v:copy", 2 * tokens},
      {"block1.attention.softmax", 2 * maps},
      {"block1.attention.dropped:mask", maps},
      {"block1.attention.dropped", 2 * maps},
      {"block1.attention.joined", 2 * tokens},
      {"block1.attention.out:mask", tokens},
      {"block1.middle", 2 * tokens},
      {"block1.ln2", 2 * tokens},
      {"block1.up", 8 * tokens},
      {"block1.gelu", 8 * tokens},
      {"block1.mlp:mask", tokens}};
  CHECK(saved == expected);
}

TEST_CASE("transformer block: one sample keeps q k and v as views of one buffer") {
  const BlockSizes sizes{16, 1, 32, 4};
  const TrainingGraph graph = training_step(transformer(sizes, 3).graph(), half_precision());
  CHECK(broken_law(graph) == "");
  const auto saved = saved_of_block(graph, "block1.");
  CHECK(saved.count("block1.attention.q:copy") == 0);
  CHECK(saved.at("block1.attention.qkv") == 3 * 2 * 16 * 32);
}

TEST_CASE("transformer block: decomposed GELU and biased products are recognised") {
  const TrainingGraph graph = training_step(transformer({}, 2).graph(), half_precision());
  REQUIRE(graph.recognised.size() == 2);
  CHECK(graph.recognised[0].pattern == "Gelu (erf)");
  CHECK(graph.recognised[0].count == 2);
  CHECK(graph.recognised[1].pattern == "Linear");
  CHECK(graph.recognised[1].count == 9);
}

}  // namespace paretrain::tests
