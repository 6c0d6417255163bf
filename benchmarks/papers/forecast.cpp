// SPDX-License-Identifier: Apache-2.0
// The forecast of pipeline/forecast.hpp compared with the outcome; forecast.sh starts it.
//   forecast DATA FOLDER [quick 0]
// Scores are by types (evaluation/type_completion.hpp) on held-out documents, over the words that were released. With
//   gain = log(perplexity of word frequencies / perplexity of the private topics),
// a fit gave good topics if the gain is at least 0.01 and half of that of topics without privacy, some topics if it is
// at least 0.01, and otherwise no more than word frequencies. A topic model is scored with the best of three priors.

#include <dplda/dplda.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "../../examples/support/letters.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

namespace {

using namespace dplda_benchmarks;
namespace fs = std::filesystem;

/// A fit to a number of units of a corpus, documents or users, over privately chosen words or, if `words` is not 0,
/// over the most frequent words, which count as public here.
struct setting {
  std::string corpus;
  dplda::privacy_unit unit = dplda::privacy_unit::document;
  std::size_t units = 0;
  double epsilon = 0;
  std::size_t topics = 0;
  std::size_t words = 0;
};

struct result {
  dplda::topic_forecast forecast, unstated;  ///< with the length of the texts, and with the program's guess
  dplda::outlook outcome = dplda::outlook::no_words;
  std::size_t words = 0;
  double length = 0, gain = 0, plain_gain = 0, control_gain = 0;
  scores of_topics = {};
  std::optional<bool> stands_out = {};  ///< for at most 10,000 units that are not too short
};

constexpr double usual_length = 30;  // the program's default

/// Documents that each join this many consecutive ones.
dplda::corpus digests(const dplda::corpus& docs, std::size_t size) {
  dplda::corpus_builder builder;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n) builder.add(docs[d].words[n], docs[d].counts[n]);
    if (d % size == size - 1) builder.end_document();
  }
  if (docs.size() % size != 0) builder.end_document();
  return dplda::declare_unpruned(builder.build(docs.vocab()));
}

class corpora {
 public:
  explicit corpora(fs::path folder) : folder_(std::move(folder)) {}

  /// The name in results: a stand-in is marked.
  std::string name(const std::string& corpus) const {
    std::string base = corpus.substr(0, corpus.find(" digests"));
    const bool real = base == "letters" || base.ends_with("synthetic") || base == "faint";
    return real || name_at_hand(folder_, base) == base ? corpus : "stand_in_" + corpus;
  }

  const dplda::corpus& operator[](const std::string& name) {
    if (const auto known = read_.find(name); known != read_.end()) return known->second;
    return read_.emplace(name, read(name)).first->second;
  }

 private:
  dplda::corpus read(const std::string& name) const {
    if (name == "letters") {
      std::ostringstream text;
      for (const auto& letter : dplda_examples::city_letters(30000)) text << letter.text << '\n';
      std::istringstream in(text.str());
      return dplda::read_text(in, name, {.tokens = {.stop_words = dplda::english_stop_words()}});
    }
    if (name == "synthetic")
      return dplda::synthetic_lda({.documents = 11000, .words = 5000, .topics = 10, .mean_length = 60},
                                  dplda::seeded_random(9))
          .docs;
    if (name == "faint")
      return dplda::synthetic_lda({.documents = 21000,
                                   .words = 8000,
                                   .topics = 10,
                                   .alpha = 0.2,
                                   .topic_concentration = 1,
                                   .mean_length = 120,
                                   .length = dplda::length_law::log_normal},
                                  dplda::seeded_random(10))
          .docs;
    if (name == "long synthetic")
      return dplda::synthetic_lda({.documents = 16000,
                                   .words = 8000,
                                   .topics = 15,
                                   .topic_concentration = 0.3,
                                   .mean_length = 150,
                                   .length = dplda::length_law::log_normal},
                                  dplda::seeded_random(11))
          .docs;
    if (name == "letters digests") return digests(read("letters"), 3);
    if (name == "20news digests") return digests(read("20news"), 3);
    if (name == "gitlog digests") return digests(read("gitlog"), 5);
    return read_named(folder_, name_at_hand(folder_, name));
  }

