#include "engine/parallel_for.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>

namespace paretrain::engine {

namespace {

using Clock = std::chrono::steady_clock;

// Loops expected to take less than this stay on one thread.
constexpr double kShortLoopSeconds = 50e-6;
// In a parallel loop every so many calls one is timed.
constexpr std::size_t kTimedEvery = 16;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The exception of the lowest index that threw.
class FirstError {
 public:
  void note(std::size_t index, std::exception_ptr error) {
    const std::scoped_lock lock(mutex_);
    if (index >= index_) return;
    index_ = index;
    error_ = std::move(error);
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::size_t index_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

void call_guarded(const LoopBody& body, std::size_t index, FirstError& error) {
  try {
    body.call(body.context, index);
  } catch (...) {
    error.note(index, std::current_exception());
  }
}

// Keeps errors within the loop.
struct GuardedBody {
  LoopBody body;
  FirstError error;

  void operator()(std::size_t index) { call_guarded(body, index, error); }
};

// Times some of the calls.
struct TimedBody {
  LoopBody body;
  std::atomic<std::int64_t> nanoseconds{0};

  void operator()(std::size_t index) {
    if (index % kTimedEvery != 0) {
      body.call(body.context, index);
      return;
    }
    const Clock::time_point begin = Clock::now();
    body.call(body.context, index);
    nanoseconds +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  }
};

}  // namespace

void run_parallel(std::size_t count, ThreadTeam& team, LoopBody body, Pace* pace) {
  if (count == 0) return;
  const bool is_short =
      pace != nullptr && pace->seconds_per_call * static_cast<double>(count) < kShortLoopSeconds;
  GuardedBody guarded{.body = body, .error = {}};
  double seconds = 0;  // of `timed` calls
  std::size_t timed = count;
  if (team.threads() == 1 || count == 1 || is_short) {
    const Clock::time_point begin = Clock::now();
    for (std::size_t index = 0; index < count; ++index)
      guarded(index);
    seconds = seconds_since(begin);
  } else if (pace == nullptr) {
    team.run(count, loop_body(guarded));
  } else {
    TimedBody timed_body{.body = loop_body(guarded)};
    team.run(count, loop_body(timed_body));
    timed = (count + kTimedEvery - 1) / kTimedEvery;
    seconds = static_cast<double>(timed_body.nanoseconds) * 1e-9;
  }
  if (pace != nullptr) pace->seconds_per_call = seconds / static_cast<double>(timed);
  guarded.error.rethrow();
}

}  // namespace paretrain::engine
