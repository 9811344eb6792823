#include "results/manifest.h"

#include <algorithm>
#include <sstream>

#include <cereal/archives/json.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "base/check.h"
#include "base/printable_text.h"

namespace paretrain::results {

namespace {

using cereal::make_nvp;
using Archive = cereal::JSONOutputArchive;

std::string status_text(RunStatus status) {
  switch (status) {
    case RunStatus::Running:
      return "running";
    case RunStatus::Done:
      return "finished";
    case RunStatus::Interrupted:
      return "interrupted";
    case RunStatus::Infeasible:
      return "infeasible";
  }
  CHECK(false, "a status outside its list");
}

void put(Archive& archive, const char* name, const std::string& text) {
  archive(make_nvp(name, valid_utf8(text)));
}

template <class Number>
void put_some(Archive& archive, const char* name, const std::optional<Number>& number) {
  if (number) archive(make_nvp(name, *number));
}

// An option once is a text, a repeated one a list.
struct OptionsObject {
  const std::vector<OptionValues>& options;

  void save(Archive& archive) const {
    for (const OptionValues& option : options) {
      std::vector<std::string> values;
      for (const std::string& value : option.values)
        values.push_back(valid_utf8(value));
      if (values.size() == 1) {
        archive(make_nvp(option.name, values.front()));
      } else {
        archive(make_nvp(option.name, values));
      }
    }
  }
};

struct InputObject {
  RunInput input;

  void save(Archive& archive) const {
    put(archive, "role", input.role);
    put(archive, "name", input.name);
    if (!input.path.empty()) put(archive, "path", input.path);
    put(archive, "xxh3_128", input.content);
  }
};

struct ProblemObject {
  const RunManifest& manifest;

  void save(Archive& archive) const {
    const ProblemSummary& problem = manifest.problem;
    put(archive, "name", problem.name);
    put(archive, "fingerprint", fingerprint_text(manifest.identity.problem_fingerprint));
    put(archive, "space_fingerprint", fingerprint_text(manifest.identity.space_fingerprint));
    archive(make_nvp("genes", problem.genes), make_nvp("keep_genes", problem.keep_genes));
    archive(make_nvp("fusion_genes", problem.fusion_genes),
            make_nvp("free_genes", problem.free_genes));
  }
};

struct StatisticsObject {
  const engine::SearchStatistics& statistics;

  void save(Archive& archive) const {
    archive(make_nvp("evaluations", statistics.evaluations),
            make_nvp("infeasible", statistics.infeasible_evaluations),
            make_nvp("not_finite", statistics.not_finite),
            make_nvp("cache_hits", statistics.cache_hits),
            make_nvp("duplicates", statistics.duplicates));
  }
};

struct HypervolumeObject {
  const HypervolumeSummary& hypervolume;

  void save(Archive& archive) const {
    archive(make_nvp("reference_point", hypervolume.reference_point),
            make_nvp("front", hypervolume.front),
            make_nvp("baselines", hypervolume.baselines));
  }
};

struct WarningObject {
  CountedWarning warning;

  void save(Archive& archive) const {
    put(archive, "text", warning.text);
    archive(make_nvp("count", warning.count));
  }
};

struct MachineObject {
  const MachineSummary& machine;

  void save(Archive& archive) const {
    put(archive, "host", machine.host);
    put(archive, "started", machine.started);
    if (!machine.finished.empty()) put(archive, "finished", machine.finished);
    archive(make_nvp("seconds", machine.seconds),
            make_nvp("threads", machine.threads),
            make_nvp("processors", machine.processors));
  }
};

template <class Object, class Item>
std::vector<Object> objects(const std::vector<Item>& items) {
  std::vector<Object> result;
  for (const Item& item : items)
    result.push_back({item});
  return result;
}

void put_identity(Archive& archive, const RunIdentity& identity) {
  put(archive, "schema", "paretrain-manifest-1");
  put(archive, "program", "paretrain " + identity.program_version);
  put(archive, "command", identity.command);
}

void put_results(Archive& archive, const RunManifest& manifest) {
  archive(make_nvp("generation", manifest.generation), make_nvp("front", manifest.front));
  archive(make_nvp("statistics", StatisticsObject{manifest.statistics}));
  if (manifest.hypervolume)
    archive(make_nvp("hypervolume", HypervolumeObject{*manifest.hypervolume}));
  put_some(archive, "smallest_memory_bytes", manifest.smallest_memory_bytes);
  put_some(archive, "knee", manifest.knee);
  put_some(archive, "genomes", manifest.genomes);
  put_some(archive, "canonical_genomes", manifest.canonical_genomes);
}

}  // namespace

void add_warning(std::vector<CountedWarning>& warnings, const std::string& text) {
  const auto found = std::ranges::find(warnings, text, &CountedWarning::text);
  if (found == warnings.end()) {
    warnings.push_back({text, 1});
  } else {
    ++found->count;
  }
}

std::string fingerprint_text(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned shift = 64; shift > 0;) {
    shift -= 4;
    text += kDigits[(number >> shift) & 0xFU];
  }
  return text;
}

std::string manifest_json(const RunManifest& manifest) {
  std::ostringstream stream;
  {
    Archive archive(stream, Archive::Options(17, Archive::Options::IndentChar::space, 1));
    put_identity(archive, manifest.identity);
    put(archive, "status", status_text(manifest.status));
    put(archive, "stop", manifest.stop);
    archive(make_nvp("problem", ProblemObject{manifest}));
    archive(make_nvp("objectives", manifest.identity.objectives));
    put_results(archive, manifest);
    archive(make_nvp("warnings", objects<WarningObject>(manifest.warnings)));
    archive(make_nvp("options", OptionsObject{manifest.identity.options}));
    archive(make_nvp("inputs", objects<InputObject>(manifest.identity.inputs)));
    archive(make_nvp("resumptions", manifest.resumptions));
    archive(make_nvp("machine", MachineObject{manifest.machine}));
  }
  return stream.str() + '\n';
}

}  // namespace paretrain::results
