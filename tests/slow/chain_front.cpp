#include "tests/problems/chain_front.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "problems/cost_graph_file.h"

namespace paretrain::tests {

namespace {

// What pairs of latency and energy dominate up to the reference.
double area(const std::vector<ChainPoint>& plans, double latency, double energy) {
  double sum = 0;
  for (const ChainPoint& plan : plans) {
    const double width = latency - static_cast<double>(plan.latency);
    const double height = energy - static_cast<double>(plan.energy);
    if (width <= 0 || height <= 0) continue;
    sum += width * height;
    energy = static_cast<double>(plan.energy);
  }
  return sum;
}

}  // namespace

}  // namespace paretrain::tests

// The exact front of a chain and its hypervolume up to a reference point, all as JSON; with a step
// above 1 only every step-th budget is worked out and the hypervolume lies between two bounds:
// paretrain_chain_front CHAIN.json 2|3 LATENCY,ENERGY,PEAK [STEP].
int main(int count, char** words) {
  using namespace paretrain;
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() < 3) return 2;
  problems::CostGraph chain = problems::read_cost_graph(arguments[0]);
  const bool has_energy = arguments[1] == "3";
  if (!has_energy) {
    for (problems::CostGraphNode& node : chain.nodes)
      node.forward_energy = node.backward_energy = 0;
  }
  double latency = 0;
  double energy = 0;
  double peak = 0;
  if (std::sscanf(arguments[2].c_str(), "%lf,%lf,%lf", &latency, &energy, &peak) != 3) return 2;
  if (!has_energy) energy = 1;
  const long step = arguments.size() > 3 ? std::max(1L, std::atol(arguments[3].c_str())) : 1;
  const tests::ChainFront exact(chain);
  double least = 0;
  double most = 0;
  double area_before = 0;
  std::size_t pairs = 0;
  std::int64_t budget_before = exact.least_peak();
  const auto add = [&](std::int64_t budget) {
    const std::vector<tests::ChainPoint> plans = exact.plans_within(budget);
    const double now = tests::area(plans, latency, energy);
    const auto width = static_cast<double>(budget - budget_before);
    least += area_before * width;
    // The budgets in between are at most as good as this one.
    most += width > 0 ? area_before + now * (width - 1) : 0;
    area_before = now;
    budget_before = budget;
    pairs += plans.size();
  };
  for (std::int64_t budget = exact.least_peak(); budget < exact.largest_peak(); budget += step)
    add(budget);
  add(exact.largest_peak());
  const double rest = area_before * (peak - static_cast<double>(budget_before));
  std::printf("{\"least\": %.17g, \"most\": %.17g, \"least_peak\": %lld, \"pairs\": %zu}\n",
              least + rest,
              most + rest,
              static_cast<long long>(exact.least_peak()),
              pairs);
  return 0;
}
