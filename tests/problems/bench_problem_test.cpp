#include "problems/bench_problem.h"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>
#include <sstream>
#include <string>

#include "base/error.h"
#include "engine/enumeration.h"
#include "engine/hypervolume.h"
#include "problems/bench_instance_file.h"
#include "tests/support/doctest.h"

using namespace paretrain;
using engine::Genome;
using problems::bench_problem;
using problems::BenchProblem;

namespace {

Genome bits(std::string_view text) {
  Genome genome((text.size() + 63) / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '1') engine::set_bit(genome, i);
  }
  return genome;
}

// Objectives as people see them.
std::vector<double> natural(const BenchProblem& bench, const Genome& genome) {
  const engine::Evaluation evaluation = bench.problem->evaluate(genome);
  CHECK(evaluation.violation == 0);
  std::vector<double> values;
  for (std::size_t k = 0; k < evaluation.objectives.size(); ++k)
    values.push_back(bench.maximised[k] != 0 ? -evaluation.objectives[k]
                                             : evaluation.objectives[k]);
  return values;
}

std::vector<double> real_objectives(std::string_view name, const std::vector<double>& x) {
  const BenchProblem bench = bench_problem(name);
  Genome genome;
  for (const double value : x)
    genome.push_back(std::bit_cast<engine::Word>(value));
  return natural(bench, genome);
}

