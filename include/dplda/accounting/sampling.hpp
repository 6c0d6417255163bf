// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_SAMPLING_HPP
#define DPLDA_ACCOUNTING_SAMPLING_HPP

// Which units a mechanism saw.

#include <dplda/accounting/detail/fields.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

namespace dplda::inline v0_1 {

/// The mechanism saw every unit.
struct all_units {
  bool operator==(const all_units&) const = default;
};

/// Each unit was sampled with probability `rate`, independently of the others and in secret, for this one event. Two
/// releases made from one sample are not two events of this kind. With Gaussian noise and neighbours::replace, the
/// event also states that the norm of each unit is at most half the sensitivity (a bound C on the norm gives a
/// sensitivity of 2 C).
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

/// Each unit was in exactly one of `batches` batches, chosen uniformly, independently of the others and in secret. One
/// use of such an event is one release for each batch (an epoch): all have the noise of the event. An epoch that ends
/// early, or whose batches are handled by results of earlier ones, costs no more.
struct random_allocation {
  std::uint64_t batches;
  bool operator==(const random_allocation&) const = default;
};

using sampling = std::variant<all_units, poisson_sample, fixed_size_sample, random_allocation>;

namespace detail {

/// A sampling's name and fields in JSON, its words for people, and the rate at which a unit is sampled.
template <class Sampling>
struct sampling_entry;

template <>
struct sampling_entry<all_units> {
  static constexpr std::string_view kind = "all_units";
  static constexpr std::tuple<> fields{};
  static std::string words(const all_units&, const number_style&) { return "all of the data"; }
  static double rate(const all_units&) { return 1; }
};

template <>
struct sampling_entry<poisson_sample> {
  static constexpr std::string_view kind = "poisson";
  static constexpr std::tuple fields{field{"rate", &poisson_sample::rate}};
  static std::string words(const poisson_sample& s, const number_style& style) {
    return "a secret sample, each with probability " + style.nearest(s.rate);
  }
  static double rate(const poisson_sample& s) { return s.rate; }
};

template <>
struct sampling_entry<fixed_size_sample> {
  static constexpr std::string_view kind = "fixed_size";
  static constexpr std::tuple fields{field{"size", &fixed_size_sample::size},
                                     field{"population", &fixed_size_sample::population}};
  static std::string words(const fixed_size_sample& s, const number_style&) {
    return "a secret sample of " + std::to_string(s.size) + " of " + std::to_string(s.population);
  }
  static double rate(const fixed_size_sample& s) {
    return static_cast<double>(s.size) / static_cast<double>(s.population);
  }
};

template <>
struct sampling_entry<random_allocation> {
  static constexpr std::string_view kind = "random_allocation";
  static constexpr std::tuple fields{field{"batches", &random_allocation::batches}};
  static std::string words(const random_allocation& s, const number_style&) {
    return std::to_string(s.batches) + " batches, each unit secretly in one of them";
  }
  /// Accountants that know no more of it count one use on all units, as if the batch of each unit were shown.
  static double rate(const random_allocation&) { return 1; }
};

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
