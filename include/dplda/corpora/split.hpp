// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_SPLIT_HPP
#define DPLDA_CORPORA_SPLIT_HPP

// Random parts of a corpus: samples, halves, training and test sets, and halves of each document's tokens.
// All parts keep the vocabulary, the users with their numbers, and the documents' ids.
//
// These are for experiments. A part of a fixed size is not a stable function of the corpus: removing one document moves
// many others from one part to the other. If a private learner is fitted to such a part, its guarantee covers the part
// as a dataset of its own, not the corpus from which it was cut. For the latter, use corpora/stable_split.hpp.

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The unit that a split keeps whole. `user`: all documents of a user fall into the same part. Only users that own a
/// document of the corpus count; if documents have no owners, each document is a user.
enum class split_unit { document, user };

/// The positions of a corpus in two parts, each ascending; every position is in exactly one part.
struct partition {
  std::vector<std::size_t> chosen;
  std::vector<std::size_t> others;
};

/// A random half of the documents, and the others.
struct halves {
  corpus first;
  corpus second;
};

/// Documents to learn from, and documents held out.
struct train_test {
  corpus train;
  corpus test;
};

/// The same documents twice, each time with part of their tokens.
struct token_halves {
  corpus observed;
  corpus scored;
};

/// How much to hold out.
struct held_out_options {
  double share = 0.1;                                          ///< of all units; rounded to the nearest number of units
  std::size_t most = std::numeric_limits<std::size_t>::max();  ///< never more units than this
  std::uint64_t min_tokens = 1;                                ///< hold out only units with at least this many tokens
  split_unit unit = split_unit::document;
};

namespace detail {

/// The unit of each document; units are numbered without gaps.
struct unit_table {
  std::vector<std::size_t> unit_of;
  std::size_t count = 0;

  unit_table(const corpus& docs, split_unit unit);
};

/// Chooses `m` of the candidates, each subset of that size with the same probability (the first m steps of
/// Fisher-Yates), and cuts the corpus accordingly. Precondition: m <= candidates.size().
template <BitGenerator64 Generator>
partition choose_units(const unit_table& units, std::vector<std::size_t> candidates, std::size_t m, Generator& bits) {
  std::vector<bool> taken(units.count, false);
  for (std::size_t i = 0; i < m; ++i) {
    std::swap(candidates[i], candidates[i + static_cast<std::size_t>(uniform_below(bits, candidates.size() - i))]);
    taken[candidates[i]] = true;
  }
  partition result;
  for (std::size_t d = 0; d < units.unit_of.size(); ++d) {
    (taken[units.unit_of[d]] ? result.chosen : result.others).push_back(d);
  }
  return result;
}

template <BitGenerator64 Generator>
partition choose_units(const unit_table& units, std::size_t m, Generator& bits) {
  std::vector<std::size_t> all(units.count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return choose_units(units, std::move(all), m, bits);
}

/// Takes floor(length / 2) of the document's tokens, each subset of that size with the same probability, and writes how
/// many of each distinct word were taken. One draw per token.
template <BitGenerator64 Generator>
void take_random_half(const document& doc, Generator& bits, std::vector<std::uint32_t>& taken) {
  taken.assign(doc.size(), 0);
  std::uint64_t left = doc.length(), wanted = left / 2;
  for (std::size_t n = 0; n < doc.size(); ++n) {
    for (std::uint32_t i = 0; i < doc.counts[n]; ++i, --left) {
      if (uniform_below(bits, left) < wanted) {
        ++taken[n];
        --wanted;
      }
    }
  }
}

/// The stream that cuts the tokens of document `id`.
chacha20 token_stream(const random_source& random, std::uint64_t id);

}  // namespace detail

/// `m` random documents, or the documents of `m` random users, and the rest. Every choice of m units is equally likely.
/// Throws std::invalid_argument if there are fewer than m units.
template <BitGenerator64 Generator>
partition random_partition(const corpus& docs, std::size_t m, Generator& bits, split_unit unit = split_unit::document) {
  const detail::unit_table units(docs, unit);
  detail::require(m <= units.count, "random_partition", "m", m,
                  detail::text("must be at most the number of units, ", units.count));
  return detail::choose_units(units, m, bits);
}

/// A random half of the units and its complement. If the number of units is odd, a fair coin decides whether the half
/// has one more or one less than its complement: each unit is chosen with probability exactly 1/2. A membership attack
/// that trains a shadow model on each part of N such partitions has each document in exactly N of its 2N models.
template <BitGenerator64 Generator>
partition random_half(const corpus& docs, Generator& bits, split_unit unit = split_unit::document) {
  const detail::unit_table units(docs, unit);
  std::size_t m = units.count / 2;
  if (units.count % 2 == 1) m += static_cast<std::size_t>(uniform_below(bits, 2));
  return detail::choose_units(units, m, bits);
}

/// The corpora of random_half.
template <BitGenerator64 Generator>
halves random_halves(const corpus& docs, Generator& bits, split_unit unit = split_unit::document) {
  const partition cut = random_half(docs, bits, unit);
  return {docs.select(cut.chosen), docs.select(cut.others)};
}

/// `m` random documents, or all documents of `m` random users, in their order in `docs`.
/// Throws std::invalid_argument if there are fewer than m units.
template <BitGenerator64 Generator>
corpus random_sample(const corpus& docs, std::size_t m, Generator& bits, split_unit unit = split_unit::document) {
  return docs.select(random_partition(docs, m, bits, unit).chosen);
}

/// The documents to hold out (chosen) and those to learn from (others). A user's tokens are those of all its documents.
/// If fewer units than requested have min_tokens, all of them are held out.
/// Throws std::invalid_argument unless share is in [0, 1].
template <BitGenerator64 Generator>
partition random_held_out(const corpus& docs, Generator& bits, const held_out_options& options = {}) {
  detail::require(options.share >= 0 && options.share <= 1, "random_held_out", "share", options.share,
                  "must be in [0, 1]");
  const detail::unit_table units(docs, options.unit);
  std::vector<std::uint64_t> tokens(units.count, 0);
  for (std::size_t d = 0; d < docs.size(); ++d) tokens[units.unit_of[d]] += docs[d].length();
  std::vector<std::size_t> candidates;
  for (std::size_t u = 0; u < units.count; ++u) {
    if (tokens[u] >= options.min_tokens) candidates.push_back(u);
  }
  const auto asked = static_cast<std::size_t>(std::llround(options.share * static_cast<double>(units.count)));
  const std::size_t m = std::min({asked, options.most, candidates.size()});
  return detail::choose_units(units, std::move(candidates), m, bits);
}

/// The corpora of random_held_out.
template <BitGenerator64 Generator>
train_test train_test_split(const corpus& docs, Generator& bits, const held_out_options& options = {}) {
  const partition cut = random_held_out(docs, bits, options);
  return {docs.select(cut.others), docs.select(cut.chosen)};
}

/// Cuts the tokens of each document in two for document completion: `observed` gets a uniformly random half rounded
/// down, `scored` the rest, so a document of one token observes nothing. The draws are keyed by the document's id, so
/// other documents do not affect how a document is cut. Time is linear in the number of tokens.
token_halves split_tokens(const corpus& docs, const random_source& random);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/corpora/detail/split.ipp>
#endif

#endif
