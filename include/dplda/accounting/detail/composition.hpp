// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_COMPOSITION_HPP
#define DPLDA_ACCOUNTING_DETAIL_COMPOSITION_HPP

// The privacy loss of composed randomised responses. A pure epsilon-DP mechanism is, in the worst case, randomised
// response, with loss +epsilon with probability p = 1/(1 + e^-epsilon) and -epsilon otherwise. The loss of k of them is
// (2i - k) epsilon with i binomial. With L the sum of all losses, delta(E) = E[max(0, 1 - e^(E - L))].

#include <dplda/accounting/detail/binomial.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// log delta(E) of k equal randomised responses, rounded up. The terms around the largest are summed; the rest on each
/// side is bounded by a geometric series and added. Takes O(sqrt(k)) steps, each of which may lose libm + 3 ulps: for
/// e^-epsilon, for its own arithmetic, and for the sum.
inline double log_delta_of_responses(double epsilon, std::uint64_t count, double total) {
  const auto k = static_cast<double>(count);
  if (epsilon == 0 || total >= raised(k * epsilon, 4)) return -infinite;
  const double e = std::exp(-epsilon), p = 1 / (1 + e), q = e / (1 + e);
  const double first = std::clamp(std::floor((total / epsilon + k) / 2 * (1 - 4 * ulp)) - 1, 0.0, k);
  const double middle = std::clamp(std::floor((k + 1) * p), first, k);
  const auto gain = [&](double i) {
    const double loss = (2 * i - k) * epsilon, gap = loss - total + 2 * ulp * (std::abs(loss) + total);
    return gap > 0 ? -std::expm1(-gap) : 0.0;
  };
  constexpr double negligible = 1e-17;
  double sum = gain(middle), up = 0, down = 0;
  for (double i = middle, weight = 1; i < k; ++up) {
    const double ratio = (k - i) / ((i + 1) * e);
    if (ratio < 1 && weight * ratio / (1 - ratio) <= negligible * sum) {
      sum += weight * ratio / (1 - ratio);
      break;
    }
    weight *= ratio;
    sum += weight * gain(++i);
  }
  for (double i = middle, weight = 1; i > first; ++down) {
    const double ratio = i * e / (k - i + 1);
    if (ratio < 1 && weight * ratio / (1 - ratio) <= negligible * sum) {
      sum += weight * ratio / (1 - ratio);
      break;
    }
    weight *= ratio;
    sum += weight * gain(--i);
  }
  double error = 0;
  const double log_weight = log_binomial(middle, k, p, q, error), log_sum = std::log(sum);
  // The steps of the longer walk and the additions of the other, gain, log, and the roundings of the last line.
  const double ulps = (libm + 3) * std::max(up, down) + std::min(up, down) + libm + 8 + (libm + 2) * std::abs(log_sum) +
                      4 * std::abs(log_weight);
  return std::min(0.0, log_weight + log_sum + error + ulp * ulps);
}

/// `count` randomised responses of one epsilon.
struct response_group {
  double epsilon;
  std::uint64_t count;
};

/// A possible sum of losses and an upper bound on its probability.
struct loss_atom {
  double loss;
  double mass;
};

/// The losses of a group, except those less likely than exp(-800) by Hoeffding's inequality. Beyond 700 an epsilon does
/// not change the probabilities by an ulp, except that of the losses -epsilon, which gets larger.
inline std::vector<loss_atom> likely_losses(const response_group& group) {
  const auto k = static_cast<double>(group.count);
  const double e = std::exp(-std::min(group.epsilon, 700.0)), p = 1 / (1 + e), q = e / (1 + e),
               reach = 20 * std::sqrt(k) + 1;
  std::vector<loss_atom> atoms;
  const double last = std::min(k, std::ceil(k * p + reach));
  for (double i = std::max(0.0, std::floor(k * p - reach)); i <= last; ++i) {
    double error = 0;
    const double log_mass = log_binomial(i, k, p, q, error);
    // The function, and the rounding of its argument.
    atoms.push_back({(2 * i - k) * group.epsilon, raised(std::exp(log_mass + error), libm + 4 + std::abs(log_mass))});
  }
  return atoms;
}

