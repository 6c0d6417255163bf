// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_FUZZ_SAME_PARTS_HPP
#define DPLDA_TESTS_FUZZ_SAME_PARTS_HPP

#include "same_corpus.hpp"

#include <dplda/core/errors.hpp>
#include <dplda/io/parts.hpp>

#include <algorithm>
#include <cstddef>
#include <istream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Reads n parts by read(part), puts them into the whole, and says in which way they are not `whole`; nothing if they are.
template <class Read>
std::string parts_are(const dplda::labelled_corpus& whole, std::size_t n, Read&& read,
                      const dplda::user_list* users = nullptr) {
  std::vector<dplda::corpus_part> parts;
  std::vector<std::string> summaries;
  for (std::size_t i = 0; i < n; ++i) {
    parts.push_back(read(dplda::input_part{i, n}));
    summaries.push_back(parts.back().summary());
  }
  std::size_t at = 0;  // in the whole
  for (std::size_t i = 0; i < n; ++i) {
    const dplda::corpus_part part = dplda::in_whole(std::move(parts[i]), {i, n}, summaries, users);
    const dplda::labelled_corpus& found = part.found;
    if (part.first != at) return "the first document has another place";
    if (part.documents != whole.docs.size()) return "there is another number of documents";
    if (!(*found.docs.vocab() == *whole.docs.vocab())) return "words differ";
    if (found.docs.vocab()->origin() != whole.docs.vocab()->origin()) return "words have another origin";
    if (found.docs.pruning() != whole.docs.pruning()) return "pruning differs";
    if (users == nullptr && !(*found.users == *whole.users)) return "names of users differ";
    if (!(*found.groups.labels == *whole.groups.labels)) return "names of groups differ";
    if (found.groups.size() != (whole.groups.size() > 0 ? found.docs.size() : 0)) return "groups are missing";
    if (found.dates.size() != (whole.dates.empty() ? 0 : found.docs.size())) return "dates are missing";
    if (at + found.docs.size() > whole.docs.size()) return "there are too many documents";
    if (found.docs.has_users() != (whole.docs.has_users() && !found.docs.empty())) return "users are missing";
    if (found.docs.has_users() && found.docs.users() != whole.docs.users()) return "there is another number of users";
    for (std::size_t d = 0; d < found.docs.size(); ++d, ++at) {
      const dplda::document mine = found.docs[d], other = whole.docs[at];
      if (!std::ranges::equal(mine.words, other.words) || !std::ranges::equal(mine.counts, other.counts))
        return "a document differs";
      if (mine.id != other.id) return "an id differs";
      if (found.docs.has_users() && found.docs.user(d) != whole.docs.user(at)) return "a user differs";
      if (found.groups.size() > 0 && found.groups.of_document[d] != whole.groups.of_document[at])
        return "a group differs";
      if (!found.dates.empty() && found.dates[d] != whole.dates[at]) return "a date differs";
    }
  }
  return at == whole.docs.size() ? "" : "there are too few documents";
}

/// Aborts unless parts are read as the whole is: whole() and read(stream, part) give the same documents, or both refuse.
/// Parts may refuse entries that are out of order besides.
template <class Whole, class Read>
void must_be_read_in_parts(const std::string& text, Whole&& whole, Read&& read) {
  std::optional<dplda::labelled_corpus> expected;
  try {
    expected = whole();
  } catch (const dplda::parse_error&) {
  }
  for (const std::size_t n : {1u, 2u, 5u}) {
    try {
      const auto difference =
          parts_are(expected.value_or(dplda::labelled_corpus{}), n, [&](const dplda::input_part& part) {
            std::istringstream in(text);
            return read(static_cast<std::istream&>(in), part);
          });
      must(expected.has_value(), "what is refused as a whole is refused in parts");
      must(difference.empty(), difference.c_str());
    } catch (const dplda::parse_error& error) {
      const bool order = std::string_view(error.what()).find("in the order of documents") != std::string_view::npos;
      must(!expected || order, error.what());
    }
  }
}

#endif
