// Why: built-in models are written as ONNX by our own code; this writes nodes as PyTorch's exporter
// names them and keeps the shapes, so that the models' source reads like the networks.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/graph/model_graph.h"

namespace paretrain::problems {

using Attributes = std::map<std::string, evaluator::Attribute>;

// A node to be written. It is named scope/Type; a second one of the type in the scope scope/Type_1,
// as PyTorch's exporter does.
struct WrittenNode {
  std::string type;
  std::string scope;                // "" or "/block/layer"
  std::vector<std::string> inputs;  // "" is an omitted one
  Attributes attributes = {};
  std::size_t outputs = 1;
};

// Writes one graph, opset 16. Values are known by their names. Misuse (a node whose shapes do not
// fit, a name used twice) is a fault of ours and stops the program.
class NetworkWriter {
 public:
  explicit NetworkWriter(std::string_view graph_name, std::int64_t opset = 16);
  ~NetworkWriter();
  NetworkWriter(const NetworkWriter&) = delete;
  NetworkWriter& operator=(const NetworkWriter&) = delete;
  NetworkWriter(NetworkWriter&&) = delete;
  NetworkWriter& operator=(NetworkWriter&&) = delete;

  std::string input(std::string_view name, evaluator::ElementType type, evaluator::Shape shape);

  // A float32 initializer without data: marked external, with the size that the data would have.
  std::string weight(std::string_view name, const evaluator::Shape& shape);
  // The same for an initializer that is not trained.
  std::string buffer(std::string_view name,
                     evaluator::ElementType type,
                     const evaluator::Shape& shape);

  // Constant nodes in a scope: a vector of integers, one integer, one number, true.
  std::string integers(std::string_view scope, const std::vector<std::int64_t>& numbers);
  std::string integer(std::string_view scope, std::int64_t number);
  std::string number(std::string_view scope, double number);
  std::string truth(std::string_view scope);

  // Returns the name of the first output, which is the node's name and "_output_0"; the others
  // count on.
  std::string add(const WrittenNode& node);

  [[nodiscard]] const evaluator::Shape& shape(const std::string& value) const;

  // Ends the graph: `value` gets the name "output" by way of its node.
  void output(const std::string& value);

  [[nodiscard]] std::string bytes() const;

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace paretrain::problems
