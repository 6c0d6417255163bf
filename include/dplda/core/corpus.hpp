// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_CORPUS_HPP
#define DPLDA_CORE_CORPUS_HPP

#include <dplda/core/detail/column.hpp>
#include <dplda/core/vocabulary.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// A user's position in its corpus, from 0.
using user_id = std::uint32_t;

/// One document as a bag of words: distinct words in ascending order, each with a count of at least 1. A view: it lives
/// as long as its corpus.
struct document {
  std::span<const word_id> words;
  std::span<const std::uint32_t> counts;
  /// The document's position in the corpus as first read. It survives selection, so randomness keyed by it does too.
  std::uint64_t id = 0;

  /// Number of distinct words.
  std::size_t size() const noexcept { return words.size(); }
  bool empty() const noexcept { return words.empty(); }
  /// Number of tokens.
  std::uint64_t length() const noexcept { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }
};

/// Whether each document depends on its own text and on public rules alone. Only such documents can be privacy units.
enum class pruning {
  none,     ///< it does; for counts and tokens: the user called declare_unpruned
  by_list,  ///< it does, for the released list that it is over as a whole: what counts depends on all that is listed, as
            ///< of overlapping phrases the longest counts (with_phrases). Cut to other words it is pruned
  unknown,  ///< made of counts or tokens, which do not tell
  pruned    ///< other documents decided which words are left: words were dropped by document frequency
            ///< (text_options.min_documents, max_document_share), or the documents were cut to a list that comes from
            ///< documents, or to released words and then to a list that does not pay for them
};

class corpus;

/// Where a corpus keeps its documents: in memory or, by `mapped_storage` (io/packed_corpus.hpp), in files that the system
/// maps, so that it may be larger than memory. A corpus that is cut or selected from another one is kept as that one is.
class corpus_storage {
 public:
  /// In memory.
  corpus_storage() = default;
  /// In stores that `place` makes.
  explicit corpus_storage(std::shared_ptr<const detail::byte_place> place) : place_(std::move(place)) {}

 private:
  friend class corpus;
  template <class T>
  detail::column<T> column() const {
    return detail::column<T>(place_ == nullptr ? nullptr : place_->make());
  }
  std::shared_ptr<const detail::byte_place> place_;
};

namespace detail {

/// The arrays of an opened corpus, and what is known of them.
struct packed_arrays {
  std::shared_ptr<const void> owner;        // what keeps the arrays there
  std::span<const std::uint64_t> offsets;   // of each document's first entry, and of the end
  std::span<const word_id> words;           // not looked at yet
  std::span<const std::uint32_t> counts;    // not looked at yet
  std::span<const std::uint64_t> ids = {};  // empty: they follow first_id
  std::uint64_t first_id = 0;
  std::span<const user_id> users = {};  // empty: no owners
  std::size_t user_count = 0;
  std::optional<std::uint64_t> tokens = {};  // missing: counted when asked for
  std::string name = {};                     // of the folder, for messages
};

/// A corpus of arrays that lie elsewhere. Preconditions: offsets ascend, from the first by the number of entries, and users
/// are below user_count. Words and counts are checked document by document, whenever one is read: a damaged document is
/// refused with a parse_error.
corpus open_arrays(packed_arrays arrays, vocabulary_ptr vocab, pruning known, corpus_storage storage);

/// The same documents with another pruning state; the data are shared. Only declare_unpruned and code that made the
/// documents itself may say that nothing was pruned.
corpus with_pruning(const corpus& docs, pruning known);

/// What a corpus that is a part of another one is called there.
struct numbers_in_whole {
  std::uint64_t first_id = 0;              ///< of the first document; the others follow it, unless they have ids
  vocabulary_ptr words = nullptr;          ///< null: as they are
  std::span<const word_id> word_ids = {};  ///< of each word in `words`; distinct
  std::span<const user_id> users = {};     ///< of each document; empty: as they are
  std::size_t user_count = 0;
};

/// The same documents with other numbers. In place, if nobody else has the documents; then this costs no memory.
corpus renumbered(corpus docs, const numbers_in_whole& numbers);

}  // namespace detail

