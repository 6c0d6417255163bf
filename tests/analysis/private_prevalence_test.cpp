// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/private_prevalence.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/analysis/detail/unit_shares_of_topics.hpp>
#include <dplda/audit/lower_bounds.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/mechanisms/accumulator.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget one{.epsilon = 1, .delta = 1e-6};

// Three topics of four words each.
topic_model<> three_topics() {
  return make_model({{.25, .25, .25, .25, 0, 0, 0, 0, 0, 0, 0, 0},
                     {0, 0, 0, 0, .25, .25, .25, .25, 0, 0, 0, 0},
                     {0, 0, 0, 0, 0, 0, 0, 0, .25, .25, .25, .25}},
                    {.1, .1, .1});
}

prevalence_options of_groups(std::size_t groups, std::uint64_t units) {
  prevalence_options options{.groups = {}, .units = units};
  for (std::size_t g = 0; g < groups; ++g) options.groups.push_back("group " + std::to_string(g));
  return options;
}

// A document's group follows from its id, so that it goes with the document.
std::vector<std::uint32_t> groups_by_id(const corpus& docs, std::uint64_t count) {
  std::vector<std::uint32_t> groups;
  for (std::size_t d = 0; d < docs.size(); ++d) groups.push_back(static_cast<std::uint32_t>(docs[d].id % count));
  return groups;
}

}  // namespace

TEST_CASE("Grey-box audit of prevalence finds nothing", "[analysis][prevalence]") {
  grey_box_result sums_result, squares_result;
  const topic_model<> topics = three_topics();
  const Eigen::MatrixXd shares = (Eigen::MatrixXd(4, 3) << .2, .3, .5, 1, 0, 0, 0, .1, .9, .4, .3, .3).finished();
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    prevalence_options options = of_groups(4, 1 << 20);
    options.unit = unit;
    options.threads = 1;
    const private_prevalence engine(declare_public(topics), options, {.epsilon = 4, .delta = 1e-5});
    const auto corpora = adversarial_corpora(12, 5);
    for (const named_corpus& each : corpora) {
      // The last group of five has no row.
      sums_result += grey_box_audit(each.docs, corpora.back().docs, unit, grey_box_bound_of(engine.plan().sums()),
                                    [&](const corpus& docs) {
                                      random_source frozen = seeded_random(5);
                                      const auto released = engine.fit(docs, groups_by_id(docs, 5), frozen);
                                      const Eigen::MatrixXd& sums = released.value().get().sums;
                                      return to_integers(std::span(sums.data(), static_cast<std::size_t>(sums.size())),
                                                         engine.plan().sums().unit_size());
                                    });
      squares_result += grey_box_audit(
          each.docs, corpora.back().docs, unit, grey_box_bound_of(engine.plan().squares()), [&](const corpus& docs) {
            const divided_corpus divided(docs, unit);
            const std::vector<std::uint32_t> groups = groups_by_id(docs, 5);
            accumulator squares(engine.plan().squares());
            detail::unit_shares_of_topics(divided, groups, 4, topic_inference<>(topics)(docs, 1))
                .add_squares(shares, squares);
            random_source frozen = seeded_random(6);
            ledger spent;
            const std::vector<double> noisy = squares.publish(frozen, spent);
            return to_integers(noisy, engine.plan().squares().unit_size());
          });
    }
  }
  CHECK(sums_result.violations() == 0);
  CHECK(sums_result.largest_ratio > 0.9);
  CHECK(squares_result.violations() == 0);
  CHECK(squares_result.largest_ratio > 0.5);
}

// The bound fails with probability 0.001 at most if the claim holds.
TEST_CASE("Prevalence: the audited epsilon is below the claim", "[analysis][prevalence]") {
  const corpus with = make_corpus({{0, 1, 2, 3, 0, 1}, {4, 5, 6}, {8, 9}}, 12);
  const corpus without = make_corpus({{4, 5, 6}, {8, 9}}, 12);
  const std::vector<std::uint32_t> groups_with{0, 1, 1}, groups_without{1, 1};
  prevalence_options options = of_groups(2, 3);
  options.threads = 1;
  const private_prevalence engine(declare_public(three_topics()), options, {.epsilon = 2, .delta = 1e-3});
  std::vector<double> seen_with, seen_without;
  random_source random = seeded_random(8);
  for (int run = 0; run < 6000; ++run) {
    seen_with.push_back(engine.fit(with, groups_with, random).value().get().sums(0, 0));
    seen_without.push_back(engine.fit(without, groups_without, random).value().get().sums(0, 0));
  }
  const double audited =
      audited_epsilon(seen_with, seen_without, {.delta = 1e-3, .confidence = 0.999, .gaussian = true});
  CHECK(audited < engine.guarantee().epsilon);
  CHECK(audited > 0.6 * engine.guarantee().epsilon);  // the attack sees nearly all of the unit
}

