// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_UCI_IPP
#define DPLDA_IO_DETAIL_UCI_IPP

// Bodies of io/uci.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/io/vocabulary.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE corpus read_uci(const std::filesystem::path& docword, const detail::optional_path& vocab,
                             const detail::optional_path& users) {
  return detail::read_with_companions(
      docword, vocab, users,
      [](std::istream& in, const std::string& name, vocabulary_ptr words, const user_list* owners) {
        return read_uci(in, name, std::move(words), owners);
      });
}

DPLDA_INLINE void write_uci(std::ostream& out, const corpus& docs) {
  detail::text_writer text(out);
  for (const std::uint64_t size : {docs.size(), docs.words(), docs.entries()}) text << size << '\n';
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      text << std::uint64_t{d} + 1 << ' ' << std::uint64_t{doc.words[n]} + 1 << ' ' << std::uint64_t{doc.counts[n]}
           << '\n';
    }
  }
  text.finish();
}

DPLDA_INLINE void write_uci(const std::filesystem::path& docword, const corpus& docs,
                            const detail::optional_path& vocab, const detail::optional_path& users) {
  write_file(docword, [&](std::ostream& out) { write_uci(out, docs); });
  if (vocab) write_vocabulary(*vocab, *docs.vocab());
  if (users) write_users(*users, docs);
}

namespace detail {

/// The body of read_uci.
class uci_reader {
 public:
  uci_reader(std::istream& in, const std::string& name, vocabulary_ptr vocab, const user_list* users,
             const corpus_storage& storage)
      : reader_(in, name), vocab_(std::move(vocab)), users_(users), builder_(storage) {}

  corpus read() {
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    documents_ = header("the number of documents", any);
    words_ = header("the number of words", word_table::max_words);
    if (vocab_ != nullptr) check_words();
    entries_ = header("the number of entries", any);
    if (reader_.size_is_known()) {
      check_documents(documents_);
      check_words();
      // A line takes at least six bytes, so the file's size bounds the memory that a wrong header can make us reserve.
      builder_.reserve(static_cast<std::size_t>(documents_),
                       static_cast<std::size_t>(std::min(entries_, reader_.bytes() / 6 + 1)));
    }
    for (std::uint64_t done = 0; done < entries_; ++done) {
      const entry next = read_entry(done);
      if (next.document <= builder_.size()) return read_unordered(next, done);
      if (next.document > builder_.size() + 1) end_documents(next.document - 1);
      builder_.add(next.word, next.count);
      reader_.end_of_line();
    }
    return finish();
  }

 private:
  struct entry {
    std::uint64_t document;  // from 1
    word_id word;            // from 0
    std::uint32_t count;
  };

  std::uint64_t header(const char* what, std::uint64_t limit) {
    const std::uint64_t value = reader_.number(what, 0, limit);
    reader_.end_of_line();
    return value;
  }

  void check_documents(std::uint64_t needed) const {
    if (needed > plausible_count(reader_.bytes())) {
      throw parse_error(reader_.name(), 1,
                        text("expected a number of documents that the file can hold, found ", documents_));
    }
  }

  void check_words() {
    if (vocab_ != nullptr && words_ != vocab_->size()) {
      throw parse_error(reader_.name(), 2,
                        text("expected ", vocab_->size(), " words as in the vocabulary, found ", words_));
    }
    if (vocab_ == nullptr && words_ > plausible_count(reader_.bytes())) {
      throw parse_error(reader_.name(), 2, text("expected a number of words that the file can need, found ", words_));
    }
  }

  /// Reads an entry up to its line's end.
  entry read_entry(std::uint64_t done) {
    if (reader_.at_end()) refuse_end(done);
    const std::uint64_t document = reader_.number("a document number", 1, documents_);
    const std::uint64_t word = reader_.number("a word number", 1, words_);
    const std::uint64_t count = reader_.number("a count", 1, 0xFFFFFFFFu);
    return {document, static_cast<word_id>(word - 1), static_cast<std::uint32_t>(count)};
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_end(std::uint64_t done) const {
    reader_.refuse(text("expected ", entries_, " entries, found the end of the file after ", done));
  }

  /// Closes documents until there are this many.
  void end_documents(std::uint64_t count) {
    check_documents(count);
    while (builder_.size() < count) end_document(builder_, reader_);
  }

  /// Collects the entries read so far, reads the rest, and sorts all of them by document. `next` is the first entry out
  /// of order.
  corpus read_unordered(entry next, std::uint64_t done) {
    check_words();
    if (vocab_ == nullptr) vocab_ = numbered_vocabulary(static_cast<std::size_t>(words_));
    end_documents(builder_.size() + 1);
    std::vector<entry> entries;
    {
      const corpus read = builder_.build(vocab_);
      entries.reserve(read.entries());
      for (std::size_t d = 0; d < read.size(); ++d) {
        const document doc = read[d];
        for (std::size_t n = 0; n < doc.size(); ++n) entries.push_back({d + 1, doc.words[n], doc.counts[n]});
      }
    }
    for (;;) {
      entries.push_back(next);
      reader_.end_of_line();
      if (++done == entries_) break;
      next = read_entry(done);
    }
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
      return a.document != b.document ? a.document < b.document : a.word < b.word;
    });
    for (const entry& e : entries) {
      end_documents(e.document - 1);
      builder_.add(e.word, e.count);
    }
    return finish();
  }

  corpus finish() {
    reader_.skip_blank_lines();
    if (!reader_.at_end()) {
      reader_.refuse(text("expected the end of the file after ", entries_, " entries, found ", reader_.next_thing()));
    }
    end_documents(documents_);
    check_words();
    if (vocab_ == nullptr) vocab_ = numbered_vocabulary(static_cast<std::size_t>(words_));
    return build_with_users(builder_, vocab_, users_);
  }

  text_reader reader_;
  vocabulary_ptr vocab_;
  const user_list* users_;
  corpus_builder builder_;
  std::uint64_t documents_ = 0;
  std::uint64_t words_ = 0;
  std::uint64_t entries_ = 0;
};

}  // namespace detail

DPLDA_INLINE corpus read_uci(std::istream& in, const std::string& name, vocabulary_ptr vocab, const user_list* users,
                             const corpus_storage& storage) {
  return detail::uci_reader(in, name, std::move(vocab), users, storage).read();
}

}  // namespace dplda::inline v0_1

#endif
