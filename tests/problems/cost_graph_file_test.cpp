#include "problems/cost_graph_file.h"

#include <string>

#include "base/error.h"
#include "tests/support/doctest.h"
#include "tests/support/temporary_folder.h"

namespace paretrain::tests {

namespace {

const std::string kNodes = R"("nodes": [
  {"id": 0, "inputs": [-1], "backward_reads": [-1], "forward_latency": 8, "backward_latency": 16,
   "forward_energy": 14, "backward_energy": 28, "output_bytes": 16},
  {"id": 1, "name": "relu", "op": "relu", "inputs": [0, 0, -1], "backward_reads": [1, 0, 1],
   "forward_latency": 1, "backward_latency": 2, "forward_energy": 3, "backward_energy": 4,
   "output_bytes": 5, "gradient_bytes": 6, "needs_gradient": false, "tile_bytes": 7}])";

const std::string kUnits = R"("units": {"latency": "us", "energy": "uJ"})";

std::string document(const std::string& rest) {
  return R"({"schema": "paretrain-cost-graph-1", )" + rest + "}";
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(problems::parsed_cost_graph(text, "g.json"));
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("parsed_cost_graph: reads every field and its default") {
  const problems::CostGraph graph =
      problems::parsed_cost_graph(document(kUnits + R"(, "input_bytes": 12, )" + kNodes), "g.json");
  CHECK(graph.source == "g.json");
  CHECK(graph.name == "");
  CHECK(graph.latency_unit == "us");
  CHECK(graph.energy_unit == "uJ");
  CHECK(graph.input_bytes == 12);
  CHECK(graph.static_bytes == 0);
  CHECK(graph.count_gradients);
  CHECK_FALSE(graph.fusion);
  REQUIRE(graph.nodes.size() == 2);
  CHECK(graph.nodes[0].gradient_bytes == 16);
  CHECK(graph.nodes[0].tile_bytes == 0);
  CHECK(graph.nodes[0].needs_gradient);
  CHECK(graph.nodes[0].backward_energy == 28);
  CHECK(graph.nodes[1].name == "relu");
  CHECK(graph.nodes[1].inputs == std::vector<std::int64_t>{0, -1});
  CHECK(graph.nodes[1].backward_reads == std::vector<std::int64_t>{1, 0});
  CHECK(graph.nodes[1].gradient_bytes == 6);
  CHECK(graph.nodes[1].tile_bytes == 7);
  CHECK_FALSE(graph.nodes[1].needs_gradient);
}

TEST_CASE("parsed_cost_graph: reads fusion") {
  const std::string fusion =
      R"("fusion": {"max_group_length": 3, "on_chip_bytes": 9, "latency_per_byte": 1,
         "energy_per_byte": 2}, "static_bytes": 4, "count_gradients": false, "name": "two", )";
  const problems::CostGraph graph = problems::parsed_cost_graph(
      document(fusion + kUnits + R"(, "input_bytes": 12, )" + kNodes), "g.json");
  REQUIRE(graph.fusion);
  CHECK(graph.fusion->max_group_length == 3);
  CHECK(graph.fusion->on_chip_bytes == 9);
  CHECK(graph.fusion->latency_per_byte == 1);
  CHECK(graph.fusion->energy_per_byte == 2);
  CHECK(graph.static_bytes == 4);
  CHECK_FALSE(graph.count_gradients);
  CHECK(graph.name == "two");
}

TEST_CASE("parsed_cost_graph: reports every problem of a file at once") {
  CHECK(refusal("{\"schema\": \"paretrain-cost-graph-1\",\n \"unit\": {},\n \"input_bytes\": -1,\n"
                " \"nodes\": [{\"id\": 1}, 7]}") ==
        "g.json:2: unknown key \"unit\"\n"
        "hint: did you mean \"units\"?\n"
        "g.json:1: units is missing\n"
        "g.json:3: input_bytes is -1; expected a number from 0 up\n"
        "g.json:4: node 0: id is 1; expected 0 (ids count from 0 in the order of the list)\n"
        "g.json:4: node 0: inputs is missing\n"
        "g.json:4: node 0: backward_reads is missing\n"
        "g.json:4: node 0: forward_latency is missing\n"
        "g.json:4: node 0: backward_latency is missing\n"
        "g.json:4: node 0: forward_energy is missing\n"
        "g.json:4: node 0: backward_energy is missing\n"
        "g.json:4: node 0: output_bytes is missing\n"
        "g.json:4: node 1: is 7; expected an object");
}

TEST_CASE("parsed_cost_graph: all four fields of fusion are required") {
  const std::string text = document(
      kUnits + R"(, "input_bytes": 1, "fusion": {"max_group_length": 0, "tile": 3}, )" + kNodes);
  CHECK(refusal(text) ==
        "g.json:1: fusion: unknown key \"tile\"\n"
        "g.json:1: fusion: max_group_length is 0; expected 1 or more\n"
        "g.json:1: fusion: on_chip_bytes is missing\n"
        "g.json:1: fusion: latency_per_byte is missing\n"
        "g.json:1: fusion: energy_per_byte is missing");
}

TEST_CASE("parsed_cost_graph: a graph needs a node") {
  CHECK(refusal(document(kUnits + R"(, "input_bytes": 1, "nodes": [])")) ==
        "g.json:1: nodes is empty; expected at least one node");
}

TEST_CASE("parsed_cost_graph: what is no JSON names the line") {
  CHECK(refusal("{\n\"schema\": 'x'}") ==
        "g.json:2: not JSON: Invalid value; expected one strict JSON value in UTF-8");
  CHECK(refusal("[[[[[[[[[[[[[[[[[[[[") == "g.json:1: nested more than 16 deep");
  CHECK(refusal("7") == "g.json:1: is 7; expected a cost graph, an object");
  CHECK(refusal(std::string("{}\0", 3)) == "g.json:1: a zero byte; expected JSON in UTF-8");
}

TEST_CASE("read_cost_graph: a file that is not there or a folder is the user's mistake") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(static_cast<void>(problems::read_cost_graph(folder.path() / "none.json")),
                       doctest::Contains("none.json: no such file"),
                       InputError);
  CHECK_THROWS_WITH_AS(static_cast<void>(problems::read_cost_graph(folder.path())),
                       doctest::Contains("is a folder; expected a file"),
                       InputError);
}

}  // namespace paretrain::tests
