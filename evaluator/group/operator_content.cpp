#include "evaluator/group/operator_content.h"

#include <bit>
#include <map>

namespace paretrain::evaluator {
namespace {

using Words = std::vector<std::uint64_t>;

void add(Words& words, std::int64_t number) {
  words.push_back(static_cast<std::uint64_t>(number));
}

void add(Words& words, const std::vector<AxisIndex>& axes) {
  words.push_back(axes.size());
  for (const AxisIndex& axis : axes) {
    add(words, static_cast<std::int64_t>(axis.first));
    add(words, axis.stride);
    add(words, axis.windowed ? static_cast<std::int64_t>(axis.second) + 1 : 0);
    add(words, axis.windowed ? axis.dilation : 0);
    add(words, axis.extent);
  }
}

void add(Words& words, const LoopNest& nest) {
  for (const std::int64_t size : nest.sizes)
    add(words, size);
  for (const auto& operand : nest.axes)
    add(words, operand);
  add(words, nest.bits.weight);
  add(words, nest.bits.input);
  add(words, nest.bits.output_partial);
  add(words, nest.bits.output_final);
  words.push_back(std::bit_cast<std::uint64_t>(nest.cycles_per_operation));
}

void add(Words& words, const std::vector<Access>& accesses) {
  words.push_back(accesses.size());
  for (const Access& access : accesses) {
    add(words, access.bytes.number());
    add(words, access.axes);
    words.push_back(access.strides.size());
    for (const std::int64_t stride : access.strides)
      add(words, stride);
    add(words, access.operand ? static_cast<std::int64_t>(*access.operand) + 1 : 0);
    add(words, access.accumulates ? 1 : 0);
  }
}

}  // namespace

std::vector<std::uint64_t> operator_words(const Operator& op) {
  Words words;
  add(words, static_cast<std::int64_t>(op.operator_class));
  add(words, op.phase == Phase::Update ? 1 : 0);
  add(words, op.mac_kind == MacKind::WeightGradient ? 1 : 0);
  add(words, op.nest);
  add(words, op.matrix_nest ? 1 : 0);
  if (op.matrix_nest) add(words, *op.matrix_nest);
  add(words, op.reads);
  add(words, op.writes);
  return words;
}

std::vector<std::uint32_t> operator_contents(
    const TrainingGraph& graph, const std::vector<std::vector<std::uint64_t>>& placements) {
  std::map<Words, std::uint32_t> known;
  std::vector<std::uint32_t> contents;
  for (std::size_t o = 0; o < graph.operators.size(); ++o) {
    Words words = operator_words(graph.operators[o]);
    words.insert(words.end(), placements[o].begin(), placements[o].end());
    contents.push_back(known.try_emplace(std::move(words), static_cast<std::uint32_t>(known.size()))
                           .first->second);
  }
  return contents;
}

}  // namespace paretrain::evaluator
