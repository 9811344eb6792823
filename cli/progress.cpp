#include "cli/progress.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "cli/text_table.h"

namespace paretrain::cli {

namespace {

std::string count_text(std::uint64_t count) {
  return grouped_text(static_cast<std::int64_t>(count));
}

std::string change_text(double now, double before) {
  if (before <= 0) return "";
  const double percent = (now / before - 1) * 100;
  return std::string(" (") + (percent < 0 ? "" : "+") + fixed_text(percent, 2) + " %)";
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fixed_text(per_second / 1e6, 1) + " M eval/s";
  if (per_second >= 1e4) return fixed_text(per_second / 1e3, 0) + " k eval/s";
  if (per_second >= 1e3) return fixed_text(per_second / 1e3, 1) + " k eval/s";
  return fixed_text(per_second, per_second < 10 ? 1 : 0) + " eval/s";
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  const std::int64_t hours = whole / 3600;
  const std::string rest = fixed_text(static_cast<double>(whole % 60), 0);
  std::string minutes = number_text(whole / 60 % 60);
  if (hours > 0 && minutes.size() < 2) minutes.insert(0, "0");
  return (hours > 0 ? number_text(hours) + ":" : "") + minutes + ":" +
         (rest.size() < 2 ? "0" : "") + rest;
}

// Four decimals, unless they would hide the number.
std::string hypervolume_text(double share) {
  return share >= 0.01 || share == 0 ? fixed_text(share, 4) : general_text(share, 4);
}

// Until the first limit is reached. Requires: some generations done.
double seconds_left(const ProgressFigures& figures) {
  const engine::GenerationReport& report = figures.report;
  double left =
      (static_cast<double>(figures.generations) - static_cast<double>(report.generation)) *
      figures.seconds / static_cast<double>(figures.generations_done);
  if (figures.max_evaluations && figures.evaluations > 0) {
    left = std::min(
        left,
        (static_cast<double>(*figures.max_evaluations) - static_cast<double>(report.evaluations)) *
            figures.seconds / static_cast<double>(figures.evaluations));
  }
  return figures.max_seconds ? std::min(left, *figures.max_seconds - figures.seconds) : left;
}

}  // namespace

std::string progress_text(const ProgressFigures& figures) {
  const engine::GenerationReport& report = figures.report;
  const auto generation = static_cast<std::int64_t>(report.generation);
  // A run that is resumed with fewer generations than it has done has all of them behind it.
  std::string text = "gen " + number_text(generation) + "/" +
                     number_text(std::max(generation, figures.generations)) + "  evals " +
                     count_text(report.evaluations) + "  front " + count_text(report.front);
  if (report.best.empty()) {
    text += "  nothing feasible yet";
  } else if (report.hypervolume) {
    text +=
        "  hv " + hypervolume_text(*report.hypervolume) +
        (figures.hypervolume_before ? change_text(*report.hypervolume, *figures.hypervolume_before)
                                    : "");
  }
  if (figures.seconds <= 0 || figures.generations_done == 0) return text;
  text += "  " + rate_text(static_cast<double>(figures.evaluations) / figures.seconds);
  const double left = seconds_left(figures);
  if (left > 0) text += "  ETA " + duration_text(left);
  return text;
}

Progress::Progress(Terminal& terminal, const SearchOptions& options)
    : terminal_(terminal), options_(options), started_(Clock::now()) {}

void Progress::begin(const engine::GenerationReport& report) {
  started_ = Clock::now();
  evaluations_before_ = report.evaluations;
  generation_before_ = report.generation;
  last_hypervolume_ = report.hypervolume;
  if (options_.log_generations) print(report);
}

bool Progress::is_due(const engine::GenerationReport&) const {
  if (options_.log_generations) return true;
  const auto now = Clock::now();
  const auto pause = terminal_.style().screen == Screen::Interactive
                         ? std::chrono::milliseconds(100)
                         : std::chrono::milliseconds(10'000);
  return now - last_.value_or(started_) >= pause;
}

void Progress::show(const engine::GenerationReport& report) {
  if (is_due(report)) print(report);
}

void Progress::finish(const engine::GenerationReport& report) {
  if (last_generation_ != report.generation) print(report);
  if (terminal_.style().screen == Screen::Interactive) terminal_.status("");
}

void Progress::print(const engine::GenerationReport& report) {
  const auto now = Clock::now();
  terminal_.status(progress_text({report,
                                  options_.generations,
                                  options_.max_evaluations,
                                  options_.max_seconds,
                                  last_hypervolume_,
                                  std::chrono::duration<double>(now - started_).count(),
                                  report.evaluations - evaluations_before_,
                                  report.generation - generation_before_}));
  last_ = now;
  last_generation_ = report.generation;
  last_hypervolume_ = report.hypervolume;
}

}  // namespace paretrain::cli
