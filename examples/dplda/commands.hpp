// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_COMMANDS_HPP
#define DPLDA_EXAMPLES_DPLDA_COMMANDS_HPP

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dplda_program {

// Each adds a command, which does its work while the command line is parsed. It throws usage_error, another standard
// exception for bad input, or interrupt.
void add_fit(CLI::App& app, const std::vector<std::string>& arguments);  ///< arguments: the whole command line
void add_update(CLI::App& app, const std::vector<std::string>& arguments);
void add_pack(CLI::App& app);
void add_vocabulary(CLI::App& app);
void add_topics(CLI::App& app);
void add_infer(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_audit(CLI::App& app);
void add_risk(CLI::App& app);
void add_prevalence(CLI::App& app);
void add_book(CLI::App& app);
void add_account(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_report(CLI::App& app);

}  // namespace dplda_program

#endif
