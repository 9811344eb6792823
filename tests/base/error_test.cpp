#include "base/error.h"

#include <string>

#include "tests/support/doctest.h"

namespace paretrain {

TEST_CASE("InputError: the text holds every problem with its place and hint") {
  const InputError error(
      {{"a.yaml:3", "found x; expected y", ""}, {"--seed", "found -1", "use 0 to 9"}});
  CHECK_EQ(std::string(error.what()),
           "a.yaml:3: found x; expected y\n--seed: found -1\nhint: use 0 to 9");
  CHECK_EQ(error.problems().size(), 2);
}

TEST_CASE("IoError: names the file") {
  CHECK_EQ(std::string(IoError("front.csv", "No space left on device").what()),
           "front.csv: No space left on device");
}

}  // namespace paretrain
