#include "engine/shared_loops.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/shared_loop.h"
#include "engine/parallel_for.h"
#include "tests/support/doctest.h"

using paretrain::loop_body;
using paretrain::shared_for;
using paretrain::engine::parallel_for;
using paretrain::engine::SharedLoop;
using paretrain::engine::SharedLoops;
using paretrain::engine::ThreadTeam;

namespace {

// Waits until so many threads are in here.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}

  void join() {
    ++inside_;
    for (int now = inside_; now < threads_; now = inside_)
      inside_.wait(now);
    inside_.notify_all();
  }

 private:
  int threads_;
  std::atomic<int> inside_{0};
};

}  // namespace

TEST_CASE("SharedLoops: whoever takes part makes the calls that have not begun") {
  SharedLoops loops;
  CHECK_FALSE(loops.take_part());
  std::vector<int> calls(5, 0);
  const auto count = [&](std::size_t i) { ++calls[i]; };
  SharedLoop loop{.body = loop_body(count), .count = 5};
  loop.next = 2;
  loops.offer(loop);
  CHECK(loops.take_part());
  CHECK(calls == std::vector<int>{0, 0, 1, 1, 1});
  CHECK_FALSE(loops.take_part());
  loops.end(loop);
  CHECK_FALSE(loops.take_part());
}

TEST_CASE("SharedLoops: the loop that was offered first comes first and end takes it away") {
  SharedLoops loops;
  std::string order;
  const auto write_a = [&](std::size_t) { order += 'a'; };
  const auto write_b = [&](std::size_t) { order += 'b'; };
  SharedLoop a{.body = loop_body(write_a), .count = 1};
  SharedLoop b{.body = loop_body(write_b), .count = 1};
  SharedLoop taken_away{.body = loop_body(write_a), .count = 1};
  loops.offer(taken_away);
  loops.offer(a);
  loops.offer(b);
  loops.end(taken_away);
  while (loops.take_part()) {
  }
  CHECK(order == "ab");
  loops.end(b);
  loops.end(a);
}

TEST_CASE("SharedLoops: no more threads take part than may") {
  SharedLoops loops;
  Meeting begun(2);
  std::atomic<bool> may_end{false};
  const auto call = [&](std::size_t) {
    begun.join();
    may_end.wait(false);
  };
  SharedLoop loop{.body = loop_body(call), .count = 2, .most_others = 1};
  loops.offer(loop);
  std::jthread other([&] { static_cast<void>(loops.take_part()); });
  begun.join();
  CHECK_FALSE(loops.take_part());
  may_end = true;
  may_end.notify_all();
  loop.work_through();
  loops.end(loop);
}

TEST_CASE("SharedLoops: end waits for a call that another thread has begun") {
  SharedLoops loops;
  Meeting begun(2);
  std::atomic<bool> may_end{false};
  bool ended = false;
  const auto call = [&](std::size_t) {
    begun.join();
    may_end.wait(false);
    ended = true;
  };
  SharedLoop loop{.body = loop_body(call), .count = 1};
  loops.offer(loop);
  std::jthread other([&] { static_cast<void>(loops.take_part()); });
  begun.join();
  std::jthread third([&] {
    may_end = true;
    may_end.notify_all();
  });
  loops.end(loop);
  CHECK(ended);
}

TEST_CASE("shared_for: threads without calls of the parallel loop take part") {
  ThreadTeam team(2);
  for (int round = 0; round < 100; ++round) {
    Meeting both(2);
    parallel_for(2, team, [&](std::size_t i) {
      if (i == 0) shared_for(2, [&](std::size_t) { both.join(); });
    });
  }
}

TEST_CASE("shared_for: the thread that began the parallel loop takes part when it has no calls") {
  ThreadTeam team(2);
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 100; ++round) {
    Meeting apart(2);
    Meeting both(2);
    parallel_for(2, team, [&](std::size_t) {
      apart.join();
      if (std::this_thread::get_id() != caller) shared_for(2, [&](std::size_t) { both.join(); });
    });
  }
}

TEST_CASE("shared_for: another thread takes part where the parallel loop has a single call") {
  constexpr int kThreads = 2;
  ThreadTeam team(kThreads);
  for (int round = 0; round < 100; ++round) {
    Meeting all(kThreads);
    parallel_for(
        1, team, [&](std::size_t) { shared_for(kThreads, [&](std::size_t) { all.join(); }); });
  }
}

TEST_CASE("shared_for: loops within loops within loops call every index once") {
  for (const int threads : {1, 2, 4, 16}) {
    ThreadTeam team(threads);
    for (int round = 0; round < 30; ++round) {
      std::vector<int> calls(std::size_t{7} * 6 * 5, 0);
      parallel_for(7, team, [&](std::size_t a) {
        shared_for(6, [&](std::size_t b) {
          shared_for(5, [&](std::size_t c) { ++calls[(a * 6 + b) * 5 + c]; });
        });
      });
      CHECK(calls == std::vector<int>(calls.size(), 1));
    }
  }
}

TEST_CASE("shared_for: what calls wrote is there when it returns") {
  for (const int threads : {2, 4, 16}) {
    ThreadTeam team(threads);
    std::vector<std::size_t> sums(40, 0);
    parallel_for(sums.size(), team, [&](std::size_t i) {
      std::vector<std::size_t> parts(i);
      for (int round = 0; round < 20; ++round)
        shared_for(parts.size(), [&](std::size_t part) { parts[part] += part; });
      for (const std::size_t part : parts)
        sums[i] += part;
    });
    for (std::size_t i = 0; i < sums.size(); ++i)
      CHECK(sums[i] == (i == 0 ? 0 : 10 * i * (i - 1)));
  }
}

TEST_CASE("shared_for: exceptions come out in the body that shared the loop") {
  for (const int threads : {1, 2, 4, 16}) {
    ThreadTeam team(threads);
    std::vector<std::string> caught(20);
    const auto run = [&](std::size_t i) {
      try {
        shared_for(30, [&](std::size_t k) {
          if (k % 10 == i % 10)
            throw std::runtime_error(std::to_string(i) + "," + std::to_string(k));
        });
      } catch (const std::runtime_error& error) {
        caught[i] = error.what();
        if (i % 7 == 3) throw;
      }
    };
    CHECK_THROWS_WITH(parallel_for(caught.size(), team, run), "3,3");
    for (std::size_t i = 0; i < caught.size(); ++i)
      CHECK(caught[i] == std::to_string(i) + "," + std::to_string(i % 10));
  }
}

TEST_CASE("shared_for: is not shared once the parallel loop has ended") {
  ThreadTeam team(4);
  parallel_for(8, team, [](std::size_t) { CHECK(paretrain::sharing_threads() >= 2); });
  CHECK(paretrain::sharing_threads() == 1);
}
