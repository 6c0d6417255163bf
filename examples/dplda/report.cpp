// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "report_page.hpp"
#include "report_text.hpp"

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/detail/overloaded.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/json.hpp>
#include <dplda/io/detail/sha256.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/version.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <ostream>
#include <sstream>
#include <string_view>
#include <variant>

namespace dplda_program {
namespace {

using namespace page;
using dplda::detail::json;

constexpr std::size_t bars = 20;        // words beside the map, as in the script
constexpr std::size_t listed = 12;      // words of a topic in tables
constexpr std::size_t topics_of = 8;    // most probable topics kept for a word
constexpr double unit_radius = 90;      // of a circle that stands for the share 1, on a map of 400 x 400
constexpr std::size_t line_styles = 5;  // of curves, in the style sheet

/// The largest true positive rate at a false positive rate that (epsilon, delta) allows.
double most_caught(double epsilon, double delta, double false_positives) {
  if (std::isinf(std::exp(epsilon))) return 1;
  return std::clamp(std::min(std::exp(epsilon) * false_positives + delta,
                             1 - std::exp(-epsilon) * std::max(0.0, 1 - delta - false_positives)),
                    0.0, 1.0);
}

/// "one user, with all documents of theirs".
const char* one(dplda::privacy_unit unit) {
  switch (unit) {
    case dplda::privacy_unit::token:
      return "one single word of a document";
    case dplda::privacy_unit::document:
      return "one document";
    case dplda::privacy_unit::user:
      break;
  }
  return "one user, with all documents of theirs,";
}

/// The same in short, as something to guess about.
const char* given(dplda::privacy_unit unit) {
  return unit == dplda::privacy_unit::token      ? "a certain word of a document"
         : unit == dplda::privacy_unit::document ? "a certain document"
                                                 : "a certain user";
}

const char* name_of(dplda::accountant rule) {
  switch (rule) {
    case dplda::accountant::linear:
      return "Linear";
    case dplda::accountant::advanced:
      return "Advanced";
    case dplda::accountant::optimal:
      return "Optimal";
    case dplda::accountant::zcdp:
      return "zCDP";
    case dplda::accountant::rdp:
      return "Rényi (RDP)";
    case dplda::accountant::gaussian:
      return "Gaussian";
    case dplda::accountant::pld:
      return "Loss distribution (PLD)";
    case dplda::accountant::best:
      break;
  }
  return "Best of all";
}

const char* meaning_of(dplda::accountant rule) {
  switch (rule) {
    case dplda::accountant::linear:
      return "adds up what each use costs alone";
    case dplda::accountant::advanced:
      return "adds up more slowly, for a part of delta";
    case dplda::accountant::optimal:
      return "the least that can be said when only each use’s epsilon and delta are known";
    case dplda::accountant::zcdp:
      return "adds up the noise as zero-concentrated privacy; samples are left out of account";
    case dplda::accountant::rdp:
      return "adds up moments of the loss; counts samples in";
    case dplda::accountant::gaussian:
      return "exact for Gaussian noise on all of the data, and for one use on a sample";
    case dplda::accountant::pld:
      return "follows the whole distribution of the loss, with bounds from both sides";
    case dplda::accountant::best:
      break;
  }
  return "";
}

// The page.

class writer {
 public:
  explicit writer(const report_content& content) : content_(content) { out_.imbue(std::locale::classic()); }

  std::string page() {
    head();
    out_ << "<main class=\"wrap\" id=\"main\">\n";
    guarantee();
    spending();
    topics();
    if (content_.comparison) comparison();
    if (content_.audit) audit();
    settings();
    out_ << "</main>\n<footer class=\"wrap\">Written by dplda " << dplda::version_string
         << ". This page holds all that it needs, and asks nothing of any network.</footer>\n"
         << "<script type=\"application/json\" id=\"data\">" << json_html(data()) << "</script>\n<script>"
         << page::script << "</script>\n</body>\n</html>\n";
    return out_.str();
  }

 private:
  enum class standing { proven, published, seeded, none };

  standing status() const {
    if (!content_.claim) return standing::none;
    if (content_.claim->seeded || content_.ledger.seeded()) return standing::seeded;
    return content_.claim->standing == dplda::basis::proven ? standing::proven : standing::published;
  }

