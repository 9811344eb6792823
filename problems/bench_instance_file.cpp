#include "problems/bench_instance_file.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/number_text.h"
#include "base/printable_text.h"
#include "problems/json_file.h"

namespace paretrain::problems {

namespace {

using engine::Evaluation;
using engine::GenomeLayout;
using engine::GenomeView;

constexpr std::int64_t kMostBits = 1'000'000;
constexpr std::int64_t kMostLinks = 20;
// Sums over all items, and the product of the sums of all objectives, stay finite.
constexpr double kLargestNumber = 1e12;

std::string quoted(std::string_view key) {
  std::string text(1, '\'');
  text += key;
  text += '\'';
  return text;
}

// A size that other keys say; empty when they are missing or bad, which is then their fault alone.
using Size = std::optional<std::size_t>;

// Reads the members of the one object of a file, collecting what is wrong.
class InstanceReader {
 public:
  InstanceReader(std::string_view text, const std::string& name)
      : problems_(name), root_(parsed_json(text, name)) {
    if (root_.kind != JsonKind::Object) {
      problems_.add(root_.line,
                    "found " + std::string(json_kind_text(root_.kind)) + "; expected an object");
      finish();
    }
    for (const JsonMember* const member : repeated_members(root_))
      problems_.add(member->line, "the key '" + printable(member->key) + "' is given twice");
  }

  void finish() const { problems_.throw_if_any(); }

  Size count(std::string_view key, std::int64_t low, std::int64_t high) {
    const JsonValue* const value = member(key);
    if (value == nullptr) return std::nullopt;
    const std::optional<std::int64_t> number =
        value->kind == JsonKind::Number ? parsed_integer(value->text) : std::nullopt;
    if (number && *number >= low && *number <= high) return static_cast<std::size_t>(*number);
    problems_.add(value->line,
                  quoted(key) + ": found " + shown(*value) + "; expected an integer from " +
                      number_text(low) + " to " + number_text(high));
    return std::nullopt;
  }

  std::vector<double> numbers(std::string_view key, const Size& size) {
    const JsonValue* const list = member(key);
    if (list == nullptr) return {};
    return numbers(*list, quoted(key), size);
  }

  std::vector<std::vector<double>> rows(std::string_view key, const Size& count, const Size& size) {
    std::vector<std::vector<double>> result;
    const JsonValue* const list = member(key);
    if (list == nullptr || !is_list(*list, quoted(key), count, "lists")) return result;
    for (const JsonValue& row : list->items)
      result.push_back(numbers(row, row_name(key, result.size()), size));
    return result;
  }

  // Per row, which belongs to locus row % bits, so many other loci.
  std::vector<std::uint32_t> links(std::string_view key,
                                   const Size& bits,
                                   const Size& count,
                                   const Size& size) {
    std::vector<std::uint32_t> result;
    const JsonValue* const list = member(key);
    if (list == nullptr || !is_list(*list, quoted(key), count, "lists")) return result;
    for (std::size_t row = 0; row < list->items.size(); ++row) {
      const std::string name = row_name(key, row);
      const JsonValue& items = list->items[row];
      if (is_list(items, name, size, "loci") && bits)
        add_links(items, name, row % *bits, *bits, result);
    }
    return result;
  }

 private:
  [[nodiscard]] const JsonValue* member(std::string_view key) {
    const auto found = std::find_if(root_.members.begin(),
                                    root_.members.end(),
                                    [key](const JsonMember& m) { return m.key == key; });
    if (found != root_.members.end()) return &found->value;
    problems_.add(root_.line, "the key " + quoted(key) + " is missing");
    return nullptr;
  }

  bool is_list(const JsonValue& value, const std::string& what, const Size& size, const char* of) {
    if (value.kind == JsonKind::List && (!size || value.items.size() == *size)) return true;
    problems_.add(value.line,
                  what + ": found " + shown(value) + "; expected a list of " +
                      (size ? std::to_string(*size) + " " : std::string()) + of);
    return false;
  }

