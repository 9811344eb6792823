// Why: now and then one call of a parallel loop has a thousand times more to do than the others,
// and the thread that makes it is the last one at work. It shares loops of its own with those that
// have nothing left to do, and neither it nor what it calls need know of any threads.
#pragma once

#include <cstddef>

#include "base/loop_body.h"

namespace paretrain {

// Who runs a parallel loop and knows which threads have nothing to do.
class LoopSharing {
 public:
  LoopSharing() = default;
  LoopSharing(const LoopSharing&) = delete;
  LoopSharing& operator=(const LoopSharing&) = delete;
  LoopSharing(LoopSharing&&) = delete;
  LoopSharing& operator=(LoopSharing&&) = delete;
  virtual ~LoopSharing() = default;

  // That may take part in one loop, the caller included.
  [[nodiscard]] virtual std::size_t threads() const noexcept = 0;

  // Calls the body once for every index below count and returns when all calls have ended. Calls
  // begin in the order of indices, on the caller and on whoever comes; the caller makes all that
  // nobody else has begun. Requires: the body throws nothing.
  virtual void share(std::size_t count, LoopBody body) = 0;
};

// While it lives this thread's loops are shared by `sharing`.
class SharingScope {
 public:
  explicit SharingScope(LoopSharing& sharing) noexcept;
  ~SharingScope();
  SharingScope(const SharingScope&) = delete;
  SharingScope& operator=(const SharingScope&) = delete;
  SharingScope(SharingScope&&) = delete;
  SharingScope& operator=(SharingScope&&) = delete;

 private:
  LoopSharing* before_;
};

// How many threads a loop of this one could be shared by; 1 outside of parallel loops.
[[nodiscard]] std::size_t sharing_threads() noexcept;

void run_shared(std::size_t count, LoopBody body);

// Calls body(index) for every index below count on this thread and on those that have nothing to
// do; on this one, in order, outside of parallel loops. May be called from within a body. body must
// be pure but for the slot that belongs to its index.
// Errors: the exception of the lowest index whose call throws, after all calls that have begun have
// ended.
template <class Body>
void shared_for(std::size_t count, Body&& body) {
  run_shared(count, loop_body(body));
}

}  // namespace paretrain
