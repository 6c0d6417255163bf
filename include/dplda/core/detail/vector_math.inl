// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

// Functions of a vector of floats or doubles: a pack or one register. Both give the same result in each lane.

/// exp(x): x = n ln 2 + r, 2^n by its bits, exp(r) by its Taylor sum, whose remainder is below 1/10 ulp. 0 below
/// -708 and infinite above 709 (float: -87 and 88), before the scale leaves the normal numbers.
template <class Vector>
[[gnu::always_inline]] inline void exponential(const Vector& x, Vector& y) {
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
  using whole = decltype(x < x);
  if constexpr (sizeof x[0] == 8) {
    const Vector shifted = x * 0x1.71547652b82fep0 + 0x1.8p52;  // n in the low bits
    const Vector n = shifted - 0x1.8p52;
    const Vector r = (x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40;
    const Vector r2 = r * r, r4 = r2 * r2;
    const Vector p01 = r + 1.0, p23 = r * (1.0 / 6) + 0.5;
    const Vector p45 = r * (1.0 / 120) + 1.0 / 24, p67 = r * (1.0 / 5040) + 1.0 / 720;
    const Vector p89 = r * (1.0 / 362880) + 1.0 / 40320, pab = r * (1.0 / 39916800) + 1.0 / 3628800;
    const Vector pcd = r * (1.0 / 6227020800) + 1.0 / 479001600;
    const Vector low = p01 + r2 * p23, mid = p45 + r2 * p67, high = (p89 + r2 * pab) + r4 * pcd;
    const Vector p = low + r4 * (mid + r4 * high);
    const auto scale = bits_as<Vector>((bits_as<whole>(shifted) + 1023) << 52);
    const Vector zero{}, infinity = zero + __builtin_inf(), inside = p * scale;
    y = select(x < -708.0, zero, select(x > 709.0, infinity, inside));
  } else {
    const Vector shifted = x * 0x1.715476p0f + 0x1.8p23f;
    const Vector n = shifted - 0x1.8p23f;
    const Vector r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    const Vector r2 = r * r;
    const Vector p01 = r + 1.0f, p23 = r * (1.0f / 6) + 0.5f;
    const Vector p45 = r * (1.0f / 120) + 1.0f / 24, p67 = r * (1.0f / 5040) + 1.0f / 720;
    const Vector p = (p01 + r2 * p23) + (r2 * r2) * (p45 + r2 * p67);
    const auto scale = bits_as<Vector>((bits_as<whole>(shifted) + 127) << 23);
    const Vector zero{}, infinity = zero + __builtin_inff(), inside = p * scale;
    y = select(x < -87.0f, zero, select(x > 88.0f, infinity, inside));
  }
}

/// exp(digamma(x)) = factor * exp(exponent); neither needs a logarithm. With z = x + m - 1/2,
///   digamma(x) = digamma(x + m) - sum_{i < m} 1 / (x + i)   and   exp(digamma(z + 1/2)) = z (1 + u g(u)), u = 1 / z^2,
/// where g is a polynomial fitted on z >= m - 1/2 (error below 5e-17 of the value for m = 5, 3e-9 in float for m = 3).
/// The sum is one quotient P'(x) / P(x), P(x) = x (x+1) ... (x+m-1), whose coefficients are all positive: nothing
/// cancels.
template <class Vector>
[[gnu::always_inline]] inline void split_exp_digamma(const Vector& x, Vector& factor, Vector& exponent) {
  if constexpr (sizeof x[0] == 8) {
    const Vector z = x + 4.5;
    const Vector u = 1.0 / (z * z), u2 = u * u;
    const Vector g = ((0.041666666666665778495 - u * 0.006423611108802961546) +
                      u2 * (0.0035524819198538415089 - u * 0.0039533921025232818882)) +
                     (u2 * u2) * ((0.0073512879903940266839 - u * 0.020094933673690271217) +
                                  u2 * (0.064858453666783454034 - u * 0.15066270338584271689));
    const Vector x2 = x * x;
    const Vector numerator = (x * 100.0 + 24.0) + x2 * ((x * 40.0 + 105.0) + x2 * 5.0);
    const Vector denominator = x * ((x * 50.0 + 24.0) + x2 * ((x * 10.0 + 35.0) + x2));
    factor = z + (z * u) * g;
    exponent = -(numerator / denominator);
  } else {
    const Vector z = x + 2.5f;
    const Vector u = 1.0f / (z * z);
    const Vector g = (0.041666647526381364687f - u * 0.0064197401550658544324f) +
                     (u * u) * (0.0034241430725070721331f - u * 0.0024619699525663817397f);
    const Vector numerator = (x * 6.0f + 2.0f) + x * x * 3.0f;
    const Vector denominator = x * ((x * 3.0f + 2.0f) + x * x);
    factor = z + (z * u) * g;
    exponent = -(numerator / denominator);
  }
}

template <class Vector>
[[gnu::always_inline]] inline void exp_digamma(const Vector& x, Vector& y) {
  Vector factor, exponent;
  split_exp_digamma(x, factor, exponent);
  exponential(exponent, y);
  y *= factor;
}

// The same over arrays of `n` numbers. A last, incomplete register is processed in a copy and gives the same bits.
struct exponential_function {
  template <class Vector>
  [[gnu::always_inline]] static void evaluate(Vector& x) {
    exponential(x, x);
  }
};

struct exp_digamma_function {
  template <class Vector>
  [[gnu::always_inline]] static void evaluate(Vector& x) {
    exp_digamma(x, x);
  }
};

template <class Function, class Real>
void apply(const Real* x, Real* y, std::size_t n) {
  vector_register<Real> p;
  constexpr std::size_t width = sizeof p / sizeof(Real);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    __builtin_memcpy(&p, x + i, sizeof p);
    Function::evaluate(p);
    __builtin_memcpy(y + i, &p, sizeof p);
  }
  if (i < n) {
    p = vector_register<Real>{} + Real(1);
    __builtin_memcpy(&p, x + i, (n - i) * sizeof(Real));
    Function::evaluate(p);
    __builtin_memcpy(y + i, &p, (n - i) * sizeof(Real));
  }
}

template <class Real>
void exponential_of(const Real* x, Real* y, std::size_t n) {
  apply<exponential_function>(x, y, n);
}

template <class Real>
void exp_digamma_of(const Real* x, Real* y, std::size_t n) {
  apply<exp_digamma_function>(x, y, n);
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
