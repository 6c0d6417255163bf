// SPDX-License-Identifier: Apache-2.0
// Tables 1, 2 and 3 and Figures 1, 2, 5, 6 and 7 of Manzonelli, Zhang and Vadhan (Membership inference attacks and privacy in
// topic modeling, 2024); lira.sh starts it.
//   lira DATA FOLDER [SETTING VALUE]...
// attacks models of a corpus, prints tables and writes rates in long form (CSV) and ROC curves (SVG) to FOLDER. Settings
// and their defaults:
//   corpus tweetrumors   of DATA   topics 5, or several with commas between
//   shadows 128   targets 10, models that are attacked, pooled   seed 1   threads 0   gibbs 0; 1: Gibbs sampling
//   epsilon_1 0   epsilon_2 0; if positive, words are selected and topics learned privately (Figure 5)
//   published 0; 1: by Carvalho et al. and Zhu et al. as published, as in the paper
//   words 0; otherwise only this many words are kept, those in most documents: models remember rare words
// Models have scikit-learn's defaults, as the paper's: batch variational inference, 10 passes, priors 1/K. All targets of
// a row are attacked with the same shadow models (the paper trained new ones for each). The models' answers are
// kept in FOLDER/shadows, from which an interrupted run resumes; remove it after a change of the library.

#include <dplda/dplda.hpp>
#include <dplda/published/zhu_lda.hpp>

#include <unistd.h>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

const char* const names[] = {"zeta", "negative entropy", "logit maximum", "standard deviation"};

// The paper's figures, in %: Tables 1 and 2, and Table 3, which has one figure for the three corpora together.
struct printed_rates {
  const char* corpus;
  std::size_t topics;
  const char *online, *offline, *thresholds;
};
constexpr printed_rates printed[] = {{"tweetrumors", 5, "12.8", "", "0.19, 0.19, 0.18"},
                                     {"nips", 5, "31.8", "31.8", ""},
                                     {"nips", 10, "44.9", "43.6", "1.69, 1.69, 1.31"},
                                     {"nips", 15, "60.5", "56.0", ""},
                                     {"nips", 20, "67.9", "63.2", ""},
                                     {"nips", 25, "72.5", "70.2", ""},
                                     {"20news", 20, "21.1", "", "0.57, 0.53, 0.57"}};
constexpr const char* printed_not_normal[] = {"22.25", "59.73", "86.52", "77.02"};

printed_rates printed_for(const std::string& corpus, std::size_t topics) {
  for (const printed_rates& row : printed) {
    if (row.corpus == corpus && row.topics == topics) return row;
  }
  return {"", 0, "", "", ""};
}

// Words and topics, each with its own budget, over all words: the words that were not released share a thousandth of
// each topic, as an attacker might assume.
struct fully_private {
  std::size_t topics;
  double words_epsilon, topics_epsilon;
  bool as_published;

  topic_model<> fit(const corpus& docs, random_source& random) const {
    const double delta = 1e-5;
    vocabulary_options chosen{.threads = 1};
    if (as_published) {
      chosen = {
          .method = vocabulary_method::frequency_first, .cap_margin = 3, .basis = basis::as_published, .threads = 1};
    }
    const auto words = vocabulary_selector(chosen, {words_epsilon, delta}).fit(docs, random);
    const corpus kept = docs.restrict_to(as_if_public(*words.value()));
    const auto k = static_cast<Eigen::Index>(topics), v = static_cast<Eigen::Index>(docs.words());
    topic_model<>::matrix phi = topic_model<>::matrix::Constant(k, v, 1 / static_cast<double>(v));
    if (kept.words() == 0) return topic_model<>(std::move(phi), docs.vocab());
    const double prior = 1 / static_cast<double>(topics);
    const auto released =
        as_published ? published::zhu_lda({.topics = topics, .tau = prior, .beta = prior, .epsilon = topics_epsilon})
                           .fit(kept, random)
                     : private_svi({.topics = topics,
                                    .units = docs.size(),
                                    .words = kept.words(),
                                    .background_share = 0.1,
                                    .threads = 1},
                                   {topics_epsilon, delta})
                           .fit(kept, random);
    phi *= 1e-3;
    for (word_id w = 0; w < kept.words(); ++w) {
      const auto to = static_cast<Eigen::Index>(*docs.vocab()->find(kept.vocab()->word(w)));
      phi.col(to) += 0.999 * released.value().phi().col(static_cast<Eigen::Index>(w));
    }
    phi.array().colwise() /= phi.rowwise().sum().array().eval();
    return topic_model<>(std::move(phi), docs.vocab());
  }
};

