// SPDX-License-Identifier: Apache-2.0
// The frontier of privacy and utility; private_topics.sh starts it.
//   private_topics DATA FOLDER [SETTING VALUE]...
// The setting `do` says what:
//   frontier   scores of the learners of support/learners.hpp against `epsilons`, on the corpus `corpus` of DATA, per
//              `unit` (document or user), for `seeds` seeds from `first_seed` on, `without` some learners or `only` with
//              some: FOLDER/frontier_<corpus>.csv and plots. `units`: learn from a random sample of so many; 0: all that
//              are not held out. `public`: corpora of DATA that are known as public text; `rest`: what the sample leaves.
//              `list`: a file of words; other words are dropped. `used`: 1 to drop also those that the corpus lacks.
//              `topics`: their number. `documents`: learn from at most so many documents of each user; 0: all. The
//              first words of the topics of the first seed go to FOLDER/words_<corpus>.txt
//   corpus     makes the corpus `corpus` in DATA from the file `text`, one document per line, with at most `texts`
//              documents and `words` words

#include <dplda/dplda.hpp>

#include "../support/corpora.hpp"
#include "../support/learners.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

constexpr double delta = 1e-5;

// The words in most documents, but not in more than half of them, and documents in random order. Here the vocabulary and
// the number of documents count as public.
void make_corpus(const task& asked) {
  const corpus all =
      read_text(asked.with.text("text"),
                {.tokens = {.stop_words = english_stop_words()}, .min_documents = 2, .max_document_share = 0.5});
  const corpus kept = most_frequent_words(all, asked.with.count("words"), document_frequencies);
  auto bits = seeded_random(1).stream("sample");
  const corpus docs = random_sample(kept, std::min<std::size_t>(asked.with.count("texts"), kept.size()), bits);
  const std::string& name = asked.with.text("corpus");
  write_uci(asked.data / ("docword." + name + ".txt"), docs, asked.data / ("vocab." + name + ".txt"));
  std::printf("%zu documents, %zu words, %llu tokens\n", docs.size(), docs.words(),
              static_cast<unsigned long long>(docs.tokens()));
}

// Documents to learn from, and documents held out.
struct case_of_seed {
  corpus train, test;
  std::vector<public_text> known = {};
};