  std::vector<double> numbers(const JsonValue& list, const std::string& what, const Size& size) {
    std::vector<double> values;
    if (!is_list(list, what, size, "numbers")) return values;
    for (const JsonValue& item : list.items) {
      const std::optional<double> number =
          item.kind == JsonKind::Number ? parsed_number(item.text) : std::nullopt;
      if (number && std::abs(*number) <= kLargestNumber) {
        values.push_back(*number);
      } else {
        problems_.add(item.line,
                      what + ": found " + shown(item) + "; expected a number from -1e12 to 1e12");
      }
    }
    return values;
  }

  // Adds the links of one row. A locus that is linked to itself, or twice to another one, has
  // entries in its table that no genome reaches: the table was made for other links.
  void add_links(const JsonValue& row,
                 const std::string& what,
                 std::size_t locus,
                 std::size_t bits,
                 std::vector<std::uint32_t>& links) {
    const std::size_t first = links.size();
    for (const JsonValue& item : row.items) {
      const std::optional<double> number =
          item.kind == JsonKind::Number ? parsed_number(item.text) : std::nullopt;
      const bool is_locus = number && *number == std::floor(*number) && *number >= 0 &&
                            *number < static_cast<double>(bits);
      const auto link = static_cast<std::uint32_t>(is_locus ? *number : 0);
      std::string wrong;
      if (!is_locus) {
        wrong = "expected a locus from 0 to " + std::to_string(bits - 1);
      } else if (link == locus) {
        wrong = "the row is that of this locus; expected another one";
      } else if (std::find(links.begin() + static_cast<std::ptrdiff_t>(first), links.end(), link) !=
                 links.end()) {
        wrong = "expected every locus once";
      }
      if (wrong.empty()) {
        links.push_back(link);
      } else {
        problems_.add(item.line, what + ": found " + shown(item) + "; " + wrong);
      }
    }
  }

  static std::string row_name(std::string_view key, std::size_t row) {
    return quoted(key) + " row " + std::to_string(row);
  }

  static std::string shown(const JsonValue& value) {
    if (value.kind == JsonKind::Number) return value.text;
    if (value.kind == JsonKind::List) return "a list of " + std::to_string(value.items.size());
    return std::string(json_kind_text(value.kind));
  }

  JsonProblems problems_;
  JsonValue root_;
};

std::int64_t least(std::int64_t most, const Size& size) {
  return size ? std::min(most, static_cast<std::int64_t>(*size)) : most;
}

GenomeLayout bit_layout(std::size_t bits) {
  return {.bits = bits, .integers = {}, .reals = {}};
}

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i)
    names.emplace_back(1, 'f').append(std::to_string(i));
  return names;
}

double selected_sum(GenomeView genome, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (engine::bit(genome, i)) sum += values[i];
  }
  return sum;
}

class KnapsackProblem : public engine::Problem {
 public:
  explicit KnapsackProblem(Knapsack knapsack)
      : knapsack_(std::move(knapsack)),
        layout_(bit_layout(knapsack_.items)),
        names_(numbered_names(knapsack_.profits.size())) {}

  [[nodiscard]] const GenomeLayout& layout() const override { return layout_; }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override { return names_; }

  [[nodiscard]] Evaluation evaluate(GenomeView genome) const override {
    Evaluation evaluation;
    for (const std::vector<double>& profits : knapsack_.profits)
      evaluation.objectives.push_back(-selected_sum(genome, profits));
    for (std::size_t i = 0; i < knapsack_.weights.size(); ++i) {
      const double capacity = knapsack_.capacities[i];
      const double excess = selected_sum(genome, knapsack_.weights[i]) - capacity;
      if (excess > 0) evaluation.violation += excess / (1 + std::abs(capacity));
    }
    std::size_t items = 0;
    for (std::size_t i = 0; i < knapsack_.items; ++i)
      items += engine::bit(genome, i) ? 1U : 0U;
    if (items < knapsack_.min_items) {
      evaluation.violation += static_cast<double>(knapsack_.min_items - items) /
                              static_cast<double>(knapsack_.min_items);
    }
    return evaluation;
  }

