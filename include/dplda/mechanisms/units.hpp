// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_UNITS_HPP
#define DPLDA_MECHANISMS_UNITS_HPP

// Claim: every document belongs to exactly one unit; no document's words depend on other documents; ids may be positions;
//   a sample of units serves one release; a divided_corpus keeps its units when words are dropped; and no unit is in two
//   processes of a group (require_apart).
// Preconditions: ids are distinct (checked for documents), and are used only as the lemma says. A corpus that was
//   declared unpruned is unpruned (a file of counts does not tell; pruning by this library's own readers is refused).
//   The corpus is all of the data, or a part that was chosen unit by unit (corpora/stable_split.hpp).
// Argument: documents are sorted by id or user and each run of equal ones is a unit. A unit_batch is made by samplers
//   only, cannot be copied, and accumulator::publish uses it up. Processes send each other the ids of their units, and
//   all refuse if one comes twice: a unit in two processes would count twice, or share the coins of another. Ids:
//   Lemma. Let every use of an id be to name a stream, or a word of a stream, that only this id names, and let units be
//   taken in ascending order of their ids wherever order matters. Then a run on units with ids i_1 < ... < i_n has the
//   same law as a run on the same units with ids f(i_1) < ... < f(i_n), for every increasing f.
//   Proof. Under a secret key different names have independent uniform bits (of ChaCha20, so computationally). The bits
//   of i_1, ..., i_n thus have the same joint law as those of f(i_1), ..., f(i_n), and the run is the same function of
//   these bits, of all other bits and of the units in their order.
//   What follows. Corpora that are read have positions as ids, so that removing document j renames j + 1, j + 2, ... to
//   j, j + 1, ...: an increasing f. The arguments elsewhere compare a corpus with the one that lacks a unit and keeps
//   the ids of the others. By the lemma that one has the law of the corpus as it would be read without the unit. Users
//   are numbered by their first document, and removing a user renames the others in order, too. Replacing is removing and
//   adding: take the unit away (rename), and put the new one where it is read (rename back); both corpora then have the
//   law of corpora that share all other units with their ids.
//   Uses: poisson_sampler (a word of a stream), vocabulary_selector and detail/unit_words (the order of units, the words
//   of a unit), detail/gibbs_method and detail/length_cap (a document's own bits), detail/topic_gain (a unit's own bits),
//   private_token_gibbs (a token's word of a stream; there the number and order of documents are public), topic_dp (the
//   part that a unit is in).
//   vocabulary_stream takes its units' places in the stream for ids (the words of a unit). fixed_size_sampler uses the
//   order of the ids of all processes, and none where one process has all units.
// Test: tests/mechanisms/{ids,poisson_sampler,accumulator}_test.cpp, tests/compile_fail/batch_twice.cpp,
//   tests/distributed/fits_test.cpp

#include <dplda/accounting/event.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/distributed/process_group.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// A corpus divided into units of privacy: each document by itself, or all documents of each user. Tokens are units of a
/// corpus in which every document is one token.
class privacy_units {
 public:
  /// Throws std::invalid_argument unless the corpus is known or declared not to be pruned; if the unit is the token and
  /// documents are longer; if the unit is the user and documents have no users; or if two documents that are units have
  /// the same id, which would put both in a sample or neither.
  privacy_units(const corpus& docs, privacy_unit unit) : unit_(unit), documents_(docs.size()), begins_(1, 0) {
    const char* const function = "privacy_units";
    detail::require(docs.pruning() != pruning::pruned, function, "the corpus", detail::pruned_corpus,
                    detail::unpruned_remedy);
    detail::require(docs.pruning() != pruning::unknown, function, "the corpus", "made of counts or tokens",
                    "must depend, in each document, on its own text and public rules alone: words may have been left "
                    "out or joined because of other documents (document or token frequency, tf-idf, a limit to the "
                    "most frequent words, learned phrases). If none were, say so with declare_unpruned(docs)");
    const auto is_token = [&](std::size_t d) { return docs[d].length() == 1; };
    std::size_t first_other = 0;
    while (unit == privacy_unit::token && first_other < docs.size() && is_token(first_other)) ++first_other;
    detail::require(unit != privacy_unit::token || first_other == docs.size(), function, "unit", unit,
                    "must be document or user, unless every document is one token");
    detail::require(unit != privacy_unit::user || docs.has_users() || docs.empty(), function, "unit", unit,
                    "the corpus has no users");
    std::iota(documents_.begin(), documents_.end(), std::size_t{0});
    const auto id = [&](std::size_t d) {
      return unit == privacy_unit::user ? std::uint64_t{docs.user(d)} : docs.id(d);
    };
    detail::stable_sort(documents_.begin(), documents_.end(),
                        [&](std::size_t a, std::size_t b) { return id(a) < id(b); });
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const std::uint64_t next = id(documents_[i]);
      if (!ids_.empty() && ids_.back() == next) {
        detail::require(unit == privacy_unit::user, function, "the id of two documents", "the same",
                        "must differ, so that units are sampled independently");
      } else {
        ids_.push_back(next);
        begins_.push_back(i);
      }
      begins_.back() = i + 1;
    }
  }

  privacy_unit unit() const noexcept { return unit_; }
  std::size_t size() const noexcept { return ids_.size(); }
  /// The unit's id. Units are in ascending order of their ids.
  std::uint64_t id(std::size_t unit) const { return ids_[unit]; }
  /// Positions of the unit's documents in the corpus.
  std::span<const std::size_t> documents(std::size_t unit) const {
    return std::span(documents_).subspan(begins_[unit], begins_[unit + 1] - begins_[unit]);
  }

 private:
  privacy_unit unit_;
  std::vector<std::size_t> documents_;  // by unit
  std::vector<std::size_t> begins_;     // of each unit in documents_, and the end
  std::vector<std::uint64_t> ids_;
};

