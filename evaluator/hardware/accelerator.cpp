#include "evaluator/hardware/accelerator.h"

namespace paretrain::evaluator {

std::int64_t Array::units() const {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes)
    product *= size;
  return product;
}

}  // namespace paretrain::evaluator
