// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_DETAIL_TOPIC_DP_IPP
#define DPLDA_OUTPUT_PERTURBATION_DETAIL_TOPIC_DP_IPP

// Bodies of output_perturbation/topic_dp.hpp, which has their claim, argument and test.

#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/published.hpp>
#include <dplda/output_perturbation/mvg_noise.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace dplda::inline v0_1 {

DPLDA_INLINE const release<topic_model<>>* topic_dp::released_reference() const {
  return options_.reference ? std::get_if<release<topic_model<>>>(&*options_.reference) : nullptr;
}

DPLDA_INLINE const topic_model<>* topic_dp::reference_topics() const {
  if (const auto* const earlier = released_reference()) return &earlier->value();
  return options_.reference ? &std::get<public_topics>(*options_.reference).value() : nullptr;
}

DPLDA_INLINE void topic_dp::validate(const budget& total) const {
  const char* const function = "topic_dp";
  const topic_dp_options& o = options_;
  detail::require(o.topics >= 1 && o.topics <= 1'000'000, function, "topics", o.topics, "must lie in [1, 1000000]");
  detail::require(o.words >= 1, function, "words", o.words, "must be the size of the vocabulary, at least 1");
  detail::require(o.unit != privacy_unit::token, function, "unit", o.unit, "must be document or user");
  detail::require(total.epsilon > 0 && total.epsilon < detail::infinite, function, "epsilon", total.epsilon,
                  "must be positive and finite");
  detail::require(o.noise == output_noise::laplace || (total.delta > 0 && total.delta < 1), function, "delta",
                  total.delta, "must lie in (0, 1)");
  detail::require(o.norm == 0 || (o.norm > 0 && o.norm <= static_cast<double>(o.topics)), function, "norm", o.norm,
                  "must lie in (0, topics], or be 0 for the largest");
  detail::require(o.parts >= 1 && o.parts <= 1'000'000, function, "parts", o.parts, "must lie in [1, 1000000]");
  detail::require(o.parts == 1 || o.reference, function, "reference", "none",
                  "must be given for more than one part: the topics of parts are matched to its rows");
  const topic_model<>* const given = reference_topics();
  detail::require(given == nullptr || (given->topics() == o.topics && given->words() == o.words), function, "reference",
                  "of another size", "must have the plan's topics and words");
  if (const auto* const earlier = released_reference()) detail::spent_before(function, *earlier, o.before);
  detail::require(o.before.empty() || o.noise == output_noise::gaussian || o.noise == output_noise::laplace, function,
                  "before", "not empty", "must be empty for renyi and mvg noise, which do not account for it");
  if (!o.sensitivity) return;
  const sampled_sensitivity& s = *o.sensitivity;
  detail::require(s.topics == o.topics && s.words == o.words, function, "sampled sensitivity",
                  detail::text("of ", s.topics, " x ", s.words), "must be of the plan's topics and words");
  detail::require(s.unit == o.unit, function, "unit", o.unit, "must be that of the sampled sensitivity");
  detail::require(s.value >= 1e-6 && s.value <= 2 * static_cast<double>(o.topics), function, "sampled sensitivity",
                  s.value, "must lie in [1e-6, 2 topics]: below that, rounding errors would matter");
  detail::require(s.gamma > 0 && s.gamma < 1, function, "gamma", s.gamma, "must lie in (0, 1)");
  detail::require(o.relation == neighbours::replace, function, "neighbours", o.relation,
                  "must be replace, as in the pairs that were sampled");
  detail::require(o.noise != output_noise::laplace, function, "noise", "laplace",
                  "must be another noise: laplace needs a bound in l1, and the sampled sensitivity is in l2");
  detail::require(o.norm == 0 && o.parts == 1 && !o.reference && o.before.empty(), function,
                  "norm, parts, reference or before", "given",
                  "must not be given with a sampled sensitivity, which has its own reference");
}

