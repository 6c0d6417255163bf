// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DETAIL_GIBBS_CHAIN_HPP
#define DPLDA_PUBLISHED_DETAIL_GIBBS_CHAIN_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/published/detail/count_noise.hpp>
#include <dplda/random/uniform.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Equation (9): the perplexity has settled when s + 1 successive differences are at most the threshold.
class convergence_rule {
 public:
  convergence_rule(double threshold, std::size_t s) : threshold_(threshold), s_(s) {}

  /// Takes the next sweep's perplexity and returns whether the rule is fulfilled.
  bool operator()(double perplexity) {
    calm_ = std::abs(perplexity - last_) <= threshold_ ? calm_ + 1 : 0;
    last_ = perplexity;
    return calm_ > s_;
  }

 private:
  double threshold_;
  std::size_t s_, calm_ = 0;
  double last_ = std::numeric_limits<double>::quiet_NaN();
};

/// The collapsed Gibbs sampler of the papers: tokens, their topics, the counts n_k^t of these topics, and the noise on
/// each count. The caller decides when to renew the noise. Counts and noise are stored separately, so an update of one
/// never rounds the other. Equations are numbered as in Huang and Chen.
class noisy_count_chain {
 public:
  /// Every token gets a uniform topic. Preconditions: topics >= 1; tau, beta > 0; clip > 0.
  template <BitGenerator64 Generator>
  noisy_count_chain(const corpus& docs, std::size_t topics, double tau, double beta, double clip, Generator& bits)
      : topics_(topics),
        tau_(tau),
        beta_(beta),
        clip_(clip),
        prior_total_(beta * static_cast<double>(docs.words())),
        counts_(docs.words() * topics, 0.0),
        noise_(docs.words() * topics, 0.0),
        totals_(topics, 0.0),
        noise_totals_(topics, 0.0),
        here_(topics),
        sums_(topics) {
    words_.reserve(docs.tokens());
    topic_of_.reserve(docs.tokens());
    ends_.reserve(docs.size());
    for (std::size_t d = 0; d < docs.size(); ++d) {
      const document doc = docs[d];
      for (std::size_t n = 0; n < doc.size(); ++n) {
        for (std::uint32_t i = 0; i < doc.counts[n]; ++i) {
          const auto k = static_cast<std::uint32_t>(uniform_below(bits, topics));
          words_.push_back(doc.words[n]);
          topic_of_.push_back(k);
          counts_[std::size_t{doc.words[n]} * topics + k] += 1;
          totals_[k] += 1;
        }
      }
      ends_.push_back(words_.size());
    }
  }

  std::size_t words() const noexcept { return counts_.size() / topics_; }
  std::size_t tokens() const noexcept { return words_.size(); }
  double count(std::size_t word, std::size_t topic) const { return counts_[word * topics_ + topic]; }
  double noise(std::size_t word, std::size_t topic) const { return noise_[word * topics_ + topic]; }
  double total(std::size_t topic) const { return totals_[topic]; }
  /// Of the document at hand in a sweep: tokens in a topic, and in all, with the one that is drawn.
  double in_document(std::size_t topic) const { return here_[topic]; }
  double document_length() const { return length_; }

  /// Puts noise, one value for each topic, on the counts of a word: in addition to their noise or in place of it.
  void renew_noise(std::size_t word, bool on_top, std::span<const double> values) {
    double* const row = noise_.data() + word * topics_;
    double* const sums = noise_totals_.data();
    for (std::size_t k = 0; k < topics_; ++k) {
      const double now = (on_top ? row[k] : 0.0) + values[k];
      sums[k] += now - row[k];
      row[k] = now;
    }
  }

  /// One pass over the tokens. Each token for which taken(word, topic) is true gets a new topic, after before(word),
  /// from the noisy counts of all other tokens. Returns the number of these tokens.
  template <BitGenerator64 Generator, class Taken, class Before>
  std::uint64_t sweep(Generator& bits, const Taken& taken, const Before& before) {
    return sweep(bits, taken, before, [this](std::size_t word, std::span<double> weights) { weigh(word, weights); });
  }

  /// The same with other weights of the topics: weights_of(word, weights) sets them from the counts of all other tokens.
  template <BitGenerator64 Generator, class Taken, class Before, class Weights>
  std::uint64_t sweep(Generator& bits, const Taken& taken, const Before& before, const Weights& weights_of) {
    std::uint64_t visited = 0;
    std::size_t i = 0;
    for (const std::size_t end : ends_) {
      count_document(i, end);
      for (; i < end; ++i) {
        const word_id word = words_[i];
        std::uint32_t& topic = topic_of_[i];
        if (!taken(word, topic)) continue;
        move(word, topic, -1);
        before(word);
        weights_of(word, std::span(sums_));
        topic = draw_topic(uniform_open(bits));
        move(word, topic, 1);
        ++visited;
      }
    }
    return visited;
  }

