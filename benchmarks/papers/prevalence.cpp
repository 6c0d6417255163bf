// SPDX-License-Identifier: Apache-2.0
// How often the intervals of prevalence cover, and how wide they are beside the plan; prevalence.sh starts it.
//   prevalence DATA FOLDER [SETTING VALUE]...
// Settings: corpora synthetic,20news   20news of DATA, by user
//           epsilons 0.5,1,2           at delta 1e-6
//           runs 200                   for each epsilon
//           one_group 0                1: all documents are one group, so that shares are topics' sizes in the corpus
// synthetic: 2000 documents of twelve months, from 50 to 300 in each, in which one topic of eight grows and another
// shrinks. Each run draws documents anew, and measures them by private_prevalence with the true topics. The truth of
// `noise` is the mean of these documents' proportions, that of `both` is the mean of 60,000 documents of each kind.
// 20news: the file has no newsgroups, but its messages stand in the order of these: the groups are twentieths of the
// file. Topics are learned without privacy, proportions are inferred once, and each run adds noise to the same sums; so
// only `noise` has a truth.

#include <dplda/analysis/detail/unit_shares_of_topics.hpp>
#include <dplda/analysis/private_prevalence.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/random/continuous.hpp>

#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda_benchmarks;

/// What the intervals of some runs were.
struct tally {
  double told = 0, cells = 0, noise_covered = 0, both_covered = 0, noise_width = 0, both_width = 0, planned = 0;

  /// `here` and `everywhere`: the shares of the documents at hand, and of those that might have been; groups x topics.
  void add(const dplda::prevalence& found, const dplda::prevalence_plan& plan, const Eigen::MatrixXd& here,
           const Eigen::MatrixXd& everywhere, const std::vector<double>& units) {
    for (std::size_t g = 0; g < found.groups(); ++g) {
      for (std::size_t k = 0; k < found.topics(); ++k) {
        ++cells;
        if (!found.tells(g)) continue;
        ++told;
        const auto row = static_cast<Eigen::Index>(g), column = static_cast<Eigen::Index>(k);
        const auto noise = found.noise_interval(g, k), both = found.interval(g, k);
        noise_covered += noise.contains(here(row, column)) ? 1 : 0;
        both_covered += both.contains(everywhere(row, column)) ? 1 : 0;
        noise_width += noise.width();
        both_width += both.width();
        planned += 2 * plan.half_width(units[g], here(row, column));
      }
    }
  }

  void put(results& table, const run_of& run, bool sampled) const {
    table.add(run, "told", told / cells);
    table.add(run, "noise_covered", noise_covered / told);
    table.add(run, "noise_width", noise_width / told);
    table.add(run, "noise_width_over_plan", noise_width / planned);
    if (!sampled) return;
    table.add(run, "both_covered", both_covered / told);
    table.add(run, "both_width", both_width / told);
  }
};

constexpr std::size_t months = 12;

/// The documents of a month that has a rising and a falling topic.
class trends {
 public:
  trends()
      : model_(dplda::synthetic_lda({.documents = 1, .words = 400, .topics = 8}, dplda::seeded_random(41)).model),
        words_(dplda::declare_public(dplda::numbered_vocabulary(400))) {
    for (Eigen::Index k = 0; k < 8; ++k) {
      const Eigen::VectorXd row = model_.phi().row(k).transpose();
      cumulative_.emplace_back(static_cast<std::size_t>(row.size()));
      std::partial_sum(row.begin(), row.end(), cumulative_.back().begin());
    }
  }

  dplda::topic_model<> topics() const { return {model_.phi(), words_, Eigen::VectorXd::Constant(8, 0.1)}; }

  dplda::corpus draw(const std::vector<std::size_t>& sizes, dplda::chacha20& bits) const {
    dplda::corpus_builder docs;
    for (std::size_t month = 0; month < sizes.size(); ++month) {
      for (std::size_t d = 0; d < sizes[month]; ++d) {
        const double grown = static_cast<double>(month) / (months - 1);
        std::vector<double> weights(8, 0.1);
        weights[0] = 0.05 + 0.35 * grown;
        weights[1] = 0.4 - 0.35 * grown;
        double sum = 0;
        for (double& weight : weights) sum += weight = std::exp(dplda::log_gamma_variate(bits, 2 * weight));
        for (int n = 0; n < 40; ++n) {
          double at = dplda::uniform_open(bits) * sum;
          std::size_t topic = 0;
          while (topic < 7 && at > weights[topic]) at -= weights[topic++];
          const auto& words = cumulative_[topic];
          const auto place = std::lower_bound(words.begin(), words.end(), dplda::uniform_open(bits));
          docs.add(static_cast<dplda::word_id>(std::min<std::ptrdiff_t>(place - words.begin(), 399)));
        }
        docs.end_document();
      }
    }
    return dplda::declare_unpruned(docs.build(words_));
  }

 private:
  dplda::topic_model<> model_;
  dplda::vocabulary_ptr words_;
  std::vector<std::vector<double>> cumulative_;
};

Eigen::MatrixXd means(const Eigen::MatrixXd& thetas, const std::vector<std::size_t>& sizes) {
  Eigen::MatrixXd result(static_cast<Eigen::Index>(sizes.size()), thetas.cols());
  Eigen::Index begin = 0;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const auto size = static_cast<Eigen::Index>(sizes[g]);
    result.row(static_cast<Eigen::Index>(g)) = thetas.middleRows(begin, size).colwise().mean();
    begin += size;
  }
  return result;
}

/// The shares of all groups together, where these have so many units.
Eigen::MatrixXd in_one_group(const Eigen::MatrixXd& shares, const std::vector<double>& units) {
  const Eigen::RowVectorXd weights = Eigen::Map<const Eigen::RowVectorXd>(units.data(), shares.rows());
  return weights * shares / weights.sum();
}

