// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/spectral/private_spectral.hpp>

#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget one{.epsilon = 1, .delta = 1e-5};

// d = 50, k = 5, uniform alpha.
synthetic_data fifty_words(std::size_t documents, std::uint64_t seed, std::size_t users = 0) {
  return synthetic_lda({.documents = documents,
                        .words = 50,
                        .topics = 5,
                        .alpha = 0.2,
                        .topic_concentration = 0.1,
                        .zipf_exponent = 0,
                        .mean_length = 100,
                        .users = users},
                       seeded_random(seed));
}

double mean_distance(const topic_model<>& model, const topic_model<>& truth) {
  const auto aligned = select_topics(model, align_topics(model, truth));
  double sum = 0;
  for (const double l1 : distance_per_topic(aligned, truth, topic_distance::l1)) sum += l1;
  return sum / static_cast<double>(truth.topics());
}

dplda::detail::tall_matrix some_basis(std::size_t words, std::size_t k) {
  dplda::detail::tall_matrix basis(static_cast<Eigen::Index>(words), static_cast<Eigen::Index>(k));
  for (Eigen::Index v = 0; v < basis.rows(); ++v) {
    for (Eigen::Index i = 0; i < basis.cols(); ++i) basis(v, i) = std::sin(static_cast<double>(3 * v + 7 * i + 1));
  }
  return basis;
}

}  // namespace

TEST_CASE("A unit's moments are those of its documents", "[inference][private_spectral]") {
  const std::vector<std::vector<word_id>> tokens{{0, 0, 0, 2}, {3, 1, 2, 1, 0}, {1, 1}, {2, 2, 2}, {}};
  const corpus docs = make_corpus(tokens, 4);
  const dplda::detail::tall_matrix basis = some_basis(4, 3), identity = dplda::detail::tall_matrix::Identity(4, 4);
  dplda::detail::unit_moments unit;
  for (const std::vector<std::size_t>& chosen :
       std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {3}, {4}, {0, 1, 2, 3}, {1, 0}, {2, 4}}) {
    unit.look_at(docs, chosen);
    std::vector<std::vector<word_id>> used;
    for (const std::size_t d : chosen) {
      if (tokens[d].size() >= 3) used.push_back(tokens[d]);
    }
    if (used.empty()) {
      unit.pairs(4);
      CHECK(unit.norm() == 0);
      unit.triples(basis);
      CHECK(unit.norm() == 0);
      continue;
    }
    // With alpha0 next to 0 the combined moments are the plain averages.
    const spectral_moments expected(make_corpus(used, 4), 1e-300, moment_products::plug_in);
    unit.first();
    Eigen::VectorXd first = Eigen::VectorXd::Zero(4);
    for (std::size_t i = 0; i < unit.cells().size(); ++i) first[unit.cells()[i]] += unit.values()[i];
    CHECK((first - expected.first()).norm() < 1e-15);
    const Eigen::MatrixXd second = expected.second(identity);
    unit.pairs(4);
    CHECK(unit.norm() == Catch::Approx(second.norm()).epsilon(1e-14));
    for (std::size_t i = 0; i < unit.cells().size(); ++i) {
      CHECK((i == 0 || unit.cells()[i - 1] < unit.cells()[i]));
      for (std::size_t v = 0; v < 4; ++v) {
        for (std::size_t w = v; w < 4; ++w) {
          if (dplda::detail::pair_cell(v, w, 4) != unit.cells()[i]) continue;
          CHECK(unit.values()[i] == Catch::Approx((v == w ? 1 : std::sqrt(2.0)) *
                                                  second(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(w))));
        }
      }
    }
    const symmetric_tensor third = expected.third(basis);
    unit.triples(basis);
    CHECK(unit.norm() == Catch::Approx(third.frobenius_norm()).epsilon(1e-12));
    dplda::detail::for_each_triple(3, [&](std::size_t cell, std::size_t a, std::size_t b, std::size_t c) {
      CHECK(unit.values()[cell] ==
            Catch::Approx(dplda::detail::triple_weight(a, b, c) * third(a, b, c)).epsilon(1e-10).margin(1e-13));
    });
  }
  CHECK(dplda::detail::pair_cell(3, 3, 4) + 1 == dplda::detail::pair_cells(4));
}

