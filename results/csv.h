// Why: fronts, baselines and histories are tables for every program; RFC 4180 is what they all
// read, and a reader that guesses would turn a damaged file into wrong numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paretrain::results {

// One cell, quoted only where RFC 4180 asks for it (comma, quote, line end) and where readers trim
// blanks.
[[nodiscard]] std::string csv_cell(std::string_view text);

// Cells joined by commas, with the line end (LF).
[[nodiscard]] std::string csv_row(const std::vector<std::string>& cells);

struct CsvRow {
  std::size_t line = 0;  // where it starts, counted from 1
  std::vector<std::string> cells;
};

struct CsvTable {
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
};

// Reads a table whose first line is the header. A byte-order mark, CRLF and a missing last line end
// are accepted; blank lines are skipped.
// Errors: InputError naming `where` and the line: not UTF-8, a NUL byte, a quote in the wrong place
// or never closed, rows of another length than the header (at most ten are listed), no header.
// Cost: linear in the text.
[[nodiscard]] CsvTable csv_table(std::string_view text, const std::string& where);

}  // namespace paretrain::results
