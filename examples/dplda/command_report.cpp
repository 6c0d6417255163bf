// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/alignment.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/io/model_folder.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "commands.hpp"
#include "release_folder.hpp"
#include "report.hpp"

namespace dplda_program {

namespace {

struct report_options {
  std::string folder, output, audit, compare, ldavis;
  bool force = false;
};

/// What `dplda audit --json` printed.
dplda::audit_report read_audit(const std::string& path) {
  const json object = json::parse(dplda::detail::read_bytes(path), nullptr, false);
  try {
    const json& claimed = object.at("claimed");
    return {.claimed = claimed.is_number() ? claimed.get<double>() : std::numeric_limits<double>::infinity(),
            .audited = object.at("audited").get<double>(),
            .delta = object.at("delta").get<double>(),
            .confidence = object.at("confidence").get<double>(),
            .method = object.at("method").get<std::string>()};
  } catch (const json::exception&) {
    throw dplda::parse_error(path, 0, "expected what dplda audit --json prints");
  }
}

/// Topics without privacy, each beside the released one that it is most like.
dplda::topic_model<> beside(const dplda::topic_model<>& model, const std::string& folder) {
  const auto other = dplda::load_model(folder);
  if (*other.vocab() != *model.vocab() || other.topics() != model.topics())
    throw std::runtime_error(folder +
                             ": has other words or another number of topics; learn it with --non-private and "
                             "the release's vocabulary.txt as --vocabulary");
  return dplda::select_topics(other, dplda::align_topics(other, model));
}

void report(const report_options& o) {
  const auto model = dplda::load_model(o.folder);
  const auto page = std::filesystem::path(o.output.empty() ? o.folder + "/report.html" : o.output);
  report_content content = content_of(model, read_release(o.folder));
  if (!o.audit.empty()) content.audit = audit_section{.report = read_audit(o.audit)};
  if (!o.compare.empty()) content.comparison = comparison_section{.topics = beside(model, o.compare)};
  check_writable(page, o.force);
  if (!o.ldavis.empty()) {
    write_whole_file(o.ldavis, o.force, [&](std::ostream& out) { out << dplda::ldavis_json(model); });
    std::cout << "Written to " << o.ldavis << '\n';
  }
  write_whole_file(page, o.force, [&](std::ostream& out) { out << report_html(content); });
  std::cout << "Written to " << page.string() << '\n';
}

}  // namespace

void add_report(CLI::App& app) {
  const auto o = std::make_shared<report_options>();
  CLI::App* const command = app.add_subcommand("report", "Make a page of a release: guarantee, ledger, topics");
  command->add_option("FOLDER", o->folder, "A folder that dplda fit wrote")->required();
  command->add_option("-o,--output", o->output, "The file to write; report.html in the folder if not given")
      ->type_name("FILE");
  command->add_option("--audit", o->audit, "What dplda audit --json printed, to be shown too; not for release")
      ->type_name("FILE");
  command
      ->add_option("--compare", o->compare,
                   "A folder of dplda fit --non-private with the same words, to be shown beside; not for release")
      ->type_name("FOLDER");
  command->add_option("--ldavis", o->ldavis, "Also write the topics as LDAvis and pyLDAvis read them (JSON)")
      ->type_name("FILE");
  command->add_flag("--force", o->force, "Replace the files");
  command->footer(
      "\nExample:\n  dplda report topics -o for-the-officer.html\n"
      "\nThe page needs no network. 'dplda fit' writes one by itself.");
  command->callback([o] { report(*o); });
}

}  // namespace dplda_program
