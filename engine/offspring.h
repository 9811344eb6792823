// Why: the genomes of a generation must be new, distinct and in canonical form before anything is
// evaluated; and which they are must not depend on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "engine/evaluation_memory.h"
#include "engine/local_moves.h"
#include "engine/neighbour_walk.h"
#include "engine/parallel_for.h"
#include "engine/problem.h"
#include "engine/search_options.h"
#include "engine/search_state.h"
#include "engine/thread_team.h"
#include "engine/variation.h"

namespace paretrain::engine {

// What a generation's genomes are made from.
struct OffspringSource {
  const SearchState& state;
  const EvaluationMemory& memory;
  ThreadTeam& team;
  std::uint64_t generation = 0;
  std::size_t slots = 0;                 // how many are wanted
  std::span<const Genome> offered = {};  // genomes to be among them, at most as many as are mated
};

// Makes the genomes of one generation: mating for most slots, genomes that were offered, local
// moves around the archive, and, while the archive gains nothing, a walk through its neighbours.
// Every slot draws from a stream of its own, so slots are filled in parallel. A genome that was
// evaluated before changes one gene at a time, at most kTries times; so does one that equals one of
// the population or of an earlier slot, in further rounds that end with a serial look at all slots.
// After that it is taken as it is if only its result is known already, and left out if it would be
// a duplicate in the population. Keeps its buffers.
class Offspring {
 public:
  static constexpr int kTries = 12;
  // The walk begins when the archive has gained no point for so many generations, and looks at so
  // many places in a generation for each genome that it is to find.
  static constexpr std::uint64_t kWalkAfter = 5;
  static constexpr std::size_t kPlacesPerWalked = 16;
  // Spaces up to this many genomes (before canonicalisation) are swept for genomes not seen yet
  // when chance no longer finds enough.
  static constexpr std::uint64_t kSweptSpace = std::uint64_t{1} << 22U;

  Offspring(const Problem& problem, const SearchOptions& options);

  // Generation 0: the warm genomes and random ones.
  void make_first(const OffspringSource& source, std::span<const Genome> warm);
  void make(const OffspringSource& source);

  // Of the last call: genomes and their fingerprints, by slot; objectives and violations zero.
  [[nodiscard]] const Individuals& genomes() const noexcept { return made_; }

  [[nodiscard]] std::span<const std::uint64_t> fingerprints() const noexcept {
    return fingerprints_;
  }

  // Whether each of them had been evaluated before.
  [[nodiscard]] std::span<const char> evaluated() const noexcept { return evaluated_; }

  [[nodiscard]] std::uint64_t duplicates() const noexcept { return duplicates_; }

  // What SearchState::swept is after these genomes are evaluated, and whether then all are.
  [[nodiscard]] std::uint64_t swept() const noexcept { return swept_; }

  [[nodiscard]] bool is_all_swept() const noexcept { return all_swept_; }

  // What SearchState::walked is after these genomes are evaluated, unless the archive gains a
  // point.
  [[nodiscard]] std::uint64_t walked() const noexcept { return walked_; }

 private:
  struct Slot {
    RandomStream random;
    std::uint64_t fingerprint = 0;
    int changes = 0;         // made because the genome was known
    bool fixed = false;      // a warm genome: left out rather than changed
    bool evaluated = false;  // before this generation
    bool accepted = false;
  };

  void begin(const OffspringSource& source, std::size_t slots);
  [[nodiscard]] GenomeRow row(std::size_t slot) noexcept;
  [[nodiscard]] GenomeRow before(std::size_t slot) noexcept;
  void mate(const OffspringSource& source, std::size_t slot);
  [[nodiscard]] bool mates_from_archive(const SearchState& state) const;
  [[nodiscard]] Parents tournament_parents(const SearchState& state, std::size_t pair) const;
  [[nodiscard]] static Parents archive_parents(const SearchState& state, RandomStream& random);
  [[nodiscard]] static const Individuals& move_base(const SearchState& state, RandomStream& random);
  void walk(const OffspringSource& source, std::size_t most);
  void look_around(const OffspringSource& source, std::size_t count);
  void draw_entrants(const OffspringSource& source, std::size_t pairs);
  template <class First>
  void settle(const OffspringSource& source, const First& first);
  void find_new(const OffspringSource& source, Slot& slot, std::size_t index);
  void change(Slot& slot, std::size_t index);
  [[nodiscard]] static bool is_final(const Slot& slot);
  // Whether the slot needs a further round.
  bool judge(Slot& slot);
  void collect();
  void sweep(const OffspringSource& source);
  void add(GenomeView genome, std::uint64_t fingerprint);

  const Problem* problem_;
  const SearchOptions* options_;
  LocalMoves moves_;
  NeighbourWalk walk_;
  std::size_t words_ = 0;
  std::vector<Slot> slots_;
  std::vector<Word> looked_;  // what the walk looks at, one genome per place
  std::vector<std::uint64_t> looked_fingerprints_;
  std::vector<Word> chosen_;     // new genomes that the walk found
  FingerprintSet chosen_table_;  // of these
  std::vector<Word> rows_;       // one genome per slot
  std::vector<Word> before_;     // the same before its last change
  std::vector<std::uint32_t> pending_;
  FingerprintSet taken_;  // of the population and of accepted slots
  Individuals made_;
  std::vector<std::uint64_t> fingerprints_;
  std::vector<char> evaluated_;
  std::vector<std::uint32_t> entrants_;  // of the tournaments, four per pair of slots
  Genome scratch_;
  Pace first_pace_;  // of making genomes and their canonical forms
  Pace walk_pace_;   // of looking at places of the walk
  Pace later_pace_;  // of changing them once more
  std::size_t new_genomes_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t swept_ = 0;
  std::uint64_t walked_ = 0;
  bool all_swept_ = false;
};

}  // namespace paretrain::engine
