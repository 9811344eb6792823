#include "problems/onnx_inference.h"

#include <algorithm>
#include <utility>

#include "problems/onnx_fold.h"
#include "problems/onnx_shapes.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;

std::string node_place(const OnnxNode& node) {
  const std::string name = node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
  return "node " + quoted(name) + " (" + quoted(node.type) + ")";
}

// Shape and Size are constant whatever they look at, since every shape is fixed.
bool is_constant(const NodeFacts& node) {
  const OnnxNode& source = node.node();
  if (source.domain.empty() && (source.type == "Shape" || source.type == "Size")) return true;
  if (source.type.starts_with("Random") || source.type == "Bernoulli") return false;
  for (std::size_t i = 0; i < node.input_count(); ++i)
    if (node.has_input(i) && !node.input(i).constant) return false;
  return true;
}

// Full shapes that the file declares, by value.
std::vector<std::optional<TensorFacts>> declared_facts(const IndexedGraph& graph) {
  std::vector<std::optional<TensorFacts>> result(graph.value_count());
  const auto add = [&](const OnnxValue& declared) {
    const auto value = graph.find(declared.name);
    if (!value || !declared.shape) return;
    Shape shape;
    for (const OnnxDimension& dimension : *declared.shape) {
      if (!dimension.extent || *dimension.extent < 1) return;
      shape.push_back(*dimension.extent);
    }
    result[*value] = facts(declared.type, std::move(shape));
  };
  std::ranges::for_each(graph.graph().inner, add);
  std::ranges::for_each(graph.graph().outputs, add);
  return result;
}

TensorFacts elementwise_facts(const NodeFacts& node) {
  TensorFacts result;
  bool is_first = true;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) continue;
    if (is_first) result = facts(node.input(i).type, node.shape(i));
    try {
      result.shape = broadcast(result.shape, node.shape(i));
    } catch (const ShapeFault&) {
      // Operands of an unknown operator need not fit one another; then the first decides.
      break;
    }
    is_first = false;
  }
  return result;
}

class Walk {
 public:
  Walk(const IndexedGraph& graph, AllFacts facts, OnnxFaults& faults)
      : graph_(graph),
        declared_(declared_facts(graph)),
        facts_(std::move(facts)),
        faults_(faults) {}

  // Null when an input is unknown because of an earlier fault.
  [[nodiscard]] std::optional<NodeFacts> node_facts(std::size_t node, const AllFacts& from) const {
    std::vector<const TensorFacts*> inputs;
    for (const auto& input : graph_.inputs(node)) {
      if (input && !from[*input]) return std::nullopt;
      inputs.push_back(input ? &*from[*input] : nullptr);
    }
    return NodeFacts(graph_.graph().nodes[node], graph_.graph().opset, std::move(inputs));
  }

  [[nodiscard]] std::vector<TensorFacts> outputs_by_rule(std::size_t node, const NodeFacts& about) {
    if (auto outputs = output_facts(about)) return *std::move(outputs);
    unknown_.push_back(node);
    std::vector<TensorFacts> result;
    for (const auto& output : graph_.outputs(node)) {
      const bool is_declared = output && declared_[*output];
      result.push_back(is_declared ? *declared_[*output] : elementwise_facts(about));
    }
    return result;
  }

  void believe_declared(std::size_t node, std::vector<TensorFacts>& outputs) const {
    const auto& values = graph_.outputs(node);
    for (std::size_t i = 0; i < values.size() && i < outputs.size(); ++i)
      if (values[i] && declared_[*values[i]]) outputs[i].shape = declared_[*values[i]]->shape;
  }

