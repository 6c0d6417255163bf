// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_TOPICS_SECTION_HPP
#define DPLDA_REPORT_DETAIL_TOPICS_SECTION_HPP

#include <dplda/io/ldavis.hpp>
#include <dplda/report/detail/writer.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail::page {

inline constexpr std::size_t bars = 20;      // words beside the map, as in the script
inline constexpr std::size_t listed = 12;    // words of a topic in tables
inline constexpr std::size_t topics_of = 8;  // most probable topics kept for a word
inline constexpr double unit_radius = 90;    // of a circle that stands for the share 1, on a map of 400 x 400

inline bool shares_vary(const Eigen::VectorXd& shares) { return shares.maxCoeff() - shares.minCoeff() > 1e-9; }

/// Labels at these places, pushed apart where they would cover each other, on a map of 400 x 400.
inline Eigen::MatrixX2d apart(Eigen::MatrixX2d labels) {
  const double least = labels.rows() > 30 ? 12 : 16;
  for (int round = 0; round < 60; ++round) {
    for (Eigen::Index a = 0; a < labels.rows(); ++a) {
      for (Eigen::Index b = 0; b < a; ++b) {
        Eigen::RowVector2d between = labels.row(a) - labels.row(b);
        const double distance = between.norm();
        if (distance >= least) continue;
        between = distance > 1e-6 ? (between / distance).eval() : Eigen::RowVector2d(1, 0);
        labels.row(a) += between * (least - distance) / 4;
        labels.row(b) -= between * (least - distance) / 4;
      }
    }
    labels = labels.cwiseMax(8).cwiseMin(392);
  }
  return labels;
}

/// Which labels to show: in the order of shares, then of numbers, those that cover none that is shown already, and that
/// stand near their circle. Others are on the page all the same: in the table, in the circle's title, and when chosen.
inline std::vector<bool> labels_that_fit(const Eigen::MatrixX2d& labels, const Eigen::MatrixX2d& places,
                                         const Eigen::VectorXd& shares) {
  const double height = labels.rows() > 30 ? 10 : 13;
  const double digit = 0.62 * height;
  const auto width = [&](Eigen::Index k) { return digit * (k < 10 ? 1 : k < 100 ? 2 : 3); };
  std::vector<Eigen::Index> order(static_cast<std::size_t>(labels.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return shares[a] > shares[b]; });
  std::vector<bool> shown(order.size());
  for (const Eigen::Index k : order) {
    const bool near = (labels.row(k) - places.row(k)).norm() <= unit_radius * std::sqrt(shares[k]) + 12;
    const auto covers = [&](Eigen::Index other) {
      return shown[static_cast<std::size_t>(other)] &&
             std::abs(labels(k, 0) - labels(other, 0)) < (width(k) + width(other)) / 2 + 1 &&
             std::abs(labels(k, 1) - labels(other, 1)) < height;
    };
    shown[static_cast<std::size_t>(k)] = near && std::none_of(order.begin(), order.end(), covers);
  }
  return shown;
}

/// The words of each topic in tables.
inline std::vector<std::vector<std::string>> listed_words(const topic_model<>& model) {
  std::vector<std::vector<std::string>> words;
  for (const auto& of_topic : ordered_words(model, listed)) {
    words.emplace_back();
    for (const weighted_word& w : of_topic) words.back().emplace_back(model.vocab()->word(w.word));
  }
  return words;
}

inline Eigen::VectorXd writer::shares() const {
  return content_.prevalence ? content_.prevalence->overall() : topic_shares(content_.topics);
}

