// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/detail/text_reader.hpp>

#include "io/io_support.hpp"

#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using dplda::detail::text_reader;
using dplda_tests::check_refused;

namespace {

std::uint64_t number(const std::string& text) {
  std::istringstream in(text);
  return text_reader(in, "numbers").number("a number");
}

}  // namespace

TEST_CASE("numbers of every length are read, with and without bytes behind them", "[text_reader]") {
  std::uint64_t value = 0;
  for (int digits = 1; digits <= 20; ++digits) {
    value = digits == 20 ? 18446744073709551615u : 10 * value + static_cast<std::uint64_t>(digits % 10);
    const std::string text = std::to_string(value);
    CHECK(number(text) == value);
    CHECK(number(text + " 99999999999999999999999999999") == value);
    CHECK(number(text + "\n99999999999999999999999999999") == value);
    CHECK(number("  \t " + text + "/99999999999999999999999999999") == value);
    CHECK(number(text + ":99999999999999999999999999999") == value);
    CHECK(number("0000000000000000000000000" + text) == value);
  }
}

TEST_CASE("every byte but a digit ends a number", "[text_reader]") {
  for (int byte = 0; byte < 256; ++byte) {
    if (byte >= '0' && byte <= '9') continue;
    for (int digits = 1; digits < 8; ++digits) {
      const std::string text = std::string("1234567").substr(0, static_cast<std::size_t>(digits));
      CHECK(number(text + std::string(1, static_cast<char>(byte)) + "888888888888888888888") == std::stoull(text));
    }
  }
}

TEST_CASE("anything but a number below 2^64 is refused", "[text_reader]") {
  check_refused([] { number("18446744073709551616"); }, 1, "found a number above 2^64 - 1");
  check_refused([] { number("99999999999999999999999999"); }, 1, "found a number above 2^64 - 1");
  check_refused([] { number("-1"); }, 1, "found '-'");
  check_refused([] { number("+1                          "); }, 1, "found '+'");
  check_refused([] { number("  x1                          "); }, 1, "found 'x'");
  check_refused([] { number(""); }, 1, "found the end of the file");
  check_refused([] { number("   "); }, 1, "found the end of the file");
  check_refused([] { number("\n1"); }, 1, "found the end of the line");
  check_refused([] { number(std::string(30, '\0')); }, 1, "found a byte of value 0");
}

TEST_CASE("numbers and lines that span blocks are read whole", "[text_reader]") {
  std::mt19937_64 random(7);
  std::string text;
  std::vector<std::uint64_t> numbers;
  while (text.size() < 3'300'000) {
    numbers.push_back(random() >> (random() % 64));
    text += std::string(random() % 3, ' ') + std::to_string(numbers.back()) + (random() % 2 == 0 ? "\n" : "\r\n");
  }
  const auto check = [&](std::istream& in) {
    text_reader reader(in, "long");
    bool same = true;
    for (const std::uint64_t expected : numbers) {
      same = same && reader.number("a number") == expected;
      reader.end_of_line();
    }
    CHECK(same);
    CHECK(reader.at_end());
    CHECK(reader.line() == numbers.size() + 1);
  };
  std::istringstream seekable(text);
  check(seekable);
  dplda_tests::pipe_buffer buffer(text);
  std::istream pipe(&buffer);
  check(pipe);

  std::istringstream in(text);
  text_reader reader(in, "lines");
  std::string joined;
  while (const auto line = reader.next_line()) {
    CHECK(line->find_first_of("\r\n") == std::string_view::npos);
    joined += std::string(*line) + '\n';
  }
  std::erase(text, '\r');
  CHECK(joined == text);
}

TEST_CASE("a line longer than a block is read whole", "[text_reader]") {
  for (const std::size_t size :
       {std::size_t{1} << 20, (std::size_t{1} << 20) - 1, (std::size_t{1} << 20) + 1, std::size_t{2500000}}) {
    for (const char* end : {"", "\n", "\r\n", "\nlast"}) {
      const std::string line = std::string(size - 1, 'a') + 'b';
      dplda_tests::pipe_buffer buffer("first\n" + line + end);
      std::istream in(&buffer);
      text_reader reader(in, "lines");
      CHECK(reader.next_line() == "first");
      CHECK(reader.next_line() == line);
      CHECK(reader.last_line() == 2);
      if (std::string(end) == "\nlast") CHECK(reader.next_line() == "last");
      CHECK(reader.next_line() == std::nullopt);
    }
  }
}

TEST_CASE("the size of a seekable stream is known", "[text_reader]") {
  std::istringstream in("12345");
  in.get();
  CHECK(dplda::detail::remaining_bytes(in) == 4);
  CHECK(in.get() == '2');
  dplda_tests::pipe_buffer buffer("12345");
  std::istream pipe(&buffer);
  CHECK(dplda::detail::remaining_bytes(pipe) == std::nullopt);
  CHECK(pipe.get() == '1');
}

TEST_CASE("a folder or a missing file is refused", "[text_reader]") {
  const dplda_tests::temporary_folder folder;
  check_refused([&] { dplda::open_to_read(folder.path() / "none"); }, 0, "expected a file that can be opened");
  check_refused([&] { dplda::open_to_read(folder.path()); }, 0, "expected a file, found a folder");
  check_refused([&] { dplda::read_bytes(folder.path()); }, 0, "expected a file, found a folder");
}
