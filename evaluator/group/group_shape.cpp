#include "evaluator/group/group_shape.h"

#include <algorithm>

namespace paretrain::evaluator {
namespace {

std::size_t tensor_index(GroupShape& shape, StorageId storage) {
  const auto found = std::ranges::find(shape.tensors, storage, &GroupTensor::storage);
  if (found != shape.tensors.end()) return static_cast<std::size_t>(found - shape.tensors.begin());
  shape.tensors.push_back(GroupTensor{.storage = storage, .makers = {}, .readers = {}});
  return shape.tensors.size() - 1;
}

void add_once(std::vector<std::size_t>& members, std::size_t member) {
  if (members.empty() || members.back() != member) members.push_back(member);
}

GroupShape wiring(const TrainingGraph& graph, std::span<const RunningOperator> operators) {
  GroupShape shape;
  for (const RunningOperator& running : operators) {
    const std::size_t m = shape.members.size();
    GroupMember member;
    member.index = running.op.index();
    member.op = &graph.operators[member.index];
    member.whole = member.op;
    for (const Access& read : member.op->reads) {
      if (read.bytes.number() == 0) continue;
      const std::size_t tensor = tensor_index(shape, read.storage);
      member.reads.push_back({&read, tensor});
      add_once(shape.tensors[tensor].readers, m);
    }
    for (std::size_t w = 0; w < member.op->writes.size(); ++w) {
      const Access& write = member.op->writes[w];
      if (write.bytes.number() == 0 || !is_produced(graph, running, w)) continue;
      const std::size_t tensor = tensor_index(shape, write.storage);
      member.writes.push_back({&write, tensor});
      add_once(shape.tensors[tensor].makers, m);
    }
    shape.members.push_back(std::move(member));
  }
  return shape;
}

std::int64_t bytes_of(const std::vector<MemberAccess>& accesses, std::size_t tensor) {
  std::int64_t sum = 0;
  for (const MemberAccess& a : accesses)
    if (a.tensor == tensor) sum += a.access->bytes.number();
  return sum;
}

std::int64_t fetched_bytes(const TrainingGraph& graph,
                           const GroupShape& shape,
                           std::size_t tensor) {
  std::int64_t most = 0;
  for (const GroupMember& member : shape.members) {
    most = std::max(most, bytes_of(member.reads, tensor));
    for (const MemberAccess& write : member.writes)
      if (write.tensor == tensor) most = std::max(most, write.access->bytes.number());
  }
  return std::min(most, graph.storage(shape.tensors[tensor].storage).bytes.number());
}

std::int64_t stored_bytes(const TrainingGraph& graph, const GroupShape& shape, std::size_t tensor) {
  std::int64_t most = 0;
  for (const GroupMember& member : shape.members)
    most = std::max(most, bytes_of(member.writes, tensor));
  return std::min(most, graph.storage(shape.tensors[tensor].storage).bytes.number());
}

const HoldingPlace* place_of(std::span<const CarriedValue> carried,
                             std::span<const HoldingPlace> places,
                             StepValueId value) {
  const auto found = std::ranges::find(carried, value, &CarriedValue::value);
  return found == carried.end() ? nullptr : &places[found->place];
}

}  // namespace

bool is_produced(const TrainingGraph& graph, const RunningOperator& running, std::size_t w) {
  if (!running.recompute) return true;
  const std::vector<Access>& writes = graph.operators[running.op.index()].writes;
  const auto is_buffer = [&](const Access& write) {
    return graph.storage(write.storage).role == StorageRole::Buffer;
  };
  if (is_buffer(writes[w])) return false;
  std::size_t bit = 0;
  for (std::size_t before = 0; before < w; ++before) {
    if (writes[before].storage == writes[w].storage) break;
    const bool repeated = std::ranges::any_of(
        writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(before), [&](const Access& a) {
          return a.storage == writes[before].storage;
        });
    if (!repeated && !is_buffer(writes[before])) ++bit;
  }
  return ((running.produced >> bit) & 1U) != 0;
}

GroupShape group_shape(const TrainingGraph& graph,
                       const GroupContent& content,
                       std::span<const HoldingPlace> places) {
  GroupShape shape = wiring(graph, content.operators);
  for (std::size_t t = 0; t < shape.tensors.size(); ++t) {
    GroupTensor& tensor = shape.tensors[t];
    const StepValueId value(tensor.storage.index());
    // Running statistics are added to in place by forward operators; plans do not know them.
    const bool added_to =
        graph.storage(tensor.storage).role == StorageRole::Buffer && !tensor.makers.empty();
    if (added_to || std::ranges::find(content.reads, value) != content.reads.end())
      tensor.fetch_bytes = fetched_bytes(graph, shape, t);
    if (added_to || std::ranges::find(content.writes, value) != content.writes.end())
      tensor.store_bytes = stored_bytes(graph, shape, t);
    tensor.from = place_of(content.carried_in, places, value);
    tensor.to = place_of(content.carried_out, places, value);
    if (tensor.from != nullptr) tensor.fetch_bytes = fetched_bytes(graph, shape, t);
    if (tensor.to != nullptr) tensor.store_bytes = stored_bytes(graph, shape, t);
    if (tensor.from != nullptr || tensor.to != nullptr)
      tensor.held_bytes = graph.storage(tensor.storage).bytes.number();
  }
  return shape;
}

GroupShape widest_group_shape(const TrainingGraph& graph,
                              std::span<const RunningOperator> operators) {
  GroupShape shape = wiring(graph, operators);
  for (std::size_t t = 0; t < shape.tensors.size(); ++t) {
    GroupTensor& tensor = shape.tensors[t];
    const bool read_first =
        !tensor.readers.empty() &&
        (tensor.makers.empty() || tensor.readers.front() <= tensor.makers.front());
    const bool added_to = std::ranges::any_of(shape.members, [&](const GroupMember& member) {
      return std::ranges::any_of(member.writes, [&](const MemberAccess& write) {
        return write.tensor == t && write.access->accumulates;
      });
    });
    if (read_first || added_to) tensor.fetch_bytes = fetched_bytes(graph, shape, t);
    if (!tensor.makers.empty()) tensor.store_bytes = stored_bytes(graph, shape, t);
  }
  return shape;
}

std::vector<std::size_t> order_of_transfers(const GroupShape& group) {
  std::vector<std::size_t> order;
  for (const bool handed_over : {false, true})
    for (std::size_t t = 0; t < group.tensors.size(); ++t) {
      const GroupTensor& tensor = group.tensors[t];
      if ((tensor.from != nullptr || tensor.to != nullptr) == handed_over) order.push_back(t);
    }
  return order;
}

}  // namespace paretrain::evaluator