  fs::path folder_;
  std::map<std::string, dplda::corpus> read_;
};

double gain_over(double unigram, const dplda::topic_model<>& model, const dplda::corpus& test) {
  double best = -1e300;
  for (const double alpha : {0.05, 0.3, 2.0}) {
    const auto score = dplda::type_completion_perplexity(
        model, test, {.alpha = alpha, .iterations = 100, .tolerance = 1e-3, .threads = 1});
    best = std::max(best, std::log(unigram / score.perplexity));
  }
  return best;
}

/// Distinct words of the typical unit, rounded to one and a half digits, as a user would state it.
double typical_length(const dplda::corpus& docs, dplda::privacy_unit unit) {
  const dplda::privacy_units units(docs, unit);
  std::vector<double> lengths;
  std::vector<dplda::word_id> own;
  for (std::size_t u = 0; u < units.size(); ++u) {
    own.clear();
    for (const std::size_t d : units.documents(u)) own.insert(own.end(), docs[d].words.begin(), docs[d].words.end());
    std::sort(own.begin(), own.end());
    lengths.push_back(static_cast<double>(std::unique(own.begin(), own.end()) - own.begin()));
  }
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  const double step = *middle < 20 ? 1 : *middle < 200 ? 10 : 100;
  return std::max(1.0, step * std::floor(*middle / step));
}

struct parts {
  dplda::corpus train, test;
};

parts cut(const dplda::corpus& all, const setting& s, std::uint64_t seed) {
  const bool users = s.unit == dplda::privacy_unit::user;
  const auto kind = users ? dplda::split_unit::user : dplda::split_unit::document;
  auto bits = dplda::seeded_random(seed).stream("held out");
  const auto [rest, held_out] = dplda::train_test_split(all, bits, {.share = 0.1, .most = 400, .unit = kind});
  const std::size_t there = dplda::privacy_units(rest, s.unit).size();
  const dplda::corpus train = dplda::random_sample(rest, std::min(s.units, there), bits, kind);
  const dplda::corpus test = dplda::random_sample(held_out, std::min<std::size_t>(600, held_out.size()), bits);
  if (s.words == 0) return {train, test};
  const dplda::corpus kept = most_frequent_words(train, s.words, dplda::document_frequencies);
  return {kept, test.restrict_to(kept.vocab())};
}

template <class Learner>
result run(const dplda::corpus& all, const setting& s, std::uint64_t seed) {
  const auto [train, test] = cut(all, s, seed);
  const std::size_t units = dplda::privacy_units(train, s.unit).size();
  const dplda::budget total{s.epsilon, std::min(1e-6, 0.005 / static_cast<double>(units))};
  typename Learner::options_type topics{};
  topics.topics = s.topics;
  topics.units = units;
  topics.words = s.words == 0 ? 0 : train.words();
  topics.unit = s.unit;
  topics.threads = 1;
  auto random = dplda::seeded_random(seed);
  result r;
  r.length = typical_length(train, s.unit);
  dplda::forecast_options expected{.units = static_cast<double>(units), .length = r.length, .topics = s.topics};
  const auto settle = [&](const auto& learner) {
    r.forecast = dplda::forecast_topics(expected);
    expected.length = usual_length;
    r.unstated = dplda::forecast_topics(expected);
    const dplda::topic_model<> model = learner.fit(train, random).value();
    if (s.words == 0 && model.vocab()->find("(no word 1)") &&
        model.vocab()->find("(no word " + std::to_string(s.topics) + ")"))
      return;
    r.words = model.words();
    const dplda::corpus kept = dplda::each_word_once(train.restrict_to(model.vocab()));
    const dplda::corpus scored = test.restrict_to(model.vocab());
    const double unigram = dplda::type_completion_perplexity(dplda::unigram_model(kept), scored).perplexity;
    const auto plain = dplda::svi({.topics = s.topics, .passes = 5, .threads = 1}).fit(kept, random);
    r.gain = gain_over(unigram, model, scored);
    r.plain_gain = gain_over(unigram, plain, scored);
    r.control_gain = gain_over(unigram, dplda::shuffled_topics(model, random), scored);
    r.of_topics = score(model, scored, random, {.alpha = 0.3, .reference = &kept});
    r.outcome = r.gain < 0.01                 ? dplda::outlook::frequencies_only
                : r.gain < 0.5 * r.plain_gain ? dplda::outlook::some_topics
                                              : dplda::outlook::good_topics;
    const double left = r.length * (s.words == 0 ? dplda::share_of_words(static_cast<double>(model.words())) : 1);
    if (units <= 10000 && left >= dplda::shortest_to_compare)
      r.stands_out = dplda::stands_out(model, units, left, random,
                                       [&](const dplda::corpus& docs) { return learner.fit(docs, random).value(); });
  };
  if (s.words == 0) {
    const dplda::fully_private_topics<Learner> learner({.vocabulary = {.unit = s.unit, .threads = 1}, .topics = topics},
                                                       total);
    expected.threshold = learner.plan().vocabulary.rounds.back().threshold();
    expected.noise = Learner(learner.options().topics, total).plan().noise_left;
    settle(learner);
  } else {
    const Learner learner(topics, total);
    expected.words = topics.words;
    expected.noise = learner.plan().noise_left;
    settle(learner);
  }
  return r;
}

