#include "tests/support/temporary_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "base/check.h"

namespace paretrain::tests {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "paretrain-test-XXXXXX").string();
  CHECK(mkdtemp(name.data()) != nullptr, "the temporary folder can be made");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace paretrain::tests
