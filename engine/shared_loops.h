// Why: loops that are shared from within calls of a parallel loop wait here for threads that have
// nothing to do.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/loop_body.h"

namespace paretrain::engine {

// Calls of a loop that several threads make.
struct SharedLoop {
  LoopBody body;
  std::size_t count = 0;
  std::size_t most_others = 1;  // that may take part at a time
  std::atomic<std::size_t> next{0};
  std::size_t others = 0;  // that take part; belongs to SharedLoops once offered

  // Makes calls until all have begun.
  void work_through();
};

// Calls from several threads are safe.
class SharedLoops {
 public:
  // From now on others may take part. Requires: `loop` stays where it is until end().
  void offer(SharedLoop& loop);

  // From now on nobody takes part; returns when nobody does. Waits for calls that have begun only.
  // Requires: offered, worked through.
  void end(SharedLoop& loop);

  // Works one loop through, that which was offered first. False when there is none with calls that
  // have not begun and room for another thread.
  [[nodiscard]] bool take_part();

 private:
  [[nodiscard]] SharedLoop* joined();

  std::mutex mutex_;
  std::vector<SharedLoop*> loops_;
  std::atomic<std::size_t> offered_{0};                 // size of loops_
  alignas(64) std::atomic<std::uint32_t> departed_{0};  // a number that changes when others leave
};

}  // namespace paretrain::engine
