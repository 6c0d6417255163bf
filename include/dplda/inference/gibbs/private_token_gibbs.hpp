// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_PRIVATE_TOKEN_GIBBS_HPP
#define DPLDA_INFERENCE_GIBBS_PRIVATE_TOKEN_GIBBS_HPP

// Claim: what fit() returns is (epsilon, delta)-DP for one token, with the epsilon and delta of guarantee(), which is
//   known before a document is read. This is the level of the noisy Gibbs samplers in print, and a weak one: what a
//   document says as a whole is not hidden.
// Preconditions: the vocabulary, the documents' number and order, and all options are public.
// Argument: the data are read in each sweep by one accumulator (mechanisms/accumulator.hpp). A token of word w in
//   document m that takes part adds 1 to the count (w, z) and 1 to the count (m, z) of its topic z, a contribution of
//   norm sqrt(2); z is drawn given the released estimates of both tables, under bits that the token alone uses. So
//   given those bits the contribution is a function of the token and of earlier releases. Tokens are taken by
//   independent coins (mechanisms/poisson_sampler.hpp), both tables count the tokens taken only, and sums are scaled by
//   the rate. All else is made of releases. Exchanging a token moves the tables by at most 2 = sqrt(2) sqrt(2).
//   The topics of a document's other tokens do not depend on the token but through releases: that is what noise on the
//   word counts alone does not achieve (the counts of the document would carry it on).
// Test: tests/inference/private_token_gibbs_test.cpp (grey-box audit, ledger against plan).

#include <dplda/accounting/calibration.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/detail/noisy_topics.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/random/continuous.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda {

/// How topics are to be learned with privacy for tokens. Sizes are public.
struct private_token_gibbs_options {
  std::size_t topics = 20;
  std::uint64_t documents = 0;
  std::size_t words = 0;     ///< of the vocabulary
  std::uint64_t tokens = 0;  ///< about how many there are: a wrong guess costs utility, not privacy
  neighbours relation = neighbours::add_remove;
  std::size_t sweeps = 20;  ///< releases of both tables
  double rate = 1;          ///< the share of the tokens in each sweep; below 1 for add_remove only
  double alpha = 0.1;       ///< the prior of a document's topic proportions
  accountant rule = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a fit will do and cost, decided before a document is read.
struct private_token_gibbs_plan {
  accumulator_options tables;  ///< the release of each sweep: rows of words, then rows of documents
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

namespace detail {

/// Each token as a document of its own, whose user is the position of the document that it comes from. Its id follows
/// from document, word and which of the word's tokens it is, so that the others keep theirs when it goes. Beyond 65536
/// of one word in one document, tokens are left out.
inline corpus token_corpus(const corpus& docs) {
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> owners;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const std::uint64_t first = (std::uint64_t{d} << 40) | (std::uint64_t{doc.words[n]} << 16);
      const std::uint64_t count = std::min<std::uint64_t>(doc.counts[n], 0x10000);
      for (std::uint64_t i = 0; i < count; ++i) {
        builder.add(doc.words[n]);
        builder.end_document();
        ids.push_back(first + i);
        owners.push_back(static_cast<user_id>(d));
      }
    }
  }
  builder.set_ids(std::move(ids));
  builder.set_users(std::move(owners), docs.size());
  return builder.build(docs.vocab());
}

}  // namespace detail

/// Learns topics by Gibbs sampling with differential privacy for tokens: in each sweep the topic of every token is drawn
/// given the released counts of its word and of its document, and both tables of counts are released anew.
class private_token_gibbs {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of its range, or if the budget cannot be met.
  private_token_gibbs(private_token_gibbs_options options, const budget& total) : options_(std::move(options)) {
    validate();
    const double z = smallest_noise([&](double multiplier) { return book(multiplier); }, total, options_.rule);
    plan_.tables = table_options(z);
    plan_.ledger = book(z);
    plan_.guarantee = price(plan_.ledger, total.delta, options_.rule);
  }

