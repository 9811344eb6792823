#include "evaluator/graph/gradients.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

// The view without the repetition of a broadcast: stride-0 dimensions have extent 1.
Tensor without_repetition(const Tensor& tensor) {
  Tensor result = tensor;
  for (std::size_t d = 0; d < result.view.shape.size(); ++d)
    if (result.view.strides[d] == 0) result.view.shape[d] = 1;
  return result;
}

PointwiseDraft draft_of(const std::string& name, const std::string& type, const Shape& iteration) {
  PointwiseDraft draft;
  draft.name = name;
  draft.type = type;
  draft.iteration = iteration;
  return draft;
}

}  // namespace

Gradients::Gradients(StepBuilder& step) : step_(step) {}

void Gradients::run(const std::vector<std::size_t>& roots,
                    const std::function<void()>& after_entry) {
  mark_active(roots);
  const auto& tape = step_.tape();
  for (std::size_t i = tape.size(); i-- > 0;) {
    if (!active_[i]) continue;
    run_entry(tape[i]);
    after_entry();
  }
}

void Gradients::mark_active(const std::vector<std::size_t>& roots) {
  const auto& tape = step_.tape();
  active_.assign(tape.size(), false);
  for (const std::size_t root : roots)
    active_[root] = true;
  std::set<StorageId> needed;
  for (std::size_t i = tape.size(); i-- > 0;) {
    for (const Tensor& output : tape[i].outputs)
      if (needed.contains(*output.storage)) active_[i] = true;
    if (!active_[i]) continue;
    for (const Tensor& input : tape[i].inputs) {
      needed.insert(*input.storage);
      uses_[*input.storage].push_back(without_repetition(input).view);
      if (is_parameter(*input.storage)) ++contributions_left_[*input.storage];
    }
  }
}

void Gradients::run_entry(const TapeEntry& entry) {
  step_.set_forward(entry.forward);
  const std::size_t first = step_.graph().operators.size();
  entry.backward(*this);
  if (step_.options().allocation == Allocation::Framework) hold_together(first);
  emit_deferred_sums();
  for (const Tensor& output : entry.outputs) {
    const auto state = states_.find(*output.storage);
    if (state == states_.end()) continue;
    --sharers_[state->second.storage];
    states_.erase(state);
  }
}

void Gradients::hold_together(std::size_t first_operator) {
  const auto& operators = step_.graph().operators;
  std::vector<StorageId> read;
  for (std::size_t i = first_operator; i + 1 < operators.size(); ++i)
    for (const Access& access : operators[i].reads)
      read.push_back(access.storage);
  for (const StorageId storage : read)
    step_.hold(storage);
}

void Gradients::emit_deferred_sums() {
  for (const DeferredSum& sum : deferred_)
    add_sum(sum);
  deferred_.clear();
}

void Gradients::add_sum(const DeferredSum& sum) {
  PointwiseDraft draft =
      draft_of(step_.storage(sum.sum).name + ":sum", "GradientSum", sum.first_view.shape);
  draft.layout = sum.layout;
  draft.reads = {step_.seen(sum.first, sum.first_view), step_.seen(sum.second, sum.second_view)};
  draft.writes = {step_.seen(sum.sum, whole_view(sum.first_view.shape))};
  step_.add(draft);
}

TensorView Gradients::view_of(const Tensor& output) const {
  const auto state = states_.find(*output.storage);
  CHECK(state != states_.end(), output.name);
  const auto view =
      pushed_through(output.view, step_.storage(*output.storage).shape, state->second.values);
  CHECK(view.has_value(), output.name);
  return *view;
}

OperandView Gradients::of(const Tensor& output) const {
  return step_.seen(states_.at(*output.storage).storage, view_of(output));
}

bool Gradients::has(const Tensor& output) const {
  return states_.contains(*output.storage);
}

void Gradients::contribute(const Tensor& input, const Writer& write) {
  if (!input.needs_gradient) return;
  if (repeats_elements(input.view)) {
    contribute_repeated(input, write);
  } else {
    contribute_once(input, write);
  }
}

void Gradients::contribute_repeated(const Tensor& input, const Writer& write) {
  StorageDraft draft;
  draft.name = input.name + ":grad:expanded";
  draft.role = StorageRole::Gradient;
  draft.type = input.type;
  draft.shape = input.shape();
  const Tensor temporary = step_.auxiliary(draft);
  write(step_.seen(temporary));
  reduce_to(without_repetition(input), step_.seen(temporary));
}

