#include "genome/text.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "tests/support/doctest.h"

namespace paretrain::tests {

namespace {

constexpr std::uint64_t kFingerprint = 0x0123456789abcdefULL;

// Keep genes 0, 3; fusion genes 1, 2, 4, 5, 6.
genome::Layout small_layout() {
  return genome::Layout(
      std::vector<genome::OperatorGenes>{{1, {{0, 1}, {1, 2}}}, {1, {{2, 3}, {3, 4}, {4, 5}}}});
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(genome::parsed_text_form(small_layout(), text, kFingerprint, "plan"));
    return "accepted";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("text_form: has a letter per keep gene and a digit per four fusion genes") {
  const genome::Layout layout = small_layout();
  CHECK(genome::text_form(layout, std::vector<std::uint64_t>{0}, kFingerprint) ==
        "rr:00@0123456789abcdef");
  // Keep gene 3; fusion genes 1, 4 and 6: bits 1 0 1 0 | 1.
  CHECK(genome::text_form(layout, std::vector<std::uint64_t>{0b1011010}, kFingerprint) ==
        "rk:a8@0123456789abcdef");
}

TEST_CASE("text_form: leaves the fusion part empty without fusion genes") {
  const genome::Layout layout(std::vector<genome::OperatorGenes>(3, {1, {}}));
  CHECK(genome::text_form(layout, std::vector<std::uint64_t>{0b101}, 0) == "krk:@0000000000000000");
}

TEST_CASE("parsed_text_form: gives back what was written") {
  RandomStream random(1, 0, 0);
  std::vector<genome::OperatorGenes> operators;
  for (std::uint32_t i = 0; i < 50; ++i)
    operators.push_back({static_cast<std::uint32_t>(random.below(3)),
                         std::vector<genome::TemplateEdge>(random.below(4))});
  const genome::Layout layout(operators);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::uint64_t> genome(layout.word_count(), 0);
    for (std::size_t gene = 0; gene < layout.gene_count(); ++gene)
      genome[gene / 64] |= random.below(2) << (gene % 64);
    const std::string text = genome::text_form(layout, genome, kFingerprint);
    CHECK(genome::parsed_text_form(layout, text, kFingerprint, "plan") == genome);
  }
}

TEST_CASE("parsed_text_form: says what is wrong") {
  CHECK(refusal("rk:a8@0123456789abcdef") == "accepted");
  CHECK(refusal("") ==
        "plan: not a genome; expected KEEP:FUSION@FINGERPRINT, as in kkr:0@0000000000000000");
  CHECK(refusal("rk:a8@0123456789abcdee") ==
        "plan: the genome is of another problem: its fingerprint is 0123456789abcdee; this "
        "problem's is 0123456789abcdef\nhint: use the model, accelerator and options that the plan "
        "was made with");
  CHECK(refusal("rk:a8@123") ==
        "plan: the genome does not end in @ and 16 hexadecimal digits (0-9 "
        "a-f), the fingerprint of its problem");
  CHECK(refusal("rkr:a8@0123456789abcdef") ==
        "plan: the genome has 3 keep genes; this problem expects 2");
  CHECK(refusal("rk:a@0123456789abcdef") ==
        "plan: the genome has 1 digits of fusion genes; this problem expects 2");
  CHECK(refusal("rx:a8@0123456789abcdef") ==
        "plan: 'x' as keep gene 1 of the genome; expected k or r");
  CHECK(refusal("r\x1b:a8@0123456789abcdef") ==
        "plan: byte 0x1b as keep gene 1 of the genome; expected k or r");
  CHECK(refusal("rk:A8@0123456789abcdef") ==
        "plan: 'A' among the fusion genes of the genome; expected hexadecimal digits 0-9 a-f");
  CHECK(refusal("rk:a9@0123456789abcdef") ==
        "plan: the last digit of the genome's fusion genes sets a gene that this problem does not "
        "have");
  CHECK(refusal("rk@:a8") ==
        "plan: not a genome; expected KEEP:FUSION@FINGERPRINT, as in kkr:0@0000000000000000");
}

}  // namespace paretrain::tests
