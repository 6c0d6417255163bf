// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/guarantee.hpp>
#include <dplda/core/config.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/moment_fit.hpp>
#include <dplda/inference/spectral/detail/moment_sums.hpp>
#include <dplda/inference/spectral/detail/noisy_moments.hpp>
#include <dplda/inference/spectral/detail/pair_matrix.hpp>
#include <dplda/inference/spectral/detail/unit_moments.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/spectral/tensor.hpp>
#include <dplda/random/source.hpp>

#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/stopped.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
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

// As some_basis, but each second row is the opposite of the one before.
dplda::detail::tall_matrix opposite_rows(std::size_t words, std::size_t k) {
  dplda::detail::tall_matrix basis = some_basis(words, k);
  for (Eigen::Index v = 1; v < basis.rows(); v += 2) basis.row(v) = -basis.row(v - 1);
  return basis;
}

// Moments of this many units, as if released: equal words, and pairs with eigenvalues that fall from 1/10 to 1/100.
dplda::detail::noisy_moments known_moments(std::size_t words, std::size_t k, double units) {
  dplda::detail::noisy_moments moments(words, k, 1, units, 1);
  moments.set_first({std::vector<double>(words, units / static_cast<double>(words)), 1e-6 * units});
  const Eigen::MatrixXd frame = dplda::detail::orthonormal_columns(Eigen::MatrixXd(some_basis(words, k)));
  Eigen::VectorXd values(static_cast<Eigen::Index>(k));
  for (Eigen::Index a = 0; a < values.size(); ++a)
    values[a] = 0.1 * std::pow(0.1, static_cast<double>(a) / static_cast<double>(k - 1));
  const Eigen::MatrixXd second = frame * values.asDiagonal() * frame.transpose();
  std::vector<float> cells;
  for (Eigen::Index v = 0; v < second.rows(); ++v) {
    for (Eigen::Index w = v; w < second.cols(); ++w)
      cells.push_back(static_cast<float>(units * (v == w ? 1 : std::sqrt(2.0)) * second(v, w)));
  }
  moments.set_second({std::move(cells), 1e-6 * units});
  moments.whiten(seeded_random(1));
  return moments;
}

// One of the sums that a fit releases, with the clip norm and the basis that it had for it.
struct released_sum {
  std::string name;
  accumulator_plan plan;
  std::function<dplda::detail::noisy_sums<double>(const dplda::detail::moment_sums&, const accumulator_plan&,
                                                  random_source&, ledger&)>
      of;
};

// What private_spectral::fit does, step by step, from its plan, its options and releases alone.
struct replayed_fit {
  std::vector<released_sum> sums;
  bool orthonormal = false;
  topic_model<> topics;
};

