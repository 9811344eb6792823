#include "results/front_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "results/csv.h"

namespace paretrain::results {

namespace {

constexpr std::size_t kMostProblems = 10;
constexpr std::size_t kMostShown = 60;

struct Columns {
  std::size_t plan = 0;
  std::size_t latency = 0;
  std::size_t energy = 0;
  std::size_t memory = 0;
  std::optional<std::size_t> genome;
};

std::string shown(std::string_view text) {
  if (text.size() <= kMostShown) return printable(text);
  return printable(text.substr(0, kMostShown)) + "…";
}

bool has_prefix(const std::string& name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix);
}

// Finds columns and collects what is wrong with the header.
class Header {
 public:
  Header(const std::vector<std::string>& names, const std::string& where)
      : names_(names), where_(where) {}

  std::size_t exact(std::string_view name) {
    return the_first([&](const std::string& other) { return other == name; }, std::string(name));
  }

  std::size_t prefixed(std::string_view prefix) {
    return the_first([&](const std::string& other) { return has_prefix(other, prefix); },
                     std::string(prefix) + "<unit>");
  }

  [[nodiscard]] std::optional<std::size_t> optional(std::string_view name) const {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
  }

  void finish() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  template <class Matches>
  std::size_t the_first(const Matches& matches, const std::string& name) {
    const auto found = std::ranges::find_if(names_, matches);
    if (found == names_.end()) {
      problems_.push_back({where_ + ":1", "column " + name + " is missing", ""});
      return 0;
    }
    if (std::ranges::count(names_, *found) > 1)
      problems_.push_back({where_ + ":1", "column " + shown(*found) + " is there twice", ""});
    return static_cast<std::size_t>(found - names_.begin());
  }

  const std::vector<std::string>& names_;
  const std::string& where_;
  std::vector<Problem> problems_;
};

Columns columns_of(const CsvTable& table, const std::string& where) {
  Header header(table.header, where);
  Columns columns;
  const bool is_baselines = !header.optional("plan") && header.optional("name");
  columns.plan = header.exact(is_baselines ? "name" : "plan");
  columns.latency = header.prefixed("latency_");
  columns.energy = header.prefixed("energy_");
  columns.memory = header.exact("peak_memory_bytes");
  columns.genome = header.optional("genome");
  header.finish();
  return columns;
}

class PointReader {
 public:
  PointReader(const CsvTable& table, const Columns& columns, const std::string& where)
      : table_(table), columns_(columns), where_(where) {}

  FrontPoint point(const CsvRow& row) {
    FrontPoint result;
    result.plan = row.cells[columns_.plan];
    result.latency = objective(row, columns_.latency, kMostWhole);
    result.energy = objective(row, columns_.energy, kMostReal);
    result.memory_bytes = objective(row, columns_.memory, kMostWhole);
    if (columns_.genome) result.genome = row.cells[*columns_.genome];
    return result;
  }

  void finish() {
    if (wrong_ > kMostProblems) {
      problems_.back().hint =
          grouped_text(static_cast<std::int64_t>(wrong_)) + " cells are wrong in all";
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

 private:
  // Cycles and bytes are 64-bit integers wherever they come from this program.
  static constexpr double kMostWhole = 0x1p63;
  static constexpr double kMostReal = 1e300;

  double objective(const CsvRow& row, std::size_t column, double most) {
    const std::optional<double> number = parsed_number(row.cells[column]);
    if (number && *number >= 0 && *number <= most) return *number;
    if (++wrong_ <= kMostProblems) {
      problems_.push_back({where_ + ":" + number_text(static_cast<std::int64_t>(row.line)),
                           shown(table_.header[column]) + " is '" + shown(row.cells[column]) +
                               "'; expected a finite number from 0 up" +
                               (most == kMostWhole ? " to 2^63" : ""),
                           ""});
    }
    return 0;
  }

  const CsvTable& table_;
  const Columns& columns_;
  const std::string& where_;
  std::vector<Problem> problems_;
  std::size_t wrong_ = 0;
};

void warn_of_duplicates(FrontFile& front, const std::string& where) {
  std::set<std::string> seen;
  std::size_t repeated = 0;
  std::string first;
  for (const FrontPoint& point : front.points) {
    if (seen.insert(point.plan).second) continue;
    if (repeated++ == 0) first = point.plan;
  }
  if (repeated == 0) return;
  front.warnings.push_back(where + ": " + grouped_text(static_cast<std::int64_t>(repeated)) +
                           " rows repeat a plan number, the first is plan " + shown(first));
}

}  // namespace

FrontFile parsed_front(std::string_view text, const std::string& where) {
  const CsvTable table = csv_table(text, where);
  const Columns columns = columns_of(table, where);
  FrontFile front;
  front.latency_unit = table.header[columns.latency].substr(std::string_view("latency_").size());
  front.energy_unit = table.header[columns.energy].substr(std::string_view("energy_").size());
  PointReader reader(table, columns, where);
  for (const CsvRow& row : table.rows)
    front.points.push_back(reader.point(row));
  reader.finish();
  warn_of_duplicates(front, where);
  return front;
}

FrontFile read_front(const std::filesystem::path& path) {
  return parsed_front(file_content(path, kMostFrontBytes), path.string());
}

}  // namespace paretrain::results
