#include "engine/variation.h"

#include <algorithm>
#include <cmath>

#include "engine/bit_runs.h"

namespace paretrain::engine {

namespace {

// The usual rates, found by experiments.
constexpr double kDiscreteCrossover = 0.5;
constexpr double kRealCrossover = 1;
constexpr double kDiscreteMutation = 1;
constexpr double kRealMutation = 0.8;

// Copies genes begin .. end-1 (bits, then integers) of `from`.
void copy_range(const GenomeLayout& layout,
                GenomeView from,
                GenomeRow child,
                std::size_t begin,
                std::size_t end) {
  const std::size_t bit_end = std::min(end, layout.bits);
  if (begin < bit_end) {
    for (std::size_t word = begin / kWordBits; word * kWordBits < bit_end; ++word) {
      const Word mask = run_mask(word, {.begin = begin, .end = bit_end});
      child[word] = (child[word] & ~mask) | (from[word] & mask);
    }
  }
  for (std::size_t gene = std::max(begin, layout.bits); gene < end; ++gene) {
    const std::size_t word = layout.bit_words() + (gene - layout.bits);
    child[word] = from[word];
  }
}

void mix_uniformly(const GenomeLayout& layout,
                   GenomeView from,
                   GenomeRow child,
                   RandomStream& random) {
  for (std::size_t word = 0; word < layout.bit_words(); ++word) {
    const Word mask = random.next();
    child[word] = (child[word] & ~mask) | (from[word] & mask);
  }
  for (std::size_t i = 0; i < layout.integers.size(); ++i) {
    const std::size_t word = layout.bit_words() + i;
    if ((random.next() >> 63U) != 0) child[word] = from[word];
  }
}

void cross_discrete(const GenomeLayout& layout,
                    BitCrossover kind,
                    GenomeView from,
                    GenomeRow child,
                    RandomStream& random) {
  const std::size_t genes = layout.bits + layout.integers.size();
  if (genes < 2) return;
  switch (kind) {
    case BitCrossover::TwoPoint: {
      const std::size_t x = random.below(genes + 1);
      std::size_t y = random.below(genes);
      if (y >= x) ++y;
      copy_range(layout, from, child, std::min(x, y), std::max(x, y));
      break;
    }
    case BitCrossover::OnePoint:
      copy_range(layout, from, child, 1 + random.below(genes - 1), genes);
      break;
    case BitCrossover::Uniform:
      mix_uniformly(layout, from, child, random);
      break;
  }
}

// The lower or the upper child of simulated binary crossover of one real, u in [0, 1].
double blended(const RealRange& range, double index, const std::array<double, 2>& ab, double u) {
  const double low = std::min(ab[0], ab[1]);
  const double high = std::max(ab[0], ab[1]);
  const bool lower = u < 0.5;
  const double v = lower ? 2 * u : 2 * u - 1;
  const double room = lower ? low - range.low : range.high - high;
  const double beta = 1 + 2 * room / (high - low);
  const double alpha = 2 - std::pow(beta, -(index + 1));
  const double spread = v <= 1 / alpha ? std::pow(v * alpha, 1 / (index + 1))
                                       : std::pow(1 / (2 - v * alpha), 1 / (index + 1));
  const double middle = low + high;
  const double child =
      0.5 * (lower ? middle - spread * (high - low) : middle + spread * (high - low));
  return std::clamp(child, range.low, range.high);
}

void cross_reals(const GenomeLayout& layout,
                 double index,
                 GenomeView other,
                 GenomeRow child,
                 RandomStream& random) {
  for (std::size_t i = 0; i < layout.reals.size(); ++i) {
    const double a = real(layout, child, i);
    const double b = real(layout, other, i);
    if ((random.next() >> 63U) != 0 || !(std::abs(a - b) > 1e-14)) continue;
    // The exchanged parents take the other side.
    const double drawn = random.unit();
    const double u = a < b ? drawn : 1 - drawn;
    set_real(layout, child, i, blended(layout.reals[i], index, {a, b}, u));
  }
}

double polynomially_mutated(const RealRange& range, double index, double value, double u) {
  const double width = range.high - range.low;
  if (!(width > 0)) return value;
  const double power = 1 / (index + 1);
  double step = 0;
  if (u < 0.5) {
    const double room = 1 - (value - range.low) / width;
    step = std::pow(2 * u + (1 - 2 * u) * std::pow(room, index + 1), power) - 1;
  } else {
    const double room = 1 - (range.high - value) / width;
    step = 1 - std::pow(2 * (1 - u) + 2 * (u - 0.5) * std::pow(room, index + 1), power);
  }
  return std::clamp(value + step * width, range.low, range.high);
}

std::int64_t other_integer(const IntegerRange& range, std::int64_t value, RandomStream& random) {
  const auto steps = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
  if (steps == 0) return value;
  if ((random.next() >> 63U) != 0) {
    const bool up = value == range.low || (value != range.high && (random.next() >> 63U) != 0);
    return up ? value + 1 : value - 1;
  }
  const std::uint64_t drawn = random.below(steps);
  const auto drawn_value = static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) + drawn);
  return drawn_value >= value ? drawn_value + 1 : drawn_value;
}

}  // namespace

