// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/prevalence_file.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/io/ldavis.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/io/topic_names.hpp>
#include <dplda/report/audit_file.hpp>
#include <dplda/report/report.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "commands.hpp"
#include "program.hpp"

namespace dplda_program {

namespace {

struct report_options {
  std::string folder, output, title, names, audit, compare, ldavis;
  bool force = false;
};

/// Topics without privacy, in the order of the released topics that they match.
dplda::topic_model<> beside(const dplda::topic_model<>& model, const std::string& folder) {
  const auto other = dplda::load_model(folder);
  if (*other.vocab() != *model.vocab() || other.topics() != model.topics())
    throw std::runtime_error(folder +
                             ": has other words or another number of topics; learn it with --non-private and "
                             "the release's vocabulary.txt as --vocabulary");
  return dplda::select_topics(other, dplda::align_topics(other, model));
}

/// Throws usage_error if the page would be in the folder, all of which may be published.
void check_outside(const std::filesystem::path& page, const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto parent = page.has_parent_path() ? page.parent_path() : std::filesystem::path(".");
  if (std::filesystem::equivalent(parent, folder, ignored))
    throw usage_error(
        "a page with --audit or --compare is not for release, but all of FOLDER is; name a file elsewhere with -o");
}

/// Where dplda fit writes shares of topics that it measured.
std::filesystem::path shares_of(const std::filesystem::path& folder) { return folder / "prevalence.json"; }

void report(const report_options& o) {
  const auto page = std::filesystem::path(o.output.empty() ? o.folder + "/report.html" : o.output);
  if (!o.audit.empty() || !o.compare.empty()) check_outside(page, o.folder);
  check_writable(page, o.force);
  if (!o.ldavis.empty()) {
    check_writable(o.ldavis, o.force);
    if (page.lexically_normal() == std::filesystem::path(o.ldavis).lexically_normal())
      throw usage_error("the page and --ldavis need different names");
  }
  const auto model = dplda::load_model(o.folder);
  const dplda::release_record record = dplda::read_release_record(o.folder);
  dplda::report_content content = dplda::report_content_of(model, record);
  if (std::error_code none; std::filesystem::exists(shares_of(o.folder), none)) {
    const dplda::saved_prevalence shares = dplda::read_prevalence(shares_of(o.folder));
    if (shares.details.model_sha256 != record.model_sha256)
      throw dplda::parse_error(shares_of(o.folder).string(), 0, "belongs to other topics than those of the folder");
    add_prevalence(content, shares.measured);
  }
  if (!o.title.empty()) content.title = o.title;
  if (!o.names.empty()) content.names = dplda::read_topic_names(std::filesystem::path(o.names), model.topics());
  if (!o.audit.empty()) content.audit = dplda::read_audit(o.audit, record);
  if (!o.compare.empty()) content.without_privacy = beside(model, o.compare);
  std::vector<dplda::file_text> files{{page, dplda::report_html(content)}};
  if (!o.ldavis.empty()) files.push_back({o.ldavis, dplda::ldavis_json(model)});
  write_outputs(files, o.force);
  for (const auto& [file, text] : files) std::cout << "Written to " << file.string() << '\n';
}

}  // namespace

void add_report(CLI::App& app) {
  const auto o = std::make_shared<report_options>();
  CLI::App* const command = app.add_subcommand("report", "Make a page of a release: guarantee, ledger, topics");
  command->add_option("FOLDER", o->folder, "A folder that dplda fit wrote")->required();
  command->add_option("-o,--output", o->output, "The file to write; by default report.html in the folder")
      ->type_name("FILE");
  command->add_option("--title", o->title, "The page's title; by default that of the fit")->type_name("TEXT");
  command
      ->add_option(
          "--names", o->names,
          "Names of the topics, one on each line: that of topic 0 first; an empty line is no name. Topics keep "
          "their numbers. The names are published with the page: choose them from the released words")
      ->type_name("FILE");
  command
      ->add_option("--audit", o->audit,
                   "A file that dplda audit --output wrote: shows its ROC curve, and the audited epsilon beside the "
                   "claimed one; not for release")
      ->type_name("FILE");
  command
      ->add_option(
          "--compare", o->compare,
          "A folder of dplda fit --non-private with the same words, to show beside the topics; not for release")
      ->type_name("FOLDER");
  command->add_option("--ldavis", o->ldavis, "Also write the topics for LDAvis and pyLDAvis (JSON)")->type_name("FILE");
  command->add_flag("--force", o->force, "Replace the files");
  command->footer(
      "\nExamples:\n  dplda report topics -o for-the-officer.html\n"
      "  dplda report topics --audit audit.json -o inside.html\n"
      "\nThe page loads nothing from a network. 'dplda fit' writes one by itself.");
  command->callback([o] { report(*o); });
}

}  // namespace dplda_program