  void head() {
    const auto hash = [](std::string_view text) { return base64_of_hex(dplda::detail::sha256_hex(text)); };
    out_ << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
         << hash(page::script) << "'; style-src 'sha256-" << hash(page::style)
         << "'; base-uri 'none'; form-action 'none'\">\n"
         << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         << "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"dplda "
         << dplda::version_string << "\">\n<title>" << escaped(content_.title) << "</title>\n<style>" << page::style
         << "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#topics\">Skip to the topics</a>\n"
         << "<header class=\"wrap\">\n<p class=\"eyebrow\">Report on a topic model</p>\n<h1>" << escaped(content_.title)
         << "</h1>\n";
    verdict();
    if (content_.claim && (content_.comparison || content_.audit)) {
      out_ << "<div class=\"note bad\" id=\"mixed\"><strong>This page must not be published as it is.</strong><p>"
           << "Sections in a dashed frame were made from the data without noise: no guarantee covers them."
           << (status() == standing::proven
                   ? " The guarantee is for the released topics: publish a page of these alone."
                   : "")
           << "</p></div>\n";
    }
    key_figures();
    out_ << "<nav aria-label=\"Sections\"><ul><li><a href=\"#guarantee\">Guarantee</a></li><li><a "
            "href=\"#spending\">Spending</a></li><li><a href=\"#topics\">Topics</a></li>";
    if (content_.comparison) out_ << "<li><a href=\"#comparison\">Without privacy</a></li>";
    if (content_.audit) out_ << "<li><a href=\"#audit\">Audit</a></li>";
    out_ << "<li><a href=\"#settings\">Settings</a></li></ul></nav>\n</header>\n";
  }

  void verdict() {
    switch (status()) {
      case standing::proven:
        if (content_.claim->gamma) {
          out_ << "<div class=\"note warn\" id=\"verdict\" data-standing=\"proven\"><strong>Private for most data, "
                  "with a "
                  "proven guarantee</strong><p>Over the choice of the data, it may fail with probability "
               << upper(*content_.claim->gamma) << ". Weigh this before publishing.</p></div>\n";
        } else {
          out_ << "<div class=\"note good\" id=\"verdict\" data-standing=\"proven\"><strong>Private, with a proven "
                  "guarantee</strong><p>The topics on this page may be published together with it.</p></div>\n";
        }
        break;
      case standing::published:
        out_ << "<div class=\"note warn\" id=\"verdict\" data-standing=\"as-published\"><strong>Claimed, not "
                "proven</strong><p>The numbers are those that a paper claims for its method. They are here for "
                "comparison, and no reason to publish. Why it is not a proof: "
             << escaped(content_.claim->caveat) << "</p></div>\n";
        break;
      case standing::seeded:
        out_ << "<div class=\"note bad\" id=\"verdict\" data-standing=\"seeded\"><strong>Not private: the noise came "
                "from a seed</strong><p>Who knows or guesses the seed can take the noise away again. This release is "
                "for "
                "experiments; what is said below "
             << (content_.claim->standing == dplda::basis::proven ? "would hold" : "is what a paper claims")
             << " with secret noise.";
        if (content_.claim->standing == dplda::basis::as_published)
          out_ << " Nor would that be a proof: " << escaped(content_.claim->caveat);
        out_ << "</p></div>\n";
        break;
      case standing::none:
        out_ << "<div class=\"note bad\" id=\"verdict\" data-standing=\"none\"><strong>Not private: nothing is "
                "claimed</strong><p>These topics were learned without noise. Treat this page like the data themselves: "
                "it must not be published.</p></div>\n";
    }
  }

  void key_figures() {
    out_ << "<dl class=\"figures\">";
    const auto figure = [&](const char* name, const std::string& value) {
      out_ << "<div><dt>" << name << "</dt><dd>" << value << "</dd></div>";
    };
    if (content_.claim) {
      figure("epsilon", upper(content_.claim->epsilon));
      figure("delta", upper(content_.claim->delta));
      if (content_.claim->gamma) figure("gamma", upper(*content_.claim->gamma));
      figure(status() == standing::proven ? "protects each" : "unit", dplda::detail::text(content_.claim->unit));
    }
    figure("topics", std::to_string(content_.topics.topics()));
    figure("words", std::to_string(content_.topics.words()));
    out_ << "</dl>\n";
  }

  void open_section(const char* id, const char* title, bool secret = false) {
    out_ << "<section id=\"" << id << "\" aria-labelledby=\"" << id << "-title\"" << (secret ? " class=\"secret\"" : "")
         << ">\n<h2 id=\"" << id << "-title\">" << title << "</h2>\n";
    if (secret)
      out_ << "<div class=\"note bad\"><strong>Not releasable</strong><p>This section was made from the data without "
              "noise. No guarantee covers it.</p></div>\n";
  }

