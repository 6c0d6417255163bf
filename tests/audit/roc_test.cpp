// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/roc.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"

using namespace dplda;
using Catch::Approx;

TEST_CASE("The Clopper-Pearson interval") {
  // Quantiles of beta laws, by mpmath.
  const rate_interval tenth = clopper_pearson(1, 10);
  CHECK(tenth.rate == 0.1);
  CHECK(tenth.low == Approx(0.002528578544485).epsilon(1e-9));
  CHECK(tenth.high == Approx(0.445016117028195).epsilon(1e-9));
  const rate_interval none = clopper_pearson(0, 100, 0.99);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(1 - std::pow(0.005, 0.01)).epsilon(1e-9));
  const rate_interval all = clopper_pearson(100, 100, 0.99);
  CHECK(all.low == Approx(std::pow(0.005, 0.01)).epsilon(1e-9));
  CHECK(all.high == 1);
  const rate_interval large = clopper_pearson(500'000, 1'000'000'000);
  CHECK(large.low == Approx(4.98615e-4).epsilon(1e-5));
  CHECK(large.high == Approx(5.01388e-4).epsilon(1e-5));
  CHECK(clopper_pearson(0, 0).low == 0);
  CHECK(clopper_pearson(0, 0).high == 1);
  CHECK_THROWS_AS(clopper_pearson(2, 1), std::invalid_argument);
  CHECK_THROWS_AS(clopper_pearson(1, 2, 1), std::invalid_argument);
}

TEST_CASE("The Clopper-Pearson interval has its coverage") {
  // The defining property: at either end, an outcome as extreme has probability (1 - confidence) / 2.
  for (const unsigned n : {5u, 37u, 200u}) {
    for (unsigned k = 0; k <= n; k += 1 + n / 7) {
      const rate_interval interval = clopper_pearson(k, n, 0.9);
      const auto tail = [&](double p, unsigned from, unsigned to) {
        double sum = 0, log_choose = 0;
        for (unsigned i = 0; i <= to; ++i) {
          if (i >= from) sum += std::exp(log_choose + i * std::log(p) + (n - i) * std::log1p(-p));
          log_choose += std::log(n - i) - std::log(i + 1.0);
        }
        return sum;
      };
      if (k > 0) CHECK(tail(interval.low, k, n) == Approx(0.05).epsilon(1e-6));
      if (k < n) CHECK(tail(interval.high, 0, k) == Approx(0.05).epsilon(1e-6));
    }
  }
}

TEST_CASE("A small ROC curve by hand") {
  //               threshold: 5      4          4         2          1
  const roc_curve curve({{4, false}, {5, true}, {4, true}, {1, true}, {2, false}});
  CHECK(curve.members() == 3);
  CHECK(curve.others() == 2);
  const auto& points = curve.points();
  REQUIRE(points.size() == 5);
  CHECK(points[0].true_positives == 0);
  CHECK(points[1].true_positives == 1);
  CHECK(points[1].false_positives == 0);
  CHECK(points[2].true_positives == 2);
  CHECK(points[2].false_positives == 1);
  CHECK(points[4].true_positives == 3);
  CHECK(points[4].false_positives == 2);
  // Pairs (member, other): 5 beats both; 4 ties one and beats one; 1 loses both.
  CHECK(curve.auc() == Approx(3.5 / 6));
  CHECK(curve.at(0).true_positive_rate.rate == Approx(1.0 / 3));
  CHECK(curve.at(0).threshold == 4);
  CHECK(curve.at(0.49).true_positive_rate.rate == Approx(1.0 / 3));
  CHECK(curve.at(0.5).true_positive_rate.rate == Approx(2.0 / 3));
  CHECK(curve.at(1).true_positive_rate.rate == 1);
  CHECK(curve.with_random_ties(0) == Approx(1.0 / 3));
  CHECK(curve.with_random_ties(0.25) == Approx(0.5));  // a coin for the two documents of score 4
  CHECK(curve.with_random_ties(0.5) == Approx(2.0 / 3));
  CHECK(curve.with_random_ties(1) == 1);
  CHECK(curve.at(0.5).true_positive_rate.low == clopper_pearson(2, 3).low);
  CHECK(curve.at(0.5).false_positive_rate.high == clopper_pearson(1, 2).high);
}

TEST_CASE("Perfect, inverted and constant scores") {
  CHECK(roc_curve({{1, true}, {0, false}}).auc() == 1);
  CHECK(roc_curve({{0, true}, {1, false}}).auc() == 0);
  const roc_curve flat({{0, true}, {0, false}, {0, true}});
  CHECK(flat.auc() == 0.5);
  CHECK(flat.at(0.5).true_positive_rate.rate == 0);
  CHECK(flat.with_random_ties(0.001) == Approx(0.001));
}

