#include "evaluator/group/simulated_single.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/checked_math.h"
#include "evaluator/group/member_tiling.h"
#include "evaluator/group/simulated_tasks.h"

namespace paretrain::evaluator {
namespace {

// One tile: which tile of each cut loop it is, and how many iterations of it that is.
struct Step {
  std::vector<std::int64_t> tile;
  std::vector<LoopCount> counts;
};

// A stretch of steps during which an access touches the same part of its tensor.
struct Visit {
  std::size_t first = 0;
  std::size_t last = 0;
  bool again = false;       // the part has been visited before
  bool comes_back = false;  // it will be visited again
  std::int64_t bytes = 0;   // that were not on chip during the visit before
};

class SinglePlayer {
 public:
  SinglePlayer(const Chip& chip, TileCosts& costs, const GroupShape& group, const SingleWay& way)
      : chip_(chip),
        costs_(costs),
        group_(group),
        way_(way),
        member_(group.members.front()),
        nest_(member_.op->nest) {
    for (const LoopCount& cut : way.cuts)
      tile_.push_back(cut);
    const CoreSplit split = core_split(*member_.op, tile_, axis(), way.split, way.cores.size());
    per_core_ = core_counts(tile_, split, split.share);
    cores_.assign(way.cores.begin(), way.cores.begin() + split.cores);
    list_steps(0, {});
  }

  [[nodiscard]] std::optional<GroupSimulation> run() {
    for (std::size_t s = 0; s < steps_.size(); ++s)
      if (!add_step(s)) return std::nullopt;
    for (const std::size_t t : order_of_transfers(group_))
      add_tensor(t);
    return tasks_.played(chip_.resource_names().size());
  }

 private:
  [[nodiscard]] std::optional<Loop> axis() const {
    if (way_.cuts.empty()) return std::nullopt;
    return way_.cuts.front().loop;
  }

  void list_steps(std::size_t cut, Step step) {
    if (cut == way_.cuts.size()) {
      steps_.push_back(std::move(step));
      return;
    }
    const LoopCount& by = way_.cuts[cut];
    const std::int64_t size = nest_.size(by.loop);
    for (std::int64_t first = 0; first < size; first += by.count) {
      Step next = step;
      next.tile.push_back(first / by.count);
      next.counts.push_back({by.loop, std::min(by.count, size - first)});
      list_steps(cut + 1, std::move(next));
    }
  }

  bool add_step(std::size_t s) {
    const CoreSplit split =
        core_split(*member_.op, steps_[s].counts, axis(), way_.split, way_.cores.size());
    std::int64_t cycles = 0;
    for (std::int64_t core = 0; core < split.cores; ++core) {
      const std::int64_t share = core + 1 == split.cores ? split.last_share : split.share;
      const auto cost = costs_.cost(
          {member_.op, way_.content}, cores_.front(), core_counts(steps_[s].counts, split, share));
      if (!cost) return false;
      tasks_.energy().compute += cost->compute_pj;
      tasks_.energy().on_chip += cost->on_chip_pj;
      cycles = std::max(cycles, static_cast<std::int64_t>(std::ceil(cost->cycles)));
    }
    SimulatedTask task{
        member_.op->name + " " + std::to_string(s), {}, {}, static_cast<std::int64_t>(s)};
    for (const CoreId core : cores_)
      task.uses.push_back({chip_.core_resource(core), cycles});
    if (s > 0) task.waits.push_back(runs_.back());
    runs_.push_back(tasks_.add(std::move(task)));
    return true;
  }

  // ---- what an access visits ----

  [[nodiscard]] bool indexes(const Access& access, std::size_t cut) const {
    return slide(access, nest_, way_.cuts[cut].loop).has_value();
  }

  [[nodiscard]] std::vector<Visit> visits(const Access& access,
                                          std::int64_t total,
                                          Halo halo) const {
    std::vector<Visit> result;
    std::map<std::vector<std::int64_t>, std::size_t> latest;  // visit of each part
    std::vector<std::int64_t> before;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      std::vector<std::int64_t> part;
      for (std::size_t c = 0; c < way_.cuts.size(); ++c)
        if (indexes(access, c)) part.push_back(steps_[s].tile[c]);
      if (s > 0 && part == before) {
        result.back().last = s;
        continue;
      }
      const auto [at, is_new] = latest.try_emplace(part, result.size());
      if (!is_new) {
        result[at->second].comes_back = true;
        at->second = result.size();
      }
      result.push_back({s, s, !is_new, false, new_bytes(access, s, total, halo)});
      before = std::move(part);
    }
    return result;
  }

