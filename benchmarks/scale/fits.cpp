// SPDX-License-Identifier: Apache-2.0
// The library's fits beside each other: private beside plain, floats beside doubles, two threads beside one, growth with
// documents, topics, words and threads; and the program dplda as a whole. See fits.sh.
//   fits DATA FOLDER [SETTING VALUE]...

#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

struct case_of {
  std::string corpus = {};
  std::size_t topics = 20, batch = 0, threads = 1;  // batch 0: all documents
};

struct seconds {
  double cpu = 0, wall = 0;
};

template <class Work>
seconds measured(Work&& work) {
  const double cpu = cpu_seconds(), wall = wall_seconds();
  work();
  return {cpu_seconds() - cpu, wall_seconds() - wall};
}

// All fits update a document at most so often and until this tolerance: the defaults of private_svi.
const variational_options limits;

template <class Real>
seconds svi_fit(const corpus& docs, const case_of& of, std::size_t steps) {
  const std::size_t batch = of.batch == 0 ? docs.size() : of.batch, batches = (docs.size() + batch - 1) / batch;
  const svi<Real> learner({.topics = of.topics,
                           .passes = std::max<std::size_t>(1, steps / batches),
                           .batch_size = of.batch,
                           .alpha = 0.05,
                           .document_iterations = limits.iterations,
                           .document_tolerance = limits.tolerance,
                           .threads = of.threads});
  auto random = seeded_random(1);
  return measured([&] { learner.fit(docs, random); });
}

// The same documents, steps and limits, at epsilon 4. Making the plan is not counted: it reads no document.
seconds private_fit(const corpus& docs, const case_of& of, std::size_t steps) {
  const std::size_t batch = of.batch == 0 ? docs.size() : of.batch;
  const private_svi learner({.topics = of.topics,
                             .units = docs.size(),
                             .words = docs.words(),
                             .steps = steps,
                             .rate = std::min(1.0, static_cast<double>(batch) / static_cast<double>(docs.size())),
                             .threads = of.threads},
                            {.epsilon = 4, .delta = 1e-6});
  auto random = seeded_random(1);
  return measured([&] { static_cast<void>(learner.fit(docs, random)); });
}

seconds gibbs_fit(const corpus& docs, const case_of& of, std::size_t sweeps) {
  const gibbs<> learner({.topics = of.topics,
                         .burn_in = sweeps,
                         .samples = 0,
                         .shards = of.threads == 1 ? std::size_t{1} : 2 * of.threads,
                         .threads = of.threads});
  auto random = seeded_random(1);
  auto state = learner.start(docs, random);
  return measured([&] {
    for (std::size_t i = 0; i < sweeps; ++i) learner.sweep(state);
  });
}

struct usage {
  seconds took;
  double megabytes = 0;
};

// The program as a child. Its peak memory counts that of this process when it is started, which is little before corpora
// are read.
usage run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const double start = wall_seconds();
  pid_t child = 0;
  if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    throw std::runtime_error("could not start " + words[0]);
  int status = 0;
  rusage used{};
  if (wait4(child, &status, 0, &used) != child || status != 0) throw std::runtime_error(words[0] + " failed");
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {{of(used.ru_utime) + of(used.ru_stime), wall_seconds() - start}, static_cast<double>(used.ru_maxrss) / 1024};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class bench {
 public:
  bench(const task& asked, results& table) : asked_(asked), table_(table), runs_(asked.with.count("runs")) {}

  // Each fit by itself, runs in turn, so that a change of the machine's speed meets all alike.
  using fits = std::vector<std::pair<std::string, std::function<seconds()>>>;

  std::vector<seconds> compare(const case_of& of, const corpus& docs, const fits& all) {
    std::vector<std::vector<double>> cpu(all.size()), wall(all.size());
    for (std::size_t run = 0; run < runs_; ++run) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const seconds took = all[i].second();
        cpu[i].push_back(took.cpu);
        wall[i].push_back(took.wall);
      }
    }
    std::vector<seconds> medians;
    for (std::size_t i = 0; i < all.size(); ++i) {
      medians.push_back({median(cpu[i]), median(wall[i])});
      const run_of run{of.corpus, all[i].first, none, 1, further(of, docs)};
      table_.add(run, "cpu", medians[i].cpu);
      table_.add(run, "wall", medians[i].wall);
    }
    return medians;
  }

  void ratio(const case_of& of, const corpus& docs, const std::string& name, double value) {
    table_.add({of.corpus, name, none, 1, further(of, docs)}, "ratio", value);
    double load = 0;
    getloadavg(&load, 1);
    std::printf("| %s | %s | %zu | %s | %.2f | %.1f |\n", name.c_str(), of.corpus.c_str(), of.topics,
                of.batch == 0 ? "all" : std::to_string(of.batch).c_str(), value, load);
    std::fflush(stdout);
  }

 private:
  static std::vector<std::string> further(const case_of& of, const corpus& docs) {
    return {std::to_string(of.topics), std::to_string(docs.size()), std::to_string(docs.words()),
            std::to_string(of.batch), std::to_string(of.threads)};
  }

  const task& asked_;
  results& table_;
  std::size_t runs_;
};