DPLDA_INLINE topic_dp_plan topic_dp::planned(const budget& total) const {
  validate(total);
  const bool laplace = options_.noise == output_noise::laplace;
  const double k = static_cast<double>(options_.topics);
  bounded_output_options output{.rows = options_.words,
                                .row_size = options_.topics,
                                .norm = options_.norm > 0 ? options_.norm
                                        : laplace         ? k
                                                          : std::sqrt(k),
                                .noise = laplace ? noise_kind::laplace : noise_kind::gaussian,
                                .unit = options_.unit,
                                .relation = options_.relation,
                                .parts = options_.parts,
                                .label = "topics"};
  const double widest = (laplace ? 2 : std::sqrt(2.0)) * output.norm;  // distance of two outputs
  const double sensitivity = sampled() ? std::min(widest, options_.sensitivity->value * (1 + 1e-6)) : widest;
  output.noise_multiplier = multiplier(total, output, sensitivity) * (sampled() ? sensitivity / widest : 1);
  dplda::ledger spent = book(output, output.noise_multiplier);
  dplda::guarantee claim = sampled() ? random_guarantee(total) : price(spent, laplace ? 0 : total.delta);
  claim.assumes_fixed_plans = !options_.before.empty();
  const bounded_output_plan sums(output);
  const double parts = static_cast<double>(options_.parts);
  return {sums, sensitivity / parts, sums.noise() / parts, std::move(spent), std::move(claim)};
}

DPLDA_INLINE double topic_dp::multiplier(const budget& total, const bounded_output_options& output,
                                         double sensitivity) const {
  switch (options_.noise) {
    case output_noise::renyi:
      return published::topicdp_multiplier(total);
    case output_noise::mvg:
      return published::mvg_noise(options_.topics, options_.words, output.norm, sensitivity, total) / sensitivity;
    case output_noise::gaussian:
      if (sampled()) return gaussian_multiplier(total.epsilon, total.delta);
      break;
    case output_noise::laplace:
      break;
  }
  const budget part{total.epsilon, options_.noise == output_noise::laplace ? 0 : total.delta};
  return smallest_noise([&](double z) { return book(output, z); }, part, accountant::best, {.tolerance = 1e-9});
}

DPLDA_INLINE dplda::ledger topic_dp::book(bounded_output_options output, double multiplier) const {
  output.noise_multiplier = multiplier;
  dplda::ledger spent = options_.before;
  spent.record(output.event());
  record_unproven(spent);
  return spent;
}

DPLDA_INLINE void topic_dp::record_unproven(dplda::ledger& spent) const {
  if (!sampled() || options_.sensitivity->public_law) return;
  spent.record({nothing_proven, all_units{}, options_.unit, options_.relation, "sampled sensitivity, nothing proven"});
}

DPLDA_INLINE dplda::guarantee topic_dp::random_guarantee(const budget& total) const {
  const std::string unit = detail::text(options_.unit);
  const std::string law =
      options_.sensitivity->public_law
          ? "it holds if every " + unit + " is an independent draw, with repetitions, from the " + unit +
                "s of the public corpus that the sensitivity was sampled from; real data never quite are."
          : "the sensitivity was sampled from the private data, so the noise itself depends on them, and nothing " +
                std::string("hides how.");
  return {.epsilon = total.epsilon,
          .delta = total.delta,
          .unit = options_.unit,
          .relation = options_.relation,
          .accountant = options_.noise == output_noise::renyi ? accountant::rdp : accountant::gaussian,
          .basis = basis::as_published,
          .caveat = law + " Gamma is the probability that two corpora drawn in that way, which differ in one " + unit +
                    ", have topics further apart than the sampled sensitivity; it is not a share of unprotected " +
                    unit + "s, and a " + unit + " with unusual text may be unprotected.",
          .gamma = options_.sensitivity->gamma};
}

DPLDA_INLINE topic_model<>::matrix topic_dp::in_random_order(const topic_model<>::matrix& phi,
                                                             const random_source& key) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(phi.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  chacha20 bits = key.stream("topic_dp.order");
  shuffle(std::span<Eigen::Index>(order), bits);
  topic_model<>::matrix shuffled(phi.rows(), phi.cols());
  for (Eigen::Index k = 0; k < phi.rows(); ++k) shuffled.row(k) = phi.row(order[static_cast<std::size_t>(k)]);
  return shuffled;
}

DPLDA_INLINE std::vector<std::vector<std::size_t>> topic_dp::divide(const privacy_units& units,
                                                                    const random_source& key) const {
  std::vector<std::vector<std::size_t>> parts(options_.parts);
  for (std::size_t u = 0; u < units.size(); ++u) {
    chacha20 bits = key.stream("topic_dp.part", units.id(u));
    parts[uniform_below(bits, options_.parts)].push_back(u);
  }
  return parts;
}

}  // namespace dplda::inline v0_1

#endif
