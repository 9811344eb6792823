// Laws of training graphs under random networks: sums, products, views, splits and joins in any
// order, so that gradients are shared, split and added in every way.
#include <cstdlib>
#include <string>

#include "base/number_text.h"
#include "base/random.h"
#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

std::uint64_t seed_of_tests() {
  const char* text = std::getenv("TEST_SEED");
  const auto seed = text == nullptr ? std::nullopt : parsed_integer(text);
  return static_cast<std::uint64_t>(seed.value_or(1));
}

// Every value is [2, 3, 4] or [2, 4, 3]; the second kind comes from transposing.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t slot) : random_(seed_of_tests(), 0, slot) {
    wide_.push_back(model_.input("x", {2, 3, 4}));
    add_product(wide_.front());
    const std::uint64_t nodes = 4 + random_.below(14);
    for (std::uint64_t n = 0; n < nodes; ++n)
      add_node();
    model_.output(wide_.back());
  }

  [[nodiscard]] const ModelGraph& graph() const { return model_.graph(); }

 private:
  ValueId any() { return wide_[random_.below(wide_.size())]; }

  std::string name() { return "n" + std::to_string(count_++); }

  void add_product(ValueId x) {
    const ValueId weight = model_.parameter(name() + ".w", {4, 4});
    wide_.push_back(model_.node(name(), "MatMul", {x, weight}, {2, 3, 4}));
  }

  void add_split_and_join() {
    const auto parts = model_.node_with_results(
        name(), "Split", {any()}, {{2, 3, 1}, {2, 3, 3}}, {{"axis", std::int64_t{2}}});
    wide_.push_back(model_.node(
        name(), "Concat", {parts[1], parts[0]}, {2, 3, 4}, {{"axis", std::int64_t{2}}}));
    // A part that is also used alone, broadcast.
    if (random_.below(2) == 0)
      wide_.push_back(model_.node(name(), "Mul", {any(), parts[0]}, {2, 3, 4}));
  }

  void add_turned_product() {
    const ValueId turned = model_.node(
        name(), "Transpose", {any()}, {2, 4, 3}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
    const ValueId scores = model_.node(name(), "MatMul", {any(), turned}, {2, 3, 3});
    wide_.push_back(model_.node(name(), "MatMul", {scores, any()}, {2, 3, 4}));
  }

  void add_node() {
    const Shape shape = {2, 3, 4};
    switch (random_.below(8)) {
      case 0:
        return add_product(any());
      case 1:
        return add_split_and_join();
      case 2:
        return add_turned_product();
      case 3:
        wide_.push_back(model_.node(name(), "Mul", {any(), any()}, shape));
        return;
      case 4:
        wide_.push_back(model_.node(name(), "Relu", {any()}, shape));
        return;
      case 5:
        wide_.push_back(
            model_.node(name(), "Add", {any(), model_.parameter(name() + ".b", {4})}, shape));
        return;
      case 6:
        wide_.push_back(model_.node(name(), "Sub", {any(), any()}, shape));
        return;
      default:
        wide_.push_back(model_.node(name(), "Add", {any(), any()}, shape));
        return;
    }
  }

  SmallModel model_;
  RandomStream random_;
  std::vector<ValueId> wide_;
  int count_ = 0;
};

TrainingGraph step_of(const RandomNetwork& network, SavedSet saved, Allocation allocation) {
  TrainingOptions options;
  options.precision = Precision::Fp32;
  options.saved = saved;
  options.allocation = allocation;
  return training_step(network.graph(), options);
}

}  // namespace

TEST_CASE("random networks: every law holds for every saved set and allocation") {
  for (std::uint64_t slot = 0; slot < 400; ++slot) {
    const RandomNetwork network(slot);
    for (const SavedSet saved : {SavedSet::Minimal, SavedSet::FrameworkCpu}) {
      for (const Allocation allocation : {Allocation::Ideal, Allocation::Framework}) {
        const std::string broken = broken_law(step_of(network, saved, allocation));
        CHECK_MESSAGE(broken == "", "TEST_SEED=" << seed_of_tests() << " slot " << slot);
      }
    }
  }
}

TEST_CASE("random networks: work and parameters do not depend on how memory is handled") {
  for (std::uint64_t slot = 0; slot < 200; ++slot) {
    const RandomNetwork network(slot);
    const StepSummary ideal =
        step_summary(step_of(network, SavedSet::FrameworkCpu, Allocation::Ideal));
    const StepSummary framework =
        step_summary(step_of(network, SavedSet::FrameworkCpu, Allocation::Framework));
    CHECK(ideal.macs.backward == framework.macs.backward);
    CHECK(ideal.gradient_bytes == framework.gradient_bytes);
    CHECK(ideal.saved_bytes == framework.saved_bytes);
    CHECK(ideal.update_operators == framework.update_operators);
    CHECK_MESSAGE(ideal.peak.bytes <= framework.peak.bytes,
                  "TEST_SEED=" << seed_of_tests() << " slot " << slot);
  }
}

}  // namespace paretrain::tests
