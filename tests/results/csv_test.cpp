#include "results/csv.h"

#include <string>

#include "base/error.h"
#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::results {

namespace {

std::string error_text(const std::string& text) {
  try {
    static_cast<void>(csv_table(text, "f.csv"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("csv_cell: quotes exactly what RFC 4180 asks for") {
  CHECK(csv_cell("plain") == "plain");
  CHECK(csv_cell("") == "");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(csv_cell("two\nlines") == "\"two\nlines\"");
  CHECK(csv_cell("cr\rhere") == "\"cr\rhere\"");
  CHECK(csv_cell(" led by a blank") == "\" led by a blank\"");
  CHECK(csv_row({"a", "b,c", ""}) == "a,\"b,c\",\n");
}

TEST_CASE("csv_table: reads what spreadsheets write") {
  const CsvTable table = csv_table(
      "\xEF\xBB\xBF"
      "a,b\r\n1,\"x \"\"y\"\"\"\r\n\r\n2,\"p\nq\"",
      "f.csv");
  CHECK(table.header == std::vector<std::string>{"a", "b"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].line == 2);
  CHECK(table.rows[0].cells == std::vector<std::string>{"1", "x \"y\""});
  CHECK(table.rows[1].line == 4);
  CHECK(table.rows[1].cells == std::vector<std::string>{"2", "p\nq"});
}

TEST_CASE("csv_table: a cell of any text survives writing and reading") {
  const std::string letters = "a,\"\n\r é;\t=";
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0);
    std::vector<std::string> cells;
    for (int i = 0; i < 3; ++i) {
      std::string cell(1, 'x');  // a row of one empty cell reads as a blank line
      for (std::uint64_t n = random.below(6); n > 0; --n) {
        const std::uint64_t at = random.below(letters.size());
        if (static_cast<unsigned char>(letters[at]) < 0x80) cell += letters[at];
      }
      cells.push_back(cell);
    }
    const CsvTable table = csv_table("h1,h2,h3\n" + csv_row(cells), "f.csv");
    REQUIRE(table.rows.size() == 1);
    CHECK(table.rows[0].cells == cells);
  }
}

TEST_CASE("csv_table: refuses what is no table and names the line") {
  CHECK(error_text("") == "f.csv: is empty; expected a header line");
  CHECK(error_text("a,b\n1,2\n3\n") == "f.csv:3: 1 cells; expected 2 as in the header");
  CHECK(error_text("a,b\n1,\"2\n3,4\n") == "f.csv:2: a quote is opened and never closed");
  CHECK(error_text("a,b\n1,2\"\n") ==
        "f.csv:2: a quote inside a cell that does not start with one");
  CHECK(error_text("a,b\n\"1\"x,2\n") ==
        "f.csv:2: text after a closing quote; expected a comma or a line end");
  CHECK(error_text("a,b\n\xFF,2\n") == "f.csv: bytes that are not UTF-8; expected UTF-8");
  CHECK(error_text(std::string("a\n\0\n", 4)) == "f.csv:2: a NUL byte; expected text in UTF-8");
  CHECK(error_text("\xFF\xFE"
                   "a") == "f.csv: is UTF-16; expected UTF-8\nhint: save it as UTF-8");
}

TEST_CASE("csv_table: many wrong rows give a short message") {
  std::string text = "a,b\n";
  for (int i = 0; i < 1000; ++i)
    text += "1\n";
  const std::string message = error_text(text);
  CHECK(message.size() < 1000);
  CHECK(message.find("1000 rows have another length in all") != std::string::npos);
}

}  // namespace paretrain::results
