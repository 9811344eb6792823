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

void run_parallel(std::size_t count, int threads, LoopBody body);

// Calls body(index) for every index below count, in any order, on up to `threads` threads (0: all
// processors), one index at a time. body must be pure but for the slot that belongs to its index.
// Errors: when calls throw, the exception of the lowest index is rethrown after all have ended.
template <class Body>
void parallel_for(std::size_t count, int threads, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  const LoopBody loop{
      .context = const_cast<std::remove_const_t<Plain>*>(std::addressof(body)),
      .call = [](void* context, std::size_t index) { (*static_cast<Plain*>(context))(index); }};
  run_parallel(count, threads, loop);
}

}  // namespace paretrain::engine
