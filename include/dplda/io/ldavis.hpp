// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_LDAVIS_HPP
#define DPLDA_IO_LDAVIS_HPP

// Topics as LDAvis shows them (Sievert and Shirley, LDAvis: A method for visualizing and interpreting topics, 2014), made
// from the topic model alone: nothing here looks at a document, so a picture of a release costs no privacy.
//
// LDAvis takes the topics' shares and the words' frequencies from the documents. Here a topic's share is alpha_k / sum of
// alpha, its mean under the prior, or 1 / K if the prior is not known; a word's is p(w) = sum_k share_k phi(k, w).

#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The topics' shares: the mean of the prior, or equal shares if it is not known. They sum to 1.
template <class Real>
Eigen::VectorXd topic_shares(const topic_model<Real>& model) {
  if (model.alpha().size() > 0) return model.alpha() / model.alpha().sum();
  return Eigen::VectorXd::Constant(model.phi().rows(), 1 / static_cast<double>(model.topics()));
}

/// The words' shares, p(w) = sum_k share_k phi(k, w).
template <class Real>
Eigen::VectorXd word_shares(const topic_model<Real>& model) {
  return model.phi().template cast<double>().transpose() * topic_shares(model);
}

/// Jensen-Shannon distances between all topics: the root of H((p + q) / 2) - (H(p) + H(q)) / 2 with H in nats, a metric
/// of at most sqrt(log 2) (Endres and Schindelin 2003).
template <class Real>
Eigen::MatrixXd topic_distances(const topic_model<Real>& model, std::size_t threads = 0) {
  const Eigen::Index topics = model.phi().rows();
  const Eigen::MatrixXd rows = model.phi().template cast<double>().transpose();  // a topic is a column
  const auto entropy_term = [](double p) { return p > 0 ? -p * std::log(p) : 0; };
  Eigen::VectorXd entropies(topics);
  for (Eigen::Index k = 0; k < topics; ++k) entropies[k] = rows.col(k).unaryExpr(entropy_term).sum();
  Eigen::MatrixXd distances = Eigen::MatrixXd::Zero(topics, topics);
  parallel_for(model.topics(), 1, thread_count(threads), [&](std::size_t begin, std::size_t end, std::size_t) {
    for (auto a = static_cast<Eigen::Index>(begin); a < static_cast<Eigen::Index>(end); ++a) {
      for (Eigen::Index b = 0; b < a; ++b) {
        const double mixed = ((rows.col(a) + rows.col(b)) / 2).unaryExpr(entropy_term).sum();
        distances(a, b) = std::sqrt(std::max(0.0, mixed - (entropies[a] + entropies[b]) / 2));
      }
    }
  });
  return distances.selfadjointView<Eigen::Lower>();
}

/// Topics as points of a plane, and the share of their squared distances that the plane holds.
struct topic_plane {
  Eigen::MatrixX2d points;  ///< a row for each topic, around (0, 0)
  double held = 1;
};

namespace detail {
/// Classical scaling (Torgerson 1952): the two leading eigenvectors of -J D^2 J / 2, where J centres.
topic_plane scaled_to_plane(const Eigen::MatrixXd& distances);
}  // namespace detail

/// The plane that holds most of the topic_distances, by classical scaling. Signs are such that the point furthest out in
/// a direction is on its positive side.
template <class Real>
topic_plane topic_map(const topic_model<Real>& model, std::size_t threads = 0) {
  return detail::scaled_to_plane(topic_distances(model, threads));
}

/// The lambda by which words are ordered in the program, in tables and on the page.
inline constexpr double usual_lambda = 0.6;

namespace detail {

/// For each topic and lambda, calls take(topic, words) with the `count` most relevant words, most relevant first.
template <class Real, class Take>
void by_relevance(const topic_model<Real>& model, std::size_t count, std::span<const double> lambdas, Take&& take) {
  for (const double lambda : lambdas)
    require(lambda >= 0 && lambda <= 1, "ordered_words", "lambda", lambda, "must lie in [0, 1]");
  const Eigen::VectorXd log_shares = word_shares(model).array().log();
  std::vector<std::pair<double, word_id>> words, ranked;
  for (std::size_t k = 0; k < model.topics(); ++k) {
    words.clear();  // log phi, where there is one
    for (std::size_t v = 0; v < model.words(); ++v) {
      const double p = model.phi()(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v));
      if (p > 0) words.emplace_back(std::log(p), static_cast<word_id>(v));
    }
    for (const double lambda : lambdas) {
      ranked.clear();
      for (const auto& [log_phi, word] : words)
        ranked.emplace_back(-(log_phi - (1 - lambda) * log_shares[static_cast<Eigen::Index>(word)]), word);
      const auto wanted = static_cast<std::ptrdiff_t>(std::min(count, ranked.size()));
      std::partial_sort(ranked.begin(), ranked.begin() + wanted, ranked.end());
      take(k, std::span<const std::pair<double, word_id>>(ranked).first(static_cast<std::size_t>(wanted)));
    }
  }
}

}  // namespace detail

