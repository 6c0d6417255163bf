// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_CORPUS_HPP
#define DPLDA_CORE_CORPUS_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
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

/// Whether each document depends on its own text alone. Only such documents can be privacy units.
enum class pruning {
  none,     ///< no document affected which words another keeps; for counts: the user called declare_unpruned
  unknown,  ///< made of counts, or cut to a list that is not public: other documents may have decided which words are
            ///< left
  pruned    ///< words were dropped by document frequency (text_options.min_documents, max_document_share)
};

class corpus;

namespace detail {

/// The same documents with another pruning state; the data are shared. Only declare_unpruned and code that made the
/// documents itself may say that nothing was pruned.
corpus with_pruning(const corpus& docs, pruning known);

}  // namespace detail

/// An immutable bag-of-words corpus in compressed rows: 8 bytes for each (document, word) pair and 8 for each document.
/// Copies share the data. Documents may have owners; the privacy unit "user" is all documents of one owner.
class corpus {
 public:
  corpus() : data_(std::make_shared<const data>()), vocab_(std::make_shared<const vocabulary>()) {}

  /// Number of documents, empty ones included.
  std::size_t size() const noexcept { return data_->ends.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// Number of distinct (document, word) pairs.
  std::size_t entries() const noexcept { return data_->words.size(); }
  /// Number of tokens in all documents.
  std::uint64_t tokens() const noexcept { return data_->tokens; }

  /// Precondition: d < size().
  document operator[](std::size_t d) const {
    const std::size_t begin = entry_begin(d);
    const std::size_t count = data_->ends[d] - begin;
    return {std::span(data_->words).subspan(begin, count), std::span(data_->counts).subspan(begin, count),
            data_->ids.empty() ? d : data_->ids[d]};
  }

  /// Position of document d's first entry among all entries; entry_begin(size()) == entries().
  std::size_t entry_begin(std::size_t d) const { return d == 0 ? 0 : data_->ends[d - 1]; }

  const vocabulary_ptr& vocab() const noexcept { return vocab_; }
  /// Number of words in the vocabulary, used or not.
  std::size_t words() const noexcept { return vocab_->size(); }

  /// Whether words were dropped by document frequency. Every corpus derived from this one inherits it.
  dplda::pruning pruning() const noexcept { return pruning_; }

  bool has_users() const noexcept { return !data_->users.empty(); }
  /// Number of users; without users each document stands for one.
  std::size_t users() const noexcept { return has_users() ? data_->user_count : size(); }
  /// The owner of document d; d itself where documents have no owners.
  user_id user(std::size_t d) const { return has_users() ? data_->users[d] : static_cast<user_id>(d); }

  /// A compact copy of the documents at these positions, in this order. Vocabulary, users (with their numbers) and
  /// document ids stay. Throws std::invalid_argument on a position beyond the end.
  corpus select(std::span<const std::size_t> positions) const {
    auto copy = std::make_shared<data>();
    std::size_t total = 0;
    for (const std::size_t d : positions) {
      detail::require(d < size(), "corpus::select", "position", d, "must be below the number of documents");
      total += (*this)[d].size();
    }
    copy->reserve(positions.size(), total);
    for (const std::size_t d : positions) {
      const document doc = (*this)[d];
      copy->words.insert(copy->words.end(), doc.words.begin(), doc.words.end());
      copy->counts.insert(copy->counts.end(), doc.counts.begin(), doc.counts.end());
      copy->ends.push_back(copy->words.size());
      copy->ids.push_back(doc.id);
      if (has_users()) copy->users.push_back(data_->users[d]);
      copy->tokens += doc.length();
    }
    copy->user_count = data_->user_count;
    return corpus(std::move(copy), vocab_, pruning_);
  }

  /// The documents [first, last), as select does.
  corpus slice(std::size_t first, std::size_t last) const {
    detail::require(first <= last && last <= size(), "corpus::slice", "[first, last)",
                    detail::text("[", first, ", ", last, ")"), detail::text("must lie in [0, ", size(), ")"));
    std::vector<std::size_t> positions(last - first);
    std::iota(positions.begin(), positions.end(), first);
    return select(positions);
  }

  /// The same documents over another vocabulary. Words are matched by their spelling; words that `kept` lacks are
  /// dropped. Documents that lose all words stay as empty documents, because the number of documents must not reveal
  /// which words were dropped. If `kept` lists the same words in the same order, the data are shared. It is no longer
  /// known whether the corpus is pruned if a list that comes from documents (word_origin) drops words, or if the corpus
  /// was cut to released words and `kept` is not a part of them that was released, too: nothing else pays for that cut.
  /// Throws std::invalid_argument if `kept` is null.
  corpus restrict_to(vocabulary_ptr kept) const {
    detail::require(kept != nullptr, "corpus::restrict_to", "vocabulary", "null", "must be given");
    const auto now_unless = [&](bool known) {
      return pruning_ == pruning::none && !known ? pruning::unknown : pruning_;
    };
    const bool paid = vocab_->origin() != word_origin::released || kept->origin() == word_origin::released;
    if (*kept == *vocab_) return corpus(data_, std::move(kept), now_unless(paid));
    constexpr word_id dropped = 0xFFFFFFFFu;
    std::vector<word_id> renamed(words());
    std::size_t common = 0;
    for (word_id w = 0; w < words(); ++w) {
      renamed[w] = kept->find(vocab()->word(w)).value_or(dropped);
      common += renamed[w] != dropped;
    }
    const bool by_documents = common < words() && kept->origin() == word_origin::documents;
    const bool beyond = common < kept->size() && vocab_->origin() == word_origin::released;
    const auto left = now_unless(paid && !by_documents && !beyond);

    auto copy = std::make_shared<data>();
    const auto stays = [&](word_id word) { return renamed[word] != dropped; };
    copy->reserve(size(), static_cast<std::size_t>(std::count_if(data_->words.begin(), data_->words.end(), stays)));
    std::vector<std::pair<word_id, std::uint32_t>> line;
    for (std::size_t d = 0; d < size(); ++d) {
      const document doc = (*this)[d];
      line.clear();
      for (std::size_t n = 0; n < doc.size(); ++n) {
        if (stays(doc.words[n])) line.emplace_back(renamed[doc.words[n]], doc.counts[n]);
      }
      std::sort(line.begin(), line.end());
      for (const auto& [word, count] : line) {
        copy->words.push_back(word);
        copy->counts.push_back(count);
        copy->tokens += count;
      }
      copy->ends.push_back(copy->words.size());
    }
    copy->ids = data_->ids;
    copy->users = data_->users;
    copy->user_count = data_->user_count;
    return corpus(std::move(copy), std::move(kept), left);
  }

 private:
  friend class corpus_builder;
  friend corpus detail::with_pruning(const corpus& docs, dplda::pruning known);

  struct data {
    std::vector<word_id> words;
    std::vector<std::uint32_t> counts;
    std::vector<std::size_t> ends;   // one past each document's last entry
    std::vector<std::uint64_t> ids;  // empty: a document's id is its position
    std::vector<user_id> users;      // empty: no owners
    std::size_t user_count = 0;
    std::uint64_t tokens = 0;

    void reserve(std::size_t documents, std::size_t entries) {
      words.reserve(entries);
      counts.reserve(entries);
      ends.reserve(documents);
    }
  };

  corpus(std::shared_ptr<const data> filled, vocabulary_ptr vocab, dplda::pruning pruning)
      : data_(std::move(filled)), vocab_(std::move(vocab)), pruning_(pruning) {}

  std::shared_ptr<const data> data_;
  vocabulary_ptr vocab_;
  dplda::pruning pruning_ = pruning::none;
};

inline corpus detail::with_pruning(const corpus& docs, pruning known) {
  corpus same = docs;
  same.pruning_ = known;
  return same;
}

/// The same documents. By calling this you declare that no word was dropped by document frequency. The library cannot
/// check that: counts do not say what was left out, and many published files lack their rare words. Dropping the words
/// of a public stop list is fine. Throws std::invalid_argument if the corpus is known to be pruned.
inline corpus declare_unpruned(const corpus& docs) {
  detail::require(
      docs.pruning() != pruning::pruned, "declare_unpruned", "the corpus", "pruned by how many documents hold a word",
      "must have all words: read the texts again with text_options.min_documents and max_document_share at 1");
  return detail::with_pruning(docs, pruning::none);
}

/// Builds a corpus document by document. A document's words may come in any order and repeatedly; counts are added up.
/// The corpus is of unknown pruning, because counts do not tell what was left out: for a private release, see
/// declare_unpruned.
class corpus_builder {
 public:
  /// Space for this many documents and distinct (document, word) pairs; only a hint.
  void reserve(std::size_t documents, std::size_t entries) { data_->reserve(documents, entries); }

