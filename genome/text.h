// Why: a plan must fit on one line of a file and of a command, and must not be taken for a plan of
// another problem.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "genome/layout.h"

namespace paretrain::genome {

// Shape: `k` (keep) or `r` (recompute) per keep gene, `:`, the fusion genes in hexadecimal (four a
// digit, the first gene is the highest bit of the first digit, missing bits 0), `@`, the
// fingerprint of the problem in 16 hexadecimal digits.
[[nodiscard]] std::string text_form(const Layout& layout,
                                    std::span<const std::uint64_t> genome,
                                    std::uint64_t fingerprint);

// Errors: InputError at `where` when the text has another form or another problem's fingerprint.
[[nodiscard]] std::vector<std::uint64_t> parsed_text_form(const Layout& layout,
                                                          std::string_view text,
                                                          std::uint64_t fingerprint,
                                                          const std::string& where);

}  // namespace paretrain::genome
