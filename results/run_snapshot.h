// Why: everything that a run needs to go on bit for bit, on this machine or another, is one value:
// what was asked for, which inputs it was asked about, and where the search stands. What belongs to
// one program run only (threads, output, how often it was resumed) is in the manifest, so that
// snapshots of equal searches are equal byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search.h"
#include "engine/search_state.h"

namespace paretrain::results {

// An option with its values, as the user said them or by default.
struct OptionValues {
  std::string name;
  std::vector<std::string> values;

  friend bool operator==(const OptionValues&, const OptionValues&) = default;
};

// A file that the run read, or a built-in thing: found again by its name, recognised by its
// content.
struct RunInput {
  std::string role;     // "model", "accelerator", "mapping", "fusion plan"
  std::string name;     // as the user said it
  std::string path;     // absolute; empty for built-in ones
  std::string content;  // hash of the content
};

struct RunIdentity {
  std::string command;  // "optimize"
  std::string program_version;
  std::vector<OptionValues> options;
  std::vector<std::string> given;  // names of the options that the user said
  std::vector<RunInput> inputs;
  std::uint64_t problem_fingerprint = 0;
  std::uint64_t space_fingerprint = 0;
  std::vector<std::string> objectives;  // names with units, as columns
};

// Of a run whose generation 0 was cut short by its limit of evaluations: a state of generation 0
// without genomes, and no history.
struct RunSnapshot {
  RunIdentity identity;
  engine::SearchState state;                      // after a generation that was not cut short
  std::vector<engine::GenerationReport> history;  // one per generation, from 0
};

[[nodiscard]] inline bool is_before_the_first(const RunSnapshot& snapshot) {
  return snapshot.history.empty();
}

// Bytes of a snapshot file, in its frame (results/snapshot_frame.h); in the memory of `buffer`,
// whose content is lost: whoever makes many lends it the one before.
[[nodiscard]] std::string snapshot_bytes(const RunSnapshot& snapshot, std::string buffer = {});

// Errors: InputError naming `where` when the frame is damaged or the content contradicts itself.
[[nodiscard]] RunSnapshot parsed_snapshot(std::string_view bytes, const std::string& where);

}  // namespace paretrain::results