  void guarantee() {
    open_section("guarantee", "What is promised");
    if (!content_.claim) {
      out_ << "<p class=\"lead\">Nothing. A topic model that was learned without noise can show that somebody’s text "
              "was in the data, and words that somebody alone used.</p>\n</section>\n";
      return;
    }
    const dplda::guarantee& claim = *content_.claim;
    const bool adds = claim.relation == dplda::neighbours::add_remove;
    const double odds = std::exp(claim.epsilon);
    const char* const holds = status() == standing::proven ? "changes" : "would change";
    out_ << "<p class=\"lead\">";
    if (adds) {
      out_ << "Whether " << one(claim.unit) << " was in the data or not " << holds;
    } else {
      out_ << "Which content " << one(claim.unit) << " had " << holds;
    }
    out_ << " the probability of any result by at most a factor of e<sup>ε</sup> = "
         << (std::isfinite(odds) ? raised(odds, 3) : "∞");
    if (claim.delta > 0) out_ << ", up to δ = " << upper(claim.delta);
    out_ << ".</p>\n";
    if (status() == standing::published)
      out_ << "<p>This is what the paper claims. The rest of this section says what it would mean if it held.</p>\n";
    if (status() == standing::seeded)
      out_ << "<p>The seed makes this void. The rest of this section says what the same noise would promise if it were "
              "secret.</p>\n";
    if (claim.gamma)
      out_ << "<p>It is random differential privacy: over the choice of the data, the numbers may fail to hold with "
              "probability "
           << upper(*claim.gamma) << ". For the data at hand nobody can tell.</p>\n";
    out_ << "<p>An attacker may know everything else: all other documents, all settings, and this program. The random "
            "numbers alone are secret. Then, at best:</p>\n";

    const double right = std::isfinite(odds) ? (odds + claim.delta) / (1 + odds) : 1;
    out_ << "<figure class=\"meter\"><svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"Right guesses: at least 50%, at most "
         << at_most(right) << "\"><rect class=\"track\" width=\"100\" height=\"4\"/><rect class=\"fill\" width=\""
         << fixed(std::clamp(200 * right - 100, 0.0, 100.0), 2) << "\" height=\"4\"/></svg>"
         << "<div><span>50%: a coin toss</span><span>100%: certainty</span></div><figcaption>An attacker who has to "
            "guess "
         << (adds ? "whether " : "which of two contents ") << given(claim.unit) << (adds ? " is in the data" : " had")
         << ", where a fair coin has decided it, is right in at most <strong>" << at_most(right)
         << "</strong> of the cases.</figcaption></figure>\n";
    if (right >= 0.99)
      out_ << "<p>At this epsilon the bound alone rules out little. An audit says more about attacks that are known, "
              "and "
              "nothing about those that are not.</p>\n";

    // Where there is a delta, losses may exceed epsilon; beyond epsilon + log 2 lie results of probability 2 delta at most,
    // as delta >= E (1 - e^(epsilon - loss))_+.
    const double shift = claim.delta > 0 ? 2 * odds : odds;
    out_ << "<div class=\"two\">\n<div><table><caption>Suspicions can change so far"
         << (claim.delta > 0 ? ", apart from results of probability 2 δ at most" : "")
         << "</caption><thead><tr><th scope=\"col\" class=\"number\">before</th><th scope=\"col\" "
            "class=\"number\">after, "
            "at least</th><th scope=\"col\" class=\"number\">at most</th></tr></thead><tbody>";
    for (const double before : {0.001, 0.01, 0.1, 0.5, 0.9}) {
      const double up = 1 / (1 + (1 - before) / before / shift), down = 1 / (1 + (1 - before) / before * shift);
      out_ << "<tr><td class=\"number\">" << digits(100 * before) << "%</td><td class=\"number\">" << at_least(down)
           << "</td><td class=\"number\">" << at_most(up) << "</td></tr>";
    }
    out_ << "</tbody></table></div>\n<div><table><caption>An attack that accuses some wrongly finds at most so many, "
            "delta "
            "included</caption><thead><tr><th scope=\"col\" class=\"number\">wrongly accused</th><th scope=\"col\" "
            "class=\"number\">rightly, at most</th></tr></thead><tbody>";
    for (const double wrongly : {0.0, 0.001, 0.01, 0.1}) {
      out_ << "<tr><td class=\"number\">" << (wrongly > 0 ? digits(100 * wrongly) + "%" : "nobody")
           << "</td><td class=\"number\">" << at_most(most_caught(claim.epsilon, claim.delta, wrongly)) << "</td></tr>";
    }
    out_ << "</tbody></table></div>\n</div>\n";
    not_promised(claim);
    out_ << "</section>\n";
  }

