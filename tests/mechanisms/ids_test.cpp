// SPDX-License-Identifier: Apache-2.0
// The lemma of mechanisms/units.hpp: ids only name streams, so an increasing renaming changes no law. Removing a
// document from a corpus whose ids are positions is such a renaming.
#include <dplda/inference/gibbs/detail/gibbs_method.hpp>
#include <dplda/inference/private_topics/detail/topic_gain.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/uniform.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include "support/catch.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

constexpr std::uint64_t draws = 20000;

using id_list = std::array<std::uint64_t, 4>;

/// Positions; positions without the first two of six documents; and ids that share nothing with either.
const std::vector<id_list> names{{0, 1, 2, 3}, {2, 3, 4, 5}, {1, 8, 9, std::uint64_t{1} << 40}};

/// Four documents over ten words; the first two and the last two are alike, so that only chance tells them apart.
corpus four(const id_list& ids) {
  corpus_builder builder;
  for (std::uint32_t d = 0; d < 4; ++d) {
    for (std::uint32_t w = 0; w < 5; ++w) builder.add(w + 5 * (d / 2));
    builder.end_document();
  }
  builder.set_ids({ids.begin(), ids.end()});
  return made_up(builder, 10);
}

/// How often each joint outcome of the four documents came up. outcome(docs, random) is below `outcomes`.
using drawing = std::function<std::size_t(const corpus&, random_source&)>;

std::vector<std::uint64_t> histogram(const drawing& outcome, const id_list& ids, std::size_t outcomes) {
  const corpus docs = four(ids);
  std::vector<std::uint64_t> counts(outcomes, 0);
  // Seeds of their own for each list, or the noise would be common to the samples that are compared.
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    random_source random = seeded_random(seed + ids[0] * draws + 7);
    ++counts[outcome(docs, random)];
  }
  return counts;
}

/// The smallest p-value of the hypotheses that two lists of ids have one law.
double smallest_p_value(const drawing& outcome, std::size_t outcomes) {
  double smallest = 1;
  const auto first = histogram(outcome, names[0], outcomes);
  for (std::size_t i = 1; i < names.size(); ++i)
    smallest = std::min(smallest, chi_square_two_samples(first, histogram(outcome, names[i], outcomes)));
  return smallest;
}

std::size_t pattern(const std::vector<std::size_t>& positions) {
  std::size_t bits = 0;
  for (const std::size_t p : positions) bits |= std::size_t{1} << p;
  return bits;
}

}  // namespace

TEST_CASE("Renamed ids: Poisson samples have the same joint law", "[mechanisms][ids]") {
  const poisson_sampler sampler(0.4);
  CHECK(smallest_p_value(
            [&](const corpus& docs, random_source& random) {
              return pattern(sampler.draw(privacy_units(docs, privacy_unit::document), random).positions());
            },
            16) > suite_level);
  // Broken: neighbouring ids share a word of the stream, so that the law depends on which ids are neighbours.
  CHECK(smallest_p_value(
            [&](const corpus& docs, random_source& random) {
              const privacy_units units(docs, privacy_unit::document);
              chacha20 words = random.fork().stream("sample");
              std::vector<std::size_t> batch;
              for (std::size_t unit = 0; unit < units.size(); ++unit) {
                words.seek(units.id(unit) / 8);
                if (words() < 0x6666666666666666u) batch.push_back(unit);
              }
              return pattern(batch);
            },
            16) < suite_level);
}

TEST_CASE("Renamed ids: the words that units name have the same joint law", "[mechanisms][ids]") {
  // One of five words each: 5^4 outcomes.
  CHECK(smallest_p_value(
            [&](const corpus& docs, random_source& random) {
              const dplda::detail::unit_words words(docs, privacy_units(docs, privacy_unit::document), random.fork(), 1,
                                                    false);
              std::size_t outcome = 0;
              for (std::size_t unit = 0; unit < 4; ++unit) outcome = 5 * outcome + words[unit].front() % 5;
              return outcome;
            },
            625) > suite_level);
  // Broken: units whose ids share a block of eight share their choice.
  CHECK(smallest_p_value(
            [&](const corpus& docs, random_source& random) {
              const random_source key = random.fork();
              std::size_t outcome = 0;
              for (std::size_t unit = 0; unit < 4; ++unit) {
                chacha20 bits = key.stream("words of a unit", docs[unit].id / 8);
                outcome = 5 * outcome + static_cast<std::size_t>(uniform_below(bits, 5));
              }
              return outcome;
            },
            625) < suite_level);
}

