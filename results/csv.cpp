#include "results/csv.h"

#include <utility>

#include "base/error.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::results {

namespace {

constexpr std::size_t kMostProblems = 10;

std::string place(const std::string& where, std::size_t line) {
  return where + ":" + number_text(static_cast<std::int64_t>(line));
}

// Reads cells and rows one character at a time; `line_` counts line ends also inside quotes.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

  CsvRow row() {
    CsvRow result;
    result.line = line_;
    for (;;) {
      result.cells.push_back(cell());
      if (at_end()) return result;
      const char separator = text_[at_++];
      if (separator == ',') continue;
      if (separator == '\r' && !at_end() && text_[at_] == '\n') ++at_;
      ++line_;
      return result;
    }
  }

 private:
  std::string cell() {
    if (!at_end() && text_[at_] == '"') return quoted_cell();
    const std::size_t begin = at_;
    at_ = text_.find_first_of(",\r\n\"", begin);
    if (at_ == std::string_view::npos) at_ = text_.size();
    if (!at_end() && text_[at_] == '"')
      fail(line_, "a quote inside a cell that does not start with one");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted_cell() {
    const std::size_t first_line = line_;
    std::string result;
    ++at_;
    for (;;) {
      const std::size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) fail(first_line, "a quote is opened and never closed");
      add_lines(text_.substr(at_, quote - at_));
      result += text_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (at_end() || text_[at_] != '"') break;
      result += '"';
      ++at_;
    }
    if (!at_end() && text_[at_] != ',' && text_[at_] != '\r' && text_[at_] != '\n')
      fail(line_, "text after a closing quote; expected a comma or a line end");
    return result;
  }

  void add_lines(std::string_view text) {
    for (const char c : text)
      if (c == '\n') ++line_;
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw InputError(Problem{place(where_, line), what, ""});
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

void check_bytes(std::string_view text, const std::string& where) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw InputError(Problem{where, "is UTF-16; expected UTF-8", "save it as UTF-8"});
  std::size_t line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '\0')
      throw InputError(Problem{place(where, line), "a NUL byte; expected text in UTF-8", ""});
  }
  if (valid_utf8(text) != text)
    throw InputError(Problem{where, "bytes that are not UTF-8; expected UTF-8", ""});
}

bool is_blank(const CsvRow& row) {
  return row.cells.size() == 1 && row.cells.front().empty();
}

void check_lengths(const CsvTable& table, const std::string& where) {
  std::vector<Problem> problems;
  std::size_t wrong = 0;
  for (const CsvRow& row : table.rows) {
    if (row.cells.size() == table.header.size()) continue;
    if (++wrong > kMostProblems) continue;
    problems.push_back(
        {place(where, row.line),
         number_text(static_cast<std::int64_t>(row.cells.size())) + " cells; expected " +
             number_text(static_cast<std::int64_t>(table.header.size())) + " as in the header",
         ""});
  }
  if (wrong > kMostProblems) {
    problems.back().hint =
        number_text(static_cast<std::int64_t>(wrong)) + " rows have another length in all";
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool trimmed = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!trimmed && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& text : cells) {
    if (&text != &cells.front()) line += ',';
    line += csv_cell(text);
  }
  return line + '\n';
}

CsvTable csv_table(std::string_view text, const std::string& where) {
  check_bytes(text, where);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Scanner scanner(text, where);
  CsvTable table;
  while (!scanner.at_end()) {
    CsvRow row = scanner.row();
    if (is_blank(row)) continue;
    if (table.header.empty()) {
      table.header = std::move(row.cells);
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  if (table.header.empty())
    throw InputError(Problem{where, "is empty; expected a header line", ""});
  check_lengths(table, where);
  return table;
}

}  // namespace paretrain::results
