// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_GREY_BOX_HPP
#define DPLDA_TESTS_SUPPORT_GREY_BOX_HPP

// The grey-box audit: an engine's release, run on neighbouring corpora with the same randomness.
//
// Claim: on the corpora that were tried, the integer statistics of neighbours differ by at most the bound for which the
//   noise was calibrated, and a unit's presence or content changes no bit of any other unit's contribution.
// Preconditions: sums(corpus) is one release of the engine as integers, and its randomness is frozen: every call
//   begins with an equal source (seeded_random of one seed). Then the noise is the same in all calls, and the
//   difference of two results is the difference of two sums of contributions, exactly and modulo 2^64.
// Argument: let S be sums() without its noise N. For a corpus D and its unit x:
//   (a) sums(D) - sums(D - x) = S(D) - S(D - x) has a norm within the bound;
//   (b) sums(D) - sums(D - x) + sums({}) = sums({x}). If S(D) is the sum of q(y) over the units y of D, both sides are
//       N + q(x). If some y contributes differently with x than without, or the noise depends on the data (its
//       rounding, its place, its amount), they differ, unless two changes cancel;
//   (c) with y in place of x, sums(D) - sums(D') has a norm within the bound for exchanged units, and is
//       sums({x}) - sums({y}).
// Not shown: that the noise has its distribution and is fresh for each release (statistical tests do that), that the
//   random bits are secret, or anything about corpora that were not tried. Other channels (time, messages) are not
//   seen.

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/int128.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dplda_tests {

using dplda::detail::uint128;

/// The released values as the original integers, values[i] in units of `unit`.
/// Precondition: they are below 2^51, so that doubles distinguish them.
inline std::vector<std::int64_t> to_integers(std::span<const double> values, double unit) {
  std::vector<std::int64_t> integers(values.size());
  std::transform(values.begin(), values.end(), integers.begin(),
                 [&](double value) { return std::llround(value / unit); });
  return integers;
}

/// The norm (l1) or its square (l2), exactly.
inline uint128 integer_norm(std::span<const std::int64_t> integers, bool l1) {
  uint128 norm = 0;
  for (const std::int64_t q : integers) {
    const std::uint64_t size = q < 0 ? 0 - static_cast<std::uint64_t>(q) : static_cast<std::uint64_t>(q);
    norm += l1 ? uint128{size} : uint128{size} * size;
  }
  return norm;
}

/// a - b modulo 2^64.
inline std::vector<std::int64_t> difference(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::vector<std::int64_t> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    result[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(a[i]) - static_cast<std::uint64_t>(b[i]));
  }
  return result;
}

/// How much the statistics of neighbours may differ: bounds on the l1 norm, or on the square of the l2 norm.
struct grey_box_bound {
  bool l1;
  uint128 removed;
  uint128 exchanged;
};

/// The bounds that an accumulator of this plan guarantees.
inline grey_box_bound grey_box_bound_of(const dplda::accumulator_plan& plan) {
  const dplda::accumulator_options& options = plan.options();
  const uint128 c = plan.bound();
  if (options.noise == dplda::noise_kind::laplace) return {true, c, 2 * c};
  return {false, c * c, (options.signs == dplda::value_signs::non_negative ? 2 : 4) * c * c};
}

struct grey_box_result {
  std::size_t pairs = 0;     ///< neighbouring corpora compared
  std::size_t too_far = 0;   ///< of these: statistics beyond the bound
  std::size_t moved = 0;     ///< of these: another unit's contribution, or the noise, changed
  double largest_ratio = 0;  ///< of a distance to its bound

  std::size_t violations() const { return too_far + moved; }
  grey_box_result& operator+=(const grey_box_result& other) {
    pairs += other.pairs;
    too_far += other.too_far;
    moved += other.moved;
    largest_ratio = std::max(largest_ratio, other.largest_ratio);
    return *this;
  }
};

/// The corpus without its unit number `unit`.
inline dplda::corpus without_unit(const dplda::corpus& docs, const dplda::privacy_units& units, std::size_t unit) {
  std::vector<bool> gone(docs.size());
  for (const std::size_t d : units.documents(unit)) gone[d] = true;
  std::vector<std::size_t> rest;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    if (!gone[d]) rest.push_back(d);
  }
  return docs.select(rest);
}

/// Unit number `unit` alone.
inline dplda::corpus only_unit(const dplda::corpus& docs, const dplda::privacy_units& units, std::size_t unit) {
  return docs.select(units.documents(unit));
}

/// The corpus with the documents of unit `other_unit` of `others` in the place and under the id of its unit number
/// `unit`. Precondition: both corpora have one vocabulary.
inline dplda::corpus exchange_unit(const dplda::corpus& docs, dplda::privacy_unit kind,
                                   const dplda::privacy_units& units, std::size_t unit, const dplda::corpus& others,
                                   const dplda::privacy_units& other_units, std::size_t other_unit) {
  dplda::corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<dplda::user_id> users;
  const auto put = [&](const dplda::document& doc, std::uint64_t id, dplda::user_id user) {
    for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
    builder.end_document();
    ids.push_back(id);
    users.push_back(user);
  };
  const std::span<const std::size_t> leaving = units.documents(unit);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    if (std::find(leaving.begin(), leaving.end(), d) == leaving.end()) {
      put(docs[d], docs[d].id, docs.user(d));
    } else if (d == leaving.front()) {
      std::uint64_t fresh = std::uint64_t{1} << 63;
      for (const std::size_t e : other_units.documents(other_unit)) {
        put(others[e], kind == dplda::privacy_unit::document ? docs[d].id : fresh++, docs.user(d));
      }
    }
  }
  builder.set_ids(std::move(ids));
  if (docs.has_users()) builder.set_users(std::move(users), docs.users());
  return dplda::declare_unpruned(builder.build(docs.vocab()));
}

