#include "problems/bench_problem.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/number_text.h"
#include "problems/bench_bit_strings.h"
#include "problems/bench_instance_file.h"
#include "problems/bench_real_functions.h"
#include "problems/json_file.h"

namespace paretrain::problems {

namespace {

constexpr std::string_view kForms =
    "zdt1[:N], zdt2[:N], zdt3[:N], zdt4[:N], zdt5, zdt6[:N], dtlz1[:N], dtlz2[:N], dtlz7[:N], "
    "ominmax:N, lotz:N, cocz:N, ojzj:N:K, 3omm:N, 4lotz:N, knapsack:FILE, mnk:FILE";
constexpr std::int64_t kMostGenes = 1'000'000;

struct RealForm {
  std::string_view name;
  BenchProblem (*make)(std::size_t variables) = nullptr;
  std::int64_t variables = 0;  // by default
};

struct BitForm {
  std::string_view name;
  BenchProblem (*make)(std::size_t bits) = nullptr;
  std::int64_t step = 1;  // sizes are multiples of it
};

constexpr std::array kRealForms = {RealForm{"zdt1", zdt1, 30},
                                   RealForm{"zdt2", zdt2, 30},
                                   RealForm{"zdt3", zdt3, 30},
                                   RealForm{"zdt4", zdt4, 10},
                                   RealForm{"zdt6", zdt6, 10},
                                   RealForm{"dtlz1", dtlz1, 7},
                                   RealForm{"dtlz2", dtlz2, 12},
                                   RealForm{"dtlz7", dtlz7, 22}};

constexpr std::array kBitForms = {BitForm{"ominmax", one_min_max, 1},
                                  BitForm{"lotz", leading_ones_trailing_zeros, 1},
                                  BitForm{"cocz", count_ones_count_zeros, 2},
                                  BitForm{"3omm", three_one_min_max, 2},
                                  BitForm{"4lotz", four_leading_ones_trailing_zeros, 2}};

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  throw InputError({.where = "problem '" + std::string(text) + "'",
                    .what = what,
                    .hint = "known problems: " + std::string(kForms)});
}

// How a problem of that name is written: "ojzj:N:K". Requires: a known name.
std::string form_of(std::string_view name) {
  std::string_view rest = kForms;
  for (;;) {
    const std::size_t end = rest.find(", ");
    const std::string_view form = rest.substr(0, end);
    if (form.substr(0, form.find_first_of(":[")) == name) return std::string(form);
    CHECK(end != std::string_view::npos, "a name without a form");
    rest.remove_prefix(end + 2);
  }
}

// A problem's text in parts: "ojzj:30:3" is ojzj, 30, 3.
struct Parts {
  std::string_view text;
  std::vector<std::string_view> words;

  void require_words(std::size_t least, std::size_t most) const {
    if (words.size() < least) refuse_missing("size");
    if (words.size() > most)
      refuse(text, "found ':" + std::string(words[most]) + "'; expected nothing more");
  }

  [[noreturn]] void refuse_missing(const std::string& what) const {
    refuse(text,
           "a " + what + " is missing after '" + std::string(text) + "'; expected " +
               form_of(words.front()));
  }

  [[nodiscard]] std::size_t size(std::size_t word, std::int64_t low, std::int64_t high) const {
    const std::optional<std::int64_t> number = parsed_integer(words[word]);
    if (number && *number >= low && *number <= high) return static_cast<std::size_t>(*number);
    refuse(text,
           "found '" + std::string(words[word]) + "'; expected an integer from " +
               number_text(low) + " to " + number_text(high));
  }
};

Parts parts_of(std::string_view text) {
  Parts parts{.text = text, .words = {}};
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(':', begin);
    parts.words.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::optional<BenchProblem> problem_of_file(const Parts& parts) {
  const std::string_view name = parts.words.front();
  if (name != "knapsack" && name != "mnk") return std::nullopt;
  if (parts.text.size() <= name.size() + 1) parts.refuse_missing("file");
  const std::string file(parts.text.substr(name.size() + 1));  // colons of its own belong to it
  const std::string title(parts.text);
  if (name == "mnk") return mnk_problem(mnk_from_json(read_text_file(file), file), title);
  return knapsack_problem(knapsack_from_json(read_text_file(file), file), title);
}

std::optional<BenchProblem> problem_of_reals(const Parts& parts) {
  const auto* const form = std::find_if(kRealForms.begin(), kRealForms.end(), [&](const auto& f) {
    return f.name == parts.words.front();
  });
  if (form == kRealForms.end()) return std::nullopt;
  parts.require_words(1, 2);
  if (parts.words.size() == 1) return form->make(static_cast<std::size_t>(form->variables));
  BenchProblem made = form->make(parts.size(1, 3, kMostGenes));
  made.name = parts.text;
  return made;
}

std::optional<BenchProblem> problem_of_bits(const Parts& parts) {
  const std::string_view name = parts.words.front();
  if (name == "zdt5") {
    parts.require_words(1, 1);
    return zdt5();
  }
  if (name == "ojzj") {
    parts.require_words(3, 3);
    const std::size_t bits = parts.size(1, 4, kMostGenes);
    return one_jump_zero_jump(bits, parts.size(2, 2, static_cast<std::int64_t>(bits / 2)));
  }
  const auto* const form = std::find_if(
      kBitForms.begin(), kBitForms.end(), [&](const auto& f) { return f.name == name; });
  if (form == kBitForms.end()) return std::nullopt;
  parts.require_words(2, 2);
  const std::size_t bits = parts.size(1, form->step, kMostGenes);
  if (bits % static_cast<std::size_t>(form->step) != 0)
    refuse(parts.text, "found '" + std::string(parts.words[1]) + "'; expected an even number");
  return form->make(bits);
}

[[noreturn]] void refuse_unknown(const Parts& parts) {
  std::vector<std::string_view> names = {"zdt5", "ojzj", "knapsack", "mnk"};
  for (const RealForm& form : kRealForms)
    names.push_back(form.name);
  for (const BitForm& form : kBitForms)
    names.push_back(form.name);
  const std::optional<std::string> near = nearest_name(parts.words.front(), names);
  refuse(parts.text,
         near ? "unknown; did you mean " + form_of(*near) + "?" : std::string("unknown"));
}

}  // namespace

std::string_view bench_problem_forms() {
  return kForms;
}

BenchProblem bench_problem(std::string_view text) {
  const Parts parts = parts_of(text);
  if (std::optional<BenchProblem> made = problem_of_file(parts)) return std::move(*made);
  if (std::optional<BenchProblem> made = problem_of_reals(parts)) return std::move(*made);
  if (std::optional<BenchProblem> made = problem_of_bits(parts)) return std::move(*made);
  refuse_unknown(parts);
}

std::string genome_text(const engine::GenomeLayout& layout, engine::GenomeView genome) {
  std::string text;
  for (std::size_t i = 0; i < layout.bits; ++i)
    text += engine::bit(genome, i) ? '1' : '0';
  const auto add = [&text](const std::string& word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  for (std::size_t i = 0; i < layout.integers.size(); ++i)
    add(number_text(engine::integer(layout, genome, i)));
  for (std::size_t i = 0; i < layout.reals.size(); ++i)
    add(number_text(engine::real(layout, genome, i)));
  return text;
}

}  // namespace paretrain::problems
