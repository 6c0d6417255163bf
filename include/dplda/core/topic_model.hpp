// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_TOPIC_MODEL_HPP
#define DPLDA_CORE_TOPIC_MODEL_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Noisy counts that topics were computed from, each with the standard deviation of its normal noise. Released topics may
/// have them, so that a later fit can go on from these (inference/earlier_topics.hpp). All numbers share one scale.
struct topic_counts {
  Eigen::MatrixXd cells;       ///< of each word in each topic: topics x words
  Eigen::VectorXd cell_noise;  ///< on each cell of a word
  Eigen::VectorXd words;       ///< of each word in all topics, from releases of their own
  Eigen::VectorXd word_noise;
};

/// Topics: the matrix Phi (topics x words, each row a distribution over the vocabulary), the vocabulary, and the
/// Dirichlet prior alpha of a document's topic proportions if it is known. Every engine of the library returns one.
template <class Real = double>
class topic_model {
  static_assert(std::is_floating_point_v<Real>);

 public:
  /// Column-major: the probabilities of one word under all topics are adjacent, which is how inference reads them.
  using matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  /// An empty `alpha` means that the prior is not known.
  /// Throws std::invalid_argument if the sizes do not fit, if an entry of Phi is negative or not finite, if a row's sum
  /// is off 1 by more than rounding explains, or if an entry of alpha is not positive and finite.
  topic_model(matrix phi, vocabulary_ptr vocab, Eigen::VectorXd alpha = {});

  std::size_t topics() const noexcept { return static_cast<std::size_t>(phi_.rows()); }
  std::size_t words() const noexcept { return static_cast<std::size_t>(phi_.cols()); }

  const matrix& phi() const noexcept { return phi_; }
  /// Empty if the prior is not known.
  const Eigen::VectorXd& alpha() const noexcept { return alpha_; }
  const vocabulary_ptr& vocab() const noexcept { return vocab_; }
  /// Whether they were released from documents by mechanisms whose ledger records the privacy loss.
  bool released() const noexcept { return released_; }
  /// The noisy counts behind the topics; null if the learner did not keep them.
  const std::shared_ptr<const topic_counts>& counts() const noexcept { return counts_; }
  /// The same topics with the counts behind them. Throws std::invalid_argument if sizes do not match, if a number is not
  /// finite, or if a noise is not positive.
  topic_model with_counts(std::shared_ptr<const topic_counts> counts) const;
  /// The same topics, marked as released. A release does this to its value.
  friend topic_model as_released(topic_model topics) {
    topics.released_ = true;
    return topics;
  }

 private:
  matrix phi_;
  Eigen::VectorXd alpha_;
  vocabulary_ptr vocab_;
  std::shared_ptr<const topic_counts> counts_ = nullptr;
  bool released_ = false;
};

/// Topics that would be the same if the documents at hand did not exist: only declare_public makes them.
class public_topics {
 public:
  const topic_model<>& value() const noexcept { return topics_; }

 private:
  friend public_topics declare_public(topic_model<> topics);
  explicit public_topics(topic_model<> topics) : topics_(std::move(topics)) {}
  topic_model<> topics_;
};

/// The same topics. By calling this you declare them public: they were learned from public text, say, not from these
/// documents. The library cannot check that. Throws std::invalid_argument if they or their words were released: then
/// they were made from documents, at a cost.
inline public_topics declare_public(topic_model<> topics) {
  const bool words = topics.vocab()->origin() == word_origin::released;
  detail::require(!topics.released() && !words, "declare_public", words ? "the words of the topics" : "the topics",
                  "released from documents",
                  "must be independent of them: give the release of the topics, with its ledger in options.before");
  return public_topics(std::move(topics));
}

/// A word of a topic and its probability there.
struct weighted_word {
  word_id word = 0;
  double probability = 0;
};

/// The `count` most probable words of a topic, most probable first; ties go to the smaller id. At most all words.
/// Throws std::invalid_argument if the topic does not exist.
template <class Real>
std::vector<weighted_word> top_words(const topic_model<Real>& model, std::size_t topic, std::size_t count) {
  detail::require(topic < model.topics(), "top_words", "topic", topic,
                  detail::text("must be below the number of topics, ", model.topics()));
  std::vector<weighted_word> words(model.words());
  for (std::size_t v = 0; v < words.size(); ++v) {
    words[v] = {static_cast<word_id>(v),
                static_cast<double>(model.phi()(static_cast<Eigen::Index>(topic), static_cast<Eigen::Index>(v)))};
  }
  count = std::min(count, words.size());
  const auto before = [](const weighted_word& a, const weighted_word& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.word < b.word;
  };
  std::partial_sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count), words.end(), before);
  words.resize(count);
  return words;
}

/// Writes a line for each topic: its number and its most probable words.
template <class Real>
void print_topics(std::ostream& out, const topic_model<Real>& model, std::size_t words_per_topic = 10) {
  for (std::size_t k = 0; k < model.topics(); ++k) {
    out << "topic " << k << ':';
    for (const weighted_word& w : top_words(model, k, words_per_topic)) out << ' ' << model.vocab()->word(w.word);
    out << '\n';
  }
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/core/detail/topic_model.ipp>
#endif

#endif
