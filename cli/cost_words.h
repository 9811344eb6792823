// Why: an operator on the command line is a few words ("B=1 K=64 …"); this is their grammar and the
// command's help.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "evaluator/core_cost/mapping.h"
#include "problems/operator_nests.h"

namespace paretrain::cli {

// Errors: InputError for options of a row next to --op, and of an operator next to --from-csv.
void check_words(const Options& options);

// From --op, --dims, --stride, --dilation, --input-size, --bits. Errors: InputError.
[[nodiscard]] problems::NestShape nest_shape(const Options& options);

// "C:2 FY:3", inner to outer. Errors: InputError.
[[nodiscard]] std::vector<evaluator::TemporalLoop> given_order(const std::string& text);

}  // namespace paretrain::cli
