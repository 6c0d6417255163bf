// SPDX-License-Identifier: Apache-2.0
// dplda: topics of text that nobody may read, from the command line.

#include <dplda/distributed/process_group.hpp>
#include <dplda/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands.hpp"
#include "interrupts.hpp"
#include "processes.hpp"
#include "program.hpp"

namespace {

/// Prints one sentence on one line, without the name of the library's function. No sentence: all is said.
int fail(int code, std::string sentence) {
  std::replace_if(
      sentence.begin(), sentence.end(), [](char c) { return c >= 0 && c < ' '; }, ' ');
  if (const auto colon = sentence.find(": "); sentence.starts_with("dplda::") && colon != std::string::npos)
    sentence.erase(0, colon + 2);
  if (!sentence.empty()) std::fprintf(stderr, "dplda: %s\n", sentence.c_str());
  dplda_program::set_over();
  return code;
}

/// Help that fits a terminal: kinds of values in short, defaults at the end, lines of at most 100 letters.
class help_formatter : public CLI::Formatter {
 public:
  help_formatter() {
    column_width(column);
    label("REQUIRED", "");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();  // "N:INT in [1 - 1000]", "TEXT:{svi,gibbs,spectral}"
    const auto choices = type.find(":{");
    if (option->get_type_size() == 0 || option->get_positional()) return {};
    return ' ' + (choices == std::string::npos ? type.substr(0, type.find(':')) : type.substr(choices + 1));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const std::string value = option->get_default_str();
    std::istringstream words(option->get_description() + (value.empty() ? "" : " [" + value + "]"));
    std::string text, word;
    std::size_t at = 0;
    while (words >> word) {
      if (at > 0 && at + 1 + word.size() > 100 - column) {
        text += '\n';
        at = 0;
      }
      at += word.size() + (at > 0 ? 1 : 0);
      text.append(text.empty() || text.back() == '\n' ? "" : " ").append(word);
    }
    return text;
  }

 private:
  static constexpr std::size_t column = 24;
};

using dplda::process_failure;
using dplda_program::bad_input, dplda_program::bad_usage, dplda_program::success;

/// Does what the command line says. Throws process_failure if that cannot be read.
void run(int argc, char** argv) {
  using namespace dplda_program;
  CLI::App app{
      "Topics of sensitive text, with a differential-privacy guarantee.\n"
      "\n"
      "  dplda fit letters/ --epsilon 2 --units 20000 --output topics    learn topics of a folder of texts, privately\n"
      "  dplda topics topics                                             look at them, or open topics/report.html\n"};
  app.name("dplda");
  app.set_version_flag("--version", std::string("dplda ") + dplda::version_string);
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // /units:1234 would escape the rounding of the published command
  app.option_defaults()->always_capture_default();
  app.formatter(std::make_shared<help_formatter>());
  app.footer(
      "\n'dplda COMMAND --help' explains a command, with an example.\n"
      "Exit codes: 0 done, 1 bad input, 2 bad usage, 3 done, but nothing could be learned, 130 interrupted.");
  const std::vector<std::string> arguments(argv, argv + argc);
  add_fit(app, arguments);
  add_update(app, arguments);
  add_topics(app);
  add_report(app);
  add_infer(app);
  add_evaluate(app);
  add_prevalence(app);
  add_vocabulary(app);
  add_pack(app);
  add_audit(app);
  add_risk(app);
  add_book(app);
  add_account(app);
  add_calibrate(app);
  try {
    check_processes();
    const std::vector<std::string> for_several{"fit", "update", "--help", "-h", "--version"};
    if (argc > 1 && std::ranges::count(for_several, argv[1]) == 0) require_one_process(argv[1]);
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked);  // --help, --version
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    throw process_failure(std::string(error.what()) + " (see dplda " +
                              (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help)",
                          bad_usage);
  }
  if (!std::cout.flush()) throw process_failure("standard output could not be written to", bad_input);
}

}  // namespace

int main(int argc, char** argv) try {
  dplda_program::handle_interrupts();
  const dplda_program::process_session session(argc, argv);
  try {
    dplda_program::together([&] { run(argc, argv); });
    return success;
  } catch (const process_failure& failure) {
    return fail(failure.code(), failure.what());
  } catch (const std::exception& error) {
    return fail(bad_input, error.what());
  }
} catch (const std::exception& error) {
  return fail(bad_input, error.what());
}
