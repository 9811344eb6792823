// Why: what a user may say about how a model file is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace paretrain::problems {

struct ImportOptions {
  std::optional<std::int64_t> batch;  // sets a symbolic batch axis or rescales a fixed one
  std::map<std::string, std::int64_t> dimensions;  // --dim NAME=N: symbolic dimensions by name
  std::vector<std::string> data_inputs;  // --data-input: graph inputs that are data, not parameters
};

}  // namespace paretrain::problems
