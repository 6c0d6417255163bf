// SPDX-License-Identifier: Apache-2.0
// "What epsilon did this cost?" and "How much noise do I need?", answered by every accountant, side by side. The
// program dplda answers both for any numbers: dplda account, dplda calibrate.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/accounting/mechanisms.hpp>
#include <dplda/accounting/sampling.hpp>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

const std::vector<std::pair<dplda::accountant, const char*>> rules = {
    {dplda::accountant::linear, "adds up the epsilons of all steps"},
    {dplda::accountant::advanced, "Dwork, Rothblum, Vadhan 2010"},
    {dplda::accountant::optimal, "the best that (epsilon, delta) of each step allow"},
    {dplda::accountant::zcdp, "rho adds up; ignores sampling"},
    {dplda::accountant::rdp, "Renyi divergences add up, best real order"},
    {dplda::accountant::gaussian, "exact, for Gaussian noise without sampling"},
    {dplda::accountant::pld, "the whole privacy-loss distribution, certified"},
    {dplda::accountant::best, "the smallest of all"}};

/// The ledger of 10,000 steps with this noise multiplier, each on a random hundredth of the documents.
dplda::ledger plan(double noise) {
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{noise}, .sampling = dplda::poisson_sample{0.01}}, 10000);
  return book;
}

std::string name(dplda::accountant rule) {
  std::ostringstream text;
  text << rule;
  return text.str();
}

}  // namespace

int main() {
  const double delta = 1e-5;
  std::printf("What epsilon do 10000 steps cost, with noise multiplier 1 on samples of 1 %%, at delta 1e-5?\n\n");
  for (const auto& [rule, words] : rules) {
    const auto [lower, upper] = dplda::ledger_epsilon(plan(1), delta, rule);
    std::printf("  %-10s%10.4g   %-50s", name(rule).c_str(), upper, words);
    if (lower > 0) std::printf("  and certainly more than %.4g", lower);
    std::printf("\n");
  }

  std::printf("\nHow much noise do they need for epsilon 1?\n\n");
  for (const auto& [rule, words] : rules) {
    try {
      std::printf("  %-10s%10.5g   %s\n", name(rule).c_str(),
                  dplda::smallest_noise(plan, {.epsilon = 1, .delta = delta}, rule), words);
    } catch (const std::invalid_argument&) {
      std::printf("  %-10s%10s   %s\n", name(rule).c_str(), "none", words);
    }
  }
  std::cout << '\n' << price(plan(1), delta) << '\n';
}
