#include "engine/fingerprint_set.h"

#include <map>

#include "tests/engine/random_points.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::FingerprintSet;

TEST_CASE("FingerprintSet: numbers fingerprints in the order of their insertion") {
  FingerprintSet set;
  CHECK_FALSE(set.find(7));
  CHECK(set.insert(7));
  CHECK(set.insert(0));
  CHECK_FALSE(set.insert(7));
  CHECK(set.find(7) == 0U);
  CHECK(set.find(0) == 1U);
  CHECK_FALSE(set.find(8));
  set.clear();
  CHECK(set.size() == 0);
  CHECK_FALSE(set.find(7));
  CHECK(set.insert(0));
  CHECK(set.find(0) == 0U);
}

TEST_CASE("FingerprintSet: agrees with a map also where fingerprints agree in many bits") {
  // The low bits choose the slot and the leading ones are kept in it.
  for (const std::uint64_t kept : {~std::uint64_t{0},
                                   std::uint64_t{0xff},
                                   std::uint64_t{0xff} << 40U,
                                   std::uint64_t{0xff} << 56U,
                                   std::uint64_t{0x0f000000000000ff}}) {
    RandomStream random(tests::test_seed(), kept, 0);
    CAPTURE(tests::test_seed());
    CAPTURE(kept);
    FingerprintSet set;
    std::map<std::uint64_t, std::uint32_t> plain;
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t fingerprint = random.next() & kept;
      const auto found = plain.find(fingerprint);
      CHECK(set.find(fingerprint) ==
            (found == plain.end() ? std::nullopt : std::optional<std::uint32_t>(found->second)));
      const bool is_new =
          plain.emplace(fingerprint, static_cast<std::uint32_t>(plain.size())).second;
      CHECK(set.insert(fingerprint) == is_new);
    }
    CHECK(set.size() == plain.size());
    for (const auto& [fingerprint, number] : plain)
      CHECK(set.find(fingerprint) == number);
  }
}
