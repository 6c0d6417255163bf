// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_PACKED_CORPUS_HPP
#define DPLDA_IO_PACKED_CORPUS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/labels.hpp>
#include <dplda/io/parts.hpp>

#include <filesystem>
#include <functional>

// Corpora larger than memory: a folder of plain arrays that the system maps.
//
//   offsets.npy      uint64, one more than documents: where each document's entries begin, and their number
//   words.npy        uint32, the words of each document, ascending
//   counts.npy       uint32, how often each occurs, 1 or more
//   ids.npy          uint64, the documents' ids; missing if ids are positions
//   users.npy        uint32, the owner of each document; missing if there are none
//   users.txt        the name of each owner on a line; missing if they have none
//   groups.npy       uint32, the group of each document, 2^32 - 1 if it has none; missing if there are none
//   groups.txt       the name of each group on a line
//   dates.npy        uint32, the date of each document as the number yyyymmdd, with 00 for what is unknown; missing if there are none
//   vocabulary.txt   a word on each line
//   corpus.json      sizes, whether the corpus is pruned, where its words come from, how it was read, and SHA-256 checksums
//
// NumPy maps the arrays, too (mmap_mode="r"): scipy.sparse.csr_matrix((counts, words, offsets)) is the corpus. The folder
// is as private as the documents: only its owner can read it, unless its permissions are changed.

namespace dplda::inline v0_1 {

/// Keeps a corpus in files of this folder that have no name, and which are gone with the last corpus that uses them. It
/// needs 8 bytes of disk for each (document, word) pair and 8 for each document; while a corpus grows or is cut, up to
/// three times as much. A corpus_builder takes it, and text_options. (Counts whose documents are out of order are sorted in
/// memory.)
corpus_storage mapped_storage(const std::filesystem::path& folder);

struct save_corpus_options {
  bool overwrite = false;                    ///< replace a corpus folder of the same name
  json_value::object settings = {};          ///< how the documents were read; kept in corpus.json
  std::function<void()> before_commit = {};  ///< called when all is written; if it throws, nothing changes
};

/// Writes a corpus as a folder that appears whole or not at all, with permissions for its owner alone. It goes through the
/// documents once for each array, and needs no memory for them.
/// Throws std::runtime_error if the folder exists and must not be overwritten, if it holds other files, or if something
/// cannot be written; std::invalid_argument as write_vocabulary does.
void save_corpus(const std::filesystem::path& folder, const corpus& docs, const save_corpus_options& options = {});

/// The same with the names of users and with groups and dates.
void save_corpus(const std::filesystem::path& folder, const labelled_corpus& found,
                 const save_corpus_options& options = {});

/// Maps a folder that save_corpus wrote. The corpus knows again whether it was pruned and where its words come from. What
/// is cut or selected from it is kept in files without a name in `scratch`, or in the folder itself if that is empty.
///
/// Opening reads the offsets and users, and takes milliseconds. A document is checked when it is read, and then refused
/// with a parse_error if it is damaged. The files must not change while a corpus uses them.
/// Throws parse_error with the file and the reason if a file is missing, damaged or of a newer format, or if the files do
/// not fit each other.
corpus open_corpus(const std::filesystem::path& folder, const std::filesystem::path& scratch = {});

/// The same with the names of users and with groups and dates, which are read into memory.
labelled_corpus open_labelled_corpus(const std::filesystem::path& folder, const std::filesystem::path& scratch = {});

/// What is known of a folder without a look at its documents.
struct packed_facts {
  dplda::pruning pruning = pruning::unknown;
  word_origin origin = word_origin::documents;
  bool has_users = false;
  json_value::object settings = {};  ///< save_corpus_options::settings
};

/// Throws parse_error if corpus.json is missing or damaged.
packed_facts facts_of_corpus(const std::filesystem::path& folder);

/// Maps a part of a folder: the documents whose first entry lies in the part's even share of the entries. They have their ids,
/// words and users in the whole; nothing is copied, and only this part's pages are read later. Throws as open_corpus does.
corpus_part open_corpus_part(const std::filesystem::path& folder, const input_part& part,
                             const std::filesystem::path& scratch = {});

/// Whether this is a folder with a corpus.json.
bool is_packed_corpus(const std::filesystem::path& folder);

/// Reads all files and compares their checksums. Throws parse_error, with the file, if one differs or as open_corpus does.
void verify_corpus(const std::filesystem::path& folder);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/packed_corpus.ipp>
#endif

#endif