TEST_CASE("Grey-box audit of private spectral LDA finds nothing", "[inference][private_spectral]") {
  const char* const wanted = std::getenv("DPLDA_AUDIT_PAIRS");
  const std::size_t pairs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 5000;
  const std::size_t words = 12, topics = 3;
  const dplda::detail::tall_matrix basis = some_basis(words, topics);
  grey_box_result second, third, first, sizes;
  for (std::uint64_t seed = 1; second.pairs + third.pairs + first.pairs + sizes.pairs < pairs; ++seed) {
    for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
      const auto corpora = adversarial_corpora(words, seed);
      const private_spectral learner(
          {.topics = topics, .units = std::uint64_t{1} << 20, .words = words, .unit = unit, .threads = 1},
          {.epsilon = 4, .delta = 1e-5});
      const auto audit = [&](accumulator_options plan, double clip, grey_box_result& result, const auto& sum) {
        plan.clip = clip;
        const accumulator sums(plan);
        const double scale = std::ldexp(sums.noise(), -sums.scale_bits());
        const auto c = static_cast<uint128>(std::llround(plan.clip / scale));
        const grey_box_bound bound{false, c * c, (plan.signs == value_signs::any ? 4 : 2) * c * c};
        for (const named_corpus& each : corpora) {
          result += grey_box_audit(each.docs, corpora.back().docs, unit, bound, [&](const corpus& docs) {
            random_source random = seeded_random(seed);
            ledger spent;
            const privacy_units units(docs, unit);
            return to_integers(sum(dplda::detail::moment_sums(docs, units, 1), plan, random, spent).values, scale);
          });
        }
      };
      audit(learner.plan().first, 1, first, [](const auto& sums, const auto& plan, auto& random, auto& spent) {
        return sums.first(plan, random, spent);
      });
      audit(learner.plan().second, seed % 2 == 0 ? 1 : 0.1, second,
            [](const auto& sums, const auto& plan, auto& random, auto& spent) {
              return sums.template pairs<double>(plan, random, spent);
            });
      audit(learner.plan().third, seed % 2 == 0 ? 10 : 0.1, third,
            [&](const auto& sums, const auto& plan, auto& random, auto& spent) {
              return sums.triples(basis, plan, random, spent);
            });
      audit(learner.plan().histogram, 1, sizes, [](const auto& sums, const auto& plan, auto& random, auto& spent) {
        return sums.pair_sizes(plan, random, spent);
      });
      audit(learner.plan().histogram, 1, sizes, [&](const auto& sums, const auto& plan, auto& random, auto& spent) {
        return sums.triple_sizes(basis, plan, random, spent);
      });
    }
  }
  std::cout << "private spectral LDA: " << first.pairs << ", " << second.pairs << ", " << third.pairs
            << " neighbouring pairs for words, pairs, triples; "
            << first.violations() + second.violations() + third.violations() << " violations; largest distances "
            << first.largest_ratio << ", " << second.largest_ratio << ", " << third.largest_ratio << " of the bound\n";
  CHECK(first.violations() == 0);
  CHECK(sizes.violations() == 0);
  CHECK(sizes.largest_ratio > 0.9);
  CHECK(second.violations() == 0);
  CHECK(third.violations() == 0);
  CHECK(first.largest_ratio > 0.9);  // or the audit would be of nothing
  CHECK(second.largest_ratio > 0.9);
  CHECK(third.largest_ratio > 0.7);
}

