// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/corpus.ipp>
#include <dplda/core/detail/errors.ipp>
#include <dplda/core/detail/parallel.ipp>
#include <dplda/core/detail/topic_model.ipp>
#include <dplda/core/detail/vocabulary.ipp>
#include <dplda/corpora/detail/split.ipp>
#include <dplda/corpora/detail/stable_split.ipp>
#include <dplda/corpora/detail/synthetic.ipp>
#include <dplda/distributed/detail/own_part.ipp>
#include <dplda/distributed/detail/process_group.ipp>
#include <dplda/vocabulary/detail/phrase_selector.ipp>
#include <dplda/vocabulary/detail/vocabulary_selector.ipp>
#include <dplda/vocabulary/detail/vocabulary_stream.ipp>

namespace dplda::inline v0_1 {

template class topic_model<double>;
template class topic_model<float>;

}  // namespace dplda::inline v0_1
