#include "engine/thread_team.h"

#include <atomic>
#include <numeric>
#include <vector>

#include "engine/parallel_for.h"
#include "tests/support/doctest.h"

using paretrain::loop_body;
using paretrain::engine::ThreadTeam;

TEST_CASE("ThreadTeam: many loops of any length one after another call every index once") {
  for (const int threads : {1, 2, 3, 16}) {
    ThreadTeam team(threads);
    CHECK(team.threads() == threads);
    std::size_t missed = 0;
    for (std::size_t loop = 0; loop < 3000; ++loop) {
      std::vector<int> calls(loop % 23, 0);
      const auto count = [&](std::size_t i) { ++calls[i]; };
      team.run(calls.size(), loop_body(count));
      for (const int times : calls)
        missed += times == 1 ? 0U : 1U;
    }
    CHECK(missed == 0);
  }
}

TEST_CASE("ThreadTeam: every thread of the team can take part in a loop") {
  constexpr int kThreads = 4;
  ThreadTeam team(kThreads);
  std::atomic<int> inside{0};
  // Each call waits until all threads are in one.
  const auto meet = [&](std::size_t) {
    ++inside;
    for (int now = inside; now < kThreads; now = inside)
      inside.wait(now);
    inside.notify_all();
  };
  team.run(kThreads, loop_body(meet));
  CHECK(inside == kThreads);
}

TEST_CASE("ThreadTeam: what a loop wrote is there for the next one and for the caller") {
  ThreadTeam team(3);
  std::vector<std::size_t> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0U);
  std::vector<std::size_t> moved(100);
  for (int round = 0; round < 250; ++round) {
    const auto move = [&](std::size_t i) { moved[i] = numbers[(i + 1) % 100] + 1; };
    team.run(100, loop_body(move));
    numbers.swap(moved);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    CHECK(numbers[i] == (i + 250) % 100 + 250);
}

TEST_CASE("ThreadTeam: ends without a loop and after one that needed no other thread") {
  const ThreadTeam idle(4);
  CHECK(idle.threads() == 4);
  ThreadTeam team(4);
  int calls = 0;
  const auto count = [&](std::size_t) { ++calls; };
  team.run(0, loop_body(count));
  team.run(1, loop_body(count));
  CHECK(calls == 1);
}

TEST_CASE("thread_count: zero means all processors") {
  CHECK(paretrain::engine::thread_count(3) == 3);
  CHECK(paretrain::engine::thread_count(0) >= 1);
}
