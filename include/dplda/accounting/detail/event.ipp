// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_EVENT_IPP
#define DPLDA_ACCOUNTING_DETAIL_EVENT_IPP

// Bodies of accounting/event.hpp.

#include <dplda/accounting/event.hpp>
#include <dplda/core/errors.hpp>

#include <type_traits>
#include <variant>

namespace dplda::inline v0_1 {

DPLDA_INLINE void check(const privacy_event& event) {
  const char* const function = "check(privacy_event)";
  const bool under_replace = std::visit(
      [&]<class Mechanism>(const Mechanism& noise) {
        detail::mechanism_entry<Mechanism>::check(noise, function);
        if constexpr (requires { detail::mechanism_entry<Mechanism>::inside(noise); }) {
          const privacy_event& inner = detail::mechanism_entry<Mechanism>::inside(noise).first();
          detail::require(event.unit == inner.unit, function, "unit", event.unit,
                          detail::text("must be that of the ledger inside, ", inner.unit));
          detail::require(event.relation == inner.relation, function, "neighbours", event.relation,
                          detail::text("must be those of the ledger inside, ", inner.relation));
          detail::require(std::holds_alternative<all_units>(event.sampling), function, "a sample of units",
                          "combined with a ledger inside", "the events of that ledger must say what they sampled");
        }
        if constexpr (std::is_same_v<Mechanism, dominating_pair>)
          detail::require(event.relation == neighbours::add_remove || detail::is_mirror_image(noise), function,
                          "a dominating pair", "combined with neighbours::replace",
                          "must be its own mirror image, as either unit may be the other's replacement");
        return detail::HasPoissonReplacePair<Mechanism>;
      },
      event.noise);

  if (const auto* sample = std::get_if<poisson_sample>(&event.sampling)) {
    detail::require(sample->rate > 0 && sample->rate <= 1, function, "Poisson sampling rate", sample->rate,
                    "must lie in (0, 1]");
    detail::require(event.relation == neighbours::add_remove || under_replace, function, "Poisson sampling",
                    "combined with neighbours::replace",
                    "that pair is analysed for Gaussian noise only; use neighbours::add_remove");
  }
  if (const auto* sample = std::get_if<random_allocation>(&event.sampling)) {
    detail::require(sample->batches >= 1 && sample->batches <= 1'000'000, function, "number of batches",
                    sample->batches, "must lie in [1, 10^6]");
    detail::require(std::holds_alternative<gaussian_noise>(event.noise) && event.relation == neighbours::add_remove,
                    function, "random allocation", "combined with other noise or neighbours",
                    "it is analysed for Gaussian noise and neighbours::add_remove");
  }
  if (const auto* sample = std::get_if<fixed_size_sample>(&event.sampling)) {
    detail::require(sample->size > 0 && sample->size <= sample->population, function, "size of the sample",
                    sample->size, detail::text("must lie in [1, ", sample->population, "], the population"));
    detail::require(event.relation == neighbours::replace, function, "a sample of fixed size",
                    "combined with neighbours::add_remove",
                    "its size tells the size of the corpus; use neighbours::replace or a Poisson sample");
  }
}

}  // namespace dplda::inline v0_1

#endif
