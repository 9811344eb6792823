// Why: the saved bytes of a transformer block are published term by term; the block is written here
// node by node as exporters write it.
#pragma once

#include "tests/evaluator/graph/small_model.h"

namespace paretrain::tests {

struct BlockSizes {
  std::int64_t sequence = 4;
  std::int64_t batch = 2;
  std::int64_t hidden = 8;
  std::int64_t heads = 2;
};

// Token and position embeddings, `blocks` transformer blocks with dropout, GELU and unfused
// attention, a head of `vocabulary` classes.
[[nodiscard]] SmallModel transformer(const BlockSizes& sizes, std::int64_t blocks);

}  // namespace paretrain::tests
