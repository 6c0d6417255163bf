// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_SVI_HPP
#define DPLDA_INFERENCE_SVI_SVI_HPP

// Formulas, arguments, options and limits: inference/svi/README.md

#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/inference/svi/detail/batch_index.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>
#include <dplda/inference/svi/options.hpp>
#include <dplda/inference/svi/state.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Latent Dirichlet allocation by stochastic variational inference (Hoffman, Blei and Bach 2010; Hoffman et al. 2013),
/// or by batch variational Bayes with batch_size = 0. Not private.
///
///     dplda::svi learner({.topics = 20});
///     auto random = dplda::seeded_random(42);
///     dplda::topic_model<> topics = learner.fit(docs, random);
///
/// The same source and corpus give the same bits for every number of threads.
template <class Real = double>
class svi {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit svi(svi_options options = {}) : options_(std::move(options)) { detail::validate(options_); }

  const svi_options& options() const noexcept { return options_; }

  /// Learns topics from all documents. After each step, watch(progress) or watch(progress, state) is called, whichever
  /// it takes; it stops the fit by returning true. (The state lets it score the topics, and stop when they are good.)
  /// Throws std::invalid_argument if the corpus has no documents or no words, or if eta does not have the size of the
  /// vocabulary.
  template <class Watch = observer>
  topic_model<Real> fit(const corpus& docs, random_source& random, const Watch& watch = {}) const {
    return fit_state(docs, random, watch).model();
  }

  /// As fit, but returns the posterior of the topics, from which partial_fit can continue.
  template <class Watch = observer>
  svi_state<Real> fit_state(const corpus& docs, random_source& random, const Watch& watch = {}) const {
    svi_state<Real> state = start(docs.vocab(), random, word_counts(docs));
    detail::require(!docs.empty(), "svi::fit", "number of documents", docs.size(), "must be at least 1");
    const detail::kept_threads keep;
    batch_work work(state, options_);
    const std::size_t batch = options_.batch_size == 0 ? docs.size() : std::min(options_.batch_size, docs.size());
    const std::size_t batches = (docs.size() + batch - 1) / batch;
    const random_source orders = random.fork();
    std::vector<std::size_t> order(docs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t pass = 0; pass < options_.passes; ++pass) {
      if (batches > 1) {
        auto bits = orders.stream("svi.order", pass);
        shuffle(std::span<std::size_t>(order), bits);
      }
      for (std::size_t b = 0; b < batches; ++b) {
        // Batches of nearly equal size: a small last one would move the topics as far as the others, with less data.
        const std::size_t first = b * docs.size() / batches, last = (b + 1) * docs.size() / batches;
        step(state, work, docs, std::span(order).subspan(first, last - first), docs.size(), batches == 1);
        if (b + 1 == batches) {
          fit_priors(state);
          if (options_.learn_alpha) work.use(state, options_);
        }
        if (stops(watch, {pass * batches + b + 1, options_.passes * batches}, state)) return state;
      }
    }
    return state;
  }

  /// Random topics over a vocabulary, to be trained by partial_fit. If the tokens of each word are known, or guessed,
  /// topics start near the words' common distribution. Otherwise they start near the uniform one, which takes longer to
  /// leave. Throws std::invalid_argument if the vocabulary is empty, or if eta or the counts have another size.
  svi_state<Real> start(vocabulary_ptr vocab, random_source& random, std::span<const std::uint64_t> counts = {}) const;

  /// One step on these documents, as a sample of a collection of `collection_size` documents (at least docs.size()).
  /// The words must be those of the state's vocabulary: use corpus::restrict_to for text with new words. Only
  /// fit_priors refits priors. Throws std::invalid_argument if the vocabularies differ or the collection is too small.
  void partial_fit(svi_state<Real>& state, const corpus& docs, std::size_t collection_size) const;

  /// Refits the priors that the options name to the documents read since the last call (alpha) and to the topics (eta),
  /// by maximising the bound. fit calls it after each pass; with partial_fit, call it now and then.
  void fit_priors(svi_state<Real>& state) const;

 private:
  // Topics start within 3 % of their common mean, Gamma(1000) / 1000: enough to separate them. Wider starts (1, 10,
  // 100) ended at higher perplexities on most corpora tried, narrower ones (10000) on some.
  static constexpr double start_shape = 1000;

  // Documents that are worked on together. Their weights stay in the second-level cache while words are summed.
  static constexpr std::size_t block = 256;

  // Buffers of a step, kept from step to step.
  struct batch_work {
    batch_work(const svi_state<Real>& state, const svi_options& options) : slots(state.words()) { use(state, options); }

    // Takes over the state's alpha.
    void use(const svi_state<Real>& state, const svi_options& options);

    detail::word_slots slots;
    detail::entry_order order;
    std::vector<detail::document_solver<Real>> solvers;  // one a thread
    detail::aligned_buffer<Real> inverses, rows, weights, gammas;
    detail::aligned_buffer<detail::word_entry<Real>> entries;
  };

  void step(svi_state<Real>& state, batch_work& work, const corpus& docs, std::span<const std::size_t> batch,
            std::size_t collection_size, bool whole_corpus) const;

  // exp(E[log beta]) for the words of the batch, each word's row scaled to a maximum of 1.
  void expected_rows(const svi_state<Real>& state, batch_work& work, std::size_t stride) const;

  void add_block(svi_state<Real>& state, batch_work& work, const corpus& docs, std::span<const std::size_t> batch,
                 Real factor, std::size_t stride) const;

  template <class Watch>
  static bool stops(const Watch& watch, const progress& now, const svi_state<Real>& state) {
    if constexpr (std::is_invocable_r_v<bool, const Watch&, const progress&, const svi_state<Real>&>) {
      return watch(now, state);
    } else if constexpr (std::is_same_v<Watch, observer>) {
      return watch && watch(now);
    } else {
      return watch(now);
    }
  }

  static void rescale(svi_state<Real>& state);

  // Totals from the weights themselves, so that rounding does not build up.
  static void sum_weights(svi_state<Real>& state);

  svi_options options_;
};

svi(svi_options)->svi<double>;
svi()->svi<double>;

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/svi/detail/svi.ipp>
#endif

#endif
