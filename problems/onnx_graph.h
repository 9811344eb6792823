// Why: what a file says, in plain values, so that only one source file needs protobuf and every
// check and rule after it can be tested without making files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evaluator/graph/model_graph.h"

namespace paretrain::problems {

// Limits on what a file may hold; far above real networks, low enough that every later step ends.
inline constexpr std::int64_t kMaximumNodes = 1'000'000;
inline constexpr std::int64_t kMaximumRank = 16;
inline constexpr std::int64_t kMaximumElements = std::int64_t{1} << 44;
// Numbers of constants are carried along up to this many elements; above, only their shape.
inline constexpr std::int64_t kMaximumKnownNumbers = 4096;

// A constant: weights have no numbers, they are never read.
struct OnnxTensor {
  std::string name;
  evaluator::ElementType type = evaluator::ElementType::Float32;
  evaluator::Shape shape;
  std::optional<evaluator::ConstantNumbers> numbers;
};

// A fixed extent, a named one, or neither.
struct OnnxDimension {
  std::optional<std::int64_t> extent;
  std::string symbol;
};

struct OnnxValue {
  std::string name;
  evaluator::ElementType type = evaluator::ElementType::Float32;
  std::optional<std::vector<OnnxDimension>> shape;
};

struct OnnxNode {
  std::string name;
  std::string type;
  std::string domain;                // "" is ai.onnx
  std::vector<std::string> inputs;   // "" is an omitted one
  std::vector<std::string> outputs;  // likewise
  std::map<std::string, evaluator::Attribute> attributes;
  std::map<std::string, OnnxTensor> tensors;  // attributes that are tensors
};

struct OnnxGraph {
  std::string name;
  std::string producer;
  std::int64_t opset = 0;
  std::vector<OnnxValue> inputs;  // without those that are initializers
  std::vector<OnnxValue> outputs;
  std::vector<OnnxValue> inner;  // value_info
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxNode> nodes;  // in the file's order
  std::vector<std::string> warnings;
};

}  // namespace paretrain::problems
