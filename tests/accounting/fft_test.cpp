// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/detail/fft.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace {

using dplda::detail::real_fft;

struct spectrum {
  std::vector<double> re, im;
};

spectrum forward(real_fft& fft, const std::vector<double>& x) {
  spectrum s{std::vector<double>(x.size() / 2 + 1), std::vector<double>(x.size() / 2 + 1)};
  fft.forward(x.data(), s.re.data(), s.im.data());
  return s;
}

/// The definition, in long double.
std::complex<long double> coefficient(const std::vector<double>& x, std::size_t m) {
  std::complex<long double> sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto turns = static_cast<long double>((j * m) % x.size()) / static_cast<long double>(x.size());
    sum += static_cast<long double>(x[j]) * std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
  }
  return sum;
}

double size_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += std::abs(value);
  return sum;
}

std::vector<double> random_numbers(std::size_t n, unsigned seed, double decay) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = uniform(random) * std::exp(-decay * static_cast<double>(j));
  return x;
}

}  // namespace

TEST_CASE("fft: every length agrees with the definition within the stated bound") {
  for (std::size_t n = 4; n <= 2048; n *= 2) {
    const auto x = random_numbers(n, 7, 0);
    real_fft fft(n);
    const spectrum s = forward(fft, x);
    double worst = 0;
    for (std::size_t m = 0; m <= n / 2; ++m) {
      const auto exact = coefficient(x, m);
      worst = std::max(worst, static_cast<double>(std::abs(exact - std::complex<long double>(s.re[m], s.im[m]))));
    }
    CAPTURE(n);
    CHECK(worst <= real_fft::error(n) * size_of(x));
    CHECK(worst <= 2e-16 * size_of(x));  // in truth far better
    CHECK(s.im[0] == 0);
    CHECK(s.im[n / 2] == 0);
  }
}

TEST_CASE("fft: inverse undoes forward") {
  for (const std::size_t n : {std::size_t{4}, std::size_t{8}, std::size_t{1024}, std::size_t{1} << 17}) {
    const auto x = random_numbers(n, 11, 0);
    real_fft fft(n);
    const spectrum s = forward(fft, x);
    std::vector<double> back(n);
    fft.inverse(s.re.data(), s.im.data(), back.data());
    double worst = 0;
    for (std::size_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(back[j] - x[j]));
    CAPTURE(n);
    CHECK(worst <= 2e-15);
  }
}

TEST_CASE("fft: the transform of an impulse is exact roots of unity") {
  const std::size_t n = 1 << 16;
  real_fft fft(n);
  for (const std::size_t place : {std::size_t{1}, std::size_t{3}, n / 8, n / 4 + 1, n / 2, n - 1}) {
    std::vector<double> x(n, 0.0);
    x[place] = 1;
    const spectrum s = forward(fft, x);
    double worst = 0;
    for (std::size_t m = 0; m <= n / 2; m += 37) {
      const auto turns = static_cast<long double>((place * m) % n) / static_cast<long double>(n);
      const auto exact = std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
      worst = std::max(worst, static_cast<double>(std::abs(exact - std::complex<long double>(s.re[m], s.im[m]))));
    }
    CAPTURE(place);
    CHECK(worst <= 1e-15);
  }
}

TEST_CASE("fft: convolution by squaring the spectrum") {
  const std::size_t n = 512;
  auto x = random_numbers(n, 3, 0.02);
  real_fft fft(n);
  spectrum s = forward(fft, x);
  for (std::size_t m = 0; m <= n / 2; ++m) {
    const double re = s.re[m] * s.re[m] - s.im[m] * s.im[m], im = 2 * s.re[m] * s.im[m];
    s.re[m] = re;
    s.im[m] = im;
  }
  std::vector<double> squared(n);
  fft.inverse(s.re.data(), s.im.data(), squared.data());
  for (std::size_t k = 0; k < n; k += 13) {
    long double exact = 0;
    for (std::size_t j = 0; j < n; ++j)
      exact += static_cast<long double>(x[j]) * static_cast<long double>(x[(k + n - j) % n]);
    CAPTURE(k);
    CHECK(std::abs(squared[k] - static_cast<double>(exact)) <= 1e-13);
  }
}

TEST_CASE("fft: one object serves many calls") {
  real_fft fft(64);
  const auto x = random_numbers(64, 1, 0), y = random_numbers(64, 2, 0);
  const spectrum first = forward(fft, x);
  forward(fft, y);
  const spectrum again = forward(fft, x);
  CHECK(first.re == again.re);
  CHECK(first.im == again.im);
}
