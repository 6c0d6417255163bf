// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/detail/co_occurrence.ipp>
#include <dplda/analysis/detail/noisy_mean.ipp>
#include <dplda/analysis/detail/prevalence.ipp>
#include <dplda/analysis/detail/prevalence_file.ipp>
#include <dplda/analysis/detail/private_prevalence.ipp>
#include <dplda/analysis/detail/private_score.ipp>
#include <dplda/analysis/detail/score_file.ipp>
#include <dplda/analysis/detail/share_interval.ipp>
