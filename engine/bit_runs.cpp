#include "engine/bit_runs.h"

#include <algorithm>

namespace paretrain::engine {

Word run_mask(std::size_t word, const BitBlock& run) {
  const std::size_t first = word * kWordBits;
  if (run.begin >= first + kWordBits || run.end <= first) return 0;
  const std::size_t low = run.begin > first ? run.begin - first : 0;
  const std::size_t high = std::min(run.end - first, kWordBits);
  const Word up_to_high = high == kWordBits ? ~Word{0} : (Word{1} << high) - 1;
  return up_to_high & ~((Word{1} << low) - 1);
}

BitBlock random_run(std::size_t total, RandomStream& random) {
  std::size_t longest = 2;
  while (longest < total && (random.next() >> 63U) != 0)
    longest *= 2;
  const std::size_t length = std::min<std::size_t>(total, 1 + random.below(longest));
  const std::size_t begin = random.below(total - length + 1);
  return {.begin = begin, .end = begin + length};
}

void complement_run(GenomeRow genome, const BitBlock& run) {
  for (std::size_t word = run.begin / kWordBits; word * kWordBits < run.end; ++word)
    genome[word] ^= run_mask(word, run);
}

void clear_run(GenomeRow genome, const BitBlock& run) {
  for (std::size_t word = run.begin / kWordBits; word * kWordBits < run.end; ++word)
    genome[word] &= ~run_mask(word, run);
}

void set_run(GenomeRow genome, const BitBlock& run) {
  for (std::size_t word = run.begin / kWordBits; word * kWordBits < run.end; ++word)
    genome[word] |= run_mask(word, run);
}

void mutate_run(GenomeRow genome, std::size_t bits, RandomStream& random) {
  const BitBlock run = random_run(bits, random);
  switch (random.below(4)) {
    case 0:
      clear_run(genome, run);
      break;
    case 1:
      set_run(genome, run);
      break;
    default:
      complement_run(genome, run);
  }
}

}  // namespace paretrain::engine