namespace detail {

/// Throws std::invalid_argument, in all processes, if two of them have a unit with the same id: the whole corpus was
/// given to each, say, or a user's documents to two.
inline void require_apart(const char* function, const privacy_units& units, const process_group& processes) {
  if (processes.alone()) return;
  constexpr std::size_t most = std::size_t{1} << 20;
  std::uint64_t twice = 0;
  const std::vector<std::uint64_t> sizes = processes.gather(units.size());
  std::vector<std::uint64_t> ids;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    const bool own = r == processes.rank();
    std::size_t place = 0;  // among the own units; all ids ascend
    for (std::size_t first = 0; first < sizes[r]; first += most) {
      ids.resize(std::min<std::size_t>(most, sizes[r] - first));
      for (std::size_t i = 0; own && i < ids.size(); ++i) ids[i] = units.id(first + i);
      processes.broadcast(std::as_writable_bytes(std::span(ids)), r);
      for (std::size_t i = 0; !own && i < ids.size(); ++i) {
        while (place < units.size() && units.id(place) < ids[i]) ++place;
        if (place < units.size() && units.id(place) == ids[i]) ++twice;
      }
    }
  }
  processes.sum(std::span(&twice, 1));
  require(twice == 0, function, "the id of units in two processes", "the same",
          "must differ: give each process its own documents (own_part), and all documents of a user to one");
}

}  // namespace detail

/// Documents and, once it was made, their division into units: so a fit of several stages divides them once. A corpus
/// converts to one without a division.
class divided_corpus {
 public:
  divided_corpus(corpus docs) : docs_(std::move(docs)) {}  // implicit: learners take either
  /// Divides. Throws as privacy_units does.
  divided_corpus(corpus docs, privacy_unit unit)
      : docs_(std::move(docs)), units_(std::make_shared<const privacy_units>(docs_, unit)) {}

  const corpus& docs() const noexcept { return docs_; }
  bool divided() const noexcept { return units_ != nullptr; }
  /// Precondition: divided().
  const privacy_units& units() const noexcept { return *units_; }

  /// The same documents in these units; a division into them that exists is shared. Throws as privacy_units does.
  divided_corpus divided_into(privacy_unit unit) const {
    return divided() && units_->unit() == unit ? *this : divided_corpus(docs_, unit);
  }

  /// corpus::restrict_to. The division stays, because documents keep their places, ids and users. It is dropped if it
  /// is into tokens, which do not keep theirs, and if the words that are left may depend on other documents: such
  /// documents cannot be divided into units.
  divided_corpus restrict_to(vocabulary_ptr kept) const {
    divided_corpus result(docs_.restrict_to(std::move(kept)));
    const bool still_units = result.docs_.pruning() < pruning::unknown;
    if (divided() && still_units && units_->unit() != privacy_unit::token) result.units_ = units_;
    return result;
  }

 private:
  corpus docs_;
  std::shared_ptr<const privacy_units> units_;
};

/// A secret sample of units, good for one release: accumulator::publish takes it, checks it against the plan and uses it
/// up. (Two releases of one sample cost more than two releases of independent samples, which is what a ledger of
/// sampled events means.) Only samplers make one.
class unit_batch {
 public:
  unit_batch(const unit_batch&) = delete;
  unit_batch& operator=(const unit_batch&) = delete;
  unit_batch(unit_batch&&) = default;
  unit_batch& operator=(unit_batch&&) = default;

  /// Positions of the units that were taken, ascending.
  const std::vector<std::size_t>& positions() const& noexcept { return positions_; }
  std::vector<std::size_t> positions() && { return std::move(positions_); }
  /// How they were sampled, and of which unit they are.
  const dplda::sampling& sampling() const noexcept { return sampling_; }
  privacy_unit unit() const noexcept { return unit_; }
  /// The event that paid for its release beforehand, if its sampler wrote one (allocation_sampler).
  const std::optional<privacy_event>& paid() const noexcept { return paid_; }
  /// Whether somebody may know the seed that chose them.
  bool seeded() const noexcept { return seeded_; }

 private:
  friend class allocation_sampler;
  friend class poisson_sampler;
  friend class fixed_size_sampler;

  unit_batch(std::vector<std::size_t> positions, dplda::sampling how, privacy_unit unit, bool seeded)
      : positions_(std::move(positions)), sampling_(how), unit_(unit), seeded_(seeded) {}
  unit_batch(std::vector<std::size_t> positions, privacy_event paid, bool seeded)
      : unit_batch(std::move(positions), paid.sampling, paid.unit, seeded) {
    paid_ = std::move(paid);
  }

  std::vector<std::size_t> positions_;
  dplda::sampling sampling_;
  privacy_unit unit_;
  bool seeded_;
  std::optional<privacy_event> paid_ = {};
};

}  // namespace dplda::inline v0_1

#endif
