// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_ACCOUNTING_SWEEP_HPP
#define DPLDA_TESTS_ACCOUNTING_SWEEP_HPP

// Random ledgers under every accountant: mechanisms of all kinds, selections of runs, pairs of laws and Renyi curves of
// one's own, all samplings, rates from 1e-9 to 1, noise from 0.05 to 1e4, up to 1e8 uses, delta from 1e-50. Nothing may be NaN, negative, or out of order; all bounds of one quantity
// must agree with each other, and with the truth where that has a formula.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/describe.hpp>
#include <dplda/core/detail/overloaded.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace dplda_tests {

inline constexpr std::array every_rule = {
    dplda::accountant::linear, dplda::accountant::advanced, dplda::accountant::optimal, dplda::accountant::zcdp,
    dplda::accountant::rdp,    dplda::accountant::gaussian, dplda::accountant::pld,     dplda::accountant::best};

struct sweep_options {
  /// How many of the sets are priced by pld too, and by best: one in so many. Optimal composition prices one in four.
  std::size_t pld_every = 1;
  dplda::pld_options accuracy = {.relative_width = 0.02};
};

struct sweep_result {
  std::size_t sets = 0, checks = 0;
  /// Sentences about what does not hold.
  std::vector<std::string> faults = {};
  /// The relative gaps between the bounds of pld where both are finite and above 1e-6, and how many had no bound.
  std::vector<double> gaps = {};
  std::size_t without_pld = 0;
};

/// One random set of parameters after the other.
class sweep {
 public:
  sweep(std::uint64_t seed, const sweep_options& options) : bits_(seed), options_(options) {}

  const sweep_result& result() const { return result_; }

  void next() {
    const auto relation = chance(0.6) ? dplda::neighbours::add_remove : dplda::neighbours::replace;
    std::vector<dplda::ledger::entry> entries;
    const int size = chance(0.7) ? 1 : chance(0.7) ? 2 : 4;
    const int kind = chance(0.2) ? static_cast<int>(bits_() % 5) : -1;  // sometimes all of one kind
    for (int i = 0; i < size; ++i) entries.push_back({event(relation, kind), count()});
    const double delta = chance(0.03) ? 0 : between(1e-50, 0.5);
    book_ = book_of(entries);
    delta_ = delta;
    ++result_.sets;
    try {
      const bool with_pld = result_.sets % options_.pld_every == 0;
      const auto at = prices(book_, delta, with_pld);
      check_bounds(at, "epsilon");
      check_exact(entries, at);
      check_monotone(entries, at);
      check_deltas(at, with_pld);
    } catch (const std::exception& error) {
      fault(std::string("it throws: ") + error.what());
    }
  }

 private:
  using price_list = std::array<dplda::certified_bounds, every_rule.size()>;