  /// The frequent words of equation (10), as a table words x topics of 0 and 1: for each topic the fewest words that
  /// together hold the share q of its tokens, most frequent first, ties to the smaller id.
  std::vector<unsigned char> frequent_words(double q) const {
    std::vector<unsigned char> frequent(counts_.size(), 0);
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < topics_; ++k) {
      order.clear();
      for (std::size_t w = 0; w < words(); ++w) {
        if (count(w, k) > 0) order.push_back(w);
      }
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return count(a, k) != count(b, k) ? count(a, k) > count(b, k) : a < b;
      });
      double held = 0;
      for (auto w = order.begin(); w != order.end() && held < q * totals_[k]; ++w) {
        frequent[*w * topics_ + k] = 1;
        held += count(*w, k);
      }
    }
    return frequent;
  }

  /// Equation (2) with the noisy counts, where negative counts are set to 0: topics x words.
  Eigen::MatrixXd phi() const {
    const auto rows = static_cast<Eigen::Index>(topics_), columns = static_cast<Eigen::Index>(words());
    const Eigen::Map<const Eigen::MatrixXd> counts(counts_.data(), rows, columns), noise(noise_.data(), rows, columns);
    Eigen::MatrixXd phi = ((counts + noise).array().max(0.0) + beta_).matrix();
    phi.array().colwise() /= phi.rowwise().sum().array().eval();
    return phi;
  }

  /// exp(-mean of log sum_k theta_mk phi_kt) over all tokens t of all documents m, where theta_mk is proportional to
  /// n_m^k + tau, without noise; infinite if there are no tokens.
  double training_perplexity(const Eigen::MatrixXd& phi) {
    double log_likelihood = 0;
    std::size_t i = 0;
    for (const std::size_t end : ends_) {
      count_document(i, end);
      const double length = static_cast<double>(end - i) + tau_ * static_cast<double>(topics_);
      while (i < end) {
        const word_id word = words_[i];
        const std::size_t first = i;
        while (i < end && words_[i] == word) ++i;  // tokens of a word stand together
        double probability = 0;
        const double* const column = phi.data() + std::size_t{word} * topics_;
        for (std::size_t k = 0; k < topics_; ++k) probability += (here_[k] + tau_) * column[k];
        log_likelihood += static_cast<double>(i - first) * std::log(probability / length);
      }
    }
    return tokens() > 0 ? std::exp(-log_likelihood / static_cast<double>(tokens()))
                        : std::numeric_limits<double>::infinity();
  }

 private:
  void count_document(std::size_t begin, std::size_t end) {
    std::fill(here_.begin(), here_.end(), 0.0);
    for (std::size_t i = begin; i < end; ++i) here_[topic_of_[i]] += 1;
    length_ = static_cast<double>(end - begin);
  }

  void move(word_id word, std::uint32_t topic, double by) {
    counts_[std::size_t{word} * topics_ + topic] += by;
    totals_[topic] += by;
    here_[topic] += by;
  }

  // Equation (1) as in algorithm 1, where the paper clips from above. Negative counts are set to 0, also in the sum
  // over a topic's words; otherwise probabilities would be negative.
  void weigh(std::size_t word, std::span<double> weights) const {
    const double* const counts = counts_.data() + word * topics_;
    const double* const noise = noise_.data() + word * topics_;
    const double* const totals = totals_.data();
    const double* const noise_totals = noise_totals_.data();
    const double* const here = here_.data();
    const double tau = tau_, beta = beta_, clip = clip_, prior_total = prior_total_;
    for (std::size_t k = 0; k < topics_; ++k) {
      const double above = std::max(counts[k] + noise[k], 0.0), all = std::max(totals[k] + noise_totals[k], 0.0);
      weights[k] = (std::min(above, clip) + beta) * (here[k] + tau) / (all + prior_total);
    }
  }

  // Draws from the weights in sums_.
  std::uint32_t draw_topic(double uniform) {
    double* const sums = sums_.data();
    for (std::size_t k = 1; k < topics_; ++k) sums[k] += sums[k - 1];
    const double point = uniform * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, point);
    return static_cast<std::uint32_t>(found - sums_.begin());
  }

  std::size_t topics_;
  double tau_, beta_, clip_, prior_total_;
  std::vector<word_id> words_;  // of each token, document by document
  std::vector<std::uint32_t> topic_of_;
  std::vector<std::size_t> ends_;              // one past each document's last token
  std::vector<double> counts_, noise_;         // words x topics
  std::vector<double> totals_, noise_totals_;  // their sums over words
  std::vector<double> here_;                   // n_m^k of the document at hand
  double length_ = 0;
  std::vector<double> sums_;
};

}  // namespace dplda::inline v0_1::detail

#endif
