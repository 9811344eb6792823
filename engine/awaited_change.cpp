#include "engine/awaited_change.h"

#include <chrono>

namespace paretrain::engine {

namespace {

using Clock = std::chrono::steady_clock;

// What waking a sleeping thread costs is about what looking for work so long costs.
constexpr std::chrono::microseconds kLook{100};
// A thread that finds so much time gone between two looks was interrupted.
constexpr std::chrono::microseconds kInterrupted{20};
constexpr int kPauses = 16;

void pause_shortly() {
  for (int i = 0; i < kPauses; ++i) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }
}

}  // namespace

std::uint32_t awaited_change(const std::atomic<std::uint32_t>& number, std::uint32_t old) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point before = begin;
  for (;;) {
    const std::uint32_t now = number.load(std::memory_order_acquire);
    if (now != old) return now;
    pause_shortly();
    const Clock::time_point time = Clock::now();
    if (time - begin > kLook || time - before > kInterrupted) break;
    before = time;
  }
  number.wait(old, std::memory_order_acquire);
  return number.load(std::memory_order_acquire);
}

}  // namespace paretrain::engine
