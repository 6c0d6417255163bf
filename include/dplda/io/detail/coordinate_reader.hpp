// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_COORDINATE_READER_HPP
#define DPLDA_IO_DETAIL_COORDINATE_READER_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/byte_range.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/users.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// What the header of a list of entries says, and where.
struct coordinate_sizes {
  std::uint64_t documents = 0, words = 0, entries = 0;
  std::size_t documents_line = 1, words_line = 2;
};

/// Reads entries, lines of a document number, a word number and a count, as UCI and Matrix Market have them. ReadCount
/// reads the count: count(reader) gives a std::uint32_t, or throws parse_error.
template <class ReadCount>
class coordinate_reader {
 public:
  coordinate_reader(text_reader& reader, const coordinate_sizes& sizes, vocabulary_ptr vocab, const user_list* users,
                    const corpus_storage& storage, ReadCount count)
      : reader_(reader),
        sizes_(sizes),
        vocab_(std::move(vocab)),
        users_(users),
        count_(std::move(count)),
        builder_(storage) {}

  corpus read() {
    if (vocab_ != nullptr) check_words();
    if (reader_.size_is_known()) {
      check_documents(sizes_.documents);
      check_words();
      // A line takes at least six bytes, so the file's size bounds the memory that a wrong header can make us reserve.
      builder_.reserve(static_cast<std::size_t>(sizes_.documents),
                       static_cast<std::size_t>(std::min(sizes_.entries, reader_.bytes() / 6 + 1)));
    }
    for (std::uint64_t done = 0; done < sizes_.entries; ++done) {
      const entry next = read_entry(done);
      if (next.document <= builder_.size()) return read_unordered(next, done);
      if (next.document > builder_.size() + 1) end_documents(next.document - 1);
      builder_.add(next.word, next.count);
      reader_.end_of_line();
    }
    return finish();
  }

  /// The documents after `first`, up to `last`, of a file of `bytes` bytes, from the stream of entries of which the first is
  /// not after them. `entries` becomes their number. Lines up to the byte `inspected` are looked at.
  corpus read_part(std::uint64_t first, std::uint64_t last, std::uint64_t bytes, std::uint64_t inspected,
                   std::uint64_t& entries) {
    check_words(bytes);
    check_documents(sizes_.documents, bytes);
    entries = 0;
    std::uint64_t document = 0;
    for (;;) {
      const std::uint64_t begins = reader_.position();
      reader_.skip_blanks();
      const int c = reader_.peek();
      if (c == '\n' || c == '\r' || c == text_reader::end_of_file) {
        reader_.skip_blank_lines();
        if (!reader_.at_end()) reader_.refuse("expected no entry after an empty line");
        break;
      }
      const entry next = read_entry(0);
      if (next.document < document || (next.document > last && begins < inspected)) refuse_order();
      document = next.document;
      if (document > last) break;
      if (document > first) {
        end_all(document - first - 1);
        builder_.add(next.word, next.count);
        ++entries;
      }
      reader_.end_of_line();
    }
    if (last < first) refuse_order();
    end_all(last - first);
    if (vocab_ == nullptr) vocab_ = numbered_vocabulary(static_cast<std::size_t>(sizes_.words));
    return builder_.build(vocab_);
  }

 private:
  [[noreturn]] void refuse_order() const {
    reader_.refuse(
        "expected entries in the order of documents, which a file must have if parts of it are read; read it as a "
        "whole, "
        "or pack it first (save_corpus, dplda pack)");
  }

  struct entry {
    std::uint64_t document;  // from 1
    word_id word;            // from 0
    std::uint32_t count;
  };

  void check_documents(std::uint64_t needed) const { check_documents(needed, reader_.bytes()); }
  void check_documents(std::uint64_t needed, std::uint64_t bytes) const {
    if (needed > plausible_count(bytes)) {
      throw parse_error(reader_.name(), sizes_.documents_line,
                        text("expected a number of documents that the file can hold, found ", sizes_.documents));
    }
  }

  void check_words() const { check_words(reader_.bytes()); }
  void check_words(std::uint64_t bytes) const {
    if (vocab_ != nullptr && sizes_.words != vocab_->size()) {
      throw parse_error(reader_.name(), sizes_.words_line,
                        text("expected ", vocab_->size(), " words as in the vocabulary, found ", sizes_.words));
    }
    if (vocab_ == nullptr && sizes_.words > plausible_count(bytes)) {
      throw parse_error(reader_.name(), sizes_.words_line,
                        text("expected a number of words that the file can need, found ", sizes_.words));
    }
  }

