#include "engine/offspring.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "engine/genome_number.h"
#include "engine/parallel_for.h"
#include "engine/variation.h"

namespace paretrain::engine {

namespace {

// Streams that belong to no single slot count down from the largest slot: first the one of the
// whole generation, then one for each pair of slots.
constexpr std::uint64_t kGenerationSlot = ~std::uint64_t{0};

// How far near members of the archive are apart.
constexpr std::uint64_t kNearMembers = 8;

RandomStream pair_stream(std::uint64_t seed, std::uint64_t generation, std::size_t pair) {
  return {seed, generation, kGenerationSlot - 1 - pair};
}

// Binary tournament: the better front wins, then more room, then the first.
std::size_t tournament_winner(const SearchState& state, std::size_t a, std::size_t b) {
  if (state.ranks[a] != state.ranks[b]) return state.ranks[a] < state.ranks[b] ? a : b;
  return state.crowding[a] >= state.crowding[b] ? a : b;
}

}  // namespace

Offspring::Offspring(const Problem& problem, const SearchOptions& options)
    : problem_(&problem),
      options_(&options),
      moves_(problem),
      walk_(problem),
      words_(problem.layout().words()),
      scratch_(words_) {
  made_.words_per_genome = words_;
  made_.objective_count = problem.objective_names().size();
}

GenomeRow Offspring::row(std::size_t slot) noexcept {
  return GenomeRow(rows_).subspan(slot * words_, words_);
}

GenomeRow Offspring::before(std::size_t slot) noexcept {
  return GenomeRow(before_).subspan(slot * words_, words_);
}

void Offspring::begin(const OffspringSource& source, std::size_t slots) {
  slots_.clear();
  for (std::size_t slot = 0; slot < slots; ++slot)
    slots_.push_back({.random = RandomStream(options_->seed, source.generation, slot)});
  rows_.assign(slots * words_, 0);
  before_.resize(slots * words_);
  taken_.clear();
  for (std::size_t i = 0; i < source.state.population.size(); ++i)
    taken_.insert(hash_of(source.state.population.genome(i)));
  duplicates_ = 0;
  swept_ = source.state.swept;
  all_swept_ = false;
  walked_ = source.state.walked;
  chosen_.clear();
}

void Offspring::make_first(const OffspringSource& source, std::span<const Genome> warm) {
  const std::size_t fixed = std::min(warm.size(), source.slots);
  begin(source, source.slots);
  settle(source, [&](std::size_t slot) {
    if (slot < fixed) {
      std::copy(warm[slot].begin(), warm[slot].end(), row(slot).begin());
      slots_[slot].fixed = true;
    } else {
      randomize(problem_->layout(), row(slot), slots_[slot].random);
    }
  });
}

// Both slots of a pair have the same parents, exchanged, and the same random numbers for crossover.
void Offspring::mate(const OffspringSource& source, std::size_t slot) {
  const std::size_t pair = slot / 2;
  RandomStream shared = pair_stream(options_->seed, source.generation, pair);
  Parents parents = mates_from_archive(source.state) ? archive_parents(source.state, shared)
                                                     : tournament_parents(source.state, pair);
  if (slot % 2 != 0) std::swap(parents.a, parents.b);
  const GenomeRow child = row(slot);
  crossover(problem_->layout(), options_->variation, parents, child, shared);
  const GenomeRow unchanged = before(slot);
  std::copy(child.begin(), child.end(), unchanged.begin());
  mutate(problem_->layout(), options_->variation, child, slots_[slot].random);
  problem_->follow_flips(unchanged, child);
}

// A front with more points than the population holds is better known to the archive.
bool Offspring::mates_from_archive(const SearchState& state) const {
  return state.archive.size() > state.population.size() && !problem_->layout().has_reals_only();
}

Parents Offspring::tournament_parents(const SearchState& state, std::size_t pair) const {
  const std::uint32_t* const entrants = entrants_.data() + 4 * pair;
  const std::size_t a = tournament_winner(state, entrants[0], entrants[1]);
  const std::size_t b = tournament_winner(state, entrants[2], entrants[3]);
  return {.a = state.population.genome(a), .b = state.population.genome(b)};
}

// Any member, with one that is near it in the archive's order, or at times any other.
Parents Offspring::archive_parents(const SearchState& state, RandomStream& random) {
  const std::size_t size = state.archive.size();
  const std::size_t a = random.below(size);
  const bool near = random.below(4) != 0;
  const std::size_t b =
      near ? std::min(size - 1, a + 1 + random.below(kNearMembers)) : random.below(size);
  return {.a = state.archive.genome(a), .b = state.archive.genome(b)};
}

// Half of the moves start from the population, whose genomes drift among those with equal
// objectives while the archive keeps the same one.
const Individuals& Offspring::move_base(const SearchState& state, RandomStream& random) {
  const bool feasible = state.population.size() > 0 && state.population.violations.back() == 0;
  return feasible && (random.next() >> 63U) != 0 ? state.population : state.archive;
}

// Permutations of the population one after another: everyone takes part equally often.
void Offspring::draw_entrants(const OffspringSource& source, std::size_t pairs) {
  const std::size_t population = source.state.population.size();
  RandomStream random(options_->seed, source.generation, kGenerationSlot);
  entrants_.clear();
  while (entrants_.size() < 4 * pairs) {
    const std::size_t first = entrants_.size();
    for (std::size_t i = 0; i < population; ++i) {
      entrants_.push_back(static_cast<std::uint32_t>(i));
      std::swap(entrants_[first + random.below(i + 1)], entrants_.back());
    }
  }
}

// Canonical forms of what is at the next places.
void Offspring::look_around(const OffspringSource& source, std::size_t count) {
  looked_.resize(count * words_);
  looked_fingerprints_.resize(count);
  parallel_for(count, source.team, walk_pace_, [&](std::size_t i) {
    const GenomeRow genome = GenomeRow(looked_).subspan(i * words_, words_);
    walk_.write_genome(source.state.archive, walked_ + i, genome);
    problem_->canonicalize(genome);
    looked_fingerprints_[i] = hash_of(genome);
  });
}

// The next genomes of the walk that were not evaluated, at most so many.
void Offspring::walk(const OffspringSource& source, std::size_t most) {
  if (most == 0 || source.generation - source.state.last_addition <= kWalkAfter) return;
  walk_.begin(source.state.archive);
  if (walked_ >= walk_.size()) return;
  chosen_table_.clear();
  for (std::size_t round = 0; round < kPlacesPerWalked; ++round) {
    const std::size_t count = static_cast<std::size_t>(
        std::min<std::uint64_t>(most, walk_.size() - std::min(walked_, walk_.size())));
    look_around(source, count);
    for (std::size_t i = 0; i < count; ++i, ++walked_) {
      if (chosen_.size() == most * words_) return;
      const std::uint64_t fingerprint = looked_fingerprints_[i];
      if (source.memory.was_evaluated(fingerprint)) continue;
      if (!chosen_table_.insert(fingerprint)) continue;
      const GenomeView genome = GenomeView(looked_).subspan(i * words_, words_);
      chosen_.insert(chosen_.end(), genome.begin(), genome.end());
    }
  }
}

void Offspring::make(const OffspringSource& source) {
  // A run that was allowed no evaluations so far has nobody to mate.
  if (source.state.population.size() == 0) {
    make_first(source, {});
    return;
  }
  begin(source, source.slots);
  const std::size_t archive = source.state.archive.size();
  const auto local = static_cast<std::size_t>(
      archive == 0 ? 0
                   : std::round(local_search_share(*options_, problem_->layout()) *
                                static_cast<double>(source.slots)));
  walk(source, std::min(local, source.slots - local));
  const std::size_t walked = chosen_.size() / words_;
  const std::size_t offered = std::min(source.offered.size(), source.slots - local - walked);
  const std::size_t mated = source.slots - local - walked - offered;
  draw_entrants(source, (mated + 1) / 2);
  settle(source, [&](std::size_t slot) {
    if (slot < mated) {
      mate(source, slot);
    } else if (slot < mated + offered) {
      const Genome& genome = source.offered[slot - mated];
      std::copy(genome.begin(), genome.end(), row(slot).begin());
    } else if (slot < mated + offered + walked) {
      const std::size_t place = slot - mated - offered;
      const GenomeView genome = GenomeView(chosen_).subspan(place * words_, words_);
      std::copy(genome.begin(), genome.end(), row(slot).begin());
    } else {
      RandomStream& random = slots_[slot].random;
      moves_.neighbour(move_base(source.state, random), row(slot), random);
    }
  });
}

void Offspring::change(Slot& slot, std::size_t index) {
  const GenomeRow genome = row(index);
  const GenomeRow unchanged = before(index);
  std::copy(genome.begin(), genome.end(), unchanged.begin());
  moves_.change_one(genome, slot.random);
  problem_->follow_flips(unchanged, genome);
  ++slot.changes;
}

bool Offspring::is_final(const Slot& slot) {
  return slot.fixed || slot.changes == kTries;
}

// Brings the genome into canonical form, and changes it until it is one not evaluated yet.
void Offspring::find_new(const OffspringSource& source, Slot& slot, std::size_t index) {
  for (;;) {
    problem_->canonicalize(row(index));
    slot.fingerprint = hash_of(row(index));
    slot.evaluated = source.memory.was_evaluated(slot.fingerprint);
    if (!slot.evaluated || is_final(slot)) return;
    change(slot, index);
  }
}

bool Offspring::judge(Slot& slot) {
  slot.accepted = taken_.insert(slot.fingerprint);
  if (slot.accepted && !slot.evaluated) ++new_genomes_;
  return !slot.accepted && !is_final(slot);
}

template <class First>
void Offspring::settle(const OffspringSource& source, const First& first) {
  new_genomes_ = 0;
  parallel_for(slots_.size(), source.team, first_pace_, [&](std::size_t index) {
    first(index);
    find_new(source, slots_[index], index);
  });
  pending_.resize(slots_.size());
  std::iota(pending_.begin(), pending_.end(), 0U);
  for (;;) {
    std::erase_if(pending_, [&](std::uint32_t index) { return !judge(slots_[index]); });
    if (pending_.empty()) break;
    parallel_for(pending_.size(), source.team, later_pace_, [&](std::size_t i) {
      const std::uint32_t index = pending_[i];
      change(slots_[index], index);
      find_new(source, slots_[index], index);
    });
  }
  collect();
  if (new_genomes_ < source.slots) sweep(source);
}

// As one that was not evaluated.
void Offspring::add(GenomeView genome, std::uint64_t fingerprint) {
  made_.words.insert(made_.words.end(), genome.begin(), genome.end());
  made_.objectives.resize(made_.objectives.size() + made_.objective_count, 0);
  made_.violations.push_back(0);
  fingerprints_.push_back(fingerprint);
  evaluated_.push_back(0);
}

void Offspring::collect() {
  made_.clear();
  fingerprints_.clear();
  evaluated_.clear();
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    const Slot& slot = slots_[index];
    duplicates_ += static_cast<std::uint64_t>(slot.changes);
    if (!slot.accepted) continue;
    add(row(index), slot.fingerprint);
    if (slot.evaluated) evaluated_.back() = 1;
  }
}

// Adds genomes that have not been seen, in the order of their numbers, until all slots have new
// ones.
void Offspring::sweep(const OffspringSource& source) {
  const std::optional<std::uint64_t> count = genome_count(problem_->layout());
  if (!count || *count > kSweptSpace) return;
  for (; swept_ < *count && new_genomes_ < source.slots; ++swept_) {
    numbered_genome(problem_->layout(), swept_, scratch_);
    problem_->canonicalize(scratch_);
    if (genome_number(problem_->layout(), scratch_) != swept_) continue;
    const std::uint64_t fingerprint = hash_of(scratch_);
    if (source.memory.was_evaluated(fingerprint)) continue;
    if (!taken_.insert(fingerprint)) continue;
    add(scratch_, fingerprint);
    ++new_genomes_;
  }
  all_swept_ = swept_ == *count;
}

}  // namespace paretrain::engine