/// An immutable bag-of-words corpus in compressed rows: 8 bytes for each (document, word) pair and 8 for each document,
/// in memory or in mapped files. Copies share the data. Documents may have owners; the privacy unit "user" is all
/// documents of one owner.
class corpus {
 public:
  corpus();

  /// Number of documents, empty ones included.
  std::size_t size() const noexcept { return data_->offsets.size() - 1; }
  bool empty() const noexcept { return size() == 0; }
  /// Number of distinct (document, word) pairs.
  std::size_t entries() const noexcept { return data_->words.size(); }
  /// Number of tokens in all documents.
  std::uint64_t tokens() const {
    const std::uint64_t known = data_->tokens;
    return known != not_counted ? known : count_tokens();
  }

  /// Precondition: d < size(). Throws parse_error if the corpus is an opened file and this document is damaged.
  document operator[](std::size_t d) const;

  /// The id of document d, as (*this)[d].id, without a look at the document.
  std::uint64_t id(std::size_t d) const { return data_->ids.empty() ? first_id_ + d : data_->ids[d]; }

  /// Position of document d's first entry among all entries; entry_begin(size()) == entries().
  std::size_t entry_begin(std::size_t d) const {
    return static_cast<std::size_t>(data_->offsets[d] - data_->first_offset);
  }

  const vocabulary_ptr& vocab() const noexcept { return vocab_; }
  /// Number of words in the vocabulary, used or not.
  std::size_t words() const noexcept { return vocab_->size(); }

  /// Whether other documents may have decided which words are left. Every corpus derived from this one inherits it.
  dplda::pruning pruning() const noexcept { return pruning_; }

  bool has_users() const noexcept { return !data_->users.empty(); }
  /// Number of users; without users each document stands for one.
  std::size_t users() const noexcept { return has_users() ? data_->user_count : size(); }
  /// The owner of document d; d itself where documents have no owners.
  user_id user(std::size_t d) const { return has_users() ? data_->users[d] : static_cast<user_id>(d); }

  /// A compact copy of the documents at these positions, in this order. Vocabulary, users (with their numbers) and
  /// document ids stay. Throws std::invalid_argument on a position beyond the end. A private fit of a part that was
  /// chosen by position has a guarantee for that part only: removing one document moves others into it. stable_split
  /// (corpora/stable_split.hpp) has no such limit.
  corpus select(std::span<const std::size_t> positions) const;

  /// The documents [first, last), as select does.
  corpus slice(std::size_t first, std::size_t last) const;

  /// The same documents over another vocabulary. Words are matched by their spelling; words that `kept` lacks are
  /// dropped. Documents that lose all words stay as empty documents, because the number of documents must not reveal
  /// which words were dropped. If `kept` lists the same words in the same order, the data are shared. The corpus is
  /// pruned if a list that comes from documents (word_origin) drops words; and if it was cut to released words before,
  /// and `kept` is not a part of them that was released, too (for pruning::by_list: all of them): nothing pays for the
  /// first cut.
  /// Throws std::invalid_argument if `kept` is null.
  corpus restrict_to(vocabulary_ptr kept) const;

 private:
  friend class corpus_builder;
  friend corpus detail::with_pruning(const corpus& docs, dplda::pruning known);
  friend corpus detail::renumbered(corpus docs, const detail::numbers_in_whole& numbers);
  friend corpus detail::open_arrays(detail::packed_arrays arrays, vocabulary_ptr vocab, dplda::pruning known,
                                    corpus_storage storage);

  struct data {
    /// No document.
    explicit data(const corpus_storage& place);

    void reserve(std::size_t documents, std::size_t entries);
    void trim();

