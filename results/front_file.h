// Why: `plot`, `pick` and `compare` read fronts that this program, an older one, a script or a
// spreadsheet wrote.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace paretrain::results {

struct FrontPoint {
  std::string plan;    // number of a plan, or name of a baseline
  double latency = 0;  // in the file's unit, as are the others
  double energy = 0;
  double memory_bytes = 0;
  std::string genome;  // empty when the file has no such column
};

struct FrontFile {
  std::string latency_unit;
  std::string energy_unit;
  std::vector<FrontPoint> points;
  std::vector<std::string> warnings;
};

inline constexpr std::size_t kMostFrontBytes = std::size_t{1} << 28U;

// Needs the columns `plan` (or `name`), `latency_<unit>`, `energy_<unit>` and `peak_memory_bytes`,
// each once and in any place; where several latencies or energies are given (cycles and ms) the
// first counts. Others are ignored. Rows may be unsorted or dominated; none is fine.
// Errors: InputError naming `where` and the line, for a column that is missing or there twice and
// for an objective that is no finite number from 0 up (at most ten are listed).
[[nodiscard]] FrontFile parsed_front(std::string_view text, const std::string& where);
[[nodiscard]] FrontFile read_front(const std::filesystem::path& path);

}  // namespace paretrain::results