  void store(std::size_t node, const NodeFacts& about, std::vector<TensorFacts> outputs) {
    const auto& values = graph_.outputs(node);
    const bool constant = is_constant(about);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      if (i >= outputs.size()) throw ShapeFault{"has more outputs than its operator"};
      TensorFacts& output = outputs[i];
      output.constant = constant;
      if (constant && i == 0) output.numbers = folded_numbers(about, output);
      if (!constant && std::ranges::find(output.shape, 0) != output.shape.end())
        throw ShapeFault{"makes an empty tensor of shape " + shape_text(output.shape)};
      facts_[*values[i]] = std::move(output);
    }
  }

  void add_fault(std::size_t node, const ShapeFault& fault) {
    faults_.add(node_place(graph_.graph().nodes[node]), fault.what);
  }

  [[nodiscard]] const IndexedGraph& graph() const { return graph_; }

  [[nodiscard]] AllFacts& facts() { return facts_; }

  [[nodiscard]] Inference result() { return {std::move(facts_), std::move(unknown_)}; }

 private:
  const IndexedGraph& graph_;
  std::vector<std::optional<TensorFacts>> declared_;
  AllFacts facts_;
  OnnxFaults& faults_;
  std::vector<std::size_t> unknown_;
};

// An axis along which a constant or an expanded parameter must grow with the batch.
struct Growth {
  std::size_t value = 0;
  std::size_t axis = 0;
};

// The second walk. Values that a fault leads back to are grown, and the walk starts again.
class BatchWalk {
 public:
  BatchWalk(Walk& walk, const AllFacts& base, const BatchChange& change)
      : walk_(walk), base_(base), change_(change), places_(base.size()) {
    const AllFacts& start = walk_.facts();
    for (std::size_t value = 0; value < base.size(); ++value)
      if (start[value] && base[value]) note_place(value, {});
  }

  void visit(std::size_t node, const std::vector<Growth>& growths) {
    const auto before = walk_.node_facts(node, base_);
    if (!before) return;
    grow_constants(node);
    const auto after = walk_.node_facts(node, walk_.facts());
    if (!after) return;
    std::vector<TensorFacts> outputs = outputs_of(node, *before, *after);
    for (const Growth& growth : growths) {
      const auto& made = walk_.graph().outputs(node);
      if (!made.empty() && made[0] && *made[0] == growth.value)
        outputs[0].shape = rescaled(outputs[0].shape, growth.axis, change_);
    }
    walk_.store(node, *after, std::move(outputs));
    std::vector<std::size_t> inputs;
    for (const auto& input : walk_.graph().inputs(node))
      if (input) inputs.push_back(*input);
    for (const auto& output : walk_.graph().outputs(node))
      if (output) note_place(*output, inputs);
  }

  // Which value kept its extent while the others of this node grew: the reason of a fault.
  [[nodiscard]] std::optional<Growth> growth_for(std::size_t node) const;

 private:
  const Shape& base_shape(std::size_t value) const { return base_[value]->shape; }

  const Shape& new_shape(std::size_t value) const { return walk_.facts()[value]->shape; }

  [[nodiscard]] std::optional<std::size_t> grown_axis(const Shape& before,
                                                      const Shape& after) const {
    if (before.size() != after.size()) return std::nullopt;
    std::optional<std::size_t> found;
    for (std::size_t axis = 0; axis < before.size(); ++axis) {
      if (before[axis] == after[axis]) continue;
      if (found) return std::nullopt;  // the batch in two axes: only a layout change cares
      found = axis;
    }
    return found;
  }

  void note_place(std::size_t value, const std::vector<std::size_t>& inputs) {
    if (!base_[value] || !walk_.facts()[value]) return;
    const auto axis = grown_axis(base_shape(value), new_shape(value));
    if (!axis) {
      places_[value].reset();
      return;
    }
    if (places_[value] && places_[value]->axis == *axis) return;  // set by a layout change
    std::int64_t outer = 1;
    const std::int64_t extent = base_shape(value)[*axis];
    for (const std::size_t input : inputs) {
      if (!places_[input] || base_shape(input)[places_[input]->axis] != extent) continue;
      outer = places_[input]->outer;
      break;
    }
    places_[value] = BatchPlace{*axis, outer};
  }

  [[nodiscard]] bool same_numbers(const TensorFacts& a, const TensorFacts& b) const {
    if (!a.numbers || !b.numbers) return false;
    return a.numbers->integers == b.numbers->integers;
  }

  void grow_constants(std::size_t node);
  [[nodiscard]] std::vector<TensorFacts> outputs_of(std::size_t node,
                                                    const NodeFacts& before,
                                                    const NodeFacts& after);
  [[nodiscard]] std::optional<Shape> adapted_shape(std::size_t node,
                                                   const NodeFacts& before,
                                                   const NodeFacts& after);
  [[nodiscard]] Shape reshaped(std::size_t node, const NodeFacts& before);
  [[nodiscard]] std::vector<TensorFacts> split_outputs(std::size_t node,
                                                       const NodeFacts& before,
                                                       const NodeFacts& after);