template <class Reading>
std::string fault_of(const Reading& reading) {
  try {
    reading();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string error_text(std::string_view name) {
  return fault_of([&] { static_cast<void>(bench_problem(name)); });
}

}  // namespace

TEST_CASE("bench_problem: bit strings by hand") {
  using Values = std::vector<double>;
  CHECK(natural(bench_problem("ominmax:5"), bits("11010")) == Values{2, 3});
  CHECK(natural(bench_problem("lotz:6"), bits("110100")) == Values{2, 2});
  CHECK(natural(bench_problem("cocz:6"), bits("110100")) == Values{3, 4});
  CHECK(natural(bench_problem("ojzj:10:3"), bits("1110000000")) == Values{6, 10});
  CHECK(natural(bench_problem("ojzj:10:3"), bits("1100000000")) == Values{5, 2});
  CHECK(natural(bench_problem("ojzj:10:3"), bits("1111111111")) == Values{13, 3});
  CHECK(natural(bench_problem("3omm:6"), bits("110100")) == Values{3, 2, 1});
  CHECK(natural(bench_problem("4lotz:8"), bits("11001100")) == Values{2, 2, 2, 2});
  CHECK(natural(bench_problem("lotz:70"), bits(std::string(70, '1'))) == Values{70, 0});
}

TEST_CASE("bench_problem: the closed forms of fronts equal enumeration") {
  for (const char* const name :
       {"ominmax:16", "lotz:16", "cocz:16", "ojzj:16:3", "3omm:16", "4lotz:16"}) {
    CAPTURE(name);
    const BenchProblem bench = bench_problem(name);
    const engine::Enumeration truth = engine::enumeration(*bench.problem, {.threads = 1});
    REQUIRE(bench.front);
    CHECK(truth.front.size() == bench.front->points);
    for (std::size_t row = 0; row < truth.front.size(); ++row)
      CHECK(bench.front->contains(truth.front.objectives_of(row)));
    if (bench.front->hypervolume) {
      engine::Hypervolume hypervolume;
      CHECK(hypervolume.volume(truth.front.objectives, bench.reference) ==
            *bench.front->hypervolume);
    }
  }
}

TEST_CASE("bench_problem: membership in the front is no more than the front") {
  for (const char* const name : {"lotz:10", "cocz:10", "ojzj:10:2", "4lotz:10"}) {
    CAPTURE(name);
    const BenchProblem bench = bench_problem(name);
    std::set<std::vector<double>> members;
    for (engine::Word word = 0; word < 1024; ++word) {
      const Genome genome = {word};
      const engine::Evaluation evaluation = bench.problem->evaluate(genome);
      const std::span<const double> values = evaluation.objectives.values();
      if (bench.front->contains(values)) members.emplace(values.begin(), values.end());
    }
    CHECK(members.size() == bench.front->points);
  }
}

TEST_CASE("bench_problem: zdt5 at its best and its deceptive point") {
  const BenchProblem bench = bench_problem("zdt5");
  CHECK(natural(bench, bits(std::string(80, '1'))) == std::vector<double>{31, 10.0 / 31});
  CHECK(natural(bench, bits(std::string(80, '0'))) == std::vector<double>{1, 20});
  const std::vector<double> best = {31, 10.0 / 31};
  CHECK(bench.front->contains(best));
}

TEST_CASE("bench_problem: functions of reals at points of their fronts") {
  std::vector<double> x(30, 0);
  x[0] = 0.25;
  CHECK(real_objectives("zdt1", x) == std::vector<double>{0.25, 0.5});
  CHECK(real_objectives("zdt2", x) == std::vector<double>{0.25, 0.9375});
  const double wave = std::sin(10 * std::numbers::pi * 0.25);
  CHECK(real_objectives("zdt3", x)[1] == doctest::Approx(0.5 - 0.25 * wave));
  x.resize(10);
  CHECK(real_objectives("zdt4", x)[1] == doctest::Approx(0.5));
  const auto six = real_objectives("zdt6", x);
  CHECK(six[1] == doctest::Approx(1 - six[0] * six[0]));
  const std::vector<double> middle(7, 0.5);
  const auto plane = real_objectives("dtlz1", middle);
  CHECK(plane[0] + plane[1] + plane[2] == doctest::Approx(0.5));
  const auto sphere = real_objectives("dtlz2", std::vector<double>(12, 0.5));
  CHECK(sphere[0] * sphere[0] + sphere[1] * sphere[1] + sphere[2] * sphere[2] ==
        doctest::Approx(1));
  CHECK(real_objectives("dtlz7", std::vector<double>(22, 0)) == std::vector<double>{0, 0, 6});
}

TEST_CASE("bench_problem: says what is wrong and what is known") {
  CHECK(error_text("lozt:5").find("did you mean lotz:N?") != std::string::npos);
  CHECK(error_text("zdt").find("did you mean zdt5?") != std::string::npos);
  CHECK(error_text("knapsak:a.json").find("did you mean knapsack:FILE?") != std::string::npos);
  CHECK(error_text("lotz:0").find("expected an integer from 1 to 1000000") != std::string::npos);
  CHECK(error_text("cocz:7").find("expected an even number") != std::string::npos);
  CHECK(error_text("ojzj:10:6").find("expected an integer from 2 to 5") != std::string::npos);
  CHECK(error_text("zdt5:80").find("expected nothing more") != std::string::npos);
  CHECK(error_text("mnk:no/such/file.json").find("no such file") != std::string::npos);
  CHECK(error_text("").find("known problems: zdt1") != std::string::npos);
}

TEST_CASE("bench_problem: a known problem without what it needs is told what that is") {
  const auto says = [](std::string_view problem, const std::string& what) {
    const std::string start =
        "problem '" + std::string(problem) + "': a " + what + "\nhint: known problems: ";
    CAPTURE(error_text(problem));
    CHECK(error_text(problem).starts_with(start));
  };
  says("knapsack", "file is missing after 'knapsack'; expected knapsack:FILE");
  says("knapsack:", "file is missing after 'knapsack:'; expected knapsack:FILE");
  says("mnk", "file is missing after 'mnk'; expected mnk:FILE");
  for (const char* const name : {"ominmax", "lotz", "cocz", "3omm", "4lotz"}) {
    const std::string text = name;
    says(text, "size is missing after '" + text + "'; expected " + text + ":N");
  }
  says("ojzj", "size is missing after 'ojzj'; expected ojzj:N:K");
  says("ojzj:30", "size is missing after 'ojzj:30'; expected ojzj:N:K");
}

TEST_CASE("bench_problem: every name of the list is known") {
  std::istringstream forms{std::string(problems::bench_problem_forms())};
  std::string form;
  while (std::getline(forms >> std::ws, form, ',')) {
    CAPTURE(form);
    CHECK(error_text(form.substr(0, form.find_first_of(":["))).find("unknown") ==
          std::string::npos);
  }
}

TEST_CASE("knapsack_from_json: objectives and constraints by hand") {
  const BenchProblem bench = problems::knapsack_problem(
      problems::knapsack_from_json(R"({"items": 3, "objectives": 2, "constraints": 1,
        "min_items": 2, "profits": [[1, 2, 4], [8, 4, 2]], "weights": [[1, 1, 3]],
        "capacities": [3], "note": "ignored"})",
                                   "k.json"),
      "k");
  CHECK(natural(bench, bits("110")) == std::vector<double>{3, 12});
  // One item too few; 4 against a capacity of 3; 5 against 3.
  CHECK(bench.problem->evaluate(bits("100")).violation == 0.5);
  CHECK(bench.problem->evaluate(bits("101")).violation == 0.25);
  CHECK(bench.problem->evaluate(bits("111")).violation == 0.5);
  const engine::Enumeration truth = engine::enumeration(*bench.problem, {});
  CHECK(truth.infeasible == 7);
  CHECK(truth.front.size() == 1);
}

