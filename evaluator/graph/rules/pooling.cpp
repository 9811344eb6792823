// Pools over windows and over whole maps.
#include <array>

#include "evaluator/graph/rules/rules.h"
#include "evaluator/graph/rules/window.h"

namespace paretrain::evaluator {
namespace {

struct Pool {
  Tensor x;
  Tensor y;
  std::optional<Tensor> indices;
  std::string name;
  std::string type;
  Window window;
};

// Window positions that one byte can tell apart.
constexpr std::int64_t kBytePositions = 256;

PoolingOperands operands(const StepBuilder& step,
                         const Pool& pool,
                         const OperandView& image,
                         const OperandView& feature) {
  PoolingOperands result;
  result.image = image;
  result.feature = feature;
  if (pool.indices) result.indices = step.seen(*pool.indices);
  result.window = pool.window;
  return result;
}

void add_pool(NodeContext& context, Pool pool) {
  StepBuilder& step = context.step();
  pool.name = context.node().name;
  pool.type = context.node().type;
  pool.y.needs_gradient = pool.x.needs_gradient;
  pool.y.layout = NestLayout::Image;
  OperatorDraft draft;
  draft.name = pool.name;
  draft.type = pool.type;
  draft.operator_class = OperatorClass::Pooling;
  draft.built = pooling_nest(operands(step, pool, step.seen(pool.x), step.seen(pool.y)));
  step.add(std::move(draft));
  context.bind(0, pool.y);
  const bool keeps_x = step.keeps_like_framework();
  step.record({pool.x}, {pool.y}, [pool, keeps_x](Gradients& gradients) {
    StepBuilder& builder = gradients.step();
    gradients.contribute(pool.x, [&](const OperandView& target) {
      OperatorDraft back;
      back.name = pool.name + ":input_grad";
      back.type = pool.type + "Gradient";
      back.operator_class = OperatorClass::Pooling;
      back.built = pooling_gradient_nest(operands(builder, pool, target, gradients.of(pool.y)));
      builder.add(std::move(back));
    });
    if (keeps_x) builder.hold(*pool.x.storage);
  });
}

// The position of the chosen element: 8 bytes in frameworks, else as few as the window needs.
Tensor chosen_positions(NodeContext& context, const Pool& pool) {
  StorageDraft draft;
  draft.name = context.out_name() + ":indices";
  draft.shape = context.out_shape();
  draft.recomputable = true;
  draft.type = ElementType::Int64;
  if (!context.step().keeps_like_framework())
    draft.type = element_count(pool.window.kernel) > kBytePositions ? ElementType::UInt16
                                                                    : ElementType::UInt8;
  return context.step().auxiliary(draft);
}

Window whole_map(const NodeContext& context) {
  const Shape& shape = context.in(0).shape();
  if (shape.size() < 3 || shape.size() > 5) context.refuse("has no map of one to three axes");
  Window window;
  window.kernel = Shape(shape.begin() + 2, shape.end());
  window.stride = Shape(window.kernel.size(), 1);
  window.dilation = window.stride;
  window.pad_begin = Shape(window.kernel.size(), 0);
  return window;
}

Pool started(NodeContext& context, const Window& window) {
  Pool pool;
  pool.x = context.in(0);
  if (!pool.x.storage) context.refuse("has an operand that is a folded constant");
  const std::size_t rank = pool.x.shape().size();
  if (window.kernel.size() + 2 != rank || context.out_shape().size() != rank)
    context.refuse("has a window that does not fit its input");
  pool.window = window;
  pool.y = context.step().result(context.out_name(), context.out_shape(), pool.x);
  return pool;
}

void with_indices(NodeContext& context, Pool pool) {
  const bool wanted = pool.x.needs_gradient && !context.step().options().inference;
  if (wanted || context.has_output(1)) {
    pool.indices = chosen_positions(context, pool);
    context.bind(1, *pool.indices);
  }
  add_pool(context, std::move(pool));
}

void max_pool(NodeContext& context) {
  with_indices(context, started(context, window_of(context, {})));
}

void average_pool(NodeContext& context) {
  add_pool(context, started(context, window_of(context, {})));
}

void global_max_pool(NodeContext& context) {
  with_indices(context, started(context, whole_map(context)));
}

void global_average_pool(NodeContext& context) {
  add_pool(context, started(context, whole_map(context)));
}

constexpr std::array kRules = std::to_array<RuleEntry>({
    {"MaxPool", max_pool},
    {"AveragePool", average_pool},
    {"GlobalMaxPool", global_max_pool},
    {"GlobalAveragePool", global_average_pool},
});

}  // namespace

std::span<const RuleEntry> pooling_rules() {
  return kRules;
}

}  // namespace paretrain::evaluator