replayed_fit replay(const private_spectral& learner, const corpus& docs, random_source random) {
  namespace detail = dplda::detail;
  using sums_type = detail::moment_sums;
  const private_spectral_options& options = learner.options();
  const private_spectral_plan& plan = learner.plan();
  const bool chosen = options.clipping == moment_clipping::chosen;
  const privacy_units units(docs, options.unit);
  const sums_type sums(docs, units, 1);
  ledger spent;
  std::vector<released_sum> list;
  detail::noisy_moments moments(options.words, options.topics, options.alpha0, static_cast<double>(options.units), 1);
  const double noise = plan.pair_sizes.noise() * std::sqrt(static_cast<double>(sums_type::bins));
  const double limit = std::min(3 * noise, 0.3 * static_cast<double>(options.units));

  list.push_back({"words", plan.first, &sums_type::first});
  moments.set_first(sums.first(plan.first, random, spent));
  const auto clipped = [](const accumulator_plan& sum, double norm) {
    return sum.with([&](accumulator_options& o) { o.clip = norm; });
  };
  accumulator_plan second = plan.second;
  if (chosen) {
    list.push_back({"sizes of pairs", plan.pair_sizes, &sums_type::pair_sizes});
    second = clipped(second, sums.clip_norm(sums.pair_sizes(plan.pair_sizes, random, spent), limit));
  }
  list.push_back({"pairs", second, &sums_type::pairs<double>});
  moments.set_second(sums.pairs(second, random, spent));
  const random_source source = random.fork();
  moments.whiten(source);
  double clip = std::numeric_limits<double>::infinity();
  if (chosen) {
    const detail::tall_matrix basis = moments.basis();
    list.push_back(
        {"sizes of triples", plan.triple_sizes, [basis](const auto& from, const auto& o, auto& bits, auto& book) {
           return from.triple_sizes(basis, o, bits, book);
         }});
    clip =
        sums.longest_triple(basis) * sums.clip_norm(sums.triple_sizes(basis, plan.triple_sizes, random, spent), limit);
  }
  const accumulator_plan third = clipped(plan.third, moments.choose_basis(clip));
  const detail::tall_matrix basis = moments.basis();
  list.push_back({"triples", third, [basis](const auto& from, const auto& o, auto& bits, auto& book) {
                    return from.triples(basis, o, bits, book);
                  }});
  moments.set_third(sums.triples(basis, third, random, spent));
  const double column = basis.col(0).norm();
  return {std::move(list), std::abs(column - 1) < 1e-9,
          moments.topics(docs.vocab(), source, options.tensor, options.fit_iterations)};
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
  // Fits of nasty corpora are replayed step by step: the replay gives the fit's topics bit for bit, so its sums are all
  // that a fit takes from the documents. Each of them is then audited as it was, with its clip norm and in its basis.
  const char* const wanted = std::getenv("DPLDA_AUDIT_PAIRS");
  const std::size_t pairs = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 20'000;
  struct found {
    grey_box_result removed, exchanged;
  };
  std::map<std::string, found> results;
  std::size_t audited = 0, orthonormal = 0, whitened = 0, shortened_noise = 0, other_topics = 0;
  const auto audit = [&](const std::string& name, released_sum sum, const named_corpus& each, const corpus& others,
                         std::uint64_t seed) {
    // Integers that doubles tell apart.
    sum.plan = sum.plan.with([&](accumulator_options& o) { o.scale_bits = std::min(sum.plan.scale_bits(), 40); });
    const double scale = sum.plan.unit_size();
    const grey_box_bound bound = grey_box_bound_of(sum.plan);
    // The noise is the planned multiple of the bound for the plan's neighbours.
    const accumulator_options& o = sum.plan.options();
    const uint128 limit = o.relation == neighbours::add_remove ? bound.removed : bound.exchanged;
    if (!(std::sqrt(static_cast<double>(limit)) * o.noise_multiplier <= std::ldexp(1, sum.plan.scale_bits())))
      ++shortened_noise;
    const auto integers = [&](const corpus& docs) {
      random_source random = seeded_random(seed);
      ledger spent;
      const privacy_units units(docs, o.unit);
      return to_integers(sum.of(dplda::detail::moment_sums(docs, units, 1), sum.plan, random, spent).values, scale);
    };
    // Without other documents nothing is replaced; without a bound on removal only replacement counts.
    const std::vector<std::size_t> none;
    const auto removed = grey_box_audit(each.docs, others.select(none), o.unit, bound, integers),
               exchanged = grey_box_audit(each.docs, others, o.unit, {false, ~uint128{0}, bound.exchanged}, integers);
    results[name].removed += removed;
    results[name].exchanged += exchanged;
    return exchanged.pairs;  // all of them, as those of removed units are among them
  };
  // Eight seeds at least: fits that choose clip norms take both kinds of basis among them.
  for (std::uint64_t seed = 1; seed <= 8 || audited < pairs; ++seed) {
    // As many topics as words: the orthonormal basis then has rows of length 1, and documents as long as the clip norm.
    const std::size_t words = seed % 2 == 0 ? 12 : 4, topics = seed % 2 == 0 ? 3 : 4;
    auto corpora = adversarial_corpora(words, seed);
    const corpus mixed = corpora.back().docs;
    // Documents as far apart as they can be: each of another word. They are exchanged for each other.
    corpus_builder builder;
    std::vector<user_id> users;
    for (word_id v = 0; v < words; ++v) {
      builder.add(v, 5);
      builder.end_document();
      users.push_back(v % 5);
    }
    builder.set_users(std::move(users), 5);
    corpora.push_back({"one word each", declare_unpruned(builder.build(mixed.vocab()))});
    for (const moment_clipping clipping : {moment_clipping::chosen, moment_clipping::none}) {
      for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
        for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
          for (const named_corpus& each : corpora) {
            const bool exchange = relation == neighbours::replace;
            const corpus& others = &each == &corpora.back() ? each.docs : mixed;
            const std::uint64_t count = privacy_units(each.docs, unit).size();
            if (exchange && count == 0) continue;
            // Much noise and little of it: topics that drown, and topics that do not.
            const private_spectral learner({.topics = topics,
                                            .units = exchange        ? count
                                                     : seed % 3 == 0 ? 20u
                                                                     : std::uint64_t{1} << 20,
                                            .words = words,
                                            .unit = unit,
                                            .relation = relation,
                                            .clipping = clipping,
                                            .fit_iterations = 2,
                                            .threads = 1},
                                           {.epsilon = seed % 4 < 2 ? 4.0 : 400.0, .delta = 1e-5});
            random_source random = seeded_random(seed);
            const auto fit = learner.fit(each.docs, random);
            const replayed_fit steps = replay(learner, each.docs, seeded_random(seed));
            other_topics += fit.value().phi() == steps.topics.phi() ? 0u : 1u;
            const bool whole = clipping == moment_clipping::none;
            if (!whole) ++(steps.orthonormal ? orthonormal : whitened);
            const char* const mode = whole ? "whole, " : "clipped, ";
            for (const released_sum& sum : steps.sums)
              audited += audit(mode + sum.name + (exchange ? ", replace" : ", add_remove"), sum, each, others, seed);
            if (whole) continue;
            // Any basis may be released, even one in which documents are opposites.
            released_sum third = steps.sums.back();
            third.plan = third.plan.with([&](accumulator_options& o) { o.clip = seed % 2 == 0 ? 10 : 0.1; });
            const auto basis = opposite_rows(words, topics);
            third.of = [basis](const auto& from, const auto& o, auto& bits, auto& book) {
              return from.triples(basis, o, bits, book);
            };
            audited += audit(std::string("clipped, triples of opposites") + (exchange ? ", replace" : ", add_remove"),
                             third, each, others, seed);
          }
        }
      }
    }
  }
  std::cout << "private spectral LDA, " << audited << " neighbouring pairs: largest distances over their bounds\n";
  for (const auto& [name, result] : results) {
    std::cout << "  " << name << ": removed " << result.removed.largest_ratio << ", exchanged "
              << result.exchanged.largest_ratio << '\n';
    CAPTURE(name);
    CHECK(result.removed.violations() == 0);
    CHECK(result.exchanged.violations() == 0);
    // The bound is attained; otherwise the audit would show nothing.
    CHECK(result.removed.largest_ratio > 0.99);
    // In an orthonormal basis no two documents are opposites: sqrt(2) is the most, where the bound is 2.
    const bool signed_whole = name.starts_with("whole, triples");
    CHECK(result.exchanged.largest_ratio > (signed_whole ? 0.7 : 0.99));
    if (signed_whole) CHECK(result.exchanged.largest_ratio < 0.7072);
  }
  CHECK(results.size() == 18);
  CHECK(shortened_noise == 0);
  CHECK(other_topics == 0);
  CHECK(orthonormal > 0);
  CHECK(whitened > 0);
}

