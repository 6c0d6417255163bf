// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_MATRIX_MARKET_IPP
#define DPLDA_IO_DETAIL_MATRIX_MARKET_IPP

// Bodies of io/matrix_market.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/coordinate_reader.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/matrix_market.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// The whole number below 2^32 that a decimal numeral stands for, such as 3, +3, 3.0 or 3.0e+00; nothing for others.
inline std::optional<std::uint32_t> whole_numeral(std::string_view numeral) {
  std::size_t at = numeral.starts_with('+') ? 1 : 0;
  const auto is_digit = [&] { return at < numeral.size() && numeral[at] >= '0' && numeral[at] <= '9'; };
  std::string digits;
  long shift = 0;  // the value is digits * 10^shift
  for (; is_digit(); ++at) digits += numeral[at];
  if (at < numeral.size() && numeral[at] == '.')
    for (++at; is_digit(); ++at, --shift) digits += numeral[at];
  if (digits.empty()) return std::nullopt;
  if (at < numeral.size() && (numeral[at] == 'e' || numeral[at] == 'E')) {
    ++at;
    const bool negative = at < numeral.size() && numeral[at] == '-';
    if (at < numeral.size() && (numeral[at] == '+' || numeral[at] == '-')) ++at;
    if (!is_digit()) return std::nullopt;
    long exponent = 0;
    for (; is_digit(); ++at) exponent = std::min(10 * exponent + (numeral[at] - '0'), 100'000L);
    shift += negative ? -exponent : exponent;
  }
  if (at != numeral.size()) return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  for (; shift < 0; ++shift) {
    if (digits.empty() || digits.back() != '0') return std::nullopt;  // a fraction is left
    digits.pop_back();
  }
  if (digits.size() + static_cast<std::size_t>(shift) > 10) return std::nullopt;
  digits.append(static_cast<std::size_t>(shift), '0');
  std::uint64_t value = 0;
  for (const char c : digits) value = 10 * value + static_cast<std::uint64_t>(c - '0');
  if (value > 0xFFFFFFFFu) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

/// A value, up to the next blank or line end.
inline std::uint32_t matrix_value(text_reader& reader) {
  constexpr std::size_t longest = 400;
  std::string numeral;
  reader.skip_blanks();
  for (int c = reader.peek(); c > ' ' && c < 0x7F && numeral.size() < longest; c = reader.peek()) {
    numeral += static_cast<char>(c);
    reader.skip();
  }
  const auto value = whole_numeral(numeral);
  if (!value)
    reader.refuse(text("expected a count, a whole number from 0 to 4294967295, found ",
                       numeral.empty() ? reader.next_thing() : '"' + shortened(numeral) + '"'));
  return *value;
}

/// Throws parse_error unless the first line announces a sparse matrix of numbers.
inline void check_matrix_kind(text_reader& reader) {
  std::string banner;
  if (const auto line = reader.next_line()) banner = *line;
  for (char& c : banner) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c == '\t' ? ' ' : c;
  std::vector<std::string> words(1);
  for (const char c : banner) {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  const auto refuse = [&](const std::string& expected) { throw parse_error(reader.name(), 1, expected); };
  if (words.empty() || words.front() != "%%matrixmarket")
    refuse("expected \"%%MatrixMarket matrix coordinate integer general\", found another file");
  const bool right = words.size() == 5 && words[1] == "matrix" && words[2] == "coordinate" &&
                     (words[3] == "integer" || words[3] == "real") && words[4] == "general";
  if (!right)
    refuse(text("expected a matrix of the kind \"matrix coordinate integer general\" (or real), found \"",
                shortened(banner), '"'));
}

inline coordinate_sizes matrix_header(text_reader& reader) {
  check_matrix_kind(reader);
  for (;;) {  // comments and blank lines
    reader.skip_blank_lines();
    if (reader.peek() != '%') break;
    reader.next_line();
  }
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  coordinate_sizes sizes{.documents_line = reader.line(), .words_line = reader.line()};
  sizes.documents = reader.number("the number of rows, which are documents", 0, any);
  sizes.words = reader.number("the number of columns, which are words", 0, word_table::max_words);
  sizes.entries = reader.number("the number of entries", 0, any);
  reader.end_of_line();
  return sizes;
}

}  // namespace detail

DPLDA_INLINE corpus read_matrix_market(std::istream& in, const std::string& name, vocabulary_ptr vocab,
                                       const user_list* users, const corpus_storage& storage) {
  detail::text_reader reader(in, name);
  const detail::coordinate_sizes sizes = detail::matrix_header(reader);
  return detail::coordinate_reader(reader, sizes, std::move(vocab), users, storage, detail::matrix_value).read();
}

DPLDA_INLINE corpus_part read_matrix_market_part(std::istream& in, const std::string& name, const input_part& part,
                                                 vocabulary_ptr vocab, const corpus_storage& storage) {
  detail::check_part(part);
  detail::size_to_cut(in, name);
  detail::text_reader reader(in, name);
  const detail::coordinate_sizes sizes = detail::matrix_header(reader);
  return detail::read_coordinate_part(in, reader, sizes, std::move(vocab), storage, part, detail::matrix_value);
}

DPLDA_INLINE corpus read_matrix_market(const std::filesystem::path& path, const detail::optional_path& vocab,
                                       const detail::optional_path& users) {
  return detail::read_with_companions(
      path, vocab, users, [](std::istream& in, const std::string& name, vocabulary_ptr words, const user_list* owners) {
        return read_matrix_market(in, name, std::move(words), owners);
      });
}

DPLDA_INLINE void write_matrix_market(std::ostream& out, const corpus& docs) {
  detail::text_writer text(out);
  text << "%%MatrixMarket matrix coordinate integer general\n"
       << std::uint64_t{docs.size()} << ' ' << std::uint64_t{docs.words()} << ' ' << std::uint64_t{docs.entries()}
       << '\n';
  detail::write_entries(text, docs);
  text.finish();
}

DPLDA_INLINE void write_matrix_market(const std::filesystem::path& path, const corpus& docs) {
  write_file(path, [&](std::ostream& out) { write_matrix_market(out, docs); });
}

}  // namespace dplda::inline v0_1

#endif
