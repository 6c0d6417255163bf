// SPDX-License-Identifier: Apache-2.0
// The program for the debugger test: printers_test.sh stops in `stop` and prints the variables of `main`.
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/corpus.hpp>

void stop();
void stop() {}

int main() {
  dplda::vocabulary_builder words;
  dplda::corpus_builder builder;
  builder.add(words.add("ferry"), 2);
  builder.add(words.add("harbour"));
  builder.end_document();
  builder.end_document();
  builder.add(words.add("bread"), 3);
  builder.end_document();
  builder.set_users({0, 1, 0}, 2);
  dplda::ledger spent;
  spent.record({.noise = dplda::gaussian_noise{1.5}, .sampling = dplda::poisson_sample{0.25}, .label = "topics"}, 20);
  spent.record({.noise = dplda::approximate_dp{0.5}});
  spent.mark_seeded();
  const dplda::corpus docs = dplda::declare_unpruned(builder.build(words.build()));
  const dplda::guarantee promised{.epsilon = 1.25, .delta = 0.5, .accountant = dplda::accountant::pld, .gamma = 0.125};
  stop();
}
