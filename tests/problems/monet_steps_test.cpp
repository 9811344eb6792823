// The steps that are derived for MONET's networks against what MONET's own files hold.
#include <numeric>
#include <string>

#include "evaluator/graph/training_step.h"
#include "problems/model_import.h"
#include "problems/model_step.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {
namespace {

using namespace evaluator;

struct Published {
  const char* model = "";
  std::size_t candidates = 0;
  std::int64_t candidate_bytes = 0;  // fp16
  std::int64_t forward_macs = 0;
  std::int64_t backward_macs = 0;
};

}  // namespace

TEST_CASE("MONET's networks: candidates and multiply-accumulates of the published graphs") {
  // The language model's file lists a 35th tensor of 262,144 bytes by a naming bug.
  for (const Published& expected :
       {Published{"monet-resnet18-32", 18, 4460544, 2221690880, 4436303872},
        Published{"monet-gpt2", 34, 13778944 - 262144, 3309305856, 6618611712}}) {
    TrainingOptions options;
    options.precision = Precision::Fp16;
    options.candidates = CandidateSet::Monet;
    const TrainingGraph graph =
        problems::model_step(problems::imported_model(expected.model, {}), options);
    const StepSummary summary = step_summary(graph);
    CHECK(summary.candidates.size() == expected.candidates);
    std::int64_t bytes = 0;
    for (const CandidateSummary& candidate : summary.candidates)
      bytes += candidate.bytes.number();
    CHECK(bytes == expected.candidate_bytes);
    CHECK(summary.macs.forward == expected.forward_macs);
    CHECK(summary.macs.backward == expected.backward_macs);
  }
}

TEST_CASE("MONET's networks: the larger residual network") {
  TrainingOptions options;
  options.precision = Precision::Fp16;
  options.candidates = CandidateSet::Monet;
  const TrainingGraph graph =
      problems::model_step(problems::imported_model("monet-resnet18-224", {}), options);
  CHECK(graph.candidates.size() == 18);
  std::int64_t bytes = 0;
  for (const StorageId id : graph.candidates)
    bytes += graph.storage(id).bytes.number();
  CHECK(bytes == 13648896);
}

}  // namespace paretrain::tests
