#include "evaluator/graph/ready_made_fold.h"

#include <algorithm>
#include <string_view>

namespace paretrain::evaluator {

namespace {

// Who makes and who reads each value.
struct Links {
  explicit Links(const ModelGraph& model)
      : makers(model.values.size()), readers(model.values.size()) {
    for (std::size_t node = 0; node < model.nodes.size(); ++node) {
      for (const auto& output : model.nodes[node].outputs)
        if (output) makers[output->index()] = node;
      for (const auto& input : model.nodes[node].inputs)
        if (input) readers[input->index()].push_back(node);
    }
  }

  std::vector<std::optional<std::size_t>> makers;
  std::vector<std::vector<std::size_t>> readers;
};

class Finder {
 public:
  explicit Finder(const ModelGraph& model) : model_(model), links_(model) {}

  [[nodiscard]] std::optional<Im2colChain> chain_at(std::size_t product) const {
    const Node& node = model_.nodes[product];
    if (node.type != "MatMul" || node.inputs.size() != 2) return std::nullopt;
    Im2colChain chain;
    const auto columns = back(node.inputs[1], "Reshape", chain);
    const auto moved = columns ? back(*columns, "Transpose", chain) : std::nullopt;
    const auto along_x = moved ? back(*moved, "Gather", chain) : std::nullopt;
    const auto along_y = along_x ? back(*along_x, "Gather", chain) : std::nullopt;
    const Slot feature = reshaped_source(node.inputs[0]);
    if (!along_y || !feature) return std::nullopt;
    chain.image = **along_y;
    chain.feature_gradient = *feature;
    const std::size_t rows = *links_.makers[(**along_x).index()];
    const std::size_t cols = *links_.makers[(**moved).index()];
    if (!read_window(rows, 2, chain) || !read_window(cols, 4, chain)) return std::nullopt;
    strip_padding(chain);
    if (!follow_to_gradient(product, chain)) return std::nullopt;
    chain.nodes.push_back(product);
    std::ranges::sort(chain.nodes);
    return fits(chain) ? std::optional(chain) : std::nullopt;
  }

 private:
  using Slot = std::optional<ValueId>;

  [[nodiscard]] bool is_private(ValueId value) const {
    return links_.readers[value.index()].size() == 1;
  }

  // The first input of the maker of `value`, when that is of this type and nobody else reads it.
  std::optional<Slot> back(const Slot& value, std::string_view type, Im2colChain& chain) const {
    if (!value || !is_private(*value)) return std::nullopt;
    const auto maker = links_.makers[value->index()];
    if (!maker || model_.nodes[*maker].type != type) return std::nullopt;
    const Slot& input = model_.nodes[*maker].inputs[0];
    if (!input) return std::nullopt;
    chain.nodes.push_back(*maker);
    return input;
  }

  // Several chains may share the reshaped feature gradient, which is a view and stays outside.
  Slot reshaped_source(const Slot& value) const {
    if (!value) return std::nullopt;
    const auto maker = links_.makers[value->index()];
    if (!maker || model_.nodes[*maker].type != "Reshape") return std::nullopt;
    return model_.nodes[*maker].inputs[0];
  }

  // Indices of shape kernel x positions: tap k at position p reads p * stride + k * dilation. Only
  // the last position is looked at, since published files repeat it for all others along columns.
  bool read_window(std::size_t gather, std::int64_t axis, Im2colChain& chain) const {
    const Node& node = model_.nodes[gather];
    const auto named = node.attributes.find("axis");
    const bool fits_axis = named != node.attributes.end() &&
                           std::holds_alternative<std::int64_t>(named->second) &&
                           std::get<std::int64_t>(named->second) == axis;
    if (!fits_axis || node.inputs.size() != 2 || !node.inputs[1]) return false;
    const Value& indices = model_.value(*node.inputs[1]);
    if (indices.shape.size() != 2 || !indices.numbers) return false;
    const std::int64_t kernel = indices.shape[0];
    const std::int64_t steps = indices.shape[1] - 1;
    const std::vector<std::int64_t>& numbers = indices.numbers->integers;
    const std::int64_t first_tap = numbers[static_cast<std::size_t>(steps)];
    const std::int64_t second_tap =
        kernel > 1 ? numbers[static_cast<std::size_t>(2 * steps + 1)] : first_tap + 1;
    const std::int64_t dilation = second_tap - first_tap;
    const std::int64_t stride = steps > 0 ? first_tap / steps : 1;
    if (stride < 1 || dilation < 1 || stride * steps != first_tap) return false;
    if (numbers.back() != first_tap + (kernel - 1) * dilation) return false;
    chain.window.kernel.push_back(kernel);
    chain.window.stride.push_back(stride);
    chain.window.dilation.push_back(dilation);
    chain.window.pad_begin.push_back(0);
    return true;
  }

  void strip_padding(Im2colChain& chain) const {
    const auto maker = links_.makers[chain.image.index()];
    if (!maker || model_.nodes[*maker].type != "Pad" || !is_private(chain.image)) return;
    const Node& pad = model_.nodes[*maker];
    if (pad.inputs.size() < 2 || !pad.inputs[0] || !pad.inputs[1]) return;
    const auto& pads = model_.value(*pad.inputs[1]).numbers;
    if (!pads || pads->integers.size() != 8 || pads->integers[0] != 0 || pads->integers[1] != 0)
      return;
    chain.window.pad_begin = {pads->integers[2], pads->integers[3]};
    chain.image = *pad.inputs[0];
    chain.nodes.push_back(*maker);
  }

  bool follow_to_gradient(std::size_t product, Im2colChain& chain) const {
    Slot value = model_.nodes[product].outputs[0];
    for (const std::string_view type : {"ReduceSum", "Reshape"}) {
      if (!value || !is_private(*value)) return false;
      const std::size_t reader = links_.readers[value->index()][0];
      if (model_.nodes[reader].type != type) return false;
      chain.nodes.push_back(reader);
      value = model_.nodes[reader].outputs[0];
    }
    if (!value) return false;
    chain.weight_gradient = *value;
    return true;
  }

  // The shapes of image, feature gradient and weight gradient must be those of one convolution.
  [[nodiscard]] bool fits(const Im2colChain& chain) const {
    const Shape& image = model_.value(chain.image).shape;
    const Shape& feature = model_.value(chain.feature_gradient).shape;
    const Shape& weight = model_.value(chain.weight_gradient).shape;
    return image.size() == 4 && feature.size() == 4 && weight.size() == 4 &&
           image[0] == feature[0] && weight[0] == feature[1] && weight[1] == image[1] &&
           weight[2] == chain.window.kernel[0] && weight[3] == chain.window.kernel[1];
  }

  const ModelGraph& model_;
  Links links_;
};

}  // namespace

std::vector<Im2colChain> im2col_chains(const ModelGraph& model) {
  const Finder finder(model);
  std::vector<Im2colChain> chains;
  for (std::size_t node = 0; node < model.nodes.size(); ++node)
    if (auto chain = finder.chain_at(node)) chains.push_back(*std::move(chain));
  return chains;
}

}  // namespace paretrain::evaluator
