// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/gibbs/detail/gibbs.ipp>
#include <dplda/inference/gibbs/detail/gibbs_method.ipp>
#include <dplda/inference/gibbs/detail/hdp.ipp>
#include <dplda/inference/gibbs/detail/options.ipp>
#include <dplda/inference/gibbs/detail/private_token_gibbs.ipp>
#include <dplda/inference/gibbs/detail/state.ipp>
#include <dplda/inference/private_topics/detail/private_topics.ipp>
#include <dplda/inference/private_topics/detail/topic_statistics.ipp>

namespace dplda::inline v0_1 {

template class gibbs_state<double>;
template class gibbs_state<float>;
template class gibbs<double>;
template class gibbs<float>;
template class detail::topic_statistics<detail::gibbs_method>;
template class private_topics<detail::gibbs_method>;

}  // namespace dplda::inline v0_1
