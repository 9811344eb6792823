#include "cli/front_argument.h"

#include <filesystem>

#include "base/error.h"
#include "base/printable_text.h"

namespace paretrain::cli {

namespace {

namespace fs = std::filesystem;

std::string label_of(const std::string& name) {
  fs::path path = fs::path(name).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return is_folder(name) ? path.filename().string() : path.stem().string();
}

}  // namespace

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(name, ignored);
}

FrontArgument front_argument(const std::string& name, Terminal& terminal) {
  const fs::path file = is_folder(name) ? fs::path(name) / "front.csv" : fs::path(name);
  FrontArgument argument{label_of(name), file.string(), results::read_front(file), {}};
  for (const std::string& warning : argument.front.warnings)
    terminal.warning(warning);
  for (const results::FrontPoint& point : argument.front.points)
    argument.points.push_back({point.latency, point.energy, point.memory_bytes});
  return argument;
}

void check_same_units(const FrontArgument& first, const FrontArgument& other) {
  if (first.front.latency_unit == other.front.latency_unit &&
      first.front.energy_unit == other.front.energy_unit)
    return;
  throw InputError(Problem{
      other.file,
      "has units " + printable(other.front.latency_unit) + " and " +
          printable(other.front.energy_unit) + "; expected those of the first front, " +
          printable(first.front.latency_unit) + " and " + printable(first.front.energy_unit),
      ""});
}

}  // namespace paretrain::cli
