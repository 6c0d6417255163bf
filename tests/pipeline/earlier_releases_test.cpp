// SPDX-License-Identifier: Apache-2.0
// A guarantee that covers earlier releases assumes that plans were fixed beforehand, and says so wherever it is shown.
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/release_folder.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>
#include <dplda/report/report.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include "io/io_support.hpp"
#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget three{.epsilon = 3, .delta = 1e-5};
const auto says = ContainsSubstring("assumes that no budget, no option, and no decision to make a further release");

ledger statistic(privacy_unit unit = privacy_unit::document) {
  ledger spent;
  spent.record({.noise = gaussian_noise{20}, .unit = unit, .label = "a statistic"});
  return spent;
}

corpus docs() {
  std::vector<std::vector<word_id>> texts;
  for (word_id d = 0; d < 40; ++d) texts.push_back({d % 4, (d + 1) % 4, d % 3});
  return make_corpus(texts, 4);
}

}  // namespace

TEST_CASE("A guarantee that covers earlier releases says what it assumes", "[pipeline]") {
  // A plan that counted on an earlier release had a guarantee that read like that of a release alone.
  const auto check = [](const auto& alone, const auto& with) {
    CHECK_THAT(detail::text(alone.guarantee()), !says);
    CHECK_THAT(detail::text(with.guarantee()), says);
  };
  private_svi::options_type svi{.topics = 2, .units = 40, .words = 4, .steps = 1};
  const private_svi alone(svi, three);
  svi.before = statistic();
  check(alone, private_svi(svi, three));
  check(private_gibbs({.topics = 2, .units = 40, .words = 4, .steps = 1}, three),
        private_gibbs({.topics = 2, .units = 40, .words = 4, .steps = 1, .before = statistic()}, three));
  check(private_spectral({.topics = 2, .units = 40, .words = 4}, three),
        private_spectral({.topics = 2, .units = 40, .words = 4, .before = statistic()}, three));
  private_token_gibbs_options tokens{.topics = 2, .documents = 40, .words = 4, .tokens = 120, .sweeps = 1};
  const private_token_gibbs tokens_alone(tokens, three);
  tokens.before = statistic(privacy_unit::token);
  check(tokens_alone, private_token_gibbs(tokens, three));
  check(vocabulary_selector({}, three), vocabulary_selector({.before = statistic()}, three));
  topic_dp_options output{.topics = 2, .words = 4, .unit = privacy_unit::document, .relation = neighbours::add_remove};
  const topic_dp output_alone(output, three);
  output.before = statistic();
  check(output_alone, topic_dp(output, three));
  // One plan fixes the words and the topics.
  const fully_private_topics<> whole({.topics = {.topics = 2, .units = 40}}, three);
  check(whole, fully_private_topics<>({.topics = {.topics = 2, .units = 40, .before = statistic()}}, three));
  random_source random = seeded_random(1);
  CHECK_THAT(detail::text(whole.fit(docs(), random).guarantee()), !says);
  CHECK_THAT(detail::text(whole.choose_words(docs(), random).guarantee()), !says);
}

TEST_CASE("A release whose plan counted on an earlier one says so on disk and in its report", "[pipeline]") {
  const temporary_folder folder;
  random_source random = seeded_random(1);
  const private_svi learner({.topics = 2, .units = 40, .words = 4, .steps = 1, .before = statistic()}, three);
  const auto released = learner.fit(docs(), random);
  save_release(folder.path() / "topics", released);
  const auto back = load_release(folder.path() / "topics").topics;
  CHECK(back.guarantee() == released.guarantee());
  CHECK_THAT(detail::text(back.guarantee()), says);
  CHECK_THAT(report_html(back), says);
  CHECK_THAT(report_html(back), ContainsSubstring("It covers this release and the earlier ones in its ledger."));
  const auto record = read_release_record(folder.path() / "topics");
  CHECK_THAT(report_html(report_content_of(back.value(), record)), says);

  // Words that `dplda vocabulary` released, and topics that were planned after them.
  const auto words = vocabulary_selector({}, {1, 1e-6}).fit(docs(), random);
  private_svi::options_type later{.topics = 2, .units = 40, .words = 4, .steps = 1, .before = words.ledger()};
  CHECK_THAT(detail::text(private_svi(later, three).guarantee()), says);
}
