// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_PERPLEXITY_HPP
#define DPLDA_EVALUATION_PERPLEXITY_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/distributed/process_group.hpp>
#include <dplda/inference/topic_inference.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How held-out documents are scored. The fields in the middle are those of inference_options.
struct perplexity_options {
  std::uint64_t seed = 1;  ///< decides which tokens are observed; equal seeds make models comparable
  theta_estimator estimator = theta_estimator::em;
  double alpha = 0;  ///< symmetric prior of theta; 0: the model's own, or 0.1 if it has none
  std::size_t iterations = 500;
  double tolerance = 1e-4;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; the result is the same bit for bit
  /// Each scores its own documents, and all get the score of all documents, with the same bits as one process would. Ids
  /// must differ between processes. A score of each document travels.
  process_group processes = {};
};

/// A model's score on held-out documents.
struct perplexity_result {
  /// exp(-log_likelihood / tokens); infinity if there is no token to score, so that an empty score never looks best
  double perplexity = std::numeric_limits<double>::infinity();
  double log_likelihood = 0;  ///< natural logarithm, of the scored tokens
  std::uint64_t tokens = 0;   ///< scored tokens
  std::size_t documents = 0;  ///< documents with a scored token
  /// Scored tokens of probability 0. If there are any, log_likelihood is -infinity and perplexity infinity.
  std::uint64_t impossible_tokens = 0;
};

namespace detail {

/// One document's contribution to the score.
struct document_score {
  std::uint64_t id = 0;
  double log_likelihood = 0;
  std::uint64_t tokens = 0;
  std::uint64_t impossible_tokens = 0;
};

/// The scores of the documents of all processes, in the order of their ids.
std::vector<document_score> scores_of_all(std::vector<document_score> own, const process_group& processes);

/// unigram_model of these counts.
topic_model<double> unigram_of(const std::vector<std::uint64_t>& counts, const vocabulary_ptr& words, double smoothing);

/// Scores documents one by one; keeps the scratch space of one thread.
class document_completion {
 public:
  template <class Real>
  document_score operator()(const topic_model<Real>& model, const topic_inference<Real>& infer, const document& doc,
                            const random_source& random) {
    auto bits = token_stream(random, doc.id);
    take_random_half(doc, bits, taken_);
    words_.clear();
    counts_.clear();
    for (std::size_t n = 0; n < doc.size(); ++n) {
      if (taken_[n] == 0) continue;
      words_.push_back(doc.words[n]);
      counts_.push_back(taken_[n]);
    }
    const Eigen::VectorXd theta = infer(document{words_, counts_, doc.id});
    document_score score;
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const std::uint32_t count = doc.counts[n] - taken_[n];
      if (count == 0) continue;
      double probability = 0;
      for (Eigen::Index k = 0; k < theta.size(); ++k) {
        probability += theta[k] * static_cast<double>(model.phi()(k, static_cast<Eigen::Index>(doc.words[n])));
      }
      score.tokens += count;
      if (probability > 0) {
        score.log_likelihood += count * std::log(probability);
      } else {
        score.impossible_tokens += count;
      }
    }
    return score;
  }

 private:
  std::vector<std::uint32_t> taken_, counts_;
  std::vector<word_id> words_;
};

/// The score of all documents together. Completion scores one document (see document_completion).
template <class Completion, class Real>
perplexity_result completion_perplexity(const char* name, const topic_model<Real>& model, const corpus& docs,
                                        const perplexity_options& options) {
  require_same_vocabulary(name, docs.vocab(), model.vocab());
  const topic_inference<Real> infer(model, {.estimator = options.estimator,
                                            .alpha = options.alpha,
                                            .iterations = options.iterations,
                                            .tolerance = options.tolerance});
  const random_source random = seeded_random(options.seed);
  const std::size_t threads = thread_count(options.threads);
  std::vector<document_score> scores(docs.size());
  std::vector<Completion> workers(threads);
  parallel_for(docs.size(), 16, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    for (std::size_t d = begin; d < end; ++d) {
      scores[d] = workers[worker](model, infer, docs[d], random);
      scores[d].id = docs.id(d);
    }
  });

  perplexity_result result;
  // In one order, whichever thread and process was first.
  for (const document_score& score : scores_of_all(std::move(scores), options.processes)) {
    result.log_likelihood += score.log_likelihood;
    result.tokens += score.tokens;
    result.impossible_tokens += score.impossible_tokens;
    if (score.tokens > 0) ++result.documents;
  }
  if (result.impossible_tokens > 0) result.log_likelihood = -std::numeric_limits<double>::infinity();
  if (result.tokens > 0) result.perplexity = std::exp(-result.log_likelihood / static_cast<double>(result.tokens));
  return result;
}

}  // namespace detail

/// Document-completion perplexity of a model on held-out documents (estimated theta method: Wallach, Murray,
/// Salakhutdinov and Mimno 2009, section 5). The tokens of each document are cut in two as split_tokens(docs,
/// seeded_random(seed)) does; theta_d is inferred from the observed half (the prior mean if that is empty), and the
/// scored half gives
///
///     perplexity = exp(-sum_d sum_(w scored in d) log(sum_k theta_dk phi_kw) / scored tokens).
///
/// Lower is better; a uniform model's perplexity is the size of the vocabulary. A scored word of probability 0 under
/// the model makes the perplexity infinite, and is counted. The result is never NaN. Throws std::invalid_argument if
/// the model and the documents have different vocabularies.
template <class Real>
perplexity_result document_completion_perplexity(const topic_model<Real>& model, const corpus& docs,
                                                 const perplexity_options& options = {}) {
  return detail::completion_perplexity<detail::document_completion>("document_completion_perplexity", model, docs,
                                                                    options);
}

/// The one-topic model phi_w = (n_w + smoothing) / (n + smoothing V), where n_w counts word w among the n training
/// tokens and V is the size of the vocabulary. Throws std::invalid_argument if smoothing is negative or not finite, or
/// if there are no tokens and smoothing is 0, or the vocabulary is empty.
topic_model<double> unigram_model(const corpus& train, double smoothing = 0.01);

/// Perplexity of unigram_model(train, smoothing) on the tokens that document_completion_perplexity scores under the
/// same seed: the score that a topic model must beat. Processes add up the counts of their training documents. Throws as unigram_model and document_completion_perplexity do.
perplexity_result unigram_perplexity(const corpus& train, const corpus& docs, const perplexity_options& options = {},
                                     double smoothing = 0.01);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/evaluation/detail/perplexity.ipp>
#endif

#endif