  /// Reads an entry up to its line's end.
  entry read_entry(std::uint64_t done) {
    if (reader_.at_end()) refuse_end(done);
    const std::uint64_t document = reader_.number("a document number", 1, sizes_.documents);
    const std::uint64_t word = reader_.number("a word number", 1, sizes_.words);
    const std::uint32_t count = count_(reader_);
    return {document, static_cast<word_id>(word - 1), count};
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_end(std::uint64_t done) const {
    reader_.refuse(text("expected ", sizes_.entries, " entries, found the end of the file after ", done));
  }

  /// Closes documents until there are this many.
  void end_documents(std::uint64_t count) {
    check_documents(count);
    end_all(count);
  }
  void end_all(std::uint64_t count) {
    while (builder_.size() < count) end_document(builder_, reader_);
  }

  /// Collects the entries read so far, reads the rest, and sorts all of them by document. `next` is the first entry out
  /// of order.
  corpus read_unordered(entry next, std::uint64_t done) {
    check_words();
    if (vocab_ == nullptr) vocab_ = numbered_vocabulary(static_cast<std::size_t>(sizes_.words));
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
      if (++done == sizes_.entries) break;
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
      reader_.refuse(
          text("expected the end of the file after ", sizes_.entries, " entries, found ", reader_.next_thing()));
    }
    end_documents(sizes_.documents);
    check_words();
    if (vocab_ == nullptr) vocab_ = numbered_vocabulary(static_cast<std::size_t>(sizes_.words));
    return build_with_users(builder_, vocab_, users_);
  }

  text_reader& reader_;
  coordinate_sizes sizes_;
  vocabulary_ptr vocab_;
  const user_list* users_;
  ReadCount count_;
  corpus_builder builder_;
};

/// Where the last line begins that is not blank in [begin, place), which is made of whole lines; nothing if there is none.
inline std::optional<std::uint64_t> line_before(std::istream& in, const std::string& name, std::uint64_t begin,
                                                std::uint64_t place) {
  std::string block;
  bool blank = true;  // the line that ends where we look
  for (std::uint64_t at = place; at > begin;) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(at - begin, 1 << 12));
    block.resize(size);
    seek(in, name, at - size);
    if (!in.read(block.data(), static_cast<std::streamsize>(size)))
      throw parse_error(name, 0, "expected a file that can be read");
    for (std::size_t i = size; i-- > 0; --at) {
      if (block[i] == '\n' && !blank) return at;
      blank = blank && std::string_view("\n\r \t").find(block[i]) != std::string_view::npos;
    }
  }
  return blank ? std::nullopt : std::optional(begin);
}

/// Reads a part of the entries: the documents up to that of the last line that begins in the part's even share of the
/// bytes, from the one after that of the part before. Entries must be in the order of documents. `header` has read the
/// stream up to the entries.
template <class ReadCount>
corpus_part read_coordinate_part(std::istream& in, const text_reader& header, const coordinate_sizes& sizes,
                                 vocabulary_ptr vocab, const corpus_storage& storage, const input_part& part,
                                 ReadCount count) {
  const std::string& name = header.name();
  const std::uint64_t begin = header.position(), size = header.bytes();
  const byte_range share = even_share(size - begin, part);
  const byte_range own{line_from(in, name, begin + share.begin, size), line_from(in, name, begin + share.end, size)};
  const auto document_at = [&](std::optional<std::uint64_t> line) {
    if (!line) return std::uint64_t{0};
    return read_range(in, name, {*line, size}, [&](std::istream& rest, std::size_t first_line) {
      text_reader reader(rest, name, first_line);
      return reader.number("a document number", 1, sizes.documents);
    });
  };
  // The part before reads the document of the line before to its end.
  const auto before = line_before(in, name, begin, own.begin);
  const std::uint64_t first = document_at(before);
  const std::uint64_t last =
      part.index + 1 == part.of ? sizes.documents : document_at(line_before(in, name, begin, own.end));
  corpus_part read{.name = name, .words_are_given = true, .announced = sizes.entries};
  const std::uint64_t start = before.value_or(own.begin);
  read.found.docs = read_range(in, name, {start, size}, [&](std::istream& rest, std::size_t first_line) {
    text_reader reader(rest, name, first_line);
    return coordinate_reader(reader, sizes, vocab, nullptr, storage, count)
        .read_part(first, last, size, own.end - start, read.entries);
  });
  return read;
}

/// Writes the entries of a corpus, in order.
inline void write_entries(text_writer& text, const corpus& docs) {
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      text << std::uint64_t{d} + 1 << ' ' << std::uint64_t{doc.words[n]} + 1 << ' ' << std::uint64_t{doc.counts[n]}
           << '\n';
    }
  }
}

}  // namespace dplda::inline v0_1::detail

#endif
