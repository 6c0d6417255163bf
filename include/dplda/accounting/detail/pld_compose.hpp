// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_COMPOSE_HPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_COMPOSE_HPP

// The sum of many independent losses, from tilted lattice laws, and the privacy curve of the sum.
//
// Losses add up under composition, and delta(epsilon) = E_P (1 - e^{epsilon - L})_+ plus the mass at infinity. With the
// laws p_i of single losses tilted, p~_i(x) = p_i(x) e^{theta x - scale_i}, the law of the sum is r(x) = r~(x) e^{K -
// theta x}, where r~ is the convolution of the p~_i and K = sum k_i scale_i. So delta(epsilon) = e^{K - theta epsilon}
// sum_x r~(x) e^{-theta (x - epsilon)} (1 - e^{epsilon - x})_+: with theta near the saddle point, r~ is concentrated
// around epsilon, and absolute errors of r~ are relative errors of delta, however small delta is.
//
// The errors:
//
// Spectrum: let a = |computed transform of p~_i| and e = error of p~_i in l1 + real_fft::error * |p~_i|_1. The product
// of k_i-th powers is off by at most prod (a_i + e_i)^{k_i} - prod a_i^{k_i}, and k complex products of which each errs
// by sqrt(5) u add 4 k u prod (a_i + e_i)^{k_i}. Both sums over all frequencies, divided by n, plus the inverse
// transform's own error, bound the error of each r~(x): `error`. The l1 norm of all errors is at most sqrt(n) times
// their 2-norm, so at most the 2-norm of the spectrum's errors: `l1_error`.
//
// Window: the transform has n points and sums r~ over classes modulo n h. Of r~ itself at most `right` lies above and
// `left` below the window: Chernoff, P(X >= R) <= E e^{s (X - R)}, from the lattice laws themselves. From above,
// aliases only add, and `right` is added. From below, aliases amount to at most (left + right) max_x e^{-theta x} (1 -
// e^{-x}) and are subtracted.
//
// Losses that the lower law moved down (atoms, and the one outcome where this costs most): their true losses are larger
// by independent amounts in [0, range_i] with mean m_i. By Hoeffding's inequality the sum of these is at least sum k_i
// m_i - sqrt(log(1/t) sum k_i range_i^2 / 2), except with probability t, which is subtracted from delta.

#include <dplda/accounting/detail/fft.hpp>
#include <dplda/accounting/detail/pld_lattice.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// A lattice law that occurs `count` times.
struct repeated_law {
  const tilted_law* law;
  double count;
};

/// max_x e^{-theta x} (1 - e^{-x}).
inline double largest_weight(double theta) {
  return theta == 0 ? 1.0 : std::exp(theta * std::log1p(-1 / (1 + theta))) / (1 + theta);
}

/// The window of lattice points in which a sum is computed.
struct loss_window {
  std::int64_t first;
  std::size_t size;  // a power of two
};

/// r~ in a window, and bounds on the error of each number and of all together.
struct composed_law {
  std::vector<double> mass;
  double error = 0, l1_error = 0;
};

/// z[m] <- z[m]^count for a block of complex numbers, and bound[m] <- bound[m]^count.
inline void raise_to_power(std::span<double> re, std::span<double> im, std::span<double> bound, std::uint64_t count) {
  constexpr std::size_t block = 128;
  double x[block], y[block], b[block];
  for (std::size_t start = 0; start < re.size(); start += block) {
    const std::size_t size = std::min(block, re.size() - start);
    double *pr = re.data() + start, *pi = im.data() + start, *pb = bound.data() + start;
    std::copy_n(pr, size, x);
    std::copy_n(pi, size, y);
    std::copy_n(pb, size, b);
    for (int bit = static_cast<int>(std::bit_width(count)) - 2; bit >= 0; --bit) {
      const bool odd = (count >> bit) & 1;
      for (std::size_t m = 0; m < size; ++m) {
        const double u = x[m] * x[m] - y[m] * y[m], v = 2 * x[m] * y[m];
        x[m] = u;
        y[m] = v;
        b[m] = b[m] * b[m];
      }
      if (!odd) continue;
      for (std::size_t m = 0; m < size; ++m) {
        const double u = x[m] * pr[m] - y[m] * pi[m], v = x[m] * pi[m] + y[m] * pr[m];
        x[m] = u;
        y[m] = v;
        b[m] = b[m] * pb[m];
      }
    }
    std::copy_n(x, size, pr);
    std::copy_n(y, size, pi);
    std::copy_n(b, size, pb);
  }
}

