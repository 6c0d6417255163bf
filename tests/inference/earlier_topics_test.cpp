// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/earlier_topics.hpp>

#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/type_completion.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/private_topics/detail/noisy_topics.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget four{.epsilon = 4, .delta = 1e-5};

synthetic_data letters(std::size_t documents) {
  return synthetic_lda({.documents = documents, .words = 300, .topics = 4, .mean_length = 40}, seeded_random(11));
}

private_svi_options monthly(std::size_t documents) {
  return {.topics = 4, .units = documents, .words = 300, .steps = 5};
}

release<topic_model<>> fitted(const private_svi_options& options, const corpus& docs, std::uint64_t seed = 1) {
  random_source random = seeded_random(seed);
  return private_svi(options, four).fit(docs, random);
}

// Private words of documents, as fully_private_topics chooses them, with topics over them.
release<topic_model<>> over_released_words(const corpus& docs, const vocabulary_ptr& words) {
  ledger spent;
  spent.record({.noise = gaussian_noise{10}});
  const release<vocabulary_ptr> chosen(words, price(spent, 1e-6), spent);
  private_svi_options options = monthly(docs.size());
  options.words = words->size();
  options.before = spent;
  options.background_share = 0.2;
  random_source random = seeded_random(3);
  return private_svi(options, four).fit(chosen, docs.restrict_to(chosen.value()), random);
}

}  // namespace

TEST_CASE("The counts behind topics have the noise that they state", "[inference][earlier_topics]") {
  // Documents of four different words, once each: a document gives 1/2 to each word. Word weights change the noise.
  corpus_builder builder;
  for (std::size_t d = 0; d < 3000; ++d) {
    for (word_id i = 0; i < 4; ++i) builder.add(static_cast<word_id>((d * d + 31 * i) % 400 + (i % 2) * 100 * (d % 3)));
    builder.end_document();
  }
  const corpus docs = made_up(builder, 600);
  Eigen::VectorXd truth = Eigen::VectorXd::Zero(600);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    double squares = 0;
    for (const std::uint32_t count : docs[d].counts) squares += count;  // n tokens of a word count as sqrt(n)
    for (std::size_t n = 0; n < docs[d].size(); ++n)
      truth[static_cast<Eigen::Index>(docs[d].words[n])] += std::sqrt(docs[d].counts[n] / squares);
  }
  random_source random = seeded_random(5);
  const private_svi learner({.topics = 3, .units = 3000, .words = 600, .steps = 4, .word_weight = 0}, four);
  const auto topics = learner.fit(docs, random);
  REQUIRE(topics.value().counts() != nullptr);
  const topic_counts& counts = *topics.value().counts();
  // Sums of 600 squared normal variables lie within 600 +- 6 sqrt(1200) with a probability of 1 - 1e-8; a noise that is
  // off by a quarter is rejected.
  const double words = ((counts.words - truth).array() / counts.word_noise.array()).square().sum();
  CHECK(std::abs(words - 600) < 6 * std::sqrt(1200.0));
  const Eigen::VectorXd sums = counts.cells.colwise().sum().transpose();
  const double cells = ((sums - truth).array() / (std::sqrt(3.0) * counts.cell_noise.array())).square().sum();
  CHECK(std::abs(cells - 600) < 6 * std::sqrt(1200.0));
  CHECK(counts.cell_noise.maxCoeff() ==
        Catch::Approx(learner.plan().table.noise() * detail::noisy_topics::noise_left(4)));
}

