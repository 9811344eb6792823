// Softmax and its logarithm, along any axis: backward reads the result.
#include <array>

#include "evaluator/graph/rules/rules.h"

namespace paretrain::evaluator {
namespace {

void softmax(NodeContext& context) {
  const Tensor x = context.in(0);
  const std::array inputs = {x};
  const Tensor y = elementwise(context, inputs);
  context.bind(0, y);
  const std::string type = context.node().type + "Gradient";
  context.step().record({x}, {y}, [=](Gradients& gradients) {
    add_pointwise_gradient(gradients, {x, y, type, {y}});
  });
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"Softmax", softmax},
    {"LogSoftmax", softmax},
});

}  // namespace

std::span<const RuleEntry> softmax_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
