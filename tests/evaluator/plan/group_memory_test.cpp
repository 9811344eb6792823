#include "evaluator/plan/group_memory.h"

#include <map>
#include <vector>

#include "base/random.h"
#include "evaluator/plan/group_key.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

using evaluator::CarriedValue;
using evaluator::GroupContent;
using evaluator::GroupCost;
using evaluator::RunningOperator;
using evaluator::StepOperatorId;
using evaluator::StepValueId;
using Words = std::vector<std::uint64_t>;

struct Group {
  std::vector<RunningOperator> operators;
  std::vector<StepValueId> reads;
  std::vector<StepValueId> writes;
  std::vector<CarriedValue> carried_in;
  std::vector<CarriedValue> carried_out;

  [[nodiscard]] GroupContent content() const {
    return {operators, reads, writes, carried_in, carried_out};
  }
};

// Few different groups, so that they meet again, and of every shape.
Group random_group(RandomStream& random) {
  Group group;
  for (std::uint64_t n = 1 + random.below(2); n > 0; --n) {
    const std::uint64_t masks[] = {1, 3, 0x7fffffff, 0x80000000, ~std::uint64_t{0}};
    RunningOperator running{.op = StepOperatorId(random.below(3))};
    running.recompute = random.below(2) == 0;
    if (running.recompute) running.produced = masks[random.below(5)];
    group.operators.push_back(running);
  }
  for (auto* values : {&group.reads, &group.writes}) {
    for (std::uint64_t n = random.below(3); n > 0; --n)
      values->emplace_back(random.below(2));
  }
  for (auto* values : {&group.carried_in, &group.carried_out}) {
    if (random.below(4) == 0) values->push_back({StepValueId(random.below(2)), 1});
  }
  return group;
}

// Everything that there is to say of a group, one word each.
Words account(const GroupContent& group) {
  Words words = {group.operators.size(), group.reads.size(), group.writes.size()};
  words.push_back(group.carried_in.size());
  for (const RunningOperator& running : group.operators)
    words.insert(words.end(), {running.op.index(), running.recompute ? 1U : 0U, running.produced});
  for (const StepValueId value : group.reads)
    words.push_back(value.index());
  for (const StepValueId value : group.writes)
    words.push_back(value.index());
  for (const auto& carried : {group.carried_in, group.carried_out}) {
    for (const CarriedValue& value : carried)
      words.insert(words.end(), {value.value.index(), value.place});
  }
  return words;
}

// Numbers the groups that it is asked about.
class NumberingModel : public evaluator::GroupModel {
 public:
  explicit NumberingModel(std::map<Words, std::int64_t>& numbers) : numbers_(numbers) {}

  [[nodiscard]] std::int64_t max_group_length() const override { return 6; }

  [[nodiscard]] bool is_legal(std::span<const RunningOperator> operators) const override {
    return number({.operators = operators, .reads = {}, .writes = {}}) % 2 == 0;
  }

  [[nodiscard]] GroupCost cost(const GroupContent& group) const override {
    return {.latency = number(group)};
  }

 private:
  [[nodiscard]] std::int64_t number(const GroupContent& group) const {
    return numbers_.emplace(account(group), static_cast<std::int64_t>(numbers_.size()))
        .first->second;
  }

  std::map<Words, std::int64_t>& numbers_;
};

}  // namespace

TEST_CASE("group_key: different groups have different words") {
  std::map<Words, Words> accounts;
  RandomStream random(1, 0, 0);
  for (int n = 0; n < 50000; ++n) {
    const Group group = random_group(random);
    Words words(evaluator::most_words(group.content()), 7);
    evaluator::GroupKeyWriter writer(words.data());
    writer.add(group.content());
    const auto length = static_cast<std::size_t>(writer.end() - words.data());
    REQUIRE(length <= words.size());
    words.resize(length);
    const auto met = accounts.emplace(words, account(group.content()));
    CHECK(met.first->second == account(group.content()));
  }
  CHECK(accounts.size() > 5000);
}

TEST_CASE("group_memory: answers like the model and asks it once per group") {
  std::map<Words, std::int64_t> numbers;
  const NumberingModel model(numbers);
  evaluator::GroupMemory memory;
  memory.belong_to(1);
  RandomStream random(2, 0, 0);
  for (int n = 0; n < 50000; ++n) {
    const Group group = random_group(random);
    CHECK(memory.cost(model, group.content()).latency == model.cost(group.content()).latency);
  }
  CHECK(memory.misses() == numbers.size());
  CHECK(memory.hits() + memory.misses() == 50000);
}

TEST_CASE("group_memory: legality is of the members of a plan") {
  std::map<Words, std::int64_t> numbers;
  const NumberingModel model(numbers);
  evaluator::GroupMemory memory;
  memory.belong_to(1);
  RandomStream random(3, 0, 0);
  for (int n = 0; n < 5000; ++n) {
    const Group plan = random_group(random);
    const std::vector<std::uint32_t> members = {
        static_cast<std::uint32_t>(random.below(plan.operators.size()))};
    const std::span<const RunningOperator> member(&plan.operators[members[0]], 1);
    CHECK(memory.is_legal(model, plan.operators, members) == model.is_legal(member));
  }
}

}  // namespace paretrain::tests