  void not_promised(const dplda::guarantee& claim) {
    const bool adds = claim.relation == dplda::neighbours::add_remove;
    out_
        << "<h3>What is not promised</h3>\n<ul class=\"plain\">\n"
        << "<li>It does not hide what many have in common. A theme that many write about shows, and what it says about "
           "people applies to those outside the data too.</li>\n";
    switch (claim.unit) {
      case dplda::privacy_unit::token:
        out_ << "<li>It hides single words, not documents or people: for a text of <i>n</i> words, epsilon is <i>n</i> "
                "times as large.</li>\n";
        break;
      case dplda::privacy_unit::document:
        out_ << "<li>It counts documents, not people. Who wrote <i>k</i> of them is protected at <i>k</i> times the "
                "epsilon, and a delta that grows faster.</li>\n";
        break;
      case dplda::privacy_unit::user:
        out_ << "<li>It counts users as the data label them. Who has two labels counts as two, and what others wrote "
                "about somebody is theirs. For <i>k</i> users together, epsilon is <i>k</i> times as large, and delta "
                "grows faster.</li>\n";
    }
    out_ << "<li>" << (adds ? "How many there are is hidden as well" : "How many there are is not hidden")
         << "; what the plan was told counts as public: the settings below, and the list of words unless a line of the "
            "ledger says that it was released.</li>\n"
         << "<li>It speaks of this release alone. What else is released from the same data adds to epsilon and "
            "delta.</li>\n"
         << "<li>It does not cover whoever can read the machine’s memory, measure its time, or take the data.</li>\n";
    if (claim.delta > 0)
      out_ << "<li>Delta is what epsilon leaves uncovered: to show all of somebody with that probability would be "
              "within the "
              "promise. It should be far below one over the number of "
           << claim.unit << "s.</li>\n";
    out_ << "<li>It says nothing of how good the topics are. Noise can make words appear where they do not "
            "belong.</li>\n"
         << "</ul>\n";
  }

  void spending() {
    open_section("spending", "What was spent");
    const auto entries = content_.ledger.entries();
    if (entries.empty()) {
      out_ << "<p>No ledger: nothing was released with noise.</p>\n</section>\n";
      return;
    }
    out_ << "<p>Every line was written by the call that drew the noise. Multipliers are the noise divided by the most "
            "that "
         << one(entries.front().event.unit) << " can change.</p>\n"
         << "<div class=\"scroll\"><table class=\"stack\" id=\"ledger\"><caption>The ledger</caption><thead><tr><th "
            "scope=\"col\">released</th><th scope=\"col\">noise</th><th scope=\"col\">made of</th><th scope=\"col\" "
            "class=\"number\">times</th></tr></thead><tbody>\n";
    for (const dplda::ledger::entry& entry : entries) {
      out_ << "<tr><th scope=\"row\">" << (entry.event.label.empty() ? "(no label)" : escaped(entry.event.label))
           << "</th><td data-name=\"noise\">" << noise(entry.event.noise) << "</td><td data-name=\"made of\">"
           << seen(entry.event) << "</td><td class=\"number\" data-name=\"times\">" << entry.count << "</td></tr>\n";
    }
    out_ << "</tbody></table></div>\n";
    if (content_.claim) accountants(*content_.claim);
    out_ << "</section>\n";
  }

  static std::string noise(const dplda::mechanism& mechanism) {
    return std::visit(
        dplda::detail::overloaded{
            [](const dplda::gaussian_noise& n) { return "Gaussian, multiplier " + powers(digits(n.multiplier)); },
            [](const dplda::laplace_noise& n) { return "Laplace, multiplier " + powers(digits(n.multiplier)); },
            [](const dplda::discrete_gaussian_noise& n) {
              return "discrete Gaussian, multiplier " + powers(digits(n.multiplier));
            },
            [](const dplda::randomized_response& n) {
              return "randomized response, " + std::to_string(n.buckets) + " answers, noise " + powers(digits(n.noise));
            },
            [](const dplda::approximate_dp& n) {
              return "a mechanism with epsilon " + upper(n.epsilon) + ", delta " + upper(n.delta);
            }},
        mechanism);
  }

  static std::string seen(const dplda::privacy_event& event) {
    return std::visit(dplda::detail::overloaded{[](const dplda::all_units&) { return std::string("all of the data"); },
                                                [](const dplda::poisson_sample& s) {
                                                  return "a secret sample, each with probability " +
                                                         powers(digits(s.rate));
                                                },
                                                [](const dplda::fixed_size_sample& s) {
                                                  return "a secret sample of " + std::to_string(s.size) + " of " +
                                                         std::to_string(s.population);
                                                }},
                      event.seen);
  }