  Walk& walk_;
  const AllFacts& base_;
  BatchChange change_;
  std::vector<std::optional<BatchPlace>> places_;
};

bool is_broadcasting(const OnnxNode& node) {
  static const char* const kTypes[] = {"Add",
                                       "Sub",
                                       "Mul",
                                       "Div",
                                       "Where",
                                       "Pow",
                                       "Max",
                                       "Min",
                                       "Sum",
                                       "Mean",
                                       "And",
                                       "Or",
                                       "Equal",
                                       "Less",
                                       "Greater"};
  return std::ranges::find(kTypes, node.type) != std::end(kTypes);
}

// Constants that had the batch's extent where another operand has the batch grow with it.
void BatchWalk::grow_constants(std::size_t node) {
  const OnnxNode& source = walk_.graph().graph().nodes[node];
  if (!is_broadcasting(source) && source.type != "Concat") return;
  const auto& inputs = walk_.graph().inputs(node);
  for (const auto& grown : inputs) {
    if (!grown || !places_[*grown]) continue;
    const Shape& with_batch = base_shape(*grown);
    const std::size_t from_end = with_batch.size() - places_[*grown]->axis;
    for (const auto& other : inputs) {
      if (!other || !walk_.facts()[*other] || !walk_.facts()[*other]->constant) continue;
      TensorFacts& constant = *walk_.facts()[*other];
      if (constant.shape != base_shape(*other) || constant.shape.size() < from_end) continue;
      const std::size_t axis = constant.shape.size() - from_end;
      const std::int64_t extent = constant.shape[axis];
      if (extent != with_batch[places_[*grown]->axis]) continue;
      if (extent == 1 && source.type != "Concat") continue;  // it broadcasts anyway
      constant.shape = rescaled(constant.shape, axis, change_);
      constant.numbers.reset();
      places_[*other] = BatchPlace{axis, places_[*grown]->outer};
    }
  }
}

Shape BatchWalk::reshaped(std::size_t node, const NodeFacts& before) {
  const std::size_t source = *walk_.graph().inputs(node)[0];
  const std::size_t result = *walk_.graph().outputs(node)[0];
  if (!places_[source])
    throw ShapeFault{"the batch lies in several axes of its input " +
                     shape_text(base_shape(source))};
  std::optional<std::size_t> open;
  if (before.node().type == "Reshape" && before.has_input(1)) {
    const auto& target = before.integers(1);
    const auto found = std::ranges::find(target, -1);
    if (found != target.end()) open = static_cast<std::size_t>(found - target.begin());
  }
  const Shape& target = base_shape(result);
  const BatchPlace place =
      reshaped_batch(base_shape(source), *places_[source], target, open, change_);
  places_[result] = place;
  return rescaled(target, place.axis, change_);
}

// Targets that do not follow the batch by themselves.
std::optional<Shape> BatchWalk::adapted_shape(std::size_t node,
                                              const NodeFacts& before,
                                              const NodeFacts& after) {
  const OnnxNode& source = before.node();
  if (!source.domain.empty() || before.shape(0) == after.shape(0)) return std::nullopt;
  if (source.type == "Flatten") return reshaped(node, before);
  const std::size_t target = source.type == "Resize" ? 3 : 1;
  const bool fixed_target =
      !before.has_input(target) || same_numbers(before.input(target), after.input(target));
  if (source.type == "Reshape" && fixed_target) return reshaped(node, before);
  const bool follows = source.type == "Expand" || source.type == "Resize" || source.type == "Slice";
  if (!follows || !fixed_target || !before.has_input(target)) return std::nullopt;
  const std::size_t result = *walk_.graph().outputs(node)[0];
  Shape shape = base_shape(result);
  const std::size_t added = shape.size() - before.shape(0).size();
  for (std::size_t axis = 0; axis < before.shape(0).size(); ++axis) {
    const std::int64_t extent = before.shape(0)[axis];
    if (extent == after.shape(0)[axis]) continue;
    if (shape[axis + added] != extent)
      throw ShapeFault{"cuts or repeats the batch; expected an operator that keeps it whole"};
    shape[axis + added] = after.shape(0)[axis];
  }
  return shape;
}

