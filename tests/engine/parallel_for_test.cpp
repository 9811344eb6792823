#include "engine/parallel_for.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/doctest.h"

using paretrain::engine::parallel_for;
using paretrain::engine::ThreadTeam;

TEST_CASE("parallel_for: calls every index once for any number of threads") {
  for (const int threads : {0, 1, 2, 4, 16}) {
    for (const std::size_t count : {0U, 1U, 3U, 1000U}) {
      std::vector<int> calls(count, 0);
      ThreadTeam team(threads);
      parallel_for(count, team, [&](std::size_t i) { ++calls[i]; });
      CHECK(calls == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("parallel_for: rethrows the exception of the lowest index after all calls") {
  for (const int threads : {1, 2, 4}) {
    std::atomic<int> calls{0};
    std::string caught;
    ThreadTeam team(threads);
    try {
      parallel_for(200, team, [&](std::size_t i) {
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
    ThreadTeam team(threads);
    for (int round = 0; round < 3; ++round) {
      std::vector<int> calls(500, 0);
      parallel_for(500, team, pace, [&](std::size_t i) { ++calls[i]; });
      CHECK(calls == std::vector<int>(500, 1));
      CHECK(pace.seconds_per_call < 1);
    }
    CHECK_THROWS_AS(parallel_for(5,
                                 team,
                                 pace,
                                 [](std::size_t i) {
                                   if (i == 4) throw std::runtime_error("four");
                                 }),
                    std::runtime_error);
  }
}