TEST_CASE("A unit counts once in prevalence, divided among the groups of its documents", "[analysis][prevalence]") {
  // User 0 writes three documents in group 0 and one in group 1, user 1 one in group 1; user 2 only outside of groups.
  const corpus docs = make_corpus({{0, 1}, {0, 1, 2}, {3}, {4, 5}, {8, 9, 10}, {0}, {}}, 12, {0, 0, 0, 0, 1, 2, 1}, 3);
  const std::vector<std::uint32_t> groups{0, 0, 0, 1, 1, no_group, 1};
  prevalence_options options = of_groups(2, 3);
  options.unit = privacy_unit::user;
  const private_prevalence engine(declare_public(three_topics()), options, {.epsilon = 1e6, .delta = 1e-6});
  random_source random = seeded_random(1);
  const prevalence found = engine.fit(docs, groups, random).value();
  CHECK(found.units(0) == Approx(0.75).margin(0.02));
  CHECK(found.units(1) == Approx(1.25).margin(0.02));
  // Topic 0 has all of group 0 but what the prior gives to the others; group 1 has a fourth of user 0 for topic 1.
  const topic_inference<> infer(three_topics());
  const double mostly = (infer(docs[0])[0] + infer(docs[1])[0] + infer(docs[2])[0]) / 3;
  CHECK(found.share(0, 0) == Approx(mostly).margin(0.03));
  CHECK(found.share(1, 1) == Approx((0.25 * infer(docs[3])[1] + infer(docs[4])[1]) / 1.25).margin(0.03));
  CHECK(found.share(1, 2) == Approx((0.25 * infer(docs[3])[2] + infer(docs[4])[2]) / 1.25).margin(0.03));
}

TEST_CASE("Prevalence spends what it plans, and its guarantee covers the topics", "[analysis][prevalence]") {
  const corpus docs = synthetic_lda({.documents = 200, .words = 30, .topics = 3}, seeded_random(1)).docs;
  const private_svi learner({.topics = 3, .units = 200, .words = 30, .steps = 2}, one);
  random_source random = seeded_random(2);
  const release<topic_model<>> topics = learner.fit(docs, random);
  const budget half{.epsilon = 0.5, .delta = 1e-7};
  const private_prevalence engine(topics, of_groups(2, 200), half);
  CHECK(engine.own().epsilon <= 0.5);
  CHECK(engine.own().epsilon > 0.499);
  CHECK(engine.guarantee().epsilon > learner.guarantee().epsilon);
  CHECK(engine.guarantee().epsilon < learner.guarantee().epsilon + 0.5);
  CHECK(engine.guarantee().delta == 1e-6 + 1e-7);
  CHECK(engine.guarantee().assumes_fixed_plans);
  const auto released = engine.fit(docs, groups_by_id(docs, 2), random);
  ledger expected = topics.ledger();
  expected.append(engine.plan().ledger());
  CHECK(std::ranges::equal(released.ledger().entries(), expected.entries()));
  CHECK(price(expected, 1e-6 + 1e-7).epsilon <= released.guarantee().epsilon);
  CHECK(released.guarantee().seeded);
  CHECK(engine.plan().ledger().entries().size() == 2);
  // Without a part for the spread there is one sum only, and the largest spread is assumed.
  prevalence_options plain = of_groups(2, 200);
  plain.spread_share = 0;
  const private_prevalence sums_only(topics, plain, half);
  CHECK(sums_only.plan().ledger().entries().size() == 1);
  CHECK(sums_only.plan().sums().noise() == Approx(std::sqrt(0.9) * engine.plan().sums().noise()).epsilon(1e-3));
  CHECK(sums_only.fit(docs, groups_by_id(docs, 2), random).value().spread(0) == 1);
}