/// The `count` most relevant words of each topic, most relevant first. The relevance of a word is
/// lambda log phi(k, w) + (1 - lambda) log(phi(k, w) / p(w)): with lambda = 1 the most probable words come first, with
/// less those that are more probable there than elsewhere. Words of probability 0 have none, and ties go to the smaller
/// id. Throws std::invalid_argument if lambda is outside [0, 1].
template <class Real>
std::vector<std::vector<weighted_word>> ordered_words(const topic_model<Real>& model, std::size_t count,
                                                      double lambda = usual_lambda) {
  std::vector<std::vector<weighted_word>> ordered(model.topics());
  detail::by_relevance(model, count, std::span(&lambda, 1), [&](std::size_t k, const auto& words) {
    for (const auto& [negative, word] : words)
      ordered[k].push_back(
          {word, static_cast<double>(model.phi()(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(word)))});
  });
  return ordered;
}

/// For each topic, all words that are among its `count` most relevant ones for some of the lambdas, in order of their
/// ids. Throws std::invalid_argument if a lambda is outside [0, 1].
template <class Real>
std::vector<std::vector<word_id>> relevant_words(const topic_model<Real>& model, std::size_t count,
                                                 std::span<const double> lambdas) {
  std::vector<std::vector<word_id>> chosen(model.topics());
  detail::by_relevance(model, count, lambdas, [&](std::size_t k, const auto& words) {
    for (const auto& [negative, word] : words) chosen[k].push_back(word);
  });
  for (std::vector<word_id>& words : chosen) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  return chosen;
}

/// A name for each topic, to be improved by a person: its most relevant words, three by default, with commas between.
template <class Real>
std::vector<std::string> suggested_names(const topic_model<Real>& model, std::size_t words = 3) {
  std::vector<std::string> names;
  for (const auto& of_topic : ordered_words(model, words)) {
    std::string& name = names.emplace_back();
    for (const weighted_word& w : of_topic) name.append(name.empty() ? "" : ", ").append(model.vocab()->word(w.word));
  }
  return names;
}

/// How LDAvis shows a model.
struct ldavis_options {
  std::size_t terms = 30;       ///< bars, "R"
  double lambda_step = 0.01;    ///< of the slider
  double tokens = 1e6;          ///< total that frequencies refer to: the corpus size itself is private
  std::size_t first_topic = 1;  ///< the number shown for topic 0. LDAvis counts from 1, pyLDAvis from 1 or 0
  /// Topics with a smaller p(topic | word) are left out of the word's table.
  double least_share = 0.005;
};

