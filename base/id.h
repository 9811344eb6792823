// Why: an index into one array must not be used with another; each array of the project has its own
// index type.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace paretrain {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;

  constexpr explicit Id(std::size_t index) noexcept : index_(static_cast<std::uint32_t>(index)) {}

  [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }

  friend constexpr auto operator<=>(Id a, Id b) noexcept = default;

 private:
  std::uint32_t index_ = 0;
};

}  // namespace paretrain