  std::size_t size() const noexcept { return data_->ends.size(); }

  /// Adds `count` tokens of `word` to the open document; 0 adds nothing.
  void add(word_id word, std::uint32_t count = 1) {
    if (count == 0) return;
    sorted_ = sorted_ && (data_->words.size() == begin_ || data_->words.back() < word);
    data_->words.push_back(word);
    data_->counts.push_back(count);
    data_->tokens += count;
    if (word >= word_limit_) word_limit_ = std::size_t{word} + 1;
  }

  /// Closes the open document (an empty one if nothing was added).
  /// Throws std::overflow_error if a word's counts in it add up to more than 2^32 - 1; the document then stays open and
  /// unchanged.
  void end_document() {
    if (!sorted_) sort_and_merge();
    begin_ = data_->words.size();
    sorted_ = true;
    data_->ends.push_back(begin_);
  }

  /// Sets the owner of each document, a user_id below `user_count`.
  /// Throws std::invalid_argument if the sizes differ or a number is too large.
  void set_users(std::vector<user_id> users, std::size_t user_count) {
    detail::require(users.size() == size(), "corpus_builder::set_users", "number of users' entries", users.size(),
                    detail::text("must be the number of documents, ", size()));
    for (const user_id user : users) {
      if (user >= user_count)
        detail::refuse("corpus_builder::set_users", "user", user, detail::text("must be below ", user_count));
    }
    data_->users = std::move(users);
    data_->user_count = user_count;
  }