struct counts {
  int right = 0, optimistic = 0, pessimistic = 0;
  void add(dplda::outlook said, dplda::outlook came) {
    ++(said == came ? right : said > came ? optimistic : pessimistic);
  }
  std::string text() const {
    return std::to_string(right) + " right, " + std::to_string(optimistic) + " optimistic, " +
           std::to_string(pessimistic) + " pessimistic";
  }
};

template <class Learner>
void compare(const fs::path& folder, const std::string& name, corpora& texts, const std::vector<setting>& settings,
             std::uint64_t first_seed) {
  results table({"unit", "units", "topics", "list", "said", "came_out", "stands_out"});
  counts stated, unstated;
  int silent = 0, warned = 0, worthless = 0, warned_worthless = 0;
  std::uint64_t seed = first_seed;
  for (const setting& s : settings) {
    const result r = run<Learner>(texts[s.corpus], s, seed);
    stated.add(r.forecast.verdict, r.outcome);
    unstated.add(r.unstated.verdict, r.outcome);
    if (r.stands_out) {
      const bool nothing = r.outcome == dplda::outlook::frequencies_only;
      ++(nothing ? worthless : silent);
      if (!*r.stands_out) ++(nothing ? warned_worthless : warned);
    }
    const run_of one{
        s.corpus,
        std::is_same_v<Learner, dplda::private_gibbs> ? "private_gibbs" : "private_svi",
        s.epsilon,
        seed++,
        {dplda::detail::text(s.unit), std::to_string(s.units), std::to_string(s.topics),
         s.words == 0 ? "private" : "public", dplda::detail::text(r.forecast.verdict), dplda::detail::text(r.outcome),
         !r.stands_out   ? ""
         : *r.stands_out ? "yes"
                         : "no"}};
    table.add(one, "length", r.length);
    table.add(one, "fewest_words_said", r.forecast.fewest_words);
    table.add(one, "most_words_said", r.forecast.most_words);
    table.add(one, "words", static_cast<double>(r.words));
    table.add(one, "signal_to_noise", r.forecast.signal_to_noise);
    table.add(one, "strength", r.forecast.strength);
    table.add(one, "gain", r.gain);
    table.add(one, "gain_not_private", r.plain_gain);
    table.add(one, "gain_control", r.control_gain);
    add_scores(table, one, r.of_topics);
    std::fprintf(stderr, "%s %llu of %zu: %s, epsilon %g\n", name.c_str(),
                 static_cast<unsigned long long>(seed - first_seed), settings.size(), s.corpus.c_str(), s.epsilon);
  }
  table.write(folder / ("forecast_" + name + ".csv"));
  table.show("Forecast and outcome, " + name,
             {.rows = {"corpus", "unit", "units", "epsilon", "topics", "list", "said", "came_out", "stands_out"},
              .columns = {"metric"},
              .significant = 3});
  std::printf("\n%s: %zu fits. With the length stated: %s. With the assumed length, %.0f: %s.\n", name.c_str(),
              settings.size(), stated.text().c_str(), usual_length, unstated.text().c_str());
  std::printf("Topics that do not stand out: %d of %d that gave no more than word frequencies, %d of %d others.\n",
              warned_worthless, worthless, warned, silent);
}