void Gradients::reduce_to(const Tensor& input, const OperandView& values) {
  contribute_once(input, [&](const OperandView& target) {
    PointwiseDraft draft = draft_of(input.name + ":grad:reduce", "GradientReduce", values.shape);
    draft.operator_class = OperatorClass::Reduction;
    draft.layout = input.layout;
    draft.reads = {values};
    draft.writes = {target};
    step_.add(draft);
  });
}

void Gradients::share(const Tensor& input, const Tensor& output) {
  share(input, states_.at(*output.storage).storage, view_of(output));
}

void Gradients::share_part(const Tensor& input, const Tensor& output, const SliceRange& part) {
  share_view(input, output, [&](const TensorView& view) { return sliced(view, part); });
}

void Gradients::share_view(const Tensor& input,
                           const Tensor& output,
                           const std::function<TensorView(const TensorView&)>& seen) {
  share(input, states_.at(*output.storage).storage, seen(view_of(output)));
}

void Gradients::share(const Tensor& input, StorageId storage, const TensorView& view) {
  if (!input.needs_gradient) return;
  TensorView values = view;
  const bool same_elements = element_count(view.shape) == input.elements();
  if (same_elements && view.shape != input.shape()) {
    const auto fitting = reshaped(view, input.shape());
    CHECK(fitting.has_value(), input.name);
    values = *fitting;
  }
  if (!same_elements || repeats_elements(input.view)) {
    reduce_to(without_repetition(input), step_.seen(storage, values));
    return;
  }
  const Storage base = step_.storage(*input.storage);
  if (!is_parameter(*input.storage)) {
    const auto whole = pulled_back(input.view, base.shape, values);
    if (states_.contains(*input.storage)) {
      add_shared(input, storage, values);
      return;
    }
    if (whole) {
      set_state(*input.storage, {storage, *whole, true, {}});
      return;
    }
  }
  contribute_once(input, [&](const OperandView& target) {
    PointwiseDraft draft = draft_of(input.name + ":grad:copy", "GradientCopy", input.shape());
    draft.operator_class = OperatorClass::DataMovement;
    draft.layout = input.layout;
    draft.reads = {step_.seen(storage, values)};
    draft.writes = {target};
    step_.add(draft);
  });
}

void Gradients::add_shared(const Tensor& input, StorageId storage, const TensorView& view) {
  const Storage base = step_.storage(*input.storage);
  const State state = states_.at(*input.storage);
  const auto whole = pulled_back(input.view, base.shape, view);
  const bool in_place = step_.options().allocation == Allocation::Ideal && exclusive(state.storage);
  if (state.complete && whole && !in_place) {
    const StorageId sum = new_gradient(*input.storage, Completeness::Final);
    deferred_.push_back({state.storage, state.values, storage, *whole, sum, input.layout});
    if (step_.options().allocation == Allocation::Ideal) emit_deferred_sums();
    set_state(*input.storage, {sum, whole_view(base.shape), true, {}});
    return;
  }
  contribute_once(input, [&](const OperandView& target) {
    PointwiseDraft draft = draft_of(input.name + ":grad:sum", "GradientSum", input.shape());
    draft.layout = input.layout;
    draft.reads = {step_.seen(storage, view)};
    draft.writes = {target};
    step_.add(draft);
  });
}

void Gradients::contribute_once(const Tensor& input, const Writer& write) {
  const auto found = states_.find(*input.storage);
  if (found == states_.end()) {
    contribute_first(input, write);
  } else {
    State state = found->second;
    contribute_more(input, state, write);
  }
  count_contribution(*input.storage);
}

void Gradients::contribute_first(const Tensor& input, const Writer& write) {
  const Storage base = step_.storage(*input.storage);
  const bool whole = covers(input.view, base.elements);
  const StorageId gradient =
      new_gradient(*input.storage, whole ? next_contribution(*input.storage) : Completeness::Final);
  State state{gradient, whole_view(base.shape), true, {}};
  OperandView target = step_.seen(gradient, input.view);
  if (!whole && partition(uses_[*input.storage], base.elements)) {
    state.complete = false;
    state.written = {input.view};
  } else if (!whole) {
    PointwiseDraft fill = draft_of(input.name + ":grad:zero", "GradientZero", base.shape);
    fill.operator_class = OperatorClass::DataMovement;
    fill.layout = input.layout;
    fill.writes = {step_.seen(gradient, state.values)};
    step_.add(fill);
    target.accumulates = true;
  }
  write(target);
  set_state(*input.storage, std::move(state));
}

