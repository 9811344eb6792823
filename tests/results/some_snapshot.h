// Why: a snapshot with something in every part, for the tests of what makes and keeps them.
#pragma once

#include "results/run_snapshot.h"

namespace paretrain::tests {

// After generation 1.
[[nodiscard]] results::RunSnapshot some_snapshot();

}  // namespace paretrain::tests