shadow_table train(const std::string& name, const corpus& docs, std::size_t topics, std::size_t models,
                   const settings& values, std::uint64_t seed, const std::filesystem::path& folder) {
  const std::string label = name + (values.on("gibbs") ? ", gibbs, " : ", svi, ") + std::to_string(topics) +
                            " topics, " + std::to_string(models) + " models, seed " + std::to_string(seed);
  const shadow_folder kept(folder / "shadows" / label, label);
  auto random = seeded_random(seed);
  const fit_query query{zeta, negative_entropy, logit_maximum, standard_deviation};
  const shadow_options options{.shadows = models, .threads = values.count("threads")};
  const shadow_observer watch = [](const shadow_progress& now) {
    if (isatty(STDERR_FILENO) == 0) return false;
    std::fprintf(stderr, "\r%zu of %zu models, %.0f s left  ", now.step, now.steps, now.seconds_left);
    if (now.step == now.steps) std::fputc('\r', stderr);
    return false;
  };
  if (values.number("epsilon_1") > 0) {
    const fully_private learner{topics, values.number("epsilon_1"), values.number("epsilon_2"), values.on("published")};
    return train_shadows(kept, learner, docs, random, query, options, watch);
  }
  const double prior = 1 / static_cast<double>(topics);
  if (values.on("gibbs")) {
    const gibbs learner({.topics = topics, .burn_in = 100, .samples = 0, .threads = 1});
    return train_shadows(kept, learner, docs, random, query, options, watch);
  }
  const svi learner({.topics = topics, .passes = 10, .batch_size = 0, .alpha = prior, .eta = prior, .threads = 1});
  return train_shadows(kept, learner, docs, random, query, options, watch);
}

// An attack's scores of all targets together.
struct pooled_scores {
  std::vector<scored_document> scored;
  std::vector<std::size_t> documents;
};

pooled_scores pooled(const shadow_table& targets, const auto& score) {
  pooled_scores all;
  for (Eigen::Index t = 0; t < targets.members.rows(); ++t) {
    const std::vector<double> scores = score(t);
    for (std::size_t d = 0; d < scores.size(); ++d) {
      all.scored.push_back({scores[d], targets.members(t, static_cast<Eigen::Index>(d))});
      all.documents.push_back(d);
    }
  }
  return all;
}

/// The attack without shadow models: every second document that is not a member is known, and the others are attacked.
pooled_scores by_quantiles(const corpus& docs, const shadow_table& targets) {
  pooled_scores all;
  for (Eigen::Index t = 0; t < targets.members.rows(); ++t) {
    std::vector<Eigen::Index> known, attacked;
    for (Eigen::Index d = 0; d < targets.members.cols(); ++d) {
      if (d % 2 == 1) {
        attacked.push_back(d);
      } else if (!targets.members(t, d)) {
        known.push_back(d);
      }
    }
    std::vector<std::size_t> background(known.begin(), known.end());
    const Eigen::MatrixXd features = document_features(docs, docs.select(background));
    const Eigen::VectorXd row = targets.statistics[0].row(t);
    const Eigen::VectorXd scores =
        quantile_attack(features(known, Eigen::all), row(known), features(attacked, Eigen::all), row(attacked));
    for (std::size_t i = 0; i < attacked.size(); ++i) {
      all.scored.push_back({scores[static_cast<Eigen::Index>(i)], targets.members(t, attacked[i])});
      all.documents.push_back(static_cast<std::size_t>(attacked[i]));
    }
  }
  return all;
}

