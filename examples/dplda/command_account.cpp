// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/calibration.hpp>
#include <dplda/io/ledger.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "accountants.hpp"
#include "commands.hpp"
#include "real_between.hpp"
#include "release_folder.hpp"

namespace dplda_program {

namespace {

struct event_options {
  std::string mechanism = "gaussian";
  double noise = 1, rate = 1;
  std::uint64_t steps = 1;
};

/// Adds the options that describe a ledger; where there is an option that names one, they do not go with it.
void add_event_options(CLI::App& command, event_options& event, CLI::Option* file = nullptr) {
  CLI::Option* const options[] = {
      command.add_option("--mechanism", event.mechanism, "The noise of each step")
          ->check(CLI::IsMember({"gaussian", "laplace", "discrete_gaussian"})),
      command.add_option("--rate", event.rate, "The probability that a document is in a step's sample; 1: no samples")
          ->type_name("X")
          ->check(real_between(1e-9, 1.0)),
      command.add_option("--steps", event.steps, "How many steps")
          ->type_name("N")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))};
  if (file == nullptr) return;
  for (CLI::Option* const option : options) option->excludes(file);
}

constexpr double usual_delta = 1e-6;

template <class Number>
void add_delta(CLI::App& command, Number& delta, const std::string& otherwise = {}) {
  command.add_option("--delta", delta, "The chance that the loss is larger" + otherwise)
      ->type_name("X")
      ->check(real_between(0.0, 1.0));
}

dplda::ledger ledger_of(const event_options& event, double noise) {
  dplda::mechanism mechanism = dplda::gaussian_noise{noise};
  if (event.mechanism == "laplace") mechanism = dplda::laplace_noise{noise};
  if (event.mechanism == "discrete_gaussian") mechanism = dplda::discrete_gaussian_noise{noise};
  dplda::ledger book;
  book.record({.noise = mechanism,
               .seen = event.rate < 1 ? dplda::sampling(dplda::poisson_sample{event.rate}) : dplda::all_units{}},
              event.steps);
  return book;
}

/// Of a folder that fit wrote, of a release.json, or of a ledger alone, which has no claim.
release_record read_any_ledger(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return read_release(path);
  const json object = json::parse(dplda::detail::read_bytes(path), nullptr, false);
  const bool release = object.is_object() && object.value("format", json()) == "dplda release";
  return release ? read_release(path) : release_record{.ledger = dplda::read_ledger(std::filesystem::path(path))};
}

struct account_options {
  event_options event;
  std::string file;
  std::optional<double> asked_delta = {};
  bool as_json = false;
};

void account(const account_options& o) {
  const release_record record =
      o.file.empty() ? release_record{.ledger = from_options([&] { return ledger_of(o.event, o.event.noise); })}
                     : read_any_ledger(o.file);
  const dplda::ledger& book = record.ledger;
  const double delta = o.asked_delta.value_or(record.claim ? record.claim->delta : usual_delta);
  json listed = json::array();
  if (!o.as_json) {
    std::cout << "What this costs at delta = " << number(delta) << ", by every accountant:\n\n"
              << "  accountant    epsilon\n";
  }
  for (const auto& [by, epsilon] : prices(book, delta)) {
    const auto [lower, upper] = epsilon;
    listed.push_back({{"accountant", by.key}, {"epsilon", finite(upper)}, {"surely_more_than", finite(lower)}});
    if (o.as_json) continue;
    std::cout << "  " << std::left << std::setw(10) << by.key << std::right << std::setw(11)
              << (std::isfinite(upper) ? dplda::detail::rounded_up(upper) : "none") << "   " << by.words
              << (lower > 0 ? "; surely more than " + number(lower) : "") << '\n';
  }
  const dplda::guarantee claim = price(book, delta);
  if (o.as_json)
    return print({{"delta", delta}, {"prices", listed}, {"guarantee", to_json(claim)}, {"ledger", to_json(book)}});
  std::cout << '\n' << paragraph(claim);
}

struct calibrate_options {
  event_options event;
  double epsilon = 2, delta = usual_delta;
  bool as_json = false;
};

void calibrate(const calibrate_options& o) {
  const dplda::budget total{o.epsilon, o.delta};
  json noises = json::array();
  if (!o.as_json) {
    std::cout << "The noise that epsilon = " << number(o.epsilon) << ", delta = " << number(o.delta)
              << " needs, as a multiple of what one unit may contribute:\n\n  accountant      noise\n";
  }
  for (const auto& [rule, name, title, words] : every_accountant) {
    json noise = nullptr;
    try {
      noise = dplda::smallest_noise([&](double z) { return ledger_of(o.event, z); }, total, rule);
    } catch (const std::invalid_argument&) {  // this accountant cannot price it, or no noise is enough
    }
    noises.push_back({{"accountant", name}, {"noise", noise}});
    if (o.as_json) continue;
    std::cout << "  " << std::left << std::setw(10) << name << std::right << std::setw(11)
              << (noise.is_null() ? "none" : dplda::detail::rounded_up(noise.get<double>())) << "   " << words << '\n';
  }
  if (o.as_json) print({{"epsilon", o.epsilon}, {"delta", o.delta}, {"noises", noises}});
}

}  // namespace

void add_account(CLI::App& app) {
  const auto o = std::make_shared<account_options>();
  CLI::App* const command = app.add_subcommand("account", "What did this cost? By every accountant");
  auto* const file = command->add_option("LEDGER", o->file, "A folder that dplda fit wrote, or a ledger's JSON file");
  command->add_option("--noise", o->event.noise, "Without LEDGER: noise over what one unit may contribute")
      ->type_name("X")
      ->check(real_between(1e-6, 1e8))
      ->excludes(file);
  add_event_options(*command, o->event, file);
  add_delta(*command, o->asked_delta, "; if not given, that of the release, and 1e-6 where there is none");
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer(
      "\nExamples:\n  dplda account topics\n"
      "  dplda account --noise 1 --rate 0.01 --steps 1000 --delta 1e-5");
  command->callback([o] { account(*o); });
}

void add_calibrate(CLI::App& app) {
  const auto o = std::make_shared<calibrate_options>();
  CLI::App* const command = app.add_subcommand("calibrate", "How much noise does a budget need? By every accountant");
  command->add_option("--epsilon", o->epsilon, "The budget")->type_name("X")->check(real_between(1e-6, 1e6));
  add_delta(*command, o->delta);
  add_event_options(*command, o->event);
  command->add_flag("--json", o->as_json, "Print JSON");
  command->footer("\nExample:\n  dplda calibrate --epsilon 1 --delta 1e-5 --rate 0.01 --steps 1000");
  command->callback([o] { calibrate(*o); });
}

}  // namespace dplda_program
