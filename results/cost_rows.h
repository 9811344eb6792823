// Why: recorded layer costs come as CSV, one row a layer; reading them back as operators lets any
// row be costed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/core_cost/core_cost.h"
#include "evaluator/core_cost/mapping.h"
#include "problems/operator_nests.h"

namespace paretrain::results {

// One data row. Rows whose recorded search found nothing have no dataflow and no order.
struct CostRow {
  std::size_t row = 0;  // among data rows, from 0
  std::size_t line = 0;
  std::string accelerator;
  std::string layer;
  std::string type;
  std::optional<evaluator::Objective> objective;
  problems::NestShape shape;
  std::optional<evaluator::Dataflow> dataflow;
  std::vector<evaluator::TemporalLoop> order;  // inner to outer
};

// Columns: those of docs/formats-hardware.md, cost rows; others are ignored.
// Errors: InputError with every problem (at most ten rows), each with its line.
[[nodiscard]] std::vector<CostRow> cost_rows(std::string_view text, const std::string& where);

// "K:32 C:2", inner to outer. Empty for anything else.
[[nodiscard]] std::optional<std::vector<evaluator::TemporalLoop>> parsed_loops(
    std::string_view text);

// "D1=K:32; D2=C:3,FY:3" or with blanks between axes: what each axis unrolls. Empty for anything
// else.
[[nodiscard]] std::optional<evaluator::Dataflow> parsed_dataflow(std::string_view text);

}  // namespace paretrain::results
