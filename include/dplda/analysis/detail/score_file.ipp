// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_SCORE_FILE_IPP
#define DPLDA_ANALYSIS_DETAIL_SCORE_FILE_IPP

// Bodies of analysis/score_file.hpp.

#include <dplda/analysis/score_file.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/version.hpp>

#include <Eigen/Core>

#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE json_value score_json(const release<topic_score>& scored, const prevalence_details& details) {
  const noisy_mean& gain = scored.value().gain;
  const mean_interval noise = gain.noise_interval(), both = gain.interval();
  const Eigen::VectorXd overall = scored.value().shares.overall();
  const dplda::guarantee& claim = scored.guarantee();
  json_value::array together;
  for (const co_occurrence& found : scored.value().together) {
    const ratio_interval range = found.noise_interval();
    together.push_back(
        json_value::object{{"lift", found.lift()},
                           {"noise_interval", json_value::array{range.low, number_or_infinity(range.high)}},
                           {"enough_to_tell", found.tells()},
                           {"listed", found.listed},
                           {"words", found.words},
                           {"noise_on_words", found.words_noise},
                           {"pairs", found.pairs},
                           {"noise_on_pairs", found.pairs_noise}});
  }
  return json_value::object{{"format", "dplda score"},
                            {"format_version", 1},
                            {"library_version", version_string},
                            {"releasable", !claim.seeded && claim.basis == basis::proven},
                            {"guarantee", to_json(claim)},
                            {"own_guarantee", to_json(details.own)},
                            {"ledger", to_json(scored.ledger())},
                            {"settings", details.settings},
                            {"model_sha256", details.model_sha256},
                            {"booked", details.booked.empty() ? json_value(nullptr) : json_value(details.booked)},
                            {"confidence", 0.95},
                            {"gain", gain.mean()},
                            {"noise_interval", json_value::array{noise.low, noise.high}},
                            {"interval", json_value::array{both.low, both.high}},
                            {"enough_to_tell", gain.tells()},
                            {"bound", gain.bound},
                            {"sum", gain.sum},
                            {"noise", gain.noise},
                            {"units", gain.units},
                            {"noise_on_units", gain.units_noise},
                            {"squares", gain.squares},
                            {"noise_on_squares", gain.squares_noise},
                            {"shares", json_value::array(overall.begin(), overall.end())},
                            {"first_words_together", std::move(together)}};
}

}  // namespace dplda::inline v0_1

#endif
