// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_FFT_HPP
#define DPLDA_ACCOUNTING_DETAIL_FFT_HPP

// The discrete Fourier transform of real sequences whose length is a power of two, with a bound on its rounding error.
//
// Claim: every number computed by forward or inverse is within error(n) * sum |input| of the exact one (for inverse:
// the sum over all n coefficients, divided by n), and all together are within error(n) times the exact ones in the
// 2-norm.
//
// Argument: an output is a sum of inputs times numbers of modulus 1, and each input passes log2(n) + 2 butterflies on
// its way. A butterfly multiplies by a computed root of unity and adds: a complex product errs by at most sqrt(5) u of
// its modulus and a sum by u, u = 2^-53. A root is one product of two roots that err by 3.5 u each, so it errs by at
// most 10 u. Nothing is assumed of the library's sine and cosine: both are Taylor sums over an eighth of the circle,
// where the angle errs by 1.35 u of itself, the sine by 2 u of itself and the cosine by 2 u. An intermediate value is
// at most the sum of the |inputs| behind it, and the values of one stage that lead to an output have disjoint inputs
// behind them. A radix-4 butterfly is two stages with one product, and so adds at most (10 + sqrt(5) + 2) u < 20 u sum
// |input|; the last step, of radix 2 and real, one product and two sums, for which there are three more stages of 10 u.
// The same sums hold for the 2-norm, in which a butterfly is a multiple of a unitary map (Higham, Accuracy and
// stability of numerical algorithms, 2002, Theorem 24.2).
//
// Test: tests/accounting/fft_test.cpp

#include <dplda/core/config.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Transforms of one length. An object keeps workspaces, so it serves one thread at a time.
class real_fft {
 public:
  /// Precondition: n is a power of two and at least 4.
  explicit real_fft(std::size_t n) : n_(n), half_(n / 2), re_(half_), im_(half_), re2_(half_), im2_(half_) {
    // exp(-2 pi i j / n) for j < n as the product of a coarse and a fine root: two short tables.
    const std::size_t fine = std::size_t{1} << (static_cast<std::size_t>(std::bit_width(n)) / 2), coarse = n / fine;
    std::vector<double> fine_cos(fine), fine_sin(fine);
    for (std::size_t j = 0; j < fine; ++j) root(j, fine_cos[j], fine_sin[j]);
    cos_.resize(half_ + half_ / 2);
    sin_.resize(half_ + half_ / 2);
    for (std::size_t c = 0; c < coarse; ++c) {
      double cos_c = 1, sin_c = 0;
      root(c * fine, cos_c, sin_c);
      for (std::size_t f = 0; f < fine && c * fine + f < cos_.size(); ++f) {
        cos_[c * fine + f] = cos_c * fine_cos[f] - sin_c * fine_sin[f];
        sin_[c * fine + f] = cos_c * fine_sin[f] + sin_c * fine_cos[f];
      }
    }
  }

  std::size_t size() const noexcept { return n_; }

  /// The error bound of the claim.
  static double error(std::size_t n) noexcept { return 10 * 0x1p-53 * (static_cast<double>(std::bit_width(n)) + 2); }

  /// X[m] = sum_j x[j] exp(-2 pi i j m / n) for m = 0 .. n/2; x has n numbers, re and im n/2 + 1.
  void forward(const double* x, double* re, double* im) {
    for (std::size_t j = 0; j < half_; ++j) {
      re_[j] = x[2 * j];
      im_[j] = x[2 * j + 1];
    }
    transform(re_, im_);
    re[0] = re_[0] + im_[0];
    re[half_] = re_[0] - im_[0];
    im[0] = im[half_] = 0;
    for (std::size_t m = 1; m <= half_ / 2; ++m) {
      const std::size_t mirror = half_ - m;
      const double even_re = (re_[m] + re_[mirror]) / 2, even_im = (im_[m] - im_[mirror]) / 2;
      const double odd_re = (im_[m] + im_[mirror]) / 2, odd_im = (re_[mirror] - re_[m]) / 2;
      const double turned_re = cos_[m] * odd_re - sin_[m] * odd_im, turned_im = cos_[m] * odd_im + sin_[m] * odd_re;
      re[m] = even_re + turned_re;
      im[m] = even_im + turned_im;
      re[mirror] = even_re - turned_re;
      im[mirror] = turned_im - even_im;
    }
  }

  /// The x of which forward gives re and im (n/2 + 1 numbers each; im[0] and im[n/2] count as 0).
  void inverse(const double* re, const double* im, double* x) {
    re_[0] = (re[0] + re[half_]) / 2;
    im_[0] = (re[0] - re[half_]) / 2;
    for (std::size_t m = 1; m <= half_ / 2; ++m) {
      const std::size_t mirror = half_ - m;
      const double even_re = (re[m] + re[mirror]) / 2, even_im = (im[m] - im[mirror]) / 2;
      const double turned_re = (re[m] - re[mirror]) / 2, turned_im = (im[m] + im[mirror]) / 2;
      const double odd_re = cos_[m] * turned_re + sin_[m] * turned_im,
                   odd_im = cos_[m] * turned_im - sin_[m] * turned_re;
      re_[m] = even_re - odd_im;
      im_[m] = even_im + odd_re;
      re_[mirror] = even_re + odd_im;
      im_[mirror] = odd_re - even_im;
    }
    transform(im_, re_);  // with real and imaginary parts exchanged, the same code is the inverse
    const double scale = 1.0 / static_cast<double>(half_);
    for (std::size_t j = 0; j < half_; ++j) {
      x[2 * j] = re_[j] * scale;
      x[2 * j + 1] = im_[j] * scale;
    }
  }

