#include "engine/thread_team.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/shared_loop.h"
#include "engine/awaited_change.h"
#include "engine/shared_loops.h"

namespace paretrain::engine {

namespace {

constexpr int kMostThreads = 1024;

// The word that says whether there is a loop to join, whether the team ends, how many other threads
// have joined the loop, and a number that differs from loop to loop.
constexpr std::uint32_t kOpen = 1;
constexpr std::uint32_t kEnd = 2;
constexpr std::uint32_t kOneJoined = 4;
constexpr std::uint32_t kJoinedMask = (std::uint32_t{kMostThreads} * 2 - 1) * kOneJoined;
constexpr std::uint32_t kOneLoop = kJoinedMask + kOneJoined;

// Another word counts those who have left the loop and, above, loops that were shared.
constexpr std::uint32_t kOneShared = std::uint32_t{kMostThreads} * 2;
constexpr std::uint32_t kLeftMask = kOneShared - 1;

// A loop that is shared hurries on whoever has most to do: more threads than processors would only
// get into its way.
std::size_t sharer_count(int threads) {
  return static_cast<std::size_t>(std::min(threads, std::max(2, thread_count(0))));
}

}  // namespace

int thread_count(int threads) {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

struct ThreadTeam::Parts final : LoopSharing {
  explicit Parts(std::size_t its_sharers) : sharers(its_sharers) {}

  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  Parts(Parts&&) = delete;
  Parts& operator=(Parts&&) = delete;

  ~Parts() override {
    word.fetch_or(kEnd, std::memory_order_release);
    tell(others.size());
  }

  [[nodiscard]] std::size_t threads() const noexcept override { return sharers; }

  // Until there are `wanted` other threads.
  void start(std::size_t wanted) {
    try {
      while (others.size() < wanted)
        others.emplace_back([this] { serve(); });
    } catch (const std::system_error& error) {
      throw IoError("threads", error.what());
    }
  }

  // That many other threads at least look whether there is something to do.
  void tell(std::size_t count) {
    news.fetch_add(1, std::memory_order_release);
    if (count >= others.size()) {
      news.notify_all();
    } else {
      for (std::size_t i = 0; i < count; ++i)
        news.notify_one();
    }
  }

  void serve() {
    const SharingScope scope(*this);
    std::uint32_t last = 0;  // loop that this thread took part in
    for (;;) {
      const std::uint32_t known = news.load(std::memory_order_acquire);
      std::uint32_t seen = word.load(std::memory_order_acquire);
      if ((seen & kEnd) != 0) return;
      const std::uint32_t loop = seen / kOneLoop;
      if ((seen & kOpen) != 0 && loop != last) {
        // Only who has joined may look at the loop: it stays as it is until all those have left.
        if (!word.compare_exchange_weak(seen, seen + kOneJoined, std::memory_order_acq_rel))
          continue;
        last = loop;
        outer.work_through();
        left.fetch_add(1, std::memory_order_release);
        left.notify_one();
      } else if (!shared.take_part()) {
        static_cast<void>(awaited_change(news, known));
      }
    }
  }

  void run(std::size_t count, LoopBody body) {
    const SharingScope scope(*this);
    outer.count = count;
    outer.body = body;
    outer.next.store(0, std::memory_order_relaxed);
    left.store(0, std::memory_order_relaxed);
    const std::uint32_t loop = word.load(std::memory_order_relaxed) / kOneLoop + 1;
    word.store(loop * kOneLoop | kOpen, std::memory_order_release);
    tell(count - 1);
    outer.work_through();
    const std::uint32_t closed = word.fetch_and(~kOpen, std::memory_order_acq_rel);
    const std::uint32_t joined = (closed & kJoinedMask) / kOneJoined;
    // Who still looks for work looks longer: another loop may follow soon.
    news.fetch_add(1, std::memory_order_release);
    for (;;) {
      const std::uint32_t gone = left.load(std::memory_order_acquire);
      if ((gone & kLeftMask) == joined) return;
      if (!shared.take_part()) static_cast<void>(awaited_change(left, gone));
    }
  }

  void share(std::size_t count, LoopBody body) override {
    SharedLoop loop{.body = body, .count = count, .most_others = sharers - 1};
    shared.offer(loop);
    tell(std::min(count, sharers) - 1);
    left.fetch_add(kOneShared, std::memory_order_release);
    left.notify_one();
    loop.work_through();
    shared.end(loop);
  }

  const std::size_t sharers;  // of one shared loop, at most
  SharedLoop outer;           // the parallel loop
  alignas(64) std::atomic<std::uint32_t> word{0};
  // A number that changes when there is something to do: what other threads without work watch.
  alignas(64) std::atomic<std::uint32_t> news{0};
  alignas(64) std::atomic<std::uint32_t> left{0};  // what the caller watches in the end
  SharedLoops shared;
  std::vector<std::jthread> others;
};

ThreadTeam::ThreadTeam(int threads) : threads_(std::min(thread_count(threads), kMostThreads)) {}

ThreadTeam::~ThreadTeam() = default;

void ThreadTeam::run(std::size_t count, LoopBody body) {
  if (threads_ == 1 || count == 0) {
    for (std::size_t index = 0; index < count; ++index)
      body.call(body.context, index);
    return;
  }
  const std::size_t sharers = sharer_count(threads_);
  if (!parts_) parts_ = std::make_unique<Parts>(sharers);
  // Those that take part in what a call shares, where there are fewer calls.
  parts_->start(std::max(std::min(count, static_cast<std::size_t>(threads_)), sharers) - 1);
  parts_->run(count, body);
}

}  // namespace paretrain::engine
