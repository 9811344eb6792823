#include "problems/onnx_slim.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/number_text.h"

namespace paretrain::problems {

namespace {

constexpr std::uint64_t kLargestKept = 65536;

// Field numbers and wire types of onnx.proto.
constexpr std::uint64_t kModelGraph = 7;
constexpr std::uint64_t kGraphInitializer = 5;
constexpr std::uint64_t kTensorRawData = 9;
constexpr std::uint64_t kTensorExternalData = 13;
constexpr std::uint64_t kTensorDataLocation = 14;
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kBytes = 2;
constexpr std::uint64_t kFixed32 = 5;

void append_varint(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7U)
    to += static_cast<char>(number | 0x80U);
  to += static_cast<char>(number);
}

void append_bytes_field(std::string& to, std::uint64_t field, std::string_view bytes) {
  append_varint(to, field << 3U | kBytes);
  append_varint(to, bytes.size());
  to += bytes;
}

std::string entry(std::string_view key, std::string_view value) {
  std::string bytes;
  append_bytes_field(bytes, 1, key);
  append_bytes_field(bytes, 2, value);
  return bytes;
}

// What stands at the end of a tensor in place of its data.
std::string data_note(std::uint64_t length) {
  std::string note;
  append_bytes_field(note, kTensorExternalData, entry("location", kDataInThisFile));
  append_bytes_field(
      note, kTensorExternalData, entry("length", number_text(static_cast<std::int64_t>(length))));
  append_varint(note, kTensorDataLocation << 3U | kVarint);
  append_varint(note, 1);
  return note;
}

enum class Message { Model, Graph, Tensor };

std::optional<Message> inner_message(Message outer, std::uint64_t field) {
  if (outer == Message::Model && field == kModelGraph) return Message::Graph;
  if (outer == Message::Graph && field == kGraphInitializer) return Message::Tensor;
  return std::nullopt;
}

class Slimmer {
 public:
  explicit Slimmer(std::istream& file) : file_(file) {
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(std::max<std::streamoff>(file_.tellg(), 0));
    file_.seekg(0);
  }

  // Empty when the bytes are no fields.
  [[nodiscard]] std::optional<std::string> model() {
    return file_ ? message(Message::Model, size_) : std::nullopt;
  }

 private:
  std::optional<std::uint64_t> varint(std::uint64_t end, std::string& kept) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && at_ < end; shift += 7) {
      const int byte = file_.get();
      if (byte < 0) return std::nullopt;
      ++at_;
      kept += static_cast<char>(byte);
      number |= (static_cast<std::uint64_t>(byte) & 0x7FU) << shift;
      if (byte < 0x80) return number;
    }
    return std::nullopt;
  }

  bool copy(std::uint64_t count, std::uint64_t end, std::string& kept) {
    if (count > end - at_) return false;
    const std::size_t before = kept.size();
    kept.resize(before + count);
    file_.read(kept.data() + before, static_cast<std::streamsize>(count));
    at_ += count;
    return static_cast<bool>(file_);
  }

  bool skip(std::uint64_t count) {
    file_.seekg(static_cast<std::streamoff>(count), std::ios::cur);
    at_ += count;
    return static_cast<bool>(file_);
  }

  // The fields up to `end`, slimmed.
  std::optional<std::string> message(Message kind, std::uint64_t end) {
    std::string kept;
    std::optional<std::uint64_t> skipped;
    while (at_ < end) {
      std::string head;
      const auto tag = varint(end, head);
      if (!tag) return std::nullopt;
      const std::uint64_t field = *tag >> 3U;
      const std::uint64_t type = *tag & 7U;
      if (type == kBytes) {
        const auto length = varint(end, head);
        if (!length || *length > end - at_) return std::nullopt;
        const bool is_data =
            kind == Message::Tensor && field == kTensorRawData && *length > kLargestKept;
        if (is_data) {
          skipped = *length;
          if (!skip(*length)) return std::nullopt;
        } else if (const auto inner = inner_message(kind, field)) {
          const auto slim = message(*inner, at_ + *length);
          if (!slim) return std::nullopt;
          append_bytes_field(kept, field, *slim);
        } else {
          kept += head;
          if (!copy(*length, end, kept)) return std::nullopt;
        }
        continue;
      }
      kept += head;
      const bool is_number = type == kVarint;
      if (is_number && !varint(end, kept)) return std::nullopt;
      if (!is_number && type != kFixed32 && type != kFixed64) return std::nullopt;
      if (!is_number && !copy(type == kFixed32 ? 4 : 8, end, kept)) return std::nullopt;
    }
    if (skipped) kept += data_note(*skipped);
    return kept;
  }

  std::istream& file_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
};

}  // namespace

std::string slim_model_bytes(std::istream& file) {
  if (auto slim = Slimmer(file).model()) return *std::move(slim);
  file.clear();
  file.seekg(0);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace paretrain::problems
