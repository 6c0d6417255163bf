// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_DETAIL_GAUSSIAN_BRICKS_HPP
#define DPLDA_RANDOM_DETAIL_GAUSSIAN_BRICKS_HPP

// The wall of bricks that covers the bell g(z) = exp(-z^2 / 2), z >= 0, for random/floored_gaussian.hpp.
//
// All bricks have the area 2^-6 * brick_height. Those of [0, 4) are 2^-6 wide and stand in 256 columns; brick k of a
// column lies between the heights k * brick_height and (k + 1) * brick_height. A column has all bricks that surely lie
// under the bell ("full") and above them enough bricks to surely cover it ("edge"). The tail [4, infinity) has four
// bricks of its own. A uniform point of the wall, given that it lies under the bell, has a normal |Z| as its abscissa.

#include <dplda/random/detail/fixed_point.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A real number uniform in [0, 1) whose 64-bit words are drawn as they are needed.
using lazy_fraction = std::vector<std::uint64_t>;

/// Brick heights are 163 / 2^15: an exact number that gives 16361 bricks, a little below 2^14.
inline constexpr std::uint32_t brick_height_numerator = 163;
inline constexpr std::size_t brick_height_shift = 15;
inline constexpr double brick_height = brick_height_numerator / static_cast<double>(1u << brick_height_shift);
inline constexpr std::size_t column_count = 256;
inline constexpr std::uint32_t tail_bricks = 4;

/// A region of the wall: z = (left + v) 2^-width_shift, y = (floor + u) brick_height 2^-height_shift, 0 <= u, v < 1.
struct brick {
  std::uint32_t left;
  std::size_t width_shift;
  std::uint32_t floor;
  std::size_t height_shift;
};

/// Whether the point (v, u) of the brick lies under the bell, in arithmetic of whatever length is needed. Precondition:
/// v and u have the same number of words, at least one.
///
/// At each precision: f = z / 2^scale is exact, g(z) lies within `error` of g, and the bits of v that are still unknown
/// move z by less than 2^-(64 words) (widths are at most 1) and g by less, since |g'| < 1, downwards only; the unknown
/// bits of u move y by less than 2^-(64 words) upwards only, and its rounding by less than an ulp. Both fit into
/// 2^-(64 words), taken twice, because ulps are 2^-64 of that.
template <BitGenerator64 Generator>
bool under_the_bell_exactly(const brick& b, lazy_fraction& v, lazy_fraction& u, Generator& bits) {
  for (;; v.push_back(bits()), u.push_back(bits())) {
    const std::size_t words = v.size();
    constexpr std::size_t guard_digits = 4;

    std::size_t scale = 1;  // z < 2^scale
    while (((std::uint64_t{b.left} + 1) >> b.width_shift) >> scale > 0) ++scale;
    fixed_point f(b.left, v, guard_digits);
    f >>= b.width_shift + scale;
    const auto [g, error] = exp_minus_square(f, 2 * scale - 1);  // z^2 / 2 = 2^(2 scale - 1) f^2

    fixed_point y(b.floor, u, guard_digits);
    y = y * fixed_point(brick_height_numerator, y.fraction_digits());
    y >>= brick_height_shift + b.height_shift;

    fixed_point unknown(1, g.fraction_digits());
    unknown >>= 64 * words;
    fixed_point above = g;
    above += g.ulps(error);
    if (!(y < above)) return false;
    fixed_point highest = y;
    highest += unknown;
    highest += unknown;
    highest += g.ulps(error);
    if (highest < g) return true;
  }
}

/// The wall's tables.
class gaussian_wall {
 public:
  static constexpr std::size_t brick_count = 1u << 14;

  /// Built at first use, the same for all threads.
  static const gaussian_wall& get() {
    static const gaussian_wall wall;
    return wall;
  }

  /// Bricks 0 to full() - 1 lie under the bell.
  std::uint32_t full() const { return full_; }
  /// The column of a full brick.
  std::uint64_t column(std::size_t index) const { return column_[index]; }
  /// Bricks full() to full() + edges() - 1 cross the bell; the next tail_bricks are the tail's; the rest are void.
  std::uint32_t edges() const { return static_cast<std::uint32_t>(edges_.size()); }
  const brick& edge(std::size_t index) const { return edges_[index]; }

  enum class side { under, over, undecided };

  /// Whether the point (v, u) of an edge brick lies under the bell, if double precision can decide it.
  ///
  /// With t = z - (middle of the column), g(z) = g(middle) exp(-a), a = t (middle + t / 2), |a| < 0.0314. The Taylor
  /// sum of degree 5 leaves a relative error below |a|^6 / 720 exp(|a|) < 2^-39, g(middle) one of 2^-50, the unknown
  /// bits of v one of 4 * 2^-64, and the roundings of this function fewer than 16 * 2^-53: below 2^-38 in all. y is
  /// wrong by less than 2^-51 of itself for rounding and 2^-64 brick_height < 2^-71 for the unknown bits of u, which is
  /// below 2^-58 g, as g > 2^-12 here. Where the two are 2^-37 g apart, their order is therefore known.
  side compare(const brick& b, std::uint64_t v, std::uint64_t u) const {
    const double middle = (b.left + 0.5) * 0x1p-6, t = (static_cast<double>(v) * 0x1p-64 - 0.5) * 0x1p-6;
    const double a = t * (middle + t / 2);
    const double g = middle_[b.left] * (1 - a * (1 - a / 2 * (1 - a / 3 * (1 - a / 4 * (1 - a / 5)))));
    const double y = (b.floor + static_cast<double>(u) * 0x1p-64) * brick_height;
    if (y < g * (1 - 0x1p-37)) return side::under;
    if (y > g * (1 + 0x1p-37)) return side::over;
    return side::undecided;
  }

 private:
  gaussian_wall() {
    // z / 4 = numerator / 512 for the columns' ends (even numerators) and middles (odd ones).
    const auto bell = [](std::uint32_t numerator) {
      fixed_point f(numerator, 6);
      f /= 2 * column_count;
      return static_cast<double>(exp_minus_square(f, 3).first);
    };
    for (std::uint32_t c = 0; c < column_count; ++c) {
      middle_[c] = bell(2 * c + 1);
      // A table entry is accurate to 2^-50; the margin of 2^-40 may make a full brick an edge brick: only slower.
      const auto under = static_cast<std::uint32_t>(bell(2 * c + 2) * (1 - 0x1p-40) / brick_height);
      const auto cover = static_cast<std::uint32_t>(std::ceil(bell(2 * c) * (1 + 0x1p-40) / brick_height));
      for (std::uint32_t k = 0; k < under; ++k) column_[full_++] = static_cast<std::uint8_t>(c);
      for (std::uint32_t k = under; k < cover; ++k) edges_.push_back({c, 6, k, 0});
    }
  }

  std::uint32_t full_ = 0;
  std::array<std::uint8_t, brick_count> column_{};
  std::vector<brick> edges_;
  std::array<double, column_count> middle_{};
};

}  // namespace dplda::inline v0_1::detail

#endif