void Gradients::contribute_more(const Tensor& input, State& state, const Writer& write) {
  const Storage base = step_.storage(*input.storage);
  if (!state.complete) {
    OperandView target = step_.seen(state.storage, input.view);
    target.accumulates =
        std::find(state.written.begin(), state.written.end(), input.view) != state.written.end();
    write(target);
    if (!target.accumulates) state.written.push_back(input.view);
    set_state(*input.storage, std::move(state));
    return;
  }
  const bool whole = covers(input.view, base.elements);
  const bool framework = step_.options().allocation == Allocation::Framework;
  const auto in_place = pushed_through(input.view, base.shape, state.values);
  // What is added to now must have been summed before.
  if (!(framework && whole)) emit_deferred_sums();
  if (!(framework && whole) && exclusive(state.storage) && in_place) {
    OperandView target = step_.seen(state.storage, *in_place);
    target.accumulates = true;
    write(target);
    return;
  }
  const StorageId fresh =
      new_gradient(*input.storage, framework ? Completeness::Partial : Completeness::Final);
  const TensorView fresh_view = whole_view(base.shape);
  if (framework && whole) {
    write(step_.seen(fresh, input.view));
    const StorageId sum = new_gradient(*input.storage, next_contribution(*input.storage));
    deferred_.push_back({state.storage, state.values, fresh, fresh_view, sum, input.layout});
    set_state(*input.storage, {sum, fresh_view, true, {}});
    return;
  }
  PointwiseDraft old = draft_of(input.name + ":grad:sum", "GradientSum", base.shape);
  old.layout = input.layout;
  old.reads = {step_.seen(state.storage, state.values)};
  OperandView target = step_.seen(fresh, fresh_view);
  if (whole) {
    write(step_.seen(fresh, input.view));
    target.accumulates = true;
    old.writes = {target};
    step_.add(old);
  } else {
    old.writes = {target};
    step_.add(old);
    OperandView part = step_.seen(fresh, input.view);
    part.accumulates = true;
    write(part);
  }
  set_state(*input.storage, {fresh, fresh_view, true, {}});
}

void Gradients::set_state(StorageId forward, State state) {
  const auto old = states_.find(forward);
  if (old != states_.end()) --sharers_[old->second.storage];
  ++sharers_[state.storage];
  states_[forward] = std::move(state);
}

bool Gradients::exclusive(StorageId gradient) const {
  const auto count = sharers_.find(gradient);
  return count != sharers_.end() && count->second == 1;
}

bool Gradients::is_parameter(StorageId forward) const {
  return step_.storage(forward).role == StorageRole::Parameter;
}

Gradients::Completeness Gradients::next_contribution(StorageId forward) const {
  const auto left = contributions_left_.find(forward);
  const bool last = left == contributions_left_.end() || left->second <= 1 ||
                    step_.options().allocation == Allocation::Ideal;
  return last ? Completeness::Final : Completeness::Partial;
}

void Gradients::count_contribution(StorageId forward) {
  const auto left = contributions_left_.find(forward);
  if (left != contributions_left_.end() && --left->second == 0) completed_.push_back(forward);
}

StorageId Gradients::new_gradient(StorageId forward, Completeness completeness) {
  const Storage& base = step_.storage(forward);
  StorageDraft draft;
  draft.name = base.name + ":grad";
  draft.role = StorageRole::Gradient;
  draft.type = base.type;
  draft.shape = base.shape;
  draft.kind = step_.kind(forward);
  if (is_parameter(forward)) {
    draft.kind = ElementKind::ParameterGradient;
    if (completeness == Completeness::Final) draft.role = StorageRole::ParameterGradient;
  }
  return step_.add_storage(draft);
}

std::optional<StorageId> Gradients::parameter_gradient(StorageId parameter) const {
  const auto state = states_.find(parameter);
  if (state == states_.end()) return std::nullopt;
  return state->second.storage;
}

std::vector<StorageId> Gradients::completed_parameters() {
  return std::exchange(completed_, {});
}

}  // namespace paretrain::evaluator
