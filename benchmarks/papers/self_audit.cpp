// SPDX-License-Identifier: Apache-2.0
// The library audits itself: every proven learner and selector under the strongest cheap attack we know, and the same
// attacks on broken ones; self_audit.sh starts it.
//   self_audit [NAME VALUE]...
// prints one table. It fails if a correct claim is refuted, if a broken learner is not caught, or, unless quick, if the
// audit of one release with Gaussian noise stays below 0.8 of its claim. (Laplace selectors have weights in half steps,
// which is too coarse for that at large epsilons.) If nothing is wrong, it fails for at most one seed in four: 116 rows
// without a flaw have 264 bounds of 99.9 %. A second table has the results of audit() itself, which knows less about
// its target; they do not make the program fail. Names and their defaults:
//   part 0.08, the statistical error of a bound at 99.9 %, as a part of what there is to find   quick 0; 1: two budgets
//   seed 1   delta 1e-5

#include <dplda/audit/audit.hpp>
#include <dplda/inference/svi/svi.hpp>

#include "../../tests/audit/audited_learners.hpp"
#include "../../tests/audit/audited_selectors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace dplda_tests;

constexpr double level = 0.001;

struct tally {
  int rows = 0, bounds = 0, failures = 0, without_premise = 0;
  double least_ratio = 1e9, most_ratio = 0, least_gaussian = 1e9;
};

std::string number(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// Private topics with half the noise of their claim.
struct half_noise_svi {
  dplda::private_svi drawn;
  dplda::guarantee claim;

  half_noise_svi(const dplda::private_svi_options& options, const dplda::budget& total)
      : drawn(options, {half_noise_epsilon(dplda::private_svi(options, total)), total.delta}),
        claim(dplda::private_svi(options, total).guarantee()) {}

  const dplda::guarantee& guarantee() const { return claim; }
  dplda::release<dplda::topic_model<>> fit(const dplda::corpus& docs, dplda::random_source& random) const {
    const auto released = drawn.fit(docs, random);
    return {released.value(), claim, released.ledger()};
  }

 private:
  static double half_noise_epsilon(const dplda::private_svi& honest) {
    const dplda::guarantee& claimed = honest.guarantee();
    return dplda::price(dplda::with_noise_scaled(honest.plan().ledger, 0.5), claimed.delta, claimed.accountant).epsilon;
  }
};

/// Documents of ten tokens of the first words, and as many unused words as given, for canaries.
dplda::corpus documents_with_rare_words(std::size_t documents, std::size_t common, std::size_t rare) {
  auto bits = dplda::seeded_random(1).stream("documents");
  dplda::corpus_builder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    for (int n = 0; n < 10; ++n) builder.add(static_cast<dplda::word_id>(dplda::uniform_below(bits, common)));
    builder.end_document();
  }
  const auto words = dplda::declare_public(dplda::numbered_vocabulary(common + rare));
  return dplda::declare_unpruned(builder.build(words));
}