std::string percent(double rate, int decimals = 2) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, 100 * rate);
  return text;
}

plot_line line_of(const std::string& name, const roc_curve& curve) {
  plot_line line{name, {}, {}};
  for (double rate = 1e-4; rate < 1; rate *= 1.26) {
    line.x.push_back(rate);
    line.y.push_back(curve.with_random_ties(rate));
  }
  return line;
}

/// The divergences in order, against the share of documents below: what the paper's boxes and whiskers show.
plot_line quantiles(const std::string& name, const std::vector<document_risk>& risks) {
  plot_line line{name, {}, {}};
  for (const document_risk& risk : risks) line.y.push_back(risk.divergence);
  std::sort(line.y.begin(), line.y.end());
  std::vector<double> kept;
  for (std::size_t i = 0; i <= 100; ++i) {
    line.x.push_back(static_cast<double>(i) / 100);
    kept.push_back(line.y[i * (line.y.size() - 1) / 100]);
  }
  line.y = kept;
  return line;
}

/// Figure 1: the statistic of four documents under models with and without them. An outlier's words are in few
/// documents, by the mean logarithm over its tokens; long and short are by length.
void figure_1(const std::string& name, const corpus& docs, const shadow_table& shadows, std::size_t topics,
              const std::filesystem::path& folder) {
  const std::vector<std::uint64_t> in_documents = document_frequencies(docs);
  std::vector<std::pair<double, std::size_t>> by_rarity, by_length;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    double rarity = 0;
    for (std::size_t n = 0; n < docs[d].size(); ++n)
      rarity -= docs[d].counts[n] * std::log(static_cast<double>(in_documents[docs[d].words[n]]));
    const auto length = static_cast<double>(docs[d].length());
    if (length > 0) by_rarity.emplace_back(rarity / length, d), by_length.emplace_back(length, d);
  }
  std::sort(by_rarity.begin(), by_rarity.end());
  std::sort(by_length.begin(), by_length.end());
  for (const auto& [kind, d] : {std::pair<const char*, std::size_t>{"outlier", by_rarity.back().second},
                                {"inlier", by_rarity.front().second},
                                {"long", by_length.back().second},
                                {"short", by_length.front().second}}) {
    std::vector<double> sides[2];
    for (Eigen::Index m = 0; m < shadows.members.rows(); ++m) {
      sides[shadows.members(m, static_cast<Eigen::Index>(d)) ? 0 : 1].push_back(
          shadows.statistics[0](m, static_cast<Eigen::Index>(d)));
    }
    const auto [low, high] = std::minmax_element(shadows.statistics[0].col(static_cast<Eigen::Index>(d)).begin(),
                                                 shadows.statistics[0].col(static_cast<Eigen::Index>(d)).end());
    const double width = std::max(1e-12, (*high - *low) / 20);
    std::vector<plot_line> lines{{"in the training data", {}, {}}, {"not in it", {}, {}}};
    for (const std::size_t side : {0u, 1u}) {
      for (int bin = 0; bin < 20; ++bin) {  // steps
        const double from = *low + bin * width;
        const auto inside = std::count_if(sides[side].begin(), sides[side].end(),
                                          [&](double x) { return x >= from && (x < from + width || bin == 19); });
        for (const double x : {from, from + width}) {
          lines[side].x.push_back(x);
          lines[side].y.push_back(static_cast<double>(inside));
        }
      }
    }
    write_svg(folder / ("lira_" + name + "_" + std::to_string(topics) + "_figure_1_" + kind + ".svg"),
              {.title = name + ": " + kind + " document", .x_label = "zeta", .y_label = "models"}, lines);
  }
}

const std::string& name_of(const settings& values) { return values.text("corpus"); }

std::vector<std::string> further(const settings& values, std::size_t words, std::size_t topics) {
  return {std::to_string(words), std::to_string(topics), values.text("epsilon_1"), values.text("epsilon_2")};
}