  /// Sets each document's id, for a corpus derived from another one; by default ids are positions.
  /// Throws std::invalid_argument if the number of ids is not the number of documents.
  void set_ids(std::vector<std::uint64_t> ids) {
    detail::require(ids.size() == size(), "corpus_builder::set_ids", "number of ids", ids.size(),
                    detail::text("must be the number of documents, ", size()));
    data_->ids = std::move(ids);
  }

  /// The corpus; the builder is empty afterwards. Throws std::invalid_argument if a word id is beyond the vocabulary,
  /// if a document is still open, or if documents were added after their users or ids.
  corpus build(vocabulary_ptr vocab) {
    detail::require(vocab != nullptr, "corpus_builder::build", "vocabulary", "null", "must be given");
    detail::require(data_->words.size() == begin_, "corpus_builder::build", "last document", "still open",
                    "must be closed by end_document()");
    detail::require(word_limit_ <= vocab->size(), "corpus_builder::build", "largest word id", word_limit_ - 1,
                    detail::text("must be below the vocabulary's size, ", vocab->size()));
    detail::require(data_->users.empty() || data_->users.size() == size(), "corpus_builder::build",
                    "number of users' entries", data_->users.size(),
                    detail::text("must be the number of documents, ", size()));
    detail::require(data_->ids.empty() || data_->ids.size() == size(), "corpus_builder::build", "number of ids",
                    data_->ids.size(), detail::text("must be the number of documents, ", size()));
    corpus built(std::exchange(data_, std::make_shared<corpus::data>()), std::move(vocab), pruning::unknown);
    begin_ = 0;
    word_limit_ = 0;
    return built;
  }

 private:
  void sort_and_merge() {
    std::vector<std::pair<word_id, std::uint64_t>> line;
    for (std::size_t n = begin_; n < data_->words.size(); ++n) line.emplace_back(data_->words[n], data_->counts[n]);
    std::sort(line.begin(), line.end());
    std::size_t merged = 0;
    for (std::size_t n = 1; n < line.size(); ++n) {
      if (line[n].first == line[merged].first) {
        line[merged].second += line[n].second;
      } else {
        line[++merged] = line[n];
      }
    }
    line.resize(merged + 1);
    for (const auto& [word, count] : line) {
      if (count > 0xFFFFFFFFu) {
        throw std::overflow_error("dplda::corpus_builder: a word's count in one document exceeds 4294967295");
      }
    }
    data_->words.resize(begin_);
    data_->counts.resize(begin_);
    for (const auto& [word, count] : line) {
      data_->words.push_back(word);
      data_->counts.push_back(static_cast<std::uint32_t>(count));
    }
  }

  std::shared_ptr<corpus::data> data_ = std::make_shared<corpus::data>();
  std::size_t begin_ = 0;       // first entry of the open document
  std::size_t word_limit_ = 0;  // one past the largest word id
  bool sorted_ = true;
};

}  // namespace dplda::inline v0_1

#endif
