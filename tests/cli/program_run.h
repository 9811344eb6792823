// Runs of the whole program within a test: its command line, its messages, the files it leaves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "problems/json_file.h"

namespace paretrain::cli {

struct Result {
  int code = 0;
  std::string output;
  std::string messages;
};

// Errors: what the command throws.
[[nodiscard]] Result run(const std::vector<std::string>& arguments);

// What the program says of wrong input; empty when it finds nothing wrong.
[[nodiscard]] std::string error_text(const std::vector<std::string>& arguments);

// Path of a cost graph of the tree.
[[nodiscard]] std::string graph(const std::string& name);

[[nodiscard]] std::string content(const std::filesystem::path& path);

// Fails the test when there is no such key.
[[nodiscard]] const problems::JsonValue& member(const problems::JsonValue& object,
                                                const std::string& key);

// A short search of a cost graph into a folder.
[[nodiscard]] std::vector<std::string> search(const std::string& name,
                                              const std::filesystem::path& folder);

[[nodiscard]] std::vector<std::string> with(std::vector<std::string> arguments,
                                            const std::vector<std::string>& more);

}  // namespace paretrain::cli
