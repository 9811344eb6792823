#include "engine/local_moves.h"

#include <algorithm>

#include "engine/bit_runs.h"
#include "engine/variation.h"

namespace paretrain::engine {

namespace {

// Small steps for reals: a polynomial mutation that is narrower than the usual one.
constexpr double kNarrowIndex = 60;
// A structured move may not apply where it was tried.
constexpr int kStructuredTries = 6;

// Every gene of the block takes the value of its neighbour; the one at the far end wraps round.
void rotate(GenomeRow genome, const BitBlock& block, bool up) {
  const std::size_t last = block.end - 1;
  const bool wrapped = bit(genome, up ? last : block.begin);
  const auto assign = [&](std::size_t i, bool value) {
    if (bit(genome, i) != value) flip_bit(genome, i);
  };
  if (up) {
    for (std::size_t i = last; i > block.begin; --i)
      assign(i, bit(genome, i - 1));
    assign(block.begin, wrapped);
  } else {
    for (std::size_t i = block.begin; i < last; ++i)
      assign(i, bit(genome, i + 1));
    assign(last, wrapped);
  }
}

}  // namespace

LocalMoves::LocalMoves(const Problem& problem) : problem_(&problem), blocks_(problem.blocks()) {}

BitBlock LocalMoves::random_block(RandomStream& random) const {
  if (blocks_.empty()) return random_run(problem_->layout().bits, random);
  const BitBlock run = random_run(blocks_.size(), random);
  return {.begin = blocks_[run.begin].begin, .end = blocks_[run.end - 1].end};
}

void LocalMoves::exchange_two(GenomeRow genome, RandomStream& random) const {
  const std::size_t bits = problem_->layout().bits;
  const std::size_t a = random.below(bits);
  std::size_t b = random.below(bits);
  // A few draws find a bit that differs unless hardly any does.
  for (int tries = 0; tries < 8 && bit(genome, a) == bit(genome, b); ++tries)
    b = random.below(bits);
  flip_bit(genome, a);
  if (a != b) flip_bit(genome, b);
}

void LocalMoves::move_bits(const Individuals& members,
                           GenomeRow genome,
                           RandomStream& random) const {
  const BitBlock block = random_block(random);
  switch (random.below(4)) {
    case 0:
      exchange_two(genome, random);
      break;
    case 1:
      if ((random.next() >> 63U) != 0) {
        set_run(genome, block);
      } else {
        clear_run(genome, block);
      }
      break;
    case 2:
      rotate(genome, block, (random.next() >> 63U) != 0);
      break;
    default: {
      const GenomeView other = members.genome(random.below(members.size()));
      for (std::size_t i = block.begin; i < block.end; ++i) {
        if (bit(genome, i) != bit(other, i)) flip_bit(genome, i);
      }
    }
  }
}

// One structured move, or with falling probability more of them.
bool LocalMoves::move_structured(GenomeRow genome, RandomStream& random) const {
  bool moved = false;
  do {
    for (int tries = 0; tries < kStructuredTries; ++tries) {
      if (!problem_->structured_move(genome, random)) continue;
      moved = true;
      break;
    }
  } while (moved && random.below(3) == 0);
  return moved;
}

void LocalMoves::change_one(GenomeRow genome, RandomStream& random) const {
  const GenomeLayout& layout = problem_->layout();
  change_gene(layout, kNarrowIndex, genome, random.below(layout.genes()), random);
}

void LocalMoves::neighbour(const Individuals& members,
                           GenomeRow genome,
                           RandomStream& random) const {
  const GenomeView base = members.genome(random.below(members.size()));
  std::copy(base.begin(), base.end(), genome.begin());
  if ((random.next() >> 63U) != 0 && move_structured(genome, random)) return;
  const std::size_t bits = problem_->layout().bits;
  const std::uint64_t kind = random.below(4);
  if (kind == 0 && bits > 1) {
    move_bits(members, genome, random);
  } else {
    change_one(genome, random);
    if (kind == 1) change_one(genome, random);
  }
  problem_->follow_flips(base, genome);
}

}  // namespace paretrain::engine