case_of_seed cut(const corpus& all, const task& asked, privacy_unit unit, std::uint64_t seed) {
  const split_unit by = unit == privacy_unit::user ? split_unit::user : split_unit::document;
  auto bits = seeded_random(seed).stream("held out");
  auto [train, test] = train_test_split(all, bits, {.share = 0.1, .most = 2000, .min_tokens = 10, .unit = by});
  case_of_seed docs{std::move(train), std::move(test)};
  corpus rest = docs.train;
  if (const std::size_t units = asked.with.count("units"); units > 0) {
    auto sample = seeded_random(seed).stream("sample");
    const partition parts = random_partition(docs.train, units, sample, by);
    rest = docs.train.select(parts.others);
    docs.train = docs.train.select(parts.chosen);
  }
  if (const std::size_t most = asked.with.count("documents"); most > 0) {
    auto order = seeded_random(seed).stream("order");
    std::vector<std::size_t> kept(docs.train.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    shuffle(std::span(kept), order);
    std::map<user_id, std::size_t> of_user;
    std::erase_if(kept, [&](std::size_t d) { return ++of_user[docs.train.user(d)] > most; });
    docs.train = docs.train.select(kept);
  }
  for (const std::string& name : asked.with.list("public"))
    docs.known.push_back(declare_public(name == "rest" ? rest : read_named(asked.data, name), name));
  return docs;
}

// The corpus as results call it: with the size of the sample, and with the public texts.
std::string case_name(const task& asked) {
  const std::string units = asked.with.text("units");
  std::string name = asked.with.text("corpus") + (units == "0" ? "" : "_" + units);
  for (const std::string& text : asked.with.list("public")) name += "_with_" + text;
  if (const std::string& most = asked.with.text("documents"); most != "0") name += "_at_most_" + most;
  if (!asked.with.text("list").empty()) name += asked.with.text("used") == "1" ? "_listed_and_used" : "_listed";
  return name;
}

// The corpus over its own words, or over those of a list, which count as public here.
corpus over_public_words(const corpus& all, const task& asked) {
  if (asked.with.text("list").empty()) return with_public_words(all);
  const vocabulary_ptr list = read_vocabulary(asked.with.text("list"));
  vocabulary_builder words;
  for (std::size_t v = 0; v < list->size(); ++v) {
    const std::string_view word = list->word(static_cast<word_id>(v));
    if (asked.with.text("used") != "1" || all.vocab()->find(word)) words.add(word);
  }
  return all.restrict_to(declare_public(words.build()));
}

bool wanted(const frontier_learner& learner, const task& asked, privacy_unit unit) {
  const auto among = [&](const char* setting) {
    const std::vector<std::string> names = asked.with.list(setting);
    return std::find(names.begin(), names.end(), learner.name) != names.end();
  };
  if (learner.name == "private_svi_guided" && asked.with.text("public").empty()) return false;
  return learner.applies_to(unit) && !among("without") && (asked.with.text("only").empty() || among("only"));
}

std::filesystem::path words_file(const task& asked) { return asked.folder / ("words_" + case_name(asked) + ".txt"); }

// Adds the first ten words of each topic to the file of words.
void show_words(const task& asked, const std::string& learner, double epsilon, const topic_model<>& model) {
  std::ofstream out(words_file(asked), std::ios::app);
  out << learner << ", epsilon " << epsilon << '\n';
  print_topics(out, model);
}

// Scores of one seed. Ratios are to svi of the same seed, and to the best learner without privacy by type.
void add_seed(results& table, const corpus& all, const task& asked, privacy_unit unit, std::uint64_t seed) {
  const std::string name = case_name(asked);
  const case_of_seed docs = cut(all, asked, unit, seed);
  add_unigram(table, {.corpus = name, .learner = "", .seed = seed}, docs.train, docs.test);
  scores plain;
  double best = none;
  const auto add = [&](const frontier_learner& learner, double epsilon) {
    const run_of run{.corpus = name, .learner = learner.name, .epsilon = epsilon, .seed = seed};
    const auto model = learner.fit({docs.train, unit, asked.with.count("topics"), docs.known},
                                   {.epsilon = epsilon, .delta = delta}, 100 + seed);
    random_source random = seeded_random(seed);
    const scores found = model ? score(*model, docs.test, random, {.reference = &docs.train}) : scores{};
    if (learner.name == "svi") plain = found;
    if (model && seed == asked.with.count("first_seed")) show_words(asked, learner.name, epsilon, *model);
    if (learner.kind == claim::none) best = std::fmin(best, found.type);
    add_scores(table, run, found);
    table.add(run, "token_ratio", found.token / plain.token);
    table.add(run, "type_ratio", found.type / plain.type);
    table.add(run, "control_ratio", found.control_type / plain.type);
    table.add(run, "best_ratio", found.type / best);
    std::fprintf(stderr, "%s, seed %llu, epsilon %g: %s, token %.3f, type %.3f, control %.3f of svi\n", name.c_str(),
                 static_cast<unsigned long long>(seed), epsilon, learner.name.c_str(), found.token / plain.token,
                 found.type / plain.type, found.control_type / plain.type);
  };
  for (const frontier_learner& learner : frontier_learners()) {
    if (!wanted(learner, asked, unit)) continue;
    if (learner.kind == claim::none) {
      add(learner, none);
    } else {
      for (const std::string& epsilon : asked.with.list("epsilons")) add(learner, std::stod(epsilon));
    }
  }
}

void draw(const results& table, const task& asked, const std::string& metric, const std::string& label,
          axis_scale y_scale) {
  std::vector<plot_line> lines = table.lines("epsilon", "learner", {{"metric", metric}});
  for (plot_line& line : lines) {
    for (const frontier_learner& learner : frontier_learners()) {
      if (learner.name == line.name) line.dashed = learner.kind != claim::proven;
    }
  }
  for (const std::string flat : {"unigram", "svi"}) {
    const over_seeds value = table.of({{"metric", metric}, {"learner", flat}});
    if (!value.empty()) lines.push_back({flat, {1, 8}, {value.mean(), value.mean()}, true});
  }
  write_svg(asked.folder / (metric + "_" + case_name(asked) + ".svg"),
            {.title = case_name(asked) + ", per " + asked.with.text("unit") + ", " + asked.with.text("topics") +
                      " topics, delta = 1e-5",
             .x_label = "epsilon",
             .y_label = label,
             .x_scale = axis_scale::logarithmic,
             .y_scale = y_scale},
            lines);
}

void frontier(const task& asked) {
  const privacy_unit unit = asked.with.text("unit") == "user" ? privacy_unit::user : privacy_unit::document;
  const std::string& name = asked.with.text("corpus");
  const corpus all = over_public_words(read_named(asked.data, name), asked);
  std::filesystem::remove(words_file(asked));
  results table;
  const std::uint64_t first = asked.with.count("first_seed"), last = first + asked.with.count("seeds") - 1;
  for (std::uint64_t seed = first; seed <= last; ++seed) add_seed(table, all, asked, unit, seed);
  table.write(asked.folder / ("frontier_" + case_name(asked) + ".csv"));
  const std::string setting = case_name(asked) + ", per " + asked.with.text("unit") + ", " + asked.with.text("topics") +
                              " topics, delta = 1e-5, seeds " + std::to_string(first) + " to " + std::to_string(last) +
                              ": ";
  for (const auto& [metric, title] :
       {std::pair{"type_ratio", "type perplexity over that of svi of the same seed"},
        std::pair{"control_ratio", "type perplexity of the shuffled control over that of svi of the same seed"},
        std::pair{"best_ratio", "type perplexity over that of the best learner without privacy"},
        std::pair{"token_ratio", "token perplexity over that of svi of the same seed"}}) {
    table.show(setting + title,
               {.rows = {"learner"}, .columns = {"epsilon"}, .where = {{"metric", metric}}, .significant = 3});
  }
  table.show(setting + "type perplexity, and that of the shuffled control",
             {.rows = {"learner", "metric"},
              .columns = {"epsilon"},
              .where = {{"metric", "type"}, {"metric", "control_type"}}});
  table.show(setting + "NPMI coherence of 10 words a topic",
             {.rows = {"learner"}, .columns = {"epsilon"}, .where = {{"metric", "npmi"}}, .significant = 2});
  draw(table, asked, "token", "held-out perplexity by tokens", axis_scale::logarithmic);
  draw(table, asked, "type", "held-out perplexity by types", axis_scale::logarithmic);
  draw(table, asked, "npmi", "NPMI coherence", axis_scale::linear);
}

}  // namespace

int main(int argc, char** argv) {
  const settings defaults{{"do", "frontier"}, {"corpus", "debian"}, {"unit", "document"}, {"seeds", "3"},
                          {"without", ""},    {"text", ""},         {"texts", "60000"},   {"words", "5000"},
                          {"only", ""},       {"units", "0"},       {"first_seed", "1"},  {"epsilons", "1,2,4,8"},
                          {"public", ""},     {"list", ""},         {"used", "0"},        {"documents", "0"},
                          {"topics", "20"}};
  return run_task(argc, argv, defaults, [](const task& asked) {
    const std::map<std::string, void (*)(const task&)> all{{"frontier", frontier}, {"corpus", make_corpus}};
    all.at(asked.with.text("do"))(asked);
  });
}