void run_synthetic(const task& asked, results& table) {
  const trends source;
  const dplda::topic_model<> topics = source.topics();
  const dplda::inference_options quick{.iterations = 50, .tolerance = 1e-2};  // the truth is that of these proportions
  const dplda::topic_inference<> infer(topics, quick);
  dplda::chacha20 bits = dplda::seeded_random(42).stream("documents");
  const std::vector<std::size_t> sizes{300, 250, 225, 200, 175, 175, 150, 150, 125, 100, 100, 50};
  const std::vector<std::size_t> many(months, 5000);
  const bool one = asked.with.on("one_group");
  const std::vector<double> of_month(sizes.begin(), sizes.end()), units = one ? std::vector<double>{2000} : of_month;
  const auto grouped = [&](Eigen::MatrixXd by_month) { return one ? in_one_group(by_month, of_month) : by_month; };
  const Eigen::MatrixXd everywhere = grouped(means(infer(source.draw(many, bits)), many));
  std::vector<std::uint32_t> groups;
  dplda::prevalence_options options{.groups = {}, .ordered = !one, .units = 2000, .inference = quick, .threads = 1};
  if (one) options.groups = {"all"};
  for (std::size_t month = 0; month < months; ++month) {
    if (!one) options.groups.push_back("month " + std::to_string(month + 1));
    groups.insert(groups.end(), sizes[month], one ? 0 : static_cast<std::uint32_t>(month));
  }
  std::vector<dplda::private_prevalence> engines;
  for (const std::string& epsilon : asked.with.list("epsilons"))
    engines.emplace_back(declare_public(topics), options, dplda::budget{std::stod(epsilon), 1e-6});
  std::vector<tally> seen(engines.size());
  dplda::random_source random = dplda::seeded_random(43);
  for (std::uint64_t run = 0; run < asked.with.count("runs"); ++run) {
    const dplda::corpus docs = source.draw(sizes, bits);
    const Eigen::MatrixXd here = grouped(means(infer(docs, 1), sizes));
    for (std::size_t i = 0; i < engines.size(); ++i)
      seen[i].add(engines[i].fit(docs, groups, random).value(), engines[i].plan(), here, everywhere, units);
  }
  for (std::size_t i = 0; i < engines.size(); ++i)
    seen[i].put(table, {"synthetic", "prevalence", std::stod(asked.with.list("epsilons")[i])}, true);
}

void run_news(const task& asked, const std::string& name, results& table) {
  const dplda::corpus docs = read_named(asked.data, name);
  dplda::random_source random = dplda::seeded_random(44);
  const auto learned = dplda::svi<>({.topics = 20, .passes = 2}).fit(docs, random);
  const Eigen::MatrixXd thetas = dplda::topic_inference<>(learned, {.iterations = 50, .tolerance = 1e-2})(docs);
  const auto unit = docs.has_users() ? dplda::privacy_unit::user : dplda::privacy_unit::document;
  const dplda::divided_corpus divided(docs, unit);
  dplda::prevalence_options options{.groups = {}, .units = divided.units().size(), .unit = unit};
  std::vector<std::uint32_t> groups;
  const std::size_t parts = asked.with.on("one_group") ? 1 : 20;
  for (std::size_t g = 0; g < parts; ++g) options.groups.push_back("part " + std::to_string(g + 1));
  for (std::size_t d = 0; d < docs.size(); ++d) groups.push_back(static_cast<std::uint32_t>(parts * d / docs.size()));
  // The truth, without noise.
  Eigen::MatrixXd here = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(parts), thetas.cols());
  for (std::size_t u = 0; u < divided.units().size(); ++u) {
    const auto own = divided.units().documents(u);
    const auto counted = std::count_if(own.begin(), own.end(), [&](std::size_t d) { return !docs[d].empty(); });
    for (const std::size_t d : own)
      if (!docs[d].empty())
        here.row(groups[d]) += thetas.row(static_cast<Eigen::Index>(d)) / static_cast<double>(counted);
  }
  const Eigen::VectorXd totals = here.rowwise().sum();
  const std::vector<double> units(totals.begin(), totals.end());
  here.array().colwise() /= totals.array();
  const dplda::detail::unit_shares_of_topics shares(divided, groups, parts, thetas);
  for (const std::string& epsilon : asked.with.list("epsilons")) {
    const dplda::prevalence_plan plan(20, options, {std::stod(epsilon), 1e-6});
    tally seen;
    for (std::uint64_t run = 0; run < asked.with.count("runs"); ++run) {
      dplda::accumulator sums(plan.sums());
      shares.add_sums(sums);
      dplda::ledger spent;
      const std::vector<double> cells = sums.publish(random, spent);
      dplda::prevalence::parts found{.groups = options.groups, .noise = plan.sums().noise()};
      found.sums =
          Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(cells.data(), here.rows(), here.cols());
      seen.add(dplda::prevalence(std::move(found)), plan, here, here, units);
    }
    seen.put(table, {name, "prevalence", std::stod(epsilon)}, false);
  }
}

void run(const task& asked) {
  results table;
  for (const std::string& name : asked.with.list("corpora"))
    name == "synthetic" ? run_synthetic(asked, table) : run_news(asked, name, table);
  table.write(asked.folder / "prevalence.csv");
  table.show("Intervals of 95 %: coverage and widths, at delta = 1e-6",
             {.rows = {"corpus", "epsilon"}, .columns = {"metric"}, .significant = 3});
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(
      argc, argv,
      settings{{"corpora", "synthetic,20news"}, {"epsilons", "0.5,1,2"}, {"runs", "200"}, {"one_group", "0"}}, run);
}
