// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_STATISTICS_HPP
#define DPLDA_TESTS_SUPPORT_STATISTICS_HPP

// Goodness of fit of integer samples, for tests (10^6 draws) and the benchmark (10^8).
//
// False alarms: the suite compares every p-value with suite_level and has fewer than suite_tests of them. So, by the
// union bound, a correct library fails with a probability below 10^-9 over the choice of seeds.
//   - Kolmogorov-Smirnov: Massart's constant in the Dvoretzky-Kiefer-Wolfowitz inequality, P(sqrt(n) D > x) <= 2
//     exp(-2 x^2), holds for every n and every distribution, lattice distributions included. Evaluating D only at some
//     points makes it smaller. So the p-value is an upper bound, and no jitter is needed.
//   - chi-square: two-sided, bins of 50 expected draws or more.
//   - moments, signs and bits: normal approximation. It needs a sum that no single draw can move by 7 standard
//     deviations, which excludes the fourth power of a Laplace sample.
// Power: the tests of magnitudes each reject a scale wrong by 1 % at 10^6 Gaussian or 4 * 10^6 Laplace draws. The tests
// of signs do not detect the scale, but they detect a shift by 2 % of it.

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace dplda_tests {

inline constexpr double suite_false_alarm = 1e-9;
inline constexpr std::size_t suite_tests = 1000;
inline constexpr double suite_level = suite_false_alarm / suite_tests;

/// The p-value of a statistic that is standard normal.
inline double normal_p_value(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

/// The p-value of `successes` out of `draws` with probability p each.
inline double binomial_p_value(std::uint64_t successes, std::uint64_t draws, double p) {
  const auto n = static_cast<double>(draws);
  return normal_p_value((static_cast<double>(successes) - n * p) / std::sqrt(n * p * (1 - p)));
}

/// The two-sided p-value of a chi-square statistic: too large is a bad fit, too small a fit too good to be random.
inline double chi_square_p_value(double statistic, std::size_t degrees_of_freedom) {
  const boost::math::chi_squared law(static_cast<double>(degrees_of_freedom));
  return std::min(1.0, 2 * std::min(cdf(law, statistic), cdf(complement(law, statistic))));
}

/// Chi-square goodness of fit. Neighbouring bins are pooled until 50 draws are expected in each; the last pool takes
/// what remains.
inline double chi_square_test(const std::vector<std::uint64_t>& counts, const std::vector<double>& probabilities) {
  double draws = 0;
  for (const std::uint64_t count : counts) draws += static_cast<double>(count);
  std::vector<std::pair<double, double>> pools;  // seen, expected
  double seen = 0, expected = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += static_cast<double>(counts[i]);
    expected += draws * probabilities[i];
    if (expected < 50) continue;
    pools.emplace_back(seen, expected);
    seen = expected = 0;
  }
  pools.back().first += seen;
  pools.back().second += expected;
  double statistic = 0;
  for (const auto& [s, e] : pools) statistic += (s - e) * (s - e) / e;
  return chi_square_p_value(statistic, pools.size() - 1);
}

/// Chi-square test that two samples have the same distribution.
inline double chi_square_two_samples(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  double total_a = 0, total_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total_a += static_cast<double>(a[i]);
    total_b += static_cast<double>(b[i]);
  }
  double statistic = 0;
  std::size_t bins = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double both = static_cast<double>(a[i] + b[i]);
    if (both == 0) continue;
    ++bins;
    const double expected = both * total_a / (total_a + total_b);
    const double difference = static_cast<double>(a[i]) - expected;
    statistic += difference * difference * (1 / expected + 1 / (both - expected));
  }
  return bins < 2 ? 1 : chi_square_p_value(statistic, bins - 1);
}

/// An upper bound on the p-value of a Kolmogorov-Smirnov distance.
inline double kolmogorov_p_value(double distance, double draws) {
  return std::min(1.0, 2 * std::exp(-2 * draws * distance * distance));
}

/// The distribution of an integer that is symmetric about 0, or about -1/2 ("floored").
struct integer_law {
  double scale;
  bool floored;
  /// P(magnitude >= m) for an integer m >= 0, where the magnitude of x is |x|, or of a floored x < 0 is -x - 1.
  std::function<double(double)> survival;
  /// E |Z|^k of the continuous distribution that is the limit for large scales, k = 0, ..., 8.
  std::array<double, 9> limits;
  /// Whether sums of fourth powers are close to normal.
  bool light_tail;

