// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <dplda/io/encoding_error.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/lda_c.hpp>
#include <dplda/io/matrix_market.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/ordered_texts.hpp>
#include <dplda/io/packed_corpus.hpp>
#include <dplda/io/release_folder.hpp>
#include <dplda/io/stop_words.hpp>
#include <dplda/io/svmlight.hpp>
#include <dplda/io/table_like.hpp>
#include <dplda/io/tables.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/io/users.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/vocabulary/phrase_selector.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "encoding.hpp"
#include "gzip.hpp"
#include "language.hpp"
#include "processes.hpp"
#include "program.hpp"
#include "same_input.hpp"

namespace dplda_program {

namespace fs = std::filesystem;

namespace {

bool compressed(const fs::path& path) { return path.extension() == ".gz"; }

std::unique_ptr<std::istream> open(const fs::path& path, std::size_t most_megabytes) {
  if (compressed(path)) return std::make_unique<std::istringstream>(inflated(path, most_megabytes));
  std::error_code ignored;
  if (!fs::is_directory(path, ignored) && !fs::is_regular_file(path, ignored))  // a pipe, which can be read only once
    return std::make_unique<std::istringstream>(dplda::read_bytes(path));
  return std::make_unique<std::ifstream>(dplda::open_to_read(path));
}

/// The parts with commas between them, or `none`.
std::string joined(const std::vector<std::string>& parts, const char* none) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all.empty() ? none : all;
}

bool is_utf8(const std::string& encoding) {
  return encoding.size() >= 4 && (encoding[0] | 0x20) == 'u' && (encoding[1] | 0x20) == 't' &&
         (encoding[2] | 0x20) == 'f' && (encoding.substr(3) == "8" || encoding.substr(3) == "-8");
}

/// As open(), in UTF-8.
std::unique_ptr<std::istream> open_text(const fs::path& path, const input_options& input) {
  auto in = open(path, input.unpacked);
  if (is_utf8(input.encoding)) return in;
  std::ostringstream bytes;
  if (in->peek() != std::istream::traits_type::eof()) bytes << in->rdbuf();
  if (in->bad()) throw dplda::parse_error(path.string(), 0, "expected a file that can be read");
  return std::make_unique<std::istringstream>(
      to_utf8(bytes.view(), input.encoding, path.string(), input.invalid_utf8 == "separate"));
}

constexpr dplda::table_format table_formats[] = {dplda::table_format::csv, dplda::table_format::tsv,
                                                 dplda::table_format::json_lines};

const char* name_of(dplda::table_format format) {
  switch (format) {
    case dplda::table_format::csv:
      return "csv";
    case dplda::table_format::tsv:
      return "tsv";
    case dplda::table_format::json_lines:
      break;
  }
  return "jsonl";
}

// By the name alone: the contents of one document must not decide how the others are read. (They may make the program
// refuse everything, which only the person who runs it sees.)
std::string format_of(const input_options& input) {
  if (input.format != "auto") return input.format;
  if (dplda::is_packed_corpus(input.path)) return "packed";
  fs::path name = fs::path(input.path).filename();
  if (compressed(name)) name = name.stem();
  if (name.string().starts_with("docword")) return "uci";
  if (name.extension() == ".ldac" || name.extension() == ".lda-c") return "lda-c";
  if (name.extension() == ".mtx") return "mtx";
  if (name.extension() == ".svmlight" || name.extension() == ".svm") return "svmlight";
  std::error_code ignored;
  if (const auto table = dplda::table_format_of(name); table && !fs::is_directory(input.path, ignored))
    return name_of(*table);
  return "text";
}

std::optional<dplda::table_format> table_of(const input_options& input) {
  const std::string format = format_of(input);
  for (const dplda::table_format each : table_formats)
    if (format == name_of(each)) return each;
  return std::nullopt;
}

bool is_text(const input_options& input) { return format_of(input) == "text" || table_of(input); }

/// vocab.NAME.txt beside docword.NAME.txt, as the UCI collection has it.
std::string default_words(const input_options& input) {
  const fs::path path(input.path);
  std::string name = path.filename().string();
  if (!name.starts_with("docword")) return {};
  name.replace(0, 7, "vocab");
  for (const std::string& candidate : {name, name + ".gz", fs::path(name).stem().string()}) {
    std::error_code ignored;
    if (fs::is_regular_file(path.parent_path() / candidate, ignored)) return (path.parent_path() / candidate).string();
  }
  return {};
}

bool has_stop_words(const std::string& language) {
  return std::ranges::count(dplda::stop_word_languages(), std::string_view(language)) > 0;
}

/// Precondition: the list is not a file.
std::vector<std::string> languages_of_stop_words(const input_options& input) {
  if (input.stop_words == "none") return {};
  if (input.stop_words != "auto") return {input.stop_words};
  if (input.languages.empty()) return {"english"};
  std::vector<std::string> languages;
  for (const std::string& language : input.languages)
    if (has_stop_words(language)) languages.push_back(language);
  return languages;
}

dplda::text_options text_options_of(const input_options& input, const dplda::vocabulary_ptr& vocab) {
  dplda::text_options options{.vocab = vocab, .any_lines = true};  // read_texts() has words of its own for tables
  if (input.own_stop_words()) {
    const dplda::vocabulary_ptr words = read_words(input.stop_words, input.unpacked);
    for (dplda::word_id w = 0; w < words->size(); ++w) options.tokens.stop_words.emplace_back(words->word(w));
  } else {
    for (const std::string& language : languages_of_stop_words(input))
      for (std::string& word : dplda::stop_words(language)) options.tokens.stop_words.push_back(std::move(word));
  }
  if (!input.languages.empty()) cut_by_unicode_rules(options.tokens, input.languages);
  if (!input.stemming.empty()) stem(options.tokens, input.stemming);
  if (input.invalid_utf8 == "separate") options.tokens.on_invalid_utf8 = dplda::invalid_utf8::separate;
  return options;
}

/// In memory; for packing, in files.
dplda::corpus_storage storage_of(const input_options& input) {
  return input.packing ? dplda::mapped_storage(input.scratch) : dplda::corpus_storage();
}

[[noreturn]] void refuse_table(const fs::path& path, const std::string& what, const std::string& remedy,
                               const std::string& counted) {
  throw dplda::parse_error(path.string(), 0,
                           what + "; " + remedy + "; --format text takes " + counted + " as one document all the same");
}

constexpr const char* read_as_table =
    "if a row of it is a document, say --format csv, tsv or jsonl, and name the column that holds the text with --text";

dplda::table_columns columns_of(const input_options& input) {
  dplda::table_columns columns{.text = input.text};
  if (!input.user.empty()) columns.user = input.user;
  if (!input.group.empty()) columns.group = input.group;
  if (!input.time.empty()) columns.time = input.time;
  return columns;
}

/// As open_text, for a file with a document on each line. Refuses a table.
std::unique_ptr<std::istream> open_lines(const input_options& input) {
  auto in = open_text(input.path, input);
  if (input.format != "auto") return in;
  std::string beginning(dplda::bytes_that_tell, '\0');
  in->read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in->gcount()));
  in->clear();
  in->seekg(0);
  if (const char* other = dplda::looks_like_table_or_json(beginning))
    refuse_table(input.path, std::string("looks like ") + other, read_as_table, "every line");
  return in;
}