TEST_CASE("Bands hold at all points at once") {
  // Members N(1, 1), others N(0, 1): a threshold t has the rates P(Z > t - 1) and P(Z > t).
  auto bits = seeded_random(8).stream("scores");
  const std::vector<double> rates{0.01, 0.05, 0.1, 0.3, 0.6};
  const auto beyond = [](double t) { return std::erfc(t / std::sqrt(2.0)) / 2; };
  std::uint64_t missed = 0;
  const std::uint64_t repetitions = 2000;
  for (std::uint64_t i = 0; i < repetitions; ++i) {
    std::vector<scored_document> scored;
    for (int j = 0; j < 200; ++j) scored.push_back({normal(bits) + (j % 2), j % 2 == 1});
    bool all = true;
    for (const roc_rates& point : roc_curve(scored).band(rates, 0.8)) {
      const double fpr = beyond(point.threshold), tpr = beyond(point.threshold - 1);
      all = all && fpr >= point.false_positive_rate.low && fpr <= point.false_positive_rate.high &&
            tpr >= point.true_positive_rate.low && tpr <= point.true_positive_rate.high;
    }
    missed += !all;
  }
  // A false alarm below 1e-9: 0.2 + 6 standard deviations.
  CHECK(static_cast<double>(missed) <= 2000 * 0.2 + 6 * std::sqrt(2000 * 0.16));
  CHECK(missed > 20);  // the bands are not too wide to fail
}

TEST_CASE("Bands hold at all points at once if scores tie") {
  // The same scores rounded down to halves: a score exceeds k / 2 if it was at least (k + 1) / 2.
  auto bits = seeded_random(9).stream("tied scores");
  const std::vector<double> rates{0.05, 0.3, 0.6};
  const auto beyond = [](double t) { return std::erfc(t / std::sqrt(2.0)) / 2; };
  std::uint64_t missed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<scored_document> scored;
    for (int j = 0; j < 200; ++j) scored.push_back({std::floor(2 * (normal(bits) + (j % 2))) / 2, j % 2 == 1});
    bool all = true;
    for (const roc_rates& point : roc_curve(scored).band(rates, 0.8)) {
      const double fpr = beyond(point.threshold + 0.5), tpr = beyond(point.threshold - 0.5);
      all = all && fpr >= point.false_positive_rate.low && fpr <= point.false_positive_rate.high &&
            tpr >= point.true_positive_rate.low && tpr <= point.true_positive_rate.high;
    }
    missed += !all;
  }
  CHECK(static_cast<double>(missed) <= 2000 * 0.2 + 6 * std::sqrt(2000 * 0.16));
  // 4 others at 3 and 6 at 2: half of them may be caught, the threshold 2 catches 4, and the upper end is that of 5.
  std::vector<scored_document> tied{{3, true}};
  for (int j = 0; j < 10; ++j) tied.push_back({j < 4 ? 3.0 : 2.0, false});
  const roc_rates half = roc_curve(tied).at(0.5);
  CHECK(half.threshold == 2);
  CHECK(half.false_positive_rate.rate == 0.4);
  CHECK(half.false_positive_rate.low == clopper_pearson(4, 10).low);
  CHECK(half.false_positive_rate.high == clopper_pearson(5, 10).high);
  CHECK(roc_curve(tied).at(1).false_positive_rate.high == 1);
}

TEST_CASE("A product just below an integer by rounding counts as that integer") {
  REQUIRE(0.29 * 100 < 29);
  // Others at 100, 99, ..., 1, and the member tied with none of them, just above the 30th.
  std::vector<scored_document> scored{{71.5, true}};
  for (int j = 1; j <= 100; ++j) scored.push_back({static_cast<double>(j), false});
  const roc_curve curve(scored);
  CHECK(curve.at(0.29).true_positive_rate.rate == 1);
  CHECK(curve.at(0.29).false_positive_rate.rate == 0.29);
  CHECK(curve.with_random_ties(0.29) == 1);
  CHECK(curve.with_random_ties(0.28) == 0);
}

TEST_CASE("Refusals of ROC curves") {
  using dplda_tests::refusal;
  CHECK(refusal([] { roc_curve({{1, true}}); }) == "dplda::roc_curve: number of others is 0, but must be at least 1");
  CHECK_THROWS_AS(roc_curve({{1, false}}), std::invalid_argument);
  CHECK_THROWS_AS(roc_curve({{NAN, false}, {1, true}}), std::invalid_argument);
  CHECK_THROWS_AS(roc_curve({{1, false}, {1, true}}).at(-0.1), std::invalid_argument);
  CHECK_THROWS_AS(roc_curve({{1, false}, {1, true}}).band(std::vector<double>{0.1}, 1), std::invalid_argument);
}

