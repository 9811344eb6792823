// Why: an exception must not leave a call of a loop that runs on several threads, and which one is
// reported must not depend on them.
#pragma once

#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>

#include "base/loop_body.h"

namespace paretrain {

// Calls a body and keeps the exception of the lowest index that threw. Calls from several threads
// are safe.
class GuardedBody {
 public:
  explicit GuardedBody(LoopBody body) : body_(body) {}

  void operator()(std::size_t index);

  // Requires: all calls have ended. No effect when none threw.
  void rethrow() const;

 private:
  LoopBody body_;
  std::mutex mutex_;
  std::size_t index_ = std::numeric_limits<std::size_t>::max();
  std::exception_ptr error_;
};

}  // namespace paretrain