/// Opens the files of a folder with a document in each. Refuses tables.
dplda::text_opener opener_of(const input_options& input) {
  return [&input](const fs::path& file) {
    if (input.format == "auto" && dplda::named_as_table(file))
      refuse_table(file, "is a table or JSON in a folder, where each file is a document",
                   "give the table itself as INPUT", "every file");
    return open_text(file, input);
  };
}

using words_in_order = std::vector<std::vector<dplda::word_id>>;

/// Stores the order of words if `order` is not null.
dplda::labelled_corpus read_texts(const input_options& input, const dplda::vocabulary_ptr& vocab,
                                  const dplda::user_list* users, words_in_order* order) {
  dplda::text_options options = text_options_of(input, vocab);
  options.storage = storage_of(input);
  options.order = order;
  std::error_code ignored;
  if (const auto format = table_of(input))
    return dplda::read_labelled_table(*open_text(input.path, input), input.path, *format, columns_of(input), options);
  if (!fs::is_directory(input.path, ignored)) return {dplda::read_text(*open_lines(input), input.path, options, users)};
  return {dplda::read_text(input.path, options, users, opener_of(input))};
}

/// Returns read(). Where text is in another encoding than stated, the error says what to do.
template <class Read>
auto with_remedy(const input_options& input, Read&& read) {
  try {
    return read();
  } catch (const dplda::encoding_error& error) {
    throw std::runtime_error(
        std::string(error.what()) +
        (is_utf8(input.encoding)
             ? "; name the encoding of INPUT with --encoding (windows-1252 for most files of old Windows "
               "programs, utf-16 for its \"Unicode text\"), or read"
             : "; name another one with --encoding, or read") +
        " such bytes as blanks with --invalid-utf8 separate; nothing was done and nothing is spent");
  }
}

