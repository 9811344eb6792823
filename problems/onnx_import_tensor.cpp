#include <bit>
#include <cmath>
#include <cstring>

#include "base/checked_math.h"
#include "base/number_text.h"
#include "problems/onnx_import_parts.h"
#include "problems/onnx_slim.h"

namespace paretrain::problems {

namespace {

using evaluator::ConstantNumbers;
using evaluator::ElementType;

// The element count of a shape from a file, or nothing after saying what is wrong with it.
std::optional<std::int64_t> checked_elements(const evaluator::Shape& shape,
                                             const std::string& place,
                                             OnnxFaults& faults) {
  if (static_cast<std::int64_t>(shape.size()) > kMaximumRank) {
    faults.add(place,
               "rank " + number_text(static_cast<std::int64_t>(shape.size())) +
                   "; expected at most " + number_text(kMaximumRank));
    return std::nullopt;
  }
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      faults.add(place, "dimension " + number_text(extent) + "; expected 0 or more");
      return std::nullopt;
    }
    const auto product = checked_product(elements, extent);
    if (!product || *product > kMaximumElements) {
      faults.add(place, "more than 2^44 elements; expected a tensor that a machine can hold");
      return std::nullopt;
    }
    elements = *product;
  }
  return elements;
}

struct ExternalPlace {
  std::string location;
  std::optional<std::string> offset;
  std::optional<std::string> length;
};

bool leaves_folder(const std::string& location) {
  if (location.starts_with('/') || location.find('\\') != std::string::npos) return true;
  std::size_t at = 0;
  while (at <= location.size()) {
    const std::size_t end = std::min(location.find('/', at), location.size());
    if (location.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}

// The file of the data is never opened; what is declared must still make sense, since a model that
// points elsewhere was not made in good faith.
void check_external(const onnx::TensorProto& tensor,
                    std::int64_t bytes,
                    const std::string& place,
                    OnnxFaults& faults) {
  ExternalPlace external;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") external.location = entry.value();
    if (entry.key() == "offset") external.offset = entry.value();
    if (entry.key() == "length") external.length = entry.value();
  }
  const std::string& location = external.location;
  if (location == kDataInThisFile) {
    if (external.length != number_text(bytes))
      faults.add(
          place,
          external.length.value_or("no") + " bytes of data; its shape takes " + number_text(bytes));
    return;
  }
  if (location.empty()) {
    faults.add(place, "external data without a location; expected a file beside the model");
  } else if (location == "." || location.ends_with('/') || location.ends_with("/.")) {
    faults.add(place, "external data in " + quoted(location) + ", a folder; expected a file");
  } else if (leaves_folder(location)) {
    faults.add(place,
               "external data in " + quoted(location) +
                   ", outside the model's folder; expected a relative path below it");
  }
  if (external.offset) {
    const auto offset = parsed_integer(*external.offset);
    if (!offset || *offset < 0)
      faults.add(
          place,
          "external data at offset " + quoted(*external.offset) + "; expected a number from 0 up");
  }
  if (external.length) {
    const auto length = parsed_integer(*external.length);
    if (!length || *length != bytes)
      faults.add(place,
                 "external data of length " + quoted(*external.length) + "; its shape takes " +
                     number_text(bytes) + " bytes");
  }
}

std::int64_t typed_field_size(const onnx::TensorProto& tensor, ElementType type) {
  switch (type) {
    case ElementType::Float32:
      return tensor.float_data_size();
    case ElementType::Float64:
      return tensor.double_data_size();
    case ElementType::Int64:
      return tensor.int64_data_size();
    case ElementType::UInt32:
    case ElementType::UInt64:
      return tensor.uint64_data_size();
    case ElementType::Float16:
    case ElementType::BFloat16:
    case ElementType::Int8:
    case ElementType::Int16:
    case ElementType::Int32:
    case ElementType::UInt8:
    case ElementType::UInt16:
    case ElementType::Bool:
      return tensor.int32_data_size();
  }
  return 0;
}

// Source: IEEE 754 binary16.
double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10U) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <class Stored>
Stored stored_at(const std::string& raw, std::size_t index) {
  Stored value{};
  std::memcpy(&value, raw.data() + index * sizeof(Stored), sizeof(Stored));
  return value;
}

