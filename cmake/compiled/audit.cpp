// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/detail/audit.ipp>
#include <dplda/audit/detail/canaries.ipp>
#include <dplda/audit/detail/diagnostics.ipp>
#include <dplda/audit/detail/limits.ipp>
#include <dplda/audit/detail/lira.ipp>
#include <dplda/audit/detail/lower_bounds.ipp>
#include <dplda/audit/detail/noise_scale.ipp>
#include <dplda/audit/detail/quantile_attack.ipp>
#include <dplda/audit/detail/query_statistics.ipp>
#include <dplda/audit/detail/rates.ipp>
#include <dplda/audit/detail/risk.ipp>
#include <dplda/audit/detail/rmia.ipp>
#include <dplda/audit/detail/roc.ipp>
#include <dplda/audit/detail/shadow_folder.ipp>

namespace dplda::inline v0_1 {

template class document_likelihood<double>;
template class document_likelihood<float>;

}  // namespace dplda::inline v0_1
