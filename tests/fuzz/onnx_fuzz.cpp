// Any bytes as a model give a model, whose training graph may be refused, or an InputError. Another
// batch walks the graph twice.
#include <string>

#include "base/error.h"
#include "problems/model_step.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  namespace problems = paretrain::problems;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  for (const std::int64_t batch : {1, 6}) {
    problems::ImportOptions options;
    options.batch = batch;
    try {
      const problems::ImportedModel model =
          problems::imported_model_bytes(text, "model.onnx", options);
      const auto graph = problems::model_step(model, {});
      if (graph.operators.empty() && graph.storages.empty()) return 1;
    } catch (const paretrain::InputError& error) {
      if (error.problems().empty()) return 1;
    }
  }
  return 0;
}
