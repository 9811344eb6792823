// Why an executable of its own: it counts what is allocated by replacing the allocation functions.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/random.h"
#include "problems/plan_scratch.h"
#include "problems/training_problem.h"
#include "tests/support/doctest.h"

namespace {

std::atomic<std::uint64_t> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}

void* operator new[](std::size_t bytes) {
  return counted(bytes);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete[](void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace paretrain;

TEST_CASE("evaluate: allocates nothing once all groups of its genomes have been met") {
  for (const auto residency : {evaluator::Residency::Off, evaluator::Residency::On}) {
    problems::TrainingProblemOptions options;
    options.accelerator = "edge-tpu-quad";
    options.residency = residency;
    const problems::TrainingProblem training = problems::training_problem("mlp", options);
    const problems::PlanProblem& problem = training.problem;
    problems::PlanScratch scratch;
    std::vector<problems::Genome> genomes;
    for (std::uint64_t g = 0; g < 30; ++g) {
      RandomStream random(1, g, 0);
      genomes.emplace_back(problem.word_count(), 0);
      for (std::size_t gene = 0; gene < problem.gene_count(); ++gene)
        problems::set_gene(genomes.back(), gene, random.below(2));
      static_cast<void>(problem.evaluate(genomes.back(), scratch));
    }
    REQUIRE(allocations > 0);
    const std::uint64_t before = allocations;
    for (const problems::Genome& genome : genomes)
      static_cast<void>(problem.evaluate(genome, scratch));
    const std::uint64_t after = allocations;
    CHECK(after == before);
  }
}
