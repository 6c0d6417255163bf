// SPDX-License-Identifier: Apache-2.0
// Run under mpirun by mpi_test.sh: mpi_communicator does what threads do in process_group_test.cpp and mechanisms_test.cpp.
//   mpi_operations             all operations; the exit code is 1 if one was wrong anywhere
//   mpi_operations fail        the last process fails; all must print its sentence and end with code 3
//   mpi_operations throw       the last process leaves mpi_session by an exception, while the others wait
//   mpi_operations die         the last process is killed, while the others wait

#include <dplda/distributed/mpi_communicator.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/random/source.hpp>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using dplda::process_group;

static_assert(dplda::Communicator<dplda::mpi_communicator>);

bool adds_up(const process_group& group) {
  const std::uint64_t size = group.size();
  std::vector<std::uint64_t> words((std::size_t{1} << 22) + 17);                         // more than travel at once
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0 - (group.rank() + 1) * i;  // modulo 2^64
  group.sum(words);
  bool ok = true;
  for (std::size_t i = 0; i < words.size(); ++i) ok = ok && words[i] == 0 - size * (size + 1) / 2 * i;
  return ok;
}

bool finishes_slices(const process_group& group) {
  bool ok = true;
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{95}, (std::size_t{1} << 23) + 17}) {
    std::vector<std::uint64_t> words(length, group.rank() + 1);
    std::uint64_t finished = 0;
    group.sum_in_slices(words, 10, [&](std::size_t first, std::size_t last) {
      ok = ok && first % 10 == 0 && (last % 10 == 0 || last == length);
      finished += last - first;
      for (std::size_t i = first; i < last; ++i) words[i] = 1000 * words[i] + i;
    });
    for (std::size_t i = 0; i < length; ++i) ok = ok && words[i] == 1000 * (group.size() * (group.size() + 1) / 2) + i;
    group.sum(std::span(&finished, 1));
    ok = ok && finished == length;
  }
  return ok;
}

bool exchanges(const process_group& group) {
  const std::vector<std::uint64_t> numbers = group.gather(7 * group.rank());
  const std::vector<std::string> texts = group.gather(std::string(group.rank() * 100'000, 'x'));
  bool ok = numbers.size() == group.size() && texts.size() == group.size();
  for (std::size_t r = 0; ok && r < group.size(); ++r) ok = numbers[r] == 7 * r && texts[r].size() == r * 100'000;
  std::string text = "from " + std::to_string(group.rank());
  group.broadcast(text, group.size() - 1);
  std::array<std::byte, 3> bytes{std::byte(group.rank()), std::byte(1), std::byte(2)};
  group.broadcast(bytes, 0);
  return ok && text == "from " + std::to_string(group.size() - 1) && bytes[0] == std::byte(0);
}

// Each process adds its units; the release has the bits of one process with all of them.
bool releases(const process_group& group) {
  const dplda::accumulator_options plan{
      .rows = 3000, .row_size = 3, .clip = 2, .noise_multiplier = 0.7, .label = "sums"};
  const auto released = [&](dplda::random_source& random, std::size_t rank, std::size_t size) {
    dplda::accumulator sums(plan);
    for (std::uint32_t unit = 0; unit < 500; ++unit) {
      if (unit % size != rank) continue;
      const std::uint32_t row = unit * 7 % 3000;
      const std::vector<double> values(3, 0.1 * unit);
      sums.add(std::span(&row, 1), std::span(values));
    }
    dplda::ledger spent;
    return sums.publish(random, spent);
  };
  auto alone = dplda::seeded_random(1);
  auto together = dplda::shared_random(group, 1);
  bool ok = released(together, group.rank(), group.size()) == released(alone, 0, 1);
  // Under a secret key all have the same release, and not that of the seed.
  auto secret = dplda::shared_random(group);
  const std::vector<double> noisy = released(secret, group.rank(), group.size());
  const auto bytes = std::as_bytes(std::span(noisy));
  std::string first(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string own = first;
  group.broadcast(first, 0);
  return ok && own == first;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const dplda::mpi_session mpi(argc, argv);
  const process_group& group = mpi.processes();
  const bool is_last = group.rank() + 1 == group.size();
  if (what == "throw" && is_last) throw std::runtime_error("nobody catches this");
  if (what == "die" && is_last) std::raise(SIGKILL);
  try {
    return group.together([&] {
      if (what == "fail" && is_last) throw dplda::process_failure("file 7: no", 3);
      std::uint64_t wrong = !(adds_up(group) && finishes_slices(group) && exchanges(group) && releases(group));
      group.sum(std::span(&wrong, 1));
      if (group.rank() == 0) std::cout << group.size() << " processes, " << wrong << " wrong\n";
      return wrong > 0 ? 1 : 0;
    });
  } catch (const dplda::process_failure& failure) {
    std::cout << failure.what() << '\n';
    return failure.code();
  }
}
