#include <string_view>

#include "base/error.h"
#include "problems/cost_graph_file.h"
#include "problems/cost_graph_problem.h"
#include "tests/fuzz/fuzz_target.h"

// Reads the bytes as a cost graph and, when they are one, evaluates its two extreme plans.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const paretrain::problems::PlanProblem problem = paretrain::problems::cost_graph_problem(
        paretrain::problems::parsed_cost_graph(text, "fuzz.json"), {});
    static_cast<void>(problem.evaluate(problem.keep_all()));
    paretrain::problems::Genome all(problem.word_count(), 0);
    for (const std::uint32_t gene : problem.fusion_gene_positions())
      paretrain::problems::set_gene(all, gene, 1);
    static_cast<void>(problem.explain(all));
  } catch (const paretrain::InputError&) {
    return 0;
  }
  return 0;
}