// Prints the row of Tables 1 and 2; gives those of Table 3 and Figure 6.
std::string attack(const std::string& name, const corpus& docs, std::size_t topics, const settings& values,
                   const std::filesystem::path& folder, results& table) {
  const auto seed = values.count("seed");
  const double start = wall_seconds();
  const shadow_table shadows = train(name, docs, topics, values.count("shadows"), values, 2 * seed, folder);
  const shadow_table targets = train(name, docs, topics, values.count("targets"), values, 2 * seed + 1, folder);
  const double seconds = wall_seconds() - start;

  std::vector<std::string> cells;
  std::vector<plot_line> lines;
  const auto note = [&](const std::string& attack_name, const pooled_scores& all, bool global = false) {
    const roc_curve curve(all.scored);
    std::string learner = attack_name;
    learner.erase(std::remove(learner.begin(), learner.end(), ','), learner.end());
    const run_of run{name_of(values), learner, none, seed, further(values, docs.words(), topics)};
    if (global) {  // thetas of one topic alone tie
      table.add(run, "tpr", curve.with_random_ties());
      cells.push_back(percent(curve.with_random_ties()));
    } else {  // a document has a score under each target, so that the interval is over documents
      auto bits = seeded_random(1).stream("bootstrap");
      const auto [rate, low, high] = rate_by_document(all.scored, all.documents, bits);
      table.add(run, "tpr", rate);
      table.add(run, "tpr_low", low);
      table.add(run, "tpr_high", high);
      cells.push_back(percent(rate) + " (" + percent(low) + "-" + percent(high) + ")");
    }
    table.add(run, "auc", curve.auc());
    lines.push_back(line_of(attack_name, curve));
    return curve.auc();
  };
  std::vector<double> areas;
  std::vector<plot_line> divergences;
  std::string checks;
  for (std::size_t s = 0; s < shadows.statistics.size(); ++s) {
    const auto laws = fit_laws(shadows.statistics[s], shadows.members);
    const auto statistic = [&](Eigen::Index t) -> Eigen::VectorXd { return targets.statistics[s].row(t); };
    areas.push_back(note(std::string("online, ") + names[s],
                         pooled(targets, [&](Eigen::Index t) { return online_lira(laws, statistic(t)); })));
    if (s == 0) {
      areas.push_back(
          note("offline", pooled(targets, [&](Eigen::Index t) { return offline_lira(laws, statistic(t)); })));
    } else {
      const auto as_it_is = [&](Eigen::Index t) {
        const Eigen::VectorXd row = statistic(t);
        return std::vector<double>(row.begin(), row.end());
      };
      areas.push_back(note(std::string("global ") + names[s], pooled(targets, as_it_is), true));
    }
    const auto p_values = normality_p_values(shadows.statistics[s], shadows.members);
    const auto risks = documents_at_risk(shadows.statistics[s], shadows.members);
    std::size_t rising = 0;
    double divergence = 0;
    for (const document_risk& risk : risks) {
      rising += risk.separation > 0;
      divergence += risk.divergence;
    }
    divergences.push_back(quantiles(names[s], risks));
    char text[200];
    std::snprintf(
        text, sizeof text, "| %s | %zu | %s | %.1f | %s | %.1f | %.3g |\n", name.c_str(), topics, names[s],
        100 * static_cast<double>(false_discovery_rejections(p_values)) / static_cast<double>(p_values.size()),
        printed_not_normal[s], 100 * static_cast<double>(rising) / static_cast<double>(risks.size()),
        divergence / static_cast<double>(risks.size()));
    checks += text;
  }
  areas.push_back(note("RMIA", pooled(targets, [&](Eigen::Index t) {
                         return rmia(shadows.statistics[0], shadows.members, targets.statistics[0].row(t));
                       })));
  areas.push_back(note("quantile regression", by_quantiles(docs, targets)));
  const printed_rates paper = printed_for(name, topics);
  std::printf("| %s | %zu | %zu | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.3f | %.0f |\n",
              name.c_str(), docs.words(), topics, cells[0].c_str(), paper.online, cells[1].c_str(), paper.offline,
              cells[5].c_str(), cells[7].c_str(), cells[3].c_str(), paper.thresholds, cells[4].c_str(),
              cells[6].c_str(), cells[2].c_str(), cells[8].c_str(), cells[9].c_str(), areas[0], seconds);
  std::fflush(stdout);
  const auto draw = [&](const char* figure, const std::vector<std::size_t>& shown) {
    std::vector<plot_line> chosen;
    for (const std::size_t i : shown) chosen.push_back(lines[i]);
    chosen.push_back({"guessing", {1e-4, 1}, {1e-4, 1}, true});
    write_svg(folder / ("lira_" + name + "_" + std::to_string(topics) + "_" + figure + ".svg"),
              {.title = name + ", K = " + std::to_string(topics),
               .x_label = "false positive rate",
               .y_label = "true positive rate",
               .x_scale = axis_scale::logarithmic,
               .y_scale = axis_scale::logarithmic},
              chosen);
  };
  draw("figure_2", {0, 1, 5, 7, 3});
  draw("figure_7", {0, 2, 4, 6});
  write_svg(folder / ("lira_" + name + "_" + std::to_string(topics) + "_figure_6.svg"),
            {.title = name + ", K = " + std::to_string(topics) + ": divergence of IN from OUT",
             .x_label = "share of documents",
             .y_label = "Kullback-Leibler divergence",
             .y_scale = axis_scale::logarithmic},
            divergences);
  figure_1(name, docs, shadows, topics, folder);
  return checks;
}