/// The file that lists the words of counts; empty for text, or if there is none.
std::string words_file_of(const input_options& input) {
  if (is_text(input)) return {};
  if (is_packed(input))  // another list than that of the documents is public
    return dplda::facts_of_corpus(input.path).origin == dplda::word_origin::documents
               ? (fs::path(input.path) / "vocabulary.txt").string()
               : std::string();
  return input.words.empty() ? default_words(input) : input.words;
}

bool same_words(const dplda::vocabulary& a, const dplda::vocabulary& b) {
  if (a.size() != b.size()) return false;
  for (dplda::word_id w = 0; w < a.size(); ++w) {
    if (!b.find(a.word(w))) return false;
  }
  return true;
}

/// --unpruned answers for counts in a release; other commands release nothing.
dplda::corpus answered_for(const dplda::corpus& counts, const input_options& input) {
  const bool ask = counts.pruning() == dplda::pruning::unknown && (!input.packing || input.unpruned);
  return ask ? dplda::declare_unpruned(counts) : counts;
}

/// The words of counts. Throws usage_error if nobody names them.
dplda::vocabulary_ptr words_of_counts(const input_options& input) {
  const std::string words_file = words_file_of(input);
  if (words_file.empty())
    throw usage_error("counts need a list of words: name a file that has one on each line with --words");
  return read_words(words_file, input.unpacked);
}

dplda::corpus read_counts(const input_options& input, const dplda::user_list* users) {
  const dplda::vocabulary_ptr words = words_of_counts(input);
  const auto in = open(input.path, input.unpacked);
  const std::string format = format_of(input);
  const auto counts = format == "uci"     ? dplda::read_uci(*in, input.path, words, users, storage_of(input))
                      : format == "mtx"   ? dplda::read_matrix_market(*in, input.path, words, users, storage_of(input))
                      : format == "lda-c" ? dplda::read_lda_c(*in, input.path, words, users)
                                          : dplda::read_svmlight(*in, input.path, words, users);
  return answered_for(counts, input);
}

/// What --group and --time ask of a packed corpus.
dplda::labelled_corpus read_packed(const input_options& input) {
  dplda::labelled_corpus found = dplda::open_labelled_corpus(input.path, input.scratch);
  if (input.group.empty()) found.groups = {};
  if (input.time.empty()) found.dates.clear();
  found.docs = answered_for(found.docs, input);
  return found;
}

/// This process's part of INPUT, numbered as in the whole.
dplda::labelled_corpus read_part(const input_options& input, const dplda::vocabulary_ptr& vocab,
                                 const dplda::user_list* users) {
  const fs::path packed = fs::path(input.path) / "corpus.json";
  is_packed(input) ? require_same_in_all(dplda::read_bytes(packed), "documents") : require_same_bytes(input.path);
  const dplda::vocabulary_ptr words = is_text(input) || is_packed(input) ? nullptr : words_of_counts(input);
  const std::string format = format_of(input);
  std::error_code ignored;
  dplda::corpus_part read = with_remedy(input, [&] {
    if (is_packed(input)) return dplda::open_corpus_part(input.path, input.part, input.scratch);
    if (const auto table = table_of(input))
      return dplda::read_table_part(*open_text(input.path, input), input.path, *table, columns_of(input), input.part,
                                    text_options_of(input, vocab));
    if (is_text(input) && fs::is_directory(input.path, ignored))
      return dplda::read_text_part(input.path, input.part, text_options_of(input, vocab), opener_of(input));
    if (is_text(input))
      return dplda::read_text_part(*open_lines(input), input.path, input.part, text_options_of(input, vocab));
    const auto in = open(input.path, input.unpacked);
    return format == "uci"     ? dplda::read_uci_part(*in, input.path, input.part, words)
           : format == "mtx"   ? dplda::read_matrix_market_part(*in, input.path, input.part, words)
           : format == "lda-c" ? dplda::read_lda_c_part(*in, input.path, input.part, words)
                               : dplda::read_svmlight_part(*in, input.path, input.part, words);
  });
  if (!is_text(input)) read.found.docs = answered_for(read.found.docs, input);
  const std::vector<std::string> summaries = processes().gather(read.summary());
  return dplda::in_whole(std::move(read), input.part, summaries, users).found;
}

