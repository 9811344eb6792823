#include "tests/cli/program_run.h"

#include <sstream>

#include "base/error.h"
#include "base/input_file.h"
#include "cli/command.h"
#include "tests/support/doctest.h"
#include "tests/support/shared_data.h"

namespace paretrain::cli {

Result run(const std::vector<std::string>& arguments) {
  std::ostringstream output;
  std::ostringstream messages;
  Terminal terminal(output, messages, {});
  const int code = dispatch(arguments, terminal);
  return {code, output.str(), messages.str()};
}

std::string error_text(const std::vector<std::string>& arguments) {
  try {
    static_cast<void>(run(arguments));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string graph(const std::string& name) {
  return (tests::source_folder() / "tests/reference/cost_graphs" / (name + ".json")).string();
}

std::string content(const std::filesystem::path& path) {
  return file_content(path, std::size_t{1} << 24U);
}

const problems::JsonValue& member(const problems::JsonValue& object, const std::string& key) {
  for (const problems::JsonMember& one : object.members)
    if (one.key == key) return one.value;
  FAIL("no key " << key);
  return object;
}

std::vector<std::string> search(const std::string& name, const std::filesystem::path& folder) {
  return {"optimize", graph(name), "-o", folder.string(), "--population", "20", "--quiet"};
}

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace paretrain::cli
