#include "results/cost_rows.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "base/number_text.h"
#include "problems/core_description.h"
#include "results/csv.h"

namespace paretrain::results {

namespace {

using evaluator::Dataflow;
using evaluator::Loop;
using evaluator::TemporalLoop;
using evaluator::UnrollFactor;
using problems::NestKind;
using problems::NestShape;

constexpr std::size_t kMaxProblems = 10;
constexpr std::size_t kMaxAxes = 16;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 31U;

constexpr std::array<std::string_view, 6> kNeeded = {
    "accelerator", "layer", "op_type", "B", "K", "C"};

std::vector<std::string_view> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    words.push_back(text.substr(start, end - start));
    text.remove_prefix(end);
  }
}

struct SizedLoop {
  Loop loop = Loop::K;
  double size = 1;
};

std::optional<SizedLoop> sized_loop(std::string_view word) {
  const std::size_t colon = word.find_first_of(":=");
  if (colon == std::string_view::npos) return std::nullopt;
  const auto loop = problems::loop_of_name(word.substr(0, colon));
  const auto size = parsed_number(word.substr(colon + 1));
  if (!loop || !size || *size < 1 || *size > static_cast<double>(kMaxSize)) return std::nullopt;
  return SizedLoop{*loop, *size};
}

class RowReader {
 public:
  RowReader(const CsvTable& table, std::string where) : table_(table), where_(std::move(where)) {
    for (const std::string_view name : kNeeded) {
      if (!column(name))
        problems_.push_back(
            {where_ + ":1", "the column '" + std::string(name) + "' is missing", ""});
    }
    if (!problems_.empty()) throw InputError{problems_};
  }

  std::vector<CostRow> read() {
    std::vector<CostRow> rows;
    for (std::size_t r = 0; r < table_.rows.size() && problems_.size() < kMaxProblems; ++r) {
      row_ = &table_.rows[r];
      rows.push_back(read_row());
      rows.back().row = r;
    }
    if (!problems_.empty()) throw InputError{problems_};
    return rows;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::find(table_.header.begin(), table_.header.end(), name);
    if (found == table_.header.end()) return std::nullopt;
    return static_cast<std::size_t>(found - table_.header.begin());
  }

  [[nodiscard]] std::string cell(std::string_view name) const {
    const auto index = column(name);
    return index ? row_->cells[*index] : std::string();
  }

  void fail(std::string_view name, const std::string& found, const std::string& expected) {
    problems_.push_back(
        {where_ + ":" + std::to_string(row_->line),
         "column '" + std::string(name) + "': found '" + found + "'; expected " + expected,
         ""});
  }

  // An empty or absent cell gives the fallback.
  std::int64_t size(std::string_view name, std::int64_t fallback, std::int64_t least = 1) {
    const std::string text = cell(name);
    if (text.empty()) return fallback;
    const auto value = parsed_integer(text);
    if (value && *value >= least && *value <= kMaxSize) return *value;
    fail(name, text, "a whole number from " + std::to_string(least) + " to 2^31");
    return fallback;
  }

  CostRow read_row() {
    CostRow row;
    row.line = row_->line;
    row.accelerator = cell("accelerator");
    row.layer = cell("layer");
    row.type = cell("op_type");
    row.objective = objective();
    read_shape(row);
    read_mapping(row);
    return row;
  }

  std::optional<evaluator::Objective> objective() {
    const std::string text = cell("objective");
    if (text == "latency") return evaluator::Objective::Latency;
    if (text == "energy") return evaluator::Objective::Energy;
    if (text == "edp") return evaluator::Objective::Edp;
    if (!text.empty() && text != "none") fail("objective", text, "latency, energy, edp or none");
    return std::nullopt;
  }