/// A text that a packed corpus tells; empty if it does not.
std::string told(const dplda::json_value::object& settings, const char* what) {
  const auto member = std::ranges::find(settings, what, &dplda::json_value::member::first);
  const std::string* const text = member == settings.end() ? nullptr : member->second.get_if<std::string>();
  return text == nullptr ? "" : *text;
}

/// What the report of a fit to a packed corpus says of how that was read.
json_value::object report_settings(const input_options& input) {
  const json_value::object settings = dplda::facts_of_corpus(input.path).settings;
  const auto found = std::ranges::find(settings, "report", &json_value::member::first);
  const auto* const report = found == settings.end() ? nullptr : found->second.get_if<json_value::object>();
  return report == nullptr ? json_value::object{} : *report;
}

/// The options by which the text of a packed corpus was cut into words, for texts that are compared with it.
void cut_as_packed(input_options& other, const input_options& packed) {
  const json_value::object settings = dplda::facts_of_corpus(packed.path).settings;
  other.stop_words = told(settings, "stop_words");
  if (other.stop_words.empty()) other.stop_words = "auto";  // of counts, which nobody cut
  other.stemming = told(settings, "stem");
  const auto languages = std::ranges::find(settings, "languages", &json_value::member::first);
  const auto* const names = languages == settings.end() ? nullptr : languages->second.get_if<json_value::array>();
  for (const json_value& name : names == nullptr ? json_value::array{} : *names)
    if (const auto* const language = name.get_if<std::string>()) other.languages.push_back(*language);
}

/// Throws usage_error if an option asks for what was decided when the corpus was packed.
void check_packed(const input_options& input) {
  const auto refuse = [](const std::string& option) {
    throw usage_error(option + " is for dplda pack: INPUT is a packed corpus, whose documents were read already");
  };
  const input_options none;
  if (!input.text.empty()) refuse("--text");
  if (!input.words.empty()) refuse("--words");
  if (!input.users.empty()) refuse("--users");
  if (!input.languages.empty()) refuse("--language");
  if (!input.stemming.empty()) refuse("--stem");
  if (input.stop_words != none.stop_words) refuse("--stop-words");
  if (input.encoding != none.encoding) refuse("--encoding");
  if (input.invalid_utf8 != none.invalid_utf8) refuse("--invalid-utf8");
  const json_value::object settings = dplda::facts_of_corpus(input.path).settings;
  for (const auto& [option, column, key] :
       {std::tuple{"--user", &input.user, "user"}, {"--group", &input.group, "group"}, {"--time", &input.time, "time"}})
    if (!column->empty() && *column != told(settings, key))
      throw usage_error(std::string(option) + " is " + *column + ", but INPUT was packed without this; give " + option +
                        " to dplda pack");
}

}  // namespace

bool is_packed(const input_options& input) { return format_of(input) == "packed"; }

void set_part(input_options& input, bool grouped, bool labelled) {
  std::error_code ignored;
  const bool plain = is_utf8(input.encoding) && !compressed(input.path) &&
                     (fs::is_regular_file(input.path, ignored) || fs::is_directory(input.path, ignored));
  if (is_packed(input) ? !grouped : plain && !labelled) input.part = {processes().rank(), processes().size()};
}

