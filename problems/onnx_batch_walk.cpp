#include <algorithm>
#include <utility>

#include "base/number_text.h"
#include "problems/onnx_inference.h"
#include "problems/onnx_shapes.h"
#include "problems/onnx_walk.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;

// An axis along which a constant or an expanded parameter must grow with the batch.
struct Growth {
  std::size_t value = 0;
  std::size_t axis = 0;
  friend bool operator==(const Growth&, const Growth&) = default;
};

// Each makes the walk start again.
constexpr std::size_t kMostGrowths = 64;

// The second walk. Values that a fault leads back to are grown, and the walk starts again.
class BatchWalk {
 public:
  BatchWalk(OnnxWalk& walk,
            const AllFacts& base,
            const BatchChange& change,
            const std::vector<Growth>& growths)
      : walk_(walk), base_(base), change_(change), growths_(growths), places_(base.size()) {
    for (const Growth& growth : growths_)
      if (walk_.facts()[growth.value]) grow(*walk_.facts()[growth.value], growth.axis);
    const AllFacts& start = walk_.facts();
    for (std::size_t value = 0; value < base.size(); ++value)
      if (start[value] && base[value]) note_place(value, {});
  }

  void visit(std::size_t node) {
    const auto before = walk_.node_facts(node, base_);
    if (!before) return;
    grow_constants(node);
    const auto after = walk_.node_facts(node, walk_.facts());
    if (!after) return;
    check_recurrence(node, *before);
    walk_.store(node, *after, outputs_of(node, *before, *after));
    for (const Growth& growth : growths_) {
      const auto& made = walk_.graph().outputs(node);
      if (!made.empty() && made[0] && *made[0] == growth.value)
        grow(*walk_.facts()[growth.value], growth.axis);
    }
    std::vector<std::size_t> inputs;
    for (const auto& input : walk_.graph().inputs(node))
      if (input) inputs.push_back(*input);
    for (const auto& output : walk_.graph().outputs(node))
      if (output) note_place(*output, inputs);
  }

  // Which value kept its extent while the others of this node grew: the reason of a fault.
  [[nodiscard]] std::optional<Growth> growth_for(std::size_t node) const;

 private:
  [[nodiscard]] std::optional<Growth> growth_behind(std::size_t value, std::size_t axis) const;

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

  // A constant that grows is no longer known number by number.
  void grow(TensorFacts& value, std::size_t axis) const {
    value.shape = rescaled(value.shape, axis, change_);
    value.numbers.reset();
  }

  void grow_constants(std::size_t node);
  void grow_initial_states(std::size_t node);
  void check_recurrence(std::size_t node, const NodeFacts& before) const;
  void keep_declared(std::size_t node,
                     const NodeFacts& before,
                     std::vector<TensorFacts>& outputs) const;
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

  OnnxWalk& walk_;
  const AllFacts& base_;
  BatchChange change_;
  const std::vector<Growth>& growths_;
  std::vector<std::optional<BatchPlace>> places_;
};

bool is_recurrent(const OnnxNode& node) {
  return node.type == "LSTM" || node.type == "GRU" || node.type == "RNN";
}

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
  if (is_recurrent(source)) return grow_initial_states(node);
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
      grow(constant, axis);
      places_[*other] = BatchPlace{axis, places_[*grown]->outer};
    }
  }
}

// Zero states are constants of the batch that the file was made with.
void BatchWalk::grow_initial_states(std::size_t node) {
  const auto& inputs = walk_.graph().inputs(node);
  if (inputs.empty() || !inputs[0] || !places_[*inputs[0]]) return;
  for (std::size_t slot = 5; slot < 7 && slot < inputs.size(); ++slot) {
    if (!inputs[slot] || !walk_.facts()[*inputs[slot]]) continue;
    TensorFacts& state = *walk_.facts()[*inputs[slot]];
    const NodeFacts about = *walk_.node_facts(node, base_);
    const std::size_t axis = about.integer("layout", 0) != 0 ? 0 : 1;
    if (!state.constant || state.shape != base_shape(*inputs[slot]) || state.shape.size() != 3)
      continue;
    grow(state, axis);
    places_[*inputs[slot]] = BatchPlace{axis, 1};
  }
}

