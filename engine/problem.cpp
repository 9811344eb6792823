#include "engine/problem.h"

namespace paretrain::engine {

namespace {

// Gene i is bit i of the words, so the first differing bit is the lowest.
std::strong_ordering bit_order(GenomeView a, GenomeView b) {
  for (std::size_t word = 0; word < a.size(); ++word) {
    const Word differing = a[word] ^ b[word];
    if (differing == 0) continue;
    const Word lowest = differing & (~differing + 1);
    return (a[word] & lowest) != 0 ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  return std::strong_ordering::equal;
}

}  // namespace

void Problem::canonicalize(GenomeRow /*genome*/) const {}

void Problem::follow_flips(GenomeView /*before*/, GenomeRow /*after*/) const {}

bool Problem::structured_move(GenomeRow /*genome*/, RandomStream& /*random*/) const {
  return false;
}

std::vector<BitBlock> Problem::blocks() const {
  return {};
}

std::vector<std::uint32_t> Problem::canonical_prefix_order() const {
  return {};
}

std::strong_ordering Problem::text_order(GenomeView a, GenomeView b) const {
  const GenomeLayout& genes = layout();
  const auto bits = bit_order(a.first(genes.bit_words()), b.first(genes.bit_words()));
  if (bits != std::strong_ordering::equal) return bits;
  for (std::size_t i = 0; i < genes.integers.size(); ++i) {
    const auto order = integer(genes, a, i) <=> integer(genes, b, i);
    if (order != std::strong_ordering::equal) return order;
  }
  for (std::size_t i = 0; i < genes.reals.size(); ++i) {
    const double x = real(genes, a, i);
    const double y = real(genes, b, i);
    if (x != y) return x < y ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return std::strong_ordering::equal;
}

std::optional<std::uint64_t> genome_count(const GenomeLayout& layout) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63U;
  if (!layout.reals.empty() || layout.bits >= 63) return std::nullopt;
  std::uint64_t count = std::uint64_t{1} << layout.bits;
  for (const IntegerRange& range : layout.integers) {
    const std::uint64_t steps =
        static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
    if (steps >= kMax - 1) return std::nullopt;
    const Wide product = static_cast<Wide>(count) * (steps + 1);
    if (product >= kMax) return std::nullopt;
    count = static_cast<std::uint64_t>(product);
  }
  return count;
}

}  // namespace paretrain::engine
