#include "problems/json_file.h"

#include <algorithm>
#include <set>

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/input_file.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::problems {

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{512} << 20U;
constexpr std::size_t kMaxProblems = 20;

// Counts lines as the reader goes along, so that a place costs nothing to find.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  // Requires: offsets do not decrease.
  [[nodiscard]] std::uint32_t line_at(std::size_t offset) {
    const std::size_t end = std::min(offset, text_.size());
    for (; seen_ < end; ++seen_) {
      if (text_[seen_] == '\n') ++line_;
    }
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t seen_ = 0;
  std::uint32_t line_ = 1;
};

// Builds the tree from the reader's events; false ends the parse.
class TreeBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TreeBuilder> {
 public:
  TreeBuilder(std::string_view text, const rapidjson::MemoryStream& stream)
      : lines_(text), stream_(stream) {}

  bool Null() { return scalar(JsonKind::Null, {}); }

  bool Bool(bool value) {
    if (!scalar(JsonKind::Bool, {})) return false;
    last_->boolean = value;
    return true;
  }

  bool RawNumber(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    return scalar(JsonKind::Number, {text, length});
  }

  bool String(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    return scalar(JsonKind::Text, {text, length});
  }

  bool StartObject() { return open(JsonKind::Object); }

  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    open_.back()->members.push_back({std::string(text, length), here(), {}});
    return true;
  }

  bool EndObject(rapidjson::SizeType /*members*/) { return close(); }

  bool StartArray() { return open(JsonKind::List); }

  bool EndArray(rapidjson::SizeType /*items*/) { return close(); }

  [[nodiscard]] JsonValue take() { return std::move(root_); }

  [[nodiscard]] bool too_deep() const noexcept { return too_deep_; }

 private:
  [[nodiscard]] std::uint32_t here() { return lines_.line_at(stream_.Tell()); }

  // The place in the tree for the value that comes now.
  [[nodiscard]] JsonValue& slot() {
    if (open_.empty()) return root_;
    JsonValue& parent = *open_.back();
    if (parent.kind == JsonKind::Object) return parent.members.back().value;
    return parent.items.emplace_back();
  }

  bool scalar(JsonKind kind, std::string_view text) {
    last_ = &slot();
    last_->kind = kind;
    last_->line = here();
    last_->text = text;
    return true;
  }

  bool open(JsonKind kind) {
    if (open_.size() >= kJsonDepth) {
      too_deep_ = true;
      return false;
    }
    JsonValue& value = slot();
    value.kind = kind;
    value.line = here();
    open_.push_back(&value);
    return true;
  }

  // Whatever is open stays where it is in memory: only the innermost list or object grows.
  bool close() {
    open_.pop_back();
    return true;
  }

  LineCounter lines_;
  const rapidjson::MemoryStream& stream_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  JsonValue* last_ = nullptr;
  bool too_deep_ = false;
};

[[noreturn]] void refuse(std::string_view text,
                         const std::string& name,
                         std::size_t offset,
                         const std::string& what) {
  LineCounter lines(text);
  throw InputError(Problem{name + ":" + std::to_string(lines.line_at(offset)), what, ""});
}

// What the parser found, in the words of this project's messages.
std::string syntax_text(rapidjson::ParseErrorCode code) {
  std::string text = rapidjson::GetParseError_En(code);
  if (!text.empty() && text.back() == '.') text.pop_back();
  return "not JSON: " + text + "; expected one strict JSON value in UTF-8";
}

}  // namespace

std::vector<const JsonMember*> repeated_members(const JsonValue& object) {
  std::vector<const JsonMember*> repeated;
  std::set<std::string_view> keys;
  for (const JsonMember& member : object.members) {
    if (!keys.insert(member.key).second) repeated.push_back(&member);
  }
  return repeated;
}

std::string_view json_kind_text(JsonKind kind) {
  switch (kind) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Bool:
      return "true or false";
    case JsonKind::Number:
      return "a number";
    case JsonKind::Text:
      return "a text";
    case JsonKind::List:
      return "a list";
    case JsonKind::Object:
      return "an object";
  }
  return "";
}

JsonValue parsed_json(std::string_view text, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    refuse(text, name, zero, "a zero byte; expected JSON in UTF-8");
  rapidjson::MemoryStream stream(text.data(), text.size());
  TreeBuilder builder(text, stream);
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (builder.too_deep())
    refuse(text, name, result.Offset(), "nested more than " + std::to_string(kJsonDepth) + " deep");
  if (result.IsError()) refuse(text, name, result.Offset(), syntax_text(result.Code()));
  return builder.take();
}

std::string read_text_file(const std::filesystem::path& file) {
  return file_content(file, kMaxFileBytes);
}

void JsonProblems::add(std::uint32_t line, std::string what, std::string hint) {
  ++found_;
  if (problems_.size() < kMaxProblems)
    problems_.push_back({name_ + ":" + std::to_string(line), std::move(what), std::move(hint)});
}

void JsonProblems::throw_if_any() const {
  if (found_ == 0) return;
  std::vector<Problem> shown = problems_;
  if (found_ > shown.size())
    shown.push_back({name_,
                     grouped_text(static_cast<std::int64_t>(found_ - shown.size())) +
                         " more problems of this file are not shown",
                     ""});
  throw InputError(std::move(shown));
}

}  // namespace paretrain::problems
