// Why: three numbers judge a plan; this says where they come from: what runs, what it costs, what
// fusing and recomputing bought and what they cost, and what holds the peak.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/group/accelerator_group_model.h"
#include "evaluator/group/group_simulator.h"
#include "evaluator/plan/step_graph.h"
#include "problems/plan_problem.h"

namespace paretrain::results {

// What a group saves against its members run one by one, each fetching and storing all it touches,
// apart from what is handed over. Zero for a single operator; negative where fusing costs.
struct GroupSaving {
  std::int64_t latency = 0;
  double energy = 0;
  std::int64_t offchip_bytes = 0;
};

// A tensor that a group hands to the next one on chip (--residency).
struct HandedTensor {
  std::string name;
  std::int64_t bytes = 0;
  std::string place;  // where it lies meanwhile
};

// What a group hands over, and what both groups save by it. The savings of all groups add up to
// those of the plan.
struct HandedOver {
  std::vector<HandedTensor> tensors;
  GroupSaving saving;
};

struct EvaluatedGroup {
  std::vector<std::string> operators;  // a recompute is named "recompute:NAME"
  std::string phase;
  evaluator::GroupCost cost;
  GroupSaving saving;
  std::optional<HandedOver> handed_over;  // where the problem hands over at all
  std::int64_t alive_bytes = 0;           // off chip while it runs
  // On an accelerator only.
  std::optional<evaluator::GroupReport> detail;
  // When asked for; of one micro-batch.
  std::optional<evaluator::GroupSimulation> simulation;
};

// Of one tensor that the plan recomputes.
struct RecomputedTensor {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t freed_at_peak_bytes =
      0;  // more that would be alive at the plan's peak if it were kept
  std::int64_t peak_if_kept_bytes = 0;  // the whole plan's, with this one kept
  std::int64_t latency_paid = 0;        // of the whole plan, against keeping this one
  double energy_paid = 0;
};

struct PeakTensor {
  std::string name;
  std::string role;
  std::int64_t bytes = 0;
  bool recomputed = false;
};

struct EvaluationReport {
  std::string problem;
  std::string plan;    // as the user named it
  std::string genome;  // canonical text
  problems::PlanUnits units;
  std::optional<double> clock_hz;
  problems::PlanEvaluation totals;
  std::optional<std::int64_t> memory_limit_bytes;
  std::size_t peak_step = 0;
  std::string peak_operator;
  std::array<std::int64_t, evaluator::kMemoryRoleCount> peak_by_role{};
  std::vector<PeakTensor> peak_tensors;              // largest first
  std::optional<evaluator::EnergyBreakdown> energy;  // on an accelerator only
  std::vector<EvaluatedGroup> groups;                // in order of execution
  std::vector<RecomputedTensor> recomputed;          // in order of their keep genes
  std::size_t recomputed_left_out = 0;  // smaller ones, for the time that they would take
  // With --residency: the peak if everything that is handed over went off chip.
  std::optional<std::int64_t> peak_without_hand_overs_bytes;
  std::vector<std::string> resources;  // names, as simulations number them
};

// "optimizer_state": a role as reports name it.
[[nodiscard]] std::string role_name(evaluator::MemoryRole role);

// Requires: a clock.
[[nodiscard]] double latency_ms(const EvaluationReport& report);
[[nodiscard]] double energy_mj(const EvaluationReport& report);

// What all groups hand over together.
[[nodiscard]] HandedOver all_handed_over(const EvaluationReport& report);
[[nodiscard]] std::int64_t bytes_of(const HandedOver& handed);

enum class Simulation { Off, On };

// Operands that the evaluations of recomputed tensors may visit together: some seconds.
inline constexpr double kMostExplainedOperands = 0x1p28;

// What is reported, and with whose costs. `group_costs` is null for measured costs.
struct EvaluationSubject {
  const problems::PlanProblem* problem = nullptr;
  const evaluator::AcceleratorGroupModel* group_costs = nullptr;
  std::string plan;
  std::optional<double> clock_hz;
  Simulation simulation = Simulation::Off;  // On: an accelerator's groups only
  double most_explained_operands = kMostExplainedOperands;
};

// Cost: an evaluation of the whole plan per recomputed tensor, the largest ones first (equal ones
// in order), at least one, no more than visit subject.most_explained_operands operands together.
[[nodiscard]] EvaluationReport evaluation_report(const EvaluationSubject& subject,
                                                 problems::GenomeView genome);

}  // namespace paretrain::results
