// Why: the one place that knows about threads, so that a build for ThreadSanitizer can use threads
// that it understands, and so that errors come out the same for any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace paretrain::engine {

// Body of a parallel loop without knowing its type.
struct LoopBody {
  void* context = nullptr;
  void (*call)(void* context, std::size_t index) = nullptr;
};

// Number of threads that `threads` stands for: itself, or all processors when it is 0.
[[nodiscard]] int thread_count(int threads);

// How long a call of a loop's body takes, learnt from loop to loop, so that short loops do not pay
// for waking threads up. Only the way of execution depends on it.
struct Pace {
  double seconds_per_call = 1;  // unknown at first, so a loop starts in parallel
};

// `pace` may be null.
void run_parallel(std::size_t count, int threads, LoopBody body, Pace* pace);

template <class Body>
[[nodiscard]] LoopBody loop_body(Body& body) {
  return {.context = const_cast<std::remove_const_t<Body>*>(std::addressof(body)),
          .call = [](void* context, std::size_t index) { (*static_cast<Body*>(context))(index); }};
}

// Calls body(index) for every index below count, in any order, on up to `threads` threads (0: all
// processors), one index at a time. body must be pure but for the slot that belongs to its index.
// Errors: when calls throw, the exception of the lowest index is rethrown after all have ended.
template <class Body>
void parallel_for(std::size_t count, int threads, Body&& body) {
  run_parallel(count, threads, loop_body(body), nullptr);
}

// The same for a loop that runs again and again: on one thread when all calls together are quicker
// than threads are woken up.
template <class Body>
void parallel_for(std::size_t count, int threads, Pace& pace, Body&& body) {
  run_parallel(count, threads, loop_body(body), &pace);
}

}  // namespace paretrain::engine