TEST_CASE("mnk_from_json: tables are indexed by the locus and its links") {
  const BenchProblem bench =
      problems::mnk_problem(problems::mnk_from_json(R"({"bits": 2, "objectives": 1, "K": 1,
        "links_row_is_objective_times_bits_plus_locus": [[1], [0]],
        "table_index_bit0_is_own_locus": [[1, 2, 4, 8], [16, 32, 64, 128]]})",
                                                    "m.json"),
                            "m");
  CHECK(natural(bench, bits("00")) == std::vector<double>{17});
  // Locus 0 is 1 and its link 0: index 1; locus 1 is 0 and its link 1: index 2.
  CHECK(natural(bench, bits("10")) == std::vector<double>{66});
  CHECK(natural(bench, bits("01")) == std::vector<double>{36});
  CHECK(natural(bench, bits("11")) == std::vector<double>{136});
}

TEST_CASE("instance files: every problem in one go with file and line") {
  const auto text_of = [](std::string_view text) {
    try {
      static_cast<void>(problems::knapsack_from_json(text, "k.json"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string text = text_of(
      "{\"items\": 2, \"objectives\": 0,\n \"constraints\": 0, "
      "\"min_items\": 3, \"profits\": [], \"weights\": []}");
  CHECK(text.find("k.json:1: 'objectives': found 0; expected an integer from 1 to 16") !=
        std::string::npos);
  CHECK(text.find("k.json:2: 'min_items': found 3") != std::string::npos);
  CHECK(text.find("the key 'capacities' is missing") != std::string::npos);
  const std::string repeated = text_of(
      "{\"items\": 1, \"objectives\": 1, \"constraints\": 0, \"min_items\": 0,\n\"items\": 2, "
      "\"profits\": [[1]],\n\"note\": 1, \"note\": 1, \"weights\": [], \"capacities\": []}");
  CHECK(repeated ==
        "k.json:2: the key 'items' is given twice\nk.json:3: the key 'note' is given twice");
  CHECK(text_of("{").find("not JSON") != std::string::npos);
}

TEST_CASE("instance files: a missing or bad key is told of once and not of what depends on it") {
  const auto knapsack = [](std::string_view text) {
    return fault_of([&] { static_cast<void>(problems::knapsack_from_json(text, "k.json")); });
  };
  const auto mnk = [](std::string_view text) {
    return fault_of([&] { static_cast<void>(problems::mnk_from_json(text, "m.json")); });
  };
  for (const char* const root : {"[]", "null", "3"}) {
    CAPTURE(root);
    const std::string found = root[0] == '[' ? "a list" : root[0] == 'n' ? "null" : "a number";
    CHECK(knapsack(root) == "k.json:1: found " + found + "; expected an object");
    CHECK(mnk(root) == "m.json:1: found " + found + "; expected an object");
  }
  const std::string rest =
      R"("weights": [[1, 1, 3]], "profits": [[1, 2, 4], [8, 4, 2]], "capacities": [3]})";
  CHECK(knapsack(R"({"objectives": 2, "constraints": 1, "min_items": 2, )" + rest) ==
        "k.json:1: the key 'items' is missing");
  CHECK(knapsack(R"({"items": -3, "objectives": 2, "constraints": 1, "min_items": 2, )" + rest) ==
        "k.json:1: 'items': found -3; expected an integer from 1 to 1000000");
  CHECK(knapsack(R"({"items": 3, "objectives": 0, "constraints": 1, "min_items": 2, )" + rest) ==
        "k.json:1: 'objectives': found 0; expected an integer from 1 to 16");
  CHECK(knapsack(R"({"items": 3, "objectives": 2, "constraints": null, "min_items": 2, )" + rest) ==
        "k.json:1: 'constraints': found null; expected an integer from 0 to 1000000");
  CHECK(knapsack(R"({"items": 3, "objectives": 2, "constraints": 1, "min_items": 4, )" + rest) ==
        "k.json:1: 'min_items': found 4; expected an integer from 0 to 3");
  CHECK(knapsack(R"({"constraints": 1, "min_items": 2, "profits": 1, "weights": [7],)"
                 "\n\"capacities\": {}, \"objectives\": 2}") ==
        "k.json:1: the key 'items' is missing\n"
        "k.json:1: 'profits': found 1; expected a list of 2 lists\n"
        "k.json:1: 'weights' row 0: found 7; expected a list of numbers\n"
        "k.json:2: 'capacities': found an object; expected a list of 1 numbers");
  const std::string tables = R"("links_row_is_objective_times_bits_plus_locus": [[1], [0]],
    "table_index_bit0_is_own_locus": [[1, 2, 4, 8], [16, 32, 64, 128]]})";
  CHECK(mnk(R"({"bits": 2, "objectives": 1, "K": 1, )" + tables).empty());
  CHECK(mnk(R"({"objectives": 1, "K": 1, )" + tables) == "m.json:1: the key 'bits' is missing");
  CHECK(mnk(R"({"bits": 2, "K": 1, )" + tables) == "m.json:1: the key 'objectives' is missing");
  CHECK(mnk(R"({"bits": 2, "objectives": 1, )" + tables) == "m.json:1: the key 'K' is missing");
  CHECK(mnk(R"({"bits": 2, "objectives": 1, "K": 2, )" + tables) ==
        "m.json:1: 'K': found 2; expected an integer from 0 to 1");
}

TEST_CASE("mnk_from_json: links that are no distinct other loci are refused with their place") {
  const std::string text = R"({"bits": 3, "objectives": 2, "K": 2,
    "table_index_bit0_is_own_locus": [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8],
      [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8],
      [1, 2, 3, 4, 5, 6, 7, 8]],
    "links_row_is_objective_times_bits_plus_locus": [[1, 2], [0, 1],
      [0, 3], [1, 2], [2, 2], [0, "x"]]})";
  const std::string row = "'links_row_is_objective_times_bits_plus_locus' row ";
  CHECK(fault_of([&] { static_cast<void>(problems::mnk_from_json(text, "m.json")); }) ==
        "m.json:5: " + row + "1: found 1; the row is that of this locus; expected another one\n" +
            "m.json:6: " + row + "2: found 3; expected a locus from 0 to 2\n" + "m.json:6: " + row +
            "4: found 2; expected every locus once\n" + "m.json:6: " + row +
            "5: found a text; expected a locus from 0 to 2");
}

TEST_CASE("instance files: numbers whose sums would not be finite are refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(problems::knapsack_from_json(
                           R"({"items": 1, "objectives": 1, "constraints": 0, "min_items": 0,
"profits": [[1e308]], "weights": [], "capacities": []})",
                           "k.json")),
                       doctest::Contains("k.json:2: 'profits' row 0: found 1e308; expected a "
                                         "number from -1e12 to 1e12"),
                       InputError);
}

TEST_CASE("genome_text: bits and then numbers") {
  const engine::GenomeLayout layout{.bits = 3, .integers = {{-5, 5}}, .reals = {{0, 1}}};
  Genome genome(layout.words());
  engine::set_bit(genome, 1);
  engine::set_integer(layout, genome, 0, -4);
  engine::set_real(layout, genome, 0, 0.1);
  CHECK(problems::genome_text(layout, genome) == "010 -4 0.1");
}
