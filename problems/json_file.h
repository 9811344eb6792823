// Why: people write JSON files by hand and with scripts; a reader must say in which line what is
// wrong, refuse everything that is not strict JSON, and survive any bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace paretrain::problems {

enum class JsonKind { Null, Bool, Number, Text, List, Object };

struct JsonMember;

// A value with its place. Numbers stay as they are written, so that nothing is rounded unseen.
struct JsonValue {
  JsonKind kind = JsonKind::Null;
  bool boolean = false;             // of a Bool
  std::uint32_t line = 1;           // where it begins
  std::string text;                 // of a Number (as written) or a Text (decoded, UTF-8)
  std::vector<JsonValue> items;     // of a List
  std::vector<JsonMember> members;  // of an Object, as written, keys possibly twice
};

struct JsonMember {
  std::string key;
  std::uint32_t line = 1;
  JsonValue value;
};

// Those whose key a member before has, too, in the order of the file.
[[nodiscard]] std::vector<const JsonMember*> repeated_members(const JsonValue& object);

// "null", "a number", …: what a message calls a value of that kind.
[[nodiscard]] std::string_view json_kind_text(JsonKind kind);

// A byte-order mark at the start is skipped. Errors: InputError for everything that is not one
// strict JSON value in UTF-8 nested at most kJsonDepth deep, with the line.
inline constexpr std::size_t kJsonDepth = 16;
[[nodiscard]] JsonValue parsed_json(std::string_view text, const std::string& name);

// The bytes of a file of at most 512 MiB. Errors: as file_content (base/input_file.h).
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

// What is wrong with a file, collected; of many only the first are kept, so that the message stays
// short.
class JsonProblems {
 public:
  explicit JsonProblems(std::string name) : name_(std::move(name)) {}

  void add(std::uint32_t line, std::string what, std::string hint = "");

  [[nodiscard]] bool empty() const noexcept { return found_ == 0; }

  // Errors: InputError with what was added, when there is anything.
  void throw_if_any() const;

 private:
  std::string name_;
  std::vector<Problem> problems_;
  std::size_t found_ = 0;
};

}  // namespace paretrain::problems
