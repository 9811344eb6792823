// The fast evaluator against the plain one on genomes of a training step:
//
//   paretrain_plain_evaluation MODEL [--genomes 1000] [--seed 1] [--accelerator edge-tpu-quad]
//     [--update end|eager|search] [--fresh 1000000]
//
// A quarter of the genomes each is uniform, sparse, dense, and offspring of a running search (half
// of these before repair, with three bits flipped). Canonical form, latency, energy (bit by bit),
// off-chip bytes, peak and number of groups must be equal. Every distinct group (operators, results
// made, what is fetched and stored) is costed, and judged legal or not, by a model that remembers
// nothing; after --fresh of them the others are asked of the problem's own model, without the
// memory of threads. Exits 1 at the first difference.
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "engine/search.h"
#include "problems/named_plans.h"
#include "problems/plan_scratch.h"
#include "problems/plan_search_problem.h"
#include "problems/training_problem.h"
#include "tests/slow/plain_plan.h"
#include "tests/slow/plain_step.h"
#include "tests/slow/program_options.h"

namespace paretrain::tests {

namespace {

using evaluator::GroupContent;
using evaluator::GroupCost;
using evaluator::RunningOperator;
using problems::Genome;

struct Options {
  std::string model;
  std::string accelerator = "edge-tpu-quad";
  evaluator::UpdatePlacement update = evaluator::UpdatePlacement::End;
  std::uint64_t genomes = 1000;
  std::uint64_t seed = 1;
  std::uint64_t fresh = 1000000;
};

problems::TrainingProblem built(const Options& options) {
  problems::TrainingProblemOptions given;
  given.accelerator = options.accelerator;
  given.training.update = options.update;
  return problems::training_problem(options.model, given);
}

// Answers about distinct groups, each found once by a model that remembers nothing.
class DistinctGroups {
 public:
  DistinctGroups(const problems::TrainingProblem& training, std::uint64_t fresh)
      : training_(training),
        forgetful_(*training.graph, *training.accelerator, {}, {.remembered = 0}),
        fresh_(fresh) {}

  bool legal(std::span<const RunningOperator> operators) {
    const std::vector<std::uint64_t> key = key_of({operators, {}, {}});
    const auto known = legal_.find(key);
    if (known != legal_.end()) return known->second;
    const evaluator::GroupModel& own = training_.problem.model();
    const bool answer = own.is_legal(operators);
    if (legal_.size() < fresh_ && forgetful_.is_legal(operators) != answer)
      throw InputError(Problem{"legality", "a remembered answer is wrong", ""});
    legal_.emplace(key, answer);
    return answer;
  }

  GroupCost cost(const GroupContent& group) {
    const std::vector<std::uint64_t> key = key_of(group);
    const auto known = costs_.find(key);
    if (known != costs_.end()) return known->second;
    const GroupCost answer = costs_.size() < fresh_ ? forgetful_.report(group).cost
                                                    : training_.problem.model().cost(group);
    costs_.emplace(key, answer);
    return answer;
  }

  void print() const {
    std::cout << "  distinct groups: " << costs_.size() << " costed, "
              << std::min<std::uint64_t>(costs_.size(), fresh_) << " of them without memory; "
              << legal_.size() << " judged, " << std::min<std::uint64_t>(legal_.size(), fresh_)
              << " of them without memory\n";
  }

 private:
  static std::vector<std::uint64_t> key_of(const GroupContent& group) {
    std::vector<std::uint64_t> key = {group.operators.size(), group.reads.size()};
    for (const RunningOperator& running : group.operators) {
      key.push_back(2 * running.op.index() + (running.recompute ? 1 : 0));
      key.push_back(running.produced);
    }
    for (const evaluator::StepValueId value : group.reads)
      key.push_back(value.index());
    for (const evaluator::StepValueId value : group.writes)
      key.push_back(value.index());
    return key;
  }

