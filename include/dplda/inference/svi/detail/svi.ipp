// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_SVI_IPP
#define DPLDA_INFERENCE_SVI_DETAIL_SVI_IPP

// Bodies of inference/svi/svi.hpp.

#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/svi/svi.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace dplda::inline v0_1 {

template <class Real>
svi_state<Real> svi<Real>::start(vocabulary_ptr vocab, random_source& random,
                                 std::span<const std::uint64_t> counts) const {
  detail::require_one_process("svi", random);
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
  parallel_for(state.words(), 64, thread_count(options_.threads), [&](std::size_t begin, std::size_t end, std::size_t) {
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

template <class Real>
void svi<Real>::partial_fit(svi_state<Real>& state, const corpus& docs, std::size_t collection_size) const {
  detail::require_same_vocabulary("svi::partial_fit", docs.vocab(), state.vocab());
  detail::require(collection_size >= docs.size(), "svi::partial_fit", "collection_size", collection_size,
                  detail::text("must be at least the number of documents given, ", docs.size()));
  if (docs.empty()) return;
  std::vector<std::size_t> order(docs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  batch_work work(state, options_);
  step(state, work, docs, order, collection_size, false);
}

template <class Real>
void svi<Real>::fit_priors(svi_state<Real>& state) const {
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

template <class Real>
void svi<Real>::batch_work::use(const svi_state<Real>& state, const svi_options& options) {
  solvers.clear();
  for (std::size_t i = 0; i < thread_count(options.threads); ++i) {
    solvers.emplace_back(state.alpha(), options.document_iterations, options.document_tolerance);
  }
}

template <class Real>
void svi<Real>::step(svi_state<Real>& state, batch_work& work, const corpus& docs, std::span<const std::size_t> batch,
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

template <class Real>
void svi<Real>::expected_rows(const svi_state<Real>& state, batch_work& work, std::size_t stride) const {
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

template <class Real>
void svi<Real>::add_block(svi_state<Real>& state, batch_work& work, const corpus& docs,
                          std::span<const std::size_t> batch, Real factor, std::size_t stride) const {
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

template <class Real>
void svi<Real>::rescale(svi_state<Real>& state) {
  state.weights_ *= static_cast<Real>(state.scale_);
  state.totals_ *= state.scale_;
  state.scale_ = 1;
}

template <class Real>
void svi<Real>::sum_weights(svi_state<Real>& state) {
  state.totals_.setZero(state.alpha_.size());
  for (Eigen::Index v = 0; v < state.weights_.cols(); ++v) {
    state.totals_ += state.weights_.col(v).head(state.alpha_.size()).template cast<double>();
  }
}

}  // namespace dplda::inline v0_1

#endif