inline void writer::topics() {
  const topic_model<>& model = content_.topics;
  const Eigen::VectorXd shares = this->shares();
  const bool prior = model.alpha().size() > 0, varied = shares_vary(shares);
  const topic_plane plane = topic_map(model);
  open_section("topics", "The topics");
  for (const std::string& remark : content_.remarks) out_ << "<p>" << escaped(remark) << "</p>\n";
  if (content_.stands_out == false)
    out_ << "<div class=\"note warn\" id=\"noise\"><strong>Hardly more than noise</strong><p>" << not_standing_out
         << "</p></div>\n";
  if (content_.claim && !content_.stands_out.has_value())
    out_ << "<div class=\"note warn\" id=\"noise\"><strong>Not compared with noise</strong><p>" << not_compared
         << "</p></div>\n";
  if (model.vocab()->find("(no word 1)"))
    out_ << "<div class=\"note warn\" id=\"placeholders\"><strong>Few words</strong><p>" << words_are_missing
         << "</p></div>\n";
  out_ << "<p>This section uses the " << (content_.claim ? "released " : "") << "topics alone"
       << (claim_status() == verdict_kind::proven ? ", so it costs no further privacy" : "")
       << ". Topics are numbered as in the model files.</p>\n<div class=\"explorer\">\n<figure class=\"map\">";
  draw_map(plane.points, shares);
  out_ << "<figcaption>Topics with similar words lie close together (Jensen-Shannon distances; the plane holds "
       << significant(std::round(100 * plane.held), 3)
       << "% of the squared distances). A circle’s area is the topic’s share"
       << (content_.prevalence ? " as it was measured, with noise"
           : varied            ? " under the model’s prior"
           : prior             ? " under the model’s prior, the same for all"
                               : "; the prior is not known, so all are equal")
       << ". <span id=\"map-note\" role=\"status\"></span></figcaption></figure>\n"
       << "<div class=\"panel\" id=\"panel\" hidden>\n<div class=\"panel-head\"><h3 aria-live=\"polite\"><span "
          "id=\"topic-name\"></span><small id=\"topic-share\"></small></h3><button type=\"button\" id=\"before\" "
          "aria-label=\"Previous topic\">←</button><button type=\"button\" id=\"after\" aria-label=\"Next "
          "topic\">→</button></div>\n"
       << "<div class=\"slider\"><label for=\"lambda\">Order words by relevance, λ = <output id=\"lambda-value\" "
          "for=\"lambda\">"
       << significant(usual_lambda)
       << "</output></label><span>distinctive</span><input type=\"range\" id=\"lambda\" min=\"0\" "
          "max=\"1\" step=\"0.1\" value=\""
       << significant(usual_lambda) << "\"><span>frequent</span></div>\n"
       << "<ol class=\"words\" id=\"words\" role=\"listbox\" aria-label=\"Words of the topic; choose one to see "
          "which topics use it\"></ol>\n"
       << "<ul class=\"legend\"><li><i class=\"key-part\"></i>probability in this topic</li><li><i "
          "class=\"key-mean\"></i>in all topics together</li></ul>\n</div>\n</div>\n"
       << "<h3>All topics at a glance</h3>\n<table class=\"topics stack\"><thead><tr><th scope=\"col\">topic</th>"
       << (varied ? "<th scope=\"col\" class=\"number\">share</th>" : "")
       << "<th scope=\"col\">most relevant words (λ = " << significant(usual_lambda) << ")</th></tr></thead><tbody>\n";
  const auto words = listed_words(model);
  for (std::size_t k = 0; k < model.topics(); ++k) {
    out_ << "<tr id=\"topic-" << k << "\"><th scope=\"row\">" << topic_html(k) << "</th>";
    if (varied)
      out_ << "<td class=\"number\" data-name=\"share\">"
           << with_decimals(100 * shares[static_cast<Eigen::Index>(k)], 1) << "%</td>";
    out_ << "<td>";
    for (const std::string& word : words[k]) out_ << word_html(word) << ' ';
    out_ << "</td></tr>\n";
  }
  out_ << "</tbody></table>\n</section>\n";
}

inline std::string writer::topic_html(std::size_t topic) const {
  std::string title = "Topic " + std::to_string(topic);
  if (topic < content_.names.size() && !content_.names[topic].empty()) title += ": " + escaped(content_.names[topic]);
  return title;
}

inline void writer::draw_map(const Eigen::MatrixX2d& points, const Eigen::VectorXd& shares) {
  const double largest = unit_radius * std::sqrt(shares.maxCoeff());
  const Eigen::RowVector2d low = points.colwise().minCoeff(), high = points.colwise().maxCoeff();
  const double range = (high - low).maxCoeff(), border = std::min(120.0, largest + 12);
  const double scale = range > 0 ? (400 - 2 * border) / range : 0;
  Eigen::MatrixX2d places = scale * (points.rowwise() - (low + high) / 2);
  places.col(1) *= -1;
  places.array() += 200;
  out_ << "<svg id=\"map\" viewBox=\"0 0 400 400\" aria-label=\"Map of the topics\"><path class=\"axis\" d=\"M0 "
          "200H400M200 0V400\"/>\n";
  for (Eigen::Index k = 0; k < points.rows(); ++k) {
    const double x = places(k, 0), y = places(k, 1);
    out_ << "<g data-topic=\"" << k << "\" aria-label=\"" << topic_html(static_cast<std::size_t>(k)) << "\"><title>"
         << topic_html(static_cast<std::size_t>(k)) << "</title><circle cx=\"" << with_decimals(x, 1) << "\" cy=\""
         << with_decimals(y, 1) << "\" r=\"" << with_decimals(unit_radius * std::sqrt(shares[k]), 1) << "\"/></g>\n";
  }
  // After all circles, so that none covers a label.
  const Eigen::MatrixX2d labels = apart(places);
  out_ << "<g class=\"labels" << (labels.rows() > 30 ? " many" : "") << "\" aria-hidden=\"true\">";
  const std::vector<bool> fits = labels_that_fit(labels, places, shares);
  for (Eigen::Index k = 0; k < labels.rows(); ++k)
    out_ << "<text" << (fits[static_cast<std::size_t>(k)] ? "" : " class=\"no-room\"") << " x=\""
         << with_decimals(labels(k, 0), 1) << "\" y=\"" << with_decimals(labels(k, 1), 1) << "\">" << k << "</text>";
  out_ << "</g></svg>";
}

