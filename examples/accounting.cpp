// SPDX-License-Identifier: Apache-2.0
// "What epsilon did this cost?" and "How much noise do I need?", under every accountant side by side.

#include <dplda/dplda.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr const char* usage =
    "accounting                     both questions, for 10000 steps on samples of 1 % of the documents\n"
    "accounting cost  [options]     what epsilon did this cost?\n"
    "accounting noise [options]     how much noise do I need?\n"
    "  --mechanism gaussian         or laplace, discrete_gaussian\n"
    "  --noise 1                    noise over sensitivity (cost)\n"
    "  --epsilon 1                  the budget (noise)\n"
    "  --delta 1e-5\n"
    "  --rate 0.01                  the probability that a document is in a step's sample; 1: no samples\n"
    "  --steps 10000\n";

using settings = std::map<std::string, std::string>;

double number(const settings& given, const std::string& name) {
  const std::string& text = given.at(name);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw std::invalid_argument("--" + name + " needs a number, not " + text);
  return value;
}

/// What is done: the ledger that a program would write, with this much noise.
dplda::ledger plan(const settings& given, double noise) {
  const std::string& name = given.at("mechanism");
  dplda::mechanism mechanism = dplda::gaussian_noise{noise};
  if (name == "laplace") mechanism = dplda::laplace_noise{noise};
  if (name == "discrete_gaussian") mechanism = dplda::discrete_gaussian_noise{noise};
  if (name != "gaussian" && mechanism.index() == 0) throw std::invalid_argument("no mechanism is called " + name);
  const double steps = number(given, "steps");
  if (!(steps >= 1 && steps <= 1e15)) throw std::invalid_argument("--steps must lie in [1, 1e15]");
  dplda::ledger book;
  book.record({.noise = mechanism, .seen = dplda::poisson_sample{number(given, "rate")}},
              static_cast<std::uint64_t>(steps));
  return book;
}

const std::vector<std::pair<dplda::accountant, const char*>> rules = {
    {dplda::accountant::linear, "adds up the epsilons of all steps"},
    {dplda::accountant::advanced, "Dwork, Rothblum, Vadhan 2010"},
    {dplda::accountant::optimal, "the best that (epsilon, delta) of each step allow"},
    {dplda::accountant::zcdp, "rho adds up; knows nothing of samples"},
    {dplda::accountant::rdp, "Renyi divergences add up, best real order"},
    {dplda::accountant::gaussian, "exact, for Gaussian noise without samples"},
    {dplda::accountant::pld, "the whole distribution of the loss, certified"},
    {dplda::accountant::best, "the smallest of all"}};

void cost(const settings& given) {
  const dplda::ledger book = plan(given, number(given, "noise"));
  const double delta = number(given, "delta");
  std::printf("What epsilon did this cost? %s steps of %s noise %s, samples of %s, delta %s\n\n",
              given.at("steps").c_str(), given.at("mechanism").c_str(), given.at("noise").c_str(),
              given.at("rate").c_str(), given.at("delta").c_str());
  for (const auto& [rule, words] : rules) {
    const auto [lower, upper] = dplda::ledger_epsilon(book, delta, rule);
    std::cout << "  " << std::left << std::setw(10) << rule << std::flush;
    std::printf("%10.4g   %-50s", upper, words);
    if (lower > 0) std::printf("  and surely more than %.4g", lower);
    std::printf("\n");
    std::fflush(stdout);
  }
  std::cout << '\n' << price(book, delta) << "\n\n";
}

void noise(const settings& given) {
  const dplda::budget budget{number(given, "epsilon"), number(given, "delta")};
  std::printf("How much noise do I need? %s steps of %s noise, samples of %s, epsilon %s, delta %s\n\n",
              given.at("steps").c_str(), given.at("mechanism").c_str(), given.at("rate").c_str(),
              given.at("epsilon").c_str(), given.at("delta").c_str());
  for (const auto& [rule, words] : rules) {
    std::cout << "  " << std::left << std::setw(10) << rule << std::flush;
    try {
      const double z = dplda::smallest_noise([&](double x) { return plan(given, x); }, budget, rule);
      std::printf("%10.5g   %s\n", z, words);
    } catch (const std::invalid_argument&) {
      std::printf("%10s   %s\n", "none", words);
    }
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) try {
  settings given{{"mechanism", "gaussian"}, {"noise", "1"},   {"epsilon", "1"},
                 {"delta", "1e-5"},         {"rate", "0.01"}, {"steps", "10000"}};
  const std::string question = count > 1 ? arguments[1] : "";
  if (question != "" && question != "cost" && question != "noise") throw std::invalid_argument(usage);
  for (int i = 2; i < count; i += 2) {
    const std::string name = arguments[i];
    if (i + 1 >= count || !name.starts_with("--") || !given.contains(name.substr(2)))
      throw std::invalid_argument(usage);
    given[name.substr(2)] = arguments[i + 1];
  }
  if (question != "noise") cost(given);
  if (question != "cost") noise(given);
} catch (const std::invalid_argument& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