TEST_CASE("Counts of two releases are averaged by their precision", "[inference][earlier_topics]") {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(2);
  const auto background = [&](double a, double b, double noise) {
    return std::vector<detail::noisy_words>{{Eigen::Vector2d(a, b), noise, ones}, {Eigen::Vector2d(a, b), noise, ones}};
  };
  detail::noisy_topics months(2, background(30, 10, std::sqrt(2.0)), ones);
  topic_counts earlier{Eigen::MatrixXd(2, 2), Eigen::Vector2d(1, 4), Eigen::Vector2d(15, 5), Eigen::Vector2d(1, 2)};
  earlier.cells << 10, 1, 5, 4;
  months.go_on_from(earlier);
  const std::vector<double> table{18, 12, 4, 6};  // the topics of one word side by side
  months.add(table, 2);
  const topic_counts all = months.counts();
  // Half as many documents before: their counts are doubled, and so is their noise.
  CHECK(all.words[0] == Catch::Approx(30));
  CHECK(all.word_noise[0] == Catch::Approx(1 / std::sqrt(1 + 1 / 4.0)));
  CHECK(all.word_noise[1] == Catch::Approx(1 / std::sqrt(1 + 1 / 16.0)));
  CHECK(all.cells(0, 0) == Catch::Approx((18 / 4.0 + 20 / 4.0) / (1 / 4.0 + 1 / 4.0)));
  CHECK(all.cells(1, 1) == Catch::Approx((6 / 4.0 + 8 / 64.0) / (1 / 4.0 + 1 / 64.0)));
  CHECK(all.cell_noise[1] == Catch::Approx(1 / std::sqrt(1 / 4.0 + 1 / 64.0)));
}

TEMPLATE_TEST_CASE("Topics become clearer from month to month, and their numbers stay", "[inference][earlier_topics]",
                   private_svi, private_gibbs) {
  const synthetic_data data = letters(5000);
  const corpus held_out = data.docs.slice(4000, 5000);
  const auto score = [&](const auto& topics) {
    return type_completion_perplexity(topics.value(), held_out).perplexity;
  };
  typename TestType::options_type options{.topics = 4, .units = 500, .words = 300, .steps = 5};
  random_source random = seeded_random(1);
  release<topic_model<>> last = TestType(options, four).fit(data.docs.slice(0, 500), random), first = last;
  double alone = score(last);
  for (std::size_t month = 1; month < 8; ++month) {
    const corpus docs = data.docs.slice(500 * month, 500 * (month + 1));
    options.earlier.reset();
    alone += score(TestType(options, four).fit(docs, random));
    options.earlier = declare_disjoint(last, "month " + std::to_string(month + 1));
    last = TestType(options, four).fit(docs, random);
  }
  CAPTURE(score(first), alone / 8, score(last));
  CHECK(score(last) < 0.95 * alone / 8);
  // Eight releases of equal noise: 1 / sqrt(8) of it is left.
  CHECK(last.value().counts()->cell_noise.mean() < 0.5 * first.value().counts()->cell_noise.mean());
  std::vector<std::size_t> same(4);
  std::iota(same.begin(), same.end(), std::size_t{0});
  CHECK(align_topics(last.value(), first.value()) == same);
}

TEST_CASE("Disjoint documents cost their own fit alone, others what both cost", "[inference][earlier_topics]") {
  const corpus docs = letters(600).docs;
  const private_svi_options plain = monthly(300);
  const auto january = fitted(plain, docs.slice(0, 300));
  private_svi_options options = plain;
  options.earlier = declare_disjoint(january, "received in February");
  CHECK(private_svi(options, four).plan().ledger == private_svi(plain, four).plan().ledger);
  guarantee february = private_svi(plain, four).guarantee();
  february.part = "received in February";
  CHECK(private_svi(options, four).guarantee() == february);

  options.earlier = earlier_topics(january);
  CHECK_THAT(refusal([&] { private_svi(options, four); }), ContainsSubstring("without the ledger"));
  options.before = january.ledger();
  const budget both{.epsilon = 8, .delta = 1e-5};
  const private_svi learner(options, both);
  CHECK(learner.plan().ledger.contains(january.ledger()));
  CHECK(learner.guarantee().epsilon > 7.9);
  CHECK(learner.guarantee().assumes_fixed_plans);
  CHECK(price(learner.plan().ledger, 1e-5).epsilon <= 8);
  random_source random = secure_random();
  CHECK(std::ranges::equal(learner.fit(docs, random).ledger().entries(), learner.plan().ledger.entries()));
}

TEST_CASE("A fit that goes on from seeded topics is marked as seeded", "[inference][earlier_topics]") {
  const corpus docs = letters(300).docs;
  random_source secret = secure_random();
  private_svi_options options = monthly(300);
  const auto safe = private_svi(options, four).fit(docs, secret);
  options.earlier = declare_disjoint(safe, "others");
  CHECK_FALSE(private_svi(options, four).fit(docs, secret).guarantee().seeded);
  options.earlier = declare_disjoint(fitted(monthly(300), docs), "others");
  CHECK(private_svi(options, four).fit(docs, secret).guarantee().seeded);
}

