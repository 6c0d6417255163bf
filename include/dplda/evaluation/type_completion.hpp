// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_TYPE_COMPLETION_HPP
#define DPLDA_EVALUATION_TYPE_COMPLETION_HPP

// Document completion by distinct words (types), and its control. A word that occurred once in a document is likely to
// occur again, with or without topics. Completion by tokens (perplexity.hpp) rewards a model for that. Completion by
// types does not, because no scored word occurs in the observed half.

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// Scores documents one by one; keeps the scratch space of one thread.
class type_completion {
 public:
  template <class Real>
  document_score operator()(const topic_model<Real>& model, const topic_inference<Real>& infer, const document& doc,
                            const random_source& random) {
    ones_.assign(doc.size(), 1);
    auto bits = random.stream("type halves", doc.id);
    take_random_half(document{doc.words, ones_, doc.id}, bits, taken_);
    observed_.clear();
    for (std::size_t n = 0; n < doc.size(); ++n) {
      if (taken_[n] == 1) observed_.push_back(doc.words[n]);
    }
    const Eigen::VectorXd theta = infer(document{observed_, std::span(ones_).first(observed_.size()), doc.id});
    const auto probability = [&](word_id word) {
      return theta.dot(model.phi().col(static_cast<Eigen::Index>(word)).template cast<double>());
    };
    double seen = 0, scored = 0;
    for (std::size_t n = 0; n < doc.size(); ++n) (taken_[n] == 1 ? seen : scored) += probability(doc.words[n]);
    // Unseen words have probability 1 - seen, and at least that of the scored ones; the maximum absorbs rounding.
    const double left = std::log(std::max(1 - seen, scored));
    document_score score;
    for (std::size_t n = 0; n < doc.size(); ++n) {
      if (taken_[n] == 1) continue;
      ++score.tokens;
      if (const double p = probability(doc.words[n]); p > 0) {
        score.log_likelihood += std::log(p) - left;
      } else {
        ++score.impossible_tokens;
      }
    }
    return score;
  }

 private:
  std::vector<std::uint32_t> ones_, taken_;
  std::vector<word_id> observed_;
};

}  // namespace detail

/// Type-completion perplexity of a model on held-out documents. The distinct words of each document are cut in two at
/// random, the observed half rounded down; the cut depends only on the seed and the document's id. theta_d is inferred
/// from the observed words, each counted once (the prior mean if there are none). Each scored word counts once, with
/// its probability among the words that were not observed:
///
///     perplexity = exp(-sum_d sum_(w scored in d) log(p_dw / (1 - sum_(v observed in d) p_dv)) / scored words),
///     p_dw = sum_k theta_dk phi_kw.
///
/// Lower is better. A topic model must beat the score of unigram_model(each_word_once(train)), which is about the best
/// model without topics by this measure. (unigram_model(train) is worse, because it counts repetitions.) `tokens` of
/// the result are the scored words. Otherwise it works and throws as document_completion_perplexity does.
template <class Real>
perplexity_result type_completion_perplexity(const topic_model<Real>& model, const corpus& docs,
                                             const perplexity_options& options = {}) {
  return detail::completion_perplexity<detail::type_completion>("type_completion_perplexity", model, docs, options);
}

/// The same documents with each of their distinct words counted once.
corpus each_word_once(const corpus& docs);

/// A control: topics as far from the word frequencies as these, but with the wrong words. Words are ordered by their
/// mean probability over the topics (weighted by the prior if it is known) and cut into groups of ten neighbours.
/// Within a group every word gets the associations phi_kv / mean_v of another word and keeps its own mean. If the
/// control reaches the same score, the score does not measure which words belong together. A model of one word or of
/// one topic is returned unchanged.
template <class Real>
topic_model<Real> shuffled_topics(const topic_model<Real>& model, random_source& random) {
  using matrix = typename topic_model<Real>::matrix;
  const Eigen::VectorXd prior =
      model.alpha().size() > 0
          ? Eigen::VectorXd(model.alpha() / model.alpha().sum())
          : Eigen::VectorXd::Constant(model.phi().rows(), 1.0 / static_cast<double>(model.phi().rows()));
  const Eigen::VectorXd mean = model.phi().template cast<double>().transpose() * prior;
  std::vector<word_id> order(model.words());
  std::iota(order.begin(), order.end(), word_id{0});
  detail::stable_sort(order.begin(), order.end(), [&](word_id a, word_id b) {
    return mean[static_cast<Eigen::Index>(a)] > mean[static_cast<Eigen::Index>(b)];
  });
  const random_source source = random.fork();
  auto bits = source.stream("shuffled topics");
  Eigen::MatrixXd phi(model.phi().rows(), model.phi().cols());
  constexpr std::size_t group = 10;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::size_t left = order.size() - begin, size = left < 2 * group ? left : group;
    const std::span<word_id> words = std::span(order).subspan(begin, size);
    shuffle(words, bits);
    for (std::size_t i = 0; i < size; ++i) {
      const auto to = static_cast<Eigen::Index>(words[i]), from = static_cast<Eigen::Index>(words[(i + 1) % size]);
      if (mean[from] > 0) {
        phi.col(to) = model.phi().col(from).template cast<double>() * (mean[to] / mean[from]);
      } else {
        phi.col(to).setConstant(mean[to]);
      }
    }
    begin += size;
  }
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  topic_model<Real> shuffled(matrix(phi.template cast<Real>()), model.vocab(), model.alpha());
  return model.released() ? as_released(std::move(shuffled)) : shuffled;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/evaluation/detail/type_completion.ipp>
#endif

#endif
