// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_INPUT_HPP
#define DPLDA_EXAMPLES_DPLDA_INPUT_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/ordered_texts.hpp>
#include <dplda/inference/public_text.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/tables.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dplda_program {

/// Where documents come from.
struct input_options {
  std::string path;
  std::string format = "auto";
  std::string words;              ///< the file with the words of uci, lda-c and svmlight
  std::vector<std::string> text;  ///< for tables: the columns that hold the text
  std::string user;               ///< for tables: the column that says who wrote a document
  std::string users;              ///< the file that says it for other inputs
  std::string group;              ///< for tables: the column that holds the group of a document
  std::string time;               ///< for tables: the column that holds its date
  std::string stop_words =
      "auto";  ///< a language, none, or a file; auto: of the languages, or english if none is named
  std::vector<std::string> languages;  ///< whose rules cut the text; empty: the library's own rules
  std::string stemming;                ///< the language to whose stems words are reduced; empty: none
  std::string encoding = "utf-8";      ///< of INPUT and of the users' file
  std::string invalid_utf8 = "refuse";
  std::string scratch;          ///< where what is cut from a packed corpus is kept; empty: in it
  dplda::input_part part = {};  ///< what this process reads of INPUT (set_part)
  bool packing = false;         ///< counts stay as they are, and documents are kept in files in `scratch`
  bool phrases = false;         ///< the list or model has phrases, and documents are cut into them, too
  bool unpruned = false;        ///< the user answers for counts: no word was left out because of other documents
  std::size_t unpacked = 4000;  ///< megabytes, the most that a gzipped file may unpack to

  /// Whether it is known who wrote each document.
  bool has_users() const;
  bool own_stop_words() const;
  /// The stop words as the report names them.
  std::string stop_words_setting() const;
};

/// Adds the options; the path is INPUT.
void add_input_options(CLI::App& command, input_options& input);

/// Adds --group and --time, for commands that use them.
void add_label_options(CLI::App& command, input_options& input);

/// Adds --unpruned, for commands that release something.
void add_unpruned_option(CLI::App& command, input_options& input);

/// Checks what can be checked without reading anything. Throws usage_error.
void check(const input_options& input);

/// Lets each process read its part of INPUT, if that can be read in parts: a packed corpus without groups; a plain file or
/// folder in UTF-8 without a file of labels, whose entries, if they are counts, are in the order of documents. Reading then
/// throws std::runtime_error if the processes see different bytes.
void set_part(input_options& input, bool grouped, bool labelled);

/// Whether INPUT is a packed corpus.
bool is_packed(const input_options& input);

/// For a private release. Throws usage_error if the documents are counts and nobody answers for them (--unpruned), or if
/// they are text, which needs no answer; if they are packed and were pruned, or cut to words that were chosen from them.
void check_unpruned(const input_options& input);

/// What counts as one document, in a sentence: it follows from the kind of the input alone.
std::string what_is_a_document(const input_options& input);

/// What the report says about the input: what counts as one document, which stop words were dropped from text, and that
/// counts are not pruned. Names of columns are not told.
void add_input_settings(dplda::json_value::object& settings, const input_options& input);

/// Throws parse_error if there is no such file or folder, or if its name is that of JSON (io/tables.hpp).
void check_exists(const input_options& input);

/// Reads the documents, over `vocab` if that is given, otherwise with all their words. Each document is read
/// independently of the others: nothing is pruned, and formats are told by names, not by contents.
/// Throws parse_error if something cannot be read, if it looks like a table or JSON and the format is not given, if there
/// is no document, and if no document has a word, in the parts of all processes together.
dplda::corpus read_corpus(const input_options& input, const dplda::vocabulary_ptr& vocab = nullptr);

/// The same with the group and the date of each document, where columns are named for them.
dplda::labelled_corpus read_labelled_corpus(const input_options& input, const dplda::vocabulary_ptr& vocab = nullptr);

/// The same for texts, with all their words and the order of these, in which phrases are found.
struct labelled_texts {
  dplda::labelled_corpus found;
  dplda::ordered_texts texts;
};
labelled_texts read_labelled_texts(const input_options& input);

/// If the release in this folder has phrases, the input will be cut into them (input_options::phrases).
void cut_as_released(input_options& input, const std::filesystem::path& folder);

/// What a packed corpus tells of how it was read, so that commands that read it say and do the same.
dplda::json_value::object packed_settings(const input_options& input);

/// What a person calls document d of INPUT: its file in a folder, its row in a table, or its line. Private as the
/// documents are.
class document_names {
 public:
  explicit document_names(const input_options& input);
  std::string operator[](std::size_t d) const;
  /// "row", "line", "file" and so on.
  std::string kind() const { return kind_.empty() ? "file" : kind_; }

 private:
  std::vector<std::string> files_;  // of a folder
  std::string kind_;                // "row" or "line"; empty for a folder
  std::size_t first_ = 1;           // of document 0
};

/// Reads a vocabulary. If its name ends in .gz, it is gzipped and may unpack to at most `most_megabytes`.
dplda::vocabulary_ptr read_words(const std::string& path, std::size_t most_megabytes);

/// Reads a list of words that the user states to be public. Throws usage_error if it has fewer than two words, if a file
/// beside it tells that it was made from documents, or if it is the list of the data themselves: the file that comes with
/// counts of words, or a file with the same words.
dplda::vocabulary_ptr read_public_words(const std::string& path, const input_options& input);

/// Reads texts that the user states to be public, as the documents are read; each is called by the name of its file or
/// folder. Throws usage_error if one is INPUT, a part of it, or has it as a part.
std::vector<dplda::public_text> read_public_texts(const std::vector<std::string>& paths, const input_options& input);

}  // namespace dplda_program

#endif