TEST_CASE("Threads do not change prevalence", "[analysis][prevalence]") {
  const corpus docs = synthetic_lda({.documents = 150, .words = 12, .topics = 3}, seeded_random(3)).docs;
  std::vector<Eigen::MatrixXd> sums;
  for (const std::size_t threads : {1u, 3u}) {
    prevalence_options options = of_groups(3, 150);
    options.threads = threads;
    random_source random = seeded_random(4);
    const private_prevalence engine(declare_public(three_topics()), options, one);
    sums.push_back(engine.fit(docs, groups_by_id(docs, 3), random).value().get().sums);
  }
  CHECK(sums[0] == sums[1]);
}

// 100 runs of 4 groups and 3 topics, of which the small group tells nothing. The mean coverage of the intervals of the
// three other groups has a standard deviation below 0.01 (independent runs; cells of a run may depend on each other):
// bounds of four of them give a false alarm with probability 1e-4.
TEST_CASE("Prevalence: intervals cover, and are as wide as planned", "[analysis][prevalence]") {
  const topic_model<> topics = three_topics();
  const std::vector<std::size_t> sizes{400, 200, 100, 5};
  // A population of documents for each group, in which the topics differ, and its mean proportions.
  const topic_inference<> infer(topics);
  chacha20 bits = seeded_random(10).stream("population");
  std::vector<std::vector<std::vector<word_id>>> population(sizes.size());
  Eigen::MatrixXd truth = Eigen::MatrixXd::Zero(4, 3);
  constexpr std::size_t kinds = 2000;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    std::vector<std::uint32_t> group;
    for (std::size_t d = 0; d < kinds; ++d) {
      std::vector<word_id> words;
      const std::uint64_t main = uniform_below(bits, 10) < 4 + g ? 0 : 1 + uniform_below(bits, 2);
      for (int n = 0; n < 6; ++n) {
        const std::uint64_t topic = uniform_below(bits, 4) == 0 ? uniform_below(bits, 3) : main;
        words.push_back(static_cast<word_id>(4 * topic + uniform_below(bits, 4)));
      }
      population[g].push_back(std::move(words));
    }
    const corpus all = make_corpus(population[g], 12);
    truth.row(static_cast<Eigen::Index>(g)) = infer(all).colwise().mean();
  }
  prevalence_options options = of_groups(4, 700);
  options.threads = 1;
  const private_prevalence engine(declare_public(topics), options, one);
  std::size_t told = 0, noise_covered = 0, covered = 0, small_told = 0;
  double width = 0, planned = 0;
  random_source random = seeded_random(11);
  for (int run = 0; run < 100; ++run) {
    std::vector<std::vector<word_id>> sample;
    std::vector<std::uint32_t> groups;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      for (std::size_t i = 0; i < sizes[g]; ++i) {
        sample.push_back(population[g][uniform_below(bits, kinds)]);
        groups.push_back(static_cast<std::uint32_t>(g));
      }
    }
    const corpus docs = make_corpus(sample, 12);
    const Eigen::MatrixXd thetas = infer(docs);
    Eigen::MatrixXd here = Eigen::MatrixXd::Zero(4, 3);
    for (std::size_t d = 0; d < docs.size(); ++d)
      here.row(groups[d]) += thetas.row(static_cast<Eigen::Index>(d)) / static_cast<double>(sizes[groups[d]]);
    const prevalence found = engine.fit(docs, groups, random).value();
    small_told += found.tells(3) ? 1 : 0;
    for (std::size_t g = 0; g < 3; ++g) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto row = static_cast<Eigen::Index>(g), column = static_cast<Eigen::Index>(k);
        ++told;
        noise_covered += found.noise_interval(g, k).contains(here(row, column)) ? 1 : 0;
        covered += found.interval(g, k).contains(truth(row, column)) ? 1 : 0;
        width += found.noise_interval(g, k).width();
        planned += 2 * engine.plan().half_width(static_cast<double>(sizes[g]), here(row, column));
      }
    }
  }
  const auto part = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(told); };
  CAPTURE(part(noise_covered), part(covered), width / planned);
  CHECK(part(noise_covered) > 0.91);
  CHECK(part(noise_covered) < 0.99);
  CHECK(part(covered) > 0.91);
  CHECK(part(covered) < 0.99);
  CHECK(width / planned == Approx(1).margin(0.1));
  CHECK(small_told < 20);  // 5 units, with noise of 9 on their number
  CHECK(engine.plan().half_width(5, 0.3) == 1);
}

