#include "base/shared_loop.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/doctest.h"

using namespace paretrain;

namespace {

// Whoever is asked makes all calls, the last one first.
class Backwards final : public LoopSharing {
 public:
  [[nodiscard]] std::size_t threads() const noexcept override { return 3; }

  void share(std::size_t count, LoopBody body) override {
    ++loops;
    for (std::size_t i = count; i > 0; --i)
      body.call(body.context, i - 1);
  }

  int loops = 0;
};

}  // namespace

TEST_CASE("shared_for: runs in order on the caller outside of parallel loops") {
  CHECK(sharing_threads() == 1);
  std::vector<std::size_t> seen;
  shared_for(4, [&](std::size_t i) { seen.push_back(i); });
  CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3});
  shared_for(0, [&](std::size_t) { seen.clear(); });
  CHECK(seen.size() == 4);
  CHECK_THROWS_WITH(shared_for(4,
                               [](std::size_t i) {
                                 if (i > 1) throw std::runtime_error(std::to_string(i));
                               }),
                    "2");
}

TEST_CASE("shared_for: goes to the sharing of the innermost scope while it lives") {
  Backwards outer;
  Backwards inner;
  std::vector<std::size_t> seen;
  const auto note = [&](std::size_t i) { seen.push_back(i); };
  {
    const SharingScope scope(outer);
    CHECK(sharing_threads() == 3);
    {
      const SharingScope nested(inner);
      shared_for(3, note);
    }
    CHECK(inner.loops == 1);
    CHECK(outer.loops == 0);
    shared_for(2, note);
    CHECK(outer.loops == 1);
    shared_for(1, note);
    CHECK(outer.loops == 1);
  }
  shared_for(2, note);
  CHECK(outer.loops == 1);
  CHECK(seen == std::vector<std::size_t>{2, 1, 0, 1, 0, 0, 0, 1});
}

TEST_CASE("shared_for: rethrows the exception of the lowest index after all calls") {
  Backwards sharing;
  const SharingScope scope(sharing);
  int calls = 0;
  CHECK_THROWS_WITH(shared_for(5,
                               [&](std::size_t i) {
                                 ++calls;
                                 if (i > 1) throw std::runtime_error(std::to_string(i));
                               }),
                    "2");
  CHECK(calls == 5);
}