 private:
  Knapsack knapsack_;
  GenomeLayout layout_;
  std::vector<std::string> names_;
};

class MnkProblem : public engine::Problem {
 public:
  explicit MnkProblem(MnkLandscape landscape)
      : landscape_(std::move(landscape)),
        layout_(bit_layout(landscape_.bits)),
        names_(numbered_names(landscape_.objectives)) {}

  [[nodiscard]] const GenomeLayout& layout() const override { return layout_; }

  [[nodiscard]] const std::vector<std::string>& objective_names() const override { return names_; }

  [[nodiscard]] Evaluation evaluate(GenomeView genome) const override {
    const std::size_t links = landscape_.links_per_locus;
    Evaluation evaluation;
    for (std::size_t objective = 0; objective < landscape_.objectives; ++objective) {
      double sum = 0;
      for (std::size_t locus = 0; locus < landscape_.bits; ++locus) {
        const std::size_t row = objective * landscape_.bits + locus;
        std::size_t index = engine::bit(genome, locus) ? 1 : 0;
        for (std::size_t q = 0; q < links; ++q) {
          if (engine::bit(genome, landscape_.links[row * links + q]))
            index |= std::size_t{1} << (q + 1);
        }
        sum += landscape_.tables[(row << (links + 1)) + index];
      }
      evaluation.objectives.push_back(-sum);
    }
    return evaluation;
  }

 private:
  MnkLandscape landscape_;
  GenomeLayout layout_;
  std::vector<std::string> names_;
};

// Maximised objectives; hypervolumes count from 0 of each.
BenchProblem maximised(std::unique_ptr<engine::Problem> problem, const std::string& name) {
  BenchProblem made;
  made.name = name;
  made.maximised.assign(problem->objective_names().size(), 1);
  made.reference.assign(problem->objective_names().size(), 0);
  made.problem = std::move(problem);
  return made;
}

}  // namespace

Knapsack knapsack_from_json(std::string_view text, const std::string& name) {
  InstanceReader reader(text, name);
  Knapsack knapsack;
  const Size items = reader.count("items", 1, kMostBits);
  const Size objectives = reader.count("objectives", 1, engine::kMaxObjectives);
  const Size constraints = reader.count("constraints", 0, kMostBits);
  const Size min_items = reader.count("min_items", 0, least(kMostBits, items));
  knapsack.profits = reader.rows("profits", objectives, items);
  knapsack.weights = reader.rows("weights", constraints, items);
  knapsack.capacities = reader.numbers("capacities", constraints);
  reader.finish();
  knapsack.items = *items;
  knapsack.min_items = *min_items;
  return knapsack;
}

MnkLandscape mnk_from_json(std::string_view text, const std::string& name) {
  InstanceReader reader(text, name);
  MnkLandscape landscape;
  const Size bits = reader.count("bits", 1, kMostBits);
  const Size objectives = reader.count("objectives", 1, engine::kMaxObjectives);
  const Size others = bits ? Size(*bits - 1) : std::nullopt;
  const Size links = reader.count("K", 0, least(kMostLinks, others));
  const Size loci = bits && objectives ? Size(*bits * *objectives) : std::nullopt;
  const Size entries = links ? Size(std::size_t{1} << (*links + 1)) : std::nullopt;
  landscape.links = reader.links("links_row_is_objective_times_bits_plus_locus", bits, loci, links);
  for (const std::vector<double>& row : reader.rows("table_index_bit0_is_own_locus", loci, entries))
    landscape.tables.insert(landscape.tables.end(), row.begin(), row.end());
  reader.finish();
  landscape.bits = *bits;
  landscape.objectives = *objectives;
  landscape.links_per_locus = *links;
  return landscape;
}

BenchProblem knapsack_problem(Knapsack knapsack, const std::string& name) {
  return maximised(std::make_unique<KnapsackProblem>(std::move(knapsack)), name);
}

BenchProblem mnk_problem(MnkLandscape landscape, const std::string& name) {
  return maximised(std::make_unique<MnkProblem>(std::move(landscape)), name);
}

}  // namespace paretrain::problems