  /// E |z|^k, where z is the magnitude (half a step more if floored) in units of the scale.
  double moment(std::size_t k) const {
    if (scale > 4096) return limits[k];  // steps of 2^-12 or less change a moment by their square
    const auto z_power = [&](double m) { return std::pow((m + (floored ? 0.5 : 0)) / scale, k); };
    double sum = z_power(0), previous = sum;
    for (double m = 1;; ++m) {
      const double here = z_power(m), tail = survival(m);
      sum += (here - previous) * tail;
      if (here * tail < 1e-30) return sum;
      previous = here;
    }
  }
};

namespace moments {

inline std::array<double, 9> gaussian_moments() {
  const double odd = std::sqrt(2 / std::numbers::pi);
  return {1, odd, 1, 2 * odd, 3, 8 * odd, 15, 48 * odd, 105};
}

inline std::array<double, 9> laplace_moments() { return {1, 1, 2, 6, 24, 120, 720, 5040, 40320}; }

}  // namespace moments

/// The law of floor(scale Z), Z standard normal.
inline integer_law floored_gaussian_law(double scale) {
  return {scale, true, [scale](double m) { return std::erfc(m / (scale * std::numbers::sqrt2)); },
          moments::gaussian_moments(), true};
}

/// The law of floor(scale L), L standard Laplace.
inline integer_law floored_laplace_law(double scale) {
  return {scale, true, [scale](double m) { return std::exp(-m / scale); }, moments::laplace_moments(), false};
}

/// P(x) proportional to exp(-|x| / scale).
inline integer_law discrete_laplace_law(double scale) {
  const double both = 2 / (1 + std::exp(-1 / scale));
  return {scale, false, [=](double m) { return m == 0 ? 1 : both * std::exp(-m / scale); }, moments::laplace_moments(),
          false};
}

/// P(x) proportional to exp(-x^2 / (2 scale^2)).
inline integer_law discrete_gaussian_law(double scale) {
  if (scale > 4096) {  // midpoint sums of the bell are right to exp(-2 pi^2 scale^2) inside and scale^-2 at the end
    return {scale, false,
            [scale](double m) { return m == 0 ? 1 : std::erfc((m - 0.5) / (scale * std::numbers::sqrt2)); },
            moments::gaussian_moments(), true};
  }
  auto tail = std::make_shared<std::vector<double>>(static_cast<std::size_t>(40 * scale) + 2);
  for (std::size_t m = tail->size() - 1; m-- > 0;) {
    const double z = static_cast<double>(m) / scale;
    (*tail)[m] = (*tail)[m + 1] + (m == 0 ? 1 : 2) * std::exp(-z * z / 2);
  }
  return {scale, false,
          [tail](double m) {
            return m < static_cast<double>(tail->size()) ? (*tail)[static_cast<std::size_t>(m)] / tail->front() : 0;
          },
          moments::gaussian_moments(), true};
}

struct named_p_value {
  std::string name;
  double p;
  bool sees_scale;  ///< whether the test must reject a wrong scale
};

/// Compares a sample with a distribution by all tests.
class goodness_of_fit {
 public:
  /// `draws`, the planned sample size, decides how far the tail is cut into bins.
  goodness_of_fit(integer_law law, std::uint64_t draws) : law_(std::move(law)) {
    // Edges: 512 bins of equal probability for Kolmogorov-Smirnov, every 32nd also for chi-square, and from the last
    // sixteenth on a tail of bins that each hold half of what is left.
    constexpr std::size_t fine = 512, coarse = 32;
    edges_ = {0};
    starts_ = {true};
    for (std::size_t i = 1; i <= fine - coarse; ++i) add_edge(1 - static_cast<double>(i) / fine, i % coarse == 0);
    for (double p = 1.0 / 32; p * static_cast<double>(draws) > 200; p /= 2) add_edge(p, true);
    above_.assign(edges_.size(), 0);
    below_.assign(edges_.size(), 0);
  }

  void add(std::int64_t x) {
    const bool negative = x < 0;
    const auto word = static_cast<std::uint64_t>(x);
    const std::uint64_t magnitude = !negative ? word : law_.floored ? ~word : 0 - word;
    const auto bin =
        static_cast<std::size_t>(std::upper_bound(edges_.begin(), edges_.end(), magnitude) - edges_.begin() - 1);
    ++(negative ? below_ : above_)[bin];
    const double z = (static_cast<double>(magnitude) + (law_.floored ? 0.5 : 0)) / law_.scale, z2 = z * z, z3 = z2 * z;
    sums_[0] += z;
    sums_[1] += z2;
    sums_[2] += z3;
    sums_[3] += z2 * z2;
    signed_sums_[0] += negative ? -z : z;
    signed_sums_[1] += negative ? -z3 : z3;
  }