void ratios(bench& run, const task& asked) {
  const std::size_t steps = asked.with.count("steps");
  std::printf("\n| ratio | corpus | K | documents a step | value | load |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& name : asked.with.list("corpora")) {
    const corpus docs = with_public_words(read_named(asked.data, name));
    for (const std::size_t topics : {std::size_t{20}, std::size_t{100}}) {
      for (const std::size_t batch : {std::size_t{0}, std::size_t{2000}}) {
        const case_of of{.corpus = name, .topics = topics, .batch = batch};
        const auto took = run.compare(of, docs,
                                      {{"svi", [&] { return svi_fit<double>(docs, of, steps); }},
                                       {"svi in floats", [&] { return svi_fit<float>(docs, of, steps); }},
                                       {"private_svi", [&] { return private_fit(docs, of, steps); }}});
        run.ratio(of, docs, "private_svi over svi (CPU)", took[2].cpu / took[0].cpu);
        run.ratio(of, docs, "svi over svi in floats (CPU)", took[0].cpu / took[1].cpu);
      }
      case_of two{.corpus = name, .topics = topics, .threads = 2};
      const case_of one{.corpus = name, .topics = topics};
      const auto threads = [&](const std::string& learner, auto&& fit) {
        const auto took =
            run.compare(two, docs, {{learner, [&] { return fit(one); }}, {learner, [&] { return fit(two); }}});
        run.ratio(two, docs, learner + ": one thread over two (wall)", took[0].wall / took[1].wall);
      };
      threads("svi", [&](const case_of& of) { return svi_fit<double>(docs, of, steps); });
      threads("private_svi", [&](const case_of& of) { return private_fit(docs, of, steps); });
      threads("gibbs", [&](const case_of& of) { return gibbs_fit(docs, of, 2 * steps); });
    }
  }
}

// `dplda fit` of a corpus's file: reading, choosing words, learning, and writing the folder.
void program_fit(const task& asked) {
  const std::string name = asked.with.text("growth");
  if (asked.with.text("program").empty()) return;
  results table({"threads"});
  std::printf(
      "\n| `dplda fit` of %s, 20 topics, epsilon 4 | CPU seconds | seconds | peak MB |\n| --- | --- | --- | --- |\n",
      name.c_str());
  for (const char* const threads : {"1", "2"}) {
    std::vector<double> cpu, wall, peak;
    for (std::size_t i = 0; i < asked.with.count("runs"); ++i) {
      const usage used = run_program({asked.with.text("program"), "fit", asked.data / ("docword." + name + ".txt"),
                                      "--words", asked.data / ("vocab." + name + ".txt"), "--unpruned", "--epsilon",
                                      "4", "--units", asked.with.text("units"), "--threads", threads, "--force",
                                      "--show", "0", "-o", asked.data / "topics"});
      cpu.push_back(used.took.cpu);
      wall.push_back(used.took.wall);
      peak.push_back(used.megabytes);
    }
    const run_of run{name, "dplda fit", 4, 1, {threads}};
    table.add(run, "cpu", median(cpu));
    table.add(run, "wall", median(wall));
    table.add(run, "peak_mb", median(peak));
    std::printf("| %s thread(s) | %.1f | %.1f | %.0f |\n", threads, median(cpu), median(wall), median(peak));
    std::fflush(stdout);
  }
  table.write(asked.folder / "program.csv");
}

