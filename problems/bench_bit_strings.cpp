#include "problems/bench_bit_strings.h"

#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace paretrain::problems {

namespace {

using engine::Evaluation;
using engine::GenomeLayout;
using engine::GenomeView;
using engine::kWordBits;
using engine::Word;

using Function = Evaluation (*)(GenomeView genome, std::size_t bits, std::size_t extra);

class BitProblem : public engine::Problem {
 public:
  BitProblem(std::size_t bits, std::size_t extra, std::size_t objectives, Function function)
      : layout_{.bits = bits, .integers = {}, .reals = {}}, extra_(extra), function_(function) {
    for (std::size_t i = 0; i < objectives; ++i)
      names_.emplace_back(1, 'f').append(std::to_string(i + 1));
  }

  [[nodiscard]] const GenomeLayout& layout() const override { return layout_; }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override { return names_; }

  [[nodiscard]] Evaluation evaluate(GenomeView genome) const override {
    return function_(genome, layout_.bits, extra_);
  }

 private:
  GenomeLayout layout_;
  std::size_t extra_;
  Function function_;
  std::vector<std::string> names_;
};

// Ones among bits begin .. end-1.
std::size_t ones(GenomeView genome, std::size_t begin, std::size_t end) {
  std::size_t count = 0;
  for (std::size_t word = begin / kWordBits; word * kWordBits < end; ++word) {
    const std::size_t first = word * kWordBits;
    Word bits = genome[word];
    if (begin > first) bits &= ~Word{0} << (begin - first);
    if (end < first + kWordBits) bits &= ~(~Word{0} << (end - first));
    count += static_cast<std::size_t>(std::popcount(bits));
  }
  return count;
}

std::size_t leading_ones(GenomeView genome, std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  while (i < end && engine::bit(genome, i))
    ++i;
  return i - begin;
}

std::size_t trailing_zeros(GenomeView genome, std::size_t begin, std::size_t end) {
  std::size_t i = end;
  while (i > begin && !engine::bit(genome, i - 1))
    --i;
  return end - i;
}

double negative(std::size_t value) {
  return -static_cast<double>(value);
}

Evaluation evaluate_one_min_max(GenomeView genome, std::size_t bits, std::size_t) {
  const std::size_t count = ones(genome, 0, bits);
  return {.objectives = {negative(bits - count), negative(count)}, .violation = 0};
}

Evaluation evaluate_lotz(GenomeView genome, std::size_t bits, std::size_t) {
  return {.objectives = {negative(leading_ones(genome, 0, bits)),
                         negative(trailing_zeros(genome, 0, bits))},
          .violation = 0};
}

Evaluation evaluate_cocz(GenomeView genome, std::size_t bits, std::size_t) {
  const std::size_t first = ones(genome, 0, bits / 2);
  const std::size_t second = ones(genome, bits / 2, bits);
  return {.objectives = {negative(first + second), negative(first + bits / 2 - second)},
          .violation = 0};
}

std::size_t jump(std::size_t count, std::size_t bits, std::size_t gap) {
  return count <= bits - gap || count == bits ? gap + count : bits - count;
}

Evaluation evaluate_ojzj(GenomeView genome, std::size_t bits, std::size_t gap) {
  const std::size_t count = ones(genome, 0, bits);
  return {.objectives = {negative(jump(count, bits, gap)), negative(jump(bits - count, bits, gap))},
          .violation = 0};
}

Evaluation evaluate_three_omm(GenomeView genome, std::size_t bits, std::size_t) {
  const std::size_t first = ones(genome, 0, bits / 2);
  const std::size_t second = ones(genome, bits / 2, bits);
  return {.objectives = {negative(bits - first - second), negative(first), negative(second)},
          .violation = 0};
}

Evaluation evaluate_four_lotz(GenomeView genome, std::size_t bits, std::size_t) {
  const std::size_t half = bits / 2;
  return {.objectives = {negative(leading_ones(genome, 0, half)),
                         negative(trailing_zeros(genome, 0, half)),
                         negative(leading_ones(genome, half, bits)),
                         negative(trailing_zeros(genome, half, bits))},
          .violation = 0};
}

Evaluation evaluate_zdt5(GenomeView genome, std::size_t bits, std::size_t) {
  const auto first = static_cast<double>(1 + ones(genome, 0, 30));
  double g = 0;
  for (std::size_t begin = 30; begin < bits; begin += 5) {
    const std::size_t count = ones(genome, begin, begin + 5);
    g += count < 5 ? static_cast<double>(2 + count) : 1.0;
  }
  return {.objectives = {first, g / first}, .violation = 0};
}

struct Definition {
  std::string name;
  std::size_t bits = 0;
  std::size_t extra = 0;
  std::size_t objectives = 2;
  Function function = nullptr;
};

BenchProblem maximised(const Definition& definition) {
  BenchProblem made;
  made.name = definition.name;
  made.problem = std::make_unique<BitProblem>(
      definition.bits, definition.extra, definition.objectives, definition.function);
  made.maximised.assign(definition.objectives, 1);
  made.reference.assign(definition.objectives, 1);
  return made;
}

// Area up to -1 in each of the points (i, n - i), in maximised form.
double line_area(std::size_t n) {
  return static_cast<double>((n + 1) * (n + 2)) / 2;
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

BenchProblem one_min_max(std::size_t bits) {
  BenchProblem made = maximised(
      {.name = "ominmax:" + std::to_string(bits), .bits = bits, .function = evaluate_one_min_max});
  made.front = ExactFront{.points = bits + 1,
                          .contains = [](std::span<const double>) { return true; },
                          .hypervolume = line_area(bits)};
  return made;
}

BenchProblem leading_ones_trailing_zeros(std::size_t bits) {
  BenchProblem made =
      maximised({.name = "lotz:" + std::to_string(bits), .bits = bits, .function = evaluate_lotz});
  made.front =
      ExactFront{.points = bits + 1,
                 .contains = [bits](std::span<const double> f) { return sum(f) == negative(bits); },
                 .hypervolume = line_area(bits)};
  return made;
}

BenchProblem count_ones_count_zeros(std::size_t bits) {
  CHECK(bits % 2 == 0, "both halves have the same length");
  BenchProblem made =
      maximised({.name = "cocz:" + std::to_string(bits), .bits = bits, .function = evaluate_cocz});
  const std::size_t half = bits / 2;
  double area = static_cast<double>((half + 1) * (bits + 1));
  for (std::size_t k = 1; k <= half; ++k)
    area += static_cast<double>(bits - k + 1);
  made.front = ExactFront{
      .points = half + 1,
      .contains = [bits,
                   half](std::span<const double> f) { return sum(f) == negative(bits + half); },
      .hypervolume = area};
  return made;
}

BenchProblem one_jump_zero_jump(std::size_t bits, std::size_t gap) {
  CHECK(gap >= 2 && 2 * gap <= bits, "the gap is between 2 and half the length");
  BenchProblem made = maximised({.name = "ojzj:" + std::to_string(bits) + ":" + std::to_string(gap),
                                 .bits = bits,
                                 .extra = gap,
                                 .function = evaluate_ojzj});
  // Ones in {0, n} or gap .. n - gap; there both jumps rise with their count.
  made.front = ExactFront{
      .points = bits - 2 * gap + 3,
      .contains = [bits,
                   gap](std::span<const double> f) { return sum(f) == negative(bits + 2 * gap); },
      .hypervolume = std::nullopt};
  return made;
}

BenchProblem three_one_min_max(std::size_t bits) {
  CHECK(bits % 2 == 0, "both halves have the same length");
  BenchProblem made = maximised({.name = "3omm:" + std::to_string(bits),
                                 .bits = bits,
                                 .objectives = 3,
                                 .function = evaluate_three_omm});
  const std::size_t side = bits / 2 + 1;
  made.front = ExactFront{.points = side * side,
                          .contains = [](std::span<const double>) { return true; },
                          .hypervolume = static_cast<double>(side * side * side)};
  return made;
}

BenchProblem four_leading_ones_trailing_zeros(std::size_t bits) {
  CHECK(bits % 2 == 0, "both halves have the same length");
  BenchProblem made = maximised({.name = "4lotz:" + std::to_string(bits),
                                 .bits = bits,
                                 .objectives = 4,
                                 .function = evaluate_four_lotz});
  const std::size_t half = bits / 2;
  made.front =
      ExactFront{.points = (half + 1) * (half + 1),
                 .contains =
                     [half](std::span<const double> f) {
                       return f[0] + f[1] == negative(half) && f[2] + f[3] == negative(half);
                     },
                 .hypervolume = line_area(half) * line_area(half)};
  return made;
}

BenchProblem zdt5() {
  BenchProblem made;
  made.name = "zdt5";
  made.problem = std::make_unique<BitProblem>(80, 0, 2, evaluate_zdt5);
  made.maximised.assign(2, 0);
  made.reference = {32, 11};
  made.front = ExactFront{.points = 31,
                          .contains = [](std::span<const double> f) { return f[1] == 10 / f[0]; },
                          .hypervolume = std::nullopt};
  return made;
}

}  // namespace paretrain::problems