/// The convolution of all laws, each taken `count` times, in the window.
inline composed_law compose(std::span<const repeated_law> laws, const loss_window& window, real_fft& fft) {
  const std::size_t n = window.size, bins = n / 2 + 1;
  const auto wrap = [n](std::int64_t j) { return static_cast<std::size_t>(j) & (n - 1); };
  std::vector<double> buffer(n), re(bins), im(bins), bound(bins), all_re, all_im, all_bound;
  double products = 0;
  for (const auto& [law, count] : laws) {
    std::fill(buffer.begin(), buffer.end(), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < law->mass.size(); ++i) {
      buffer[wrap(law->first + static_cast<std::int64_t>(i))] += law->mass[i];
      total += law->mass[i];
    }
    fft.forward(buffer.data(), re.data(), im.data());
    const double error =
        law->error + total * (real_fft::error(n) + 0x1p-53 * static_cast<double>(law->mass.size() / n + 8));
    for (std::size_t m = 0; m < bins; ++m) bound[m] = std::sqrt(re[m] * re[m] + im[m] * im[m]) * (1 + 0x1p-50) + error;
    raise_to_power(re, im, bound, static_cast<std::uint64_t>(count));
    products += count;
    if (all_re.empty()) {
      all_re.swap(re);
      all_im.swap(im);
      all_bound.swap(bound);
      re.resize(bins);
      im.resize(bins);
      bound.resize(bins);
      continue;
    }
    for (std::size_t m = 0; m < bins; ++m) {
      const double u = all_re[m] * re[m] - all_im[m] * im[m], v = all_re[m] * im[m] + all_im[m] * re[m];
      all_re[m] = u;
      all_im[m] = v;
      all_bound[m] *= bound[m];
    }
  }
  const double rounding = 4 * (products + 4) * 0x1p-53;
  double spectrum = 0, size = 0, spectrum_square = 0, square = 0;
  for (std::size_t m = 0; m < bins; ++m) {
    const double modulus = std::sqrt(all_re[m] * all_re[m] + all_im[m] * all_im[m]);
    const double above = all_bound[m] * (1 + rounding), off = std::max(0.0, above - modulus) + rounding * above;
    const double twice = m == 0 || m == n / 2 ? 1 : 2;
    size += twice * above;
    square += twice * above * above;
    spectrum += twice * off;
    spectrum_square += twice * off * off;
  }
  composed_law composed;
  fft.inverse(all_re.data(), all_im.data(), buffer.data());
  composed.error = (spectrum + real_fft::error(n) * size) / static_cast<double>(n) * (1 + 1e-9) + 1e-300;
  composed.l1_error = (std::sqrt(spectrum_square) + real_fft::error(n) * std::sqrt(square)) * (1 + 1e-9) + 1e-290;
  composed.mass.resize(n);
  const std::size_t turn = wrap(window.first);
  std::rotate_copy(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(turn), buffer.end(),
                   composed.mass.begin());
  return composed;
}

/// The privacy curve of a sum of losses (the part of finite loss), from one side.
class privacy_curve {
 public:
  struct frame {
    double start, step, theta, log_scale;  // loss of the window's first point; K
    double right = 0, alias = 0;           // see above
  };

  static privacy_curve above(const composed_law& law, const frame& f) { return privacy_curve(law, f, true); }
  static privacy_curve below(const composed_law& law, const frame& f) { return privacy_curve(law, f, false); }

  /// log delta(epsilon); above: no less than the truth, and 0 where the window begins beyond epsilon. Below: no more.
  double log_delta(double epsilon) const {
    if (epsilon < frame_.start) {
      if (upper_) return 0;
      epsilon = frame_.start;
    }
    const auto points = sum_.size() - 1;
    const double place = std::ceil((epsilon - frame_.start) / frame_.step);
    if (place > static_cast<double>(points)) {
      return upper_ ? frame_.log_scale - frame_.theta * epsilon + log_above(frame_.right) + slack_ : -infinite;
    }
    const auto j = static_cast<std::size_t>(place);
    const double distance = std::clamp(loss(j) - epsilon, 0.0, frame_.step);
    const double value = std::exp(-distance) * curve_[j] - std::expm1(-distance) * sum_[j];
    return log_at(j, upper_ ? value : value - frame_.alias * std::exp(frame_.theta * distance));
  }