void randomize(const GenomeLayout& layout, GenomeRow genome, RandomStream& random) {
  for (std::size_t word = 0; word < layout.bit_words(); ++word)
    genome[word] = random.next() & run_mask(word, {.begin = 0, .end = layout.bits});
  for (std::size_t i = 0; i < layout.integers.size(); ++i) {
    const IntegerRange& range = layout.integers[i];
    const auto steps =
        static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
    const std::uint64_t drawn = steps + 1 == 0 ? random.next() : random.below(steps + 1);
    set_integer(layout,
                genome,
                i,
                static_cast<std::int64_t>(static_cast<std::uint64_t>(range.low) + drawn));
  }
  for (std::size_t i = 0; i < layout.reals.size(); ++i) {
    const RealRange& range = layout.reals[i];
    const double value = range.low + random.unit() * (range.high - range.low);
    set_real(layout, genome, i, std::min(value, range.high));
  }
}

void crossover(const GenomeLayout& layout,
               const VariationOptions& options,
               const Parents& parents,
               GenomeRow child,
               RandomStream& random) {
  std::copy(parents.a.begin(), parents.a.end(), child.begin());
  const double usual = layout.has_reals_only() ? kRealCrossover : kDiscreteCrossover;
  if (random.unit() >= options.crossover_probability.value_or(usual)) return;
  cross_discrete(layout, options.bit_crossover, parents.b, child, random);
  cross_reals(layout, options.crossover_index, parents.b, child, random);
}

void change_gene(const GenomeLayout& layout,
                 double mutation_index,
                 GenomeRow genome,
                 std::size_t gene,
                 RandomStream& random) {
  if (gene < layout.bits) {
    flip_bit(genome, gene);
    return;
  }
  gene -= layout.bits;
  if (gene < layout.integers.size()) {
    const std::int64_t value = integer(layout, genome, gene);
    set_integer(layout, genome, gene, other_integer(layout.integers[gene], value, random));
    return;
  }
  gene -= layout.integers.size();
  const double value = real(layout, genome, gene);
  set_real(layout,
           genome,
           gene,
           polynomially_mutated(layout.reals[gene], mutation_index, value, random.unit()));
}

void mutate(const GenomeLayout& layout,
            const VariationOptions& options,
            GenomeRow genome,
            RandomStream& random) {
  const std::size_t genes = layout.genes();
  const double usual = layout.has_reals_only() ? kRealMutation : kDiscreteMutation;
  const double probability = options.mutated_genes.value_or(usual) / static_cast<double>(genes);
  if (!(probability > 0)) return;
  if (layout.bits > 1 && random.unit() < options.run_mutation) {
    mutate_run(genome, layout.bits, random);
    return;
  }
  if (probability >= 1) {
    for (std::size_t gene = 0; gene < genes; ++gene)
      change_gene(layout, options.mutation_index, genome, gene, random);
    return;
  }
  const double scale = 1 / std::log1p(-probability);
  for (std::size_t gene = 0;; ++gene) {
    // 1 - unit is exact and never 0, and its logarithm quicker than log1p.
    const double skipped = std::log(1 - random.unit()) * scale;
    if (!(skipped < static_cast<double>(genes - gene))) break;
    gene += static_cast<std::size_t>(skipped);
    change_gene(layout, options.mutation_index, genome, gene, random);
  }
}

}  // namespace paretrain::engine
