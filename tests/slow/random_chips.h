// Why: laws of group costs are tested on accelerators that nobody would build, too: memories that
// hold next to nothing, links wider or narrower than everything else.
#pragma once

#include "base/random.h"
#include "evaluator/hardware/accelerator.h"

namespace paretrain::tests {

// One of the built-in ones with other widths of links and of the off-chip memory and smaller
// memories on chip, or up to three small cores of 256 bytes to 64 KiB, joined by a bus or links.
[[nodiscard]] evaluator::Accelerator random_accelerator(RandomStream& random);

}  // namespace paretrain::tests
