#include "engine/parallel_for.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/doctest.h"

using paretrain::engine::parallel_for;

TEST_CASE("parallel_for: calls every index once for any number of threads") {
  for (const int threads : {0, 1, 2, 4, 16}) {
    for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
      std::vector<int> calls(count, 0);
      parallel_for(count, threads, [&](std::size_t i) { ++calls[i]; });
      CHECK(calls == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("parallel_for: rethrows the exception of the lowest index after all calls") {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> calls{0};
    std::string caught;
    try {
      parallel_for(200, threads, [&](std::size_t i) {
        ++calls;
        if (i % 50 == 7) throw std::runtime_error("index " + std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    CHECK(caught == "index 7");
    CHECK(calls == 200);
  }
}

TEST_CASE("parallel_for: with a pace calls every index once and learns how long a call takes") {
  for (const int threads : {1, 4}) {
    paretrain::engine::Pace pace;
    for (int round = 0; round < 3; ++round) {
      std::vector<int> calls(500, 0);
      parallel_for(500, threads, pace, [&](std::size_t i) { ++calls[i]; });
      CHECK(calls == std::vector<int>(500, 1));
      CHECK(pace.seconds_per_call < 1);
    }
    CHECK_THROWS_AS(parallel_for(5,
                                 threads,
                                 pace,
                                 [](std::size_t i) {
                                   if (i == 4) throw std::runtime_error("four");
                                 }),
                    std::runtime_error);
  }
}

TEST_CASE("thread_count: zero means all processors") {
  CHECK(paretrain::engine::thread_count(3) == 3);
  CHECK(paretrain::engine::thread_count(0) >= 1);
}
