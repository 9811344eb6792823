#include "cli/progress.h"

#include "cli/text_table.h"
#include "tests/support/doctest.h"

namespace paretrain::cli {

TEST_CASE("progress_text: is the line that scripts read") {
  ProgressFigures figures;
  figures.report.generation = 37;
  figures.report.evaluations = 7400;
  figures.report.front = 48;
  figures.report.hypervolume = 0.81320001;
  figures.report.best = {1, 2};
  figures.generations = 200;
  figures.hypervolume_before = 0.81303737;
  figures.seconds = 0.05;
  figures.evaluations = 6200;
  figures.generations_done = 31;
  CHECK(progress_text(figures) ==
        "gen 37/200  evals 7,400  front 48  hv 0.8132 (+0.02 %)  124 k eval/s  ETA 0:01");
  figures.seconds = 7.8;
  CHECK(progress_text(figures) ==
        "gen 37/200  evals 7,400  front 48  hv 0.8132 (+0.02 %)  795 eval/s  ETA 0:42");
  figures.report.best.clear();
  figures.seconds = 0;
  CHECK(progress_text(figures) == "gen 37/200  evals 7,400  front 48  nothing feasible yet");
  figures.generations = 36;
  CHECK(progress_text(figures) == "gen 37/37  evals 7,400  front 48  nothing feasible yet");
}

TEST_CASE("progress_text: the time left is that until the first limit") {
  ProgressFigures figures;
  figures.report.generation = 37;
  figures.report.evaluations = 7400;
  figures.report.front = 48;
  figures.report.best = {1, 2};
  figures.generations = 200;
  figures.seconds = 7.8;
  figures.evaluations = 6200;
  figures.generations_done = 31;
  figures.max_evaluations = 15'000;
  CHECK(progress_text(figures) == "gen 37/200  evals 7,400  front 48  795 eval/s  ETA 0:10");
  figures.max_seconds = 12;
  CHECK(progress_text(figures) == "gen 37/200  evals 7,400  front 48  795 eval/s  ETA 0:05");
  figures.max_seconds = 100;
  figures.max_evaluations = 1'000'000;
  CHECK(progress_text(figures) == "gen 37/200  evals 7,400  front 48  795 eval/s  ETA 0:42");
}

TEST_CASE("TextTable: lines up and ends lines without blanks") {
  TextTable table;
  table.add({"plan", "cost", ""});
  table.add({"é", "1", "x"});
  table.add_rule();
  table.add({"long name", "22", ""});
  CHECK(table.text() ==
        "plan       cost\n"
        "é             1  x\n"
        "------------------\n"
        "long name    22\n");
}

TEST_CASE("significant_text: digits count from the first") {
  CHECK(significant_text(83.387100, 6) == "83.3871");
  CHECK(significant_text(1234567.8, 6) == "1234568");
  CHECK(significant_text(0.00123456, 3) == "0.00123");
  CHECK(significant_text(0.0000102, 6) == "0.0000102000");
  CHECK(significant_text(0, 3) == "0.00");
}

}  // namespace paretrain::cli