void add_input_options(CLI::App& command, input_options& input) {
  command
      .add_option("INPUT", input.path,
                  "The documents: a folder with a text file for each, a file with one on each line, or counts of words "
                  "(docword.NAME.txt of UCI, NAME.ldac, NAME.svmlight, NAME.mtx of Matrix Market; see --unpruned); or "
                  "a table with a document in "
                  "each row (NAME.csv, NAME.tsv, or NAME.jsonl "
                  "with a JSON object on each line; see --text). Any file may be gzipped (.gz). Or a folder that dplda "
                  "pack wrote")
      ->required();
  const std::string group = "What the documents are";
  command
      .add_option(
          "--format", input.format,
          "What INPUT is; auto: decided by its name, and text that looks like a table or JSON is refused; text: "
          "a document on each line, or in each file of a folder, whatever it looks like")
      ->check(CLI::IsMember({"auto", "text", "csv", "tsv", "jsonl", "uci", "lda-c", "svmlight", "mtx", "packed"}))
      ->group(group);
  command
      .add_option("--text", input.text,
                  "For tables: the column that holds the text, by its name in the header; give it again for a further "
                  "column (subject and body, say)")
      ->type_name("COLUMN")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--user", input.user,
                  "For tables: the column that says who wrote each document; every row must have it")
      ->type_name("COLUMN")
      ->group(group);
  command
      .add_option("--words", input.words,
                  "For counts: the list of words, one on each line; for docword.* by default vocab.*")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--users", input.users,
                  "For other inputs: who wrote each document: a name or number on each line, in the order of the "
                  "documents, which is that "
                  "of INPUT's lines or, for a folder, of its files sorted by path (as LC_ALL=C sort does; hidden files "
                  "are skipped)")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option(
          "--stop-words", input.stop_words,
          "For text: words to drop: those of a language, none, or a file. auto: those of --language, and english "
          "without it. The list must be public, as --vocabulary must")
      ->type_name("WHICH")
      ->group(group);
  command
      .add_option(
          "--language", input.languages,
          "For text: the language that it is in, such as german; give it again for a further one. Text is then "
          "cut into words, and capitals become small, by the rules of Unicode; Chinese and Japanese by a "
          "dictionary. You name it: nothing is guessed from private text. Without it, words are runs of letters, "
          "and only A to Z become small")
      ->type_name("LANGUAGE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--stem", input.stemming,
                  "For text: reduce words to their stems by the rules of this language, after stop words are dropped; "
                  "words of --vocabulary are then stems")
      ->type_name("LANGUAGE")
      ->group(group);
  command
      .add_option("--encoding", input.encoding,
                  "For text: how INPUT and --users are encoded, by a name that iconv -l lists, such as windows-1252, "
                  "iso-8859-15 or utf-16; public texts and lists of words are in UTF-8")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--scratch", input.scratch,
                  "For packed corpora: the folder for what is cut from them, in files without a name; by default "
                  "INPUT itself")
      ->type_name("FOLDER")
      ->group(group);
  command.add_option("--unpacked", input.unpacked, "For gzipped files: how many megabytes one may unpack to at most")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->group(group);
  command
      .add_option("--invalid-utf8", input.invalid_utf8,
                  "For bytes that do not fit the encoding: refuse them, or read them as blanks (separate)")
      ->check(CLI::IsMember({"refuse", "separate"}))
      ->group(group);
}

void add_label_options(CLI::App& command, input_options& input) {
  const std::string group = "What the documents are";
  command
      .add_option("--group", input.group,
                  "For tables: the column that holds the group of each document, such as a department; an empty cell "
                  "is no group")
      ->type_name("COLUMN")
      ->group(group);
  command
      .add_option("--time", input.time,
                  "For tables: the column that holds its date: 2024-05-17, 17.05.2024, 2024-05 or 2024, a day with or "
                  "without a time of day; an empty cell is no date")
      ->type_name("COLUMN")
      ->group(group);
}

void add_unpruned_option(CLI::App& command, input_options& input) {
  command
      .add_flag("--unpruned", input.unpruned,
                "For counts, which do not tell: you state that the counts of each document depend on its own text and "
                "on public rules alone. No word was left out or joined because of other documents: because few or many "
                "of them hold it, because it is not among the most frequent ones, or by phrases learned from them. "
                "(Words of a public stop list may be missing.) Many published counts lack their rare words, and then "
                "no guarantee holds")
      ->group("Privacy");
}

bool input_options::own_stop_words() const {
  return stop_words != "auto" && stop_words != "none" && !has_stop_words(stop_words);
}

bool input_options::has_users() const {
  if (!users.empty() || !user.empty()) return true;
  return is_packed(*this) && dplda::facts_of_corpus(path).has_users;
}

