// Why: doctest and base/check.h both name a macro CHECK; a test means doctest's. Included after
// every other header.
#pragma once

#undef CHECK
#include <doctest/doctest.h>