TEST_CASE("Clip norms are chosen by what their histogram shows", "[inference][private_spectral]") {
  const auto data = fifty_words(4000, 3);
  const privacy_units units(data.docs, privacy_unit::document);
  const dplda::detail::moment_sums sums(data.docs, units, 2);
  const dplda::detail::tall_matrix basis = some_basis(50, 3);
  accumulator_options plan{.rows = dplda::detail::moment_sums::bins, .noise_multiplier = 1e-3};  // next to no noise
  std::vector<double> pair_norms, triple_norms;
  dplda::detail::unit_moments unit;
  for (std::size_t u = 0; u < units.size(); ++u) {
    unit.look_at(data.docs, units.documents(u));
    unit.pairs(50);
    pair_norms.push_back(unit.norm());
    unit.triples(basis);
    triple_norms.push_back(unit.norm());
  }
  for (const double limit : {0.0, 40.0, 400.0, 1200.0}) {
    random_source random = seeded_random(1);
    ledger spent;
    const auto check = [&](double clip, const std::vector<double>& norms) {
      const auto above = [&](double edge) {
        return std::count_if(norms.begin(), norms.end(), [&](double norm) { return norm > edge; });
      };
      CHECK(static_cast<double>(above(clip)) <= limit + 0.5);
      CHECK(static_cast<double>(above(clip * std::exp2(-0.25))) > limit - 0.5);
    };
    check(sums.clip_norm(sums.pair_sizes(plan, random, spent), limit + 0.25), pair_norms);
    check(sums.longest_triple(basis) * sums.clip_norm(sums.triple_sizes(basis, plan, random, spent), limit + 0.25),
          triple_norms);
    CHECK(spent.entries().size() == 1);
  }
}

TEST_CASE("The histogram counts each unit once, whatever it holds", "[inference][private_spectral]") {
  // Norms of 0, 1 and nearly nothing: all lie in the histogram, and the clip norm is in its range.
  const corpus docs = make_corpus({{}, {0}, {0, 0, 0}, {1, 1, 1, 1, 1}, {0, 1, 2, 3}}, 4);
  const privacy_units units(docs, privacy_unit::document);
  const dplda::detail::moment_sums sums(docs, units, 1);
  random_source random = seeded_random(1);
  ledger spent;
  const accumulator_options plan{.rows = dplda::detail::moment_sums::bins, .noise_multiplier = 1e-3};
  CHECK(sums.clip_norm(sums.pair_sizes(plan, random, spent), 1.5) == 1);
  CHECK(sums.clip_norm(sums.pair_sizes(plan, random, spent), 2.5) < 0.5);
  CHECK(sums.clip_norm(sums.pair_sizes(plan, random, spent), 100) ==
        std::exp2(-0.25 * (dplda::detail::moment_sums::bins - 1)));
}

TEST_CASE("Private spectral LDA spends what was planned", "[inference][private_spectral]") {
  const auto data = fifty_words(800, 1, 100);
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
      for (const moment_clipping clipping : {moment_clipping::chosen, moment_clipping::none}) {
        const std::uint64_t count = privacy_units(data.docs, unit).size();
        const private_spectral learner({.topics = 5,
                                        .units = count,
                                        .words = 50,
                                        .unit = unit,
                                        .relation = relation,
                                        .clipping = clipping,
                                        .fit_iterations = 2},
                                       one);
        CHECK(learner.guarantee().epsilon <= one.epsilon);
        CHECK(learner.guarantee().epsilon > 0.999 * one.epsilon);
        CHECK(learner.guarantee().unit == unit);
        CHECK(learner.guarantee().relation == relation);
        CHECK(learner.guarantee().standing == dplda::basis::proven);
        random_source random = seeded_random(2);
        const auto released = learner.fit(data.docs, random);
        CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
        CHECK(released.ledger().entries().size() == (clipping == moment_clipping::chosen ? 5 : 3));
        CHECK(price(released.ledger(), one.delta).epsilon == learner.guarantee().epsilon);
        CHECK(released.guarantee().seeded);
      }
    }
  }
}

