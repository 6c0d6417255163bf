// SPDX-License-Identifier: Apache-2.0
// A mathematical library that errs by nearly as much as the accountants assume, in place of the real one: the linker
// sends every call of the functions below here (--wrap). Each result is moved by 7 ulps, those of erfc by 4 because the
// real one may err by nearly 4 itself. DPLDA_LIBM_ERRORS says where to: "up", "down", "none", or a number, from which
// the direction of each function is drawn, and for odd numbers that of each function at each argument.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

struct error_pattern {
  enum class kind { none, up, down, by_function, by_argument };
  kind direction = kind::none;
  std::uint64_t seed = 0;
};

error_pattern pattern_of(const char* text) {
  using kind = error_pattern::kind;
  const std::string_view word = text == nullptr ? "none" : text;
  if (word == "none") return {kind::none};
  if (word == "up") return {kind::up};
  if (word == "down") return {kind::down};
  const std::uint64_t seed = std::strtoull(text, nullptr, 10);
  return {seed % 2 == 1 ? kind::by_argument : kind::by_function, seed};
}

/// `value` moved by `ulps`, kept between the ends of the function's range. Zeros, infinities and NaN stay.
double moved(double value, double argument, unsigned function, int ulps, double least, double most) {
  static const error_pattern pattern = pattern_of(std::getenv("DPLDA_LIBM_ERRORS"));
  using kind = error_pattern::kind;
  if (pattern.direction == kind::none || value == 0 || !std::isfinite(value)) return value;
  bool up = pattern.direction == kind::up;
  if (pattern.direction == kind::by_function) up = mixed(pattern.seed * 64 + function) % 2 == 1;
  if (pattern.direction == kind::by_argument)
    up = mixed(mixed(std::bit_cast<std::uint64_t>(argument)) + pattern.seed * 64 + function) % 2 == 1;
  // The bits of a double's magnitude count its neighbours. Nothing crosses 0.
  const auto magnitude = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::abs(value)));
  const std::int64_t farther = up == (value > 0) ? magnitude + ulps : std::max<std::int64_t>(magnitude - ulps, 0);
  return std::clamp(std::copysign(std::bit_cast<double>(farther), value), least, most);
}

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

#define DPLDA_COARSE(name, number, ulps, least, most) \
  double __real_##name(double x);                     \
  double __wrap_##name(double x);                     \
  double __wrap_##name(double x) { return moved(__real_##name(x), x, number, ulps, least, most); }

extern "C" {
DPLDA_COARSE(exp, 0, 7, 0, infinite)
DPLDA_COARSE(log, 1, 7, -infinite, infinite)
DPLDA_COARSE(expm1, 2, 7, -1, infinite)
DPLDA_COARSE(log1p, 3, 7, -infinite, infinite)
DPLDA_COARSE(erfc, 4, 4, 0, 2)
DPLDA_COARSE(erf, 5, 7, -1, 1)
DPLDA_COARSE(tanh, 6, 7, -1, 1)
DPLDA_COARSE(sinh, 7, 7, -infinite, infinite)
DPLDA_COARSE(cosh, 8, 7, 1, infinite)
DPLDA_COARSE(asinh, 9, 7, -infinite, infinite)
DPLDA_COARSE(exp2, 10, 7, 0, infinite)
DPLDA_COARSE(log2, 11, 7, -infinite, infinite)
double __real_pow(double x, double y);
double __wrap_pow(double x, double y);
double __wrap_pow(double x, double y) { return moved(__real_pow(x, y), x, 12, 7, 0, infinite); }
}
