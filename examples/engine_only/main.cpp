// The engine alone: a knapsack of 40 items with two profits and one capacity, as somebody with another problem writes it.
#include <engine/search.h>

#include <iostream>

namespace engine = paretrain::engine;

class Knapsack final : public engine::Problem {
 public:
  const engine::GenomeLayout& layout() const override { return layout_; }
  const std::vector<std::string>& objective_names() const override { return names_; }
  engine::Evaluation evaluate(engine::GenomeView genome) const override {
    double weight = 0, first = 0, second = 0;
    for (std::size_t item = 0; item < layout_.bits; ++item) {
      if (!engine::bit(genome, item)) continue;
      weight += static_cast<double>(3 + item * 7 % 11);
      first += static_cast<double>(1 + item * 5 % 13);
      second += static_cast<double>(1 + item * 9 % 17);
    }
    return {{-first, -second}, weight > 150 ? weight - 150 : 0};  // minimised; overweight is a violation
  }

 private:
  engine::GenomeLayout layout_{.bits = 40, .integers = {}, .reals = {}};
  std::vector<std::string> names_{"minus_first_profit", "minus_second_profit"};
};

int main() {
  const Knapsack problem;
  engine::SearchOptions options;
  options.stop.generations = 50;
  engine::Search search(problem, options);
  search.start({});
  while (!search.stop_reason()) search.step();
  const engine::Individuals& front = search.state().archive;
  for (std::size_t row = 0; row < front.size(); ++row) {
    std::cout << -front.objectives_of(row)[0] << ' ' << -front.objectives_of(row)[1] << '\n';
  }
}