void run_all(const task& asked) {
  constexpr auto document = dplda::privacy_unit::document, user = dplda::privacy_unit::user;
  const fs::path& folder = asked.folder;
  const bool quick = asked.with.on("quick");
  corpora texts(asked.data);
  std::vector<setting> calibration, digested, validation, sampled, faint;
  for (const double epsilon : quick ? std::vector{2.0} : std::vector{0.5, 1.0, 2.0, 4.0, 8.0}) {
    for (const std::size_t topics : {5u, 20u}) {
      calibration.push_back({"kos", document, 3000, epsilon, topics});
      calibration.push_back({"imdb", document, 5000, epsilon, topics});
      calibration.push_back({"airtweets", document, 13000, epsilon, topics});
      calibration.push_back({"airtweets", user, 7000, epsilon, topics});
    }
    calibration.push_back({"imdb", document, 1500, epsilon, 10});
    calibration.push_back({"imdb", document, 5000, epsilon, 10, 2000});
    calibration.push_back({"kos", document, 3000, epsilon, 50, 2000});
    calibration.push_back({"nips", document, 1300, epsilon, 10});
    if (!quick && epsilon >= 2) {
      calibration.push_back({"imdb", document, 20000, epsilon, 5});
      calibration.push_back({"imdb", document, 20000, epsilon, 20});
      calibration.push_back({"imdb", document, 20000, epsilon, 10, 1000});
      calibration.push_back({"imdb", document, 20000, epsilon, 50, 1000});
    }
    validation.push_back({"20newsall", document, 18000, epsilon, 10});
    validation.push_back({"20newsall", user, 7500, epsilon, 20});
    validation.push_back({"20newsall", document, 4000, epsilon, 50});
    validation.push_back({"20newsall", user, 3000, epsilon, 5});
    validation.push_back({"20news", document, 15000, epsilon, 10, 1000});
    validation.push_back({"gitlog", user, 2400, epsilon, 10});
    validation.push_back({"tweetrumors", document, 5000, epsilon, 5});
    validation.push_back({"tweetrumors", document, 5000, epsilon, 20, 500});
    validation.push_back({"letters", document, 10000, epsilon, 10});
    validation.push_back({"letters", document, 2000, epsilon, 5});
    validation.push_back({"synthetic", document, 10000, epsilon, 20});
    if (epsilon >= 2) {
      for (const std::size_t topics : {5u, 20u}) {
        digested.push_back({"gitlog digests", document, 11000, epsilon, topics});
        validation.push_back({"20news digests", document, 5500, epsilon, topics});
        validation.push_back({"letters digests", document, 9000, epsilon, topics});
        validation.push_back({"long synthetic", document, 15000, epsilon, topics});
        faint.push_back({"faint", document, 20000, epsilon, topics});
        faint.push_back({"faint", document, 20000, epsilon, topics, 2000});
      }
    }
    sampled.push_back({"20newsall", document, 8000, epsilon, 10});
    sampled.push_back({"gitlog", user, 2400, epsilon, 5});
    sampled.push_back({"letters", document, 4000, epsilon, 10});
  }
  calibration.insert(calibration.end(), digested.begin(), digested.end());
  compare<dplda::private_svi>(folder, "calibration", texts, calibration, 1);
  compare<dplda::private_svi>(folder, "validation", texts, validation, 5001);
  compare<dplda::private_gibbs>(folder, "validation_gibbs", texts, sampled, 6001);
  compare<dplda::private_svi>(folder, "hardly_any_topics", texts, faint, 7001);
}

}  // namespace

int main(int argc, char** argv) { return run_task(argc, argv, settings{{"quick", "0"}}, run_all); }