/// The result of audit(), with its own canaries and scores.
void print_audits(double delta, std::size_t runs, std::uint64_t seed) {
  std::printf(
      "\naudit() itself, each bound at 95 %%: one run with 1000 canaries among 300 documents over a public vocabulary "
      "of 1100 words, and %zu runs with and as many without one canary among 10 documents over 12 words, which is also "
      "evaluated on the assumption that the noise is Gaussian. \"provable\" is the bound of an attack with every guess "
      "right.\n\n"
      "| learner | attack | claimed | audited | provable | s | verdict |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n",
      runs);
  const dplda::corpus large = documents_with_rare_words(300, 100, 1000), small = documents_with_rare_words(10, 10, 2);
  const auto row = [&](const std::string& name, const auto& learner, const dplda::corpus& docs,
                       const dplda::audit_options& options) {
    auto random = dplda::seeded_random(++seed);
    const auto start = std::chrono::steady_clock::now();
    const dplda::audit_report found = dplda::audit(learner, docs, random, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("| %s | %s | %s | %.3f | %.3f | %.1f | %s |\n", name.c_str(),
                options.runs == 0  ? "one run"
                : options.gaussian ? "repeated, as Gaussian"
                                   : "repeated",
                std::isfinite(found.claimed) ? number(found.claimed, 3).c_str() : "none", found.audited, found.provable,
                seconds,
                found.refuted()        ? "claim refuted"
                : found.contradicted() ? "claim refuted on the premise"
                                       : "");
    std::fflush(stdout);
  };
  const dplda::audit_options one_run{.canaries = {.count = 1000}, .delta = delta},
      repeated{.delta = delta, .runs = runs};
  dplda::audit_options gaussian = repeated;
  gaussian.gaussian = true;
  const dplda::svi plain({.topics = 2, .passes = 5, .threads = 1});
  row("svi", plain, large, one_run);
  row("svi", plain, small, repeated);
  const dplda::private_svi_options for_large{
      .topics = 2, .units = 800, .words = large.words(), .steps = 2, .rate = 1, .background_share = 0.1, .threads = 1};
  dplda::private_svi_options for_small = for_large;
  for_small.units = small.size();
  for_small.words = small.words();
  const auto rows = [&]<class Learner>(const std::string& name, double epsilon, std::type_identity<Learner>) {
    row(name, Learner(for_large, {epsilon, delta}), large, one_run);
    row(name, Learner(for_small, {epsilon, delta}), small, repeated);
    row(name, Learner(for_small, {epsilon, delta}), small, gaussian);
  };
  for (const double epsilon : {1.0, 4.0, 8.0}) rows("private_svi", epsilon, std::type_identity<dplda::private_svi>());
  for (const double epsilon : {1.0, 4.0})
    rows("private_svi, half the noise", epsilon, std::type_identity<half_noise_svi>());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::map<std::string, double> values{{"part", 0.08}, {"quick", 0}, {"seed", 1}, {"delta", 1e-5}};
    if (argc % 2 == 0) throw std::invalid_argument("self_audit [NAME VALUE]...");
    for (int i = 1; i < argc; i += 2) values.at(argv[i]) = std::stod(argv[i + 1]);
    const bool quick = values.at("quick") != 0;
    const double part = values.at("part"), delta = values.at("delta");

    std::vector<case_maker> honest = learner_cases();
    for (auto cases : {pipeline_cases(), selector_cases()}) honest.insert(honest.end(), cases.begin(), cases.end());
    std::vector<case_maker> broken;
    for (const case_maker& make : honest)
      broken.push_back([make](const dplda::budget& total) { return with_half_the_noise(make, total); });
    for (auto cases : {std::vector<case_maker>{double_clip_case}, broken_learner_cases(), broken_selector_cases()})
      broken.insert(broken.end(), cases.begin(), cases.end());
    const std::vector<double> budgets = quick ? std::vector<double>{2, 4} : std::vector<double>{0.5, 1, 2, 4};
    const std::size_t rows = budgets.size() * (honest.size() + broken.size());
    const double at_once = 1 - level / static_cast<double>(2 * rows);  // two bounds in each row

    std::printf(
        "Lower bounds on epsilon at delta = %g, each at 99.9 %%. \"any\" assumes nothing. \"audited\" assumes "
        "that the mechanism is that of its ledger except for the scale of its noise, which is at most \"noise\" times "
        "the claimed scale; it is left out for other flaws. \"mu-GDP\" assumes that the mechanism is mu-GDP for some "
        "mu, as one release with Gaussian noise is. A row without a flaw stands if no bound exceeds the claim. A claim "
        "is refuted if \"any\" exceeds it; otherwise a ledger is refuted if there is less noise than it says. Both are "
        "judged at the confidence at which all %zu such bounds hold at once with 99.9 %%.\n\n"
        "| learner | flaw | claimed | any | mu-GDP | noise | audited | ratio | runs | s | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        delta, 2 * rows);
    tally standing, caught, one_release;
    auto seed = static_cast<std::uint64_t>(values.at("seed")) * 1000;
    const auto audit = [&](const case_maker& make, const dplda::budget& total, double error) {
      const audit_case one = make(total);
      const audit_verdict found = judge(one, runs_for(one, error), 1 - level, at_once, ++seed);
      const double claimed = one.claim.epsilon, ratio = found.audited / claimed;
      const bool sound = one.flaw.empty(),
                 stands = std::max({found.audited, found.any, found.gaussian.value_or(0)}) <= claimed;
      const bool claim_refuted = found.any_at_once > claimed, ledger_refuted = found.noise_scale_at_once < 1;
      if (sound) {
        ++standing.rows;
        standing.bounds += found.gaussian ? 3 : 2;
        standing.failures += !stands;
        standing.most_ratio =
            std::max({standing.most_ratio, ratio, found.any / claimed, found.gaussian.value_or(0) / claimed});
      } else {
        ++caught.rows;
        caught.failures += !claim_refuted && !ledger_refuted;
        caught.without_premise += claim_refuted;
      }
      if (one.one_release) {
        ++one_release.rows;
        one_release.failures += ratio < 0.8;
        one_release.least_ratio = std::min(one_release.least_ratio, ratio);
        if (found.gaussian)
          one_release.least_gaussian = std::min(one_release.least_gaussian, *found.gaussian / claimed);
      }
      const std::string audited = sound || one.flaw == "half the noise" ? number(found.audited, 3) : "";
      std::printf("| %s | %s | %.3f | %.3f | %s | %.2f | %s | %s | %zu | %.1f | %s |\n", one.learner.c_str(),
                  one.flaw.c_str(), claimed, found.any, found.gaussian ? number(*found.gaussian, 3).c_str() : "",
                  found.noise_scale, audited.c_str(), audited.empty() ? "" : number(ratio, 2).c_str(), found.runs,
                  found.seconds,
                  sound            ? (stands ? "stands" : "REFUTED")
                  : claim_refuted  ? "claim refuted"
                  : ledger_refuted ? "ledger refuted"
                                   : "NOT CAUGHT");
      std::fflush(stdout);
    };
    for (const double epsilon : budgets) {
      for (const case_maker& make : honest) audit(make, {epsilon, delta}, part);
      for (const case_maker& make : broken) audit(make, {epsilon, delta}, 2.5 * part);
    }
    std::printf(
        "\nWithout a flaw: %d rows, %d refuted; %d bounds; the probability that one exceeds its claim by chance is at "
        "most %.2f; the largest bound is %.2f of its claim.\n"
        "With a flaw: %d rows, %d not caught; the claim is refuted in %d of them, the ledger in %d others.\n"
        "One release with Gaussian noise: %d rows, %d below 0.8; audited over claimed at least %.2f, the bound of "
        "mu-GDP at least %.2f.\n",
        standing.rows, standing.failures, standing.bounds, level * standing.bounds, standing.most_ratio, caught.rows,
        caught.failures, caught.without_premise, caught.rows - caught.failures - caught.without_premise,
        one_release.rows, one_release.failures, one_release.least_ratio, one_release.least_gaussian);
    print_audits(delta, quick ? 2000 : 10000, static_cast<std::uint64_t>(values.at("seed")) * 1000000);
    return standing.failures + caught.failures + (quick ? 0 : one_release.failures) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "self_audit: %s\n", error.what());
    return 2;
  }
}
