#include <string_view>

#include "base/error.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/hardware/offchip.h"
#include "problems/accelerator_file.h"
#include "problems/operator_nests.h"
#include "tests/fuzz/fuzz_target.h"

// Reads the bytes as an accelerator; when they are one, writes it, reads that again and costs a
// small operator on the first core.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace paretrain;
  try {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto file = problems::read_accelerator_text(text, "fuzz.yaml");
    static_cast<void>(problems::read_accelerator_text(problems::accelerator_text(file.accelerator),
                                                      "again.yaml"));
    if (file.accelerator.cores[0].kind == evaluator::CoreKind::Memory) return 0;
    problems::NestShape shape;
    shape.sizes[static_cast<std::size_t>(evaluator::Loop::K)] = 4;
    shape.sizes[static_cast<std::size_t>(evaluator::Loop::C)] = 3;
    shape.sizes[static_cast<std::size_t>(evaluator::Loop::OX)] = 5;
    const auto core = evaluator::with_offchip_level(file.accelerator, evaluator::CoreId(0));
    static_cast<void>(evaluator::best_core_cost(core, problems::loop_nest_of(shape), {}));
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