    corpus_storage storage;
    detail::column<word_id> words;
    detail::column<std::uint32_t> counts;
    detail::column<std::uint64_t> offsets;  // of each document's first entry, and of the end
    std::uint64_t first_offset = 0;         // above 0 in a part of an opened corpus
    detail::column<std::uint64_t> ids;      // empty: ids follow each other
    detail::column<user_id> users;          // empty: no owners
    std::size_t user_count = 0;
    mutable std::atomic<std::uint64_t> tokens = 0;
    bool checked = true;  // whether words and counts are known to be valid
    std::string name;     // of the folder that they were opened from
  };

  static constexpr std::uint64_t not_counted = ~std::uint64_t{0};

  void check(std::size_t d, const document& doc) const;
  /// Counts the tokens of an opened part, once.
  std::uint64_t count_tokens() const;

  corpus(std::shared_ptr<const data> filled, vocabulary_ptr vocab, dplda::pruning pruning, std::uint64_t first_id = 0)
      : data_(std::move(filled)), vocab_(std::move(vocab)), pruning_(pruning), first_id_(first_id) {}

  std::shared_ptr<const data> data_;
  vocabulary_ptr vocab_;
  dplda::pruning pruning_ = pruning::none;
  std::uint64_t first_id_ = 0;  // of documents that have no ids of their own
};

namespace detail {

/// What is said of pruned documents where they are refused.
inline constexpr const char* pruned_corpus = "pruned by looking at documents";
inline constexpr const char* unpruned_remedy =
    "must have all words, or those of a public list. Read the texts with text_options.min_documents and "
    "max_document_share at 1. If a list of words is public, say declare_public(list) before you cut to it. If it was "
    "released, cut the documents as they were read, and give the release to fit(words, docs, random)";

}  // namespace detail

/// The same documents. By calling this you declare that each of them depends on its own text and on public rules alone:
/// no word was left out, joined or renamed because of other documents. A cut by document frequency, token frequency or
/// tf-idf, a limit to the most frequent words, and phrases or a tokenizer learned from the documents all break this.
/// Dropping the words of a public stop list does not. The library cannot check it: counts and tokens do not say what was
/// left out, and many published files lack their rare words. Throws std::invalid_argument if the corpus is known to be
/// pruned.
corpus declare_unpruned(const corpus& docs);

/// Builds a corpus document by document. A document's words may come in any order and repeatedly; counts are added up.
/// The corpus is of unknown pruning, because counts do not tell what was left out: for a private release, see
/// declare_unpruned.
class corpus_builder {
 public:
  /// The corpus is kept where `storage` says.
  explicit corpus_builder(corpus_storage storage = {}) : storage_(std::move(storage)) {}

  /// Space for this many documents and distinct (document, word) pairs; only a hint.
  void reserve(std::size_t documents, std::size_t entries) { data_->reserve(documents, entries); }

  std::size_t size() const noexcept { return data_->offsets.size() - 1; }

  /// Adds `count` tokens of `word` to the open document; 0 adds nothing.
  void add(word_id word, std::uint32_t count = 1);

  /// Closes the open document (an empty one if nothing was added).
  /// Throws std::overflow_error if a word's counts in it add up to more than 2^32 - 1; the document then stays open and
  /// unchanged.
  void end_document();

  /// Sets the owner of each document, a user_id below `user_count`.
  /// Throws std::invalid_argument if the sizes differ or a number is too large.
  void set_users(std::vector<user_id> users, std::size_t user_count);

  /// Sets each document's id, for a corpus derived from another one; by default ids are positions.
  /// Throws std::invalid_argument if the number of ids is not the number of documents.
  void set_ids(std::vector<std::uint64_t> ids);

  /// The corpus; the builder is empty afterwards. Throws std::invalid_argument if a word id is beyond the vocabulary,
  /// if a document is still open, or if documents were added after their users or ids.
  corpus build(vocabulary_ptr vocab);

 private:
  void sort_and_merge();

  corpus_storage storage_;
  std::shared_ptr<corpus::data> data_ = std::make_shared<corpus::data>(storage_);
  std::size_t begin_ = 0;       // first entry of the open document
  std::size_t word_limit_ = 0;  // one past the largest word id
  bool sorted_ = true;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/core/detail/corpus.ipp>
#endif

#endif
