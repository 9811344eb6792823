#include "problems/onnx_sizes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/number_text.h"

namespace paretrain::problems {

namespace {

using evaluator::Shape;
using evaluator::ValueKind;

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;

// Index of the first data input with axes.
std::optional<std::size_t> first_data_input(const IndexedGraph& graph,
                                            const std::vector<ValueKind>& kinds) {
  const auto& inputs = graph.graph().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (kinds[graph.input(i)] == ValueKind::Input && inputs[i].shape && !inputs[i].shape->empty())
      return i;
  return std::nullopt;
}

// Exports of sequence-first layouts name their second axis for the batch.
bool is_named_for_batch(const OnnxDimension& dimension) {
  constexpr std::array<std::string_view, 4> kLetters{"n", "b", "bs", "bsz"};
  if (dimension.extent) return false;
  std::string name = dimension.symbol;
  for (char& letter : name)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return name.find("batch") != std::string::npos || std::ranges::count(kLetters, name) > 0;
}

std::size_t batch_axis(const OnnxValue& input) {
  const auto& axes = *input.shape;
  const auto named = std::ranges::find_if(axes, is_named_for_batch);
  return named == axes.end() ? 0 : static_cast<std::size_t>(named - axes.begin());
}

using Symbols = std::map<std::string, std::int64_t>;

std::string known_symbols(const OnnxGraph& graph) {
  std::set<std::string> names;
  for (const OnnxValue& input : graph.inputs) {
    if (!input.shape) continue;
    for (const OnnxDimension& dimension : *input.shape)
      if (!dimension.extent && !dimension.symbol.empty()) names.insert(dimension.symbol);
  }
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + quoted(name);
  return text.empty() ? "the model has none" : "the model has " + text;
}

bool is_sensible(std::int64_t extent) {
  return extent >= 1 && extent <= kLargestExtent;
}

Symbols chosen_symbols(const OnnxGraph& graph,
                       const std::optional<std::size_t>& first,
                       const ImportOptions& options,
                       OnnxFaults& faults) {
  Symbols symbols;
  std::set<std::string> present;
  for (const OnnxValue& input : graph.inputs)
    if (input.shape)
      for (const OnnxDimension& dimension : *input.shape)
        if (!dimension.extent) present.insert(dimension.symbol);
  for (const auto& [name, extent] : options.dimensions) {
    if (!present.contains(name))
      faults.add("--dim " + name, "no such open dimension; " + known_symbols(graph));
    if (!is_sensible(extent))
      faults.add("--dim " + name, number_text(extent) + "; expected 1 to 2^40");
    symbols[name] = extent;
  }
  if (!options.batch) return symbols;
  if (!is_sensible(*options.batch))
    faults.add("--batch", number_text(*options.batch) + "; expected 1 to 2^40");
  if (!first) return symbols;
  const OnnxValue& input = graph.inputs[*first];
  const OnnxDimension& axis = (*input.shape)[batch_axis(input)];
  if (axis.extent || axis.symbol.empty()) return symbols;
  const auto [at, is_new] = symbols.emplace(axis.symbol, *options.batch);
  if (!is_new && at->second != *options.batch)
    faults.add("--batch", "contradicts --dim " + axis.symbol + "=" + number_text(at->second));
  return symbols;
}

Shape sized_shape(const OnnxValue& input,
                  const Symbols& symbols,
                  std::optional<std::int64_t> batch,
                  OnnxFaults& faults) {
  const std::string place = "input " + quoted(input.name);
  Shape shape;
  if (!input.shape) {
    faults.add(place, "no shape; expected one with at least its rank");
    return shape;
  }
  const std::size_t of_batch = input.shape->empty() ? 0 : batch_axis(input);
  for (std::size_t i = 0; i < input.shape->size(); ++i) {
    const OnnxDimension& dimension = (*input.shape)[i];
    const std::string axis = "dimension " + number_text(static_cast<std::int64_t>(i));
    const auto symbol = symbols.find(dimension.symbol);
    if (dimension.extent) {
      if (*dimension.extent < 1)
        faults.add(place,
                   axis + " is " + number_text(*dimension.extent) + "; expected 1 or more",
                   "export with the extent or a name in its place");
      shape.push_back(std::max<std::int64_t>(*dimension.extent, 1));
    } else if (!dimension.symbol.empty() && symbol != symbols.end()) {
      shape.push_back(symbol->second);
    } else if (dimension.symbol.empty() && i == 0 && batch) {
      shape.push_back(*batch);
    } else {
      const bool named = !dimension.symbol.empty();
      faults.add(place,
                 axis + (named ? " (" + quoted(dimension.symbol) + ")" : "") + " is open",
                 named ? "set it with --dim " + dimension.symbol + "=N" +
                             (i == of_batch ? " or --batch N" : "")
                 : i == 0 ? "set it with --batch N"
                          : "export the model with a name or a number in its place");
      shape.push_back(1);
    }
  }
  return shape;
}

}  // namespace

InputSizes input_sizes(const IndexedGraph& graph,
                       const std::vector<ValueKind>& kinds,
                       const ImportOptions& options,
                       OnnxFaults& faults) {
  const auto first = first_data_input(graph, kinds);
  const auto& inputs = graph.graph().inputs;
  const Symbols symbols = chosen_symbols(graph.graph(), first, options, faults);
  InputSizes sizes;
  for (const OnnxValue& input : inputs)
    sizes.shapes.push_back(sized_shape(input, symbols, options.batch, faults));
  sizes.has_batch.assign(inputs.size(), false);
  if (!faults.empty() || !first) return sizes;
  const std::size_t axis = batch_axis(inputs[*first]);
  const std::int64_t batch = sizes.shapes[*first][axis];
  sizes.batch_symbol = (*inputs[*first].shape)[axis].symbol;
  sizes.batch = options.batch.value_or(batch);
  if (batch == sizes.batch) return sizes;
  sizes.change = BatchChange{batch, *options.batch};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    sizes.has_batch[i] = kinds[graph.input(i)] == ValueKind::Input && !sizes.shapes[i].empty() &&
                         sizes.shapes[i][0] == batch;
  return sizes;
}

}  // namespace paretrain::problems
