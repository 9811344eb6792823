#include "engine/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__SANITIZE_THREAD__)
#define PARETRAIN_PLAIN_THREADS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PARETRAIN_PLAIN_THREADS 1
#endif
#endif

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

#ifdef PARETRAIN_PLAIN_THREADS

void run_on_threads(std::size_t count, int threads, const LoopBody& body, FirstError& error) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t index = next++; index < count; index = next++)
      call_guarded(body, index, error);
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
}

#else

void run_on_threads(std::size_t count, int threads, const LoopBody& body, FirstError& error) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) default(none) \
    shared(count, body, error)
  for (std::size_t index = 0; index < count; ++index)
    call_guarded(body, index, error);
}

#endif

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

int thread_count(int threads) {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void run_parallel(std::size_t count, int threads, LoopBody body, Pace* pace) {
  const auto most = static_cast<int>(std::min<std::size_t>(count, 1024));
  const int used = std::min(thread_count(threads), most);
  if (used < 1) return;
  FirstError error;
  const bool is_short =
      pace != nullptr && pace->seconds_per_call * static_cast<double>(count) < kShortLoopSeconds;
  double seconds = 0;  // of `timed` calls
  std::size_t timed = count;
  if (used == 1 || is_short) {
    const Clock::time_point begin = Clock::now();
    for (std::size_t index = 0; index < count; ++index)
      call_guarded(body, index, error);
    seconds = seconds_since(begin);
  } else if (pace == nullptr) {
    run_on_threads(count, used, body, error);
  } else {
    TimedBody timed_body{.body = body};
    run_on_threads(count, used, loop_body(timed_body), error);
    timed = (count + kTimedEvery - 1) / kTimedEvery;
    seconds = static_cast<double>(timed_body.nanoseconds) * 1e-9;
  }
  if (pace != nullptr) pace->seconds_per_call = seconds / static_cast<double>(timed);
  error.rethrow();
}

}  // namespace paretrain::engine
