// Why: the forward network as the readers of model files hand it over: ONNX operators with every
// shape known and every constant folded, and nothing of the file format left.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"

namespace paretrain::evaluator {

using ValueId = Id<struct ValueTag>;

enum class ElementType {
  Float32,
  Float16,
  BFloat16,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Bool
};

// Bytes of one element as stored in the file's own precision.
[[nodiscard]] std::int64_t element_bytes(ElementType type);
[[nodiscard]] bool is_float(ElementType type);

using Shape = std::vector<std::int64_t>;

// Product of the dimensions; 1 for a scalar. Requires: checked on import, so it fits.
[[nodiscard]] std::int64_t element_count(const Shape& shape);

// Numbers of a constant that are known: shapes, axes, ratios, scalars. Weights have none.
struct ConstantNumbers {
  std::vector<double> floats;          // for float element types, row-major
  std::vector<std::int64_t> integers;  // for integer and bool element types, row-major
};

enum class ValueKind {
  Input,      // graph input that is data
  Parameter,  // trainable: gets a gradient unless frozen
  Buffer,     // not trainable but occupies memory: running statistics, masks, position ids
  Constant,   // folded scalars, shapes and axes: occupy nothing
  Computed    // output of a node
};

struct Value {
  std::string name;
  ElementType type = ElementType::Float32;
  Shape shape;
  ValueKind kind = ValueKind::Computed;
  std::optional<ConstantNumbers> numbers;  // of a Buffer or Constant, when known
};

using Attribute = std::variant<std::int64_t,
                               double,
                               std::string,
                               std::vector<std::int64_t>,
                               std::vector<double>,
                               std::vector<std::string>>;

struct Node {
  std::string name;    // as in the file; made unique and non-empty on import
  std::string type;    // ONNX operator, e.g. "Conv"
  std::string domain;  // "" is ai.onnx
  std::vector<std::optional<ValueId>> inputs;  // an omitted optional input is empty
  std::vector<std::optional<ValueId>> outputs;
  std::map<std::string, Attribute> attributes;
};

// Invariants: `nodes` is a topological order; every Computed value is the output of exactly one
// node; no node computes only constants (those are folded); dimensions are at least 1.
struct ModelGraph {
  std::string name;
  std::int64_t opset = 0;
  std::int64_t batch = 1;  // extent of the batch axis of the data inputs
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;   // data inputs in file order
  std::vector<ValueId> outputs;  // in file order

  [[nodiscard]] const Value& value(ValueId id) const { return values[id.index()]; }
};

}  // namespace paretrain::evaluator
