// SPDX-License-Identifier: Apache-2.0
// The frontier of privacy and utility, and the speed of private inference; private_topics.sh starts it.
//   private_topics corpus TEXT FOLDER TEXTS WORDS        some of the texts (a line each) as UCI files, of so many words
//   private_topics utility FOLDER NAME UNIT SEEDS LEARNERS DOCWORD VOCAB [USERS]
//       held-out perplexity and coherence against epsilon, with CSV files and plots in FOLDER; LEARNERS are some of one,
//       variational, gibbs, spectral, park, sub_lda, decarolis, output, with commas between
//   private_topics speed DOCWORD VOCAB                   cost beside the non-private engine, threads, releases

#include <dplda/dplda.hpp>
#include <dplda/published/decarolis_spectral.hpp>
#include <dplda/published/park_svi.hpp>
#include <dplda/published/sub_lda.hpp>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/svg_plot.hpp"
#include "../support/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace dplda;
using dplda_benchmarks::digits;
using dplda_benchmarks::plot_line;
using dplda_benchmarks::rows;

constexpr std::size_t topics = 20;
constexpr double delta = 1e-5;

// The words in most documents, but not in more than half of them, and documents in random order. Here the vocabulary and
// the number of documents count as public.
void make_corpus(const std::string& text, const std::filesystem::path& folder, std::size_t texts, std::size_t most) {
  const corpus all =
      read_text(text, {.tokens = {.stop_words = english_stop_words()}, .min_documents = 2, .max_document_share = 0.5});
  const corpus kept = most_frequent_words(all, most, document_frequencies);
  auto bits = seeded_random(1).stream("sample");
  const corpus docs = random_sample(kept, std::min(texts, kept.size()), bits);
  write_uci(folder / "docword.txt", docs, folder / "vocab.txt");
  std::printf("%zu documents, %zu words, %llu tokens\n", docs.size(), docs.words(),
              static_cast<unsigned long long>(docs.tokens()));
}