  void accountants(const dplda::guarantee& claim) {
    struct priced {
      dplda::accountant rule;
      dplda::certified_bounds epsilon;
    };
    using dplda::accountant;
    std::vector<priced> prices;
    for (const accountant rule : {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp,
                                  accountant::rdp, accountant::gaussian, accountant::pld})
      prices.push_back({rule, dplda::ledger_epsilon(content_.ledger, claim.delta, rule)});
    double longest = std::isfinite(claim.epsilon) ? claim.epsilon : 0;
    for (const priced& price : prices)
      if (std::isfinite(price.epsilon.upper)) longest = std::max(longest, price.epsilon.upper);
    const bool proven = claim.standing == dplda::basis::proven;
    out_ << "<div class=\"scroll\"><table class=\"stack\" id=\"accountants\"><caption>What each accountant makes of it "
            "at "
            "delta = "
         << upper(claim.delta) << ". All of them are right; a smaller epsilon means a closer look."
         << (proven ? "" : " They price the noise that was drawn; that the claim is no proof has other reasons.")
         << "</caption><thead><tr><th scope=\"col\">accountant</th><th scope=\"col\" class=\"number\">epsilon is at "
            "most</th><th scope=\"col\"><span class=\"hidden\">drawn</span></th><th scope=\"col\" class=\"number\">and "
            "at "
            "least</th><th scope=\"col\">how it counts</th></tr></thead><tbody>\n";
    for (const auto& [rule, epsilon] : prices) {
      const bool picked = rule == claim.rule && proven;
      out_ << "<tr" << (picked ? " class=\"picked\"" : "") << "><th scope=\"row\">" << name_of(rule)
           << (picked ? " <span title=\"the accountant of the guarantee\">✓</span>" : "")
           << "</th><td class=\"number\" data-name=\"at most\">"
           << (std::isfinite(epsilon.upper) ? upper(epsilon.upper) : "no bound") << "</td><td>";
      bar(std::isfinite(epsilon.upper) ? epsilon.upper : 0, longest, picked);
      out_ << "</td><td class=\"number\" data-name=\"at least\">" << (epsilon.lower > 0 ? lower(epsilon.lower) : "")
           << "</td><td class=\"small muted\">" << meaning_of(rule) << "</td></tr>\n";
    }
    out_ << "<tr><th scope=\"row\">" << (proven ? "Guarantee" : "Claim") << "</th><td class=\"number\" data-name=\"at "
         << "most\">" << upper(claim.epsilon) << "</td><td>";
    bar(std::isfinite(claim.epsilon) ? claim.epsilon : 0, longest, true);
    out_ << "</td><td></td><td class=\"small muted\">"
         << (proven ? std::string("by the accountant: ") + name_of(claim.rule) : std::string("as the paper counts"))
         << "</td></tr>\n</tbody></table></div>\n";
  }

  void bar(double value, double longest, bool picked) {
    out_ << "<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
            "class=\"track\" width=\"100\" height=\"4\"/><rect class=\"fill"
         << (picked ? " pick" : "") << "\" width=\"" << fixed(longest > 0 ? 100 * value / longest : 0, 2)
         << "\" height=\"4\"/></svg>";
  }

  void topics() {
    const dplda::topic_model<>& model = content_.topics;
    const Eigen::VectorXd shares = dplda::topic_shares(model);
    const bool prior = model.alpha().size() > 0, varied = shares_vary(shares);
    const dplda::topic_plane plane = dplda::topic_map(model);
    open_section("topics", "The topics");
    out_
        << "<p>All here is made of the " << (content_.claim ? "released " : "") << "topics alone"
        << (status() == standing::proven ? ", so it costs no further privacy" : "")
        << ". Topics keep the numbers that the model files have.</p>\n<div class=\"explorer\">\n<figure class=\"map\">";
    draw_map(plane.points, shares);
    out_ << "<figcaption>Topics that use words alike lie close together (Jensen-Shannon distances; the plane holds "
         << digits(std::round(100 * plane.held), 3) << "% of their squares). A circle’s area is the topic’s share"
         << (varied  ? " under the model’s prior"
             : prior ? " under the model’s prior, the same for all"
                     : "; the prior is not known, so all are equal")
         << ". <span id=\"map-note\" role=\"status\"></span></figcaption></figure>\n"
         << "<div class=\"panel\" id=\"panel\" hidden>\n<div class=\"panel-head\"><h3 aria-live=\"polite\"><span "
            "id=\"topic-name\"></span><small id=\"topic-share\"></small></h3><button type=\"button\" id=\"before\" "
            "aria-label=\"Previous topic\">←</button><button type=\"button\" id=\"after\" aria-label=\"Next "
            "topic\">→</button></div>\n"
         << "<div class=\"slider\"><label for=\"lambda\">Order words by relevance, λ = <output id=\"lambda-value\" "
            "for=\"lambda\">0.6</output></label><span>distinctive</span><input type=\"range\" id=\"lambda\" min=\"0\" "
            "max=\"1\" step=\"0.1\" value=\"0.6\"><span>frequent</span></div>\n"
         << "<ol class=\"words\" id=\"words\" role=\"listbox\" aria-label=\"Words of the topic; choose one to see in "
            "which topics it is used\"></ol>\n"
         << "<ul class=\"legend\"><li><i class=\"key-part\"></i>probability in this topic</li><li><i "
            "class=\"key-mean\"></i>in all topics together</li></ul>\n</div>\n</div>\n"
         << "<h3>All topics at a glance</h3>\n<table class=\"topics stack\"><thead><tr><th scope=\"col\">topic</th>"
         << (varied ? "<th scope=\"col\" class=\"number\">share</th>" : "")
         << "<th scope=\"col\">most probable words</th></tr></thead><tbody>\n";
    for (std::size_t k = 0; k < model.topics(); ++k) {
      out_ << "<tr id=\"topic-" << k << "\"><th scope=\"row\">Topic " << k << "</th>";
      if (varied)
        out_ << "<td class=\"number\" data-name=\"share\">" << fixed(100 * shares[static_cast<Eigen::Index>(k)], 1)
             << "%</td>";
      out_ << "<td>";
      for (const auto& w : dplda::top_words(model, k, listed)) out_ << word_html(model.vocab()->word(w.word)) << ' ';
      out_ << "</td></tr>\n";
    }
    out_ << "</tbody></table>\n</section>\n";
  }

