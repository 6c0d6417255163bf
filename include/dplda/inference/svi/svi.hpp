// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_SVI_HPP
#define DPLDA_INFERENCE_SVI_SVI_HPP

// Formulas, arguments, options and limits: inference/svi/README.md

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
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
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
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
  svi_state<Real> start(vocabulary_ptr vocab, random_source& random, std::span<const std::uint64_t> counts = {}) const {
    detail::require(vocab != nullptr && vocab->size() > 0, "svi", "vocabulary", "empty", "must have at least 1 word");
    detail::require(counts.empty() || counts.size() == vocab->size(), "svi::start", "number of counts", counts.size(),
                    detail::text("must be the vocabulary's size, ", vocab->size()));
    svi_state<Real> state;
    state.alpha_ = options_.alpha.expand(options_.topics, "svi", "alpha");
    state.eta_ = options_.eta.expand(vocab->size(), "svi", "eta");
    state.log_theta_ = Eigen::VectorXd::Zero(state.alpha_.size());
    const auto stride = static_cast<Eigen::Index>(detail::padded<Real>(options_.topics));
    state.weights_.setZero(stride, static_cast<Eigen::Index>(vocab->size()));
    state.vocab_ = std::move(vocab);
    const random_source source = random.fork();
    parallel_for(
        state.words(), 64, thread_count(options_.threads), [&](std::size_t begin, std::size_t end, std::size_t) {
          for (std::size_t v = begin; v < end; ++v) {
            auto bits = source.stream("svi.start", v);
            const auto word = static_cast<Eigen::Index>(v);
            const double mean =
                counts.empty() ? 1 : (static_cast<double>(counts[v]) + 1) / static_cast<double>(options_.topics);
            for (Eigen::Index k = 0; k < state.alpha_.size(); ++k) {
              state.weights_(k, word) =
                  static_cast<Real>(mean * std::exp(log_gamma_variate(bits, start_shape)) / start_shape);
            }
          }
        });
    sum_weights(state);
    return state;
  }

  /// One step on these documents, as a sample of a collection of `collection_size` documents (at least docs.size()).
  /// The words must be those of the state's vocabulary: use corpus::restrict_to for text with new words. Only
  /// fit_priors refits priors. Throws std::invalid_argument if the vocabularies differ or the collection is too small.
  void partial_fit(svi_state<Real>& state, const corpus& docs, std::size_t collection_size) const {
    detail::require_same_vocabulary("svi::partial_fit", docs.vocab(), state.vocab());
    detail::require(collection_size >= docs.size(), "svi::partial_fit", "collection_size", collection_size,
                    detail::text("must be at least the number of documents given, ", docs.size()));
    if (docs.empty()) return;
    std::vector<std::size_t> order(docs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    batch_work work(state, options_);
    step(state, work, docs, order, collection_size, false);
  }

  /// Refits the priors that the options name to the documents read since the last call (alpha) and to the topics (eta),
  /// by maximising the bound. fit calls it after each pass; with partial_fit, call it now and then.
  void fit_priors(svi_state<Real>& state) const {
    sum_weights(state);
    if (options_.learn_alpha && state.log_theta_count_ > 0) {
      state.alpha_ = detail::fit_dirichlet(state.log_theta_ / state.log_theta_count_, state.alpha_);
      state.log_theta_.setZero();
      state.log_theta_count_ = 0;
    }
    if (options_.learn_eta) {
      const Eigen::VectorXd totals = state.lambda_totals();
      double mean_log = -totals.unaryExpr([](double total) { return detail::digamma(total); }).mean();
      double sum = 0;
      for (word_id v = 0; v < state.words(); ++v) {
        sum += state.lambda(v).unaryExpr([](double l) { return detail::digamma(l); }).sum();
      }
      mean_log += sum / static_cast<double>(state.words() * state.topics());
      state.eta_.setConstant(
          detail::fit_symmetric_dirichlet(mean_log, static_cast<double>(state.words()), state.eta_[0]));
    }
  }

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
    void use(const svi_state<Real>& state, const svi_options& options) {
      solvers.clear();
      for (std::size_t i = 0; i < thread_count(options.threads); ++i) {
        solvers.emplace_back(state.alpha(), options.document_iterations, options.document_tolerance);
      }
    }

    detail::word_slots slots;
    detail::entry_order order;
    std::vector<detail::document_solver<Real>> solvers;  // one a thread
    detail::aligned_buffer<Real> inverses, rows, weights, gammas;
    detail::aligned_buffer<detail::word_entry<Real>> entries;
  };

  void step(svi_state<Real>& state, batch_work& work, const corpus& docs, std::span<const std::size_t> batch,
            std::size_t collection_size, bool whole_corpus) const {
    const std::size_t stride = work.solvers.front().stride();
    work.slots.assign(docs, batch);
    expected_rows(state, work, stride);

    // lambda <- (1 - rho) lambda + rho (eta + collection / batch * statistic)
    const double rho = whole_corpus ? 1 : std::pow(options_.tau0 + static_cast<double>(state.steps_), -options_.kappa);
    state.scale_ *= 1 - rho;
    if (state.scale_ < 1e-6) rescale(state);
    const double share = static_cast<double>(collection_size) / static_cast<double>(batch.size());
    const auto factor = static_cast<Real>(rho * share / state.scale_);
    for (std::size_t first = 0; first < batch.size(); first += block) {
      add_block(state, work, docs, batch.subspan(first, std::min(block, batch.size() - first)), factor, stride);
    }
    ++state.steps_;
  }

  // exp(E[log beta]) for the words of the batch, each word's row scaled to a maximum of 1.
  void expected_rows(const svi_state<Real>& state, batch_work& work, std::size_t stride) const {
    Real* inverses = work.inverses.ensure(stride);
    Eigen::VectorXd totals = state.lambda_totals();
    const std::span<double> exp_digamma(totals.data(), static_cast<std::size_t>(totals.size()));
    vector_exp_digamma<double>(exp_digamma, exp_digamma);
    std::fill_n(inverses, stride, Real(0));
    std::transform(totals.begin(), totals.end(), inverses, [](double total) { return static_cast<Real>(1 / total); });

    Real* rows = work.rows.ensure(work.slots.size() * stride);
    parallel_for(work.slots.size(), 256, work.solvers.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
      detail::aligned_buffer<Real> lambda;
      lambda.ensure(stride);
      for (std::size_t s = begin; s < end; ++s) {
        const auto word = static_cast<Eigen::Index>(work.slots.word(s));
        const auto eta = static_cast<Real>(state.eta_[word]), scale = static_cast<Real>(state.scale_);
        Eigen::Map<Eigen::Array<Real, Eigen::Dynamic, 1>>(lambda.data(), static_cast<Eigen::Index>(stride)) =
            (eta + scale * state.weights_.col(word).array()).max(std::numeric_limits<Real>::min());
        detail::expected_row<Real>(lambda.data(), inverses, rows + s * stride, lambda.data(), stride);
      }
    });
  }

  void add_block(svi_state<Real>& state, batch_work& work, const corpus& docs, std::span<const std::size_t> batch,
                 Real factor, std::size_t stride) const {
    work.order.assign(docs, batch, work.slots);
    const Real* rows = work.rows.data();
    Real* weights = work.weights.ensure(batch.size() * stride);
    Real* gammas = work.gammas.ensure(batch.size() * stride);
    auto* entries = work.entries.ensure(work.order.size());
    parallel_for(batch.size(), 4, work.solvers.size(), [&](std::size_t begin, std::size_t end, std::size_t worker) {
      auto& solver = work.solvers[worker];
      for (std::size_t i = begin; i < end; ++i) {
        solver.solve(docs[batch[i]], [&](word_id word) { return rows + work.slots.slot(word) * stride; });
        std::copy_n(solver.weights().data(), stride, weights + i * stride);
        std::copy_n(solver.gamma().data(), solver.gamma().size(), gammas + i * stride);
        const auto places = work.order.places(i);
        for (std::size_t n = 0; n < places.size(); ++n) {
          entries[places[n]] = {static_cast<std::uint32_t>(i), solver.ratios()[n]};
        }
      }
    });
    // Each word's documents are summed in their order by one thread, so the number of threads changes no bit.
    parallel_for(work.slots.size(), 256, work.solvers.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t s = begin; s < end; ++s) {
        const std::size_t first = work.order.begin(s), count = work.order.begin(s + 1) - first;
        if (count == 0) continue;
        Real* target = state.weights_.col(static_cast<Eigen::Index>(work.slots.word(s))).data();
        detail::add_word_statistic<Real>(entries + first, count, weights, stride, rows + s * stride, factor, target,
                                         stride);
      }
    });
    // A document's tokens in topic k sum to gamma_k - alpha_k, so the topics' totals need no pass over the words.
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Eigen::Map<const Eigen::Array<Real, Eigen::Dynamic, 1>> gamma(gammas + i * stride, state.alpha_.size());
      state.totals_.array() += static_cast<double>(factor) * (gamma.template cast<double>() - state.alpha_.array());
      if (options_.learn_alpha) {
        const double total = detail::digamma(gamma.template cast<double>().sum());
        for (Eigen::Index k = 0; k < gamma.size(); ++k) {
          state.log_theta_[k] += detail::digamma(static_cast<double>(gamma[k])) - total;
        }
        state.log_theta_count_ += 1;
      }
    }
  }

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

  static void rescale(svi_state<Real>& state) {
    state.weights_ *= static_cast<Real>(state.scale_);
    state.totals_ *= state.scale_;
    state.scale_ = 1;
  }

  // Totals from the weights themselves, so that rounding does not build up.
  static void sum_weights(svi_state<Real>& state) {
    state.totals_.setZero(state.alpha_.size());
    for (Eigen::Index v = 0; v < state.weights_.cols(); ++v) {
      state.totals_ += state.weights_.col(v).head(state.alpha_.size()).template cast<double>();
    }
  }

  svi_options options_;
};

svi(svi_options)->svi<double>;
svi()->svi<double>;

}  // namespace dplda::inline v0_1

#endif
