// Why: threads of a team wait for one another, mostly for some microseconds, on machines that may
// have better things to do meanwhile.
#pragma once

#include <atomic>
#include <cstdint>

namespace paretrain::engine {

// Waits until the number is another one than `old` and returns it. Looks again and again for some
// microseconds, then sleeps until notified; at once when it finds itself interrupted.
// Requires: whoever changes the number notifies afterwards.
[[nodiscard]] std::uint32_t awaited_change(const std::atomic<std::uint32_t>& number,
                                           std::uint32_t old);

}  // namespace paretrain::engine
