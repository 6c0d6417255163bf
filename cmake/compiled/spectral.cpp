// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/spectral/detail/corpus_products.ipp>
#include <dplda/inference/spectral/detail/eigenpairs.ipp>
#include <dplda/inference/spectral/detail/lsi.ipp>
#include <dplda/inference/spectral/detail/moment_fit.ipp>
#include <dplda/inference/spectral/detail/moment_sums.ipp>
#include <dplda/inference/spectral/detail/moments.ipp>
#include <dplda/inference/spectral/detail/noisy_moments.ipp>
#include <dplda/inference/spectral/detail/options.ipp>
#include <dplda/inference/spectral/detail/pair_matrix.ipp>
#include <dplda/inference/spectral/detail/private_spectral.ipp>
#include <dplda/inference/spectral/detail/recovery.ipp>
#include <dplda/inference/spectral/detail/sensitivity.ipp>
#include <dplda/inference/spectral/detail/spectral.ipp>
#include <dplda/inference/spectral/detail/tensor.ipp>
#include <dplda/inference/spectral/detail/unit_moments.ipp>

namespace dplda::inline v0_1 {

template class spectral_state<double>;
template class spectral_state<float>;
template class spectral<double>;
template class spectral<float>;
template detail::noisy_sums<float> detail::moment_sums::pairs(const accumulator_plan&, random_source&, ledger&) const;
template detail::noisy_sums<double> detail::moment_sums::pairs(const accumulator_plan&, random_source&, ledger&) const;

}  // namespace dplda::inline v0_1