json_value::object packed_settings(const input_options& input) {
  json_value::object settings;
  add_input_settings(settings, input);
  json_value::object all{{"report", settings}, {"document", document_names(input).kind()}};
  if (is_text(input)) {
    std::error_code ignored;
    const fs::path own = input.own_stop_words() ? fs::absolute(input.stop_words, ignored) : fs::path();
    all.emplace_back("stop_words", own.empty() ? input.stop_words : own.string());
    all.emplace_back("languages", list_of(input.languages));
    all.emplace_back("stem", input.stemming);
  }
  if (!input.user.empty()) all.emplace_back("user", input.user);
  if (!input.group.empty()) all.emplace_back("group", input.group);
  if (!input.time.empty()) all.emplace_back("time", input.time);
  return all;
}

std::string input_options::stop_words_setting() const {
  if (own_stop_words()) return "a public list, taken on your word";
  return joined(languages_of_stop_words(*this), "none");
}

document_names::document_names(const input_options& input) {
  std::error_code ignored;
  if (is_packed(input)) {
    kind_ = told(dplda::facts_of_corpus(input.path).settings, "document");
    if (kind_.empty()) kind_ = "document";
    first_ = kind_ == "row" ? 2 : 1;
  } else if (is_text(input) && !table_of(input) && fs::is_directory(input.path, ignored)) {
    for (const fs::path& file : dplda::visible_files(input.path))
      files_.push_back(file.lexically_relative(input.path).generic_string());
  } else if (const auto table = table_of(input)) {
    const bool json = *table == dplda::table_format::json_lines;
    kind_ = json ? "object" : "row";
    first_ = json ? 1 : 2;  // row 1 is the header
  } else if (is_text(input)) {
    kind_ = "line";
  } else {
    kind_ = "document";
  }
}

std::string document_names::operator[](std::size_t d) const {
  return kind_.empty() ? files_.at(d) : kind_ + ' ' + std::to_string(d + first_);
}

void check(const input_options& input) {
  if (input.phrases && !is_text(input))
    throw usage_error("phrases are words in a row, and counts have lost the order of words; give the texts as INPUT");
  if (is_packed(input)) return check_packed(input);
  if (!input.packing && !input.scratch.empty())
    throw usage_error("--scratch is for packed corpora, but INPUT is none; see dplda pack");
  if (!is_utf8(input.encoding)) {
    if (!is_text(input)) throw usage_error("--encoding is for text, but INPUT is counts of words");
    check_encoding(input.encoding);
  }
  if (!is_text(input) && !(input.languages.empty() && input.stemming.empty()))
    throw usage_error("--language and --stem are for text, but INPUT is counts of words");
  check_languages(input.languages);
  if (!input.stemming.empty()) check_stemming(input.stemming);
  if (is_text(input) && !input.words.empty()) throw usage_error("--words is for counts of words, but INPUT is text");
  if (!table_of(input)) {
    if (!input.text.empty())
      throw usage_error("--text is for tables, but INPUT is none; say --format csv if it is one");
    if (!input.user.empty()) throw usage_error("--user is for tables; for other inputs, give a file with --users");
    if (!input.group.empty() || !input.time.empty())
      throw usage_error("--group and --time are for tables, but INPUT is none; say --format csv if it is one");
    return;
  }
  if (input.text.empty()) throw usage_error("INPUT is a table: name the column that holds the text with --text COLUMN");
  if (!input.users.empty()) throw usage_error("--users is for other inputs; name a column of the table with --user");
}

void check_unpruned(const input_options& input) {
  if (is_packed(input)) {
    const dplda::packed_facts facts = dplda::facts_of_corpus(input.path);
    if (facts.pruning == dplda::pruning::pruned || facts.pruning == dplda::pruning::by_list ||
        facts.origin == dplda::word_origin::released)
      throw usage_error(
          "INPUT was packed after words had been chosen from documents, so no guarantee would hold or its cost is not "
          "known; pack the documents as they were written");
    if (facts.pruning == dplda::pruning::none && input.unpruned)
      throw usage_error("--unpruned is for counts of words, but INPUT was packed from text, or with --unpruned");
    if (facts.pruning == dplda::pruning::none) return;
  }
  if (is_text(input) && input.unpruned) throw usage_error("--unpruned is for counts of words, but INPUT is text");
  if (!is_text(input) && !input.unpruned)
    throw usage_error(
        "counts do not tell whether words were left out because of other documents (few or many hold them, or they are "
        "not among the most frequent), and then no guarantee would hold; if none were, say so with --unpruned, or give "
        "the texts themselves");
}

