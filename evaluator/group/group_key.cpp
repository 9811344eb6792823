#include "evaluator/group/group_key.h"

#include <algorithm>
#include <optional>

#include "evaluator/group/group_shape.h"

namespace paretrain::evaluator {

void GroupKey::add(std::uint64_t word) {
  if (count_ < kInPlace) {
    in_place_[count_++] = word;
    return;
  }
  if (count_ == kInPlace) heap_.assign(in_place_.begin(), in_place_.end());
  heap_.push_back(word);
  ++count_;
}

namespace {

class KeyWriter {
 public:
  KeyWriter(const TrainingGraph& graph, std::span<const std::uint32_t> contents)
      : graph_(graph), contents_(contents) {}

  [[nodiscard]] GroupKey key(const GroupContent& group, bool with_traffic) {
    for (const RunningOperator& running : group.operators) {
      const Operator& op = graph_.operators[running.op.index()];
      key_.add(contents_[running.op.index()]);
      for (const Access& read : op.reads)
        if (read.bytes.number() > 0) add(read.storage, group, with_traffic);
      for (std::size_t w = 0; w < op.writes.size(); ++w) {
        if (op.writes[w].bytes.number() > 0 && is_produced(graph_, running, w))
          add(op.writes[w].storage, group, with_traffic);
        else
          key_.add(kAbsent);
      }
    }
    return key_;
  }

 private:
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
  // Above the number of any operator's content or tensor, which could stand there instead.
  static constexpr std::uint64_t kCarriedIn = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t kCarriedOut = std::uint64_t{1} << 63U;

  static std::optional<std::uint32_t> place_of(std::span<const CarriedValue> carried,
                                               StepValueId value) {
    const auto found = std::ranges::find(carried, value, &CarriedValue::value);
    if (found == carried.end()) return std::nullopt;
    return found->place;
  }

  // Which tensor of the group it is; at its first occurrence also what moves of it, and its size,
  // which bounds the bytes moved.
  void add(StorageId storage, const GroupContent& group, bool with_traffic) {
    for (std::size_t i = 0; i < seen_; ++i)
      if (known(i) == storage) {
        key_.add(i);
        return;
      }
    key_.add(seen_);
    remember(storage);
    if (!with_traffic) return;
    const StepValueId value(storage.index());
    const auto in = [&](std::span<const StepValueId> values) {
      return std::ranges::find(values, value) != values.end() ? std::uint64_t{1} : std::uint64_t{0};
    };
    const auto bytes = static_cast<std::uint64_t>(graph_.storage(storage).bytes.number());
    const std::uint64_t buffer = graph_.storage(storage).role == StorageRole::Buffer ? 1 : 0;
    key_.add((bytes << 3U) | (buffer << 2U) | (in(group.reads) << 1U) | in(group.writes));
    if (const auto place = place_of(group.carried_in, value)) key_.add(kCarriedIn + *place);
    if (const auto place = place_of(group.carried_out, value)) key_.add(kCarriedOut + *place);
  }

  [[nodiscard]] StorageId known(std::size_t i) const {
    return i < in_place_.size() ? in_place_[i] : heap_[i - in_place_.size()];
  }

  void remember(StorageId storage) {
    if (seen_ < in_place_.size())
      in_place_[seen_] = storage;
    else
      heap_.push_back(storage);
    ++seen_;
  }

  const TrainingGraph& graph_;
  std::span<const std::uint32_t> contents_;
  GroupKey key_;
  std::array<StorageId, 64> in_place_;
  std::vector<StorageId> heap_;
  std::size_t seen_ = 0;
};

}  // namespace

GroupKey cost_key(const TrainingGraph& graph,
                  std::span<const std::uint32_t> contents,
                  const GroupContent& group) {
  return KeyWriter(graph, contents).key(group, true);
}

GroupKey legality_key(const TrainingGraph& graph,
                      std::span<const std::uint32_t> contents,
                      std::span<const RunningOperator> operators) {
  return KeyWriter(graph, contents).key({operators, {}, {}}, false);
}

}  // namespace paretrain::evaluator
