#include "tests/slow/random_networks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "evaluator/graph/training_step.h"
#include "tests/evaluator/graph/small_model.h"
#include "tests/evaluator/graph/transformer_block.h"

namespace paretrain::tests {

namespace {

using evaluator::Shape;
using evaluator::TrainingOptions;
using Integers = std::vector<std::int64_t>;

class ImageNetwork {
 public:
  ImageNetwork(std::size_t nodes, RandomStream& random) : random_(random) {
    const std::int64_t size = 4 + below(29);
    value_ = model_.input("x", shape_ = {1 + below(4), 1 + below(24), size, size});
    for (std::size_t n = 0; n < nodes; ++n)
      add_node("n" + std::to_string(n));
    model_.output(value_);
  }

  [[nodiscard]] const evaluator::ModelGraph& graph() const { return model_.graph(); }

 private:
  std::int64_t below(std::uint64_t bound) {
    return static_cast<std::int64_t>(random_.below(bound));
  }

  void add_node(const std::string& name) {
    switch (random_.below(8)) {
      case 0:
      case 1:
        return add_convolution(name);
      case 2:
        return add_transposed(name);
      case 3:
        return add_pooling(name);
      case 4:
        return add_normalisation(name);
      case 5:
        return take(model_.node(name, "Add", {value_, value_of_same_shape()}, shape_), shape_);
      case 6:
        return take(model_.node(name, "Mul", {value_, value_of_same_shape()}, shape_), shape_);
      default:
        return take(model_.node(name, below(2) == 0 ? "Relu" : "Sigmoid", {value_}, shape_),
                    shape_);
    }
  }

  // What was there before the last operator that kept the shape, or the value itself.
  [[nodiscard]] ValueId value_of_same_shape() const { return alike_.value_or(value_); }

  void take(ValueId value, const Shape& shape) {
    alike_ = shape == shape_ ? std::optional(value_) : std::nullopt;
    value_ = value;
    shape_ = shape;
  }

  void add_convolution(const std::string& name) {
    const std::int64_t window = std::min(shape_[2], std::int64_t{1} + 2 * below(3));
    const std::int64_t stride = 1 + below(2);
    const std::int64_t pad = below(1 + static_cast<std::uint64_t>(window / 2));
    const bool depthwise = below(4) == 0;
    const std::int64_t channels = depthwise ? shape_[1] : 1 + below(32);
    const std::int64_t size = (shape_[2] + 2 * pad - window) / stride + 1;
    const Shape result = {shape_[0], channels, size, size};
    const ValueId weight =
        model_.parameter(name + ".w", {channels, depthwise ? 1 : shape_[1], window, window});
    take(model_.node(name,
                     "Conv",
                     {value_, weight},
                     result,
                     {{"kernel_shape", Integers{window, window}},
                      {"strides", Integers{stride, stride}},
                      {"group", depthwise ? channels : std::int64_t{1}},
                      {"pads", Integers{pad, pad, pad, pad}}}),
         result);
  }

  void add_transposed(const std::string& name) {
    const std::int64_t window = 2 + below(3);
    const std::int64_t stride = 1 + below(3);
    const std::int64_t pad = below(static_cast<std::uint64_t>(window));
    const std::int64_t size = (shape_[2] - 1) * stride - 2 * pad + window;
    if (size < 1 || size > 40) return;
    const Shape result = {shape_[0], 1 + below(16), size, size};
    const ValueId weight = model_.parameter(name + ".w", {shape_[1], result[1], window, window});
    take(model_.node(name,
                     "ConvTranspose",
                     {value_, weight},
                     result,
                     {{"kernel_shape", Integers{window, window}},
                      {"strides", Integers{stride, stride}},
                      {"pads", Integers{pad, pad, pad, pad}}}),
         result);
  }

  void add_pooling(const std::string& name) {
    const std::int64_t window = 2 + below(2);
    const std::int64_t stride = 1 + below(2);
    if (shape_[2] < window) return;
    const std::int64_t size = (shape_[2] - window) / stride + 1;
    const Shape result = {shape_[0], shape_[1], size, size};
    take(model_.node(
             name,
             below(2) == 0 ? "MaxPool" : "AveragePool",
             {value_},
             result,
             {{"kernel_shape", Integers{window, window}}, {"strides", Integers{stride, stride}}}),
         result);
  }

  void add_normalisation(const std::string& name) {
    const Shape channels = {shape_[1]};
    take(model_.node(name,
                     "BatchNormalization",
                     {value_,
                      model_.parameter(name + ".scale", channels),
                      model_.parameter(name + ".offset", channels),
                      model_.buffer(name + ".mean", channels, evaluator::ElementType::Float32),
                      model_.buffer(name + ".variance", channels, evaluator::ElementType::Float32)},
                     shape_,
                     {{"training_mode", std::int64_t{1}}}),
         shape_);
  }

  RandomStream& random_;
  SmallModel model_;
  Shape shape_;
  ValueId value_;
  std::optional<ValueId> alike_;
};

TrainingOptions random_options(RandomStream& random) {
  TrainingOptions options;
  options.precision = static_cast<evaluator::Precision>(random.below(5));
  options.optimizer = static_cast<evaluator::Optimizer>(random.below(4));
  options.update = static_cast<evaluator::UpdatePlacement>(random.below(3));
  options.loss = evaluator::Loss::MeanSquaredError;
  options.saved = static_cast<evaluator::SavedSet>(random.below(3));
  options.allocation = static_cast<evaluator::Allocation>(random.below(2));
  return options;
}

BlockSizes random_block(RandomStream& random) {
  BlockSizes sizes;
  sizes.batch = 1 + static_cast<std::int64_t>(random.below(3));
  sizes.sequence = std::int64_t{1} << random.below(6);
  sizes.heads = std::int64_t{1} << random.below(3);
  sizes.hidden = sizes.heads * (std::int64_t{4} << random.below(4));
  return sizes;
}

}  // namespace

evaluator::TrainingGraph random_network_step(std::size_t nodes, RandomStream& random) {
  const TrainingOptions options = random_options(random);
  if (random.below(4) == 0)
    return evaluator::training_step(transformer(random_block(random), 1).graph(), options);
  return evaluator::training_step(ImageNetwork(nodes, random).graph(), options);
}

}  // namespace paretrain::tests
