#include "engine/awaited_change.h"

#include <thread>

#include "tests/support/doctest.h"

using paretrain::engine::awaited_change;

TEST_CASE("awaited_change: returns at once when the number is another one") {
  const std::atomic<std::uint32_t> number{7};
  CHECK(awaited_change(number, 6) == 7);
}

TEST_CASE("awaited_change: sees every change that is notified of") {
  std::atomic<std::uint32_t> number{0};
  std::atomic<std::uint32_t> seen{0};
  constexpr std::uint32_t kRounds = 300;
  std::jthread other([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      static_cast<void>(awaited_change(number, round));
      seen = round + 1;
      seen.notify_all();
    }
  });
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    number = round + 1;
    number.notify_all();
    CHECK(awaited_change(seen, round) == round + 1);
  }
}
