#include "problems/bench_real_functions.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace paretrain::problems {

namespace {

using engine::Evaluation;
using engine::GenomeLayout;
using engine::GenomeView;
using engine::RealRange;

constexpr double kPi = std::numbers::pi;

// The variables of a genome that has reals only.
class Variables {
 public:
  explicit Variables(GenomeView genome) : genome_(genome) {}

  [[nodiscard]] double operator[](std::size_t i) const { return std::bit_cast<double>(genome_[i]); }

  [[nodiscard]] std::size_t size() const { return genome_.size(); }

 private:
  GenomeView genome_;
};

using Function = Evaluation (*)(const Variables& x);

class RealProblem : public engine::Problem {
 public:
  RealProblem(GenomeLayout layout, std::size_t objectives, Function function)
      : layout_(std::move(layout)), function_(function) {
    for (std::size_t i = 0; i < objectives; ++i)
      names_.emplace_back(1, 'f').append(std::to_string(i + 1));
  }

  [[nodiscard]] const GenomeLayout& layout() const override { return layout_; }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override { return names_; }

  [[nodiscard]] Evaluation evaluate(GenomeView genome) const override {
    return function_(Variables(genome));
  }

 private:
  GenomeLayout layout_;
  Function function_;
  std::vector<std::string> names_;
};

double tail_mean(const Variables& x) {
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    sum += x[i];
  return sum / static_cast<double>(x.size() - 1);
}

Evaluation evaluate_zdt1(const Variables& x) {
  const double g = 1 + 9 * tail_mean(x);
  return {.objectives = {x[0], g * (1 - std::sqrt(x[0] / g))}, .violation = 0};
}

Evaluation evaluate_zdt2(const Variables& x) {
  const double g = 1 + 9 * tail_mean(x);
  const double ratio = x[0] / g;
  return {.objectives = {x[0], g * (1 - ratio * ratio)}, .violation = 0};
}

Evaluation evaluate_zdt3(const Variables& x) {
  const double g = 1 + 9 * tail_mean(x);
  const double ratio = x[0] / g;
  const double second = g * (1 - std::sqrt(ratio) - ratio * std::sin(10 * kPi * x[0]));
  return {.objectives = {x[0], second}, .violation = 0};
}

Evaluation evaluate_zdt4(const Variables& x) {
  double g = 1 + 10 * static_cast<double>(x.size() - 1);
  for (std::size_t i = 1; i < x.size(); ++i)
    g += x[i] * x[i] - 10 * std::cos(4 * kPi * x[i]);
  return {.objectives = {x[0], g * (1 - std::sqrt(x[0] / g))}, .violation = 0};
}

Evaluation evaluate_zdt6(const Variables& x) {
  const double wave = std::sin(6 * kPi * x[0]);
  const double first = 1 - std::exp(-4 * x[0]) * std::pow(wave, 6);
  const double g = 1 + 9 * std::pow(tail_mean(x), 0.25);
  const double ratio = first / g;
  return {.objectives = {first, g * (1 - ratio * ratio)}, .violation = 0};
}

Evaluation evaluate_dtlz1(const Variables& x) {
  double sum = 0;
  for (std::size_t i = 2; i < x.size(); ++i) {
    const double d = x[i] - 0.5;
    sum += d * d - std::cos(20 * kPi * d);
  }
  const double g = 100 * (static_cast<double>(x.size() - 2) + sum);
  const double half = 0.5 * (1 + g);
  return {.objectives = {half * x[0] * x[1], half * x[0] * (1 - x[1]), half * (1 - x[0])},
          .violation = 0};
}

Evaluation evaluate_dtlz2(const Variables& x) {
  double g = 0;
  for (std::size_t i = 2; i < x.size(); ++i)
    g += (x[i] - 0.5) * (x[i] - 0.5);
  const double a = x[0] * kPi / 2;
  const double b = x[1] * kPi / 2;
  return {.objectives = {(1 + g) * std::cos(a) * std::cos(b),
                         (1 + g) * std::cos(a) * std::sin(b),
                         (1 + g) * std::sin(a)},
          .violation = 0};
}

Evaluation evaluate_dtlz7(const Variables& x) {
  double sum = 0;
  for (std::size_t i = 2; i < x.size(); ++i)
    sum += x[i];
  const double g = 1 + 9 * sum / static_cast<double>(x.size() - 2);
  double h = 3;
  for (std::size_t i = 0; i < 2; ++i)
    h -= x[i] / (1 + g) * (1 + std::sin(3 * kPi * x[i]));
  return {.objectives = {x[0], x[1], (1 + g) * h}, .violation = 0};
}

struct Definition {
  std::string name;
  std::size_t variables = 0;
  Function function = nullptr;
  std::vector<double> reference;
};

BenchProblem made_from(const Definition& definition) {
  const std::size_t objectives = definition.reference.size();
  CHECK(definition.variables >= objectives, "too few variables");
  GenomeLayout layout;
  layout.reals.assign(definition.variables, RealRange{});
  if (definition.function == evaluate_zdt4)
    std::fill(layout.reals.begin() + 1, layout.reals.end(), RealRange{.low = -5, .high = 5});
  BenchProblem made;
  made.name = definition.name;
  made.problem = std::make_unique<RealProblem>(std::move(layout), objectives, definition.function);
  made.maximised.assign(objectives, 0);
  made.reference = definition.reference;
  return made;
}

}  // namespace

BenchProblem zdt1(std::size_t variables) {
  return made_from({"zdt1", variables, evaluate_zdt1, {1.1, 1.1}});
}

BenchProblem zdt2(std::size_t variables) {
  return made_from({"zdt2", variables, evaluate_zdt2, {1.1, 1.1}});
}

BenchProblem zdt3(std::size_t variables) {
  return made_from({"zdt3", variables, evaluate_zdt3, {1.1, 1.1}});
}

BenchProblem zdt4(std::size_t variables) {
  return made_from({"zdt4", variables, evaluate_zdt4, {1.1, 1.1}});
}

BenchProblem zdt6(std::size_t variables) {
  return made_from({"zdt6", variables, evaluate_zdt6, {1.1, 1.1}});
}

BenchProblem dtlz1(std::size_t variables) {
  return made_from({"dtlz1", variables, evaluate_dtlz1, {1, 1, 1}});
}

BenchProblem dtlz2(std::size_t variables) {
  return made_from({"dtlz2", variables, evaluate_dtlz2, {1.1, 1.1, 1.1}});
}

BenchProblem dtlz7(std::size_t variables) {
  return made_from({"dtlz7", variables, evaluate_dtlz7, {1, 1, 6.5}});
}

}  // namespace paretrain::problems
