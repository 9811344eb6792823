#include "cli/search_options.h"

#include <limits>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::cli {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostGenerations = 1'000'000'000;

std::vector<double> reference_point(const std::string& text) {
  std::vector<double> point;
  std::string_view rest = text;
  for (;;) {
    const auto number = parsed_number(rest.substr(0, rest.find(',')));
    if (!number || *number <= 0) {
      throw InputError(Problem{"--reference",
                               "'" + printable(text) +
                                   "' found; expected one positive number per objective, "
                                   "separated by commas",
                               ""});
    }
    point.push_back(*number);
    if (rest.find(',') == std::string_view::npos) return point;
    rest.remove_prefix(rest.find(',') + 1);
  }
}

void read_search(const Options& options, SearchOptions& search) {
  if (options.has("population")) search.population = options.integer("population");
  if (options.has("seed")) search.seed = static_cast<std::uint64_t>(options.integer("seed"));
  if (options.has("local-search")) search.local_search = options.real("local-search");
  search.warm_start = !options.flag("no-warm-start");
  if (options.has("crossover")) search.crossover = options.real("crossover");
  if (options.has("mutation")) search.mutation = options.real("mutation");
  if (options.has("run-mutation")) search.run_mutation = options.real("run-mutation");
  if (options.has("reference")) search.reference = reference_point(options.text("reference"));
  if (options.has("keep-equal")) search.keep_equal = options.integer("keep-equal");
}

void read_stops(const Options& options, SearchOptions& search) {
  if (options.has("generations")) search.generations = options.integer("generations");
  if (options.has("max-evaluations")) search.max_evaluations = options.integer("max-evaluations");
  if (options.has("max-seconds")) search.max_seconds = options.real("max-seconds");
  if (options.has("patience")) search.patience = options.integer("patience");
}

}  // namespace

OptionGroup search_option_group() {
  return {"Search",
          {{"population", "N", IntegerRange{1, 1'000'000}, "genomes per generation", "100"},
           {"seed", "S", IntegerRange{0, kMost}, "of every random number", "1"},
           {"local-search", "X", RealRange{0, 1}, "share of the evaluations", "0.2"},
           {"no-warm-start", "", Flag{}, "start from random genomes, no plans known before"},
           {"crossover", "P", RealRange{0, 1}, "probability that two parents are mixed"},
           {"mutation", "X", RealRange{0, 1e6}, "expected flipped bits of an offspring"},
           {"run-mutation",
            "P",
            RealRange{0, 1},
            "share of offspring that change a run of bits instead"},
           {"reference",
            "A,B[,C]",
            AnyText{},
            "reference point of the hypervolume; default: per objective the worst baseline + 1"},
           {"keep-equal",
            "K",
            IntegerRange{1, 1'000'000},
            "genomes kept per point of the front",
            "1"}}};
}

OptionGroup stop_option_group() {
  return {"Stops (the first one reached)",
          {{"generations", "N", IntegerRange{0, kMostGenerations}, "generations in total", "250"},
           {"max-evaluations", "N", IntegerRange{1, kMost}, "distinct genomes in total"},
           {"max-seconds",
            "X",
            RealRange{0, 1e9},
            "seconds, looked at between generations; such a run is not reproducible"},
           {"patience",
            "N",
            IntegerRange{1, kMostGenerations},
            "generations without a better hypervolume"}}};
}

OptionGroup machine_option_group() {
  return {"Machine",
          {{"threads", "T", IntegerRange{0, 4096}, "0: all cores", "0"},
           {"snapshot-every",
            "N",
            IntegerRange{1, kMostGenerations},
            "generations between snapshots",
            "1"},
           {"log-generations", "", Flag{}, "a progress line every generation"}}};
}

OptionGroup run_option_group() {
  return {"Run",
          {{"output", "DIR", AnyText{}, "folder that the run writes", "", false, "o"},
           {"force", "", Flag{}, "replace the run that the folder holds"},
           {"config", "FILE", AnyText{}, "lines `option = value`; the command line wins"},
           {"print-config", "", Flag{}, "print every option as such a file and stop"}}};
}

SearchOptions search_options(const Options& options) {
  SearchOptions search;
  read_search(options, search);
  read_stops(options, search);
  if (options.has("threads")) search.threads = static_cast<int>(options.integer("threads"));
  if (options.has("snapshot-every")) search.snapshot_every = options.integer("snapshot-every");
  search.log_generations = options.flag("log-generations");
  return search;
}

}  // namespace paretrain::cli