// SUB-LDA (HDP-LDA where gamma is 1) with the noise at which its claim for all sweeps, as the paper counts them, is the
// budget. Counts get new noise once a sweep, which is what is counted.
published::sub_lda calibrated_sub_lda(double gamma, const budget& total) {
  const auto with = [&](double sweep_epsilon) {
    return published::sub_lda({.topics = topics,
                               .gamma = gamma,
                               .timing = published::noise_timing::each_sweep,
                               .epsilon = sweep_epsilon,
                               .delta = total.delta});
  };
  double low = 1e-6, high = 1e6;  // of the divergence of a sweep, which noise_scale turns into noise
  while (high > 1.001 * low) {
    const double middle = std::sqrt(low * high);
    (with(middle).guarantee().epsilon <= total.epsilon ? low : high) = middle;
  }
  return with(low);
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Mean held-out perplexity (and its ratio to that of non-private inference) and mean coherence over the seeds. `one topic`
// is what the budget gives without topics; methods as published are given the budget that they claim to keep.
class utility {
 public:
  utility(std::filesystem::path folder, std::string name, privacy_unit unit, std::string learners, const corpus& all)
      : folder_(std::move(folder)), name_(std::move(name)), unit_(unit), learners_("," + learners + ","), all_(all) {}

  void run(std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) run_seed(seed);
    const std::string setting = name_ + ", per " + detail::text(unit_) + ", " + std::to_string(topics) +
                                " topics, delta = 1e-5, seeds: " + std::to_string(seeds);
    const double plain = mean(plain_.perplexity), unigram = mean(unigram_);
    rows table{{"learner"}};
    for (const double epsilon : epsilons) {
      table.front().push_back((table.front().size() == 1 ? "perplexity, epsilon " : "epsilon ") + digits(epsilon));
      table.front().push_back("NPMI");
    }
    std::vector<plot_line> perplexity_lines, coherence_lines;
    const std::vector<double> at(std::begin(epsilons), std::end(epsilons));
    for (const auto& [learner, scores] : scores_) {
      table.push_back({learner});
      const bool published = learner.find("as published") != std::string::npos;
      plot_line one{.name = learner, .x = at, .y = {}, .dashed = published}, two = one;
      for (const score& each : scores) {
        one.y.push_back(mean(each.perplexity));
        two.y.push_back(mean(each.coherence));
        if (each.perplexity.empty()) {
          table.back().insert(table.back().end(), {"no release", ""});
        } else {
          table.back().push_back(digits(one.y.back()) + " (" + digits(one.y.back() / plain, 3) + ")");
          table.back().push_back(digits(two.y.back(), 2));
        }
      }
      perplexity_lines.push_back(one);
      coherence_lines.push_back(two);
    }
    const auto flat = [&](const char* name, double value) {
      return plot_line{.name = name, .x = at, .y = std::vector<double>(at.size(), value), .dashed = true};
    };
    perplexity_lines.push_back(flat("word frequencies", unigram));
    perplexity_lines.push_back(flat("not private", plain));
    coherence_lines.push_back(flat("not private", mean(plain_.coherence)));
    dplda_benchmarks::show(folder_ / ("frontier_" + name_ + ".csv"),
                           "Held-out perplexity (over that of non-private variational inference, " + digits(plain) +
                               "; word frequencies " + digits(unigram) +
                               ") and NPMI coherence of 10 words a topic (not private " +
                               digits(mean(plain_.coherence), 2) + "); " + setting,
                           table);
    dplda_benchmarks::write_svg(folder_ / ("perplexity_" + name_ + ".svg"),
                                {.title = setting,
                                 .x_label = "epsilon",
                                 .y_label = "held-out perplexity",
                                 .x_scale = dplda_benchmarks::axis_scale::logarithmic,
                                 .y_scale = dplda_benchmarks::axis_scale::logarithmic},
                                perplexity_lines);
    dplda_benchmarks::write_svg(folder_ / ("coherence_" + name_ + ".svg"),
                                {.title = setting,
                                 .x_label = "epsilon",
                                 .y_label = "NPMI coherence",
                                 .x_scale = dplda_benchmarks::axis_scale::logarithmic},
                                coherence_lines);
  }

 private:
  static constexpr double epsilons[] = {1, 2, 4, 8};

  struct score {
    std::vector<double> perplexity, coherence;
  };

  void run_seed(std::uint64_t seed) {
    auto bits = seeded_random(seed).stream("held out");
    const auto [train, test] =
        train_test_split(all_, bits,
                         {.share = 0.1,
                          .most = 2000,
                          .min_tokens = 10,
                          .unit = unit_ == privacy_unit::user ? split_unit::user : split_unit::document});
    const auto add_to = [&train = train, &test = test](score& scores, const topic_model<>& model) {
      scores.perplexity.push_back(document_completion_perplexity(model, test, {.alpha = 0.1}).perplexity);
      scores.coherence.push_back(npmi_coherence(model, train).mean);
    };
    unigram_.push_back(unigram_perplexity(train, test).perplexity);
    random_source random = seeded_random(100 + seed);
    add_to(plain_, svi({.topics = topics}).fit(train, random));
    for (std::size_t e = 0; e < std::size(epsilons); ++e) {
      const budget total{.epsilon = epsilons[e], .delta = delta};
      const auto scores_of = [&](const char* learner) -> score& {
        auto& scores = scores_[learner];
        scores.resize(std::size(epsilons));
        return scores[e];
      };
      const auto add = [&](const char* learner, const topic_model<>& model) {
        add_to(scores_of(learner), model);
        std::fprintf(stderr, "%s, seed %llu, epsilon %g: %s %.1f\n", name_.c_str(),
                     static_cast<unsigned long long>(seed), epsilons[e], learner, scores_of(learner).perplexity.back());
      };
      const auto learn = [&]<class Learner>(typename Learner::options_type options, std::type_identity<Learner>) {
        options.units = privacy_units(train, unit_).size();
        options.words = train.words();
        options.unit = unit_;
        return Learner(options, total).fit(train, random).value();
      };
      using variational = std::type_identity<private_svi>;
      if (asks_for("one")) {
        add("private, one topic", learn({.topics = 1, .steps = 1, .background_share = 0.5}, variational()));
      }
      if (asks_for("variational")) add("private, variational", learn({.topics = topics}, variational()));
      if (asks_for("gibbs")) add("private, Gibbs", learn({.topics = topics}, std::type_identity<private_gibbs>()));
      if (asks_for("spectral")) {
        add("private, spectral", smoothed(learn({.topics = topics}, std::type_identity<private_spectral>())));
      }
      if (asks_for("output")) {
        const topic_dp plan({.topics = topics, .words = train.words(), .unit = unit_}, total);
        add("private, noise on output", smoothed(plan.fit(svi({.topics = topics}), train, random).value()));
      }
      if (asks_for("park")) {
        const std::size_t batch = std::min<std::size_t>(400, train.size());
        const published::park_svi park({.topics = topics,
                                        .documents = train.size(),
                                        .batch = batch,
                                        .steps = std::max<std::size_t>(1, train.size() / batch)},
                                       total);
        add("Park et al., as published", park.fit(train, random).value());
      }
      if (asks_for("sub_lda")) {
        add("HDP-LDA, as published, per token", calibrated_sub_lda(1, total).fit(train, random).value());
        add("SUB-LDA, gamma = 0.1, as published, per token", calibrated_sub_lda(0.1, total).fit(train, random).value());
      }
      if (asks_for("decarolis")) {
        const char* const name = "DeCarolis et al., configuration 1, as published";
        const auto result = published::decarolis_spectral(
                                {.configuration = 1, .topics = topics, .documents = train.size(), .alpha0 = 1}, total)
                                .fit(train, random);
        if (result.topics) {
          add(name, smoothed(result.topics->value()));
        } else {
          scores_of(name);
        }
      }
    }
  }

  bool asks_for(const std::string& learner) const { return learners_.find("," + learner + ",") != std::string::npos; }

  std::filesystem::path folder_;
  std::string name_;
  privacy_unit unit_;
  std::string learners_;
  const corpus& all_;
  std::vector<double> unigram_;
  score plain_;
  std::map<std::string, std::vector<score>> scores_;
};

