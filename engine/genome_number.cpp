#include "engine/genome_number.h"

namespace paretrain::engine {

namespace {

std::uint64_t size_of(const IntegerRange& range) {
  return static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
}

}  // namespace

void numbered_genome(const GenomeLayout& layout, std::uint64_t number, GenomeRow genome) {
  if (layout.bits > 0) {
    genome[0] = number & ((Word{1} << layout.bits) - 1);
    number >>= layout.bits;
  }
  for (std::size_t i = 0; i < layout.integers.size(); ++i) {
    const std::uint64_t size = size_of(layout.integers[i]);
    const std::uint64_t offset = number % size;
    number /= size;
    set_integer(
        layout,
        genome,
        i,
        static_cast<std::int64_t>(static_cast<std::uint64_t>(layout.integers[i].low) + offset));
  }
}

std::uint64_t genome_number(const GenomeLayout& layout, GenomeView genome) {
  std::uint64_t number = 0;
  for (std::size_t i = layout.integers.size(); i-- > 0;) {
    const std::uint64_t offset = static_cast<std::uint64_t>(integer(layout, genome, i)) -
                                 static_cast<std::uint64_t>(layout.integers[i].low);
    number = number * size_of(layout.integers[i]) + offset;
  }
  if (layout.bits > 0) number = (number << layout.bits) | genome[0];
  return number;
}

}  // namespace paretrain::engine
