#include "engine/shared_loops.h"

#include <algorithm>

#include "engine/awaited_change.h"

namespace paretrain::engine {

void SharedLoop::work_through() {
  for (std::size_t index = next.fetch_add(1, std::memory_order_relaxed); index < count;
       index = next.fetch_add(1, std::memory_order_relaxed))
    body.call(body.context, index);
}

void SharedLoops::offer(SharedLoop& loop) {
  const std::scoped_lock lock(mutex_);
  loops_.push_back(&loop);
  offered_.store(loops_.size(), std::memory_order_relaxed);
}

void SharedLoops::end(SharedLoop& loop) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase(loops_, &loop);
    offered_.store(loops_.size(), std::memory_order_relaxed);
  }
  for (;;) {
    const std::uint32_t departed = departed_.load(std::memory_order_acquire);
    {
      const std::scoped_lock lock(mutex_);
      if (loop.others == 0) return;
    }
    static_cast<void>(awaited_change(departed_, departed));
  }
}

SharedLoop* SharedLoops::joined() {
  // Whoever offers a loop tells so after it; who looks too early is told later.
  if (offered_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(loops_.begin(), loops_.end(), [](const SharedLoop* loop) {
    return loop->others < loop->most_others &&
           loop->next.load(std::memory_order_relaxed) < loop->count;
  });
  if (found == loops_.end()) return nullptr;
  ++(*found)->others;
  return *found;
}

bool SharedLoops::take_part() {
  SharedLoop* const loop = joined();
  if (loop == nullptr) return false;
  loop->work_through();
  {
    const std::scoped_lock lock(mutex_);
    --loop->others;
  }
  departed_.fetch_add(1, std::memory_order_release);
  departed_.notify_all();
  return true;
}

}  // namespace paretrain::engine
