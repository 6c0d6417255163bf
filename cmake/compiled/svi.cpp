// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/detail/earlier_topics.ipp>
#include <dplda/inference/detail/prior.ipp>
#include <dplda/inference/detail/private_task.ipp>
#include <dplda/inference/detail/public_text.ipp>
#include <dplda/inference/detail/topic_inference.ipp>
#include <dplda/inference/private_topics/detail/gamma_shrinkage.ipp>
#include <dplda/inference/private_topics/detail/noisy_topics.ipp>
#include <dplda/inference/private_topics/detail/plan.ipp>
#include <dplda/inference/private_topics/detail/private_topics.ipp>
#include <dplda/inference/private_topics/detail/ratio_prior.ipp>
#include <dplda/inference/private_topics/detail/repeated_words.ipp>
#include <dplda/inference/private_topics/detail/state.ipp>
#include <dplda/inference/private_topics/detail/topic_gain.ipp>
#include <dplda/inference/private_topics/detail/topic_statistics.ipp>
#include <dplda/inference/svi/detail/bound.ipp>
#include <dplda/inference/svi/detail/options.ipp>
#include <dplda/inference/svi/detail/state.ipp>
#include <dplda/inference/svi/detail/svi.ipp>
#include <dplda/inference/svi/detail/variational_method.ipp>

namespace dplda::inline v0_1 {

template class svi_state<double>;
template class svi_state<float>;
template class svi<double>;
template class svi<float>;
template class topic_inference<double>;
template class topic_inference<float>;
template class detail::topic_statistics<detail::variational_method>;
template class private_topics<detail::variational_method>;

}  // namespace dplda::inline v0_1