dplda::vocabulary_ptr read_words(const std::string& path, std::size_t most_megabytes) {
  return dplda::read_vocabulary(*open(path, most_megabytes), path);
}

namespace {

/// Throws usage_error if a file beside the list tells that its words come, or may come, from documents: their cost would
/// be left out.
void check_no_documents_words(const fs::path& words) {
  std::error_code none;
  fs::path record = words;
  record += ".release.json";  // as dplda vocabulary writes it
  bool from_documents = fs::exists(record, none);
  if (!from_documents && words.filename() == "vocabulary.txt") {
    const fs::path folder = words.parent_path();
    std::optional<dplda::word_origin> origin;
    if (record = folder / "release.json"; fs::exists(record, none)) {  // as dplda fit does
      origin = dplda::read_release_record(folder).words;
    } else if (record = folder / "model.json"; fs::exists(record, none)) {  // as save_model does
      origin = dplda::load_model(folder).vocab()->origin();
    } else if (record = folder / "corpus.json"; fs::exists(record, none)) {  // as dplda pack does
      origin = dplda::facts_of_corpus(folder).origin;
    }
    from_documents = origin && *origin != dplda::word_origin::public_list;
  }
  if (from_documents)
    throw usage_error(
        words.string() + ": was made from documents, or may have been (see " + record.string() +
        "), so it is not a public list; leave out --vocabulary, and one budget pays for words and topics");
}

}  // namespace

dplda::vocabulary_ptr read_public_words(const std::string& path, const input_options& input) {
  check_no_documents_words(path);
  const dplda::vocabulary_ptr words = read_words(path, input.unpacked);
  if (words->size() < 2)
    throw usage_error(path + ": lists " + (words->size() == 0 ? "no word" : "one word") +
                      ", and topics need at least two; nothing was read and nothing is spent");
  const std::string own = words_file_of(input);
  std::error_code ignored;
  if (!own.empty() && (fs::equivalent(path, own, ignored) || same_words(*words, *read_words(own, input.unpacked))))
    throw usage_error(path + ": lists the words of the documents themselves, as " + own +
                      " does, so it is not a public list; leave out --vocabulary, and words are chosen privately");
  return dplda::declare_public(words);
}

std::string what_is_a_document(const input_options& input) {
  std::error_code ignored;
  if (is_packed(input)) {
    const std::string unit = told(report_settings(input), "one document");
    return "A document is what INPUT, a packed corpus, has as one" + (unit.empty() ? "." : ": " + unit + ".");
  }
  if (!is_text(input))
    return "A document is what the counts number as one. That no word is missing because of other documents\n"
           "is taken on your word (--unpruned).";
  if (table_of(input)) return "Each row of the table is one document.";
  if (!fs::exists(input.path, ignored)) return "Each file of a folder, or each line of a file, is one document.";
  return fs::is_directory(input.path, ignored) ? "Each file of the folder is one document."
                                               : "Each line of the file is one document.";
}

void add_input_settings(json_value::object& settings, const input_options& input) {
  if (is_packed(input)) {
    const json_value::object packed = report_settings(input);
    settings.insert(settings.end(), packed.begin(), packed.end());
    if (packed.empty()) settings.emplace_back("one document", "what the packed corpus has as one");
    if (input.unpruned)
      settings.emplace_back("counts", "no word left out because of other documents, taken on your word");
    return;
  }
  std::error_code ignored;
  const bool folder = fs::is_directory(input.path, ignored);
  std::string document = !is_text(input)   ? "what the counts number as one"
                         : table_of(input) ? "each row of the table"
                         : folder          ? "each file of the folder"
                                           : "each line of the file";
  if (input.format == "text") document += ", as --format text says";
  settings.emplace_back("one document", document);
  if (is_text(input)) {
    settings.emplace_back("stop words", input.stop_words_setting());
    if (!input.languages.empty())
      settings.emplace_back("cut into words", "by the rules of Unicode, for " + joined(input.languages, ""));
    if (!input.stemming.empty()) settings.emplace_back("stems", input.stemming);
  } else if (input.unpruned) {
    settings.emplace_back("counts", "no word left out because of other documents, taken on your word");
  }
}

