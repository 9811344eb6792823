// Why: every YAML file that we read (accelerators, mappings, sweeps) needs the same strictness: a
// position for each value, no duplicate keys, no aliases, bounded depth and size. This is the only
// place that knows the YAML library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace paretrain::problems {

enum class YamlKind { Null, Scalar, List, Map };

struct YamlEntry;

// A value with the place where it stands. Lines and columns count from 1.
struct YamlNode {
  YamlKind kind = YamlKind::Null;
  std::string text;  // of a scalar
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;  // in order of the file; the same key may occur twice
  int line = 0;
  int column = 0;

  [[nodiscard]] bool is_scalar() const { return kind == YamlKind::Scalar; }

  [[nodiscard]] bool is_list() const { return kind == YamlKind::List; }

  [[nodiscard]] bool is_map() const { return kind == YamlKind::Map; }

  // "a number", "a list", … for messages.
  [[nodiscard]] std::string description() const;
};

struct YamlEntry {
  std::string key;
  int line = 0;
  YamlNode value;
};

// Errors: InputError for what is no YAML, for aliases, anchors, tags, keys that are no plain text,
// several documents, more than 200 levels, more than 16 MiB.
[[nodiscard]] YamlNode yaml_from_text(std::string_view text, const std::string& name);

// Errors: also a path that is missing, a folder, or unreadable.
[[nodiscard]] YamlNode yaml_from_file(const std::filesystem::path& path);

// The text of a file within the limits above. Errors: as file_content (base/input_file.h).
[[nodiscard]] std::string text_of_file(const std::filesystem::path& path);

}  // namespace paretrain::problems
