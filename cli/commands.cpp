#include <array>

#include "cli/command.h"
#include "cli/plot.h"

namespace paretrain::cli {

namespace {

constexpr std::array kCommands{
    Command{"optimize", "search, write a folder, print the table against the baselines"},
    Command{"resume", "go on where a run stopped"},
    Command{"enumerate", "every genome of a small problem: the exact front"},
    Command{"evaluate", "one plan with its full breakdown"},
    Command{"inspect", "the training graph of a model; no search"},
    Command{"cost", "one operator on one core: cycles, energy, mapping"},
    Command{"pick", "choose a plan of a front and say why"},
    Command{"plot", "plot one or several fronts", plot_syntax, run_plot},
    Command{"export", "a plan for other programs"},
    Command{"compare", "fronts against one another"},
    Command{"snapshot", "check and describe a snapshot"},
    Command{"sweep", "a search per accelerator of a parameter grid"},
    Command{"bench", "engine test problems"},
    Command{"list", "models and accelerators that are built in"},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace paretrain::cli