void add_raw_number(const std::string& raw, std::size_t i, ElementType type, ConstantNumbers& to) {
  switch (type) {
    case ElementType::Float32:
      return to.floats.push_back(stored_at<float>(raw, i));
    case ElementType::Float64:
      return to.floats.push_back(stored_at<double>(raw, i));
    case ElementType::Float16:
      return to.floats.push_back(half_value(stored_at<std::uint16_t>(raw, i)));
    case ElementType::BFloat16:
      return to.floats.push_back(std::bit_cast<float>(
          static_cast<std::uint32_t>(stored_at<std::uint16_t>(raw, i)) << 16U));
    case ElementType::Int8:
      return to.integers.push_back(stored_at<std::int8_t>(raw, i));
    case ElementType::Int16:
      return to.integers.push_back(stored_at<std::int16_t>(raw, i));
    case ElementType::Int32:
      return to.integers.push_back(stored_at<std::int32_t>(raw, i));
    case ElementType::Int64:
      return to.integers.push_back(stored_at<std::int64_t>(raw, i));
    case ElementType::UInt8:
    case ElementType::Bool:
      return to.integers.push_back(stored_at<std::uint8_t>(raw, i));
    case ElementType::UInt16:
      return to.integers.push_back(stored_at<std::uint16_t>(raw, i));
    case ElementType::UInt32:
      return to.integers.push_back(stored_at<std::uint32_t>(raw, i));
    case ElementType::UInt64:
      return to.integers.push_back(static_cast<std::int64_t>(stored_at<std::uint64_t>(raw, i)));
  }
}

void add_typed_number(const onnx::TensorProto& tensor,
                      int i,
                      ElementType type,
                      ConstantNumbers& to) {
  switch (type) {
    case ElementType::Float32:
      return to.floats.push_back(tensor.float_data(i));
    case ElementType::Float64:
      return to.floats.push_back(tensor.double_data(i));
    case ElementType::Float16:
      return to.floats.push_back(half_value(static_cast<std::uint16_t>(tensor.int32_data(i))));
    case ElementType::BFloat16:
      return to.floats.push_back(
          std::bit_cast<float>(static_cast<std::uint32_t>(tensor.int32_data(i)) << 16U));
    case ElementType::Int64:
      return to.integers.push_back(tensor.int64_data(i));
    case ElementType::UInt32:
    case ElementType::UInt64:
      return to.integers.push_back(static_cast<std::int64_t>(tensor.uint64_data(i)));
    case ElementType::Int8:
    case ElementType::Int16:
    case ElementType::Int32:
    case ElementType::UInt8:
    case ElementType::UInt16:
    case ElementType::Bool:
      return to.integers.push_back(tensor.int32_data(i));
  }
}

// Numbers are kept where shapes, axes and scalars may stand; longer constants are weights.
std::optional<ConstantNumbers> numbers_of(const onnx::TensorProto& tensor,
                                          ElementType type,
                                          std::int64_t elements) {
  if (elements > kMaximumKnownNumbers) return std::nullopt;
  ConstantNumbers numbers;
  for (std::int64_t i = 0; i < elements; ++i) {
    if (tensor.has_raw_data()) {
      add_raw_number(tensor.raw_data(), static_cast<std::size_t>(i), type, numbers);
    } else {
      add_typed_number(tensor, static_cast<int>(i), type, numbers);
    }
  }
  return numbers;
}

