#include "results/cost_rows.h"

#include "base/error.h"
#include "results/cost_report.h"
#include "tests/evaluator/core_cost/small_cores.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

using evaluator::Loop;
using results::cost_rows;

TEST_CASE("cost_rows: reads nest and mapping of a row") {
  const auto rows = cost_rows(
      "accelerator,layer,op_type,objective,B,K,C,OX,OY,FX,FY,stride_x,stride_y,IX,IY,bits_W,"
      "spatial_mapping,temporal_order_inner_to_outer\n"
      "chip,conv,Conv,edp,1,64,3,56,28,7,5,2,1,112,30,16,D1=K:32; D2=C:3,FX:7 K:2\n",
      "rows.csv");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].objective == evaluator::Objective::Edp);
  CHECK(rows[0].shape.sizes[static_cast<std::size_t>(Loop::OX)] == 56);
  CHECK(rows[0].shape.sizes[static_cast<std::size_t>(Loop::IX)] == 1);
  CHECK(rows[0].shape.input_width == 112);
  CHECK(rows[0].shape.input_height == 30);
  CHECK(rows[0].shape.stride_x == 2);
  CHECK(rows[0].shape.bits.weight == 16);
  CHECK(rows[0].shape.bits.output_partial == 16);
  REQUIRE(rows[0].dataflow.has_value());
  CHECK((*(*rows[0].dataflow)[1])[0].loop == Loop::C);
  CHECK(results::loops_text(rows[0].order) == "FX:7 K:2");
}

TEST_CASE("cost_rows: names line and column of what is wrong") {
  try {
    static_cast<void>(
        cost_rows("accelerator,layer,op_type,B,K,C,temporal_order_inner_to_outer\n"
                  "chip,conv,Conv,1,many,3,K:2\nchip,conv,Pool,1,2,3,K:two\n",
                  "rows.csv"));
    FAIL("was accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 3);
    CHECK(error.problems()[0].where == "rows.csv:2");
    CHECK(error.problems()[0].what ==
          "column 'K': found 'many'; expected a whole number from 1 to 2^31");
    CHECK(error.problems()[1].what ==
          "column 'op_type': found 'Pool'; expected Conv, Gemm or MatMul");
    CHECK(error.problems()[2].where == "rows.csv:3");
  }
}

TEST_CASE("cost_rows: names missing columns") {
  CHECK_THROWS_AS(static_cast<void>(cost_rows("layer,K\nx,1\n", "rows.csv")), InputError);
}

TEST_CASE("parsed_dataflow: keeps axes without loops apart from absent ones") {
  const auto dataflow = results::parsed_dataflow("D1=K:32; D3=");
  REQUIRE(dataflow.has_value());
  REQUIRE(dataflow->size() == 3);
  CHECK((*dataflow)[0].has_value());
  CHECK_FALSE((*dataflow)[1].has_value());
  CHECK((*dataflow)[2]->empty());
  CHECK_FALSE(results::parsed_dataflow("K:32").has_value());
  CHECK_FALSE(results::parsed_dataflow("D1=K:0").has_value());
  CHECK_FALSE(results::parsed_dataflow("D1=K:2 D1=C:2").has_value());
}

TEST_CASE("cost_json_members: cycles add up and every level is named") {
  const evaluator::Core core = two_lanes();
  const auto found = evaluator::best_core_cost(core, matrix_product(2, 2, 2), {});
  const auto& mapped = std::get<evaluator::MappedCost>(found);
  const std::string json = results::cost_json_members(core, mapped);
  CHECK(json.find("\"cycles\": {\"ideal\": 4, \"spatial\": 0, ") != std::string::npos);
  CHECK(json.find("\"levels\": {\"register\": ") != std::string::npos);
  CHECK(json.find("\"O@buffer\": {\"rd_to_low\": 0, ") != std::string::npos);
  CHECK(json.find("\"utilization\": ") != std::string::npos);
  CHECK(results::cost_page(core, mapped).find("O in register") != std::string::npos);
}

}  // namespace paretrain::tests
