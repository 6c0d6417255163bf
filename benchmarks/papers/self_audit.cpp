// SPDX-License-Identifier: Apache-2.0
// The library audits itself: every proven learner and selector under the strongest cheap attack that we know, and the same
// attacks on broken ones; self_audit.sh starts it.
//   self_audit [NAME VALUE]...
// prints one table, and fails (for one seed in six at most, if nothing is wrong: there are two bounds of 99.9 % in each of
// some hundred rows) if a claim is refuted that should stand, if a broken learner is not caught, or, unless quick,
// if the audit of one release with Gaussian noise stays below 0.8 of its claim. (Of Laplace selectors weights come in half
// steps, too coarse for that at large epsilons.) Names and their defaults:
//   part 0.08, the statistical error of a bound at 99.9 %, as a part of what there is to find   quick 0; 1: two budgets
//   seed 1   delta 1e-5

#include "../../tests/audit/audited_learners.hpp"
#include "../../tests/audit/audited_selectors.hpp"

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace dplda_tests;

constexpr double level = 0.001;

struct tally {
  int rows = 0, failures = 0, without_premise = 0;
  double least_ratio = 1e9, most_ratio = 0;
};

std::string number(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
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
    for (auto cases : {broken_learner_cases(), broken_selector_cases()})
      broken.insert(broken.end(), cases.begin(), cases.end());
    const std::vector<double> budgets = quick ? std::vector<double>{2, 4} : std::vector<double>{0.5, 1, 2, 4};
    const std::size_t rows = budgets.size() * (honest.size() + broken.size());
    const double at_once = 1 - level / static_cast<double>(2 * rows);  // two bounds in each row

    std::printf(
        "Lower bounds on epsilon at delta = %g, each at 99.9 %%. \"any\" takes nothing for granted. \"audited\" takes "
        "it "
        "that the mechanism is that of its ledger but for the scale of its noise, which is at most \"noise\" times "
        "what "
        "was claimed; it is left out where the flaw is another. A row without a flaw stands if neither bound exceeds "
        "the "
        "claim. A claim is refuted where \"any\" exceeds it, and else a ledger where there is less noise than it says, "
        "both "
        "at the confidence at which all %zu bounds of the table hold at once with 99.9 %%.\n\n"
        "| learner | flaw | claimed | any | noise | audited | ratio | runs | s | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        delta, 2 * rows);
    tally standing, caught, one_release;
    auto seed = static_cast<std::uint64_t>(values.at("seed")) * 1000;
    const auto audit = [&](const case_maker& make, const dplda::budget& total, double error) {
      const audit_case one = make(total);
      const audit_verdict found = judge(one, runs_for(one, error), 1 - level, at_once, ++seed);
      const double claimed = one.claim.epsilon, ratio = found.audited / claimed;
      const bool sound = one.flaw.empty(), stands = found.audited <= claimed && found.any <= claimed;
      const bool claim_refuted = found.any_at_once > claimed, ledger_refuted = found.noise_scale_at_once < 1;
      if (sound) {
        ++standing.rows;
        standing.failures += !stands;
        standing.most_ratio = std::max({standing.most_ratio, ratio, found.any / claimed});
      } else {
        ++caught.rows;
        caught.failures += !claim_refuted && !ledger_refuted;
        caught.without_premise += claim_refuted;
      }
      if (one.one_release) {
        ++one_release.rows;
        one_release.failures += ratio < 0.8;
        one_release.least_ratio = std::min(one_release.least_ratio, ratio);
      }
      const std::string audited = sound || one.flaw == "half the noise" ? number(found.audited, 3) : "";
      std::printf("| %s | %s | %.3f | %.3f | %.2f | %s | %s | %zu | %.1f | %s |\n", one.learner.c_str(),
                  one.flaw.c_str(), claimed, found.any, found.noise_scale, audited.c_str(),
                  audited.empty() ? "" : number(ratio, 2).c_str(), found.runs, found.seconds,
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
        "\nWithout a flaw: %d rows, %d refuted; audited over claimed at most %.2f.\n"
        "With a flaw: %d rows, %d not caught; the claim is refuted in %d of them, the ledger in %d others.\n"
        "One release with Gaussian noise: %d rows, %d below 0.8; audited over claimed at least %.2f.\n",
        standing.rows, standing.failures, standing.most_ratio, caught.rows, caught.failures, caught.without_premise,
        caught.rows - caught.failures - caught.without_premise, one_release.rows, one_release.failures,
        one_release.least_ratio);
    return standing.failures + caught.failures + (quick ? 0 : one_release.failures) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "self_audit: %s\n", error.what());
    return 2;
  }
}
