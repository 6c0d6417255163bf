// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/detail/alignment.ipp>
#include <dplda/evaluation/detail/coherence.ipp>
#include <dplda/evaluation/detail/distance.ipp>
#include <dplda/evaluation/detail/perplexity.ipp>
#include <dplda/evaluation/detail/topic_contrast.ipp>
#include <dplda/evaluation/detail/type_completion.ipp>
#include <dplda/output_perturbation/detail/mvg_noise.ipp>
#include <dplda/output_perturbation/detail/noisy_rows.ipp>
#include <dplda/output_perturbation/detail/sensitivity_sampling.ipp>
#include <dplda/output_perturbation/detail/topic_dp.ipp>