TEST_CASE("Documents of fewer than three tokens change no bit", "[inference][private_spectral]") {
  // Before, amid and after the others, of new users and of old ones: under add_remove their number is not known to a fit.
  const auto data = fifty_words(600, 11, 80);
  corpus_builder builder;
  std::vector<user_id> users;
  const auto short_document = [&](std::uint32_t tokens, user_id user) {
    if (tokens > 0) builder.add(static_cast<word_id>(user % 50), tokens);
    builder.end_document();
    users.push_back(user);
  };
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    if (d % 7 == 0) short_document(static_cast<std::uint32_t>(d % 3), static_cast<user_id>(80 + d % 40));
    if (d % 11 == 0) short_document(static_cast<std::uint32_t>(d % 3), data.docs.user(d));
    const document doc = data.docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
    builder.end_document();
    users.push_back(data.docs.user(d));
  }
  short_document(2, 81);
  builder.set_users(std::move(users), 120);
  const corpus more = declare_unpruned(builder.build(data.docs.vocab()));
  for (const moment_clipping clipping : {moment_clipping::chosen, moment_clipping::none}) {
    for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
      const auto fit = [&](const corpus& docs, std::uint64_t count) {
        random_source random = seeded_random(12);
        return private_spectral(
                   {.topics = 4, .units = count, .words = 50, .unit = unit, .clipping = clipping, .fit_iterations = 20},
                   {.epsilon = 8, .delta = 1e-5})
            .fit(docs, random);
      };
      const std::uint64_t few = privacy_units(data.docs, unit).size(), many = privacy_units(more, unit).size();
      REQUIRE(few < many);
      const auto without = fit(data.docs, few), with = fit(more, few);
      CHECK(with.value().phi() == without.value().phi());
      CHECK(with.value().alpha() == without.value().alpha());
      CHECK(std::ranges::equal(with.ledger().entries(), without.ledger().entries()));
      // The test would detect it if a fit knew the number.
      CHECK(fit(more, many).value().phi() != without.value().phi());
    }
  }
}