// Seconds of `work`, the least of three.
double best_of_three(const std::function<double()>& clock, const std::function<void()>& work) {
  double best = 1e300;
  for (int run = 0; run < 3; ++run) {
    const double before = clock();
    work();
    best = std::min(best, clock() - before);
  }
  return best;
}

void speed(const corpus& docs) {
  // The same batches on both sides: all documents, five times.
  const auto plain = [&] {
    random_source random = seeded_random(1);
    svi({.topics = topics,
         .passes = 5,
         .batch_size = 0,
         .document_iterations = 30,
         .document_tolerance = 1e-2,
         .threads = 1})
        .fit(docs, random);
  };
  const auto with_noise = [&](std::size_t threads) {
    random_source random = seeded_random(1);
    private_svi({.topics = topics, .units = docs.size(), .words = docs.words(), .steps = 5, .threads = threads},
                {.epsilon = 1, .delta = delta})
        .fit(docs, random);
  };
  const double plain_time = best_of_three(cpu_seconds, plain);
  const double private_time = best_of_three(cpu_seconds, [&] { with_noise(1); });
  std::printf("K = %zu, V = %zu, 5 steps on %zu documents, CPU seconds: non-private %.2f, private %.2f (%.2fx)\n",
              topics, docs.words(), docs.size(), plain_time, private_time, private_time / plain_time);
  const double one = best_of_three(wall_seconds, [&] { with_noise(1); });
  const double two = best_of_three(wall_seconds, [&] { with_noise(2); });
  std::printf("private, wall seconds: 1 thread %.2f, 2 threads %.2f (%.2fx)\n", one, two, one / two);

  // A release beside the E-step of 10,000 documents at K = 100, V = 8000.
  const synthetic_data large =
      synthetic_lda({.documents = 10000, .words = 8000, .topics = 100, .mean_length = 100}, seeded_random(2));
  const privacy_units units(large.docs, privacy_unit::document);
  std::vector<std::size_t> batch(units.size());
  std::iota(batch.begin(), batch.end(), std::size_t{0});
  std::vector<accumulator> sums;
  sums.emplace_back(accumulator_options{.rows = 8000, .row_size = 100, .noise_multiplier = 1});
  random_source random = seeded_random(3);
  detail::topic_statistics<detail::variational_method> statistics(Eigen::VectorXd::Constant(100, 0.05), {},
                                                                  detail::repeated_words(8000, 0.5), 1);
  statistics.use(large.model.phi(), random);
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(8000);
  const double e_step = best_of_three(cpu_seconds, [&] { statistics.add(large.docs, units, batch, weights, sums); });
  ledger spent;
  std::vector<double> table(sums.front().cells());
  const double release_step =
      best_of_three(cpu_seconds, [&] { sums.front().publish(random, spent, std::span<double>(table)); });
  std::printf("K = 100, V = 8000, 10,000 documents, CPU seconds: E-step %.3f, release %.3f (%.1f %% of both)\n", e_step,
              release_step, 100 * release_step / (e_step + release_step));
}

int run(const std::vector<std::string>& arguments) {
  const auto count = arguments.size();
  if (count == 5 && arguments[0] == "corpus") {
    make_corpus(arguments[1], arguments[2], std::stoull(arguments[3]), std::stoull(arguments[4]));
  } else if ((count == 8 || count == 9) && arguments[0] == "utility") {
    const privacy_unit unit = arguments[3] == "user" ? privacy_unit::user : privacy_unit::document;
    const corpus docs =
        count == 9 ? read_uci(arguments[6], arguments[7], arguments[8]) : read_uci(arguments[6], arguments[7]);
    utility(arguments[1], arguments[2], unit, arguments[5], with_public_words(docs)).run(std::stoull(arguments[4]));
  } else if (count == 3 && arguments[0] == "speed") {
    speed(with_public_words(read_uci(arguments[1], arguments[2])));
  } else {
    std::fprintf(stderr, "private_topics corpus | utility | speed: see the head of private_topics.cpp\n");
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
