// Why: training passes write operators that no forward network has; they get their rules here, and
// everything else takes the rules of forward operators in any phase.
#pragma once

#include <optional>

#include "evaluator/graph/rules/node_context.h"

namespace paretrain::evaluator {

// Empty when neither has a rule.
[[nodiscard]] std::optional<ForwardRule> ready_made_rule(const Node& node);

}  // namespace paretrain::evaluator