// What was taken for the batch (the first axis of the first input) must not be the time of a
// recurrent layer.
void BatchWalk::check_recurrence(std::size_t node, const NodeFacts& before) const {
  if (!is_recurrent(before.node())) return;
  const auto& input = walk_.graph().inputs(node)[0];
  if (!input || !places_[*input]) return;
  const std::size_t time = before.integer("layout", 0) != 0 ? 1 : 0;
  if (places_[*input]->axis == time)
    throw ShapeFault{"the axis that --batch would change is its time; expected batch first inputs"};
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
  std::vector<TensorFacts> outputs = walk_.outputs_by_rule(node, after);
  keep_declared(node, before, outputs);
  return outputs;
}

// Where the file's declaration was believed at its own batch, extents that do not hold the batch
// stay as declared.
void BatchWalk::keep_declared(std::size_t node,
                              const NodeFacts& before,
                              std::vector<TensorFacts>& outputs) const {
  const auto& values = walk_.graph().outputs(node);
  const auto by_rule = output_facts(before);
  if (!by_rule) return;
  for (std::size_t i = 0; i < values.size() && i < outputs.size() && i < by_rule->size(); ++i) {
    if (!values[i] || !base_[*values[i]]) continue;
    const Shape& rule = (*by_rule)[i].shape;
    const Shape& base = base_shape(*values[i]);
    Shape& shape = outputs[i].shape;
    if (rule.size() != base.size() || shape.size() != base.size()) continue;
    for (std::size_t axis = 0; axis < base.size(); ++axis)
      if (rule[axis] != base[axis] && shape[axis] == rule[axis]) shape[axis] = base[axis];
  }
}

std::optional<Growth> BatchWalk::growth_for(std::size_t node) const {
  const auto& inputs = walk_.graph().inputs(node);
  std::optional<BatchPlace> place;
  std::size_t rank = 0;
  for (const auto& input : inputs) {
    if (!input || !places_[*input]) continue;
    place = places_[*input];
    rank = base_shape(*input).size();
  }
  if (!place) return std::nullopt;
  for (const auto& input : inputs) {
    if (!input || places_[*input] || !base_[*input]) continue;
    // Axes are counted from the end, as broadcasting does.
    const std::size_t own_rank = base_shape(*input).size();
    if (own_rank + place->axis < rank) continue;
    const auto found = growth_behind(*input, own_rank + place->axis - rank);
    if (found) return found;
  }
  return std::nullopt;
}

// Back over operators that keep the axis, to the constant or the expansion that decides it.
std::optional<Growth> BatchWalk::growth_behind(std::size_t value, std::size_t axis) const {
  for (int steps = 0; steps < 16; ++steps) {
    const auto maker = walk_.graph().maker(value);
    if (walk_.facts()[value] && walk_.facts()[value]->constant) return Growth{value, axis};
    if (!maker) return std::nullopt;
    const OnnxNode& source = walk_.graph().graph().nodes[*maker];
    if (source.type == "Expand" || source.type == "Tile" || source.type.starts_with("Random"))
      return Growth{value, axis};
    const auto& from = walk_.graph().inputs(*maker);
    if (source.type == "Gather") {
      const auto facts = walk_.node_facts(*maker, base_);
      const std::size_t first = axis_index(facts->integer("axis", 0), facts->rank(0));
      const auto index_rank = static_cast<std::size_t>(facts->rank(1));
      if (axis < first || axis >= first + index_rank) return std::nullopt;
      value = *from[1];
      axis -= first;
      continue;
    }
    const auto same = std::ranges::find_if(from, [&](const auto& input) {
      return input && base_[*input] && base_shape(*input) == base_shape(value);
    });
    if (same == from.end()) return std::nullopt;
    value = **same;
  }
  return std::nullopt;
}

}  // namespace

Inference inferred_at_batch(const IndexedGraph& graph,
                            const AllFacts& base,
                            AllFacts facts,
                            const BatchChange& change,
                            OnnxFaults& faults) {
  std::vector<Growth> growths;
  for (;;) {
    OnnxWalk walk(graph, facts, faults);
    BatchWalk batch(walk, base, change, growths);
    bool again = false;
    for (std::size_t node = 0; node < graph.graph().nodes.size() && !again; ++node) {
      try {
        batch.visit(node);
      } catch (const ShapeFault& fault) {
        const auto growth = growths.size() < kMostGrowths ? batch.growth_for(node) : std::nullopt;
        again = growth && std::ranges::find(growths, *growth) == growths.end();
        if (again) growths.push_back(*growth);
        if (!again)
          walk.add_fault(node,
                         fault,
                         "the batch could not be followed from " + number_text(change.from) +
                             " to " + number_text(change.to) +
                             " here: leave --batch out, or export the model with that batch");
      }
    }
    if (!again) return walk.result();
  }
}

}  // namespace paretrain::problems