TEST_CASE("Prevalence refuses what it cannot measure or answer for", "[analysis][prevalence]") {
  const topic_model<> topics = three_topics();
  const corpus docs = make_corpus({{0, 1}, {4}}, 12);
  const auto plan = [&](auto change) {
    prevalence_options options = of_groups(2, 10);
    change(options);
    return refusal([&] { prevalence_plan(3, options, one); });
  };
  CHECK_THAT(plan([](auto& o) { o.groups.clear(); }), ContainsSubstring("number of groups"));
  CHECK_THAT(plan([](auto& o) { o.groups[1] = o.groups[0]; }), ContainsSubstring("must be different"));
  CHECK_THAT(plan([](auto& o) { o.groups[1] = ""; }), ContainsSubstring("must have letters"));
  CHECK_THAT(plan([](auto& o) { o.units = 0; }), ContainsSubstring("units"));
  CHECK_THAT(plan([](auto& o) { o.unit = privacy_unit::token; }), ContainsSubstring("document or user"));
  CHECK_THAT(plan([](auto& o) { o.spread_share = 0.95; }), ContainsSubstring("[0, 0.9]"));
  CHECK(plan([](auto&) {}).empty());
  const private_prevalence engine(declare_public(topics), of_groups(2, 10), one);
  random_source random = seeded_random(1);
  CHECK_THAT(refusal([&] { engine.fit(docs, std::vector<std::uint32_t>{0}, random); }),
             ContainsSubstring("must be the number of documents"));
  CHECK_THAT(refusal([&] { engine.fit(docs, {}, random); }), ContainsSubstring("must be the number of documents"));
  // Topics that nothing pays for: over words of documents, or as a paper publishes them.
  const auto words_of_documents = std::make_shared<const vocabulary>(std::vector<std::string>{"a", "b"});
  const topic_model<> unpaid(Eigen::MatrixXd::Constant(1, 2, 0.5), words_of_documents);
  CHECK_THAT(refusal([&] { private_prevalence(declare_public(unpaid), of_groups(1, 10), one); }),
             ContainsSubstring("taken from documents"));
  ledger spent;
  spent.record({gaussian_noise{1}, all_units{}, privacy_unit::document, neighbours::add_remove, "x"});
  guarantee claim = price(spent, 1e-6);
  const release<topic_model<>> cheaper(
      topics,
      [&] {
        guarantee raised = claim;
        raised.epsilon *= 2;
        return raised;
      }(),
      spent);
  CHECK_THAT(refusal([&] { private_prevalence(cheaper, of_groups(1, 10), one); }), ContainsSubstring("the price"));
  guarantee published = claim;
  published.basis = basis::as_published;
  published.caveat = "a paper says so";
  const release<topic_model<>> unproven(topics, published, spent);
  CHECK_THAT(refusal([&] { private_prevalence(unproven, of_groups(1, 10), one); }), ContainsSubstring("not proven"));
  prevalence_options users = of_groups(1, 10);
  users.unit = privacy_unit::user;
  const release<topic_model<>> by_document(topics, claim, spent);
  CHECK_FALSE(refusal([&] { private_prevalence(by_document, users, one); }).empty());
}

// Prevalence of January and February, by topics that February's fit had made from January's: the ledger lacked January's.
TEST_CASE("Prevalence does not leave out the cost of topics that earlier parts had", "[analysis][prevalence]") {
  const corpus docs = synthetic_lda({.documents = 400, .words = 30, .topics = 3}, seeded_random(1)).docs;
  private_svi_options monthly{.topics = 3, .units = 200, .words = 30, .steps = 2};
  random_source random = seeded_random(2);
  const auto january = private_svi(monthly, {.epsilon = 8, .delta = 1e-6}).fit(docs.slice(0, 200), random);
  monthly.earlier = declare_disjoint(january, "in February");
  const auto february = private_svi(monthly, {.epsilon = 0.5, .delta = 1e-6}).fit(docs.slice(200, 400), random);
  const budget half{.epsilon = 0.5, .delta = 1e-7};
  prevalence_options options = of_groups(1, 400);
  CHECK_THAT(refusal([&] { private_prevalence(february, options, half); }), ContainsSubstring("one part of the data"));
  options.part = "in January";
  CHECK_THAT(refusal([&] { private_prevalence(february, options, half); }), ContainsSubstring("one part of the data"));
  options.part = "in February";
  const private_prevalence engine(february, options, half);
  CHECK(engine.guarantee().part == "in February");
  CHECK(engine.own().part.empty());
  CHECK(engine.fit(docs.slice(200, 400), {}, random).guarantee().part == "in February");
  options.part.clear();
  CHECK(private_prevalence(january, options, half).guarantee().part.empty());
}