TEST_CASE("Earlier topics that do not fit are refused", "[inference][earlier_topics]") {
  const corpus docs = letters(300).docs;
  const auto january = fitted(monthly(300), docs);
  CHECK_THAT(refusal([&] { declare_disjoint(january, " \n"); }), ContainsSubstring("the rule"));
  const topic_model<> bare(january.value().phi(), docs.vocab());
  CHECK_THAT(refusal([&] { earlier_topics{release(bare, january.guarantee(), january.ledger())}; }),
             ContainsSubstring("without their noisy counts"));
  guarantee unproven = january.guarantee();
  unproven.basis = basis::as_published;
  unproven.caveat = "a test";
  CHECK_THAT(refusal([&] { declare_disjoint(release(january.value(), unproven, january.ledger()), "others"); }),
             ContainsSubstring("not proven"));
  private_svi_options replaced = monthly(300);
  replaced.relation = neighbours::replace;
  CHECK_THAT(refusal([&] { declare_disjoint(fitted(replaced, docs), "others"); }), ContainsSubstring("may move"));

  private_svi_options options = monthly(300);
  options.earlier = declare_disjoint(january, "others");
  const auto refused = [&](auto&& change) {
    private_svi_options other = options;
    change(other);
    return refusal([&] { private_svi(other, four); });
  };
  CHECK(refused([](auto&) {}).empty());
  CHECK_THAT(refused([](auto& o) { o.topics = 5; }), ContainsSubstring("their numbers stay"));
  CHECK_THAT(refused([](auto& o) { o.unit = privacy_unit::user; }), ContainsSubstring("of one kind"));
  CHECK_THAT(refused([](auto& o) { o.relation = neighbours::replace; }), ContainsSubstring("of one kind"));
  CHECK_THAT(refused([](auto& o) { o.memory = 0; }), ContainsSubstring("memory"));
  CHECK_THAT(refused([](auto& o) { o.memory = 1.5; }), ContainsSubstring("memory"));
  CHECK_THAT(refused([&](auto& o) { o.public_topics = declare_public(letters(1).model); }),
             ContainsSubstring("earlier topics"));
  random_source random = seeded_random(2);
  options.before = january.ledger();
  CHECK_THAT(refusal([&] {
               private_svi(options, {8, 1e-5}).fit(january, docs, random);
             }),
             ContainsSubstring("starts from these"));
}

TEST_CASE("Earlier words that were released are dropped to, and new ones come after them",
          "[inference][earlier_topics]") {
  const corpus docs = letters(600).docs;
  std::vector<std::string> few, more;
  for (word_id w = 0; w < 200; ++w) few.emplace_back(docs.vocab()->word(w));
  more = few;
  for (word_id w = 299; w >= 200; --w) more.emplace_back(docs.vocab()->word(w));
  const auto january = over_released_words(docs.slice(0, 300), std::make_shared<const vocabulary>(few));
  REQUIRE(january.value().vocab()->origin() == word_origin::released);

  private_svi_options options = monthly(300);
  options.words = 200;
  options.earlier = declare_disjoint(january, "February");
  const auto february = fitted(options, docs.slice(300, 600));
  CHECK(*february.value().vocab() == *january.value().vocab());
  CHECK(february.value().vocab()->origin() == word_origin::released);

  ledger spent;
  spent.record({.noise = gaussian_noise{9}});
  const auto with_new = [&](const std::vector<std::string>& words) {
    return release<vocabulary_ptr>(std::make_shared<const vocabulary>(words), price(spent, 1e-6), spent);
  };
  options.before = spent;
  options.background_share = 0.2;
  options.words = 300;
  random_source random = seeded_random(4);
  const auto grown = private_svi(options, four).fit(with_new(more), docs, random);
  for (word_id w = 0; w < 200; ++w) CHECK(grown.value().vocab()->word(w) == january.value().vocab()->word(w));
  CHECK(grown.value().words() == 300);
  std::swap(more[3], more[7]);
  CHECK_THAT(refusal([&] { private_svi(options, four).fit(with_new(more), docs, random); }),
             ContainsSubstring("must begin with the words"));

  // Where units may be in both, the number of released words is a result of `before`, and may not decide the noise.
  options.words = 200;
  options.background_share = 0;
  options.before = january.ledger();
  options.earlier = earlier_topics(january);
  CHECK_THAT(refusal([&] {
               private_svi(options, {8, 1e-5}).fit(docs, random);
             }),
             ContainsSubstring("background_share"));
}

