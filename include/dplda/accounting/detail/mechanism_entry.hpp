// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_MECHANISM_ENTRY_HPP
#define DPLDA_ACCOUNTING_DETAIL_MECHANISM_ENTRY_HPP

// What the table of mechanisms (accounting/mechanisms.hpp) says of each mechanism, and defaults for what an entry
// leaves out. Every function is about one use on all units; sampling and composition are the accountants' work. Values
// are upper bounds, rounded up.

#include <dplda/accounting/detail/fields.hpp>
#include <dplda/accounting/detail/loss_pair.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/rdp_formulas.hpp>
#include <dplda/accounting/zcdp.hpp>

#include <concepts>
#include <string>
#include <string_view>
#include <variant>

namespace dplda::inline v0_1::detail {

/// The entry of a mechanism M; `n` is a value of M. An entry must have
///   name                       what error messages call it
///   kind, fields               its name and its fields in JSON
///   words(n, style)            its words for the reader of a ledger
///   check(n, function)         throws std::invalid_argument on parameters without a meaning
///   rho(n)                     its rho of zero-concentrated differential privacy
///   rdp(n, alpha)              its Renyi divergence of order alpha > 1, in either direction
/// and may have
///   pure_epsilon(n)            if it is epsilon-DP once an event of probability delta(n) is set aside
///   delta(n)                   that probability, if it is not 0
///   epsilon(n, delta)          its epsilon at a delta, if it is not pure; by default from rho
///   reveals_nothing(n)         whether its result does not depend on the data; by default false
///   mu(n)                      its mu of Gaussian differential privacy; by default from pure_epsilon
///   pair(n)                    its pair of laws for the privacy loss distribution, or nothing for parameters of which
///                              none is known; without one, pld gives no bound
///   poisson_replace_pair(n)    the slope and variation of its two-sided pair on a Poisson sample under `replace`;
///                              without one, such events are refused
///   poisson_replace_log_moment(n, rate, alpha)   the moment of that pair; an entry has both or neither
///   poisson_log_moment(n, rate, alpha)   the moment on a Poisson sample under add_remove, where it has a closed form
///   poisson_factor             else the factor of Zhu and Wang's sum on terms of order 3 and above: 1 with a proof
///                              that removing the unit is the worse direction, or 3
///   fixed_size_terms           a class made from n whose operator()(j) gives the logarithms of the terms of the sum
///                              for samples of fixed size; by default Theorem 9 of Wang, Balle and Kasiviswanathan
///   rdp_limit(n)               the divergence of order infinity; by default pure_epsilon(n)
///   inside(n)                  the ledger that it is made of, whose unit and neighbours are the event's; such a
///                              mechanism sees all units, and its own events say what they sampled
template <class Mechanism>
struct mechanism_entry;

template <class M>
concept MechanismEntry = requires(const M& n, double alpha, const char* function, const number_style& style) {
  { mechanism_entry<M>::name } -> std::convertible_to<std::string_view>;
  { mechanism_entry<M>::kind } -> std::convertible_to<std::string_view>;
  mechanism_entry<M>::fields;
  { mechanism_entry<M>::words(n, style) } -> std::same_as<std::string>;
  mechanism_entry<M>::check(n, function);
  { mechanism_entry<M>::rho(n) } -> std::same_as<double>;
  { mechanism_entry<M>::rdp(n, alpha) } -> std::same_as<double>;
};

template <class Variant>
inline constexpr bool all_have_entries = false;
template <class... Mechanisms>
inline constexpr bool all_have_entries<std::variant<Mechanisms...>> = (MechanismEntry<Mechanisms> && ...);

template <class M>
concept HasPureEpsilon = requires(const M& n) {
  mechanism_entry<M>::pure_epsilon(n);
};
template <class M>
concept HasPair = requires(const M& n) {
  mechanism_entry<M>::pair(n);
};
template <class M>
concept HasPoissonReplacePair = requires(const M& n) {
  mechanism_entry<M>::poisson_replace_pair(n);
};
template <class M>
concept HasPoissonMoment = requires(const M& n) {
  mechanism_entry<M>::poisson_log_moment(n, 0.5, 2.0);
};

template <class M>
double delta_of(const M& n) {
  if constexpr (requires { mechanism_entry<M>::delta(n); }) return mechanism_entry<M>::delta(n);
  return 0;
}

template <class M>
bool reveals_nothing(const M& n) {
  if constexpr (requires { mechanism_entry<M>::reveals_nothing(n); }) return mechanism_entry<M>::reveals_nothing(n);
  return false;
}

/// The (epsilon, delta) of one use, where `share` is the delta of mechanisms that need one.
template <class M>
budget price_of(const M& n, double share) {
  if constexpr (HasPureEpsilon<M>) {
    return {mechanism_entry<M>::pure_epsilon(n), delta_of(n)};
  } else if constexpr (requires { mechanism_entry<M>::epsilon(n, share); }) {
    return {mechanism_entry<M>::epsilon(n, share), share};
  } else {
    return {zcdp_epsilon(mechanism_entry<M>::rho(n), share), share};
  }
}

/// The divergence of order infinity, after delta_of(n) is set aside.
template <class M>
double rdp_limit_of(const M& n) {
  if constexpr (requires { mechanism_entry<M>::rdp_limit(n); }) {
    return mechanism_entry<M>::rdp_limit(n);
  } else if constexpr (HasPureEpsilon<M>) {
    return mechanism_entry<M>::pure_epsilon(n);
  } else {
    return infinite;
  }
}

}  // namespace dplda::inline v0_1::detail

#endif