TEST_CASE("Clip norms are chosen from their histogram", "[inference][private_spectral]") {
  const auto data = fifty_words(4000, 3);
  const privacy_units units(data.docs, privacy_unit::document);
  const dplda::detail::moment_sums sums(data.docs, units, 2);
  const dplda::detail::tall_matrix basis = some_basis(50, 3);
  const accumulator_plan plan(
      {.rows = dplda::detail::moment_sums::bins, .noise_multiplier = 1e-3});  // next to no noise
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
  const accumulator_plan plan({.rows = dplda::detail::moment_sums::bins, .noise_multiplier = 1e-3});
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
        CHECK(learner.guarantee().basis == dplda::basis::proven);
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

TEST_CASE("A wrong guess of the number of units is corrected", "[inference][private_spectral]") {
  const auto data = fifty_words(10'000, 46);
  for (const std::uint64_t guess : {5'000u, 20'000u}) {
    random_source random = seeded_random(4);
    const private_spectral learner({.topics = 5, .units = guess, .words = 50}, one);
    CHECK(mean_distance(learner.fit(data.docs, random).value(), data.model) < 0.1);
  }
}

TEST_CASE("The memory that one unit needs is bounded", "[inference][private_spectral]") {
  // A document of very many words, and a user of many documents: only the first words and documents count.
  corpus_builder builder;
  for (word_id v = 0; v < 5000; ++v) builder.add(v);
  builder.end_document();
  for (int d = 0; d < 10; ++d) {
    for (word_id v = 0; v < 1500; ++v) builder.add(v);
    builder.end_document();
  }
  const corpus docs = made_up(builder, 5000);
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

TEST_CASE("Short documents do not change the scale of the moments", "[inference][private_spectral]") {
  // Half of the units contribute nothing; the topics of the others are still found.
  const auto data = fifty_words(10'000, 44);
  corpus_builder builder;
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    const document doc = data.docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
    builder.end_document();
    if (d % 2 == 0) builder.add(49, 2);
    builder.end_document();
  }
  const corpus more = declare_unpruned(builder.build(data.docs.vocab()));
  random_source random = seeded_random(3);
  const private_spectral learner({.topics = 5, .units = 20'000, .words = 50}, {.epsilon = 4, .delta = 1e-5});
  CHECK(mean_distance(learner.fit(more, random).value(), data.model) < 0.05);
}

TEST_CASE("The tensor has the planned noise", "[inference][private_spectral]") {
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
  const double z = learner.plan().third.options().noise_multiplier;
  CHECK(released.noise == Catch::Approx(z).epsilon(1e-6));
  CHECK(fits(z) > suite_level);
  CHECK(fits(0.9 * z) < suite_level);
  CHECK(fits(1.1 * z) < suite_level);
}

TEST_CASE("The whitened tensor has the noise of all triples of words", "[inference][private_spectral]") {
  // Configuration 1: E on all words^3 cells, symmetrised and whitened by W = U L^-1/2, has independent entries of variance
  // sigma^2/(orders l_a l_b l_c), with `orders` the number of different orders of (a, b, c). Statistical tests are held
  // against suite_level, 1e-12 each.
  const std::size_t words = 20, k = 10, draws = 600;
  const corpus docs = make_corpus({}, words);
  const privacy_units units(docs, privacy_unit::document);
  const dplda::detail::moment_sums sums(docs, units, 1);
  for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
    const private_spectral learner(
        {.topics = k, .units = 1000, .words = words, .relation = relation, .clipping = moment_clipping::none}, one);
    // M3 has a sensitivity of 1 or sqrt(2), over the number of units. Under replace the noise is for 2.
    const double z = learner.plan().third.options().noise_multiplier,
                 factor = relation == neighbours::add_remove ? 1 : 2;
    const double sigma = factor * z / 1000;
    dplda::detail::noisy_moments moments = known_moments(words, k, 1000);
    const dplda::detail::tall_matrix whitening = moments.basis();
    Eigen::VectorXd length(static_cast<Eigen::Index>(k));
    for (Eigen::Index a = 0; a < length.size(); ++a) length[a] = 1 / whitening.col(a).squaredNorm();
    REQUIRE(length[0] > 5 * length[9]);
    REQUIRE(moments.choose_basis(std::numeric_limits<double>::infinity()) == 1);
    moments.set_third({std::vector<double>(dplda::detail::triple_cells(k)), 1});
    const symmetric_tensor still = moments.whitened();
    std::array<double, 3> squares{};
    std::array<std::size_t, 3> count{};
    random_source random = seeded_random(31);
    ledger spent;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      moments.set_third(sums.triples(moments.basis(), learner.plan().third, random, spent));
      const symmetric_tensor moved = moments.whitened();
      dplda::detail::for_each_triple(k, [&](std::size_t, std::size_t a, std::size_t b, std::size_t c) {
        const std::size_t kind = a == c ? 0 : a == b || b == c ? 1 : 2;
        const double orders = std::array{1.0, 3.0, 6.0}[kind];
        const auto at = [&](std::size_t i) { return length[static_cast<Eigen::Index>(i)]; };
        const double noise = moved(a, b, c) - still(a, b, c);
        squares[kind] += noise * noise * orders * at(a) * at(b) * at(c) / (sigma * sigma);
        ++count[kind];
      });
    }
    for (std::size_t kind = 0; kind < 3; ++kind) {
      CAPTURE(kind, squares[kind] / static_cast<double>(count[kind]));
      CHECK(chi_square_p_value(squares[kind], count[kind]) > suite_level);
      CHECK(chi_square_p_value(squares[kind] * 1.21, count[kind]) < suite_level);
      CHECK(chi_square_p_value(squares[kind] / 1.21, count[kind]) < suite_level);
    }
  }
}

TEST_CASE("The third moment uses the basis with less noise", "[inference][private_spectral]") {
  // A clip norm above the one at which both are alike takes the orthonormal basis, one below it the whitened basis. The
  // noise of either, as it comes out in the whitened tensor, is then less than that of the other.
  const std::size_t words = 20, k = 6;
  const double equal = known_moments(words, k, 1000).whole_clip();
  const auto noise = [&](double asked, double clip) {
    dplda::detail::noisy_moments moments = known_moments(words, k, 1000);
    moments.choose_basis(asked);
    moments.set_third({std::vector<double>(dplda::detail::triple_cells(k)), 1});
    const symmetric_tensor still = moments.whitened();
    // The expected square of its size: cell by cell, as whitening keeps independent cells independent.
    double square = 0;
    for (std::size_t cell = 0; cell < dplda::detail::triple_cells(k); ++cell) {
      std::vector<double> sums(dplda::detail::triple_cells(k));
      sums[cell] = clip;
      moments.set_third({sums, 1});
      square += (moments.whitened().entries() - still.entries()).squaredNorm();
    }
    return std::sqrt(square);
  };
  const double whole = noise(std::numeric_limits<double>::infinity(), 1);
  for (const double clip : {0.5 * equal, 0.999 * equal, 1.001 * equal, 2 * equal}) {
    dplda::detail::noisy_moments moments = known_moments(words, k, 1000);
    const dplda::detail::tall_matrix whitening = moments.basis();
    const double taken = moments.choose_basis(clip);
    const double clipped = noise(0, clip);
    CAPTURE(clip / equal, whole, clipped);
    if (clip > equal) {
      CHECK(taken == 1);
      CHECK((moments.basis().transpose() * moments.basis()).isIdentity(1e-9));
      CHECK(whole < clipped);
    } else {
      CHECK(taken == clip);
      CHECK(moments.basis() == whitening);
      CHECK(clipped < whole);
    }
  }
}

TEST_CASE("Products with a symmetric matrix of pairs are correct", "[inference][private_spectral]") {
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

TEST_CASE("The fit keeps topics of exact moments, and improves others", "[inference][private_spectral]") {
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

TEST_CASE("The gradient of the fit is that of its cost", "[inference][private_spectral]") {
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

  // The plan pays for the start even if it is not used.
  CHECK(std::ranges::equal(learner.fit(data.docs, random).ledger().entries(), learner.plan().ledger.entries()));
  const TestType alone({.topics = 5, .units = 3000, .words = 50}, one);
  CHECK_THAT(refusal([&] { alone.fit(start, data.docs, random); }),
             ContainsSubstring("options.before is without the ledger of the earlier release"));
  const private_spectral fewer({.topics = 4, .units = 3000, .words = 50}, {.epsilon = 0.5, .delta = 1e-6});
  CHECK_THAT(refusal([&] { learner.fit(fewer.fit(data.docs, random), data.docs, random); }),
             ContainsSubstring("must have the plan's topics"));
  // A claim as published must not become a proven one.
  guarantee claimed = start.guarantee();
  claimed.basis = dplda::basis::as_published;
  claimed.caveat = "a test";
  const release<topic_model<>> published(start.value(), claimed, start.ledger());
  CHECK_THAT(refusal([&] { learner.fit(published, data.docs, random); }), ContainsSubstring("must be proven"));
  options.before =
      private_spectral({.topics = 5, .units = 3000, .words = 50}, {.epsilon = 1.5, .delta = 1e-6}).plan().ledger;
  CHECK_FALSE(refusal([&] { TestType(options, one); }).empty());  // spent before it begins
}

TEST_CASE("A start whose ledger is only a part of its plan is refused", "[inference][private_spectral]") {
  // What a fit that stopped early used to return: the guarantee of the plan, and a ledger of fewer steps.
  const auto data = fifty_words(1000, 45);
  const private_svi first({.topics = 5, .units = 1000, .words = 50, .steps = 8, .rate = 0.5}, one);
  random_source random = seeded_random(1);
  const auto whole = first.fit(data.docs, random);
  dplda::ledger part;
  part.record(first.plan().ledger.entries()[0].event);
  part.record(first.plan().ledger.entries()[1].event, 2);
  REQUIRE(price(part, one.delta).epsilon < 0.8 * whole.guarantee().epsilon);
  const release<topic_model<>> early(whole.value(), whole.guarantee(), part);
  const private_svi second({.topics = 5, .units = 1000, .words = 50, .steps = 2, .before = part}, {2, one.delta});
  CHECK_THAT(refusal([&] { second.fit(early, data.docs, random); }),
             ContainsSubstring("the price of the earlier release's ledger is"));
  const private_svi paid({.topics = 5, .units = 1000, .words = 50, .steps = 2, .before = whole.ledger()},
                         {2, one.delta});
  CHECK(std::ranges::equal(paid.fit(whole, data.docs, random).ledger().entries(), paid.plan().ledger.entries()));
}

TEST_CASE("A start over words that are not public needs the share that was planned without them",
          "[inference][private_spectral]") {
  const auto data = fifty_words(300, 45);
  const auto as = [&](dplda::word_origin origin) {
    return data.docs.restrict_to(dplda::detail::with_origin(*data.docs.vocab(), origin));
  };
  const private_svi first({.topics = 5, .units = 300, .words = 50, .steps = 2}, {0.5, one.delta});
  random_source random = seeded_random(1);
  const auto topics = first.fit(data.docs, random);
  private_svi::options_type options{.topics = 5, .units = 300, .words = 50, .steps = 2, .before = topics.ledger()};
  const auto said = [&](dplda::word_origin origin) {
    const auto start = topics.map(
        [&](const topic_model<>& model) { return topic_model<>(model.phi(), as(origin).vocab(), model.alpha()); });
    return refusal([&] { private_svi(options, one).fit(start, data.docs, random); });
  };
  CHECK(said(dplda::word_origin::public_list).empty());
  CHECK_THAT(said(dplda::word_origin::released), ContainsSubstring("background_share"));
  CHECK_THAT(said(dplda::word_origin::documents), ContainsSubstring("taken from documents"));
  options.background_share = 0.1;
  CHECK(said(dplda::word_origin::released).empty());
}

TEST_CASE("A stopped fit of private spectral LDA releases nothing", "[inference][private_spectral]") {
  const auto data = fifty_words(300, 45);
  const private_spectral learner({.topics = 5, .units = 300, .words = 50}, one);
  random_source random = seeded_random(1);
  for (const std::size_t step : {1u, 4u}) CHECK(stopped([&] { learner.fit(data.docs, random, after_step(step)); }));
  CHECK_FALSE(stopped([&] { learner.fit(data.docs, random, after_step(5)); }));
}

TEST_CASE("The number of threads changes no bit of private spectral LDA", "[inference][private_spectral]") {
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

TEST_CASE("Private spectral LDA fits corpora of unusual shape", "[inference][private_spectral]") {
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

TEST_CASE("Private spectral LDA refuses invalid options and says why", "[inference][private_spectral]") {
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
             ContainsSubstring("size of the vocabulary is 4, but must be the planned 5"));
  private_spectral_options strict = good;
  strict.relation = neighbours::replace;
  CHECK_THAT(refusal([&] {
               private_spectral(strict, one).fit(make_corpus({{0, 0, 0}}, 5), random);
             }),
             ContainsSubstring("number of units is 1, but must be the planned 10"));
}
