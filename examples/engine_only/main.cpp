#include <engine/search.h>
#include <iostream>
using namespace paretrain::engine;

struct Knapsack : Problem {  // 40 items with two profits and one capacity
  GenomeLayout genes{.bits = 40};
  std::vector<std::string> names{"minus_first_profit", "minus_second_profit"};
  const GenomeLayout& layout() const override { return genes; }
  const std::vector<std::string>& objective_names() const override { return names; }
  Evaluation evaluate(GenomeView genome) const override {
    double weight = 0, first = 0, second = 0;
    for (int item = 0; item < 40; ++item) {
      if (!bit(genome, item)) continue;
      weight += 3 + item * 7 % 11;
      first += 1 + item * 5 % 13;
      second += 1 + item * 9 % 17;
    }
    return {{-first, -second}, weight > 150 ? weight - 150 : 0};  // overweight is a violation
  }
};

int main() {
  const Knapsack problem;
  Search search(problem, {.stop = {.generations = 50}});
  search.start({});
  while (!search.stop_reason()) search.step();
  const Individuals& front = search.state().archive;
  for (std::size_t row = 0; row < front.size(); ++row)
    std::cout << -front.objectives_of(row)[0] << ' ' << -front.objectives_of(row)[1] << '\n';
}
