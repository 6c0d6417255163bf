// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"
#include "same_parts.hpp"

#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/vocabulary.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  dplda::text_options options{.any_lines = true};
  options.tokens.stop_words = {"the", "And"};
  if (size % 2 == 1) options.tokens.on_invalid_utf8 = dplda::invalid_utf8::separate;
  if (size % 3 == 1) options.tokens.min_length = 1;
  must_be_read_in_parts(
      text,
      [&] {
        std::istringstream whole(text);
        return dplda::labelled_corpus{.docs = dplda::read_text(whole, "fuzz", options)};
      },
      [&](std::istream& stream, const dplda::input_part& part) {
        return dplda::read_text_part(stream, "fuzz", part, options);
      });
  std::istringstream in(text);
  dplda::corpus docs;
  try {
    docs = dplda::read_text(in, "fuzz", options);
  } catch (const dplda::parse_error&) {
    must(size % 2 == 0 && dplda::detail::find_invalid_utf8(text) != std::string::npos, "only invalid UTF-8 is refused");
    return 0;
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + (!text.empty() && text.back() != '\n');
  must(docs.size() == lines || text.starts_with(dplda::detail::byte_order_mark), "a document for each line");
  for (dplda::word_id w = 0; w < docs.words(); ++w) {
    must(w == 0 || docs.vocab()->word(w - 1) < docs.vocab()->word(w), "words are sorted");
  }
  std::ostringstream words;
  dplda::write_vocabulary(words, *docs.vocab());
  std::istringstream words_again(words.str());
  must(*docs.vocab() == *dplda::read_vocabulary(words_again, "words"), "the vocabulary can be written and read");

  // A document's tokens, written with blanks between them, give the document again.
  std::string again;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n) {
      for (std::uint32_t c = 0; c < docs[d].counts[n]; ++c) (again += docs.vocab()->word(docs[d].words[n])) += ' ';
    }
    again += '\n';
  }
  std::istringstream in_again(again);
  must(same_corpus(docs, dplda::read_text(in_again, "again", options)), "tokens are stable");
  return 0;
}
