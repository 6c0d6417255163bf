// SPDX-License-Identifier: Apache-2.0
// Results of fixed seeds, to compare two machines (cross.sh): a name and a number in each line. Integers are the same on
// every machine. Doubles, which have a decimal point, may differ by rounding.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/vector_math.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/random/discrete.hpp>
#include <dplda/random/floored_gaussian.hpp>
#include <dplda/random/source.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

class digest {
 public:
  void add(std::uint64_t x) { value_ = (value_ ^ x) * 0x9E3779B97F4A7C15u, value_ ^= value_ >> 29; }
  void print(const char* name) const { std::printf("%s %llu\n", name, static_cast<unsigned long long>(value_)); }

 private:
  std::uint64_t value_ = 1;
};

template <class Draw>
void print_draws(const char* name, Draw draw) {
  auto bits = dplda::seeded_random(1).stream("platforms");
  digest all;
  for (int i = 0; i < 20000; ++i) all.add(static_cast<std::uint64_t>(draw(bits)));
  all.print(name);
}

void print_topics(const char* name, const dplda::topic_model<>& topics) {
  for (Eigen::Index i = 0; i < topics.phi().rows(); ++i) {
    for (Eigen::Index j = 0; j < topics.phi().cols(); j += 17) std::printf("%s %.17e\n", name, topics.phi()(i, j));
  }
}

}  // namespace

int main() {
  print_draws("chacha20", [](auto& bits) { return bits(); });
  print_draws("floored_gaussian", [](auto& bits) { return dplda::floored_gaussian(bits, 40); });
  print_draws("floored_laplace", [](auto& bits) { return dplda::floored_laplace(bits, 1u << 30); });
  print_draws("discrete_gaussian", [](auto& bits) { return dplda::discrete_gaussian(bits, 12345); });
  print_draws("discrete_laplace", [](auto& bits) { return dplda::discrete_laplace(bits, 12345); });

  std::vector<double> x;
  for (int i = 1; i <= 500; ++i) x.push_back(0.01 * i * i);
  dplda::vector_exp_digamma<double>(x, x);
  for (const double y : x) std::printf("exp_digamma %.17e\n", y);

  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{1.5}, .sampling = dplda::poisson_sample{0.01}}, 1000);
  for (const auto rule : {dplda::accountant::rdp, dplda::accountant::pld})
    std::printf("epsilon %.17e\n", dplda::ledger_epsilon(book, 1e-6, rule).upper);

  const auto data = dplda::synthetic_lda({.documents = 2000, .words = 300, .topics = 5}, dplda::seeded_random(1));
  digest tokens;
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    for (const auto word : data.docs[d].words) tokens.add(word);
    for (const auto count : data.docs[d].counts) tokens.add(count);
  }
  tokens.print("synthetic_corpus");
  auto random = dplda::seeded_random(2);
  const dplda::private_svi learner({.topics = 5, .units = 2000, .words = 300}, {.epsilon = 4, .delta = 1e-6});
  print_topics("private_svi", learner.fit(data.docs, random).value());
  print_topics("svi", dplda::svi({.topics = 5}).fit(data.docs, random));
  print_topics("gibbs", dplda::gibbs({.topics = 5, .burn_in = 20, .samples = 2}).fit(data.docs, random));
}
