#include "problems/yaml_file.h"

#include <optional>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/error.h"
#include "base/input_file.h"

namespace paretrain::problems {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxDepth = 200;

std::string place(const std::string& name, int line) {
  return line > 0 ? name + ":" + std::to_string(line) : name;
}

// Builds the tree from the library's events and refuses what we do not take.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string name) : name_(std::move(name)) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(node(YamlKind::Null, mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    fail(mark, "an alias (*name); values must be written out");
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode scalar = node(YamlKind::Scalar, mark);
    scalar.text = value;
    add(std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlKind::List, mark, tag, anchor);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlKind::Map, mark, tag, anchor);
  }

  void OnMapEnd() override { close(); }

  [[nodiscard]] const std::optional<YamlNode>& root() const { return root_; }

 private:
  struct Level {
    YamlNode node;
    std::optional<YamlEntry> pending;  // a key that waits for its value
  };

  static YamlNode node(YamlKind kind, const YAML::Mark& mark) {
    YamlNode result;
    result.kind = kind;
    result.line = mark.line + 1;
    result.column = mark.column + 1;
    return result;
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw InputError{Problem{place(name_, mark.line + 1), what, ""}};
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) fail(mark, "an anchor (&name); values must be written out");
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "a tag (!name); expected plain values");
  }

  void open(YamlKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (levels_.size() >= kMaxDepth)
      fail(mark, "nesting deeper than " + std::to_string(kMaxDepth) + " levels");
    if (!levels_.empty() && levels_.back().node.is_map() && !levels_.back().pending)
      fail(mark, "a list or map as a key; keys must be plain text");
    levels_.push_back({node(kind, mark), std::nullopt});
  }

  void close() {
    YamlNode finished = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(finished));
  }

  void add(YamlNode value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.node.is_list()) {
      level.node.items.push_back(std::move(value));
    } else if (level.pending) {
      level.pending->value = std::move(value);
      level.node.entries.push_back(std::move(*level.pending));
      level.pending.reset();
    } else {
      if (!value.is_scalar())
        throw InputError{Problem{place(name_, value.line), "null as a key; keys must be text", ""}};
      level.pending = YamlEntry{std::move(value.text), value.line, {}};
    }
  }

  std::string name_;
  std::vector<Level> levels_;
  std::optional<YamlNode> root_;
};

// The library aborts on some tags and recurses on nested input; neither is of use to us.
void refuse_hostile(std::string_view text, const std::string& name) {
  if (text.size() > kMaxBytes) throw InputError{Problem{name, "more than 16 MiB of text", ""}};
  int line = 1;
  std::size_t depth = 0;
  bool line_start = true;
  for (const char c : text) {
    if (c == '\0') {
      throw InputError{Problem{place(name, line), "a NUL byte; expected UTF-8 text", ""}};
    }
    if (c == '\n') {
      ++line;
      line_start = true;
      continue;
    }
    if (line_start && c == '!')
      throw InputError{Problem{place(name, line), "a tag (!name); expected plain values", ""}};
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > kMaxDepth) {
      throw InputError{Problem{
          place(name, line), "nesting deeper than " + std::to_string(kMaxDepth) + " levels", ""}};
    }
    line_start = line_start && (c == ' ' || c == '-');
  }
}

}  // namespace

std::string YamlNode::description() const {
  switch (kind) {
    case YamlKind::Null:
      return "nothing";
    case YamlKind::Scalar:
      return "'" + (text.size() > 60 ? text.substr(0, 57) + "..." : text) + "'";
    case YamlKind::List:
      return "a list";
    case YamlKind::Map:
      return "a map";
  }
  return "";
}

YamlNode yaml_from_text(std::string_view text, const std::string& name) {
  refuse_hostile(text, name);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(name);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || !builder.root())
      throw InputError{Problem{name, "an empty file; expected a YAML map", ""}};
    YamlNode root = *builder.root();
    TreeBuilder second(name);
    if (parser.HandleNextDocument(second))
      throw InputError{Problem{name, "more than one YAML document", ""}};
    return root;
  } catch (const YAML::Exception& error) {
    throw InputError{Problem{place(name, error.mark.line + 1), error.msg, ""}};
  }
}

std::string text_of_file(const std::filesystem::path& path) {
  return file_content(path, kMaxBytes);
}

YamlNode yaml_from_file(const std::filesystem::path& path) {
  return yaml_from_text(text_of_file(path), path.string());
}

}  // namespace paretrain::problems
