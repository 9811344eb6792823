// Why: a search runs a few short loops per generation, so threads are kept between them, wake up at
// once when the next one follows soon, and leave the processor to others when it does not.
#pragma once

#include <cstddef>
#include <memory>

#include "base/loop_body.h"

namespace paretrain::engine {

// Number of threads that `threads` stands for: itself, or all processors when it is 0.
[[nodiscard]] int thread_count(int threads);

// Threads that run one loop after another: the caller and up to `threads` - 1 others, which are
// started when a loop first needs them and end with the team. A loop never waits for a thread that
// has not woken up in time: whoever is awake does the work. Waiting threads look for work for some
// microseconds and then sleep; one that finds itself interrupted while it looks sleeps at once, for
// then the machine is busy. What bodies share (base/shared_loop.h) is work to waiting threads, too.
class ThreadTeam {
 public:
  // 0: all processors.
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ThreadTeam(ThreadTeam&&) = delete;
  ThreadTeam& operator=(ThreadTeam&&) = delete;

  // The caller included.
  [[nodiscard]] int threads() const noexcept { return threads_; }

  // Calls the body once for every index below count, one index at a time, in any order, and returns
  // when all calls have ended. Other threads can take part in what a single call shares.
  // Requires: the body throws nothing; not called from within a body.
  // Errors: IoError when a thread cannot be started; then nothing was called.
  void run(std::size_t count, LoopBody body);

 private:
  struct Parts;

  int threads_;
  std::unique_ptr<Parts> parts_;  // once a loop has needed other threads
};

}  // namespace paretrain::engine
