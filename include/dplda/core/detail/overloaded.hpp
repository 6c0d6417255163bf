// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_OVERLOADED_HPP
#define DPLDA_CORE_DETAIL_OVERLOADED_HPP

#include <dplda/core/config.hpp>

namespace dplda::inline v0_1::detail {

/// Several callables as the overloads of one, for std::visit.
template <class... Callables>
struct overloaded : Callables... {
  using Callables::operator()...;
};
template <class... Callables>
overloaded(Callables...) -> overloaded<Callables...>;

}  // namespace dplda::inline v0_1::detail

#endif