  /// Above: an epsilon >= 0 at which the curve is at most e^log_target. Below: one at which it is at least that, or 0;
  /// it is looked for up to `most`.
  double epsilon(double log_target, double most = infinite) const {
    const std::size_t points = sum_.size() - 1;
    if (upper_ && log_at(points, curve_[points]) > log_target) {
      return frame_.theta > 0
                 ? std::max(0.0, (frame_.log_scale + log_above(frame_.right) + slack_ - log_target) / frame_.theta)
                 : infinite;
    }
    std::size_t low = 0, high = points;  // the first point at which the curve is at or below the target
    if (frame_.start < 0) low = std::min(points, static_cast<std::size_t>(std::ceil(-frame_.start / frame_.step)));
    const std::size_t least = low;
    if (upper_) {
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (log_at(middle, curve_[middle]) <= log_target) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
    } else {  // after subtracting aliases, the curve need not decrease, so walk from above
      const double decay = std::exp(-frame_.theta * frame_.step);
      const double end = (most - frame_.start) / frame_.step + 2;
      if (end < static_cast<double>(points)) high = std::max(least, static_cast<std::size_t>(std::max(0.0, end)));
      const std::size_t begin = high;
      for (double needed = 0; high > least; --high) {
        const std::size_t j = high - 1;
        needed = high % 64 == 0 || high == begin
                     ? std::exp(log_target - frame_.log_scale + frame_.theta * loss(j) + slack_) * (1 + 1e-12)
                     : needed * decay;
        if (curve_[j] - frame_.alias >= std::max(needed, smallest)) break;
      }
      low = high;
    }
    if (low == least && frame_.start > 0) return upper_ ? frame_.start : 0;
    const double tau =
        std::exp(log_target - frame_.log_scale + frame_.theta * loss(low) - (upper_ ? slack_ : -slack_)) +
        (upper_ ? 0 : frame_.alias * std::exp(frame_.theta * frame_.step));
    const double gain = tau - curve_[low], room = sum_[low] - tau;
    const double back = room > 0 ? std::clamp(std::log1p(std::max(0.0, gain) / room), 0.0, frame_.step) : frame_.step;
    return std::max(0.0, loss(low) - back);
  }

 private:
  privacy_curve(const composed_law& law, const frame& f, bool upper)
      : frame_(f), upper_(upper), sum_(law.mass.size() + 1), curve_(law.mass.size() + 1) {
    // sum_[j]: sum over x >= x_j of r~ e^{-theta (x - x_j)}; curve_[j]: the same with the weight 1 - e^{-(x - x_j)}.
    const double decay = std::exp(-f.theta * f.step), both = std::exp(-(1 + f.theta) * f.step),
                 gain = decay * -std::expm1(-f.step);
    const std::size_t n = law.mass.size();
    sum_[n] = curve_[n] = upper ? f.right : 0;
    for (std::size_t j = n; j-- > 0;) {
      const double mass = upper ? std::max(law.mass[j], 0.0) + law.error : std::max(law.mass[j] - law.error, 0.0);
      curve_[j] = both * curve_[j + 1] + gain * sum_[j + 1];
      sum_[j] = mass + decay * sum_[j + 1];
    }
    // Each step multiplies by one function and adds. Each loss passes `gain` once, and the last function in log_delta.
    const double size = static_cast<double>(n);
    slack_ = 0x1p-53 * ((2 * libm + 6) * size + 8 * std::abs(f.log_scale) +
                        8 * f.theta * (std::abs(f.start) + std::abs(f.start + size * f.step)) + 16 * libm);
  }

  /// Smaller values of a curve from below may have lost their digits to underflow (and the value needed may have become
  /// 0): far from where the tilt puts the law, nothing is known.
  static constexpr double smallest = 1e-280;

  double loss(std::size_t j) const { return frame_.start + frame_.step * static_cast<double>(j); }
  double log_at(std::size_t j, double value) const {
    if (std::isnan(value)) return upper_ ? infinite : -infinite;
    if (!(value > (upper_ ? 0 : smallest))) return -infinite;
    return frame_.log_scale - frame_.theta * loss(j) + (upper_ ? log_above(value) + slack_ : log_below(value) - slack_);
  }

  frame frame_;
  bool upper_;
  double slack_ = 0;
  std::vector<double> sum_, curve_;
};

}  // namespace dplda::inline v0_1::detail

#endif