/// Audits every unit of `docs`: removed, and exchanged for a unit of `others`. See the top of this file.
template <class Sums>
grey_box_result grey_box_audit(const dplda::corpus& docs, const dplda::corpus& others, dplda::privacy_unit kind,
                               const grey_box_bound& bound, Sums&& sums) {
  grey_box_result result;
  const auto compare = [&](const std::vector<std::int64_t>& distance, const std::vector<std::int64_t>& expected,
                           uint128 limit) {
    const uint128 norm = integer_norm(distance, bound.l1);
    const double ratio = static_cast<double>(norm) / static_cast<double>(limit);
    result.largest_ratio = std::max(result.largest_ratio, bound.l1 ? ratio : std::sqrt(ratio));
    ++result.pairs;
    result.too_far += norm > limit ? 1 : 0;
    result.moved += distance != expected ? 1 : 0;
  };
  const dplda::privacy_units units(docs, kind), other_units(others, kind);
  const std::vector<std::int64_t> whole = sums(docs), nothing = sums(docs.select(std::span<const std::size_t>()));
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const dplda::corpus alone = only_unit(docs, units, unit);
    const std::vector<std::int64_t> own = sums(alone);
    compare(difference(whole, sums(without_unit(docs, units, unit))), difference(own, nothing), bound.removed);
    if (other_units.size() == 0) continue;
    const std::size_t other = (7 * unit + 3) % other_units.size();
    const auto exchanged = [&](const dplda::corpus& from, std::size_t place) {
      return sums(exchange_unit(from, kind, dplda::privacy_units(from, kind), place, others, other_units, other));
    };
    compare(difference(whole, exchanged(docs, unit)), difference(own, exchanged(alone, 0)), bound.exchanged);
  }
  return result;
}

struct named_corpus {
  std::string name;
  dplda::corpus docs;
};

/// Small corpora on which implementations have failed: documents that are empty, extremely long or all alike, and
/// random ones. All have the words w0, w1, ... and owners, one of whom owns about half of the documents.
inline std::vector<named_corpus> adversarial_corpora(std::size_t words, std::uint64_t seed) {
  dplda::chacha20 bits = dplda::seeded_random(seed).stream("adversarial corpora");
  const auto below = [&](std::uint64_t n) { return dplda::uniform_below(bits, n); };
  const auto any_word = [&] { return static_cast<dplda::word_id>(below(words)); };
  using counts = std::vector<std::pair<dplda::word_id, std::uint32_t>>;
  constexpr std::uint32_t most = 0xFFFFFFFFu;

  const auto all_words = [&](auto count) {
    counts doc;
    for (std::size_t w = 0; w < words; ++w) doc.emplace_back(static_cast<dplda::word_id>(w), count());
    return doc;
  };
  const auto random_document = [&] {
    counts doc;
    for (std::uint64_t n = below(30); n > 0; --n) {
      const auto count = static_cast<std::uint32_t>(1 + below(3));  // before the word, with every compiler
      doc.emplace_back(any_word(), count);
    }
    return doc;
  };
  const counts empty, one_word{{any_word(), 1}}, million{{any_word(), 1000000}}, endless{{any_word(), most}},
      once = all_words([] { return 1u; }),
      long_one = all_words([&] { return static_cast<std::uint32_t>(below(most)); });
  const counts common = random_document();

  const auto vocabulary = dplda::declare_public(dplda::numbered_vocabulary(words));
  std::vector<named_corpus> result;
  const auto add = [&](const char* name, const std::vector<counts>& documents) {
    dplda::corpus_builder builder;
    std::vector<dplda::user_id> users;
    for (const counts& doc : documents) {
      for (const auto& [word, count] : doc) builder.add(word, count);
      builder.end_document();
      users.push_back(below(2) == 0 ? 0 : static_cast<dplda::user_id>(below(5)));
    }
    builder.set_users(std::move(users), 5);
    result.push_back({name, dplda::declare_unpruned(builder.build(vocabulary))});
  };
  add("no documents", {});
  add("empty documents", {empty, empty, empty});
  add("one word", {one_word, million, endless, million, million});
  add("duplicates", std::vector<counts>(7, common));
  add("all words once", {once, once, one_word, empty});
  add("very long", {long_one, endless, long_one, million, once});
  std::vector<counts> random(12);
  std::generate(random.begin(), random.end(), random_document);
  add("random", random);
  add("mixed", {random_document(), empty, million, common, once, common, long_one, random_document(), one_word});
  return result;
}

}  // namespace dplda_tests

#endif
