// Why: scripts and people watch the same line, which says how far a search is and how fast.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/search_options.h"
#include "cli/terminal.h"
#include "engine/search.h"

namespace paretrain::cli {

// `gen 37/200  evals 7,400  front 48  hv 0.8132 (+0.02 %)  124 k eval/s  ETA 0:41`. On a terminal
// one status line, elsewhere a plain line every 10 s at most, or every generation with
// --log-generations. The change of hypervolume is against the line before.
class Progress {
 public:
  Progress(Terminal& terminal, const SearchOptions& options);

  // Before the first generation of this program run: what does not count for its speed.
  void begin(const engine::GenerationReport& report);
  void show(const engine::GenerationReport& report);
  // The last line, and the end of the status line.
  void finish(const engine::GenerationReport& report);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_due(const engine::GenerationReport& report) const;
  void print(const engine::GenerationReport& report);

  Terminal& terminal_;
  const SearchOptions& options_;
  Clock::time_point started_;
  std::uint64_t evaluations_before_ = 0;
  std::uint64_t generation_before_ = 0;
  std::optional<Clock::time_point> last_;
  std::optional<std::uint64_t> last_generation_;
  std::optional<double> last_hypervolume_;
};

// The text of the line. `seconds` and `evaluations` are those of this program run, the limits those
// of the whole search but for seconds. ETA: when the first limit is reached at the speed so far.
struct ProgressFigures {
  engine::GenerationReport report;
  std::int64_t generations = 0;
  std::optional<std::int64_t> max_evaluations;
  std::optional<double> max_seconds;
  std::optional<double> hypervolume_before;
  double seconds = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t generations_done = 0;
};

[[nodiscard]] std::string progress_text(const ProgressFigures& figures);

}  // namespace paretrain::cli
