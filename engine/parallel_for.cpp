#include "engine/parallel_for.h"

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/guarded_body.h"

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
  GuardedBody guarded(body);
  double seconds = 0;  // of `timed` calls
  std::size_t timed = count;
  if (team.threads() == 1 || is_short) {
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
  guarded.rethrow();
}

}  // namespace paretrain::engine
