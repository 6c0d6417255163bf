// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_RELEASE_RECORD_HPP
#define DPLDA_IO_RELEASE_RECORD_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/ledger.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// release.json: the privacy of a release, beside the files that hold its value.

namespace dplda::inline v0_1 {

/// Settings that have a meaning beyond being shown.
namespace setting {
/// Approximate number of documents or users: as stated, or as the plan assumed. A stated number is rounded wherever it is
/// shown (rounded_count).
inline constexpr const char *stated_units = "units (stated, rounded)", *assumed_units = "units (assumed, not stated)";
/// The source of the words, and its values.
inline constexpr const char* words = "words";
inline constexpr const char *public_list = "a public list, taken on your word", *private_choice = "chosen privately",
                            *earlier_words = "those of the earlier topics";
/// How the number of topics was chosen, and its values. None of them looks at documents, so none costs anything.
inline constexpr const char* choice_of_topics = "number of topics";
inline constexpr const char *stated_topics = "stated, or the default, before any document was read, at no cost",
                            *topics_by_rule = "by a public rule, from the units and epsilon, at no cost",
                            *given_topics = "that of the topics given, at no cost";
/// The most words in a phrase, if phrases were chosen besides words: documents are then cut into the same phrases.
inline constexpr const char* longest_phrase = "words in a phrase, at most";
/// The public texts whose word frequencies were used, and the public topics that were given.
inline constexpr const char *public_text = "public text", *public_topics = "public topics";
/// The earlier release that a fit went on from, by its model_sha256; and the public rule by which the documents are others
/// than those of all releases before, if somebody declared it (inference/earlier_topics.hpp).
inline constexpr const char *earlier = "goes on from the topics with the checksum",
                            *disjoint = "documents that no earlier release was made of, on your word",
                            *not_disjoint = "none: people may have written before, and losses add up";
/// The largest epsilon and the largest delta of all disjoint parts so far: what all of them together cost each unit.
inline constexpr const char *dearest_epsilon = "epsilon of all parts so far, for who is in one of them",
                            *dearest_delta = "delta of all parts so far, for who is in one of them";
}  // namespace setting

/// What is recorded about a release besides guarantee and ledger. All of it is published with the release: put nothing
/// private in here, such as an exact number of documents.
struct release_details {
  std::string title = {};               ///< of the report; empty: the default
  json_value::object settings = {};     ///< names and values, in the order in which they are shown
  std::string command = {};             ///< that made the release; empty if unknown
  std::optional<bool> stands_out = {};  ///< whether the topics differ by more than noise explains; empty: not compared
  std::string booked = {};              ///< the id of the release's entry in a budget book; empty: none
  std::vector<std::string> remarks = {};  ///< release::remarks; save_release fills them in

  /// The setting of this name, or null.
  const json_value* find(std::string_view name) const;
  /// Stated number of documents or users, rounded; 0 if not stated.
  std::uint64_t stated_units() const;
  /// The settings as they are shown: with the rounded number of units.
  json_value::object shown_settings() const;
};

/// The content of release.json.
struct release_record {
  std::optional<guarantee> claim = {};  ///< empty: made without privacy, not for release
  dplda::ledger ledger = {};
  release_details details = {};
  /// The SHA-256 of model.json, which holds the checksums of the model's other files; for a released list of words, the
  /// SHA-256 of the list.
  std::string model_sha256 = {};
  /// Where the words come from. A record of an older version does not say; `documents` is then assumed, which no private
  /// learner takes.
  word_origin words = word_origin::documents;
};

/// release.json as a value. Text that is not UTF-8 is replaced when it is written.
json_value to_json(const release_record& record);

namespace detail {

/// Throws parse_error if the claim does not follow from its ledger. An as-published claim rests on a paper's word, so
/// it does not follow from any ledger.
void check_claim(const guarantee& claim, const ledger& book, const std::string& name);

}  // namespace detail

/// The record that a JSON value holds; `name` stands for its file in messages. Throws parse_error if it is invalid, or
/// if the guarantee does not follow from the ledger.
release_record release_record_from_json(const json_value& file, const std::string& name);

/// Reads release.json of a folder, or the file itself. Throws parse_error as release_record_from_json does, if it cannot be
/// read, and if it belongs to another model than the folder's.
release_record read_release_record(const std::filesystem::path& path);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/release_record.ipp>
#endif

#endif