  bool chance(double p) { return std::uniform_real_distribution<double>()(bits_) < p; }
  double between(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(bits_));
  }
  std::uint64_t count() { return chance(0.3) ? 1 : static_cast<std::uint64_t>(between(1, 1e8)); }

  dplda::privacy_event event(dplda::neighbours relation, int kind) {
    dplda::privacy_event made{.noise = dplda::gaussian_noise{between(0.05, 1e4)}, .relation = relation};
    switch (kind < 0 ? static_cast<int>(bits_() % 11) : kind) {
      case 1:
        made.noise = dplda::laplace_noise{between(0.05, 1e4)};
        break;
      case 2:
        made.noise = dplda::discrete_gaussian_noise{between(0.05, 1e4)};
        break;
      case 3:
        made.noise = dplda::randomized_response{chance(0.05) ? 1 : between(1e-6, 1), 2 + bits_() % 1000};
        break;
      case 4:
        made.noise = dplda::approximate_dp{chance(0.05) ? 0 : between(1e-6, 30), chance(0.5) ? 0 : between(1e-60, 0.1)};
        break;
      case 5:
        return selection(relation);
      case 6:
        if (relation == dplda::neighbours::replace || chance(0.7)) break;
        made.sampling = dplda::random_allocation{static_cast<std::uint64_t>(between(1, 40))};
        return made;
      case 7:
        made.noise = dplda::integer_gaussian_noise{between(0.1, 300), 1 + bits_() % 4};
        break;
      case 8:
        made.noise = own_pair(relation);
        break;
      case 9:
        made.noise = own_curve();
        break;
      default:
        break;
    }
    if (chance(0.3)) return made;
    const double rate = chance(0.05) ? 1 : between(1e-9, 1);
    if (relation == dplda::neighbours::add_remove) {
      made.sampling = dplda::poisson_sample{rate};
    } else if (chance(0.3) && std::holds_alternative<dplda::gaussian_noise>(made.noise)) {
      made.sampling = dplda::poisson_sample{rate};
    } else {
      const auto population = static_cast<std::uint64_t>(std::ceil(between(1, 1e3) / rate));
      made.sampling = dplda::fixed_size_sample{
          std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rate * static_cast<double>(population)), 1, population),
          population};
    }
    return made;
  }

  /// Laws on a few outcomes; under `replace`, with their mirror image.
  dplda::dominating_pair own_pair(dplda::neighbours relation) {
    std::vector<double> laws[2];
    const std::size_t outcomes = 2 + bits_() % 5;
    for (auto& law : laws) {
      double sum = 0;
      for (std::size_t i = 0; i < outcomes; ++i) {
        law.push_back(chance(0.02) && i > 0 ? 0 : between(1e-8, 1));
        sum += law.back();
      }
      for (double& mass : law) mass /= sum;
    }
    if (relation == dplda::neighbours::replace) {
      for (std::size_t i = 0; i < outcomes; ++i) {
        const double with = laws[0][i] / 2, without = laws[1][i] / 2;
        laws[0][i] = with;
        laws[1][i] = without;
        laws[0].push_back(without);
        laws[1].push_back(with);
      }
    }
    return {laws[0], laws[1]};
  }

  /// Divergences that a Gaussian mechanism stays below.
  dplda::renyi_curve own_curve() {
    const double multiplier = between(0.3, 1e3);
    std::vector<double> orders, divergences;
    for (double order = between(1.1, 4); order < 1e4 && orders.size() < 40; order *= between(1.01, 3)) {
      orders.push_back(order);
      divergences.push_back(dplda::gaussian_rdp(multiplier, order));
    }
    return {orders, divergences};
  }

  /// The best of some runs with Gaussian noise, which may be sampled.
  dplda::privacy_event selection(dplda::neighbours relation) {
    dplda::privacy_event made{.noise = dplda::gaussian_noise{between(0.3, 1e3)}, .relation = relation};
    if (relation == dplda::neighbours::add_remove && chance(0.3))
      made.sampling = dplda::poisson_sample{between(1e-3, 1)};
    dplda::ledger run;
    run.record(made, chance(0.5) ? 1 : static_cast<std::uint64_t>(between(1, 100)));
    dplda::privacy_event best{.noise = dplda::best_of{dplda::poisson_runs{between(0.1, 50)}, run},
                              .relation = relation};
    const double shape = chance(0.3) ? 1 : chance(0.3) ? 0 : -0.5;
    if (chance(0.7)) best.noise = dplda::best_of{dplda::negative_binomial_runs{shape, between(1e-3, 0.99)}, run};
    return best;
  }

  static bool samples_inside(const dplda::mechanism& noise) {
    return std::visit(
        []<class M>(const M& n) {
          return requires { dplda::detail::mechanism_entry<M>::inside(n); };
        },
        noise);
  }

  static dplda::ledger book_of(const std::vector<dplda::ledger::entry>& entries) {
    dplda::ledger book;
    for (const auto& e : entries) book.record(e.event, e.count);
    return book;
  }

  static bool is_costly(dplda::accountant rule) {
    return rule == dplda::accountant::pld || rule == dplda::accountant::best;
  }

  price_list prices(const dplda::ledger& book, double delta, bool with_pld) const {
    price_list all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool optimal = every_rule[i] == dplda::accountant::optimal;
      all[i] = (optimal && result_.sets % 4 != 0) || (is_costly(every_rule[i]) && !with_pld)
                   ? dplda::certified_bounds{0, dplda::detail::infinite}
                   : dplda::ledger_epsilon(book, delta, every_rule[i], options_.accuracy);
    }
    return all;
  }

  void require(bool holds, const std::string& sentence) {
    ++result_.checks;
    if (!holds) fault(sentence);
  }

  void fault(const std::string& sentence) {
    constexpr auto digits = [](double x) {
      std::ostringstream text;
      text.precision(17);
      text << x;
      return text.str();
    };
    constexpr dplda::number_style exact{digits, digits};
    std::ostringstream out;
    out << sentence << "; delta " << digits(delta_) << ',';
    for (const auto& [event, uses] : book_.entries()) {
      out << ' ' << uses << " times ";
      out << dplda::describe(event.noise, exact) << ", " << dplda::describe(event.sampling, exact);
      out << ' ' << event.relation << ';';
    }
    result_.faults.push_back(out.str());
  }

  static std::string named(const char* what, std::size_t rule, double left, double right) {
    std::ostringstream out;
    out.precision(17);
    out << what << " of " << every_rule[rule] << ": " << left << " and " << right;
    return out.str();
  }

  /// Every lower bound is at most every upper bound, and best is the smallest.
  void check_bounds(const price_list& at, const char* what) {
    std::size_t highest = 0, smallest = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto [lower, upper] = at[i];
      require(lower >= 0 && upper >= lower, named(what, i, lower, upper));
      if (lower > at[highest].lower) highest = i;
      if (upper < at[smallest].upper) smallest = i;
    }
    const double lower = at[highest].lower, upper = at[smallest].upper;
    require(lower <= upper,
            named("a lower bound", highest, lower, upper) + named(" is above the upper", smallest, 0, 0));
    const double best = at.back().upper;
    if (best < dplda::detail::infinite)
      require(best <= upper * (1 + 2 * options_.accuracy.relative_width) + options_.accuracy.absolute_width,
              named("best is above the bound", smallest, best, upper));
    const auto& pld = at[6];
    if (pld.upper == dplda::detail::infinite) ++result_.without_pld;
    if (pld.upper < dplda::detail::infinite && pld.lower > 1e-6)
      result_.gaps.push_back(pld.upper / pld.lower - 1);
  }

  /// Where the truth has a formula: pure ledgers at delta = 0, and samples that are the whole.
  void check_exact(const std::vector<dplda::ledger::entry>& entries, const price_list& at) {
    if (delta_ == 0) {
      long double sum = 0;
      for (const auto& [made, uses] : entries) {
        long double e = dplda::detail::infinite;
        if (const auto* n = std::get_if<dplda::laplace_noise>(&made.noise))
          e = 1 / static_cast<long double>(n->multiplier);
        if (const auto* n = std::get_if<dplda::randomized_response>(&made.noise))
          e = std::log1p(static_cast<long double>(n->buckets) * (1 - static_cast<long double>(n->noise)) / n->noise);
        if (const auto* n = std::get_if<dplda::approximate_dp>(&made.noise); n != nullptr && n->delta == 0)
          e = n->epsilon;
        if (const auto* n = std::get_if<dplda::dominating_pair>(&made.noise)) e = largest_loss(*n);
        long double q = 1;
        if (const auto* s = std::get_if<dplda::poisson_sample>(&made.sampling)) q = s->rate;
        if (const auto* s = std::get_if<dplda::fixed_size_sample>(&made.sampling))
          q = static_cast<long double>(s->size) / static_cast<long double>(s->population);
        sum += static_cast<long double>(uses) * (e < 1000 ? std::log1p(q * std::expm1(e)) : e + std::log(q));
      }
      const auto [lower, upper] = at[0];
      if (std::isinf(sum)) {
        require(std::isinf(upper), named("what is not pure has no epsilon at delta = 0", 0, upper, 0));
      } else {
        require(lower <= sum && sum <= upper && upper <= sum * (1 + 1e-12L),
                named("the sum of pure epsilons", 0, upper, static_cast<double>(sum)));
      }
    }
    auto whole = entries;
    bool changed = false;
    for (auto& e : whole) {
      if (!std::holds_alternative<dplda::all_units>(e.event.sampling) || samples_inside(e.event.noise)) continue;
      changed = true;
      if (e.event.relation == dplda::neighbours::replace) {
        e.event.sampling = dplda::fixed_size_sample{7, 7};
      } else {
        e.event.sampling = dplda::poisson_sample{1};
      }
    }
    if (!changed) return;
    const auto same = prices(book_of(whole), delta_, false);
    for (std::size_t i = 0; i < 6; ++i)
      require(same[i] == at[i], named("a sample that is the whole", i, same[i].upper, at[i].upper));
  }

  static long double largest_loss(const dplda::dominating_pair& pair) {
    long double with = 0, without = 0, largest = 0;
    for (const double x : pair.with.numbers()) with += x;
    for (const double x : pair.without.numbers()) without += x;
    for (std::size_t i = 0; i < pair.with.size(); ++i)
      largest = std::max(largest, std::abs(std::log(pair.with[i] / with) - std::log(pair.without[i] / without)));
    return largest;
  }

  /// How much a rule's bound may move against the direction: delta is divided among several mechanisms by a rule of
  /// thumb, optimal composition of several epsilons is on a grid, the order is searched for, and sums over integer
  /// orders have several local minima.
  double slack(std::size_t rule) const {
    const auto entries = book_.entries();
    if (every_rule[rule] == dplda::accountant::rdp) return 1e-2;
    if (every_rule[rule] == dplda::accountant::advanced) return entries.size() > 1 ? 5e-3 : 1e-9;
    if (every_rule[rule] == dplda::accountant::optimal) return entries.size() > 1 ? 0.03 : 1e-6;
    return 1e-9;
  }

  /// The outcome is replaced by one that tells nothing with probability 1/3.
  static dplda::dominating_pair with_more_noise(const dplda::dominating_pair& pair) {
    std::vector<double> laws[2] = {pair.with.numbers(), pair.without.numbers()};
    for (auto& law : laws) {
      for (double& mass : law) mass *= 2.0 / 3;
      law.push_back(1.0 / 3);
    }
    return {laws[0], laws[1]};
  }

  void check_order(const price_list& small, const price_list& large, const char* what) {
    for (std::size_t i = 0; i < 6; ++i)
      require(small[i].upper <= large[i].upper * (1 + slack(i)) + 1e-12,
              named(what, i, small[i].upper, large[i].upper));
  }

  /// One of three directions a set.
  void check_monotone(const std::vector<dplda::ledger::entry>& entries, const price_list& at) {
    auto changed = entries;
    switch (bits_() % 3) {
      case 0:
        return check_order(prices(book_, std::min(1.0, delta_ * 3), false), at, "epsilon rises with delta");
      case 1:
        changed.front().count *= 2;
        return check_order(at, prices(book_of(changed), delta_, false), "epsilon falls with the count");
      default:
        std::visit(dplda::detail::overloaded{
                       [](dplda::randomized_response& n) { n.noise = std::min(1.0, 1.5 * n.noise); },
                       [](dplda::approximate_dp& n) {
                         n = {n.epsilon / 1.5, n.delta / 1.5};
                       },
                       [](dplda::best_of<dplda::negative_binomial_runs>& n) { n.stop = std::min(0.99, 1.5 * n.stop); },
                       [](dplda::best_of<dplda::poisson_runs>& n) { n.mean /= 1.5; },
                       [](dplda::integer_gaussian_noise& n) { n.sigma *= 1.5; },
                       [](dplda::dominating_pair& n) { n = with_more_noise(n); },
                       [](dplda::renyi_curve& n) {
                         std::vector<double> smaller = n.divergences.numbers();
                         for (double& d : smaller) d /= 1.5;
                         n.divergences = smaller;
                       },
                       [](auto& n) { n.multiplier *= 1.5; }},
                   changed.front().event.noise);
        return check_order(prices(book_of(changed), delta_, false), at, "epsilon rises with the noise");
    }
  }

  /// delta at the epsilon that was found for delta or at a smaller one, for one set in four; by the costly rules
  /// (optimal composition is inverted by many compositions) for fewer.
  void check_deltas(const price_list& at, bool with_pld) {
    double epsilon = dplda::detail::infinite;
    for (const auto& bounds : at) epsilon = std::min(epsilon, bounds.upper);
    if (!(epsilon < dplda::detail::infinite) || !chance(0.25)) return;
    if (chance(0.5)) epsilon /= 2;
    with_pld = with_pld && chance(0.2);
    price_list deltas;
    for (std::size_t i = 0; i < deltas.size(); ++i) {
      const dplda::accountant rule = every_rule[i];
      const bool left_out = rule == dplda::accountant::optimal ? chance(0.8) : is_costly(rule) && !with_pld;
      deltas[i] =
          left_out ? dplda::certified_bounds{0, 1} : dplda::ledger_delta(book_, epsilon, rule, options_.accuracy);
      require(deltas[i].lower <= 1 && deltas[i].upper <= 1, named("delta", i, deltas[i].lower, deltas[i].upper));
    }
    if (!with_pld) deltas.back().upper = dplda::detail::infinite;
    check_bounds(deltas, "delta");
  }

  std::mt19937_64 bits_;
  sweep_options options_;
  sweep_result result_;
  dplda::ledger book_;
  double delta_ = 0;
};

}  // namespace dplda_tests

#endif