  static bool shares_vary(const Eigen::VectorXd& shares) { return shares.maxCoeff() - shares.minCoeff() > 1e-9; }

  void draw_map(const Eigen::MatrixX2d& points, const Eigen::VectorXd& shares) {
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
      out_ << "<g data-topic=\"" << k << "\" aria-label=\"Topic " << k << "\"><circle cx=\"" << fixed(x, 1)
           << "\" cy=\"" << fixed(y, 1) << "\" r=\"" << fixed(unit_radius * std::sqrt(shares[k]), 1) << "\"/></g>\n";
    }
    // After all circles, so that none covers a label.
    const Eigen::MatrixX2d labels = apart(places);
    out_ << "<g class=\"labels" << (labels.rows() > 30 ? " many" : "") << "\" aria-hidden=\"true\">";
    for (Eigen::Index k = 0; k < labels.rows(); ++k)
      out_ << "<text x=\"" << fixed(labels(k, 0), 1) << "\" y=\"" << fixed(labels(k, 1), 1) << "\">" << k << "</text>";
    out_ << "</g></svg>";
  }

  /// Labels at these places, pushed apart where they would cover each other.
  static Eigen::MatrixX2d apart(Eigen::MatrixX2d labels) {
    constexpr double least = 16;
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
    }
    return labels.cwiseMax(8).cwiseMin(392);
  }