  // Bytes of the step's part; when only the innermost loop of the tensor has moved on by one tile,
  // those that it has moved on to. Model: results that tiles overlap are completed on chip.
  [[nodiscard]] std::int64_t new_bytes(const Access& access,
                                       std::size_t s,
                                       std::int64_t total,
                                       Halo halo) const {
    std::int64_t bytes = total;
    std::size_t innermost = way_.cuts.size();
    for (std::size_t c = 0; c < way_.cuts.size(); ++c)
      if (indexes(access, c)) innermost = c;
    for (std::size_t c = 0; c < way_.cuts.size(); ++c) {
      const auto along = slide(access, nest_, way_.cuts[c].loop);
      if (!along) continue;
      const std::int64_t first = steps_[s].tile[c] * way_.cuts[c].count;
      const std::int64_t last = first + steps_[s].counts[c].count - 1;
      std::int64_t from = along->begin_of(first);
      const std::int64_t to =
          last + 1 == nest_.size(way_.cuts[c].loop) ? along->extent : along->end_of(last);
      if (c == innermost || halo == Halo::Excluded)
        from = steps_[s].tile[c] > 0 ? along->end_of(first - 1) : 0;
      bytes = ceil_div(bytes * std::max<std::int64_t>(0, to - from), along->extent);
    }
    return bytes;
  }

  // ---- transfers ----

  [[nodiscard]] std::vector<Endpoint> ends(const Access& access,
                                           NestOperand operand,
                                           std::int64_t bytes) const {
    const std::int64_t all = touched_bytes(access, nest_, tile_, Halo::Included);
    const std::int64_t share = touched_bytes(access, nest_, per_core_, Halo::Included);
    std::vector<Endpoint> result;
    for (const CoreId core : cores_)
      result.push_back({core, operand, all > 0 ? ceil_div(bytes * share, all) : bytes});
    return result;
  }

  [[nodiscard]] const GroupTensor& tensor_of(const Access& access) const {
    return *std::ranges::find(group_.tensors, access.storage, &GroupTensor::storage);
  }

  std::size_t add_fetch(const Access& access,
                        NestOperand operand,
                        std::int64_t bytes,
                        std::size_t step) {
    const HoldingPlace* from = tensor_of(access).from;
    const TransferCost cost = inward_cost(chip_, from, bytes, ends(access, operand, bytes));
    tasks_.account(cost);
    if (from == nullptr) tasks_.account_bytes(bytes);
    return tasks_.add({"fetch", cost.uses, {}, static_cast<std::int64_t>(step)});
  }

  std::size_t add_store(const Access& access,
                        NestOperand operand,
                        std::int64_t bytes,
                        std::size_t step) {
    const HoldingPlace* to = tensor_of(access).to;
    const TransferCost cost = outward_cost(chip_, to, bytes, ends(access, operand, bytes));
    tasks_.account(cost);
    if (to == nullptr) tasks_.account_bytes(bytes);
    return tasks_.add({"store", cost.uses, {}, static_cast<std::int64_t>(step)});
  }

  static const Access* find(const std::vector<MemberAccess>& accesses, std::size_t tensor) {
    for (const MemberAccess& access : accesses)
      if (access.tensor == tensor) return access.access;
    return nullptr;
  }

  void add_tensor(std::size_t t) {
    const GroupTensor& tensor = group_.tensors[t];
    const Access* read = find(member_.reads, t);
    const Access* write = find(member_.writes, t);
    if (tensor.fetch_bytes > 0 && read != nullptr)
      fetch_visits(*read, operand_of_read(*read), tensor.fetch_bytes);
    else if (tensor.fetch_bytes > 0 && write != nullptr)
      fetch_visits(*write, operand_of_write(*write), tensor.fetch_bytes);
    if (tensor.store_bytes > 0 && write != nullptr)
      store_visits(*write, operand_of_write(*write), tensor.store_bytes);
  }

  // One a step, or all at once when there is not a byte for each.
  [[nodiscard]] std::int64_t parts_of(std::int64_t total) const {
    const auto steps = static_cast<std::int64_t>(steps_.size());
    return total < steps ? 1 : steps;
  }

  void fetch_visits(const Access& access, NestOperand operand, std::int64_t total) {
    if (access.axes.empty()) {
      const std::int64_t steps = parts_of(total);
      for (std::int64_t s = 0; s < steps; ++s)
        wire_fetch(add_fetch(access,
                             operand,
                             total * (s + 1) / steps - total * s / steps,
                             static_cast<std::size_t>(s)),
                   static_cast<std::size_t>(s),
                   s < 2 ? std::nullopt : std::optional(static_cast<std::size_t>(s - 2)));
      return;
    }
    const std::vector<Visit> all = visits(access, total, Halo::Included);
    std::optional<std::size_t> before;
    for (std::size_t v = 0; v < all.size(); ++v) {
      // A part that is used for many steps comes in as many bursts while the one before is in use,
      // so that it does not keep small transfers waiting; a tensor's bursts come in order.
      const std::size_t bursts = v == 0 ? 1 : all[v - 1].last - all[v - 1].first + 1;
      std::vector<std::size_t> tasks = fetch_bursts(access, operand, all[v], bursts);
      if (bursts > 1 && before) tasks_.wait(tasks.front(), *before);
      if (v >= 2) tasks_.wait(tasks.front(), runs_[all[v - 2].last]);
      before = tasks.back();
    }
  }

