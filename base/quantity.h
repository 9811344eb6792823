// Why: bytes, cycles and picojoules are different things, and the compiler should say so when they
// are mixed.
#pragma once

#include <compare>
#include <cstdint>

namespace paretrain {

// A number with a unit. Sums and differences keep the unit; scaling takes a bare number.
template <class Tag, class Number>
class Quantity {
 public:
  constexpr Quantity() = default;

  constexpr explicit Quantity(Number number) noexcept : number_(number) {}

  [[nodiscard]] constexpr Number number() const noexcept { return number_; }

  constexpr Quantity& operator+=(Quantity other) noexcept {
    number_ += other.number_;
    return *this;
  }

  constexpr Quantity& operator-=(Quantity other) noexcept {
    number_ -= other.number_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) noexcept {
    return Quantity(a.number_ + b.number_);
  }

  friend constexpr Quantity operator-(Quantity a, Quantity b) noexcept {
    return Quantity(a.number_ - b.number_);
  }

  friend constexpr Quantity operator*(Quantity a, Number factor) noexcept {
    return Quantity(a.number_ * factor);
  }

  friend constexpr Quantity operator*(Number factor, Quantity a) noexcept {
    return Quantity(a.number_ * factor);
  }

  friend constexpr auto operator<=>(Quantity a, Quantity b) noexcept = default;

 private:
  Number number_ = 0;
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Cycles = Quantity<struct CyclesTag, std::int64_t>;
using Picojoules = Quantity<struct PicojoulesTag, double>;

}  // namespace paretrain
