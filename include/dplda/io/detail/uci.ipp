// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_UCI_IPP
#define DPLDA_IO_DETAIL_UCI_IPP

// Bodies of io/uci.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/coordinate_reader.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/io/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

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
  detail::write_entries(text, docs);
  text.finish();
}

DPLDA_INLINE void write_uci(const std::filesystem::path& docword, const corpus& docs,
                            const detail::optional_path& vocab, const detail::optional_path& users) {
  write_file(docword, [&](std::ostream& out) { write_uci(out, docs); });
  if (vocab) write_vocabulary(*vocab, *docs.vocab());
  if (users) write_users(*users, docs);
}

namespace detail {

inline coordinate_sizes uci_header(text_reader& reader) {
  const auto header = [&](const char* what, std::uint64_t limit) {
    const std::uint64_t value = reader.number(what, 0, limit);
    reader.end_of_line();
    return value;
  };
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  coordinate_sizes sizes;
  sizes.documents = header("the number of documents", any);
  sizes.words = header("the number of words", word_table::max_words);
  sizes.entries = header("the number of entries", any);
  return sizes;
}

inline std::uint32_t uci_count(text_reader& reader) {
  return static_cast<std::uint32_t>(reader.number("a count", 1, 0xFFFFFFFFu));
}

}  // namespace detail

DPLDA_INLINE corpus read_uci(std::istream& in, const std::string& name, vocabulary_ptr vocab, const user_list* users,
                             const corpus_storage& storage) {
  detail::text_reader reader(in, name);
  const detail::coordinate_sizes sizes = detail::uci_header(reader);
  return detail::coordinate_reader(reader, sizes, std::move(vocab), users, storage, detail::uci_count).read();
}

DPLDA_INLINE corpus_part read_uci_part(std::istream& in, const std::string& name, const input_part& part,
                                       vocabulary_ptr vocab, const corpus_storage& storage) {
  detail::check_part(part);
  detail::size_to_cut(in, name);
  detail::text_reader reader(in, name);
  const detail::coordinate_sizes sizes = detail::uci_header(reader);
  return detail::read_coordinate_part(in, reader, sizes, std::move(vocab), storage, part, detail::uci_count);
}

}  // namespace dplda::inline v0_1

#endif