bool stored_size_is_right(const onnx::TensorProto& tensor,
                          const OnnxTensor& result,
                          std::int64_t elements,
                          OnnxFaults& faults) {
  const std::string place = "tensor " + quoted(tensor.name());
  const std::int64_t bytes = elements * evaluator::element_bytes(result.type);
  if (tensor.has_raw_data()) {
    const auto stored = static_cast<std::int64_t>(tensor.raw_data().size());
    if (stored == bytes) return true;
    faults.add(place,
               number_text(stored) + " bytes of data; its shape takes " + number_text(bytes));
    return false;
  }
  const std::int64_t stored = typed_field_size(tensor, result.type);
  if (stored == elements) return true;
  faults.add(place,
             number_text(stored) + " numbers in the field of its type; its shape takes " +
                 number_text(elements));
  return false;
}

}  // namespace

std::optional<ElementType> element_type(std::int64_t onnx_type) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT:
      return ElementType::Float32;
    case onnx::TensorProto::UINT8:
      return ElementType::UInt8;
    case onnx::TensorProto::INT8:
      return ElementType::Int8;
    case onnx::TensorProto::UINT16:
      return ElementType::UInt16;
    case onnx::TensorProto::INT16:
      return ElementType::Int16;
    case onnx::TensorProto::INT32:
      return ElementType::Int32;
    case onnx::TensorProto::INT64:
      return ElementType::Int64;
    case onnx::TensorProto::BOOL:
      return ElementType::Bool;
    case onnx::TensorProto::FLOAT16:
      return ElementType::Float16;
    case onnx::TensorProto::DOUBLE:
      return ElementType::Float64;
    case onnx::TensorProto::UINT32:
      return ElementType::UInt32;
    case onnx::TensorProto::UINT64:
      return ElementType::UInt64;
    case onnx::TensorProto::BFLOAT16:
      return ElementType::BFloat16;
    default:
      return std::nullopt;  // an open set: the number comes from a file
  }
}

OnnxTensor imported_tensor(const onnx::TensorProto& tensor, OnnxFaults& faults) {
  OnnxTensor result;
  result.name = tensor.name();
  const std::string place = "tensor " + quoted(tensor.name());
  const auto type = element_type(tensor.data_type());
  if (!type) {
    faults.add(place,
               "element type " + number_text(std::int64_t{tensor.data_type()}) +
                   "; expected a number type of ONNX (1 to 7, 9 to 13, 16)");
    return result;
  }
  result.type = *type;
  result.shape.assign(tensor.dims().begin(), tensor.dims().end());
  const auto elements = checked_elements(result.shape, place, faults);
  if (!elements) return result;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    check_external(tensor, *elements * evaluator::element_bytes(*type), place, faults);
    return result;
  }
  if (!stored_size_is_right(tensor, result, *elements, faults)) return result;
  result.numbers = numbers_of(tensor, *type, *elements);
  return result;
}

OnnxValue imported_value(const onnx::ValueInfoProto& value, OnnxFaults& faults) {
  OnnxValue result;
  result.name = value.name();
  const std::string place = "value " + quoted(value.name());
  if (!value.type().has_tensor_type()) {
    const bool missing = value.type().value_case() == onnx::TypeProto::VALUE_NOT_SET;
    faults.add(place,
               missing ? "no type; expected a tensor type"
                       : "a sequence, map, optional or sparse tensor; expected a plain tensor");
    return result;
  }
  const onnx::TypeProto::Tensor& tensor = value.type().tensor_type();
  const auto type = element_type(tensor.elem_type());
  if (!type) {
    faults.add(place,
               "element type " + number_text(std::int64_t{tensor.elem_type()}) +
                   "; expected a number type of ONNX (1 to 7, 9 to 13, 16)");
    return result;
  }
  result.type = *type;
  if (!tensor.has_shape()) return result;
  result.shape.emplace();
  evaluator::Shape known;
  for (const auto& dimension : tensor.shape().dim()) {
    OnnxDimension read;
    if (dimension.has_dim_value()) {
      read.extent = dimension.dim_value();
      known.push_back(dimension.dim_value());
    } else {
      read.symbol = dimension.dim_param();
      known.push_back(1);
    }
    result.shape->push_back(std::move(read));
  }
  static_cast<void>(checked_elements(known, place, faults));
  return result;
}

}  // namespace paretrain::problems
