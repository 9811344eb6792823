// Why: serving stages first come, first served is a small machine of its own: what has been taken,
// when it ends, and whether all that has been seen before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evaluator/group/pipeline.h"

namespace paretrain::evaluator {

enum class Extrapolation { Off, On };

// Apart: every stage has its resources to itself.
enum class Contention { Shared, Apart };

// Plays stages item by item. What decides the future is how far the stages are apart, which ends
// lie ahead and when resources are free, all relative to now: when that comes back, whatever
// happened in between happens again, and whole periods are added without playing them.
class FirstComePipeline {
 public:
  FirstComePipeline(std::span<const Stage> stages, std::size_t resources, Contention contention);

  struct Played {
    std::int64_t cycles = 0;
    std::int64_t items = 0;
  };

  // Ends early when the cycles must be beyond `limit`; they are some number above it then.
  [[nodiscard]] Played run(Extrapolation extrapolation, std::int64_t limit);

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  // pace.tile(item / per) × times + add of an item, followed from item to item without dividing.
  struct Steps {
    std::int64_t per = 1;
    std::int64_t times = 1;
    std::int64_t add = 0;
    const TilePace* pace = nullptr;  // none: item / per is not paced
    std::int64_t now = 0;            // of the item that is next
    std::int64_t left = 1;           // items until that changes
    std::int64_t tile = 0;           // item / per
    bool rare = false;               // changes so seldom that periods lie between changes

    [[nodiscard]] std::int64_t of(std::int64_t item) const { return of_tile(item / per); }

    [[nodiscard]] std::int64_t of_tile(std::int64_t t) const {
      return (pace == nullptr ? t : pace->tile(t)) * times + add;
    }

    void set(std::int64_t item) {
      tile = item / per;
      now = of_tile(tile);
      left = per - item % per;
    }

    void advance() {
      if (--left > 0) return;
      ++tile;
      now = pace == nullptr ? now + times : of_tile(tile);
      left = per;
    }
  };

  struct Need {
    std::size_t stage = 0;
    std::int64_t last = 0;  // item of that stage
    Steps item;

    [[nodiscard]] std::int64_t item_for(std::int64_t wanted) const {
      return std::min(wanted, last);
    }
  };

  struct Progress {
    std::span<Need> needs;
    std::span<const std::size_t> followers;  // stages that need this one
    std::int64_t* ends = nullptr;            // by item; of those before `past` nothing
    std::int64_t past = 0;                   // items before this one have ended
    std::int64_t taken = 0;
    bool has_other_first_round = false;
    bool has_rare_rounds = false;
    Steps order;  // of the tile that the next item belongs to
  };

  // When a stage's next item had all it waits for, and the tile it belongs to. Not ready: kNever.
  struct Head {
    std::int64_t since = kNever;
    std::int64_t order = 0;

    [[nodiscard]] bool is_ready() const { return since != kNever; }
  };

  // What was seen when an item of the reference stage was taken. A stage that waits for something
  // far ahead has its state apart: how far that is does not matter until it comes.
  struct Moment {
    std::uint64_t hash = 0;
    std::vector<std::int64_t> state;
    std::vector<std::int64_t> waiting;
    std::vector<std::int64_t> taken;
    std::int64_t now = 0;
  };

  // Items from `first` to the one before `end`: for all of them a stage does the same.
  struct Stretch {
    std::int64_t first = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
  };

  [[nodiscard]] bool is_finished(std::size_t s) const;
  [[nodiscard]] std::size_t next_stage() const;
  [[nodiscard]] Need need_of(const StageWait& wait) const;
  void link_stages();
  void look_again(std::size_t s);
  void take(std::size_t s);
  void set_steps(std::size_t s);
  [[nodiscard]] std::int64_t occupied(std::size_t s, std::int64_t start);

  // Extrapolation: first_come_periods.cpp.
  [[nodiscard]] bool is_time_to_look() const;
  [[nodiscard]] bool note_moment();
  void remember_moment();
  [[nodiscard]] bool note_stage(std::size_t s);
  void note_ends(std::size_t s);
  void note_items(std::size_t s, std::vector<std::int64_t>& state) const;
  void note_need(const Need& need, std::int64_t taken, std::vector<std::int64_t>& state) const;
  [[nodiscard]] bool has_ended(const Need& need, std::int64_t item) const;
  [[nodiscard]] bool is_waiting(std::size_t s) const;
  [[nodiscard]] bool is_blocked(std::size_t s) const;
  void extrapolate();
  [[nodiscard]] bool has_come_back(const Moment& before) const;
  [[nodiscard]] std::int64_t periods_ahead(const Moment& before) const;
  [[nodiscard]] std::int64_t periods_blocked(std::size_t s, const Moment& before) const;
  [[nodiscard]] std::int64_t periods_alike(std::size_t s, std::int64_t before) const;
  [[nodiscard]] Stretch stretch_of(std::size_t s) const;
  void jump(const Moment& before, std::int64_t periods);

  std::span<const Stage> stages_;
  std::vector<Progress> progress_;
  std::vector<Head> heads_;  // by stage
  std::vector<Need> needs_;
  std::vector<std::size_t> followers_;
  std::unique_ptr<std::int64_t[]> ends_;
  std::vector<std::int64_t> free_;
  std::vector<std::size_t> used_;  // resources that any stage uses
  std::vector<Moment> moments_;    // a ring once it is full
  std::size_t newest_ = 0;
  Moment here_;  // written over again and again
  Contention contention_;
  std::size_t reference_ = 0;
  std::int64_t interval_ = 1;  // items of the reference stage between looks
  std::int64_t now_ = 0;
  std::int64_t latest_ = 0;
  std::int64_t items_ = 0;
};

}  // namespace paretrain::evaluator
