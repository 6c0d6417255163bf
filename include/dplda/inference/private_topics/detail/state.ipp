// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_STATE_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_STATE_IPP

// Bodies of inference/private_topics/state.hpp, which has their claim, argument and test.

#include <dplda/core/errors.hpp>
#include <dplda/inference/private_topics/state.hpp>

#include <cmath>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<detail::noisy_words> private_topics_state::releases_of(const parts& p) {
  return {{p.background, p.background_noise, Eigen::VectorXd::Ones(p.background.size())},
          {p.weighted_background, p.weighted_noise, p.background_weights}};
}

DPLDA_INLINE private_topics_state::private_topics_state(parts p)
    : table_(std::move(p.table), p.table_variance, p.steps, releases_of(p), std::move(p.word_weights)),
      phi_(std::move(p.phi)),
      ledger_(std::move(p.ledger)),
      gain_(p.gain),
      settings_(p.settings),
      steps_(p.steps) {
  const char* const function = "private_topics_state";
  const Eigen::MatrixXd& mean = table_.mean();
  detail::require(phi_.size() > 0, function, "number of topics times words", phi_.size(), "must be positive");
  detail::require(mean.rows() == phi_.rows() && mean.cols() == phi_.cols(), function, "shape of the table",
                  detail::text(mean.rows(), " x ", mean.cols()), "must be that of phi");
  const auto moderate = [](const auto& numbers) { return (numbers.array().abs() <= 1e100).all(); };
  const Eigen::VectorXd* const all[] = {&p.background, &p.weighted_background, &p.background_weights,
                                        &table_.word_weights()};
  for (const Eigen::VectorXd* const words : all)
    detail::require(words->size() == phi_.cols() && moderate(*words), function, "a number for each word",
                    "missing or not below 1e100", detail::text("must be there for ", phi_.cols(), " words"));
  detail::require(
      moderate(mean) && table_.word_weights().minCoeff() >= 1e-100 && p.background_weights.minCoeff() >= 1e-100,
      function, "table or weights", "not below 1e100 or not positive", "must be what was released");
  detail::require(table_.variance() >= 0 && table_.variance() <= 1e200, function, "table_variance", table_.variance(),
                  "must lie in [0, 1e200]");
  detail::require(std::abs(gain_) <= 1e100, function, "gain", gain_, "must lie in [-1e100, 1e100]");
  for (const double noise : {p.background_noise, p.weighted_noise})
    detail::require(noise >= 1e-100 && noise <= 1e100, function, "background_noise", noise,
                    "must lie in [1e-100, 1e100]");
  detail::require(phi_.minCoeff() >= 0 && ((phi_.rowwise().sum().array() - 1).abs() < 1e-6).all() &&
                      phi_.colwise().maxCoeff().minCoeff() > 0,
                  function, "phi", "not a distribution over words for each topic", "must be one");
}

DPLDA_INLINE private_topics_state::parts private_topics_state::get() const {
  return {phi_,
          table(),
          table_.variance(),
          table_.background()[0].counts,
          table_.background()[0].noise,
          table_.background()[1].counts,
          table_.background()[1].noise,
          table_.background()[1].weights,
          table_.word_weights(),
          gain_,
          settings_,
          steps_,
          ledger_};
}

}  // namespace dplda::inline v0_1

#endif