/// The law of the sum of losses: every sum with its probability if there are few, otherwise a law on a grid whose
/// delta(E) is nowhere smaller.
class composed_losses {
 public:
  explicit composed_losses(std::vector<response_group> groups) {
    double sums = 1;
    for (const response_group& group : groups) sums *= static_cast<double>(group.count) + 1;
    exact_ = sums <= most_sums || groups.size() <= 1;
    if (!exact_) merge(groups);
    for (const response_group& group : groups) greatest_ += static_cast<double>(group.count) * group.epsilon;
    if (greatest_ > 0) greatest_ = raised(greatest_, 16 + static_cast<double>(groups.size()));
    slack_ = ulp * greatest_ * (8 + static_cast<double>(groups.size()));
    exact_ ? enumerate(groups) : spread(std::move(groups));
  }

  bool exact() const noexcept { return exact_; }
  /// An upper bound on every sum of losses.
  double greatest() const noexcept { return greatest_; }

  /// delta(E), rounded up.
  double delta(double total) const {
    if (total >= greatest_) return 0;
    double sum = unbounded_;
    for (const loss_atom& atom : atoms_) {
      const double gap = atom.loss - total + slack_;
      if (gap > 0) sum -= atom.mass * std::expm1(-gap);
    }
    return std::min(1.0, raised(sum, libm + 8 + static_cast<double>(atoms_.size())));  // expm1, products, additions
  }

 private:
  static constexpr double most_sums = 65536;
  static constexpr double most_work = 67108864;
  static constexpr std::size_t most_groups = 256;

  void enumerate(const std::vector<response_group>& groups) {
    unbounded_ = static_cast<double>(groups.size()) * std::numeric_limits<double>::denorm_min();
    atoms_ = {{0, 1}};
    for (const response_group& group : groups) {
      std::vector<loss_atom> longer;
      for (const loss_atom& one : likely_losses(group)) {
        for (const loss_atom& rest : atoms_) longer.push_back({one.loss + rest.loss, raised(one.mass * rest.mass, 2)});
      }
      atoms_ = std::move(longer);
    }
  }

  /// If there are too many different epsilons, they are first rounded up to powers of 2^(1/128).
  static void merge(std::vector<response_group>& groups) {
    if (groups.size() <= most_groups) return;
    std::vector<response_group> merged;
    for (const response_group& group : groups) {
      double level = std::exp2(std::ceil(std::log2(group.epsilon) * 128) / 128);
      if (level < group.epsilon) level = raised(group.epsilon);
      if (!merged.empty() && merged.back().epsilon >= group.epsilon) {
        merged.back().count += group.count;
      } else {
        merged.push_back({level, group.count});
      }
    }
    groups = std::move(merged);
  }

