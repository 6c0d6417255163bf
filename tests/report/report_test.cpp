// SPDX-License-Identifier: Apache-2.0
// The page's text. With DPLDA_REPORT_PAGES=FOLDER the pages are also written there, for page_test.sh to open in a
// browser, and a model for python_test.sh.
#include <dplda/io/json.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>
#include <dplda/report/audit_file.hpp>
#include <dplda/report/report.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "io/io_support.hpp"
#include "support/catch.hpp"

namespace {

using dplda::audit_content;
using dplda::json_value;
using dplda::report_content;
using dplda::report_html;
using dplda::roc_line;
using namespace dplda::detail::page;

const std::string hostile =
    "</script><script>document.documentElement.dataset.stolen=1</script><img src=x onerror=alert(1)>\"'&amp;<!--";

dplda::topic_model<> model_of(const std::vector<std::vector<double>>& rows, const std::vector<std::string>& words,
                              const std::vector<double>& alpha = {}) {
  Eigen::MatrixXd phi(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(words.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t v = 0; v < words.size(); ++v)
      phi(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v)) = rows[k][v];
  }
  Eigen::VectorXd prior(static_cast<Eigen::Index>(alpha.size()));
  for (std::size_t k = 0; k < alpha.size(); ++k) prior[static_cast<Eigen::Index>(k)] = alpha[k];
  return {phi, std::make_shared<const dplda::vocabulary>(words), prior};
}

/// Topic k has its own words k, k + topics, ..., and a little of all others.
dplda::topic_model<> random_model(std::size_t topics, std::size_t words, bool prior) {
  const auto source = dplda::seeded_random(3);
  auto bits = source.stream("phi");
  std::vector<std::vector<double>> rows(topics, std::vector<double>(words));
  std::vector<std::string> names;
  for (std::size_t v = 0; v < words; ++v) names.push_back("everyday-word-" + std::to_string(v));
  std::vector<double> alpha;
  for (std::size_t k = 0; k < topics; ++k) {
    double sum = 0;
    for (std::size_t v = 0; v < words; ++v) {
      const double u = (static_cast<double>(dplda::uniform_below(bits, 1U << 20)) + 1) / (1U << 20);
      sum += rows[k][v] = (v % topics == k ? 20 : 1) * -std::log(u) / (1 + static_cast<double>(v / topics));
    }
    for (double& p : rows[k]) p /= sum;
    if (prior) alpha.push_back(0.05 + 0.02 * static_cast<double>(k % 7));
  }
  return model_of(rows, names, alpha);
}

dplda::topic_model<> hostile_model() {
  return model_of({{0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.3}},
                  {hostile, "<img src=x onerror=alert(1)>", "\xFF\xFE not UTF-8 \xC3", "\xE2\x80\xAEright to left",
                   "line\nbreak\x01", "\"onload=\"alert(1)", "\xF0\x9F\x8C\xB3"});
}

dplda::ledger gaussian_ledger(double multiplier, const std::string& label = "topic table") {
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{multiplier}, .label = label}, 4);
  return book;
}

report_content private_content(dplda::topic_model<> model) {
  report_content content{.title = "Letters", .topics = std::move(model)};
  content.ledger = gaussian_ledger(4);
  content.claim = dplda::price(content.ledger, 1e-6);
  content.settings = {{"topics", "10"}, {"seed", "none"}};
  content.command = "dplda fit letters --epsilon 2";
  return content;
}

audit_content some_audit(double claimed, double audited, const std::string& name = "LiRA") {
  std::vector<roc_line::point> points;
  for (int i = 0; i <= 100; ++i) points.push_back({i / 100.0, std::sqrt(i / 100.0)});
  return {dplda::audit_report{.claimed = claimed, .audited = audited, .delta = 1e-6, .method = "one run of " + name},
          {{name, points, 100, 100}, {"baseline", points, 100, 100}}};
}

report_content full_content(const dplda::topic_model<>& model, const std::string& text) {
  report_content content = private_content(model);
  content.title = text;
  content.ledger = gaussian_ledger(4, text);
  content.settings = {{text, text}};
  content.command = text;
  content.without_privacy = model;
  content.audit = some_audit(2, 0.3, text);
  return content;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}
