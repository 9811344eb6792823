#include "engine/local_moves.h"

#include <algorithm>

#include "engine/variation.h"

namespace paretrain::engine {

namespace {

// Small steps for reals: a polynomial mutation that is narrower than the usual one.
constexpr double kNarrowIndex = 60;

void fill(GenomeRow genome, const BitBlock& block, bool value) {
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (value) {
      set_bit(genome, i);
    } else {
      clear_bit(genome, i);
    }
  }
}

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
  if (!blocks_.empty()) return blocks_[random.below(blocks_.size())];
  const std::size_t bits = problem_->layout().bits;
  // Short blocks are as likely as long ones of twice the length range: 2 .. 2^k.
  std::size_t longest = 2;
  while (longest < bits && (random.next() >> 63U) != 0)
    longest *= 2;
  const std::size_t length = std::min<std::size_t>(bits, 1 + random.below(longest));
  const std::size_t begin = random.below(bits - length + 1);
  return {.begin = begin, .end = begin + length};
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

void LocalMoves::move_bits(const Individuals& archive,
                           GenomeRow genome,
                           RandomStream& random) const {
  const BitBlock block = random_block(random);
  switch (random.below(4)) {
    case 0:
      exchange_two(genome, random);
      break;
    case 1:
      fill(genome, block, (random.next() >> 63U) != 0);
      break;
    case 2:
      rotate(genome, block, (random.next() >> 63U) != 0);
      break;
    default: {
      const GenomeView other = archive.genome(random.below(archive.size()));
      for (std::size_t i = block.begin; i < block.end; ++i) {
        if (bit(genome, i) != bit(other, i)) flip_bit(genome, i);
      }
    }
  }
}

void LocalMoves::change_one(GenomeRow genome, RandomStream& random) const {
  const GenomeLayout& layout = problem_->layout();
  change_gene(layout, kNarrowIndex, genome, random.below(layout.genes()), random);
}

void LocalMoves::neighbour(const Individuals& archive,
                           GenomeRow genome,
                           RandomStream& random) const {
  const GenomeView base = archive.genome(random.below(archive.size()));
  std::copy(base.begin(), base.end(), genome.begin());
  if ((random.next() >> 63U) != 0 && problem_->structured_move(genome, random)) return;
  const std::size_t bits = problem_->layout().bits;
  const std::uint64_t kind = random.below(4);
  if (kind == 0 && bits > 1) {
    move_bits(archive, genome, random);
  } else {
    change_one(genome, random);
    if (kind == 1) change_one(genome, random);
  }
  problem_->follow_flips(base, genome);
}

}  // namespace paretrain::engine
