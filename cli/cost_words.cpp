#include "cli/cost_words.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/number_text.h"
#include "cli/cost.h"
#include "problems/core_description.h"
#include "results/cost_rows.h"

namespace paretrain::cli {

namespace {

using evaluator::Loop;
using problems::NestKind;
using problems::NestShape;

constexpr std::int64_t kMaxSize = std::int64_t{1} << 31U;
constexpr std::int64_t kMaxBits = 4096;

struct NamedKind {
  const char* name;
  NestKind kind;
};

constexpr std::array<NamedKind, 6> kKinds = {{{"conv", NestKind::Convolution},
                                              {"depthwise", NestKind::Depthwise},
                                              {"matmul", NestKind::MatrixProduct},
                                              {"elementwise", NestKind::Elementwise},
                                              {"pool", NestKind::Pooling},
                                              {"reduce", NestKind::Reduction}}};

[[noreturn]] void refuse(const std::string& option,
                         const std::string& found,
                         const std::string& expected) {
  throw InputError(Problem{"--" + option, "found '" + found + "'; expected " + expected, ""});
}

std::string loops_of(NestKind kind) {
  switch (kind) {
    case NestKind::Convolution:
      return "loops of a convolution: B G K C OY OX FY FX";
    case NestKind::Depthwise:
      return "loops of a depthwise convolution: B G OY OX FY FX, with K and C, if given, the same "
             "as G (conv has G and K for several results per channel)";
    case NestKind::MatrixProduct:
      return "loops of a matrix product: B H D C K";
    case NestKind::Pooling:
      return "loops of a pooling: B G K OY OX FY FX, with C, if given, the same as K";
    case NestKind::Elementwise:
    case NestKind::Reduction:
      return "any loops";
  }
  return "";
}

// Calls `use` with each NAME=NUMBER of the text; false from it refuses the word, and so does a name
// that stands twice.
void each_pair(const std::string& option,
               const std::string& text,
               const std::string& expected,
               const std::function<bool(const std::string&, std::int64_t)>& use) {
  std::vector<std::string> names;
  std::size_t start = 0;
  while ((start = text.find_first_not_of(" ,", start)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(" ,", start), text.size());
    const std::string word = text.substr(start, end - start);
    const std::size_t equals = word.find('=');
    const auto number = equals == std::string::npos ? std::optional<std::int64_t>{}
                                                    : parsed_integer(word.substr(equals + 1));
    if (!number || !use(word.substr(0, equals), *number)) refuse(option, word, expected);
    names.push_back(word.substr(0, equals));
    if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
      refuse(option, word, names.back() + " once");
    start = end;
  }
}

void read_sizes(const Options& options, NestShape& shape) {
  const auto text = options.optional_text("dims");
  if (!text)
    throw InputError(Problem{"--dims", "is missing; expected loops as in 'K=64 C=64'", ""});
  each_pair("dims",
            *text,
            "LOOP=SIZE with a loop of B G K C OY OX FY FX H D and a size from 1 to 2^31",
            [&](const std::string& name, std::int64_t size) {
              const auto loop = problems::loop_of_name(name);
              if (!loop || *loop == Loop::IX || *loop == Loop::IY || size < 1 || size > kMaxSize)
                return false;
              shape.sizes[static_cast<std::size_t>(*loop)] = size;
              return true;
            });
  if (const auto loop = problems::foreign_loop(shape)) {
    const std::string name(evaluator::loop_name(*loop));
    refuse("dims",
           name + "=" + std::to_string(shape.sizes[static_cast<std::size_t>(*loop)]),
           loops_of(shape.kind));
  }
  if (problems::operations_of(shape) > problems::kMaxOperations)
    refuse("dims", *text, "fewer than 9e15 operations");
}

// "2", or "2 1" for rows and columns.
void read_steps(const Options& options,
                const std::string& option,
                std::int64_t& rows,
                std::int64_t& columns) {
  const auto text = options.optional_text(option);
  if (!text) return;
  const std::size_t blank = text->find_first_of(" ,x");
  const auto first = parsed_integer(text->substr(0, blank));
  const auto second = blank == std::string::npos ? first : parsed_integer(text->substr(blank + 1));
  if (!first || !second || *first < 1 || *second < 1 || *first > kMaxSize || *second > kMaxSize)
    refuse(option, *text, "a whole number from 1 to 2^31, or two (rows, columns)");
  rows = *first;
  columns = *second;
}

void read_bits(const Options& options, NestShape& shape) {
  const bool adds_weight = shape.kind == NestKind::Elementwise;
  if (adds_weight) shape.bits.weight = 0;
  const auto text = options.optional_text("bits");
  if (!text) return;
  each_pair("bits",
            *text,
            "W, I, O (partial sums) or Of (results) with bits from 0 to 4096",
            [&](const std::string& name, std::int64_t bits) {
              if (bits < 0 || bits > kMaxBits) return false;
              if (name == "W") shape.bits.weight = bits;
              if (name == "I") shape.bits.input = bits;
              if (name == "O") shape.bits.output_partial = bits;
              if (name == "Of") shape.bits.output_final = bits;
              return name == "W" || name == "I" || name == "O" || name == "Of";
            });
}

}  // namespace

void check_words(const Options& options) {
  static constexpr std::array kOfOperator = {
      "dims", "stride", "dilation", "input-size", "bits", "spatial", "order"};
  static constexpr std::array kOfRows = {"row", "recorded"};
  std::vector<Problem> problems;
  const auto check = [&](std::span<const char* const> names, const std::string& wanted) {
    for (const std::string name : names) {
      if (options.is_given(name))
        problems.push_back({"--" + name, "means nothing here; it goes with --" + wanted, ""});
    }
  };
  if (options.is_given("from-csv")) check(kOfOperator, "op");
  if (options.is_given("op")) check(kOfRows, "from-csv");
  if (!problems.empty()) throw InputError{problems};
}

NestShape nest_shape(const Options& options) {
  NestShape shape;
  const std::string op = options.text("op");
  for (const NamedKind& named : kKinds) {
    if (op == named.name) shape.kind = named.kind;
  }
  read_sizes(options, shape);
  read_steps(options, "stride", shape.stride_y, shape.stride_x);
  read_steps(options, "dilation", shape.dilation_y, shape.dilation_x);
  if (const auto text = options.optional_text("input-size")) {
    each_pair("input-size",
              *text,
              "IX=SIZE and IY=SIZE",
              [&](const std::string& name, std::int64_t size) {
                if (size < 1 || size > kMaxSize) return false;
                if (name == "IX") shape.input_width = size;
                if (name == "IY") shape.input_height = size;
                return name == "IX" || name == "IY";
              });
  }
  const bool windowed = shape.stride_y != 1 || shape.stride_x != 1 || shape.dilation_y != 1 ||
                        shape.dilation_x != 1 || shape.input_height || shape.input_width;
  if (windowed && !problems::has_windows(shape.kind))
    throw InputError(Problem{
        "--op", op + " has no windows; expected no --stride, --dilation or --input-size", ""});
  read_bits(options, shape);
  return shape;
}

std::vector<evaluator::TemporalLoop> given_order(const std::string& text) {
  const auto loops = results::parsed_loops(text);
  if (!loops || loops->empty()) refuse("order", text, "loops inner to outer, as in 'C:2 FY:3'");
  return *loops;
}

CommandSyntax cost_syntax() {
  return {
      .name = "cost",
      .usage = "cost --accelerator A (--op KIND --dims SIZES | --from-csv FILE) [options]",
      .description =
          "Costs one operator on one core: cycles by cause, energy by memory and operand, and the "
          "loops that each memory holds. The off-chip memory is the outermost level.",
      .positionals = {},
      .groups =
          {{"Hardware",
            {{"accelerator", "A", AnyText{}, "accelerator file (.yaml) or built-in name"},
             {"core", "N", IntegerRange{0, 99999}, "core id; by default the first that fits"},
             {"mapping", "FILE", AnyText{}, "mapping file: unrolling, order, operand links"}}},
           {"Operator",
            {{"op",
              "KIND",
              Choice{{"conv", "depthwise", "matmul", "elementwise", "pool", "reduce"}},
              "what it is; reduce sums over C, FY, FX"},
             {"dims", "SIZES", AnyText{}, "loops, as in 'B=1 K=64 C=64 OY=56 OX=56 FY=3 FX=3'"},
             {"stride", "N", AnyText{}, "of the windows; one number, or rows and columns"},
             {"dilation", "N", AnyText{}, "of the windows; one number, or rows and columns"},
             {"input-size", "SIZES", AnyText{}, "unpadded input, as in 'IX=56 IY=56'"},
             {"bits", "BITS", AnyText{}, "per element, as in 'W=8 I=8 O=16 Of=8' (the default)"}}},
           {"Rows of a file",
            {{"from-csv", "FILE", AnyText{}, "a row per operator; one JSON line each"},
             {"row", "N", IntegerRange{0, INT64_MAX}, "only this data row, from 0"},
             {"recorded", "", Flag{}, "the recorded order instead of a search"}}},
           {"Mapping",
            {{"cost-model",
              "MODEL",
              Choice{{"corrected", "zigzag"}},
              "zigzag: quirk for quirk",
              "corrected"},
             {"spatial", "AXES", AnyText{}, "unrolling, as in 'D1=K:32 D2=C:32'"},
             {"order", "LOOPS", AnyText{}, "inner to outer, as in 'C:2 FY:3'; skips the search"},
             {"search",
              "GOAL",
              Choice{{"latency", "energy", "edp"}},
              "what the order is best for",
              "latency"},
             {"loop-limit",
              "N",
              IntegerRange{1, 10},
              "factors that loops are split into at most",
              "6"},
             {"explain", "", Flag{}, "the best ten orders"}}},
           output_option_group()},
      .examples = {"paretrain cost --accelerator edge-tpu-quad --op conv --stride 2 "
                   "--dims 'K=64 C=3 OY=112 OX=112 FY=7 FX=7' --explain",
                   "paretrain cost --accelerator tpu --from-csv rows.csv --recorded "
                   "--cost-model zigzag"}};
}

}  // namespace paretrain::cli
