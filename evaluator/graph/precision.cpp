#include "evaluator/graph/precision.h"

#include <algorithm>

#include "base/check.h"

namespace paretrain::evaluator {
namespace {

// One column of the preset table, in bits.
struct PresetBits {
  std::int64_t activation = 32;
  std::int64_t statistic = 32;
  std::int64_t parameter = 32;
  std::int64_t gradient = 32;
  std::int64_t state = 32;
  std::int64_t master = 0;
  std::int64_t partial = 32;
};

PresetBits preset_bits(Precision precision) {
  switch (precision) {
    case Precision::Fp32:
      return {};
    case Precision::Fp16:
    case Precision::Bf16:
      return {16, 32, 16, 16, 16, 0, 32};
    case Precision::Mixed:
      return {16, 32, 16, 16, 32, 32, 32};
    case Precision::Int8:
      return {8, 8, 8, 8, 8, 0, 16};
  }
  CHECK(false, "a precision without a row in the table");
}

PresetBits file_bits(ElementType type) {
  const std::int64_t own = element_bytes(type) * 8;
  const std::int64_t wide = std::max<std::int64_t>(own, 32);
  return {own, wide, own, own, own, 0, wide};
}

std::int64_t float_bits(const PresetBits& preset, ElementKind kind, ElementType type) {
  switch (kind) {
    case ElementKind::Activation:
      return preset.activation;
    case ElementKind::Statistic:
      return preset.statistic;
    case ElementKind::Parameter:
      return preset.parameter;
    case ElementKind::StoredParameter:
      return preset.parameter + preset.master;
    case ElementKind::ParameterGradient:
      return preset.gradient;
    case ElementKind::OptimizerState:
      return preset.state;
    case ElementKind::Scalar:
      return element_bytes(type) * 8;
    case ElementKind::Bit:
      return 1;
  }
  CHECK(false, "an element kind without bits");
}

}  // namespace

std::int64_t element_bits(std::optional<Precision> precision, ElementKind kind, ElementType type) {
  if (kind == ElementKind::Bit) return 1;
  if (!is_float(type)) return element_bytes(type) * 8;
  return float_bits(precision ? preset_bits(*precision) : file_bits(type), kind, type);
}

std::int64_t partial_sum_bits(std::optional<Precision> precision, ElementType type) {
  return precision ? preset_bits(*precision).partial : file_bits(type).partial;
}

}  // namespace paretrain::evaluator