  const problems::TrainingProblem& training_;
  evaluator::AcceleratorGroupModel forgetful_;
  std::uint64_t fresh_;
  std::map<std::vector<std::uint64_t>, bool> legal_;
  std::map<std::vector<std::uint64_t>, GroupCost> costs_;
};

// Genomes of four kinds, in turn.
class Genomes {
 public:
  Genomes(const problems::PlanProblem& problem, std::uint64_t seed)
      : problem_(problem),
        seed_(seed),
        space_(problem, {}),
        searched_(problem,
                  space_,
                  {problems::PlanObjective::Latency,
                   problems::PlanObjective::Energy,
                   problems::PlanObjective::Memory}),
        search_(searched_, {.seed = seed}) {
    std::vector<engine::Genome> warm;
    for (const problems::NamedPlan& plan : problems::baselines(problem, space_))
      warm.push_back(searched_.free_bits(plan.genome));
    search_.prepare(warm);
  }

  Genome next() {
    RandomStream random(seed_, count_, 7);
    switch (count_++ % 4) {
      case 0:
        return drawn(random, 1, 2, 1, 2);
      case 1:
        return drawn(random, random.below(2) * 32, 32, 1 + random.below(4), 32);
      case 2:
        return drawn(random, random.below(33), 32, 28 + random.below(5), 32);
      default:
        return evolved(random);
    }
  }

 private:
  // Keep genes are 1 with one probability, fusion genes with another; then a few are flipped.
  Genome drawn(RandomStream& random,
               std::uint64_t keep,
               std::uint64_t of_keep,
               std::uint64_t fuse,
               std::uint64_t of_fuse) {
    Genome genome(problem_.word_count(), 0);
    for (std::size_t g = 0; g < problem_.gene_count(); ++g) {
      const bool is_keep = problem_.genes()[g].kind == problems::GeneKind::Keep;
      const bool bit = is_keep ? random.below(of_keep) < keep : random.below(of_fuse) < fuse;
      problems::set_gene(genome, g, bit ? 1 : 0);
    }
    flip(genome, random, random.below(4));
    return genome;
  }

  void flip(Genome& genome, RandomStream& random, std::uint64_t times) {
    for (; times > 0; --times) {
      const std::size_t g = random.below(problem_.gene_count());
      problems::set_gene(genome, g, problems::gene_is_set(genome, g) ? 0 : 1);
    }
  }

  Genome evolved(RandomStream& random) {
    while (offspring_.empty()) {
      const engine::Individuals& batch = search_.ask();
      std::vector<engine::Evaluation> found;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        offspring_.push_back(searched_.genome(batch.genome(i)));
        found.push_back(searched_.evaluate(batch.genome(i)));
      }
      search_.tell(found);
    }
    Genome genome = std::move(offspring_.back());
    offspring_.pop_back();
    if (random.below(2) == 0) flip(genome, random, 3);
    return genome;
  }

  const problems::PlanProblem& problem_;
  std::uint64_t seed_;
  problems::SearchSpace space_;
  problems::PlanSearchProblem searched_;
  engine::Search search_;
  std::vector<Genome> offspring_;
  std::uint64_t count_ = 0;
};

class Comparison {
 public:
  explicit Comparison(const Options& options)
      : training_(built(options)), distinct_(training_, options.fresh) {
    const auto updates =
        options.update == evaluator::UpdatePlacement::Search ? UpdateGenes::Yes : UpdateGenes::No;
    step_ = plain_step(*training_.graph, updates, [&](const PlainRun& a, const PlainRun& b) {
      return training_.problem.model().has_fusion_gene(running(a), running(b));
    });
    groups_.longest = static_cast<std::size_t>(training_.problem.model().max_group_length());
    groups_.legal = [this](std::span<const RunningOperator> operators) {
      return distinct_.legal(operators);
    };
    groups_.cost = [this](const GroupContent& group) { return distinct_.cost(group); };
  }

  [[nodiscard]] const problems::PlanProblem& problem() const { return training_.problem; }

  // Same genes in the same order.
  [[nodiscard]] bool same_genes() const {
    const auto genes = problem().genes();
    if (genes.size() != step_.genes.size()) return false;
    for (std::size_t g = 0; g < genes.size(); ++g) {
      const PlainGene& plain = step_.genes[g];
      const bool keep = genes[g].kind == problems::GeneKind::Keep;
      if (keep != plain.storage.has_value()) return false;
      if (keep ? genes[g].value.index() != *plain.storage
               : as_run(genes[g].producer) != plain.producer ||
                     as_run(genes[g].consumer) != plain.consumer)
        return false;
    }
    return true;
  }

