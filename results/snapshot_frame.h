// Why: a snapshot that a crash or a disk damaged must be recognised before anything believes it, so
// its content travels in a frame that is checked as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paretrain::results {

inline constexpr std::uint32_t kSnapshotFormat = 1;
inline constexpr std::size_t kMostSnapshotBytes = std::size_t{1} << 32U;

// Layout (docs/formats-runs.md): 8 bytes magic, format number (32 bits), payload length (64 bits),
// XXH3-64 of the payload, then the payload; numbers little-endian.
inline constexpr std::size_t kFrameHeaderBytes = 8 + 4 + 8 + 8;

[[nodiscard]] std::string framed(std::string_view payload);

// The same without a copy of the payload, which stands behind kFrameHeaderBytes of any content.
// Requires: at least those.
[[nodiscard]] std::string sealed(std::string bytes);

// The payload. Errors: InputError naming `where` and what is wrong: no snapshot at all, another
// format, cut, too long, damaged.
[[nodiscard]] std::string_view unframed(std::string_view bytes, const std::string& where);

// XXH3-128 as 32 hexadecimal digits, for the content of input files.
[[nodiscard]] std::string content_hash(std::string_view bytes);

}  // namespace paretrain::results
