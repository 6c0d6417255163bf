// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/packed_corpus.hpp>
#include <dplda/io/whole_files.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "commands.hpp"
#include "input.hpp"
#include "interrupts.hpp"
#include "program.hpp"

namespace dplda_program {

namespace {

namespace fs = std::filesystem;

struct pack_options {
  input_options input;
  std::string output, vocabulary;
  bool force = false, as_json = false;
};

void pack(pack_options o) {
  if (o.input.format == "packed" || (o.input.format == "auto" && dplda::is_packed_corpus(o.input.path)))
    throw usage_error("INPUT is a packed corpus already");
  o.input.packing = true;
  if (o.input.unpruned) check_unpruned(o.input);
  check_exists(o.input);
  check(o.input);
  check_writable(o.output, o.force, true);
  const fs::path folder = fs::path(o.output + "/.").lexically_normal().parent_path();
  const dplda::vocabulary_ptr vocab = o.vocabulary.empty() ? nullptr : read_public_words(o.vocabulary, o.input);
  if (o.input.scratch.empty()) o.input.scratch = fs::absolute(folder).parent_path().string();
  progress_display progress(o.as_json);
  progress.phase("reading");
  dplda::labelled_corpus found = read_labelled_corpus(o.input, vocab);
  progress.phase("writing");
  {
    const deferred_interrupts deferred;
    dplda::save_corpus(
        folder, found,
        {.overwrite = o.force, .settings = packed_settings(o.input), .before_commit = [&] { deferred.commit(); }});
  }
  progress.done();
  if (o.as_json)
    return print(json_value::object{{"output", o.output},
                                    {"documents", found.docs.size()},
                                    {"words", found.docs.words()},
                                    {"entries", found.docs.entries()},
                                    {"tokens", found.docs.tokens()}});
  std::cout << found.docs.size() << " documents of " << found.docs.tokens() << " words, " << found.docs.words()
            << " different ones, packed in " << o.output << ".\n"
            << paragraph(
                   "The folder is as sensitive as the documents, and so are these numbers: keep it where they are "
                   "kept, and publish none of it. Only you can read it, unless you change its permissions.");
}

}  // namespace

void add_pack(CLI::App& app) {
  const auto o = std::make_shared<pack_options>();
  CLI::App* const command = app.add_subcommand(
      "pack", "Read documents once, and keep them as a folder that commands open at once, larger than memory perhaps");
  add_input_options(*command, o->input);
  add_label_options(*command, o->input);
  add_unpruned_option(*command, o->input);
  command
      ->add_option("--vocabulary", o->vocabulary,
                   "A public list of words: others are left out. That it is public is taken on your word")
      ->type_name("FILE");
  command->add_option("-o,--output", o->output, "The folder to write")->type_name("FOLDER")->required();
  command->add_flag("--force", o->force, "Replace the output folder");
  command->add_flag("--json", o->as_json, "Print JSON, and no progress");
  command->footer(
      "\nExample:\n  dplda pack letters.csv --text Letter --user Sender -o letters.corpus\n"
      "  dplda fit letters.corpus --epsilon 2 --units 20000 -o topics\n"
      "\nNothing is released and no budget is spent. The folder holds the documents' words and must be kept as they "
      "are:\n"
      "only its owner can read it. Every option of reading is fixed here, and is left out of the commands that read "
      "the\n"
      "folder; they name --group and --time again. Columns of --user, --group and --time are packed with the "
      "documents.\n"
      "\nMemory is needed for all different words and for 8 to 30 bytes a document; documents are collected in files\n"
      "without a name beside the output (--scratch), with three times the room that the folder takes. A gzipped file,\n"
      "a text in another encoding, and counts that are out of the order of documents must fit into memory.");
  command->callback([o] { pack(*o); });
}

}  // namespace dplda_program
