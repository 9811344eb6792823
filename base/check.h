// Why: faults of our own code must stop the program at once, saying where and with which values.
#pragma once

#include <string_view>

namespace paretrain {

// Prints the place, the condition and the message to standard error and aborts.
[[noreturn]] void check_failed(const char* file,
                               int line,
                               const char* condition,
                               std::string_view message) noexcept;

}  // namespace paretrain

// CHECK(condition, message): message is anything convertible to std::string_view; it is evaluated
// only on failure.
#define CHECK(condition, message)                                                           \
  do {                                                                                      \
    if (!(condition)) ::paretrain::check_failed(__FILE__, __LINE__, #condition, (message)); \
  } while (false)

// DCHECK is for conditions too costly for release builds: on in Debug and with
// PARETRAIN_ASSERTIONS.
#if !defined(NDEBUG) || defined(PARETRAIN_ASSERTIONS)
#define DCHECK(condition, message) CHECK(condition, message)
#else
#define DCHECK(condition, message) static_cast<void>(0)
#endif