TEST_CASE("A fit that goes on from earlier topics does not depend on threads, and resumes as it began",
          "[inference][earlier_topics]") {
  const corpus docs = letters(600).docs;
  private_svi_options options = monthly(300);
  options.earlier = declare_disjoint(fitted(options, docs.slice(0, 300)), "February");
  const corpus february = docs.slice(300, 600);
  options.threads = 1;
  const auto one = fitted(options, february);
  options.threads = 3;
  CHECK(fitted(options, february).value().phi() == one.value().phi());
  random_source random = seeded_random(1);
  const private_svi learner(options, four);
  private_topics_state state = learner.start(february, random);
  CHECK(learner.resume(state, february, random).value().phi() == one.value().phi());
  options.memory = 0.5;
  CHECK_FALSE(fitted(options, february).value().phi() == one.value().phi());
  random_source again = seeded_random(1);
  private_topics_state other = private_svi(options, four).start(february, again);
  CHECK_THAT(refusal([&] { learner.resume(other, february, again); }), ContainsSubstring("of another fit"));
}

TEST_CASE("Grey-box audit of a fit that goes on from earlier topics finds nothing", "[inference][earlier_topics]") {
  grey_box_result result;
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const auto corpora = adversarial_corpora(12, 5);
    private_svi_options options{
        .topics = 3, .units = std::uint64_t{1} << 20, .words = 12, .unit = unit, .steps = 1, .rate = 1, .threads = 1};
    random_source random = seeded_random(2);
    options.earlier = declare_disjoint(private_svi(options, four).fit(corpora[1].docs, random), "others");
    const private_svi engine(options, four);
    const private_topics_state before = engine.start(corpora[1].docs, random);
    for (const named_corpus& each : corpora) {
      result += grey_box_audit(
          each.docs, corpora.back().docs, unit, grey_box_bound_of(engine.plan().table), [&](const corpus& docs) {
            private_topics_state state = before;
            random_source frozen = seeded_random(5);
            engine.resume(state, docs, frozen);
            return to_integers(std::span(state.table().data(), static_cast<std::size_t>(state.table().size())),
                               engine.plan().table.unit_size());
          });
    }
  }
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.9);
}

// February's ledger lacks January's, so a guarantee for both months claimed too little.
TEST_CASE("Topics of one part are not taken for topics of earlier parts", "[inference][earlier_topics]") {
  const corpus docs = letters(600).docs;
  const private_svi_options plain = monthly(300);
  const auto january = fitted(plain, docs.slice(0, 300));
  private_svi_options options = plain;
  options.earlier = declare_disjoint(january, "received in February");
  const auto february = fitted(options, docs.slice(300, 600));
  CHECK(january.guarantee().part.empty());
  CHECK(february.guarantee().part == "received in February");
  CHECK(february.map([](const auto& topics) { return topics.vocab(); }).guarantee().part == "received in February");

  const budget both{.epsilon = 8, .delta = 1e-5};
  private_svi_options next = plain;
  next.before = february.ledger();
  random_source random = seeded_random(5);
  CHECK_THAT(refusal([&] { private_svi(next, both).fit(february, docs, random); }), ContainsSubstring("one part"));
  next.earlier = earlier_topics(february);
  CHECK_THAT(refusal([&] { private_svi(next, both); }), ContainsSubstring("\"received in February\""));
  next.before = {};
  CHECK_THAT(refusal([&] { declare_disjoint(february, "received in February"); }), ContainsSubstring("another one"));
  next.earlier = declare_disjoint(february, "received in March");
  CHECK(private_svi(next, four).guarantee().part == "received in March");
}