 private:
  /// exp(-2 pi i j / n), the angle reduced to an eighth of the circle so that it is accurate.
  void root(std::size_t j, double& cosine, double& sine) const {
    const std::size_t eighth = (8 * j / n_) % 8;
    std::size_t rest = j % n_;
    rest = eighth % 2 == 0 ? rest - eighth * n_ / 8 : (eighth + 1) * n_ / 8 - rest;
    const double angle = 2 * std::numbers::pi * static_cast<double>(rest) / static_cast<double>(n_);
    const double square = angle * angle;
    double c = 1, s = 1;  // Horner's rule; the first terms left out are below 1e-19
    for (double k = 18; k >= 2; k -= 2) {
      c = 1 - square / (k * (k - 1)) * c;
      s = 1 - square / (k * (k + 1)) * s;
    }
    s *= angle;
    if (eighth == 1 || eighth == 2 || eighth == 5 || eighth == 6) std::swap(c, s);
    cosine = eighth >= 2 && eighth <= 5 ? -c : c;
    sine = eighth <= 3 ? -s : s;
  }

  /// The complex transform of length n/2 in place: Stockham's radix-4 steps, and one of radix 2 if needed.
  void transform(std::vector<double>& re, std::vector<double>& im) {
    double *a = re.data(), *b = im.data(), *c = re2_.data(), *d = im2_.data();
    std::size_t length = half_, stride = 1;
    bool swapped = false;
    for (; length >= 4; length /= 4, stride *= 4, swapped = !swapped) {
      if (stride == 1) {
        radix4(a, b, c, d, length / 4, 1);
      } else {
        radix4(a, b, c, d, length / 4, stride);
      }
      std::swap(a, c);
      std::swap(b, d);
    }
    if (length == 2) {
      for (std::size_t q = 0; q < stride; ++q) {
        c[q] = a[q] + a[q + stride];
        d[q] = b[q] + b[q + stride];
        c[q + stride] = a[q] - a[q + stride];
        d[q + stride] = b[q] - b[q + stride];
      }
      swapped = !swapped;
    }
    if (swapped) {
      re.swap(re2_);
      im.swap(im2_);
    }
  }

  [[gnu::always_inline]] void radix4(const double* __restrict a, const double* __restrict b, double* __restrict c,
                                     double* __restrict d, std::size_t quarter, std::size_t stride) const {
    for (std::size_t p = 0; p < quarter; ++p) {
      const std::size_t turn = 2 * p * stride;
      const double c1 = cos_[turn], s1 = sin_[turn], c2 = cos_[2 * turn], s2 = sin_[2 * turn];
      const double c3 = cos_[3 * turn], s3 = sin_[3 * turn];
      const std::size_t in = stride * p, step = stride * quarter, out = 4 * stride * p;
      for (std::size_t q = 0; q < stride; ++q) {
        const std::size_t i = in + q, o = out + q;
        const double ac_re = a[i] + a[i + 2 * step], ac_im = b[i] + b[i + 2 * step];
        const double am_re = a[i] - a[i + 2 * step], am_im = b[i] - b[i + 2 * step];
        const double bd_re = a[i + step] + a[i + 3 * step], bd_im = b[i + step] + b[i + 3 * step];
        const double bm_re = a[i + step] - a[i + 3 * step], bm_im = b[i + step] - b[i + 3 * step];
        c[o] = ac_re + bd_re;
        d[o] = ac_im + bd_im;
        const double x1 = am_re + bm_im, y1 = am_im - bm_re;
        c[o + stride] = c1 * x1 - s1 * y1;
        d[o + stride] = c1 * y1 + s1 * x1;
        const double x2 = ac_re - bd_re, y2 = ac_im - bd_im;
        c[o + 2 * stride] = c2 * x2 - s2 * y2;
        d[o + 2 * stride] = c2 * y2 + s2 * x2;
        const double x3 = am_re - bm_im, y3 = am_im + bm_re;
        c[o + 3 * stride] = c3 * x3 - s3 * y3;
        d[o + 3 * stride] = c3 * y3 + s3 * x3;
      }
    }
  }

  std::size_t n_, half_;
  std::vector<double> re_, im_, re2_, im2_, cos_, sin_;
};

/// Transforms of several lengths, made when first used.
class real_fft_cache {
 public:
  real_fft& of(std::size_t n) {
    for (const auto& fft : ffts_)
      if (fft->size() == n) return *fft;
    return *ffts_.emplace_back(std::make_unique<real_fft>(n));
  }

 private:
  std::vector<std::unique_ptr<real_fft>> ffts_;
};

}  // namespace dplda::inline v0_1::detail

#endif