// Seconds of a step against one of the sizes, and the exponent of the steepest part: 1 is linear growth.
void growth(const task& asked, const corpus& all, const std::string& name) {
  const std::size_t steps = asked.with.count("steps"), most = all.size();
  results table({"of", "size"});
  const auto measure = [&](const char* of, const std::vector<std::size_t>& sizes, auto&& docs_of, auto&& case_for) {
    std::vector<plot_line> lines{{"svi", {}, {}}, {"private_svi", {}, {}}, {"gibbs", {}, {}}};
    for (const std::size_t size : sizes) {
      const corpus docs = docs_of(size);
      const case_of with = case_for(size);
      const seconds took[] = {svi_fit<double>(docs, with, steps), private_fit(docs, with, steps),
                              gibbs_fit(docs, with, steps)};
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const double each = (with.threads > 1 ? took[i].wall : took[i].cpu) / static_cast<double>(steps);
        lines[i].x.push_back(static_cast<double>(size));
        lines[i].y.push_back(each);
        table.add({name, lines[i].name, none, 1, {of, std::to_string(size)}}, "seconds a step", each);
      }
    }
    for (const plot_line& line : lines) {
      const double exponent = std::log(line.y.back() / line.y.front()) / std::log(line.x.back() / line.x.front());
      std::printf("| %s | %s | %s to %s | %s to %s | %.2f |\n", line.name.c_str(), of, digits(line.x.front()).c_str(),
                  digits(line.x.back()).c_str(), digits(line.y.front(), 3).c_str(), digits(line.y.back(), 3).c_str(),
                  exponent);
    }
    std::fflush(stdout);
    write_svg(asked.folder / (std::string("growth_") + of + ".svg"),
              {.title = std::string("Growth with ") + of + " (" + name + ")",
               .x_label = of,
               .y_label = "seconds a step",
               .x_scale = axis_scale::logarithmic,
               .y_scale = axis_scale::logarithmic},
              lines);
  };
  std::printf("\n| learner | grows with | from, to | seconds a step | exponent |\n| --- | --- | --- | --- | --- |\n");
  const corpus some = all.slice(0, most / 4);
  measure(
      "documents", {most / 8, most / 4, most / 2, most}, [&](std::size_t n) { return all.slice(0, n); },
      [&](std::size_t) { return case_of{}; });
  measure(
      "topics", {20, 50, 100, 200}, [&](std::size_t) { return some; },
      [&](std::size_t k) { return case_of{.topics = k}; });
  measure(
      "words", {all.words() / 8, all.words() / 4, all.words() / 2, all.words()},
      [&](std::size_t v) { return most_frequent_words(some, v); }, [&](std::size_t) { return case_of{}; });
  measure(
      "threads", {1, 2}, [&](std::size_t) { return some; }, [&](std::size_t t) { return case_of{.threads = t}; });
  table.write(asked.folder / "growth.csv");
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(argc, argv,
                  {{"corpora", "20news,imdb"},
                   {"growth", "imdb"},
                   {"units", "100000"},
                   {"steps", "10"},
                   {"runs", "3"},
                   {"program", ""}},
                  [](const task& asked) {
                    program_fit(asked);
                    results table({"topics", "documents", "words", "batch", "threads"});
                    bench run(asked, table);
                    ratios(run, asked);
                    table.write(asked.folder / "fits.csv");
                    const std::string name = asked.with.text("growth");
                    growth(asked, with_public_words(read_named(asked.data, name)), name);
                  });
}
