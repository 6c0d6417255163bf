// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_STATE_IPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_STATE_IPP

// Bodies of inference/gibbs/state.hpp.

#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/gibbs/detail/sweep_kernels.hpp>
#include <dplda/inference/gibbs/state.hpp>
#include <dplda/inference/prior.hpp>

#include <cmath>
#include <numeric>
#include <utility>

namespace dplda::inline v0_1 {

template <class Real>
std::span<const std::uint32_t> gibbs_state<Real>::assignments(std::size_t d) const {
  return assignments().subspan(token_begin_[d], token_begin_[d + 1] - token_begin_[d]);
}

template <class Real>
std::uint32_t gibbs_state<Real>::count(word_id word, std::size_t topic) const {
  return static_cast<std::uint32_t>(counts()[word * stride_ + topic]);
}

template <class Real>
Eigen::VectorXd gibbs_state<Real>::topic_totals() const {
  return Eigen::Map<const Eigen::VectorXi>(totals_.data(), alpha_.size()).template cast<double>();
}

template <class Real>
Eigen::VectorXd gibbs_state<Real>::theta(std::size_t d) const {
  Eigen::VectorXd n = alpha_;
  for (const std::uint32_t topic : assignments(d)) n[static_cast<Eigen::Index>(topic)] += 1;
  return n / n.sum();
}

template <class Real>
topic_model<Real> gibbs_state<Real>::model() const {
  typename topic_model<Real>::matrix phi = phi_sum_;
  if (samples_ == 0) {
    phi.setZero(alpha_.size(), static_cast<Eigen::Index>(words()));
    add_phi(phi);
  }
  const Eigen::VectorXd sums = phi.template cast<double>().rowwise().sum();
  for (Eigen::Index v = 0; v < phi.cols(); ++v) {
    for (Eigen::Index k = 0; k < phi.rows(); ++k) {
      phi(k, v) = static_cast<Real>(static_cast<double>(phi(k, v)) / sums[k]);
    }
  }
  return topic_model<Real>(std::move(phi), docs_.vocab(), alpha_);
}

template <class Real>
double gibbs_state<Real>::perplexity(std::size_t threads) const {
  if (topic_of_.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> scores(docs_.size());
  const Eigen::ArrayXd inverses = 1 / (topic_totals().array() + eta_.sum());
  parallel_for(docs_.size(), 64, thread_count(threads), [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<float> factors(stride_, 0.0f);
    for (std::size_t d = begin; d < end; ++d) {
      const document doc = docs_[d];
      const Eigen::ArrayXd mixed = theta(d).array() * inverses;
      for (Eigen::Index k = 0; k < mixed.size(); ++k)
        factors[static_cast<std::size_t>(k)] = static_cast<float>(mixed[k]);
      for (std::size_t n = 0; n < doc.size(); ++n) {
        const std::int32_t* row = counts() + std::size_t{doc.words[n]} * stride_;
        const auto eta = static_cast<float>(eta_[doc.words[n]]);
        const float p = detail::mixed_probability(row, factors.data(), eta, stride_);
        scores[d] += doc.counts[n] * std::log(static_cast<double>(p));
      }
    }
  });
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return std::exp(-sum / static_cast<double>(topic_of_.size()));
}

template <class Real>
double gibbs_state<Real>::log_likelihood() const {
  const auto rise = [](double a, double n) { return n > 0 ? detail::log_gamma(a + n) - detail::log_gamma(a) : 0.0; };
  const double alpha_sum = alpha_.sum(), eta_sum = eta_.sum();
  double sum = 0;
  Eigen::VectorXd n(alpha_.size());
  for (std::size_t d = 0; d < docs_.size(); ++d) {
    n.setZero();
    for (const std::uint32_t topic : assignments(d)) n[static_cast<Eigen::Index>(topic)] += 1;
    for (Eigen::Index k = 0; k < n.size(); ++k) sum += rise(alpha_[k], n[k]);
    sum -= rise(alpha_sum, n.sum());
  }
  for (word_id w = 0; w < words(); ++w) {
    for (std::size_t k = 0; k < topics(); ++k) sum += rise(eta_[w], count(w, k));
  }
  for (const double total : topic_totals()) sum -= rise(eta_sum, total);
  return sum;
}

template <class Real>
void gibbs_state<Real>::add_phi(typename topic_model<Real>::matrix& phi) const {
  const Eigen::VectorXd inverses = 1 / (topic_totals().array() + eta_.sum());
  for (Eigen::Index v = 0; v < phi.cols(); ++v) {
    const std::int32_t* row = counts() + static_cast<std::size_t>(v) * stride_;
    for (Eigen::Index k = 0; k < phi.rows(); ++k) phi(k, v) += static_cast<Real>((row[k] + eta_[v]) * inverses[k]);
  }
}

template <class Real>
void gibbs_state<Real>::take_sample() {
  if (samples_ == 0) phi_sum_.setZero(alpha_.size(), static_cast<Eigen::Index>(words()));
  add_phi(phi_sum_);
  ++samples_;
}

}  // namespace dplda::inline v0_1

#endif