  // An empty text when both evaluators agree.
  [[nodiscard]] std::string difference(const Genome& genome) {
    std::vector<std::uint8_t> bits;
    for (std::size_t g = 0; g < problem().gene_count(); ++g)
      bits.push_back(problems::gene_is_set(genome, g) ? 1 : 0);
    const PlainPlan plain = plain_plan(step_, groups_, bits);
    const problems::PlanEvaluation fast = problem().evaluate(genome, scratch_);
    Genome canonical = genome;
    problem().canonicalize(canonical, scratch_);
    for (std::size_t g = 0; g < problem().gene_count(); ++g)
      if (problems::gene_is_set(canonical, g) != (plain.genes[g] != 0))
        return "canonical form, gene " + problem().gene_name(g);
    if (fast != problem().evaluate_canonical(canonical, scratch_)) return "canonical evaluation";
    if (fast.latency != plain.latency) return "latency";
    if (fast.energy != plain.energy) return "energy";
    if (fast.offchip_bytes != plain.offchip_bytes) return "off-chip bytes";
    if (fast.peak_bytes != plain.peak_bytes) return "peak";
    if (fast.groups != plain.groups) return "groups";
    fused_ += plain.groups < step_.operators.size() ? 1 : 0;
    recomputing_ += fast.recomputed > 0 ? 1 : 0;
    return "";
  }

  void print() const {
    std::cout << "  fewer groups than operators in " << fused_ << ", recomputes in " << recomputing_
              << "\n";
    distinct_.print();
  }

 private:
  static PlainRun as_run(const RunningOperator& given) {
    return {given.op.index(), given.recompute};
  }

  // Of a pair's recompute all results are produced, as far as a gene goes.
  static RunningOperator running(const PlainRun& run) {
    return {.op = evaluator::StepOperatorId(run.op), .recompute = run.recompute};
  }

  problems::TrainingProblem training_;
  DistinctGroups distinct_;
  PlainStep step_;
  PlainGroups groups_;
  problems::PlanScratch scratch_;
  std::uint64_t fused_ = 0;
  std::uint64_t recomputing_ = 0;
};

Options parsed(const std::vector<std::string>& words) {
  if (words.empty()) throw InputError(Problem{"arguments", "no model was given", ""});
  const ProgramOptions given({words.begin() + 1, words.end()},
                             {{"--genomes", "1000"},
                              {"--seed", "1"},
                              {"--accelerator", "edge-tpu-quad"},
                              {"--update", "end"},
                              {"--fresh", "1000000"}});
  Options options;
  options.model = words.front();
  options.accelerator = given.text("--accelerator");
  const std::string& update = given.text("--update");
  if (update == "search")
    options.update = evaluator::UpdatePlacement::Search;
  else if (update == "eager")
    options.update = evaluator::UpdatePlacement::Eager;
  else if (update != "end")
    throw InputError(Problem{"--update", update + " was given; expected end, eager or search", ""});
  options.genomes = given.number("--genomes");
  options.seed = given.number("--seed");
  options.fresh = given.number("--fresh");
  return options;
}

int run(const std::vector<std::string>& words) {
  const Options options = parsed(words);
  Comparison comparison(options);
  std::cout << options.model << ": " << comparison.problem().graph().operators.size()
            << " operators, " << comparison.problem().gene_count() << " genes\n";
  if (!comparison.same_genes()) {
    std::cout << "  DIFFERENT GENES\n";
    return 1;
  }
  Genomes genomes(comparison.problem(), options.seed);
  for (std::uint64_t i = 0; i < options.genomes; ++i) {
    const Genome genome = genomes.next();
    const std::string difference = comparison.difference(genome);
    if (!difference.empty()) {
      std::cout << "  genome " << i << " DIFFERS in " << difference << "\n";
      return 1;
    }
    if ((i + 1) % 10000 == 0) std::cout << "  " << i + 1 << " genomes" << std::endl;
  }
  std::cout << "  " << options.genomes << " genomes evaluate alike\n";
  comparison.print();
  return 0;
}

}  // namespace

}  // namespace paretrain::tests

int main(int count, char** words) {
  return paretrain::tests::program(count, words, paretrain::tests::run);
}