  /// What the script needs: the words that it can show, their shares, and in which topics they are used.
  json data() const {
    const dplda::topic_model<>& model = content_.topics;
    const Eigen::VectorXd shares = dplda::topic_shares(model), words = dplda::word_shares(model);
    const auto brief = [](double x) { return value_of(digits(x)); };
    std::vector<double> lambdas;
    for (int i = 0; i <= 10; ++i) lambdas.push_back(i / 10.0);
    const auto chosen = dplda::relevant_words(model, bars, lambdas);
    std::vector<dplda::word_id> used;
    for (const auto& of_topic : chosen) used.insert(used.end(), of_topic.begin(), of_topic.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());

    json::array topic_share, names, word_share, uses, terms, phi;
    for (const double share : shares) topic_share.emplace_back(brief(share));
    for (const dplda::word_id v : used) {
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
      json::array flat;
      for (const auto& [hundredths, k] : parts) {
        flat.emplace_back(k);
        flat.emplace_back(-hundredths);
      }
      uses.emplace_back(std::move(flat));
    }
    for (std::size_t k = 0; k < model.topics(); ++k) {
      json::array ids, probabilities;
      for (const dplda::word_id v : chosen[k]) {
        ids.emplace_back(std::lower_bound(used.begin(), used.end(), v) - used.begin());
        probabilities.emplace_back(brief(model.phi()(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v))));
      }
      terms.emplace_back(std::move(ids));
      phi.emplace_back(std::move(probabilities));
    }
    return json::object{{"radius", unit_radius},
                        {"varied", shares_vary(shares)},
                        {"share", std::move(topic_share)},
                        {"words", std::move(names)},
                        {"share_of_word", std::move(word_share)},
                        {"topics_of", std::move(uses)},
                        {"terms", std::move(terms)},
                        {"phi", std::move(phi)}};
  }

  void comparison() {
    const comparison_section& other = *content_.comparison;
    open_section("comparison", "Beside topics without privacy", true);
    if (!other.measures.empty()) {
      out_ << "<div class=\"scroll\"><table><caption>How good they are</caption><thead><tr><th scope=\"col\"></th><th "
              "scope=\"col\" class=\"number\">released</th><th scope=\"col\" class=\"number\">without "
              "privacy</th></tr></thead><tbody>\n";
      for (const auto& measure : other.measures) {
        out_ << "<tr><th scope=\"row\">" << escaped(measure.name) << "</th><td class=\"number\">"
             << escaped(measure.released) << "</td><td class=\"number\">" << escaped(measure.without_privacy)
             << "</td></tr>\n";
      }
      out_ << "</tbody></table></div>\n";
    }
    out_ << "<table class=\"compare stack\"><caption>Most probable words; those that both lists have are in bold"
         << "</caption><thead><tr><th scope=\"col\">topic</th><th scope=\"col\">released</th><th "
            "scope=\"col\">without privacy</th></tr></thead><tbody>\n";
    for (std::size_t k = 0; k < std::max(content_.topics.topics(), other.topics.topics()); ++k) {
      const auto left = listed_words(content_.topics, k), right = listed_words(other.topics, k);
      out_ << "<tr><th scope=\"row\">Topic " << k << "</th>";
      beside("released", left, right);
      beside("without privacy", right, left);
      out_ << "</tr>\n";
    }
    out_ << "</tbody></table>\n</section>\n";
  }

  static std::vector<std::string> listed_words(const dplda::topic_model<>& model, std::size_t topic) {
    std::vector<std::string> words;
    if (topic >= model.topics()) return words;
    for (const auto& w : dplda::top_words(model, topic, listed)) words.emplace_back(model.vocab()->word(w.word));
    return words;
  }

  void beside(const char* name, const std::vector<std::string>& words, const std::vector<std::string>& others) {
    out_ << "<td data-name=\"" << name << "\">";
    for (const std::string& word : words) {
      const bool same = std::find(others.begin(), others.end(), word) != others.end();
      out_ << word_html(word, same ? "same" : "other") << ' ';
    }
    out_ << "</td>";
  }

  void audit() {
    const audit_section& found = *content_.audit;
    open_section("audit", "Attacked to see whether it holds", true);
    const dplda::audit_report* report = found.report ? &*found.report : nullptr;
    const bool claims = report != nullptr && std::isfinite(report->claimed);
    if (report != nullptr) verdict_of_audit(*report);
    if (!found.curves.empty()) {
      out_ << "<figure class=\"roc\">";
      draw_roc(found.curves, claims ? report : nullptr);
      out_ << "<ul class=\"legend\">";
      for (std::size_t i = 0; i < found.curves.size(); ++i) {
        const roc_line& line = found.curves[i];
        out_ << "<li>" << key(curve_class(i)) << escaped(line.name) << ": " << line.members << " members, "
             << line.others << " others, area " << fixed(area(line), 3) << "</li>";
      }
      out_ << "<li>" << key("diagonal") << "guessing</li>";
      if (claims) out_ << "<li>" << key("bound") << "the most that the claim allows</li>";
      out_ << "</ul><figcaption>How many members an attack finds, against how many others it accuses, on logarithmic "
              "axes: what it can do while it is hardly ever wrong is at the left. A rate below one in "
              "the number of others is drawn as that. Curves are samples, and may cross a line by chance; the audited "
              "epsilon takes chance into account.</figcaption></figure>\n";
    }
    out_ << "</section>\n";
  }

  void verdict_of_audit(const dplda::audit_report& report) {
    const bool claims = std::isfinite(report.claimed);
    out_ << "<p class=\"lead\" id=\"audit-verdict\">";
    if (report.refuted()) {
      out_ << "The claim is refuted: an attack proves that epsilon is at least " << lower(report.audited) << ", and "
           << upper(report.claimed) << " was claimed.";
    } else if (!report.undecided.empty()) {
      out_ << "No verdict, " << escaped(report.undecided) << ".";
    } else if (claims) {
      out_ << "The attack does not contradict the claim. That is no proof of it: a better attack might find more.";
    } else {
      out_ << "Nothing is claimed; the attack proves that epsilon is at least " << lower(report.audited) << ".";
    }
    const double longest = std::max(claims ? report.claimed : 0, report.audited);
    out_ << "</p>\n<div class=\"scroll\"><table class=\"stack\"><thead><tr><th scope=\"col\"></th><th scope=\"col\" "
            "class=\"number\">epsilon</th><th scope=\"col\"><span "
            "class=\"hidden\">drawn</span></th></tr></thead><tbody><tr><th "
            "scope=\"row\">claimed, at most</th><td class=\"number\">"
         << (claims ? upper(report.claimed) : "nothing") << "</td><td>";
    bar(claims ? report.claimed : 0, longest, false);
    out_ << "</td></tr><tr><th scope=\"row\">audited, at least</th><td class=\"number\">" << lower(report.audited)
         << "</td><td>";
    bar(report.audited, longest, true);
    out_ << "</td></tr></tbody></table></div>\n<p class=\"muted small\">At delta = " << powers(digits(report.delta))
         << " and confidence " << digits(100 * report.confidence) << "%; " << escaped(report.method) << ".</p>\n";
  }

  static std::string curve_class(std::size_t i) {
    const std::string style = std::to_string(i % line_styles);
    return "curve c" + style + " d" + style;
  }
  static std::string key(const std::string& kind) {
    return "<svg class=\"key-line\" viewBox=\"0 0 32 10\" aria-hidden=\"true\"><line class=\"" + kind +
           "\" x1=\"0\" y1=\"5\" x2=\"32\" y2=\"5\"/></svg>";
  }

  static double area(const roc_line& line) {
    double sum = 0;
    for (std::size_t i = 1; i < line.points.size(); ++i) {
      const auto &a = line.points[i - 1], &b = line.points[i];
      sum += (b.false_positive_rate - a.false_positive_rate) * (a.true_positive_rate + b.true_positive_rate) / 2;
    }
    return sum;
  }

  void draw_roc(const std::vector<roc_line>& curves, const dplda::audit_report* claim) {
    std::size_t most = 10;
    for (const roc_line& line : curves) {
      most = std::max({most, line.members, line.others});
      for (const auto& point : line.points) {
        for (const double rate : {point.false_positive_rate, point.true_positive_rate})
          dplda::detail::require(rate >= 0 && rate <= 1, "report_html", "a curve's rate", rate, "must lie in [0, 1]");
      }
    }
    const int decades = std::clamp(static_cast<int>(std::ceil(std::log10(static_cast<double>(most)) - 1e-9)), 1, 6);
    const double left = 52, top = 14, side = 320, low = -decades;
    const auto place = [&](double rate) { return rate > 0 ? std::max(0.0, 1 - std::log10(rate) / low) * side : 0; };
    const auto x = [&](double rate) { return fixed(left + place(rate), 1); };
    const auto y = [&](double rate) { return fixed(top + side - place(rate), 1); };
    out_ << "<svg viewBox=\"0 0 400 390\" role=\"img\" aria-label=\"ROC curve: true positive rate against false "
            "positive "
            "rate, both logarithmic\">";
    for (int decade = 0; decade <= decades; ++decade) {
      const double rate = std::pow(10, -decade);
      const std::string label = digits(100 * rate) + "%";
      out_ << "<path class=\"grid\" d=\"M" << x(rate) << ' ' << top << "v" << side << "M" << left << ' ' << y(rate)
           << "h" << side << "\"/><text text-anchor=\"middle\" x=\"" << x(rate) << "\" y=\"" << top + side + 17 << "\">"
           << label << "</text><text text-anchor=\"end\" dominant-baseline=\"central\" x=\"" << left - 6 << "\" y=\""
           << y(rate) << "\">" << label << "</text>";
    }
    out_ << "<text text-anchor=\"middle\" x=\"" << left + side / 2 << "\" y=\"" << top + side + 40
         << "\">others accused wrongly</text><text x=\"" << left + 6 << "\" y=\"" << top + 15
         << "\">members found</text><path class=\"diagonal\" d=\"M" << left << ' ' << top + side << "l" << side << ' '
         << -side << "\"/>";
    if (claim != nullptr) {
      std::string bound;
      for (int i = 0; i <= 160; ++i) {
        const double rate = std::pow(10, low * (1 - i / 160.0));
        bound.append(i == 0 ? "M" : "L").append(x(rate)).append(" ");
        bound.append(y(most_caught(claim->claimed, claim->delta, rate)));
      }
      out_ << "<path class=\"beyond\" d=\"" << bound << "V" << top << "H" << left << "Z\"/><path class=\"bound\" d=\""
           << bound << "\"/>";
    }
    for (std::size_t i = 0; i < curves.size(); ++i) {
      std::string path, last;
      const double finest = curves[i].others > 0 ? 1 / static_cast<double>(curves[i].others) : 0;
      for (const auto& point : curves[i].points) {
        if (point.true_positive_rate == 0) continue;  // below any logarithmic axis
        const std::string at = x(std::max(point.false_positive_rate, finest)) + ' ' + y(point.true_positive_rate);
        if (at == last) continue;
        path.append(path.empty() ? "M" : "L").append(at);
        last = at;
      }
      out_ << "<path class=\"" << curve_class(i) << "\" d=\"" << path << "\"/>";
    }
    out_ << "</svg>";
  }

  void settings() {
    open_section("settings", "How to make it again");
    if (!content_.command.empty()) out_ << "<pre><code>" << escaped(content_.command) << "</code></pre>\n";
    out_ << "<table class=\"stack\"><tbody>\n";
    for (const auto& [name, value] : content_.settings)
      out_ << "<tr><th scope=\"row\">" << escaped(name) << "</th><td>" << escaped(value) << "</td></tr>\n";
    out_ << "<tr><th scope=\"row\">dplda (this page)</th><td>" << dplda::version_string
         << "</td></tr>\n</tbody></table>\n";
    if (status() == standing::proven)
      out_
          << "<p class=\"muted\">The same command gives other topics each time, for its noise is secret; the guarantee "
             "and the ledger stay the same.</p>\n";
    out_ << "</section>\n";
  }

  const report_content& content_;
  std::ostringstream out_;
};

}  // namespace

roc_line line_of(std::string name, const dplda::roc_curve& curve) {
  roc_line line{std::move(name), {}, curve.members(), curve.others()};
  for (const dplda::roc_point& point : curve.points()) {
    line.points.push_back({static_cast<double>(point.false_positives) / static_cast<double>(curve.others()),
                           static_cast<double>(point.true_positives) / static_cast<double>(curve.members())});
  }
  return line;
}

std::string report_html(const report_content& content) { return writer(content).page(); }

}  // namespace dplda_program