bool has(std::string_view text, std::string_view part) { return count(text, part) > 0; }

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t begin = text.find(open);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(close, begin + open.size());
  REQUIRE(end != std::string::npos);
  return text.substr(begin + open.size(), end - begin - open.size());
}

json_value data_of(const std::string& page) {
  return json_value::parse(between(page, "<script type=\"application/json\" id=\"data\">", "</script>"), "data");
}

/// The page without its fixed style sheet and script, and without the script's data.
std::string markup_of(std::string page) {
  for (const char* const name : {"style", "script type=\"application/json\" id=\"data\"", "script"}) {
    const std::string open = std::string("<") + name + ">";
    const std::string close = std::string("</") + std::string(name).substr(0, std::string(name).find(' ')) + ">";
    const std::size_t begin = page.find(open), end = page.find(close, begin);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    page.erase(begin, end + close.size() - begin);
  }
  return page;
}

/// Checks that elements are closed in order, attributes are quoted and cannot run or load anything, ids are unique, and
/// references to ids resolve.
void check_markup(const std::string& page) {
  const std::string text = markup_of(page);
  const std::set<std::string> empty = {"meta", "input", "!doctype"};
  std::vector<std::string> open;
  std::set<std::string> ids, wanted;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    const bool closes = text[at + 1] == '/';
    std::size_t i = at + 1 + closes;
    const std::size_t name_end = text.find_first_of(" />\n", i);
    REQUIRE(name_end != std::string::npos);
    const std::string name = text.substr(i, name_end - i);
    INFO(text.substr(at, 80));
    i = name_end;
    bool self = false;
    while (text[i] != '>') {
      if (text[i] == ' ' || text[i] == '\n') {
        ++i;
      } else if (text[i] == '/') {
        self = true;
        ++i;
      } else {
        const std::size_t end = text.find_first_of(" =>", i);
        REQUIRE(end != std::string::npos);
        const std::string attribute = text.substr(i, end - i);
        CHECK(!attribute.starts_with("on"));
        CHECK(attribute != "style");
        CHECK(attribute != "src");
        i = end;
        if (text[i] != '=') continue;
        REQUIRE(text[i + 1] == '"');
        const std::size_t quote = text.find('"', i + 2);
        REQUIRE(quote != std::string::npos);
        const std::string value = text.substr(i + 2, quote - i - 2);
        CHECK(value.find('<') == std::string::npos);
        if (attribute == "id") CHECK(ids.insert(value).second);
        if (attribute == "for" || attribute == "aria-labelledby") wanted.insert(value);
        if (attribute == "href") {
          CHECK(value.starts_with("#"));
          wanted.insert(value.substr(1));
        }
        i = quote + 1;
      }
    }
    at = i;
    if (closes) {
      REQUIRE(!open.empty());
      REQUIRE(open.back() == name);
      open.pop_back();
    } else if (!self && empty.count(name) == 0) {
      open.push_back(name);
    }
  }
  CHECK(open.empty());
  for (const std::string& id : wanted) {
    INFO(id);
    CHECK(ids.count(id) == 1);
  }
  CHECK(!has(page, "http://"));
  CHECK(!has(page, "https://"));
  CHECK(!has(page, "url("));
  CHECK(dplda::detail::find_invalid_utf8(page) == std::string_view::npos);
}

/// Whether a number on the page is none.
bool has_nan(const std::string& page) {
  const std::string text = markup_of(page);
  for (const char* const form : {"\"nan", "\"-nan", ">nan", ">-nan", " nan", "nan%", " -nan"})
    if (has(text, form)) return true;
  return has(between(page, "id=\"data\">", "</script>"), ":nan");
}

void keep(const std::string& name, const std::string& page) {
  if (const char* const folder = std::getenv("DPLDA_REPORT_PAGES"))
    std::ofstream(std::filesystem::path(folder) / name, std::ios::binary) << page;
}

}  // namespace