  /// Splits the mass of a loss between its neighbours on the grid so that the means of 1 and of e^-L do not change.
  /// max(0, 1 - e^E x) is convex in x = e^-L, even after independent losses are added, so no delta(E) gets smaller
  /// (Doroshenko et al., Connect the dots, 2022).
  static std::vector<double> on_grid(const std::vector<loss_atom>& atoms, double step, std::ptrdiff_t& offset) {
    offset = static_cast<std::ptrdiff_t>(std::floor(atoms.front().loss / step)) - 1;
    const auto end = static_cast<std::ptrdiff_t>(std::ceil(atoms.back().loss / step)) + 2;
    std::vector<double> law(static_cast<std::size_t>(end - offset + 1), 0.0);
    for (const loss_atom& atom : atoms) {
      const double below = std::floor(atom.loss / step);
      const double over = std::clamp(atom.loss - below * step + 4 * ulp * (std::abs(atom.loss) + step), 0.0, step);
      const double share = std::min(1.0, std::expm1(-over) / std::expm1(-step) * (1 + (2 * libm + 4) * ulp));
      const auto at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(below) - offset);
      law[at] += atom.mass * (1 - share);
      law[at + 1] += atom.mass * share;
    }
    return law;
  }

  void spread(std::vector<response_group> groups) {
    // The largest support costs nothing when it comes first.
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    double mean = 0, squares = 0;
    for (const response_group& group : groups) {
      const auto k = static_cast<double>(group.count);
      mean += k * group.epsilon * std::tanh(group.epsilon / 2);
      squares += k * group.epsilon * group.epsilon;
    }
    // Sums further out are less likely than exp(-760), by Hoeffding's inequality.
    const double reach = 39 * std::sqrt(squares);
    const double top = std::min(greatest_, mean + reach), bottom = std::max(-greatest_, -reach);
    double points = 65536;
    const auto work = [&] {
      double sum = 0;
      for (std::size_t g = 1; g < groups.size(); ++g)
        sum += points * std::min(points, 2 * static_cast<double>(groups[g].count) + 2);
      return sum;
    };
    while (points > 1024 && work() > most_work) points /= 2;
    // Moving to the grid may raise the largest sum by one step per group.
    const double step = (top - bottom) / (points - 4 - std::min(static_cast<double>(groups.size()), points / 4));
    const auto low = static_cast<std::ptrdiff_t>(std::floor(bottom / step)) - 1;
    const auto size = static_cast<std::size_t>(points);
    const double inflation = 1 + ulp * 4 * (static_cast<double>(groups.size()) * 64 + 2 * work() / points);

    // From here on law[i] is the mass at (low + i) step. Larger sums count as unbounded, smaller ones as `low`.
    std::vector<double> law(size, 0.0), next;
    const auto put = [&](std::vector<double>& to, std::ptrdiff_t index, double mass) {
      if (index - low >= static_cast<std::ptrdiff_t>(size)) {
        unbounded_ += mass;
      } else {
        to[static_cast<std::size_t>(std::max<std::ptrdiff_t>(index - low, 0))] += mass;
      }
    };
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::ptrdiff_t offset = 0;
      const std::vector<double> part = on_grid(likely_losses(groups[g]), step, offset);
      const auto shift_of = [&](std::size_t j) { return offset + static_cast<std::ptrdiff_t>(j); };
      if (g == 0) {
        for (std::size_t j = 0; j < part.size(); ++j) put(law, shift_of(j), part[j]);
        continue;
      }
      next.assign(size, 0.0);
      for (std::size_t j = 0; j < part.size(); ++j) {
        if (part[j] == 0) continue;
        const std::ptrdiff_t shift = shift_of(j), n = static_cast<std::ptrdiff_t>(size);
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(-shift, 0, n),
                             end = std::clamp<std::ptrdiff_t>(n - shift, 0, n);
        for (std::ptrdiff_t i = 0; i < begin; ++i) next[0] += part[j] * law[static_cast<std::size_t>(i)];
        for (std::ptrdiff_t i = begin; i < end; ++i)
          next[static_cast<std::size_t>(i + shift)] += part[j] * law[static_cast<std::size_t>(i)];
        for (std::ptrdiff_t i = end; i < n; ++i) unbounded_ += part[j] * law[static_cast<std::size_t>(i)];
      }
      law.swap(next);
    }
    // A product that underflowed lost at most the smallest double; likely_losses left out less than that per group.
    unbounded_ =
        unbounded_ * (inflation + 2 * ulp * work()) +
        (work() * 4 + points * 4 + static_cast<double>(groups.size())) * std::numeric_limits<double>::denorm_min();
    for (std::size_t i = 0; i < size; ++i) {
      if (law[i] > 0)
        atoms_.push_back({static_cast<double>(low + static_cast<std::ptrdiff_t>(i)) * step, law[i] * inflation});
    }
  }

  bool exact_ = true;
  double greatest_ = 0;
  double slack_ = 0;
  double unbounded_ = 0;
  std::vector<loss_atom> atoms_;
};

}  // namespace dplda::inline v0_1::detail

#endif
