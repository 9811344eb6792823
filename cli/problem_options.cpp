#include "cli/problem_options.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::cli {

namespace {

using evaluator::Allocation;
using evaluator::CandidateSet;
using evaluator::CostModel;
using evaluator::Loss;
using evaluator::Objective;
using evaluator::Optimizer;
using evaluator::Precision;
using evaluator::RandomOperators;
using evaluator::SavedSet;
using evaluator::UnknownOperator;
using evaluator::UpdatePlacement;

constexpr std::int64_t kMostSamples = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

template <class Enum>
Named(const char*, Enum) -> Named<Enum>;  // clang++ 14 deduces no aggregates by itself

constexpr std::array kPrecisions{Named{"fp32", Precision::Fp32},
                                 Named{"fp16", Precision::Fp16},
                                 Named{"bf16", Precision::Bf16},
                                 Named{"mixed", Precision::Mixed},
                                 Named{"int8", Precision::Int8}};
constexpr std::array kOptimizers{Named{"sgd", Optimizer::Sgd},
                                 Named{"momentum", Optimizer::Momentum},
                                 Named{"adam", Optimizer::Adam},
                                 Named{"adamw", Optimizer::AdamW}};
constexpr std::array kUpdates{Named{"end", UpdatePlacement::End},
                              Named{"eager", UpdatePlacement::Eager},
                              Named{"search", UpdatePlacement::Search}};
constexpr std::array kLosses{Named{"cross-entropy", Loss::CrossEntropy},
                             Named{"mse", Loss::MeanSquaredError}};
constexpr std::array kSavedSets{Named{"minimal", SavedSet::Minimal},
                                Named{"framework", SavedSet::Framework},
                                Named{"framework-cpu", SavedSet::FrameworkCpu}};
constexpr std::array kAllocations{Named{"ideal", Allocation::Ideal},
                                  Named{"framework", Allocation::Framework}};
constexpr std::array kRandoms{Named{"keep", RandomOperators::Keep},
                              Named{"replay", RandomOperators::Replay}};
constexpr std::array kCandidates{Named{"all", CandidateSet::All},
                                 Named{"saved", CandidateSet::Saved},
                                 Named{"monet", CandidateSet::Monet}};
constexpr std::array kUnknownOperators{Named{"error", UnknownOperator::Error},
                                       Named{"elementwise", UnknownOperator::Elementwise}};
constexpr std::array kCostModels{Named{"corrected", CostModel::Corrected},
                                 Named{"zigzag", CostModel::Zigzag}};
constexpr std::array kTileObjectives{Named{"latency", Objective::Latency},
                                     Named{"energy", Objective::Energy},
                                     Named{"edp", Objective::Edp}};
constexpr std::array kCounts{Named{"on", GradientCount::On}, Named{"off", GradientCount::Off}};
constexpr std::array kObjectives{Named{"latency", PlanObjective::Latency},
                                 Named{"energy", PlanObjective::Energy},
                                 Named{"memory", PlanObjective::Memory}};

template <class Table>
Choice choice_of(const Table& table) {
  Choice choice;
  for (const auto& entry : table)
    choice.names.emplace_back(entry.name);
  return choice;
}

template <class Table>
auto chosen(const Table& table, const std::string& name) {
  const auto* const found =
      std::ranges::find_if(table, [&](const auto& entry) { return entry.name == name; });
  CHECK(found != table.end(), "a choice outside its table: " + name);
  return found->value;
}

// Leaves `target` alone when the syntax has no such option or it has no value.
template <class Table, class Target>
void choose(const Options& options, const char* name, const Table& table, Target& target) {
  if (options.has(name)) target = chosen(table, options.text(name));
}

OptionGroup batch_group() {
  return {
      "Model",
      {{"batch", "N", IntegerRange{1, kMostSamples}, "samples in a step; default: the file's"},
       {"dim", "NAME=N", AnyText{}, "sets a symbolic dimension", "", true},
       {"micro-batch",
        "N",
        IntegerRange{1, kMostSamples},
        "samples in one pass, a divisor of the batch: forward and backward run batch/N times, "
        "updates once"},
       {"data-input", "NAME", AnyText{}, "a graph input that is data, not a parameter", "", true},
       {"unknown-op", "WHAT", choice_of(kUnknownOperators), "operators without a rule", "error"},
       {"no-fold-im2col",
        "",
        Flag{},
        "leave the im2col chains of a ready-made training graph as they are"}}};
}

OptionGroup training_group() {
  return {
      "Training step",
      {{"precision", "P", choice_of(kPrecisions), "bytes per element; default: the file's"},
       {"optimizer", "O", choice_of(kOptimizers), "states and updates", "adam"},
       {"update", "WHEN", choice_of(kUpdates), "when parameters are updated", "end"},
       {"loss", "L", choice_of(kLosses), "what is differentiated", "cross-entropy"},
       {"loss-output", "NAME", AnyText{}, "output with a loss; default: the first one", "", true},
       {"freeze", "PATTERN", AnyText{}, "parameters that are not trained (* and ?)", "", true},
       {"saved", "SET", choice_of(kSavedSets), "what the backward pass reads", "framework"},
       {"allocation", "A", choice_of(kAllocations), "how gradients are allocated", "ideal"},
       {"random", "R", choice_of(kRandoms), "dropout masks", "keep"},
       {"candidates", "SET", choice_of(kCandidates), "tensors that have a keep gene", "all"},
       {"inference", "", Flag{}, "forward only: no loss, backward or update"},
       {"count-gradients",
        "C",
        choice_of(kCounts),
        "cost graphs: gradients count in the peak; default: the file's"}}};
}

Problem bad_option(const std::string& name, const std::string& text, const std::string& expected) {
  return {"--" + name, "'" + printable(text) + "' found; expected " + expected, ""};
}

problems::ImportOptions import_options(const Options& options) {
  problems::ImportOptions import;
  if (options.has("batch")) import.batch = options.integer("batch");
  for (const std::string& text : options.texts("dim")) {
    const std::size_t equals = text.find('=');
    const auto size = equals == std::string::npos || equals == 0
                          ? std::nullopt
                          : parsed_integer(std::string_view(text).substr(equals + 1));
    if (!size || *size < 1 || *size > kMostSamples) {
      throw InputError(
          bad_option("dim", text, "NAME=N with N from 1 to " + number_text(kMostSamples)));
    }
    if (!import.dimensions.emplace(text.substr(0, equals), *size).second)
      throw InputError(bad_option("dim", text, "every name once"));
  }
  import.data_inputs = options.texts("data-input");
  return import;
}

evaluator::TrainingOptions training_options(const Options& options) {
  evaluator::TrainingOptions training;
  choose(options, "precision", kPrecisions, training.precision);
  choose(options, "optimizer", kOptimizers, training.optimizer);
  choose(options, "update", kUpdates, training.update);
  choose(options, "loss", kLosses, training.loss);
  training.loss_outputs = options.texts("loss-output");
  training.freeze = options.texts("freeze");
  choose(options, "saved", kSavedSets, training.saved);
  choose(options, "allocation", kAllocations, training.allocation);
  choose(options, "random", kRandoms, training.random);
  choose(options, "candidates", kCandidates, training.candidates);
  choose(options, "unknown-op", kUnknownOperators, training.unknown_operator);
  training.fold_im2col = !options.flag("no-fold-im2col");
  training.inference = options.flag("inference");
  return training;
}

AcceleratorOptions accelerator_options(const Options& options) {
  AcceleratorOptions accelerator;
  accelerator.accelerator = options.optional_text("accelerator").value_or("");
  accelerator.mapping = options.optional_text("mapping");
  choose(options, "cost-model", kCostModels, accelerator.core_cost.model);
  choose(options, "tile-objective", kTileObjectives, accelerator.core_cost.objective);
  accelerator.residency = options.flag("residency");
  if (options.has("clock")) accelerator.clock_hz = options.real("clock");
  return accelerator;
}

std::vector<PlanObjective> objectives(const std::string& text) {
  std::vector<PlanObjective> result;
  std::string_view rest = text;
  const std::string expected =
      "two or three of latency,energy,memory, each once, separated by commas";
  for (;;) {
    const std::string name(rest.substr(0, rest.find(',')));
    const auto* const found =
        std::ranges::find_if(kObjectives, [&](const auto& entry) { return entry.name == name; });
    if (found == kObjectives.end() || std::ranges::find(result, found->value) != result.end())
      throw InputError(bad_option("objectives", text, expected));
    result.push_back(found->value);
    if (rest.find(',') == std::string_view::npos) break;
    rest.remove_prefix(rest.find(',') + 1);
  }
  if (result.size() < 2) throw InputError(bad_option("objectives", text, expected));
  std::ranges::sort(result);
  return result;
}

PlanOptions plan_options(const Options& options) {
  PlanOptions plan;
  plan.checkpointing = options.optional_text("checkpointing").value_or(plan.checkpointing);
  plan.fusion = options.optional_text("fusion").value_or(plan.fusion);
  plan.keep = options.texts("keep");
  plan.recompute = options.texts("recompute");
  if (options.is_given("max-group-length"))
    plan.max_group_length = options.integer("max-group-length");
  for (const std::string& name : changed_options(options, plan_option_group()))
    if (name == "fusion" || name == "max-group-length") plan.said_of_fusion.push_back(name);
  if (options.has("memory-limit")) plan.memory_limit = Bytes(options.bytes("memory-limit"));
  if (options.has("objectives")) plan.objectives = objectives(options.text("objectives"));
  if (options.has("count-gradients"))
    plan.count_gradients = chosen(kCounts, options.text("count-gradients"));
  return plan;
}

bool changes_default(const Options& options, const Option& option) {
  if (!options.is_given(option.name)) return false;
  if (std::holds_alternative<Flag>(option.kind)) return options.flag(option.name);
  return options.values().at(option.name) != std::vector<std::string>{option.default_text};
}

// A cost graph is a training step with its costs: it has no network and runs on no chip.
void check_for_cost_graph(const Options& options) {
  std::vector<Problem> problems;
  const auto refuse = [&](const OptionGroup& group, const std::string& why) {
    for (const std::string& name : changed_options(options, group))
      if (name != "count-gradients" && name != "clock") problems.push_back({"--" + name, why, ""});
  };
  for (const OptionGroup& group : model_option_groups())
    refuse(group, "only for networks: a cost graph is a training step already");
  refuse(accelerator_option_group(),
         "only for networks on an accelerator: a cost graph has its costs already");
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

std::vector<OptionGroup> model_option_groups() {
  return {batch_group(), training_group()};
}

OptionGroup accelerator_option_group() {
  return {
      "Accelerator and cost model",
      {{"accelerator",
        "A",
        AnyText{},
        "a .yaml file or a built-in name (`paretrain list accelerators`); none for cost graphs"},
       {"mapping", "FILE", AnyText{}, "which core runs what"},
       {"cost-model", "M", choice_of(kCostModels), "rules of the operator cost", "corrected"},
       {"tile-objective", "O", choice_of(kTileObjectives), "what tilings minimise", "latency"},
       {"residency",
        "",
        Flag{},
        "hand tensors to the next group on chip where they fit and it pays; genome texts made "
        "without it are refused with it"},
       {"clock", "HZ", RealRange{1, 1e15}, "clock in Hz: reports add ms and mJ"}}};
}

OptionGroup plan_option_group() {
  return {"Plans",
          {{"checkpointing",
            "C",
            Choice{{"search", "keep-all", "recompute-all"}},
            "the keep/recompute genes",
            "search"},
           {"keep", "PATTERN", AnyText{}, "tensors that are always kept (* and ?)", "", true},
           {"recompute", "PATTERN", AnyText{}, "tensors that are always recomputed", "", true},
           {"fusion",
            "F",
            AnyText{},
            "the fusion genes: search, none, greedy, or those of a plan file",
            "search"},
           {"max-group-length",
            "N",
            IntegerRange{1, 64},
            "operators in a fused group; given here it overrides a cost graph's",
            "6"},
           {"memory-limit",
            "SIZE",
            SizeRange{0, kMostBytes},
            "most peak memory of a feasible plan; default: what the DRAM holds"},
           {"objectives",
            "LIST",
            AnyText{},
            "what is minimised: two or three of latency,energy,memory",
            "latency,energy,memory"}}};
}

std::vector<OptionGroup> problem_option_groups() {
  std::vector<OptionGroup> groups = model_option_groups();
  groups.push_back(accelerator_option_group());
  groups.push_back(plan_option_group());
  return groups;
}

std::vector<std::string> changed_options(const Options& options, const OptionGroup& group) {
  std::vector<std::string> names;
  for (const Option& option : group.options)
    if (changes_default(options, option)) names.push_back(option.name);
  return names;
}

ProblemOptions problem_options(const Options& options) {
  ProblemOptions problem;
  problem.model = options.positional("MODEL");
  if (is_cost_graph(problem.model))
    check_for_cost_graph(options);
  else if (options.has("count-gradients"))
    throw InputError(
        Problem{"--count-gradients", "only for cost graphs; expected a .json model", ""});
  problem.import = import_options(options);
  problem.training = training_options(options);
  if (options.has("micro-batch")) problem.micro_batch = options.integer("micro-batch");
  problem.accelerator = accelerator_options(options);
  problem.plan = plan_options(options);
  return problem;
}

bool is_fusion_file(const std::string& fusion) {
  return fusion != "search" && fusion != "none" && fusion != "greedy";
}

std::string objective_name(PlanObjective objective) {
  const auto* const found =
      std::ranges::find(kObjectives, objective, [](const auto& entry) { return entry.value; });
  CHECK(found != kObjectives.end(), "an objective without a name");
  return found->name;
}

bool is_cost_graph(const std::string& model) {
  return model.ends_with(".json");
}

}  // namespace paretrain::cli