TEST_CASE("Several scores of one document do not count as independent trials") {
  // Each document has the same score under ten models, whatever they were trained on: ten times the trials, but no more
  // information. The interval over documents must be as wide as that of one model; Clopper-Pearson over all trials is
  // not.
  auto bits = seeded_random(21).stream("documents");
  const std::size_t documents = 400, models = 10;
  std::vector<scored_document> pooled, single;
  std::vector<std::size_t> names, own;
  for (std::size_t d = 0; d < documents; ++d) {
    const bool member = d % 2 == 0;
    const double score = normal(bits) + (member ? 1 : 0);
    single.push_back({score, member});
    own.push_back(d);
    for (std::size_t m = 0; m < models; ++m) {
      pooled.push_back({score, member});
      names.push_back(1000 - d);
    }
  }
  const rate_interval narrow = roc_curve(pooled).at(0.1).true_positive_rate;
  const rate_interval wide = rate_by_document(pooled, names, bits, 0.1);
  const rate_interval one = rate_by_document(single, own, bits, 0.1);
  CHECK(wide.rate == narrow.rate);
  CHECK(wide.rate == one.rate);
  CHECK(wide.low <= wide.rate);
  CHECK(wide.rate <= wide.high);
  CHECK(wide.high - wide.low > 2.5 * (narrow.high - narrow.low));
  CHECK((wide.high - wide.low) / (one.high - one.low) > 0.8);
  CHECK((wide.high - wide.low) / (one.high - one.low) < 1.25);
}

TEST_CASE("The interval over documents has about its stated coverage") {
  // Members are N(2, 1), others N(0, 1); a score takes nine tenths of its variance from its document. At an FPR of 10 %
  // the true rate is Phi(2 - 1.2816) = 0.7637. 200 intervals of 90 %, which by percentiles may cover a little less: at
  // least 0.8 of them must (a chance of 1e-5 to fail for a coverage of 0.9), and of the intervals that count every
  // score as a trial, fewer.
  auto bits = seeded_random(22).stream("documents");
  const double truth = 0.7637;
  int covered = 0, as_trials = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<scored_document> scored;
    std::vector<std::size_t> names;
    for (std::size_t d = 0; d < 120; ++d) {
      const double own = normal(bits);
      for (int m = 0; m < 8; ++m) {
        const bool member = d % 2 == 0;
        scored.push_back({(own * 3 + normal(bits)) / std::sqrt(10.0) + (member ? 2 : 0), member});
        names.push_back(d);
      }
    }
    const rate_interval found = rate_by_document(scored, names, bits, 0.1, 0.9, 200);
    covered += found.low <= truth && truth <= found.high;
    const rate_interval trials = roc_curve(scored).at(0.1, 0.9).true_positive_rate;
    as_trials += trials.low <= truth && truth <= trials.high;
  }
  CAPTURE(covered, as_trials);
  CHECK(covered >= 160);
  CHECK(as_trials < 110);
}

TEST_CASE("The interval over documents has its coverage at one false positive in a hundred") {
  // Members are N(3, 1), others N(0, 1), with half of the variance from the document. At an FPR of 1 % the true rate is
  // Phi(3 - 2.3263) = 0.7498. 100 intervals of 90 %: fewer than 75 cover with a chance of 1e-5 if 90 do on average.
  auto bits = seeded_random(24).stream("documents");
  const double truth = 0.7498;
  int covered = 0;
  for (int i = 0; i < 100; ++i) {
    std::vector<scored_document> scored;
    std::vector<std::size_t> names;
    for (std::size_t d = 0; d < 1000; ++d) {
      const double own = normal(bits);
      for (int m = 0; m < 4; ++m) {
        const bool member = d % 2 == 0;
        scored.push_back({(own + normal(bits)) / std::sqrt(2.0) + (member ? 3 : 0), member});
        names.push_back(d);
      }
    }
    const rate_interval found = rate_by_document(scored, names, bits, 0.01, 0.9, 200);
    covered += found.low <= truth && truth <= found.high;
  }
  CAPTURE(covered);
  CHECK(covered >= 75);
}

TEST_CASE("Refusals and edges of intervals over documents") {
  auto bits = seeded_random(23).stream("documents");
  const std::vector<scored_document> scored{{1, true}, {0, false}, {1, true}};
  const std::vector<std::size_t> names{0, 1, 2}, few{0, 1};
  CHECK(dplda_tests::refusal([&] { rate_by_document(scored, few, bits); }) ==
        "dplda::rate_by_document: number of documents is 2, but must be the number of scores, 3");
  CHECK_THROWS_AS(rate_by_document(scored, names, bits, 0.1, 0.95, 0), std::invalid_argument);
  CHECK_THROWS_AS(rate_by_document(scored, names, bits, 1.1), std::invalid_argument);
  CHECK_THROWS_AS(rate_by_document(scored, names, bits, 0.1, 1), std::invalid_argument);
  const rate_interval all = rate_by_document(scored, names, bits, 0);
  CHECK(all.rate == 1);
  CHECK(all.high == 1);
  const std::vector<scored_document> tied{{1, true}, {1, false}, {1, true}};
  CHECK(rate_by_document(tied, names, bits, 0.1).rate == 0);
}
