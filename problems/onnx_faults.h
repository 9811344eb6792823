// Why: a user should learn everything that is wrong with a file at once, in a message of bounded
// length that a terminal can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace paretrain::problems {

// Collects what is wrong with one file. Only the first 20 faults are kept, the rest is counted.
class OnnxFaults {
 public:
  explicit OnnxFaults(std::string_view label);

  // `place` is a node or tensor of the file, or empty for the file itself.
  void add(std::string_view place, std::string_view what, std::string_view hint = "");

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  // Errors: InputError with what was collected, if anything was.
  void throw_if_any() const;

 private:
  std::string label_;
  std::size_t count_ = 0;
  std::vector<Problem> problems_;
};

// A name for a message: printable, quoted, at most 80 bytes.
[[nodiscard]] std::string quoted(std::string_view name);

}  // namespace paretrain::problems