void check_exists(const input_options& input) {
  std::error_code ignored;
  if (!fs::exists(input.path, ignored)) throw dplda::parse_error(input.path, 0, "there is no such file or folder");
  if (input.format == "auto" && !table_of(input) && dplda::named_as_table(input.path) &&
      !fs::is_directory(input.path, ignored))
    refuse_table(input.path, "is JSON", "write an object on each line, and name the file .jsonl", "every line");
}

dplda::corpus read_corpus(const input_options& input, const dplda::vocabulary_ptr& vocab) {
  return read_labelled_corpus(input, vocab).docs;
}

namespace {

/// As read_labelled_corpus; stores the order of words if `order` is not null.
dplda::labelled_corpus read_documents(const input_options& input, const dplda::vocabulary_ptr& vocab,
                                      words_in_order* order) {
  check_exists(input);
  std::optional<dplda::user_list> users;
  if (!input.users.empty())
    users = with_remedy(input, [&] { return dplda::read_users(*open_text(input.users, input), input.users); });
  const dplda::user_list* const owners = users ? &*users : nullptr;
  dplda::labelled_corpus found = with_remedy(input, [&] {
    return input.part.of > 1  ? read_part(input, vocab, owners)
           : is_packed(input) ? read_packed(input)
           : is_text(input)   ? read_texts(input, vocab, owners, order)
                              : dplda::labelled_corpus{read_counts(input, owners)};
  });
  if (users) found.users = users->labels;
  dplda::corpus& docs = found.docs;
  if (!is_text(input) && vocab != nullptr) docs = docs.restrict_to(vocab);
  std::uint64_t sizes[] = {docs.size(), docs.tokens()};
  if (input.part.of > 1) processes().sum(sizes);
  if (sizes[0] == 0)
    throw dplda::parse_error(input.path, 0, "there is no document in it; nothing was done and nothing is spent");
  if (sizes[1] == 0)
    throw dplda::parse_error(
        input.path, 0,
        vocab == nullptr
            ? "no document has a word besides stop words; nothing was done and nothing is spent"
            : "no document has a word of the list or model that is given; nothing was done and nothing is spent");
  return found;
}

}  // namespace

dplda::labelled_corpus read_labelled_corpus(const input_options& input, const dplda::vocabulary_ptr& vocab) {
  if (!input.phrases) return read_documents(input, vocab, nullptr);
  labelled_texts read = read_labelled_texts(input);
  read.found.docs = with_phrases(read.texts, vocab);
  return std::move(read.found);
}

labelled_texts read_labelled_texts(const input_options& input) {
  words_in_order order;
  dplda::labelled_corpus found = read_documents(input, nullptr, &order);
  dplda::ordered_texts texts = dplda::in_order(found.docs, std::move(order));
  return {std::move(found), std::move(texts)};
}

void cut_as_released(input_options& input, const fs::path& folder) {
  std::error_code ignored;
  input.phrases = fs::exists(folder / "release.json", ignored) &&
                  dplda::read_release_record(folder).details.find(dplda::setting::longest_phrase) != nullptr;
}

std::vector<dplda::public_text> read_public_texts(const std::vector<std::string>& paths, const input_options& input) {
  const auto within = [](const fs::path& part, const fs::path& whole) {
    return std::mismatch(whole.begin(), whole.end(), part.begin(), part.end()).first == whole.end();
  };
  const fs::path documents = fs::weakly_canonical(input.path);
  std::vector<dplda::public_text> texts;
  for (const std::string& path : paths) {
    const fs::path place = fs::weakly_canonical(path);
    if (within(place, documents) || within(documents, place))
      throw usage_error(path + ": holds documents of INPUT or lies in it, so it is not public; give another text");
    input_options other = input;
    other.path = path;
    other.users.clear();
    other.encoding = "utf-8";
    other.group.clear();
    other.time.clear();
    other.words.clear();
    other.format = "auto";
    other.scratch.clear();
    other.part = {};
    if (is_packed(input)) cut_as_packed(other, input);
    const fs::path name = place.has_filename() ? place.filename() : place.parent_path().filename();
    texts.push_back(dplda::declare_public(read_corpus(other), name.string()));
  }
  return texts;
}

}  // namespace dplda_program
