// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DPLDA_HPP
#define DPLDA_DPLDA_HPP

// The whole library. Every header below also compiles alone.

#include <dplda/accounting/event.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/config.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/core/vector_math.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/coherence.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/prior.hpp>
#include <dplda/inference/svi/bound.hpp>
#include <dplda/inference/svi/options.hpp>
#include <dplda/inference/svi/state.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/io/lda_c.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/npy.hpp>
#include <dplda/io/stop_words.hpp>
#include <dplda/io/svmlight.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/io/users.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/fixed_size_sampler.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/bernoulli.hpp>
#include <dplda/random/chacha20.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/discrete.hpp>
#include <dplda/random/floored_gaussian.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>
#include <dplda/version.hpp>

#endif
