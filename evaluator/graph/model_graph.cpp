#include "evaluator/graph/model_graph.h"

namespace paretrain::evaluator {

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::Float64:
    case ElementType::Int64:
    case ElementType::UInt64:
      return 8;
    case ElementType::Float32:
    case ElementType::Int32:
    case ElementType::UInt32:
      return 4;
    case ElementType::Float16:
    case ElementType::BFloat16:
    case ElementType::Int16:
    case ElementType::UInt16:
      return 2;
    case ElementType::Int8:
    case ElementType::UInt8:
    case ElementType::Bool:
      return 1;
  }
  return 1;
}

bool is_float(ElementType type) {
  return type == ElementType::Float32 || type == ElementType::Float16 ||
         type == ElementType::BFloat16 || type == ElementType::Float64;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape)
    count *= dimension;
  return count;
}

}  // namespace paretrain::evaluator
