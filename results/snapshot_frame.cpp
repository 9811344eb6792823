#include "results/snapshot_frame.h"

#include <algorithm>
#include <utility>

#include <xxhash.h>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"

namespace paretrain::results {

namespace {

// A control character and a line end, so that a text-mode transfer damages it visibly.
constexpr std::string_view kMagic = "PTRSNAP\x1a";
static_assert(kFrameHeaderBytes == kMagic.size() + 4 + 8 + 8);

void put_number(std::string& bytes, std::size_t at, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    bytes[at + i] = static_cast<char>((number >> (8 * i)) & 0xFFU);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i)
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return number;
}

std::string count_text(std::uint64_t number) {
  return number > INT64_MAX ? "more than 2^63" : grouped_text(static_cast<std::int64_t>(number));
}

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw InputError(Problem{where, what, ""});
}

}  // namespace

std::string framed(std::string_view payload) {
  std::string bytes;
  bytes.reserve(kFrameHeaderBytes + payload.size());
  bytes.append(kFrameHeaderBytes, '\0').append(payload);
  return sealed(std::move(bytes));
}

std::string sealed(std::string bytes) {
  CHECK(bytes.size() >= kFrameHeaderBytes, "a frame without room for its header");
  const std::string_view payload = std::string_view(bytes).substr(kFrameHeaderBytes);
  const std::uint64_t checksum = XXH3_64bits(payload.data(), payload.size());
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  put_number(bytes, kMagic.size(), kSnapshotFormat, 4);
  put_number(bytes, kMagic.size() + 4, payload.size(), 8);
  put_number(bytes, kMagic.size() + 12, checksum, 8);
  return bytes;
}

std::string_view unframed(std::string_view bytes, const std::string& where) {
  if (bytes.empty()) fail(where, "is empty; expected a snapshot of paretrain");
  if (bytes.substr(0, kMagic.size()) != kMagic)
    fail(where, "is no snapshot of paretrain: it does not start like one");
  if (bytes.size() < kFrameHeaderBytes) fail(where, "is cut inside its header");
  const std::uint64_t format = number_at(bytes, kMagic.size(), 4);
  if (format != kSnapshotFormat) {
    fail(where,
         "is a snapshot of format " + count_text(format) + "; this program reads format " +
             count_text(kSnapshotFormat));
  }
  const std::uint64_t length = number_at(bytes, kMagic.size() + 4, 8);
  const std::uint64_t found = bytes.size() - kFrameHeaderBytes;
  if (length != found) {
    fail(where,
         "holds " + count_text(found) + " bytes after its header; expected " + count_text(length) +
             ", so it is " + (found < length ? "cut" : "too long"));
  }
  const std::string_view payload = bytes.substr(kFrameHeaderBytes);
  if (XXH3_64bits(payload.data(), payload.size()) != number_at(bytes, kMagic.size() + 12, 8))
    fail(where, "is damaged: its checksum differs from its content");
  return payload;
}

std::string content_hash(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

}  // namespace paretrain::results
