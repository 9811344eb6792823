#include "cli/cost.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.h"
#include "base/number_text.h"
#include "cli/command.h"
#include "cli/cost_words.h"
#include "evaluator/core_cost/core_cost_search.h"
#include "evaluator/core_cost/fitted_core.h"
#include "evaluator/core_cost/spatial_mapping.h"
#include "evaluator/hardware/offchip.h"
#include "problems/accelerator_file.h"
#include "problems/mapping_file.h"
#include "problems/operator_nests.h"
#include "problems/yaml_file.h"
#include "results/cost_report.h"
#include "results/cost_rows.h"
#include "results/json_text.h"

namespace paretrain::cli {

namespace {

using evaluator::Accelerator;
using evaluator::Core;
using evaluator::CoreCostOptions;
using evaluator::CoreCostResult;
using evaluator::CoreKind;
using evaluator::Dataflow;
using evaluator::LoopNest;
using evaluator::MappedCost;
using evaluator::NoMapping;
using evaluator::TemporalLoop;
using problems::MappingEntry;
using problems::MappingFile;
using problems::NestKind;
using problems::NestShape;

constexpr std::size_t kAlternatives = 10;
// Beyond it there are too many orders to try all sizes of memories with each.
constexpr int kThoroughLimit = 6;

// What one operator is costed with; the mapping file may say more than the options.
struct Request {
  LoopNest nest;
  Core core;
  Dataflow dataflow;
  std::vector<TemporalLoop> order;                // empty: `file_order`
  std::vector<problems::OrderedLoop> file_order;  // empty: search
  CoreCostOptions options;
};

CoreKind wanted_kind(NestKind kind) {
  switch (kind) {
    case NestKind::Convolution:
    case NestKind::Depthwise:
    case NestKind::MatrixProduct:
      return CoreKind::Array;
    case NestKind::Pooling:
      return CoreKind::Pooling;
    case NestKind::Elementwise:
    case NestKind::Reduction:
      return CoreKind::Vector;
  }
  return CoreKind::Array;
}

// The first core of the wanted kind; pooling falls back to vector, vector to array.
std::size_t chosen_core(const Accelerator& accelerator, CoreKind kind) {
  static constexpr std::array kFallbacks = {CoreKind::Pooling, CoreKind::Vector, CoreKind::Array};
  for (auto from = std::find(kFallbacks.begin(), kFallbacks.end(), kind); from != kFallbacks.end();
       ++from) {
    for (std::size_t c = 0; c < accelerator.cores.size(); ++c) {
      if (accelerator.cores[c].kind == *from) return c;
    }
  }
  for (std::size_t c = 0; c < accelerator.cores.size(); ++c) {
    if (accelerator.cores[c].kind != CoreKind::Memory) return c;
  }
  return 0;
}

std::size_t core_index(const Options& options, const Accelerator& accelerator, CoreKind kind) {
  if (!options.is_given("core")) return chosen_core(accelerator, kind);
  const auto core = static_cast<std::size_t>(options.integer("core"));
  if (core >= accelerator.cores.size()) {
    throw InputError(Problem{"--core",
                             "core " + std::to_string(core) + " does not exist; expected 0 to " +
                                 std::to_string(accelerator.cores.size() - 1),
                             ""});
  }
  if (accelerator.cores[core].kind == CoreKind::Memory) {
    throw InputError(Problem{"--core", "core " + std::to_string(core) + " has no array units", ""});
  }
  return core;
}

CoreCostOptions core_cost_options(const Options& options) {
  CoreCostOptions result;
  result.model = options.text("cost-model") == "zigzag" ? evaluator::CostModel::Zigzag
                                                        : evaluator::CostModel::Corrected;
  const std::string objective = options.text("search");
  result.objective = objective == "energy" ? evaluator::Objective::Energy
                     : objective == "edp"  ? evaluator::Objective::Edp
                                           : evaluator::Objective::Latency;
  result.loop_limit = static_cast<int>(options.integer("loop-limit"));
  if (result.loop_limit <= kThoroughLimit) result.allocating = evaluator::Allocating::Thorough;
  return result;
}

// How the nest is unrolled when nobody says.
Dataflow usual_dataflow(const Core& core,
                        const LoopNest& nest,
                        NestKind kind,
                        const CoreCostOptions& options) {
  const bool lanes = options.model == evaluator::CostModel::Corrected &&
                     core.kind == CoreKind::Array && wanted_kind(kind) != CoreKind::Array;
  return lanes ? evaluator::lane_dataflow(core, nest)
               : evaluator::default_dataflow(core, nest, options.model);
}

// Sizes that a file leaves open ("*") take what the array and the other entries of the loop leave.
std::vector<TemporalLoop> order_of(const Request& request) {
  const evaluator::FittedCore fitted =
      evaluator::fitted_core(request.core, request.nest, request.options);
  const auto spatial =
      evaluator::spatial_mappings(fitted.core(), request.nest, request.dataflow, request.options);
  const auto* mappings = std::get_if<std::vector<evaluator::SpatialMapping>>(&spatial);
  const auto left = mappings != nullptr ? mappings->front().temporal : request.nest.sizes;
  std::vector<TemporalLoop> order;
  for (const problems::OrderedLoop& loop : request.file_order) {
    std::int64_t size = left[static_cast<std::size_t>(loop.loop)];
    if (loop.size) {
      size = *loop.size;
    } else {
      for (const problems::OrderedLoop& other : request.file_order) {
        if (other.loop == loop.loop && other.size) size /= *other.size;
      }
    }
    if (size > 1) order.push_back({loop.loop, size});
  }
  return order;
}

void apply(const MappingFile& file,
           const std::string& layer,
           const std::string& type,
           Request& request) {
  const MappingEntry* entry = file.find(layer, type);
  if (entry == nullptr) return;
  if (entry->spatial) request.dataflow = *entry->spatial;
  if (entry->links) request.options.links = *entry->links;
  request.file_order = entry->order;
}

CoreCostResult answer(const Request& request) {
  if (request.order.empty() && request.file_order.empty()) {
    return evaluator::best_core_cost(request.core, request.nest, request.dataflow, request.options);
  }
  return evaluator::core_cost_of_order(request.core,
                                       request.nest,
                                       request.dataflow,
                                       request.order.empty() ? order_of(request) : request.order,
                                       request.options);
}

// What is printed of a cost as JSON, without braces.
std::string json_members(const Options& options, const Request& request, const MappedCost& mapped) {
  std::string members = results::cost_json_members(request.core, mapped);
  if (options.flag("explain")) {
    members +=
        ", " + results::alternatives_json_member(evaluator::best_core_costs(
                   request.core, request.nest, request.dataflow, request.options, kAlternatives));
  }
  return members;
}

std::optional<MappingFile> mapping_file(const Options& options, const Accelerator& accelerator) {
  const auto path = options.optional_text("mapping");
  if (!path) return std::nullopt;
  return problems::read_mapping_file(*path, accelerator.cores.size());
}

std::string type_name(NestKind kind) {
  switch (kind) {
    case NestKind::Convolution:
    case NestKind::Depthwise:
      return "Conv";
    case NestKind::MatrixProduct:
      return "MatMul";
    case NestKind::Elementwise:
      return "Add";
    case NestKind::Pooling:
      return "Pooling";
    case NestKind::Reduction:
      return "ReduceSum";
  }
  return "";
}

Request request_of(const Options& options, const Accelerator& accelerator) {
  const NestShape shape = nest_shape(options);
  Request request;
  request.options = core_cost_options(options);
  request.nest = problems::loop_nest_of(shape);
  const std::size_t core = core_index(options, accelerator, wanted_kind(shape.kind));
  request.core = evaluator::with_offchip_level(accelerator, evaluator::CoreId(core));
  request.dataflow = usual_dataflow(request.core, request.nest, shape.kind, request.options);
  if (const auto file = mapping_file(options, accelerator))
    apply(*file, "", type_name(shape.kind), request);
  if (const auto spatial = options.optional_text("spatial")) {
    const auto dataflow = results::parsed_dataflow(*spatial);
    if (!dataflow || dataflow->size() > request.core.array.sizes.size()) {
      throw InputError(Problem{"--spatial",
                               "found '" + *spatial +
                                   "'; expected axes of the array, as in "
                                   "'D1=K:32 D2=C:32'",
                               ""});
    }
    request.dataflow = *dataflow;
  }
  if (const auto order = options.optional_text("order")) request.order = given_order(*order);
  return request;
}

int run_single(const Options& options, const Accelerator& accelerator, Terminal& terminal) {
  const Request request = request_of(options, accelerator);
  const CoreCostResult result = answer(request);
  if (const auto* refusal = std::get_if<NoMapping>(&result)) {
    const std::string what = "no mapping: " + refusal->reason;
    throw InputError(options.is_given("order")
                         ? Problem{"--order", what, ""}
                         : Problem{"--op", what, "try another core or smaller --bits"});
  }
  const MappedCost& mapped = std::get<MappedCost>(result);
  if (options.flag("json")) {
    terminal.data("{" + json_members(options, request, mapped) + "}\n");
    return kDone;
  }
  std::string page = "core " + request.core.name + " of " + accelerator.name + "\n" +
                     results::cost_page(request.core, mapped);
  if (options.flag("explain")) {
    page += results::alternatives_page(evaluator::best_core_costs(
        request.core, request.nest, request.dataflow, request.options, kAlternatives));
  }
  terminal.data(page);
  return kDone;
}

Request request_of_row(const results::CostRow& row,
                       const Options& options,
                       const Accelerator& accelerator) {
  Request request;
  request.options = core_cost_options(options);
  if (row.objective && !options.is_given("search")) request.options.objective = *row.objective;
  request.nest = problems::loop_nest_of(row.shape);
  const std::size_t core = core_index(options, accelerator, wanted_kind(row.shape.kind));
  request.core = evaluator::with_offchip_level(accelerator, evaluator::CoreId(core));
  request.dataflow = row.dataflow ? *row.dataflow : request.core.dataflow;
  if (options.flag("recorded")) request.order = row.order;
  return request;
}

// A recorded order that is empty is right only where nothing is left to loop over.
CoreCostResult answer_of_row(const Request& request, const Options& options) {
  CoreCostResult result = answer(request);
  const auto* mapped = std::get_if<MappedCost>(&result);
  if (mapped == nullptr || !options.flag("recorded") || !request.order.empty()) return result;
  const bool loops = std::ranges::any_of(mapped->mapping.order,
                                         [](const TemporalLoop& loop) { return loop.size > 1; });
  if (loops) return NoMapping{"the row records no order"};
  return result;
}

// What a row records stands above the file, but for the links, which no row has.
void apply_to_row(const MappingFile& file,
                  const results::CostRow& row,
                  const Options& options,
                  Request& request) {
  const Request recorded = request;
  apply(file, row.layer, row.type, request);
  if (!options.flag("recorded")) return;
  request.dataflow = recorded.dataflow;
  request.file_order.clear();
}

std::string row_line(const results::CostRow& row,
                     const Options& options,
                     const Accelerator& accelerator,
                     const std::optional<MappingFile>& file) {
  Request request = request_of_row(row, options, accelerator);
  if (file) apply_to_row(*file, row, options, request);
  const CoreCostResult result = answer_of_row(request, options);
  std::string line = "{\"row\": " + std::to_string(row.row) + ", ";
  if (const auto* refusal = std::get_if<NoMapping>(&result)) {
    return line + "\"error\": " + results::json_string("no mapping: " + refusal->reason) + "}\n";
  }
  line += "\"layer\": " + results::json_string(row.layer) + ", ";
  return line + json_members(options, request, std::get<MappedCost>(result)) + "}\n";
}

// Of rows that will be costed: axes that no core has are a mistake of the file.
void check_axes(std::span<const results::CostRow> rows,
                const Accelerator& accelerator,
                const std::string& path) {
  std::size_t axes = 0;
  for (const Core& core : accelerator.cores)
    axes = std::max(axes, core.array.sizes.size());
  for (const results::CostRow& row : rows) {
    if (row.accelerator != accelerator.name || !row.dataflow || row.dataflow->size() <= axes)
      continue;
    throw InputError(Problem{path + ":" + std::to_string(row.line),
                             "column 'spatial_mapping': found axis D" +
                                 std::to_string(row.dataflow->size()) + "; " + accelerator.name +
                                 " has D1 to D" + std::to_string(axes),
                             ""});
  }
}

int run_rows(const Options& options, const Accelerator& accelerator, Terminal& terminal) {
  const std::string path = options.text("from-csv");
  const auto rows = results::cost_rows(problems::text_of_file(path), path);
  check_axes(rows, accelerator, path);
  const auto file = mapping_file(options, accelerator);
  if (options.is_given("row") && options.integer("row") >= static_cast<std::int64_t>(rows.size())) {
    throw InputError(Problem{"--row",
                             "row " + std::to_string(options.integer("row")) +
                                 " does not exist; the file has " + std::to_string(rows.size()) +
                                 " rows, counted from 0",
                             ""});
  }
  std::size_t skipped = 0;
  for (const results::CostRow& row : rows) {
    if (options.is_given("row") && static_cast<std::int64_t>(row.row) != options.integer("row"))
      continue;
    if (row.accelerator != accelerator.name) {
      ++skipped;
      continue;
    }
    terminal.data(row_line(row, options, accelerator, file));
  }
  if (skipped > 0) {
    terminal.message("skipped " + std::to_string(skipped) + " rows of other accelerators than " +
                     accelerator.name);
  }
  return kDone;
}

}  // namespace

int run_cost(const Options& options, Terminal& terminal) {
  if (!options.is_given("accelerator"))
    throw InputError(
        Problem{"--accelerator", "is missing; expected a file or a built-in name", ""});
  if (options.is_given("op") == options.is_given("from-csv")) {
    throw InputError(
        Problem{"cost", "expected one of --op with --dims, and --from-csv", "see cost --help"});
  }
  check_words(options);
  const problems::AcceleratorFile file = problems::accelerator_of(options.text("accelerator"));
  for (const std::string& warning : file.warnings)
    terminal.warning(warning);
  return options.is_given("op") ? run_single(options, file.accelerator, terminal)
                                : run_rows(options, file.accelerator, terminal);
}

}  // namespace paretrain::cli
