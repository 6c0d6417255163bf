// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_EVENT_HPP
#define DPLDA_ACCOUNTING_EVENT_HPP

// What a release did to privacy, as plain values: which noise, on which part of the data, for whom. Events say what
// happened; accountants say what it cost.

#include <dplda/core/detail/overloaded.hpp>
#include <dplda/core/errors.hpp>

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <variant>

namespace dplda {

/// Whose presence a guarantee hides.
enum class privacy_unit { token, document, user };

/// When two corpora are neighbours: one has a unit more than the other, or one unit is exchanged for another.
enum class neighbours { add_remove, replace };

inline std::ostream& operator<<(std::ostream& out, privacy_unit unit) {
  return out << (unit == privacy_unit::token ? "token" : unit == privacy_unit::document ? "document" : "user");
}
inline std::ostream& operator<<(std::ostream& out, neighbours relation) {
  return out << (relation == neighbours::add_remove ? "add_remove" : "replace");
}
inline std::string to_string(privacy_unit unit) { return detail::text(unit); }
inline std::string to_string(neighbours relation) { return detail::text(relation); }

/// Gaussian noise. A multiplier is always noise divided by sensitivity under the event's own neighbours: here the
/// standard deviation divided by the l2 sensitivity.
struct gaussian_noise {
  double multiplier;
  bool operator==(const gaussian_noise&) const = default;
};

/// Laplace noise; the multiplier is the scale divided by the l1 sensitivity.
struct laplace_noise {
  double multiplier;
  bool operator==(const laplace_noise&) const = default;
};

/// Gaussian noise on the integers (Canonne, Kamath, Steinke 2020), of which only zero-concentrated privacy is claimed.
struct discrete_gaussian_noise {
  double multiplier;
  bool operator==(const discrete_gaussian_noise&) const = default;
};

/// The true one of `buckets` values with probability 1 - noise, otherwise a uniform one (the true one included).
struct randomized_response {
  double noise;
  std::uint64_t buckets = 2;
  bool operator==(const randomized_response&) const = default;
};

/// Any mechanism of which (epsilon, delta) alone is known; pure with delta = 0.
struct approximate_dp {
  double epsilon;
  double delta = 0;
  bool operator==(const approximate_dp&) const = default;
};

/// What is known of a mechanism of which nothing is proven: the most that a ledger can hold, at which no epsilon is finite
/// for any delta that is of use.
inline constexpr approximate_dp nothing_proven{std::numeric_limits<double>::max(), 1 - 0x1p-53};

using mechanism =
    std::variant<gaussian_noise, laplace_noise, discrete_gaussian_noise, randomized_response, approximate_dp>;

/// The mechanism saw every unit.
struct all_units {
  bool operator==(const all_units&) const = default;
};

/// Each unit was taken with probability `rate`, independently of the others and in secret, for this one event: two
/// releases made of one sample are not two events of this kind. Together with Gaussian noise and neighbours::replace, it
/// also says that the bound on each unit's own norm is half of the sensitivity, as it is where that is 2 C.
struct poisson_sample {
  double rate;
  bool operator==(const poisson_sample&) const = default;
};

/// A uniform secret subset of `size` of the `population` units.
struct fixed_size_sample {
  std::uint64_t size;
  std::uint64_t population;
  bool operator==(const fixed_size_sample&) const = default;
};

using sampling = std::variant<all_units, poisson_sample, fixed_size_sample>;

/// One use of one mechanism.
struct privacy_event {
  mechanism noise;
  dplda::sampling sampling = all_units{};
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  /// What was released, for the reader of a ledger; no accountant looks at it.
  std::string label = {};

  bool operator==(const privacy_event&) const = default;
};

/// Throws std::invalid_argument where the event has no meaning (a multiplier that is not positive, a rate outside
/// (0, 1]) or where no accountant may price it: a sample of fixed size hides an exchanged unit, not an added one, and
/// Poisson samples under `replace` are analysed for Gaussian noise alone.
inline void check(const privacy_event& event) {
  const char* const function = "check(privacy_event)";
  const auto positive = [&](const char* name, double value) {
    detail::require(value > 0 && value <= std::numeric_limits<double>::max(), function, name, value,
                    "must be positive and finite");
  };
  std::visit(
      detail::overloaded{
          [&](const gaussian_noise& n) { positive("Gaussian noise multiplier", n.multiplier); },
          [&](const laplace_noise& n) { positive("Laplace noise multiplier", n.multiplier); },
          [&](const discrete_gaussian_noise& n) { positive("discrete Gaussian noise multiplier", n.multiplier); },
          [&](const randomized_response& n) {
            detail::require(n.noise > 0 && n.noise <= 1, function, "randomized response's noise", n.noise,
                            "must lie in (0, 1]");
            detail::require(n.buckets >= 2, function, "randomized response's buckets", n.buckets, "must be at least 2");
          },
          [&](const approximate_dp& n) {
            detail::require(n.epsilon >= 0 && n.epsilon <= std::numeric_limits<double>::max(), function, "epsilon",
                            n.epsilon, "must be at least 0 and finite");
            detail::require(n.delta >= 0 && n.delta < 1, function, "delta", n.delta, "must lie in [0, 1)");
          }},
      event.noise);

  if (const auto* sample = std::get_if<poisson_sample>(&event.sampling)) {
    detail::require(sample->rate > 0 && sample->rate <= 1, function, "Poisson sampling rate", sample->rate,
                    "must lie in (0, 1]");
    detail::require(event.relation == neighbours::add_remove || std::holds_alternative<gaussian_noise>(event.noise),
                    function, "Poisson sampling", "combined with neighbours::replace",
                    "that pair is analysed for Gaussian noise only; use neighbours::add_remove");
  }
  if (const auto* sample = std::get_if<fixed_size_sample>(&event.sampling)) {
    detail::require(sample->size > 0 && sample->size <= sample->population, function, "size of the sample",
                    sample->size, detail::text("must lie in [1, ", sample->population, "], the population"));
    detail::require(event.relation == neighbours::replace, function, "a sample of fixed size",
                    "combined with neighbours::add_remove",
                    "its size tells the size of the corpus; use neighbours::replace or a Poisson sample");
  }
}

}  // namespace dplda

#endif