  const private_token_gibbs_options& options() const noexcept { return options_; }
  const private_token_gibbs_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Learns topics. The observer is told the sweeps' numbers only; if it stops the fit, what was spent until then is in
  /// the release's ledger, and its guarantee is that ledger's price. Throws std::invalid_argument if the corpus has not
  /// options().documents documents of options().words words.
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {}) const {
    dplda::ledger spent;
    std::vector<double> released(options_.topics * (options_.words + options_.documents));
    estimates known(*this, random);
    const corpus tokens = tokens_of(docs);
    for (std::size_t sweep = 1; sweep <= options_.sweeps; ++sweep) {
      release_tables(tokens, known, random, spent, released);
      known.add(released);
      if (watch && watch({sweep, options_.sweeps})) break;
    }
    const bool whole = std::ranges::equal(spent.entries(), plan_.ledger.entries());
    return release<topic_model<>>(
        topic_model<>(known.phi, docs.vocab(),
                      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(options_.topics), options_.alpha)),
        whole ? plan_.guarantee : price(spent, plan_.guarantee.delta, options_.rule), spent);
  }

  /// The tables of the first sweep, from random topics: rows of words, then of documents, topics of a row side by side.
  /// Throws as fit does.
  release<std::vector<double>> first_tables(const corpus& docs, random_source& random) const {
    dplda::ledger spent;
    std::vector<double> released(options_.topics * (options_.words + options_.documents));
    const estimates known(*this, random);
    release_tables(tokens_of(docs), known, random, spent, released);
    const dplda::guarantee cost = price(spent, plan_.guarantee.delta, options_.rule);
    return release<std::vector<double>>(std::move(released), cost, spent);
  }

 private:
  /// What is known of both tables from releases.
  struct estimates {
    estimates(const private_token_gibbs& learner, random_source& random)
        : options(learner.options_),
          noise(accumulator(learner.plan_.tables).noise() / options.rate),
          phi(static_cast<Eigen::Index>(options.topics), static_cast<Eigen::Index>(options.words)),
          in_document(Eigen::MatrixXd::Zero(phi.rows(), static_cast<Eigen::Index>(options.documents))),
          document_mean(in_document) {
      const random_source source = random.fork();
      for (Eigen::Index v = 0; v < phi.cols(); ++v) {
        chacha20 bits = source.stream("private_token_gibbs.start", static_cast<std::uint64_t>(v));
        for (Eigen::Index k = 0; k < phi.rows(); ++k) phi(k, v) = std::exp(log_gamma_variate(bits, 1));
      }
      phi.array().colwise() /= phi.rowwise().sum().array().eval();
    }

    /// Takes in the tables of a sweep.
    void add(std::span<double> tables) {
      for (double& cell : tables) cell /= options.rate;
      const std::span<const double> word_part = tables.first(options.topics * options.words);
      if (!word_table) {
        const Eigen::Map<const Eigen::MatrixXd> first(word_part.data(), phi.rows(), phi.cols());
        word_table.emplace(
            options.topics,
            detail::noisy_words{first.colwise().sum(), noise * std::sqrt(static_cast<double>(options.topics))},
            Eigen::VectorXd::Ones(phi.cols()));
      }
      word_table->add(word_part, noise);
      phi = word_table->topics();
      const double share = 2 / (static_cast<double>(++sweeps) + 1);
      document_mean += share * (Eigen::Map<const Eigen::MatrixXd>(tables.data() + word_part.size(), phi.rows(),
                                                                  document_mean.cols()) -
                                document_mean);
      const double left = noise * detail::noisy_topics::noise_left(static_cast<double>(sweeps));
      const double mean =
          std::max(1e-3, static_cast<double>(options.tokens) / static_cast<double>(options.documents * options.topics));
      const detail::gamma_shrinkage& prior = detail::shrinkage_family::get().fit([&](auto&& visit) {
        const Eigen::Index step = std::max<Eigen::Index>(1, document_mean.size() / 20000);
        for (Eigen::Index i = 0; i < document_mean.size(); i += step) visit(document_mean.data()[i], left, mean);
      });
      in_document = document_mean.unaryExpr([&](double y) { return prior.mean(y, left, mean); });
    }

    const private_token_gibbs_options& options;
    double noise;                 // on each cell of a sweep's tables, scaled to all tokens
    Eigen::MatrixXd phi;          // topics x words
    Eigen::MatrixXd in_document;  // topics x documents: tokens, as far as they are known
    Eigen::MatrixXd document_mean;
    std::optional<detail::noisy_topics> word_table = {};
    std::size_t sweeps = 0;
  };

  void validate() const {
    const char* const function = "private_token_gibbs";
    const private_token_gibbs_options& o = options_;
    detail::require(o.topics >= 1 && o.topics <= 1'000'000, function, "topics", o.topics, "must lie in [1, 1000000]");
    detail::require(o.documents >= 1 && o.documents < (1u << 24), function, "documents", o.documents,
                    "must be the public number of documents, below 2^24");
    detail::require(o.words >= 1 && o.words < (1u << 24), function, "words", o.words,
                    "must be the size of the vocabulary, at least 1 and below 2^24");
    detail::require(o.tokens >= 1, function, "tokens", o.tokens, "must be about the number of tokens");
    detail::require(o.sweeps >= 1, function, "sweeps", o.sweeps, "must be at least 1");
    detail::require(o.rate > 0 && o.rate <= 1, function, "rate", o.rate, "must lie in (0, 1]");
    detail::require(o.rate == 1 || o.relation == neighbours::add_remove, function, "rate", o.rate,
                    "must be 1 where neighbours exchange a token");
    detail::require(o.alpha > 0 && std::isfinite(o.alpha), function, "alpha", o.alpha, "must be positive and finite");
  }

  accumulator_options table_options(double multiplier) const {
    return {.rows = options_.words + options_.documents,
            .row_size = options_.topics,
            .clip = std::numbers::sqrt2,
            .noise_multiplier = multiplier,
            .unit = privacy_unit::token,
            .relation = options_.relation,
            .seen = options_.rate < 1 ? sampling(poisson_sample{options_.rate}) : sampling(all_units{}),
            .max_units = std::min<std::uint64_t>(4 * options_.tokens, std::uint64_t{1} << 40),
            .label = "topic counts of words and documents"};
  }

  dplda::ledger book(double multiplier) const {
    dplda::ledger spent;
    spent.record(release_event(table_options(multiplier)), options_.sweeps);
    return spent;
  }

  corpus tokens_of(const corpus& docs) const {
    const char* const function = "private_token_gibbs::fit";
    detail::require(docs.words() == options_.words, function, "size of the vocabulary", docs.words(),
                    detail::text("must be what was planned for, ", options_.words));
    detail::require(docs.size() == options_.documents, function, "number of documents", docs.size(),
                    detail::text("must be what was planned for, ", options_.documents));
    return detail::token_corpus(docs);
  }

  void release_tables(const corpus& tokens, const estimates& known, random_source& random, dplda::ledger& spent,
                      std::vector<double>& released) const {
    const privacy_units units(tokens, privacy_unit::token);
    const std::size_t threads = thread_count(options_.threads);
    std::vector<accumulator> sums;
    for (std::size_t i = 0; i < threads; ++i) sums.emplace_back(plan_.tables);
    if (options_.rate < 1) {
      unit_batch batch = poisson_sampler(options_.rate).draw(units, random);
      count(tokens, units, batch.positions(), known, random.fork(), sums);
      sums.front().release(std::move(batch), random, spent, std::span(released), threads);
    } else {
      std::vector<std::size_t> all(units.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      count(tokens, units, all, known, random.fork(), sums);
      sums.front().release(random, spent, std::span(released), threads);
    }
  }

  /// Draws the topics of these tokens and adds them to sums[0]; the other sums are work space.
  void count(const corpus& tokens, const privacy_units& units, std::span<const std::size_t> batch,
             const estimates& known, const random_source& random, std::vector<accumulator>& sums) const {
    const std::size_t topics = options_.topics;
    parallel_for(batch.size(), 1024, sums.size(), [&](std::size_t begin, std::size_t end, std::size_t w) {
      std::vector<double> reached(topics), values(2 * topics, 0.0);
      chacha20 bits = random.stream("private_token_gibbs.topics");
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t token = units.documents(batch[i]).front();
        const word_id word = tokens[token].words.front();
        const user_id owner = tokens.user(token);
        double total = 0;
        for (std::size_t k = 0; k < topics; ++k) {
          const auto row = static_cast<Eigen::Index>(k);
          total += (options_.alpha + known.in_document(row, static_cast<Eigen::Index>(owner))) *
                   known.phi(row, static_cast<Eigen::Index>(word));
          reached[k] = total;
        }
        bits.seek(units.id(batch[i]));
        const double place = static_cast<double>(bits() >> 11) * 0x1p-53 * total;
        const auto topic = std::min(
            static_cast<std::size_t>(std::upper_bound(reached.begin(), reached.end(), place) - reached.begin()),
            topics - 1);
        const std::uint32_t rows[] = {word, static_cast<std::uint32_t>(options_.words + owner)};
        values[topic] = values[topics + topic] = 1;
        sums[w].add(std::span<const std::uint32_t>(rows), std::span<const double>(values));
        values[topic] = values[topics + topic] = 0;
      }
    });
    for (std::size_t w = 1; w < sums.size(); ++w) sums[0].merge(sums[w]);
  }

  private_token_gibbs_options options_;
  private_token_gibbs_plan plan_{};
};

}  // namespace dplda

#endif