TEST_CASE("hostile text stays text", "[report]") {
  const std::string page = report_html(full_content(hostile_model(), hostile));
  keep("hostile.html", page);
  check_markup(page);
  CHECK(count(page, "<script") == 2);
  CHECK(count(page, "</script") == 2);
  CHECK(!has(page, "<img"));
  CHECK(!has(page, "<!--"));
  CHECK(has(page, "&lt;img src=x onerror=alert(1)&gt;"));
  const std::string data = between(page, "id=\"data\">", "</script>");
  CHECK(data.find('<') == std::string::npos);
  const json_value parsed = data_of(page);
  const auto& words = *parsed.find("words")->get_if<json_value::array>();
  CHECK(std::find(words.begin(), words.end(), json_value(hostile)) != words.end());
  CHECK(std::find(words.begin(), words.end(), json_value("line\nbreak\xEF\xBF\xBD")) != words.end());
  CHECK(std::find(words.begin(), words.end(), json_value("\xF0\x9F\x8C\xB3")) != words.end());
}

TEST_CASE("the policy allows this style sheet and this script alone", "[report]") {
  const std::string page = report_html(private_content(random_model(3, 30, true)));
  check_markup(page);
  const std::string policy = between(page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  CHECK(policy.starts_with("default-src 'none'; "));
  CHECK(!has(policy, "unsafe"));
  CHECK(!has(policy, "*"));
  // Test vectors of RFC 4648, and the SHA-256 of the empty text in the form of such policies.
  CHECK(base64_of_hex("666f6f") == "Zm9v");
  CHECK(base64_of_hex("666f") == "Zm8=");
  CHECK(base64_of_hex("66") == "Zg==");
  CHECK(base64_of_hex("666f6f6261") == "Zm9vYmE=");
  CHECK(base64_of_hex(dplda::sha256_hex(std::string_view())) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  const auto hash = [](const std::string& text) { return "'sha256-" + base64_of_hex(dplda::sha256_hex(text)) + "'"; };
  CHECK(has(policy, "style-src " + hash(between(page, "<style>", "</style>"))));
  CHECK(has(policy, "script-src " + hash(between(page, "<script>", "</script>"))));
}

TEST_CASE("a page states the verdict on its release", "[report]") {
  report_content content = private_content(random_model(10, 200, true));
  SECTION("proven") {
    const std::string page = report_html(content);
    keep("proven.html", page);
    check_markup(page);
    CHECK(has(page, "data-verdict=\"proven\""));
    CHECK(has(page, "Private, with a proven guarantee"));
    CHECK(!has(markup_of(page), "Not private"));
    CHECK(!has(markup_of(page), "Not releasable"));
    CHECK(!has(page, "id=\"mixed\""));
    CHECK(has(page, "may be published"));
  }
  SECTION("proven for most data") {
    content.claim->gamma = 0.05;
    const std::string page = report_html(content);
    check_markup(page);
    CHECK(has(page, "it may fail with probability 0.05"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("proven, if plans were fixed beforehand") {
    content.claim->assumes_fixed_plans = true;
    const std::string page = report_html(content);
    check_markup(page);
    CHECK(has(page,
              "<div class=\"note warn\" id=\"verdict\" data-verdict=\"proven\"><strong>Proven under an "
              "assumption</strong><p>This covers several releases."));
    CHECK(has(page, "All of these bounds hold, if the assumption above is true"));
    CHECK(!has(page, "may be published"));
    content.claim->epsilon = 4.6;
    CHECK(has(report_html(content), "<strong>Proven under an assumption, but the promise is weak</strong>"));
  }
  SECTION("proven, but with a large epsilon") {
    content.claim->epsilon = 4.59;  // e^epsilon / (1 + e^epsilon) = 0.9899
    CHECK(has(report_html(content), "<div class=\"note good\" id=\"verdict\""));
    content.claim->epsilon = 4.6;  // 0.9900
    const std::string page = report_html(content);
    keep("weak.html", page);
    check_markup(page);
    CHECK(has(page, "<div class=\"note warn\" id=\"verdict\" data-verdict=\"proven\""));
    CHECK(has(page, "may be right in 99.01% of the cases"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("proven, but with a delta that is large for so many") {
    content.units = 9999;
    CHECK(has(report_html(content), "<div class=\"note good\" id=\"verdict\""));
    content.units = 10000;  // at a delta of 1e-6
    const std::string page = report_html(content);
    check_markup(page);
    CHECK(has(page, "<div class=\"note warn\" id=\"verdict\" data-verdict=\"proven\""));
    CHECK(has(page, "Delta is not far below one over the number of documents"));
    CHECK(!has(page, "Epsilon is large"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("proven, but with a large delta for nobody knows how many") {
    content.units = 0;
    CHECK(has(report_html(content), "<div class=\"note good\" id=\"verdict\""));  // at a delta of 1e-6
    content.claim->delta = 1.1e-6;
    const std::string page = report_html(content);
    check_markup(page);
    CHECK(has(page, "<div class=\"note warn\" id=\"verdict\" data-verdict=\"proven\""));
    CHECK(has(page, "nobody said how many documents there are"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("proven, and refuted") {
    content.audit = some_audit(2, 2.5);
    const std::string page = report_html(content);
    check_markup(page);
    CHECK(has(page, "data-verdict=\"refuted\""));
    CHECK(!has(page, "publish a page of these alone"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("seeded, by the guarantee or by the ledger alone") {
    if (GENERATE(true, false)) {
      content.claim->seeded = true;
    } else {
      content.ledger.mark_seeded();
    }
    const std::string page = report_html(content);
    keep("seeded.html", page);
    check_markup(page);
    CHECK(has(page, "data-verdict=\"seeded\""));
    CHECK(has(page, "Not private: the noise came from a seed"));
    CHECK(!has(page, "proven guarantee"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("as published") {
    content.claim->basis = dplda::basis::as_published;
    content.claim->caveat = "a <lemma> is missing";
    content.claim->gamma = 0.05;
    const std::string page = report_html(content);
    keep("published.html", page);
    check_markup(page);
    CHECK(has(page, "data-verdict=\"as-published\""));
    CHECK(has(page, "a &lt;lemma&gt; is missing"));
    CHECK(has(page, "random differential privacy"));
    CHECK(!has(page, "proven guarantee"));
    CHECK(!has(page, "may be published"));
  }
  SECTION("nothing claimed") {
    content.claim.reset();
    content.ledger = {};
    const std::string page = report_html(content);
    keep("none.html", page);
    check_markup(page);
    CHECK(has(page, "data-verdict=\"none\""));
    CHECK(has(page, "must not be published"));
    CHECK(!has(page, "proven guarantee"));
    CHECK(!has(page, "id=\"accountants\""));
  }
  SECTION("with parts that are not releasable") {
    content = full_content(random_model(10, 200, true), "Letters");
    const std::string page = report_html(content);
    keep("full.html", page);
    check_markup(page);
    CHECK(has(page, "id=\"mixed\""));
    CHECK(count(page, "<strong>Not releasable</strong>") == 2);
    content.audit.reset();
    CHECK(count(report_html(content), "<strong>Not releasable</strong>") == 1);
  }
}

TEST_CASE("the guarantee's numbers are those of differential privacy", "[report]") {
  report_content content = private_content(random_model(2, 10, false));
  content.claim->epsilon = std::log(3.0);
  content.claim->delta = 0;
  std::string page = report_html(content);
  CHECK(has(page, "at most <strong>75.0%</strong>"));
  const auto row = [](const std::string& before, const std::string& least, const std::string& most) {
    return "<td class=\"number\">" + before + "</td><td class=\"number\">" + least + "</td><td class=\"number\">" +
           most + "</td>";
  };
  CHECK(has(page, row("50%", "25.0%", "75.0%")));
  CHECK(has(page, row("10%", "3.5%", "25.0%")));  // 1/28 = 3.57% is rounded down
  CHECK(has(page, row("1%", "0.33%", "3.0%")));   // 3/102 = 2.94% up
  CHECK(has(page, "<td class=\"number\">10%</td><td class=\"number\">30.0%</td>"));
  CHECK(has(page, "<td class=\"number\">nobody</td><td class=\"number\">0%</td>"));

  content.claim->delta = 0.1;
  page = report_html(content);
  CHECK(has(page, "at most <strong>77.5%</strong>"));  // (e^epsilon + delta) / (e^epsilon + 1)
  CHECK(has(page, row("50%", "14.2%",
                      "85.8%")));  // by 2 e^epsilon, except with probability 2 delta: losses may exceed epsilon
  CHECK(has(page, "<td class=\"number\">10%</td><td class=\"number\">40.0%</td>"));
  CHECK(has(page, "<td class=\"number\">nobody</td><td class=\"number\">10.0%</td>"));

  content.claim->epsilon = std::numeric_limits<double>::infinity();
  content.claim->basis = dplda::basis::as_published;
  content.claim->caveat = "nothing holds";
  page = report_html(content);
  check_markup(page);
  CHECK(has(page, row("50%", "0%", "100%")));
  CHECK(has(page, "rules out little"));
  CHECK(!has_nan(page));

  // No attack reaches beyond what the claim allows, at either end.
  using dplda::budget;
  using dplda::largest_detection;
  CHECK(largest_detection(budget{1, 0}, 0) == 0);
  CHECK(largest_detection(budget{1, 0}, 1) == 1);
  CHECK(largest_detection(budget{0, 0}, 0.3) == Approx(0.3));
  CHECK(1 - largest_detection(budget{2, 0}, 0.9) == Approx(std::exp(-2.0) * 0.1));
  CHECK(largest_detection(budget{std::numeric_limits<double>::infinity(), 0}, 0) == 1);
}

TEST_CASE("words of the guarantee fit its unit and neighbours", "[report]") {
  report_content content = private_content(random_model(2, 10, false));
  content.claim->unit = dplda::privacy_unit::user;
  CHECK(has(report_html(content), "Whether one user, with all documents of theirs, was in the data"));
  content.claim->unit = dplda::privacy_unit::token;
  CHECK(has(report_html(content), "single words, not documents"));
  CHECK(has(report_html(content), "times as large, and delta grows faster"));
  content.claim->unit = dplda::privacy_unit::document;
  content.claim->relation = dplda::neighbours::replace;
  const std::string page = report_html(content);
  CHECK(has(page, "Which content one document had"));
  CHECK(has(page, "The number of documents is not hidden"));
}

TEST_CASE("a page says whether the topics were compared with noise", "[report]") {
  report_content content = private_content(random_model(2, 10, false));
  CHECK(has(report_html(content), "Not compared with noise"));
  content.stands_out = true;
  CHECK(!has(report_html(content), "id=\"noise\""));
  content.stands_out = false;
  CHECK(has(report_html(content), "do not clearly stand out from noise"));
  CHECK(!has(report_html(content), "Not compared with noise"));
  content.claim.reset();
  content.stands_out.reset();
  CHECK(!has(report_html(content), "id=\"noise\""));
}

TEST_CASE("a page explains placeholders for words", "[report]") {
  CHECK(!has(report_html(private_content(random_model(2, 10, false))), "id=\"placeholders\""));
  const auto model = model_of({{0.5, 0.3, 0.2}, {0.2, 0.3, 0.5}}, {"tea", "(no word 1)", "(no word 2)"});
  const std::string page = report_html(private_content(model));
  check_markup(page);
  CHECK(has(page, "id=\"placeholders\""));
}

TEST_CASE("a page says that each run costs as much again", "[report]") {
  CHECK(has(report_html(private_content(random_model(2, 10, false))), "each run on the same data costs as much again"));
}

TEST_CASE("a release with its details and its release.json give the same page", "[report]") {
  const report_content content = private_content(random_model(3, 30, true));
  const dplda::release<dplda::topic_model<>> released(content.topics, *content.claim, content.ledger);
  const dplda::release_details details{.title = "Letters",
                                       .settings = {{"engine", "svi"}, {dplda::setting::stated_units, 20000}},
                                       .command = "mine",
                                       .stands_out = true};
  const std::string page = report_html(released, details);
  check_markup(page);
  CHECK(has(page, "<h1>Letters</h1>"));
  CHECK(has(page, "<td>20000</td>"));
  CHECK(has(page, "Delta is not far below one over the number of documents"));
  const auto file = dplda::json_value::parse(
      to_json(dplda::release_record{*content.claim, content.ledger, details, {}}).dump(2), "release.json");
  CHECK(report_html(dplda::report_content_of(content.topics, dplda::release_record_from_json(file, "release.json"))) ==
        page);
}

TEST_CASE("each accountant prices the ledger", "[report]") {
  const report_content content = private_content(random_model(2, 10, false));
  const std::string table = between(report_html(content), "id=\"accountants\"", "</table>");
  using dplda::accountant;
  for (const accountant rule : {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp,
                                accountant::rdp, accountant::gaussian, accountant::pld}) {
    INFO(rule);
    const std::string epsilon = upper(dplda::ledger_epsilon(content.ledger, 1e-6, rule).upper);
    CHECK(has(table, dplda::title_of(rule)));
    CHECK(has(table, ">" + epsilon + "</td>"));
  }
  CHECK(count(table, "class=\"picked\"") == 1);
  const std::string ledger = between(report_html(content), "id=\"ledger\"", "</table>");
  CHECK(has(ledger, "topic table"));
  CHECK(has(ledger, "Gaussian, multiplier 4<"));
  CHECK(has(ledger, ">4</td>"));
}

TEST_CASE("promises are printed rounded up and findings rounded down", "[report]") {
  CHECK(upper(1.23451) == "1.2346");
  CHECK(lower(1.23459) == "1.2345");
  CHECK(upper(7.381, 3) == "7.39");
  CHECK(upper(1e-6) == "10<sup>−6</sup>");
  CHECK(upper(2.5e-8) == "2.5 × 10<sup>−8</sup>");
  CHECK(at_most(0.123401) == "12.4%");
  CHECK(at_least(0.12399) == "12.3%");
  CHECK(at_most(0.9999531) == "99.9954%");
  CHECK(at_most(1.234e-6) == "0.00013%");
  CHECK(at_most(1) == "100%");
  CHECK(lower(0) == "0");
}

TEST_CASE("topics keep their numbers, and the slider finds all words", "[report]") {
  const dplda::topic_model<> model = random_model(12, 400, true);
  const std::string page = report_html({.topics = model});
  const auto ordered = dplda::ordered_words(model, 12);
  std::size_t at = 0;
  for (std::size_t k = 0; k < 12; ++k) {
    at = page.find("<g data-topic=\"" + std::to_string(k) + "\"", at);
    REQUIRE(at != std::string::npos);
    const std::string row = between(page, "<tr id=\"topic-" + std::to_string(k) + "\">", "</tr>");
    std::string words;
    for (const auto& w : ordered[k]) words += word_html(model.vocab()->word(w.word)) + ' ';
    CHECK(has(row, words));
  }
  CHECK(count(page, "<circle") == 12);

  const json_value data = data_of(page);
  const auto& terms = *data.find("terms")->get_if<json_value::array>();
  const auto& names = *data.find("words")->get_if<json_value::array>();
  const Eigen::VectorXd shares = dplda::word_shares(model);
  REQUIRE(terms.size() == 12);
  for (std::size_t k = 0; k < 12; ++k) {
    std::set<std::string> offered;
    for (const json_value& id : *terms[k].get_if<json_value::array>())
      offered.insert(*names[static_cast<std::size_t>(*id.get_if<double>())].get_if<std::string>());
    for (const double lambda : {0.0, 0.3, 0.6, 1.0}) {
      std::vector<std::pair<double, dplda::word_id>> ranked;
      for (dplda::word_id v = 0; v < 400; ++v) {
        const double p = model.phi()(static_cast<Eigen::Index>(k), v);
        ranked.emplace_back(-(lambda * std::log(p) + (1 - lambda) * std::log(p / shares[v])), v);
      }
      std::sort(ranked.begin(), ranked.end());
      for (std::size_t i = 0; i < bars; ++i)
        CHECK(offered.count(std::string(model.vocab()->word(ranked[i].second))) == 1);
    }
  }
}

TEST_CASE("names stand beside the numbers of topics", "[report]") {
  report_content content = private_content(random_model(20, 400, true));
  content.names = {"roads & lights", "", hostile, "parks"};
  const std::string page = report_html(content);
  keep("named.html", page);
  CHECK(has(page, "<th scope=\"row\">Topic 0: roads &amp; lights</th>"));
  CHECK(has(page, "<th scope=\"row\">Topic 1</th>"));
  CHECK(has(page, "<th scope=\"row\">Topic 19</th>"));
  CHECK(has(page, "aria-label=\"Topic 3: parks\""));
  CHECK(!has(markup_of(page), hostile));
  CHECK(data_of(page).find("names")->get_if<json_value::array>()->size() == 4);
}

TEST_CASE("labels of a hundred topics on the map do not cover each other", "[report]") {
  report_content three = private_content(random_model(3, 300, true));
  three.claim = dplda::price(three.ledger, 4.32109e-7);  // a long delta, which must not cover its neighbour
  keep("three.html", report_html(three));
  for (const bool prior : {true, false}) {
    const std::string page = report_html(private_content(random_model(100, 3000, prior)));
    if (prior) keep("hundred.html", page);
    CHECK(count(page, "<circle") == 100);
    const std::string labels = between(page, "<g class=\"labels", "</g>");
    CHECK(count(labels, "<text") == 100);  // a hidden one is shown when its topic is chosen
    CHECK(count(labels, "class=\"no-room\"") < 100);
  }
}

TEST_CASE("a page of fifty topics of ten thousand words is small", "[report]") {
  const std::string page = report_html({.topics = random_model(50, 10000, true)});
  keep("large.html", page);
  CHECK(page.size() < 500000);
  CHECK(count(page, "<circle") == 50);
}

TEST_CASE("the smallest models have pages", "[report]") {
  const std::string one = report_html({.topics = model_of({{1}}, {"word"})});
  keep("one.html", one);
  check_markup(one);
  CHECK(!has_nan(one));
  const std::string same = report_html({.topics = model_of({{0.5, 0.5}, {0.5, 0.5}}, {"a", "b"})});
  check_markup(same);
  CHECK(!has_nan(same));
  const std::string zeros = report_html({.topics = model_of({{1, 0, 0}, {0, 1, 0}}, {"a", "b", "never"})});
  check_markup(zeros);
  CHECK(!has_nan(zeros));
}

TEST_CASE("the audit is described and drawn", "[report]") {
  report_content content = private_content(random_model(2, 10, false));
  const auto verdict = [&] { return between(report_html(content), "id=\"audit-verdict\">", "</p>"); };
  content.audit = some_audit(2, 0.3);
  CHECK(has(verdict(), "does not contradict the claim"));
  content.audit = some_audit(2, 2.5);
  CHECK(has(verdict(), "The claim is refuted"));
  content.audit = some_audit(std::numeric_limits<double>::infinity(), 1.25);
  CHECK(has(verdict(), "at least 1.25"));
  content.audit->report->undecided = "for the claim is as published, not proven";
  CHECK(has(verdict(), "No verdict, for the claim"));

  content.audit = some_audit(2, 0.3);
  content.audit->report->provable = 4.25;
  CHECK(has(verdict(), "does not contradict the claim"));
  CHECK(has(report_html(content), "would have proven an epsilon of 4.25, and no more."));
  content.audit->report->provable = 1.82;
  CHECK(has(verdict(), "too small to contradict the claim"));
  content.audit->settings = {{"engine", "<svi>"}, {"topics", "2"}};
  const std::string page = report_html(content);
  check_markup(page);
  CHECK(has(page, "Attacked with engine: &lt;svi&gt;, topics: 2.</p>"));
  CHECK(has(page, "not this very release, but a fit with the same settings"));
  CHECK(!has(page, "audited by the ledger"));
  content.audit->report->by_ledger = 0.75;
  const std::string by_ledger = report_html(content);
  check_markup(by_ledger);
  CHECK(has(by_ledger, "audited by the ledger, at least</th><td class=\"number\">0.75</td>"));
  CHECK(has(by_ledger, "except the scale of the noise"));
  content.audit->report->by_ledger.reset();
  content.audit->caveat = "it leaves out <much>";
  CHECK(has(report_html(content), "it leaves out &lt;much&gt;"));
  const std::string enough = "To exceed the claim, an attack needs about " +
                             std::to_string(*dplda::canaries_to_exceed(2, 1e-6)) +
                             " canaries in a vocabulary of as many words, or about " +
                             std::to_string(*dplda::runs_to_exceed(2, 1e-6)) + " runs.";
  CHECK(has(page, enough));
  CHECK(has(page, ">1.82</td>"));
  CHECK(count(page, "class=\"curve c") == 4);  // two curves, and their keys
  CHECK(has(page, "class=\"beyond\""));
  CHECK(has(page, "100 members, 100 others"));
  content.audit->report.reset();
  CHECK(!has(markup_of(report_html(content)), "class=\"beyond\""));

  content.audit->curves[0].points[1].true_positive_rate = 1.5;
  CHECK_THROWS_AS(report_html(content), std::invalid_argument);
  content.audit->curves[0].points[1].true_positive_rate = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(report_html(content), std::invalid_argument);
}

TEST_CASE("a curve has the area under it", "[report]") {
  report_content content = private_content(random_model(2, 10, false));
  content.audit = audit_content{.curves = {{"x", {{0, 0}, {0, 0.5}, {0.5, 0.5}, {0.5, 1}, {1, 1}}, 2, 3}}};
  CHECK(has(report_html(content), "x: 2 members, 3 others, area 0.750"));
}

TEST_CASE("the report says when no size of attack is strong enough", "[report]") {
  const dplda::audit_report report{.claimed = 100, .delta = 1e-6, .method = "one run", .provable = 1};
  CHECK(has(dplda::describe_reach(report),
            "No larger attack was found that could, up to 100000 canaries and 1000000 runs."));
}

TEST_CASE("a model is written for other readers", "[report]") {
  if (const char* const folder = std::getenv("DPLDA_REPORT_PAGES")) {
    const auto model = model_of({{0.5, 0.3, 0.2, 0}, {0.1, 0.2, 0.3, 0.4}}, {"north", "süd", "east", "west"});
    dplda::save_model(std::filesystem::path(folder) / "model", model, {.overwrite = true});
    CHECK(dplda::load_model(std::filesystem::path(folder) / "model").topics() == 2);
  }
}

TEST_CASE("a page does not show the exact number of units", "[report]") {
  const report_content content = private_content(random_model(3, 30, true));
  const dplda::release<dplda::topic_model<>> released(content.topics, *content.claim, content.ledger);
  const std::string page = report_html(released, {.settings = {{dplda::setting::stated_units, 20123}}});
  CHECK(!has(page, "20123"));
  CHECK(has(page, "<td>20000</td>"));
  CHECK(has(page, "which is rounded and must not have been counted in the data"));
}

TEST_CASE("an audit's bound by the ledger is kept in its file", "[report]") {
  const dplda_tests::temporary_folder folder;
  const report_content content = private_content(random_model(3, 30, true));
  dplda::audit_report report{
      .claimed = content.claim->epsilon, .delta = content.claim->delta, .method = "one run", .provable = 9};
  const auto again = [&] {
    const auto file = folder.file("audit.json", audit_json(report, *content.claim, {}).dump());
    return dplda::read_audit(file, {.claim = content.claim, .ledger = content.ledger}).report->by_ledger;
  };
  CHECK(!again().has_value());
  report.by_ledger = 1.25;
  CHECK(again() == 1.25);
}

TEST_CASE("an audit tells a stated number of units in two digits", "[report]") {
  // It was written as given, and then the audit did not fit the release, which had rounded it.
  const dplda_tests::temporary_folder folder;
  const report_content content = private_content(random_model(3, 30, true));
  const dplda::json_value::object counted{{dplda::setting::stated_units, 20123}};
  const dplda::audit_report report{
      .claimed = content.claim->epsilon, .delta = content.claim->delta, .method = "one run", .provable = 9};
  const std::string text = audit_json(report, *content.claim, counted).dump();
  CHECK(!has(text, "20123"));
  CHECK(has(text, "20000"));
  const auto file = folder.file("audit.json", text);
  for (const double units : {20000, 20123})
    CHECK_NOTHROW(dplda::read_audit(file, {.claim = content.claim,
                                           .ledger = content.ledger,
                                           .details = {.settings = {{dplda::setting::stated_units, units}}}}));
}
