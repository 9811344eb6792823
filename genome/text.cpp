#include "genome/text.h"

#include <optional>

#include "base/error.h"
#include "base/number_text.h"

namespace paretrain::genome {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kFingerprintDigits = 16;

bool is_set(std::span<const std::uint64_t> genome, std::size_t gene) {
  return ((genome[gene / 64] >> (gene % 64)) & 1U) != 0;
}

std::string fingerprint_text(std::uint64_t fingerprint) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text += kDigits[(fingerprint >> shift) & 15U];
  return text;
}

std::string count_text(std::size_t count) {
  return grouped_text(static_cast<std::int64_t>(count));
}

// A character as a message can show it.
std::string shown(char character) {
  const auto code = static_cast<unsigned char>(character);
  if (code >= 0x20 && code < 0x7f) return std::string("'") + character + "'";
  return std::string("byte 0x") + kDigits[code >> 4U] + kDigits[code & 15U];
}

struct Pieces {
  std::string_view keep;
  std::string_view fusion;
  std::string_view fingerprint;
};

Pieces pieces(std::string_view text, const std::string& where) {
  const std::size_t colon = text.find(':');
  const std::size_t at = text.find('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || at < colon)
    throw InputError(Problem{where,
                             "not a genome; expected KEEP:FUSION@FINGERPRINT, as in kkr:0@" +
                                 std::string(kFingerprintDigits, '0'),
                             ""});
  return {text.substr(0, colon), text.substr(colon + 1, at - colon - 1), text.substr(at + 1)};
}

void require_length(std::string_view part,
                    std::size_t expected,
                    const std::string& name,
                    const std::string& where) {
  if (part.size() == expected) return;
  throw InputError(Problem{where,
                           "the genome has " + count_text(part.size()) + " " + name +
                               "; this problem expects " + count_text(expected),
                           ""});
}

void read_keep(const Layout& layout,
               std::string_view keep,
               std::span<std::uint64_t> genome,
               const std::string& where) {
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 'k' && keep[i] != 'r')
      throw InputError(Problem{
          where,
          shown(keep[i]) + " as keep gene " + std::to_string(i) + " of the genome; expected k or r",
          ""});
    const std::uint32_t gene = layout.keep_genes()[i];
    if (keep[i] == 'k') genome[gene / 64] |= std::uint64_t{1} << (gene % 64);
  }
}

void read_fusion(const Layout& layout,
                 std::string_view fusion,
                 std::span<std::uint64_t> genome,
                 const std::string& where) {
  for (std::size_t i = 0; i < fusion.size(); ++i) {
    const std::size_t digit = kDigits.find(fusion[i]);
    if (digit == std::string_view::npos)
      throw InputError(Problem{where,
                               shown(fusion[i]) + " among the fusion genes of the genome; " +
                                   "expected hexadecimal digits 0-9 a-f",
                               ""});
    for (std::size_t bit = 0; bit < 4; ++bit) {
      if (((digit >> (3 - bit)) & 1U) == 0) continue;
      const std::size_t index = 4 * i + bit;
      if (index >= layout.fusion_gene_count())
        throw InputError(Problem{where,
                                 "the last digit of the genome's fusion genes sets a gene "
                                 "that this problem does not have",
                                 ""});
      const std::uint32_t gene = layout.fusion_genes()[index];
      genome[gene / 64] |= std::uint64_t{1} << (gene % 64);
    }
  }
}

}  // namespace

std::string text_form(const Layout& layout,
                      std::span<const std::uint64_t> genome,
                      std::uint64_t fingerprint) {
  std::string text;
  text.reserve(layout.keep_gene_count() + layout.fusion_gene_count() / 4 + 20);
  for (const std::uint32_t gene : layout.keep_genes())
    text += is_set(genome, gene) ? 'k' : 'r';
  text += ':';
  const std::span<const std::uint32_t> fusion = layout.fusion_genes();
  for (std::size_t first = 0; first < fusion.size(); first += 4) {
    std::size_t digit = 0;
    for (std::size_t i = first; i < first + 4; ++i)
      digit = 2 * digit + (i < fusion.size() && is_set(genome, fusion[i]) ? 1 : 0);
    text += kDigits[digit];
  }
  return text + "@" + fingerprint_text(fingerprint);
}

std::vector<std::uint64_t> parsed_text_form(const Layout& layout,
                                            std::string_view text,
                                            std::uint64_t fingerprint,
                                            const std::string& where) {
  const Pieces parts = pieces(text, where);
  const std::string expected = fingerprint_text(fingerprint);
  if (parts.fingerprint.size() != kFingerprintDigits ||
      parts.fingerprint.find_first_not_of(kDigits) != std::string_view::npos)
    throw InputError(Problem{where,
                             "the genome does not end in @ and 16 hexadecimal digits (0-9 "
                             "a-f), the fingerprint of its problem",
                             ""});
  if (parts.fingerprint != expected)
    throw InputError(Problem{where,
                             "the genome is of another problem: its fingerprint is " +
                                 std::string(parts.fingerprint) + "; this problem's is " + expected,
                             "use the model, accelerator and options that the plan was made with"});
  require_length(parts.keep, layout.keep_gene_count(), "keep genes", where);
  require_length(
      parts.fusion, (layout.fusion_gene_count() + 3) / 4, "digits of fusion genes", where);
  std::vector<std::uint64_t> genome(layout.word_count(), 0);
  read_keep(layout, parts.keep, genome, where);
  read_fusion(layout, parts.fusion, genome, where);
  return genome;
}

}  // namespace paretrain::genome
