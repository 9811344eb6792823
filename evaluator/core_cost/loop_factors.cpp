#include "evaluator/core_cost/loop_factors.h"

#include <algorithm>

namespace paretrain::evaluator {

namespace {

// ZigZag breaks ties between loops by the order in which its nests declare them.
constexpr std::array<Loop, kLoopCount> kConvolutionOrder = {Loop::B,
                                                            Loop::K,
                                                            Loop::G,
                                                            Loop::OX,
                                                            Loop::OY,
                                                            Loop::IX,
                                                            Loop::IY,
                                                            Loop::C,
                                                            Loop::FX,
                                                            Loop::FY,
                                                            Loop::H,
                                                            Loop::D};
constexpr std::array<Loop, kLoopCount> kMatrixOrder = {Loop::C,
                                                       Loop::D,
                                                       Loop::K,
                                                       Loop::B,
                                                       Loop::H,
                                                       Loop::G,
                                                       Loop::OX,
                                                       Loop::OY,
                                                       Loop::IX,
                                                       Loop::IY,
                                                       Loop::FX,
                                                       Loop::FY};

bool has_windows(const LoopNest& nest) {
  return std::any_of(nest.axes.begin(), nest.axes.end(), [](const std::vector<AxisIndex>& axes) {
    return std::any_of(axes.begin(), axes.end(), [](const AxisIndex& a) { return a.windowed; });
  });
}

std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> primes;
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    while (number % divisor == 0) {
      primes.push_back(divisor);
      number /= divisor;
    }
  }
  if (number > 1) primes.push_back(number);
  return primes;
}

struct FactoredLoop {
  Loop loop = Loop::K;
  std::vector<std::int64_t> factors;  // ascending
};

void merge_two_smallest(std::vector<std::int64_t>& factors) {
  factors[1] *= factors[0];
  factors.erase(factors.begin());
  std::sort(factors.begin(), factors.end());
}

}  // namespace

std::vector<TemporalLoop> loop_factors(const LoopNest& nest,
                                       const std::array<std::int64_t, kLoopCount>& temporal,
                                       int limit) {
  std::vector<FactoredLoop> loops;
  std::size_t total = 0;
  for (const Loop loop : has_windows(nest) ? kConvolutionOrder : kMatrixOrder) {
    const std::int64_t size = temporal[static_cast<std::size_t>(loop)];
    if (size == 1) continue;
    loops.push_back({loop, prime_factors(size)});
    total += loops.back().factors.size();
  }
  const std::size_t allowed = std::max(static_cast<std::size_t>(std::max(limit, 1)), loops.size());
  while (total > allowed) {
    const auto longest = std::max_element(
        loops.begin(), loops.end(), [](const FactoredLoop& a, const FactoredLoop& b) {
          return a.factors.size() < b.factors.size();
        });
    merge_two_smallest(longest->factors);
    --total;
  }
  std::vector<TemporalLoop> result;
  for (const FactoredLoop& loop : loops) {
    for (const std::int64_t factor : loop.factors)
      result.push_back({loop.loop, factor});
  }
  if (result.empty()) result.push_back({Loop::K, 1});
  return result;
}

void for_each_order(const std::vector<TemporalLoop>& factors,
                    const std::function<void(std::span<const TemporalLoop>)>& visit) {
  std::vector<std::size_t> kinds;  // place of the first factor equal to this one
  for (const TemporalLoop& factor : factors) {
    const auto first = std::find(factors.begin(), factors.end(), factor);
    kinds.push_back(static_cast<std::size_t>(first - factors.begin()));
  }
  std::sort(kinds.begin(), kinds.end());
  std::vector<TemporalLoop> order(factors.size());
  do {
    for (std::size_t i = 0; i < kinds.size(); ++i)
      order[i] = factors[kinds[i]];
    visit(order);
  } while (std::next_permutation(kinds.begin(), kinds.end()));
}

std::int64_t order_count(const std::vector<TemporalLoop>& factors) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::int64_t equal = 1;
    for (std::size_t j = 0; j < i; ++j)
      equal += factors[j] == factors[i] ? 1 : 0;
    count = count * static_cast<std::int64_t>(i + 1) / equal;
  }
  return count;
}

}  // namespace paretrain::evaluator