/// The model as LDAvis and pyLDAvis read it: JSON with the members "mdsDat", "tinfo", "token.table", "R",
/// "lambda.step", "plot.opts" and "topic.order". Topics keep their order.
///
/// phi alone gives x and y of mdsDat and logprob. The prior enters all that LDAvis takes from documents: Freq of mdsDat
/// (100 share_k), Freq and Total of tinfo (tokens share_k phi(k, w) and tokens p(w)), loglift (log(phi(k, w) / p(w))),
/// Freq of token.table (share_k phi(k, w) / p(w)), and which words are salient (category "Default").
///
/// Throws std::invalid_argument if terms is 0, lambda_step is outside (0, 1], tokens is not positive and finite,
/// first_topic is above 1, or a word is not UTF-8.
template <class Real>
std::string ldavis_json(const topic_model<Real>& model, const ldavis_options& options = {}) {
  const char* const function = "ldavis_json";
  detail::require(options.terms >= 1, function, "terms", options.terms, "must be at least 1");
  detail::require(options.lambda_step > 0 && options.lambda_step <= 1, function, "lambda_step", options.lambda_step,
                  "must lie in (0, 1]");
  detail::require(options.tokens > 0 && options.tokens <= std::numeric_limits<double>::max(), function, "tokens",
                  options.tokens, "must be positive and finite");
  detail::require(options.first_topic <= 1, function, "first_topic", options.first_topic, "must be 0 or 1");
  const vocabulary& vocab = *model.vocab();
  for (word_id v = 0; v < vocab.size(); ++v) {
    detail::require(detail::find_invalid_utf8(vocab.word(v)) == std::string_view::npos, function,
                    detail::text("word ", v), vocab.word(v), "must be UTF-8");
  }
  const Eigen::VectorXd shares = topic_shares(model), words = word_shares(model);
  const auto phi = [&](std::size_t k, word_id v) {
    return static_cast<double>(model.phi()(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v)));
  };
  const auto share = [&](std::size_t k) { return shares[static_cast<Eigen::Index>(k)]; };
  const auto word_share = [&](word_id v) { return words[static_cast<Eigen::Index>(v)]; };
  const auto four_digits = [](double x) { return std::round(x * 1e4) / 1e4; };

  json_value::array x, y, numbers, cluster, percents;
  const topic_plane plane = topic_map(model);
  for (std::size_t k = 0; k < model.topics(); ++k) {
    x.emplace_back(plane.points(static_cast<Eigen::Index>(k), 0));
    y.emplace_back(plane.points(static_cast<Eigen::Index>(k), 1));
    numbers.emplace_back(k + options.first_topic);
    cluster.emplace_back(1);
    percents.emplace_back(100 * share(k));
  }

  // Saliency, p(w) sum_k p(k | w) log(p(k | w) / p(k)) (Chuang, Manning and Heer 2012), orders the words if no topic is
  // chosen.
  std::vector<std::pair<double, word_id>> salient;
  for (word_id v = 0; v < vocab.size(); ++v) {
    double saliency = 0;
    for (std::size_t k = 0; k < model.topics(); ++k) {
      if (phi(k, v) > 0) saliency += share(k) * phi(k, v) * std::log(phi(k, v) / word_share(v));
    }
    salient.emplace_back(-saliency, v);
  }
  const std::size_t terms = std::min(options.terms, salient.size());
  std::partial_sort(salient.begin(), salient.begin() + static_cast<std::ptrdiff_t>(terms), salient.end());
  salient.resize(terms);

  std::vector<word_id> mentioned;
  json_value::array term, freq, total, category, log_phi, log_lift;
  const auto add = [&](word_id v, double tokens, std::string of, double log_probability, double lift) {
    mentioned.push_back(v);
    term.emplace_back(std::string(vocab.word(v)));
    freq.emplace_back(tokens);
    total.emplace_back(options.tokens * word_share(v));
    category.emplace_back(std::move(of));
    log_phi.emplace_back(log_probability);
    log_lift.emplace_back(lift);
  };
  for (std::size_t i = 0; i < terms; ++i) {
    const word_id v = salient[i].second;
    const auto rank = static_cast<double>(terms - i);
    add(v, options.tokens * word_share(v), "Default", rank, rank);
  }
  std::vector<double> lambdas;
  for (double i = 0; i * options.lambda_step < 1; ++i) lambdas.push_back(i * options.lambda_step);
  lambdas.push_back(1);
  const auto chosen = relevant_words(model, terms, lambdas);
  for (std::size_t k = 0; k < model.topics(); ++k) {
    const std::string name = "Topic" + std::to_string(k + options.first_topic);
    for (const word_id v : chosen[k]) {
      add(v, options.tokens * share(k) * phi(k, v), name, four_digits(std::log(phi(k, v))),
          four_digits(std::log(phi(k, v) / word_share(v))));
    }
  }

  std::sort(mentioned.begin(), mentioned.end(),
            [&](word_id a, word_id b) { return a != b && vocab.word(a) < vocab.word(b); });
  mentioned.erase(std::unique(mentioned.begin(), mentioned.end()), mentioned.end());
  json_value::array table_topic, table_freq, table_term;
  for (const word_id v : mentioned) {
    for (std::size_t k = 0; k < model.topics(); ++k) {
      const double part = word_share(v) > 0 ? share(k) * phi(k, v) / word_share(v) : 0;
      if (part < options.least_share) continue;
      table_topic.emplace_back(k + options.first_topic);
      table_freq.emplace_back(four_digits(part));
      table_term.emplace_back(std::string(vocab.word(v)));
    }
  }

  json_value::array order = numbers;
  const json_value::object members = {{"mdsDat", json_value::object{{"x", std::move(x)},
                                                                    {"y", std::move(y)},
                                                                    {"topics", std::move(numbers)},
                                                                    {"cluster", std::move(cluster)},
                                                                    {"Freq", std::move(percents)}}},
                                      {"tinfo", json_value::object{{"Term", std::move(term)},
                                                                   {"Freq", std::move(freq)},
                                                                   {"Total", std::move(total)},
                                                                   {"Category", std::move(category)},
                                                                   {"logprob", std::move(log_phi)},
                                                                   {"loglift", std::move(log_lift)}}},
                                      {"token.table", json_value::object{{"Topic", std::move(table_topic)},
                                                                         {"Freq", std::move(table_freq)},
                                                                         {"Term", std::move(table_term)}}},
                                      {"R", terms},
                                      {"lambda.step", options.lambda_step},
                                      {"plot.opts", json_value::object{{"xlab", "PC1"}, {"ylab", "PC2"}}},
                                      {"topic.order", std::move(order)}};
  return json_value(members).dump() + '\n';
}

/// Writes ldavis_json to a file. Throws as it does, and std::runtime_error if the file cannot be written.
template <class Real>
void write_ldavis(const std::filesystem::path& path, const topic_model<Real>& model,
                  const ldavis_options& options = {}) {
  const std::string made = ldavis_json(model, options);
  write_file(path, [&](std::ostream& out) { out << made; });
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/ldavis.ipp>
#endif

#endif