  std::vector<named_p_value> p_values() const {
    std::uint64_t draws = 0, negative = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      draws += above_[i] + below_[i];
      negative += below_[i];
    }
    const auto n = static_cast<double>(draws);
    const double zero = law_.floored ? 0 : 1 - law_.survival(1);

    std::vector<std::uint64_t> counts, counts_below;
    std::vector<double> probabilities, probabilities_below;
    double seen = 0, distance = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const double from = survival(i), to = i + 1 < edges_.size() ? survival(i + 1) : 0;
      if (starts_[i]) {
        for (auto* c : {&counts, &counts_below}) c->push_back(0);
        for (auto* p : {&probabilities, &probabilities_below}) p->push_back(0);
      }
      counts.back() += above_[i];
      counts_below.back() += below_[i];
      const double without_zero = from - to - (i == 0 ? zero : 0);
      probabilities.back() += without_zero / 2 + (i == 0 ? zero : 0);
      probabilities_below.back() += without_zero / 2;
      seen += static_cast<double>(above_[i] + below_[i]);
      distance = std::max(distance, std::abs(seen / n - (1 - to)));
    }
    // From the lowest value to the highest, so that pools are intervals.
    std::reverse(counts_below.begin(), counts_below.end());
    std::reverse(probabilities_below.begin(), probabilities_below.end());
    counts_below.insert(counts_below.end(), counts.begin(), counts.end());
    probabilities_below.insert(probabilities_below.end(), probabilities.begin(), probabilities.end());

    std::vector<named_p_value> result{{"chi-square", chi_square_test(counts_below, probabilities_below), true},
                                      {"Kolmogorov-Smirnov", kolmogorov_p_value(distance, n), true}};
    const std::size_t powers = law_.light_tail ? 4 : 3;
    for (std::size_t k = 1; k <= powers; ++k) {
      const double mean = law_.moment(k), variance = law_.moment(2 * k) - mean * mean;
      result.push_back(
          {"mean |z|^" + std::to_string(k), normal_p_value((sums_[k - 1] / n - mean) / std::sqrt(variance / n)), true});
    }
    result.push_back({"mean z", normal_p_value(signed_sums_[0] / std::sqrt(n * law_.moment(2))), false});
    result.push_back({"mean z^3", normal_p_value(signed_sums_[1] / std::sqrt(n * law_.moment(6))), false});
    result.push_back({"sign", binomial_p_value(negative, draws, (1 - zero) / 2), false});
    return result;
  }

 private:
  double survival(std::size_t edge) const { return law_.survival(static_cast<double>(edges_[edge])); }

  // The smallest m with P(magnitude >= m) <= p, if it is a new one.
  void add_edge(double p, bool starts) {
    std::uint64_t low = edges_.back(), high = std::uint64_t{1} << 62;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (law_.survival(static_cast<double>(middle)) <= p) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (low == edges_.back()) {
      starts_.back() = starts_.back() || starts;
    } else {
      edges_.push_back(low);
      starts_.push_back(starts);
    }
  }

  integer_law law_;
  std::vector<std::uint64_t> edges_;  // of the magnitude's bins: bin i is [edge i, edge i + 1)
  std::vector<bool> starts_;          // whether the bin is the first of a chi-square bin
  std::vector<std::uint64_t> above_, below_;
  std::array<double, 4> sums_{};
  std::array<double, 2> signed_sums_{};
};

/// Whether the sixteen lowest bits of a sample are fair and the lowest byte is uniform, as they are (to about 2^-s) for
/// a scale of 2^s.
class low_bits_fit {
 public:
  void add(std::int64_t x) {
    const auto word = static_cast<std::uint64_t>(x);
    ++bytes_[0][word & 0xff];
    ++bytes_[1][word >> 8 & 0xff];
  }

  std::vector<named_p_value> p_values() const {
    std::vector<named_p_value> result;
    for (std::size_t byte = 0; byte < 2; ++byte) {
      std::uint64_t draws = 0;
      for (const std::uint64_t count : bytes_[byte]) draws += count;
      double worst = 1;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        std::uint64_t ones = 0;
        for (std::size_t value = 0; value < 256; ++value) ones += (value >> bit & 1) * bytes_[byte][value];
        worst = std::min(worst, binomial_p_value(ones, draws, 0.5));
      }
      const std::string name = byte == 0 ? "bits 0-7" : "bits 8-15";
      result.push_back({name + ", each", std::min(1.0, 8 * worst), false});
      result.push_back(
          {name + ", chi-square",
           chi_square_test({bytes_[byte].begin(), bytes_[byte].end()}, std::vector<double>(256, 1.0 / 256)), false});
    }
    return result;
  }

 private:
  std::array<std::array<std::uint64_t, 256>, 2> bytes_{};
};

}  // namespace dplda_tests

#endif