  void read_shape(CostRow& row) {
    NestShape& shape = row.shape;
    const bool is_product = row.type == "Gemm" || row.type == "MatMul";
    shape.kind = is_product ? NestKind::MatrixProduct : NestKind::Convolution;
    if (!is_product && row.type != "Conv") fail("op_type", row.type, "Conv, Gemm or MatMul");
    for (std::size_t l = 0; l < evaluator::kLoopCount; ++l)
      shape.sizes[l] = size(evaluator::loop_name(static_cast<Loop>(l)), 1);
    shape.stride_x = size("stride_x", 1);
    shape.stride_y = size("stride_y", 1);
    shape.dilation_x = size("dil_x", 1);
    shape.dilation_y = size("dil_y", 1);
    // IX and IY are extents here, not loops.
    shape.sizes[static_cast<std::size_t>(Loop::IX)] = 1;
    shape.sizes[static_cast<std::size_t>(Loop::IY)] = 1;
    if (!is_product && !cell("IX").empty()) shape.input_width = size("IX", 1);
    if (!is_product && !cell("IY").empty()) shape.input_height = size("IY", 1);
    shape.bits = bits();
    check_loops(row);
  }

  void check_loops(const CostRow& row) {
    if (const auto loop = problems::foreign_loop(row.shape)) {
      const std::string_view name = evaluator::loop_name(*loop);
      fail(name, cell(name), "1, for " + row.type + " has no such loop");
    }
    if (problems::operations_of(row.shape) > problems::kMaxOperations)
      problems_.push_back({where_ + ":" + std::to_string(row_->line),
                           "more than 9e15 operations; expected fewer",
                           ""});
  }

  evaluator::OperandBits bits() {
    const evaluator::OperandBits fallback;
    return {size("bits_W", fallback.weight, 0),
            size("bits_I", fallback.input, 0),
            size("bits_O_partial", fallback.output_partial, 0),
            size("bits_O_final", fallback.output_final, 0)};
  }

  void read_mapping(CostRow& row) {
    const std::string spatial = cell("spatial_mapping");
    if (!spatial.empty()) {
      row.dataflow = parsed_dataflow(spatial);
      if (!row.dataflow) fail("spatial_mapping", spatial, "axes as in 'D1=K:32; D2=C:32'");
    }
    const std::string order = cell("temporal_order_inner_to_outer");
    const auto loops = parsed_loops(order);
    if (loops) {
      row.order = *loops;
    } else {
      fail("temporal_order_inner_to_outer", order, "loops as in 'C:2 FY:3'");
    }
  }

  const CsvTable& table_;
  std::string where_;
  const CsvRow* row_ = nullptr;
  std::vector<Problem> problems_;
};

}  // namespace

std::optional<std::vector<TemporalLoop>> parsed_loops(std::string_view text) {
  std::vector<TemporalLoop> loops;
  for (const std::string_view word : words_of(text, " ")) {
    const auto loop = sized_loop(word);
    if (!loop || loop->size != static_cast<double>(static_cast<std::int64_t>(loop->size)))
      return std::nullopt;
    loops.push_back({loop->loop, static_cast<std::int64_t>(loop->size)});
  }
  return loops;
}

std::optional<Dataflow> parsed_dataflow(std::string_view text) {
  Dataflow dataflow;
  std::optional<std::size_t> axis;
  for (std::string_view word : words_of(text, " ;,")) {
    const std::size_t equals = word.find('=');
    if (word.starts_with('D') && equals != std::string_view::npos && equals > 1 &&
        parsed_integer(word.substr(1, equals - 1))) {
      const auto number = parsed_integer(word.substr(1, equals - 1));
      if (!number || *number < 1 || *number > static_cast<std::int64_t>(kMaxAxes))
        return std::nullopt;
      axis = static_cast<std::size_t>(*number - 1);
      if (dataflow.size() <= *axis) dataflow.resize(*axis + 1);
      if (dataflow[*axis]) return std::nullopt;
      dataflow[*axis].emplace();
      word.remove_prefix(equals + 1);
      if (word.empty()) continue;
    }
    const auto loop = sized_loop(word);
    if (!loop || !axis) return std::nullopt;
    dataflow[*axis]->push_back({loop->loop, loop->size});
  }
  return dataflow;
}

std::vector<CostRow> cost_rows(std::string_view text, const std::string& where) {
  const CsvTable table = csv_table(text, where);
  return RowReader(table, where).read();
}

}  // namespace paretrain::results
