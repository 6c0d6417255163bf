// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_GIBBS_METHOD_HPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_GIBBS_METHOD_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/random/chacha20.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// How a document's tokens are divided among given topics by Gibbs sampling.
struct gibbs_document_options {
  std::size_t burn_in = 5;   ///< sweeps before the first sample
  std::size_t samples = 10;  ///< sweeps whose topic counts are averaged
};

namespace detail {

/// For each word, Walker's alias table of its topics' shares: draws a topic in constant time.
class alias_tables {
 public:
  /// Precondition: columns not negative, none zero.
  explicit alias_tables(const Eigen::MatrixXd& shares);

  /// The topic at a place in [0, 1).
  std::uint32_t topic(word_id word, double place) const;

 private:
  struct slot {
    float share;
    std::uint32_t other;
  };
  std::size_t topics_;
  std::vector<slot> slots_;
};

/// The method of topic_statistics that samples the topics of a document's tokens, given the topics' words:
/// p(z_i = k | the other z) is proportional to (n_k + alpha) phi_kw, where n counts the document's other tokens. The
/// first part is a sum over the topics that the document has, the second is drawn from the word's alias table.
///
/// If a document repeats a word, at most `most_copies` tokens are sampled, each counting for several; tokens beyond
/// `most_tokens` do not count. Counts stay whole numbers that doubles hold exactly.
class gibbs_method {
 public:
  using options = gibbs_document_options;
  static constexpr const char* name = "private_gibbs";

  static void validate(const options& o);

  /// Work space of a thread.
  struct worker {
    struct token {
      std::uint32_t place;  // of its word in the document
      std::uint32_t topic;
      double weight;
    };
    std::vector<token> tokens = {};
    std::vector<double> counts = {};          // of each topic in the document
    std::vector<std::uint32_t> present = {};  // topics with a positive count
  };

  /// Precondition: all numbers in alpha are the same.
  gibbs_method(const Eigen::VectorXd& alpha, const options& o)
      : topics_(static_cast<std::size_t>(alpha.size())), alpha_(alpha[0]), options_(o) {}

  worker make_worker() const;

  void use(const Eigen::MatrixXd& phi, random_source& random);

  /// Lists all topics, and writes the mean number of tokens of each times the word's factor, for one word of the
  /// document after the other.
  void divide(const document& doc, std::uint64_t id, std::span<const double> factors, worker& own,
              std::vector<std::uint32_t>& topics, std::vector<double>& to) const;

 private:
  static constexpr std::uint32_t most_copies = 64, most_tokens = 1u << 20;

  static double uniform(chacha20& bits);

  /// Topics drawn by each token's word alone. (Drawing each token given the topics of those before it would concentrate
  /// a document sooner, but in an arbitrary topic while topics are alike: it was worse.)
  void start(const document& doc, chacha20& bits, worker& own) const;

  static void add(std::uint32_t topic, double weight, worker& own);

  /// Takes a token out of the counts. Returns the sum of n_k phi_kw over the topics of the others.
  double take_out(word_id word, const worker::token& token, worker& own) const;

  /// Adds the conditional probabilities of a token's topics, times a weight: their mean over sweeps varies less than
  /// that of the topics drawn.
  void expect(word_id word, double mass, double weight, const worker& own, double* to) const;

  void put_back(word_id word, double mass, worker::token& token, chacha20& bits, worker& own) const;

  std::size_t topics_;
  double alpha_;
  options options_;
  Eigen::MatrixXd phi_;
  Eigen::RowVectorXd prior_mass_;  // alpha times the sum of a word's phi
  std::optional<alias_tables> shares_;
  std::optional<random_source> source_;
};

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/gibbs/detail/gibbs_method.ipp>
#endif

#endif