void run(const task& asked) {
  const settings& values = asked.with;
  corpus docs = with_public_words(read_named(asked.data, name_of(values)));
  std::string name = name_of(values);
  if (values.on("words")) {
    docs = most_frequent_words(docs, values.count("words"), document_frequencies);
    name += ", " + values.text("words") + " words";
  }
  if (values.on("epsilon_1")) name += ", epsilon " + values.text("epsilon_1") + " and " + values.text("epsilon_2");
  if (values.on("published")) name += ", as published";
  std::puts(
      "TPR in % at an FPR of 0.1 %: LiRA with zeta, online and offline; the global thresholds of Huang et al., with "
      "ties broken at random; LiRA with their statistics; RMIA; quantile regression, which needs no shadow models but "
      "knows every second document that is not a member. AUC of the first. Seconds to train and query the missing "
      "models. \"Paper\" is Tables 1 and 2 as printed (5,942, 10,346 and 74,781 words; Figure 5 has no "
      "numbers).\n"
      "Intervals (95 %) are by bootstrap over documents, each with its scores under all targets. Targets are "
      "complementary pairs, trained on a random half and on the rest, so each document is a member of half of "
      "them.\n\n"
      "| corpus | words | K | online | paper | offline | paper | maximum | deviation | entropy | paper | "
      "LiRA logit maximum | LiRA deviation | LiRA entropy | RMIA | quantile regression | AUC | s |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  results table({"words", "topics", "epsilon_1", "epsilon_2"});
  std::string checks;
  for (const std::string& topics : values.list("topics"))
    checks += attack(name, docs, std::stoul(topics), values, asked.folder, table);
  std::printf(
      "\nThe share of documents' IN and OUT samples that are not normal (Shapiro and Wilk, false discovery rate 5 "
      "%%; \"paper\": Table 3, 1000 documents of each of its three corpora together, 256 models that are not "
      "private), of documents whose mean rises with membership, and the mean divergence.\n\n"
      "| corpus | K | statistic | not normal, %% | paper | rising, %% | divergence |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n%s",
      checks.c_str());
  table.write(asked.folder / ("lira " + name + ".csv"));
}

}  // namespace

int main(int argc, char** argv) {
  const settings defaults{
      {"corpus", "tweetrumors"}, {"topics", "5"}, {"shadows", "128"}, {"targets", "10"},  {"seed", "1"},
      {"threads", "0"},          {"gibbs", "0"},  {"epsilon_1", "0"}, {"epsilon_2", "0"}, {"words", "0"},
      {"published", "0"}};
  return run_task(argc, argv, defaults, run);
}
