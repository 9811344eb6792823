#include "engine/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"

namespace paretrain::engine {

namespace {

using Clock = std::chrono::steady_clock;

// What waking a sleeping thread costs is about what looking for work so long costs.
constexpr std::chrono::microseconds kLook{100};
// A thread that finds so much time gone between two looks was interrupted.
constexpr std::chrono::microseconds kInterrupted{20};
constexpr int kPauses = 16;
constexpr int kMostThreads = 1024;

void pause_shortly() {
  for (int i = 0; i < kPauses; ++i) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
  }
}

// Waits until the number is another one: looking at first, then asleep.
std::uint32_t changed(const std::atomic<std::uint32_t>& number, std::uint32_t old) {
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

// The word that all threads watch: whether there is a loop to join, whether the team ends, how many
// other threads have joined the loop, and a number that differs from loop to loop.
constexpr std::uint32_t kOpen = 1;
constexpr std::uint32_t kEnd = 2;
constexpr std::uint32_t kOneJoined = 4;
constexpr std::uint32_t kJoinedMask = (std::uint32_t{kMostThreads} * 2 - 1) * kOneJoined;
constexpr std::uint32_t kOneLoop = kJoinedMask + kOneJoined;

}  // namespace

int thread_count(int threads) {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

struct ThreadTeam::Parts {
  ~Parts() {
    word.fetch_or(kEnd, std::memory_order_release);
    word.notify_all();
  }

  // Until there are `wanted` other threads.
  void start(std::size_t wanted) {
    try {
      while (others.size() < wanted)
        others.emplace_back([this] { serve(); });
    } catch (const std::system_error& error) {
      throw IoError("threads", error.what());
    }
  }

  void work_through() {
    for (std::size_t index = next.fetch_add(1, std::memory_order_relaxed); index < count;
         index = next.fetch_add(1, std::memory_order_relaxed))
      body.call(body.context, index);
  }

  void serve() {
    std::uint32_t last = 0;  // loop that this thread took part in
    std::uint32_t seen = word.load(std::memory_order_acquire);
    while ((seen & kEnd) == 0) {
      if ((seen & kOpen) == 0 || seen / kOneLoop == last) {
        seen = changed(word, seen);
        continue;
      }
      // Only who has joined may look at the loop: it stays as it is until all those have left.
      if (!word.compare_exchange_weak(seen, seen + kOneJoined, std::memory_order_acq_rel)) continue;
      last = seen / kOneLoop;
      work_through();
      left.fetch_add(1, std::memory_order_release);
      left.notify_one();
      seen = word.load(std::memory_order_acquire);
    }
  }

  void run(std::size_t its_count, LoopBody its_body) {
    count = its_count;
    body = its_body;
    next.store(0, std::memory_order_relaxed);
    left.store(0, std::memory_order_relaxed);
    const std::uint32_t loop = word.load(std::memory_order_relaxed) / kOneLoop + 1;
    word.store(loop * kOneLoop | kOpen, std::memory_order_release);
    if (count > others.size()) {
      word.notify_all();
    } else {
      for (std::size_t i = 1; i < count; ++i)
        word.notify_one();
    }
    work_through();
    const std::uint32_t closed = word.fetch_and(~kOpen, std::memory_order_acq_rel);
    const std::uint32_t joined = (closed & kJoinedMask) / kOneJoined;
    for (std::uint32_t gone = left.load(std::memory_order_acquire); gone < joined;)
      gone = changed(left, gone);
  }

  LoopBody body;
  std::size_t count = 0;
  alignas(64) std::atomic<std::size_t> next{0};
  alignas(64) std::atomic<std::uint32_t> word{0};
  alignas(64) std::atomic<std::uint32_t> left{0};  // how many of those who joined have left
  std::vector<std::jthread> others;
};

ThreadTeam::ThreadTeam(int threads) : threads_(std::min(thread_count(threads), kMostThreads)) {}

ThreadTeam::~ThreadTeam() = default;

void ThreadTeam::run(std::size_t count, LoopBody body) {
  if (threads_ == 1 || count < 2) {
    for (std::size_t index = 0; index < count; ++index)
      body.call(body.context, index);
    return;
  }
  if (!parts_) parts_ = std::make_unique<Parts>();
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(threads_)) - 1;
  parts_->start(wanted);
  parts_->run(count, body);
}

}  // namespace paretrain::engine
