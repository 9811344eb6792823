#include "base/guarded_body.h"

#include <stdexcept>
#include <string>

#include "tests/support/doctest.h"

using paretrain::GuardedBody;
using paretrain::loop_body;

TEST_CASE("GuardedBody: rethrows the exception of the lowest index however late it came") {
  int calls = 0;
  const auto body = [&](std::size_t i) {
    ++calls;
    if (i % 2 == 1) throw std::runtime_error("index " + std::to_string(i));
  };
  GuardedBody guarded(loop_body(body));
  for (const std::size_t i : {5U, 3U, 4U, 7U})
    guarded(i);
  CHECK(calls == 4);
  CHECK_THROWS_WITH(guarded.rethrow(), "index 3");
}

TEST_CASE("GuardedBody: rethrows nothing when nothing was thrown") {
  const auto body = [](std::size_t) {};
  GuardedBody guarded(loop_body(body));
  CHECK_NOTHROW(guarded.rethrow());
  guarded(0);
  CHECK_NOTHROW(guarded.rethrow());
}