  std::vector<std::size_t> fetch_bursts(const Access& access,
                                        NestOperand operand,
                                        const Visit& visit,
                                        std::size_t bursts) {
    const HoldingPlace* from = tensor_of(access).from;
    const TransferCost cost =
        inward_cost(chip_, from, visit.bytes, ends(access, operand, visit.bytes));
    tasks_.account(cost);
    if (from == nullptr) tasks_.account_bytes(visit.bytes);
    const auto count = static_cast<std::int64_t>(bursts);
    std::vector<std::size_t> tasks;
    for (std::int64_t burst = 0; burst < count; ++burst) {
      SimulatedTask task{"fetch", cost.uses, {}, static_cast<std::int64_t>(visit.first)};
      for (ResourceCycles& use : task.uses)
        use.cycles = use.cycles * (burst + 1) / count - use.cycles * burst / count;
      if (burst > 0) task.waits.push_back(tasks.back());
      tasks.push_back(tasks_.add(std::move(task)));
    }
    tasks_.wait(runs_[visit.first], tasks.back());
    return tasks;
  }

  // The step waits for the fetch, the fetch for the step whose buffer it takes.
  void wire_fetch(std::size_t fetch, std::size_t step, std::optional<std::size_t> room) {
    tasks_.wait(runs_[step], fetch);
    if (room) tasks_.wait(fetch, runs_[*room]);
  }

  [[nodiscard]] std::int64_t partial_bytes(std::int64_t bytes) const {
    if (nest_.bits.output_final <= 0) return bytes;
    const double growth = std::max(1.0,
                                   static_cast<double>(nest_.bits.output_partial) /
                                       static_cast<double>(nest_.bits.output_final));
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * growth));
  }

  void store_visits(const Access& access, NestOperand operand, std::int64_t total) {
    if (access.axes.empty()) {
      const std::int64_t steps = parts_of(total);
      std::vector<std::size_t> stores;
      for (std::int64_t s = 0; s < steps; ++s)
        wire_store(stores,
                   add_store(access,
                             operand,
                             total * (s + 1) / steps - total * s / steps,
                             static_cast<std::size_t>(s)),
                   static_cast<std::size_t>(s),
                   steps == 1 ? steps_.size() - 1 : static_cast<std::size_t>(s));
      return;
    }
    bool sums = false;
    for (const LoopCount& cut : way_.cuts)
      sums = sums || (cut.count < nest_.size(cut.loop) && is_reduction(nest_, cut.loop));
    std::vector<std::size_t> stores;
    for (const Visit& visit : visits(access, total, Halo::Excluded)) {
      if (visit.again && sums) {
        // What has left can come back once it is out and there is room for it.
        const std::size_t fetch =
            add_fetch(access, operand, partial_bytes(visit.bytes), visit.first);
        wire_fetch(fetch, visit.first, std::nullopt);
        tasks_.wait(fetch, stores[stores.size() - 2]);
      }
      const bool partial = visit.comes_back && sums;
      const std::int64_t bytes = partial ? partial_bytes(visit.bytes) : visit.bytes;
      wire_store(stores, add_store(access, operand, bytes, visit.last), visit.first, visit.last);
    }
  }

  // The store waits for the last step of its visit; the next visit but one for the store.
  void wire_store(std::vector<std::size_t>& stores,
                  std::size_t store,
                  std::size_t first,
                  std::size_t last) {
    tasks_.wait(store, runs_[last]);
    if (stores.size() >= 2) tasks_.wait(runs_[first], stores[stores.size() - 2]);
    stores.push_back(store);
  }

  const Chip& chip_;
  TileCosts& costs_;
  const GroupShape& group_;
  const SingleWay& way_;
  const GroupMember& member_;
  const LoopNest& nest_;
  std::vector<LoopCount> tile_;
  std::vector<LoopCount> per_core_;
  std::vector<CoreId> cores_;
  std::vector<Step> steps_;
  std::vector<std::size_t> runs_;
  TaskList tasks_;
};

}  // namespace

std::optional<GroupSimulation> simulated_single(const Chip& chip,
                                                TileCosts& costs,
                                                const GroupShape& group,
                                                const SingleWay& way) {
  return SinglePlayer(chip, costs, group, way).run();
}

}  // namespace paretrain::evaluator
