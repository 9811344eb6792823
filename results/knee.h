// Why: asked for one plan of a front, most people mean the one that gives up least in every
// direction.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace paretrain::results {

using ObjectivePoint = std::array<double, 3>;  // latency, energy, memory

// The point nearest to the ideal one (the best value of every objective) after each objective is
// scaled to 0 .. 1 over the front; ties go to the first. An objective that is constant counts
// nothing; empty when there are no points.
[[nodiscard]] std::optional<std::size_t> knee(std::span<const ObjectivePoint> points);

enum class Standing { NonDominated, Dominated };

// Whether some other point is at least as good everywhere and better somewhere.
[[nodiscard]] std::vector<Standing> standings(std::span<const ObjectivePoint> points);

}  // namespace paretrain::results