/// The script's data: the words it can show, their shares, and the topics that use them.
inline json_value writer::data() const {
  const topic_model<>& model = content_.topics;
  const Eigen::VectorXd shares = this->shares(), words = word_shares(model);
  const auto brief = [](double x) { return detail::value_of(significant(x, 7)); };
  std::vector<double> lambdas;
  for (int i = 0; i <= 10; ++i) lambdas.push_back(i / 10.0);
  const auto chosen = relevant_words(model, bars, lambdas);
  std::vector<dplda::word_id> used;
  for (const auto& of_topic : chosen) used.insert(used.end(), of_topic.begin(), of_topic.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());

  json_value::array topic_names;
  for (const std::string& name : content_.names) topic_names.emplace_back(clean(name));
  json_value::array topic_share, names, word_share, uses, terms, phi;
  for (const double share : shares) topic_share.emplace_back(brief(share));
  for (const word_id v : used) {
    const auto column = static_cast<Eigen::Index>(v);
    names.emplace_back(clean(model.vocab()->word(v)));
    word_share.emplace_back(brief(words[column]));
    std::vector<std::pair<int, std::size_t>> parts;  // per cent, negative so that the largest comes first
    for (std::size_t k = 0; k < model.topics(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      const double part = words[column] > 0 ? shares[row] * model.phi()(row, column) / words[column] : 0;
      if (const int hundredths = static_cast<int>(std::lround(100 * part)); hundredths > 0)
        parts.emplace_back(-hundredths, k);
    }
    std::sort(parts.begin(), parts.end());
    parts.resize(std::min(parts.size(), topics_of));
    json_value::array flat;
    for (const auto& [hundredths, k] : parts) {
      flat.emplace_back(k);
      flat.emplace_back(-hundredths);
    }
    uses.emplace_back(std::move(flat));
  }
  for (std::size_t k = 0; k < model.topics(); ++k) {
    json_value::array ids, probabilities;
    for (const word_id v : chosen[k]) {
      ids.emplace_back(std::lower_bound(used.begin(), used.end(), v) - used.begin());
      probabilities.emplace_back(brief(model.phi()(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v))));
    }
    terms.emplace_back(std::move(ids));
    phi.emplace_back(std::move(probabilities));
  }
  return json_value::object{{"radius", unit_radius},
                            {"varied", shares_vary(shares)},
                            {"names", std::move(topic_names)},
                            {"share", std::move(topic_share)},
                            {"share_of", content_.prevalence ? "of the documents" : "of the prior"},
                            {"words", std::move(names)},
                            {"share_of_word", std::move(word_share)},
                            {"topics_of", std::move(uses)},
                            {"terms", std::move(terms)},
                            {"phi", std::move(phi)}};
}

inline void writer::comparison() {
  const topic_model<>& other = *content_.without_privacy;
  open_section("comparison", "Beside topics without privacy", true);
  out_ << "<table class=\"compare stack\"><caption>Most relevant words; words in both lists are bold"
       << "</caption><thead><tr><th scope=\"col\">topic</th><th scope=\"col\">released</th><th "
          "scope=\"col\">without privacy</th></tr></thead><tbody>\n";
  auto released = listed_words(content_.topics), others = listed_words(other);
  released.resize(std::max(released.size(), others.size()));
  others.resize(released.size());
  for (std::size_t k = 0; k < released.size(); ++k) {
    const auto &left = released[k], &right = others[k];
    out_ << "<tr><th scope=\"row\">" << topic_html(k) << "</th>";
    beside("released", left, right);
    beside("without privacy", right, left);
    out_ << "</tr>\n";
  }
  out_ << "</tbody></table>\n</section>\n";
}

inline void writer::beside(const char* name, const std::vector<std::string>& words,
                           const std::vector<std::string>& others) {
  out_ << "<td data-name=\"" << name << "\">";
  for (const std::string& word : words) {
    const bool same = std::find(others.begin(), others.end(), word) != others.end();
    out_ << word_html(word, same ? "same" : "other") << ' ';
  }
  out_ << "</td>";
}

}  // namespace dplda::inline v0_1::detail::page

#endif
