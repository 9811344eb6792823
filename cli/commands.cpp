#include <array>

#include "cli/bench.h"
#include "cli/command.h"
#include "cli/compare.h"
#include "cli/cost.h"
#include "cli/describe_snapshot.h"
#include "cli/enumerate.h"
#include "cli/evaluate.h"
#include "cli/export.h"
#include "cli/inspect.h"
#include "cli/list.h"
#include "cli/optimize.h"
#include "cli/pick.h"
#include "cli/plot.h"
#include "cli/resume.h"

namespace paretrain::cli {

namespace {

constexpr std::array kCommands{
    Command{"optimize",
            "search, write a folder, print the table against the baselines",
            optimize_syntax,
            run_optimize},
    Command{"resume", "go on where a run stopped", resume_syntax, run_resume},
    Command{"enumerate",
            "every genome of a small problem: the exact front",
            enumerate_syntax,
            run_enumerate},
    Command{"evaluate", "one plan with its full breakdown", evaluate_syntax, run_evaluate},
    Command{"inspect", "the training graph of a model; no search", inspect_syntax, run_inspect},
    Command{"cost", "one operator on one core: cycles, energy, mapping", cost_syntax, run_cost},
    Command{"pick", "choose a plan of a front and say why", pick_syntax, run_pick},
    Command{"plot", "plot one or several fronts", plot_syntax, run_plot},
    Command{"export", "a plan for other programs", export_syntax, run_export},
    Command{"compare", "fronts against one another", compare_syntax, run_compare},
    Command{"snapshot", "check and describe a snapshot", snapshot_syntax, run_snapshot},
    Command{"sweep", "a search per accelerator of a parameter grid"},
    Command{"bench", "engine test problems", bench_syntax, run_bench},
    Command{"list", "models and accelerators that are built in", list_syntax, run_list},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace paretrain::cli