TEST_CASE("Topics survive the noise", "[inference][private_spectral]") {
  double chosen = 0, whole = 0, exchanged = 0, plain = 0;
  for (const std::uint64_t seed : {41u, 42u, 43u}) {
    const auto data = fifty_words(10'000, seed);
    const auto distance = [&](private_spectral_options options) {
      options.topics = 5;
      options.units = 10'000;
      options.words = 50;
      random_source random = seeded_random(seed);
      return mean_distance(private_spectral(options, one).fit(data.docs, random).value(), data.model) / 3;
    };
    chosen += distance({});
    plain += distance({.fit_iterations = 0});
    whole += distance({.clipping = moment_clipping::none});
    exchanged += distance({.relation = neighbours::replace});
  }
  CHECK(chosen < 0.08);
  CHECK(exchanged < 0.106);
  CHECK(plain < 0.106);
  CHECK(whole < 0.53);
  CHECK(chosen < plain);
  CHECK(chosen < whole);
}

TEST_CASE("A wrong guess of the number of units is made good", "[inference][private_spectral]") {
  const auto data = fifty_words(10'000, 46);
  for (const std::uint64_t guess : {5'000u, 20'000u}) {
    random_source random = seeded_random(4);
    const private_spectral learner({.topics = 5, .units = guess, .words = 50}, one);
    CHECK(mean_distance(learner.fit(data.docs, random).value(), data.model) < 0.1);
  }
}

TEST_CASE("What one unit needs of memory is bounded", "[inference][private_spectral]") {
  // A document of very many words, and a user of many documents: the first words and documents speak.
  corpus_builder builder;
  for (word_id v = 0; v < 5000; ++v) builder.add(v);
  builder.end_document();
  for (int d = 0; d < 10; ++d) {
    for (word_id v = 0; v < 1500; ++v) builder.add(v);
    builder.end_document();
  }
  const corpus docs = builder.build(numbered_vocabulary(5000));
  dplda::detail::unit_moments unit;
  const std::vector<std::size_t> first{0}, others{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  unit.look_at(docs, first);
  unit.pairs(5000);
  CHECK(unit.cells().size() == 2048 * 2047 / 2);
  unit.look_at(docs, others);
  unit.pairs(5000);
  CHECK(unit.cells().size() == 1500 * 1499 / 2);
  // Three documents fit, each with a third of the weight.
  CHECK(unit.norm() == Catch::Approx(std::sqrt(2.0 * 1500 * 1499 / 2) / (1500.0 * 1499)).epsilon(1e-9));
}

TEST_CASE("Short documents cost no scale", "[inference][private_spectral]") {
  // Half of the units have nothing to say; the others' topics are found all the same.
  const auto data = fifty_words(10'000, 44);
  corpus_builder builder;
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    const document doc = data.docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
    builder.end_document();
    if (d % 2 == 0) builder.add(49, 2);
    builder.end_document();
  }
  const corpus more = builder.build(data.docs.vocab());
  random_source random = seeded_random(3);
  const private_spectral learner({.topics = 5, .units = 20'000, .words = 50}, {.epsilon = 4, .delta = 1e-5});
  CHECK(mean_distance(learner.fit(more, random).value(), data.model) < 0.05);
}

TEST_CASE("The tensor's noise is that of the plan", "[inference][private_spectral]") {
  // Without data, the tensor is noise.
  const std::size_t k = 30;
  const corpus docs = make_corpus({}, 40);
  const privacy_units units(docs, privacy_unit::document);
  const private_spectral learner({.topics = k, .units = 1000, .words = 40}, one);
  random_source random = seeded_random(8);
  ledger spent;
  const dplda::detail::moment_sums sums(docs, units, 1);
  const auto released = sums.triples(some_basis(40, k), learner.plan().third, random, spent);
  REQUIRE(released.values.size() == dplda::detail::triple_cells(k));
  double squares = 0;
  for (const double value : released.values) squares += value * value;
  const auto fits = [&](double noise) {
    return chi_square_p_value(squares / (noise * noise), dplda::detail::triple_cells(k));
  };
  const double z = learner.plan().third.noise_multiplier;
  CHECK(released.noise == Catch::Approx(z).epsilon(1e-6));
  CHECK(fits(z) > suite_level);
  CHECK(fits(0.9 * z) < suite_level);
  CHECK(fits(1.1 * z) < suite_level);
}

TEST_CASE("A symmetric matrix of pairs multiplies", "[inference][private_spectral]") {
  for (const std::size_t words : {1u, 5u, 128u, 300u}) {
    std::vector<float> cells(dplda::detail::pair_cells(words));
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(std::cos(static_cast<double>(i)));
    const dplda::detail::pair_matrix matrix(words, cells);
    const auto n = static_cast<Eigen::Index>(words);
    Eigen::MatrixXd dense(n, n);
    for (std::size_t v = 0, cell = 0; v < words; ++v) {
      for (std::size_t w = v; w < words; ++w, ++cell) {
        dense(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(w)) = cells[cell];
        dense(static_cast<Eigen::Index>(w), static_cast<Eigen::Index>(v)) = cells[cell];
        CHECK(matrix(w, v) == cells[cell]);
      }
    }
    const dplda::detail::tall_matrix x = some_basis(words, 3), product = matrix.times(x, 1);
    CHECK((product - dense * x).norm() < 1e-11 * (1 + product.norm()));
    CHECK(matrix.times(x, 3) == product);
  }
}

TEST_CASE("Topics of exact moments stay where they are, and others come nearer", "[inference][private_spectral]") {
  const Eigen::Index words = 20, k = 3;
  const double alpha0 = 1.5;
  dplda::detail::lda_point truth{some_basis(20, 3).array().exp(), Eigen::Vector3d(0.2, 0.3, 0.5)};
  for (Eigen::Index i = 0; i < k; ++i) {
    truth.topics.col(i).head(7 * (i + 1) - 5).setConstant(1e-9);
    truth.topics.col(i) /= truth.topics.col(i).sum();
  }
  // The moments by their relations to M2 and M3: m2 = M2 + a M1 M1', m3 = M3 + b S(m2, M1) - c M1^(3).
  const dplda::moment_weights weights = dplda::moment_weights::of(alpha0);
  const Eigen::VectorXd first = truth.topics * truth.share;
  const Eigen::MatrixXd second = truth.topics * (truth.share / (alpha0 + 1)).asDiagonal() * truth.topics.transpose() +
                                 weights.a * first * first.transpose();
  const dplda::detail::tall_matrix basis = dplda::detail::tall_matrix::Identity(words, words);
  symmetric_tensor third(20);
  for (Eigen::Index i = 0; i < k; ++i)
    third.add_cube(truth.topics.col(i), 2 * truth.share[i] / ((alpha0 + 1) * (alpha0 + 2)));
  third.add_symmetrised(second, first, weights.b);
  third.add_cube(first, -weights.c);
  const dplda::detail::noisy_averages moments{
      truth.topics * truth.share,
      [&](const dplda::detail::tall_matrix& x) { return dplda::detail::tall_matrix(second * x); },
      third,
      basis,
      1e-3,
      1e-3,
      1e-3};
  const dplda::detail::moment_fit fit(moments, alpha0, 1);
  CHECK((fit.improve(truth, 50).topics - truth.topics).norm() < 1e-6);
  dplda::detail::lda_point start = truth;
  start.topics = 0.7 * start.topics.array() + 0.3 / 20;
  const double before = (start.topics - truth.topics).norm();
  const dplda::detail::lda_point end = fit.improve(start, 2000);
  CHECK((end.topics - truth.topics).norm() < 0.1 * before);
  CHECK((end.share - truth.share).norm() < 0.03);
}

TEST_CASE("The slope of the fit is that of its cost", "[inference][private_spectral]") {
  const std::size_t words = 7, k = 3;
  const Eigen::MatrixXd half = some_basis(words, 4), second = half * half.transpose();
  symmetric_tensor third(2);
  third.add_cube(Eigen::Vector2d(0.3, -0.7), 1.3);
  third.add_cube(Eigen::Vector2d(0.9, 0.2), 0.4);
  const dplda::detail::lda_point at{some_basis(words, k).array().exp() / 10, Eigen::Vector3d(0.2, 0.5, 0.3)};
  // One moment after the other, the others with next to no weight.
  for (int only = 0; only < 3; ++only) {
    const auto noise = [&](int moment) { return moment == only ? 0.5 : 1e6; };
    const dplda::detail::noisy_averages moments{
        some_basis(words, 1).col(0),
        [&](const dplda::detail::tall_matrix& x) { return dplda::detail::tall_matrix(second * x); },
        third,
        some_basis(words, 2),
        noise(0),
        noise(1),
        noise(2)};
    const dplda::detail::moment_fit fit(moments, 0.7, 1);
    const auto slope = fit.evaluate(at);
    const auto cost_at = [&](Eigen::Index v, Eigen::Index i, double step) {
      dplda::detail::lda_point p = at;
      (v < 0 ? p.share[i] : p.topics(v, i)) += step;
      return fit.evaluate(p).cost;
    };
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index v = -1; v < 7; ++v) {
        const double step = 1e-4, found = (cost_at(v, i, step) - cost_at(v, i, -step)) / (2 * step);
        CHECK((v < 0 ? slope.share[i] : slope.topics(v, i)) == Catch::Approx(found).epsilon(1e-5).margin(1e-6));
      }
    }
  }
}

TEMPLATE_TEST_CASE("Private learners start from the topics of private spectral LDA", "[inference][private_spectral]",
                   private_svi, private_gibbs) {
  const auto data = fifty_words(3000, 45);
  const private_spectral first({.topics = 5, .units = 3000, .words = 50}, {.epsilon = 0.5, .delta = 1e-6});
  typename TestType::options_type options;
  options.topics = 5;
  options.units = 3000;
  options.words = 50;
  options.steps = 3;
  options.before = first.plan().ledger;
  const TestType learner(options, one);
  CHECK(learner.guarantee().epsilon <= one.epsilon);
  CHECK(learner.guarantee().epsilon > 0.99 * one.epsilon);
  CHECK(learner.guarantee().epsilon > first.guarantee().epsilon);
  random_source random = seeded_random(1);
  const auto start = first.fit(data.docs, random);
  const auto released = learner.fit(start, data.docs, random);
  CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
  CHECK(price(released.ledger(), one.delta).epsilon == learner.guarantee().epsilon);
  // The start's topics are those that come out, in their order.
  const auto order = align_topics(released.value(), start.value());
  for (std::size_t k = 0; k < 5; ++k) CHECK(order[k] == k);

  CHECK_THAT(refusal([&] { learner.fit(data.docs, random); }),
             ContainsSubstring("must be what options.before was spent"));
  const TestType alone({.topics = 5, .units = 3000, .words = 50}, one);
  CHECK_THAT(refusal([&] { alone.fit(start, data.docs, random); }),
             ContainsSubstring("the earlier release's ledger is another"));
  const private_spectral fewer({.topics = 4, .units = 3000, .words = 50}, {.epsilon = 0.5, .delta = 1e-6});
  CHECK_THAT(refusal([&] { learner.fit(fewer.fit(data.docs, random), data.docs, random); }),
             ContainsSubstring("must have the plan's topics"));
  // What a paper claims does not become a proof on the way.
  guarantee claimed = start.guarantee();
  claimed.standing = dplda::basis::as_published;
  claimed.caveat = "a test";
  const release<topic_model<>> published(start.value(), claimed, start.ledger());
  CHECK_THAT(refusal([&] { learner.fit(published, data.docs, random); }), ContainsSubstring("must be proven"));
  options.before =
      private_spectral({.topics = 5, .units = 3000, .words = 50}, {.epsilon = 1.5, .delta = 1e-6}).plan().ledger;
  CHECK_FALSE(refusal([&] { TestType(options, one); }).empty());  // spent before it begins
}

TEST_CASE("Threads of private spectral LDA change no bit", "[inference][private_spectral]") {
  const auto data = fifty_words(500, 7, 60);
  const auto fit = [&](std::size_t threads) {
    random_source random = seeded_random(5);
    return private_spectral({.topics = 4,
                             .units = 60,
                             .words = 50,
                             .unit = privacy_unit::user,
                             .fit_iterations = 20,
                             .threads = threads},
                            {.epsilon = 8, .delta = 1e-5})
        .fit(data.docs, random)
        .value();
  };
  const auto alone = fit(1);
  for (const std::size_t threads : {2u, 3u, 8u}) CHECK(fit(threads).phi() == alone.phi());
}

TEST_CASE("Odd shapes of private spectral LDA", "[inference][private_spectral]") {
  const auto fit = [](const corpus& docs, std::size_t topics, std::uint64_t units) {
    random_source random = seeded_random(6);
    return private_spectral({.topics = topics, .units = units, .words = docs.words(), .fit_iterations = 10}, one)
        .fit(docs, random)
        .value();
  };
  CHECK(fit(make_corpus({}, 6), 3, 100).topics() == 3);                           // no documents
  CHECK(fit(make_corpus({{0, 1}, {2}, {}}, 3), 3, 3).topics() == 3);              // none of three tokens
  CHECK(fit(make_corpus({{0, 0, 0}, {0, 0, 0, 0}}, 1), 1, 2).phi()(0, 0) == 1);   // one word
  CHECK(fit(make_corpus({{0, 1, 2}, {2, 1, 0}}, 3), 3, 1u << 30).topics() == 3);  // far fewer than stated
  CHECK(fit(fifty_words(300, 9).docs, 1, 300).topics() == 1);                     // one topic
}

TEST_CASE("Bad options of private spectral LDA are refused with what was wrong", "[inference][private_spectral]") {
  const auto says = [](private_spectral_options options, const budget& total = one) {
    return refusal([&] { private_spectral(options, total); });
  };
  const private_spectral_options good{.topics = 2, .units = 10, .words = 5};
  CHECK(says(good).empty());
  private_spectral_options bad = good;
  bad.topics = 0;
  CHECK_THAT(says(bad), ContainsSubstring("topics is 0, but must lie in [1, 200]"));
  bad = good;
  bad.units = 0;
  CHECK_THAT(says(bad), ContainsSubstring("units is 0"));
  bad = good;
  bad.words = 1;
  CHECK_THAT(says(bad), ContainsSubstring("words is 1, but must be the size of the vocabulary, at least the number"));
  bad.words = 60'001;
  CHECK_THAT(says(bad), ContainsSubstring("a number for each pair"));
  bad = good;
  bad.alpha0 = std::nan("");
  CHECK_THAT(says(bad), ContainsSubstring("alpha0"));
  bad = good;
  bad.third_share = 0.95;
  CHECK_THAT(says(bad), ContainsSubstring("leave for the second moment"));
  bad = good;
  bad.unit = privacy_unit::token;
  CHECK_THAT(says(bad), ContainsSubstring("must be document or user"));
  CHECK_FALSE(says(good, {.epsilon = 0, .delta = 0}).empty());
  random_source random = seeded_random(1);
  CHECK_THAT(refusal([&] {
               private_spectral(good, one).fit(make_corpus({{0, 0, 0}}, 4), random);
             }),
             ContainsSubstring("size of the vocabulary is 4, but must be what was planned for, 5"));
  private_spectral_options strict = good;
  strict.relation = neighbours::replace;
  CHECK_THAT(refusal([&] {
               private_spectral(strict, one).fit(make_corpus({{0, 0, 0}}, 5), random);
             }),
             ContainsSubstring("number of units is 1, but must be what was planned for, 10"));
}