TEST_CASE("Renamed ids: the order of units has the same law", "[mechanisms][ids]") {
  // Which unit comes first, second, ... by random words of their ids, as vocabulary_selector orders them.
  const auto ordered = [](auto&& word_of) {
    return [word_of](const corpus& docs, random_source& random) {
      chacha20 words = random.fork().stream("order of units");
      std::array<std::pair<std::uint64_t, std::size_t>, 4> places;
      for (std::size_t unit = 0; unit < 4; ++unit) places[unit] = {word_of(words, docs[unit].id), unit};
      std::sort(places.begin(), places.end());
      std::size_t outcome = 0;
      for (const auto& place : places) outcome = 4 * outcome + place.second;
      return outcome;
    };
  };
  const auto own = [](chacha20& words, std::uint64_t id) {
    words.seek(id);
    return words();
  };
  CHECK(smallest_p_value(ordered(own), 256) > suite_level);
  // Broken: the order depends on the ids themselves.
  CHECK(smallest_p_value(ordered([&](chacha20& words, std::uint64_t id) {
                           return own(words, id) / 4 + (std::min<std::uint64_t>(id, 8) << 58);
                         }),
                         256) < suite_level);

  // The selector itself: a policy fills words in turn, and which of two words passes depends on who came first.
  CHECK(smallest_p_value(
            [&](const corpus& docs, random_source& random) {
              static const vocabulary_selector selector(
                  {.method = vocabulary_method::frequency_first, .words_per_unit = 2}, {.epsilon = 8, .delta = 0.4});
              const auto chosen = selector.fit(docs, random);
              std::size_t bits = 0;
              for (word_id w = 0; w < chosen.value()->size(); ++w)
                bits |= std::size_t{1} << docs.vocab()->find(chosen.value()->word(w)).value();
              return bits;
            },
            1024) > suite_level);
}

TEST_CASE("Renamed ids: topics that Gibbs sampling draws have the same joint law", "[mechanisms][ids]") {
  Eigen::MatrixXd phi(2, 10);
  for (Eigen::Index v = 0; v < 10; ++v) phi.col(v) << 1 + 0.2 * static_cast<double>(v % 3), 1;
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  const auto drawn = [&](auto&& name_of) {
    return [&, name_of](const corpus& docs, random_source& random) {
      dplda::detail::gibbs_method method(Eigen::Vector2d(0.5, 0.5), {.burn_in = 2, .samples = 1});
      method.use(phi, random);
      auto own = method.make_worker();
      std::vector<std::uint32_t> topics;
      std::vector<double> counts;
      std::size_t bits = 0;
      for (std::size_t d = 0; d < 4; ++d) {
        method.divide(docs[d], name_of(docs[d].id), std::vector<double>(docs[d].size(), 1.0), own, topics, counts);
        double first = 0;
        for (std::size_t n = 0; n < docs[d].size(); ++n) first += counts[2 * n];
        bits = 2 * bits + (first > 2.5 ? 1 : 0);
      }
      return bits;
    };
  };
  CHECK(smallest_p_value(drawn([](std::uint64_t id) { return id; }), 16) > suite_level);
  // Broken: documents whose ids share a block of eight share their bits.
  CHECK(smallest_p_value(drawn([](std::uint64_t id) { return id / 8; }), 16) < suite_level);
}

TEST_CASE("Renamed ids: gains by public topics have the same joint law", "[mechanisms][ids]") {
  // One topic has mostly even words, the other mostly odd ones. Two observed words, one of each, tell nothing: the gain
  // is 0. Two alike promise more of their kind, of which there are few left: the gain is at most -0.05.
  Eigen::MatrixXd phi(2, 10);
  for (Eigen::Index v = 0; v < 10; ++v) phi.col(v) << (v % 2 == 0 ? 0.15 : 0.05), (v % 2 == 0 ? 0.05 : 0.15);
  const auto uncertain = [&](auto&& name_of) {
    return [&, name_of](const corpus& docs, random_source& random) {
      id_list ids;
      for (std::size_t d = 0; d < 4; ++d) ids[d] = name_of(docs[d].id);
      const corpus named = four(ids);
      const dplda::detail::topic_gain gain(phi, Eigen::VectorXd::Constant(10, 0.1), named.vocab(),
                                           Eigen::Vector2d(0.5, 0.5), random);
      std::size_t bits = 0;
      for (const std::size_t d : {0u, 1u, 2u, 3u}) bits = 2 * bits + (gain(named, std::array{d}) > -0.02 ? 1 : 0);
      return bits;
    };
  };
  CHECK(smallest_p_value(uncertain([](std::uint64_t id) { return id; }), 16) > suite_level);
  // Broken: units whose ids share a block of eight share their bits.
  CHECK(smallest_p_value(uncertain([](std::uint64_t id) { return id / 8; }), 16) < suite_level);
}

TEST_CASE("Ids are positions, and removal keeps their order", "[mechanisms][ids]") {
  // The corpus that would be read without a document, beside the same documents with the ids that they had.
  corpus_builder with, without;
  for (std::uint32_t d = 0; d < 5; ++d) {
    with.add(d);
    with.end_document();
    if (d == 2) continue;
    without.add(d);
    without.end_document();
  }
  const corpus all = made_up(with, 5), read = made_up(without, 5);
  const corpus kept = all.select(std::vector<std::size_t>{0, 1, 3, 4});
  const privacy_units renamed(read, privacy_unit::document), named(kept, privacy_unit::document);
  REQUIRE(renamed.size() == named.size());
  for (std::size_t unit = 0; unit < named.size(); ++unit) {
    CHECK(read[renamed.documents(unit)[0]].words[0] == kept[named.documents(unit)[0]].words[0]);
    CHECK(renamed.id(unit) == (named.id(unit) < 2 ? named.id(unit) : named.id(unit) - 1));
  }
}
