// SPDX-License-Identifier: Apache-2.0
// processes CORPUS TOPICS STEPS THREADS: a private variational fit to a packed corpus over its words, by one process or,
// under mpirun, by several. Process 0 prints lines of names and numbers:
//   processes, threads, documents, tokens, words, topics
//   step_seconds     of each step: the median
//   send_seconds     of each step, in the communicator
//   sent, formula    bytes that each process sends in each step on average: counted where they are handed to MPI, and
//                    16 K V (p - 1) / p + 16 (p - 1)
//   fixed_seconds    of a step without documents, and noise_seconds of it to draw noise (one process only)
//   peak, anonymous  megabytes of the largest process: at most, and at most after a step without mapped files

#include <dplda/distributed/mpi_communicator.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/packed_corpus.hpp>
#include <dplda/mechanisms/accumulator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../support/clock.hpp"

namespace {

struct traffic {
  std::uint64_t sent = 0;  // bytes that this process must send: each word of a slice to whoever needs it
  double seconds = 0;
};

/// Counts what is handed to another communicator.
class counting_communicator {
 public:
  counting_communicator(dplda::mpi_communicator inside, traffic& counted) : inside_(inside), counted_(&counted) {}
  std::size_t rank() const { return inside_.rank(); }
  std::size_t size() const { return inside_.size(); }
  void sum(std::span<std::uint64_t> words) {
    // As a sum of slices and their gathering.
    count(16 * words.size() * (size() - 1) / size(), [&] { inside_.sum(words); });
  }
  void sum_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) {
    count(8 * (words.size() - sizes[rank()]), [&] { inside_.sum_slices(words, sizes); });
  }
  void gather_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) {
    count(8 * sizes[rank()] * (size() - 1), [&] { inside_.gather_slices(words, sizes); });
  }
  void broadcast(std::span<std::byte> bytes, std::size_t from) {
    count(rank() == from ? bytes.size() * (size() - 1) : 0, [&] { inside_.broadcast(bytes, from); });
  }

 private:
  template <class Work>
  void count(std::uint64_t bytes, const Work& work) {
    const double before = wall_seconds();
    work();
    counted_->seconds += wall_seconds() - before;
    counted_->sent += bytes;
  }

  dplda::mpi_communicator inside_;
  traffic* counted_;
};

double megabytes(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    double kilobytes = 0;
    if (key == what && status >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

std::uint64_t sum_of(const dplda::process_group& group, std::uint64_t own) {
  group.sum(std::span(&own, 1));
  return own;
}

/// Seconds of the steps of a fit, and what they sent.
struct timed_steps {
  std::vector<double> seconds;
  double send_seconds = 0;
  std::uint64_t sent = 0;
  double anonymous = 0;
};

timed_steps time_steps(const dplda::private_svi& learner, const dplda::corpus& docs, dplda::random_source& random,
                       traffic& counted) {
  dplda::private_topics_state state = learner.start(docs, random);
  timed_steps found;
  double before = wall_seconds();
  std::optional<traffic> first;  // after the first step, which also makes memory
  std::size_t steps = 0;
  const auto last = learner.resume(state, docs, random, [&](const dplda::progress& now) {
    if (first) found.seconds.push_back(wall_seconds() - before);
    if (!first) first = counted;
    steps = now.step;
    found.anonymous = std::max(found.anonymous, megabytes("RssAnon:"));
    before = wall_seconds();
    return false;
  });
  if (steps > 1) {
    found.send_seconds = (counted.seconds - first->seconds) / static_cast<double>(steps - 1);
    found.sent = (counted.sent - first->sent) / (steps - 1);
  }
  return found;
}

int measure(const std::string& folder, std::size_t topics, std::size_t steps, std::size_t threads,
            const dplda::process_group& group, traffic& counted) {
  const dplda::corpus docs = dplda::open_corpus_part(folder, {group.rank(), group.size()}).found.docs;
  const std::uint64_t documents = sum_of(group, docs.size()), tokens = sum_of(group, docs.tokens());
  const dplda::private_svi learner(
      {.topics = topics, .units = documents, .words = docs.words(), .steps = steps, .rate = 1, .threads = threads},
      {.epsilon = 2, .delta = 1e-8});
  auto random = dplda::shared_random(group, 1);
  const timed_steps found = time_steps(learner, docs, random, counted);
  const std::uint64_t sent = sum_of(group, found.sent), processes = group.size();
  double fixed = 0, noise = 0;
  if (group.alone()) {
    fixed = median(time_steps(learner, docs.select(std::vector<std::size_t>()), random, counted).seconds);
    dplda::accumulator sums(learner.plan().table);
    std::vector<double> table(sums.cells());
    noise = least_seconds(3, wall_seconds, [&] {
      dplda::ledger spent;
      sums.publish(random, spent, std::span(table), threads);
    });
  }
  const auto largest = [&](double own) {
    double most = 0;
    for (const std::uint64_t each : group.gather(static_cast<std::uint64_t>(own))) most = std::max(most, double(each));
    return most;
  };
  const double peak = largest(megabytes("VmHWM:")), anonymous = largest(found.anonymous);
  if (group.rank() > 0) return 0;
  const double cells = static_cast<double>(topics * docs.words()), p = static_cast<double>(processes);
  std::printf("processes %zu\nthreads %zu\ndocuments %llu\ntokens %llu\nwords %zu\ntopics %zu\n", group.size(), threads,
              static_cast<unsigned long long>(documents), static_cast<unsigned long long>(tokens), docs.words(),
              topics);
  std::printf("step_seconds %.4g\nsend_seconds %.4g\nsent %.0f\nformula %.0f\n", median(found.seconds),
              found.send_seconds, static_cast<double>(sent) / p, 16 * cells * (p - 1) / p + 16 * (p - 1));
  if (group.alone()) std::printf("fixed_seconds %.4g\nnoise_seconds %.4g\n", fixed, noise);
  std::printf("peak %.0f\nanonymous %.0f\n", peak, anonymous);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "processes CORPUS TOPICS STEPS THREADS\n");
    return 2;
  }
  traffic counted;
  const auto number = [&](int i) { return static_cast<std::size_t>(std::stoull(argv[i])); };
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr)
    return measure(argv[1], number(2), number(3), number(4), {}, counted);
  const dplda::mpi_session mpi(argc, argv);
  const dplda::process_group group(counting_communicator(dplda::mpi_communicator(), counted));
  return group.together([&] { return measure(argv[1], number(2), number(3), number(4), group, counted); });
}
