// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_SCORE_FILE_HPP
#define DPLDA_ANALYSIS_SCORE_FILE_HPP

#include <dplda/analysis/prevalence_file.hpp>
#include <dplda/analysis/private_score.hpp>
#include <dplda/io/json.hpp>
#include <dplda/mechanisms/release.hpp>

namespace dplda::inline v0_1 {

/// A private score for a file of JSON: the gain with its intervals, the topics' shares, how often their first words are
/// together, the noisy sums, guarantee and ledger. The details are those that stand beside a prevalence; `own` is private_score::own.
json_value score_json(const release<topic_score>& scored, const prevalence_details& details);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/score_file.ipp>
#endif

#endif