std::vector<TensorFacts> BatchWalk::split_outputs(std::size_t node,
                                                  const NodeFacts& before,
                                                  const NodeFacts& after) {
  const std::size_t axis = axis_index(before.integer("axis", 0), before.rank(0));
  std::vector<TensorFacts> outputs;
  for (const auto& output : walk_.graph().outputs(node)) {
    Shape shape = output ? base_shape(*output) : after.shape(0);
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (i != axis) shape[i] = after.shape(0)[i];
    if (before.shape(0)[axis] != after.shape(0)[axis]) shape = rescaled(shape, axis, change_);
    outputs.push_back(facts(after.input(0).type, shape));
  }
  return outputs;
}

std::vector<TensorFacts> BatchWalk::outputs_of(std::size_t node,
                                               const NodeFacts& before,
                                               const NodeFacts& after) {
  if (before.input_count() > 0 && before.has_input(0)) {
    if (before.node().type == "Split" && before.shape(0) != after.shape(0))
      return split_outputs(node, before, after);
    if (const auto shape = adapted_shape(node, before, after)) {
      static_cast<void>(checked_elements(*shape));
      return {facts(after.input(0).type, *shape)};
    }
  }
  return walk_.outputs_by_rule(node, after);
}

std::optional<Growth> BatchWalk::growth_for(std::size_t node) const {
  const auto& inputs = walk_.graph().inputs(node);
  std::optional<std::size_t> axis;
  for (const auto& input : inputs)
    if (input && places_[*input]) axis = places_[*input]->axis;
  if (!axis) return std::nullopt;
  for (const auto& input : inputs) {
    if (!input || places_[*input] || base_shape(*input).size() <= *axis) continue;
    std::size_t value = *input;
    // Back over operators that keep the shape, to what decides it.
    for (int steps = 0; steps < 8; ++steps) {
      const auto maker = walk_.graph().maker(value);
      if (!maker) return std::nullopt;
      const std::string& type = walk_.graph().graph().nodes[*maker].type;
      if (type == "Expand" || type == "Tile" || type.starts_with("Random"))
        return Growth{value, *axis};
      const auto& from = walk_.graph().inputs(*maker);
      if (from.empty() || !from[0] || base_shape(*from[0]) != base_shape(value))
        return std::nullopt;
      value = *from[0];
    }
  }
  return std::nullopt;
}

}  // namespace

Inference inferred(const IndexedGraph& graph,
                   AllFacts facts,
                   Declared declared,
                   OnnxFaults& faults) {
  Walk walk(graph, std::move(facts), faults);
  for (std::size_t node = 0; node < graph.graph().nodes.size(); ++node) {
    const auto about = walk.node_facts(node, walk.facts());
    if (!about) continue;
    try {
      std::vector<TensorFacts> outputs = walk.outputs_by_rule(node, *about);
      if (declared == Declared::Believed && !is_constant(*about))
        walk.believe_declared(node, outputs);
      walk.store(node, *about, std::move(outputs));
    } catch (const ShapeFault& fault) {
      walk.add_fault(node, fault);
    }
  }
  return walk.result();
}

Inference inferred_at_batch(const IndexedGraph& graph,
                            const AllFacts& base,
                            AllFacts facts,
                            const BatchChange& change,
                            OnnxFaults& faults) {
  std::vector<Growth> growths;
  for (;;) {
    Walk walk(graph, facts, faults);
    BatchWalk batch(walk, base, change);
    bool again = false;
    for (std::size_t node = 0; node < graph.graph().nodes.size() && !again; ++node) {
      try {
        batch.visit(node, growths);
      } catch (const ShapeFault& fault) {
        const auto growth = growths.size() < 64 ? batch.growth_for(node) : std::nullopt;
        if (growth) growths.push_back(*growth);
        again = growth.has_value();
        if (!again) walk.add_fault(node, fault);
      }
    }
    if (!again) return walk.result();
  }
}

}  // namespace paretrain::problems
