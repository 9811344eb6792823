#include "results/simulation_trace.h"

#include "base/check.h"
#include "base/number_text.h"
#include "results/json_text.h"

namespace paretrain::results {

namespace {

// A complete event ("X") of the trace-event format.
std::string event(const std::string& name,
                  std::size_t track,
                  std::int64_t start,
                  std::int64_t end) {
  return "{\"ph\": \"X\", \"pid\": 1, \"tid\": " + number_text(static_cast<std::int64_t>(track)) +
         ", \"ts\": " + number_text(start) + ", \"dur\": " + number_text(end - start) +
         ", \"name\": " + json_string(name) + "}";
}

std::string track_name(const std::string& name, std::size_t track) {
  return "{\"ph\": \"M\", \"pid\": 1, \"tid\": " + number_text(static_cast<std::int64_t>(track)) +
         ", \"name\": \"thread_name\", \"args\": {\"name\": " + json_string(name) + "}}";
}

}  // namespace

std::string simulation_trace(const EvaluationReport& report) {
  const std::size_t groups_track = report.resources.size() + 1;
  std::string text =
      "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + track_name("groups", groups_track);
  for (std::size_t r = 0; r < report.resources.size(); ++r)
    text += ",\n" + track_name(report.resources[r], r + 1);
  std::int64_t begin = 0;
  for (const EvaluatedGroup& group : report.groups) {
    CHECK(group.simulation.has_value(), "a group was not simulated");
    std::string name = group.operators.front();
    if (group.operators.size() > 1) name += " .. " + group.operators.back();
    text += ",\n" + event(name, groups_track, begin, begin + group.simulation->latency);
    for (const evaluator::SimulatedUse& use : group.simulation->uses)
      text += ",\n" + event(group.simulation->tasks[use.task],
                            use.resource.index() + 1,
                            begin + use.start,
                            begin + use.end);
    begin += group.simulation->latency;
  }
  return text + "\n]}\n";
}

}  // namespace paretrain::results
