// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/spectral.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "support/catch.hpp"
#include "support/tiny.hpp"

using dplda::corpus;
using dplda::moment_products;
using dplda::seeded_random;
using dplda::spectral;
using dplda::spectral_moments;
using dplda::symmetric_tensor;
using dplda::tensor_method;
using dplda::detail::multiplied;
using dplda::detail::tall_matrix;
using dplda::detail::transposed;
using dplda_tests::make_corpus;

namespace {

// The moments by their definition, with loops over tokens and documents. Tensors are flat: (i, j, k) at
// (i V + j) V + k.
struct brute_force {
  Eigen::VectorXd m1;
  Eigen::MatrixXd m2;
  Eigen::VectorXd m3;
};

brute_force of_document(const std::vector<dplda::word_id>& tokens, Eigen::Index v) {
  brute_force m{Eigen::VectorXd::Zero(v), Eigen::MatrixXd::Zero(v, v), Eigen::VectorXd::Zero(v * v * v)};
  double triples = 0;
  for (std::size_t r = 0; r < tokens.size(); ++r) {
    for (std::size_t s = 0; s < tokens.size(); ++s) {
      for (std::size_t t = 0; t < tokens.size(); ++t) {
        if (r == s || s == t || r == t) continue;
        const Eigen::Index i = tokens[r], j = tokens[s], k = tokens[t];
        m.m1[i] += 1;
        m.m2(i, j) += 1;
        m.m3[(i * v + j) * v + k] += 1;
        triples += 1;
      }
    }
  }
  if (triples > 0) {
    m.m1 /= triples;
    m.m2 /= triples;
    m.m3 /= triples;
  }
  return m;
}

brute_force of_corpus(const std::vector<std::vector<dplda::word_id>>& docs, std::size_t words, double alpha0,
                      bool distinct) {
  const auto v = static_cast<Eigen::Index>(words);
  const double a = alpha0 / (alpha0 + 1), b = alpha0 / (alpha0 + 2),
               c = 2 * alpha0 * alpha0 / ((alpha0 + 1) * (alpha0 + 2));
  std::vector<brute_force> parts;
  for (const auto& doc : docs) parts.push_back(of_document(doc, v));
  const auto n = static_cast<double>(docs.size());
  brute_force sum = of_document({}, v);
  const double pairs = distinct ? n * (n - 1) : n * n, triples = distinct ? pairs * (n - 2) : n * n * n;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    sum.m1 += parts[p].m1 / n;
    sum.m2 += parts[p].m2 / n;
    sum.m3 += parts[p].m3 / n;
    for (std::size_t q = 0; q < parts.size(); ++q) {
      if (distinct && q == p) continue;
      sum.m2 -= a / pairs * parts[p].m1 * parts[q].m1.transpose();
      for (Eigen::Index i = 0; i < v; ++i) {
        for (Eigen::Index j = 0; j < v; ++j) {
          for (Eigen::Index k = 0; k < v; ++k) {
            sum.m3[(i * v + j) * v + k] -= b / pairs *
                                           (parts[p].m2(i, j) * parts[q].m1[k] + parts[p].m2(i, k) * parts[q].m1[j] +
                                            parts[p].m2(j, k) * parts[q].m1[i]);
            for (std::size_t r = 0; r < parts.size(); ++r) {
              if (distinct && (r == p || r == q)) continue;
              sum.m3[(i * v + j) * v + k] += c / triples * parts[p].m1[i] * parts[q].m1[j] * parts[r].m1[k];
            }
          }
        }
      }
    }
  }
  return sum;
}

tall_matrix normal_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  auto bits = seeded_random(seed).stream("test");
  tall_matrix m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = dplda::normal(bits);
  return m;
}

Eigen::MatrixXd random_frame(Eigen::Index size, std::uint64_t seed) {
  return dplda::detail::orthonormal_columns(normal_matrix(size, size, seed));
}

// columns diag(weights) columns'.
Eigen::MatrixXd weighted_square(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weights) {
  Eigen::MatrixXd scaled = columns;
  for (Eigen::Index i = 0; i < scaled.cols(); ++i) scaled.col(i) *= weights[i];
  return multiplied(scaled, transposed(columns));
}

double distance(const Eigen::MatrixXd& one, const Eigen::MatrixXd& two) { return (one - two).norm(); }

Eigen::MatrixXd identity(Eigen::Index size) { return Eigen::MatrixXd::Identity(size, size); }

// W' x.
Eigen::VectorXd whitened(const tall_matrix& whitening, const Eigen::VectorXd& x) {
  return multiplied(transposed(whitening), x);
}

double worst_topic(const dplda::topic_model<double>& model, const dplda::topic_model<double>& truth) {
  const auto aligned = dplda::select_topics(model, dplda::align_topics(model, truth));
  const auto l1 = dplda::distance_per_topic(aligned, truth, dplda::topic_distance::l1);
  return *std::max_element(l1.begin(), l1.end());
}

// The one kind of products that top_eigenpairs is compiled for here.
std::function<tall_matrix(const tall_matrix&)> applied(const Eigen::MatrixXd& matrix) {
  return [matrix](const tall_matrix& x) { return tall_matrix(multiplied(matrix, x)); };
}

// d = 50, k = 5, uniform alpha.
dplda::synthetic_data figure_two(std::size_t documents, double alpha0, std::uint64_t seed) {
  return dplda::synthetic_lda({.documents = documents,
                               .words = 50,
                               .topics = 5,
                               .alpha = alpha0 / 5,
                               .topic_concentration = 0.1,
                               .zipf_exponent = 0,
                               .mean_length = 100},
                              seeded_random(seed));
}

}  // namespace

TEST_CASE("moments are averages over distinct tokens", "[spectral]") {
  auto bits = seeded_random(1).stream("test");
  for (int round = 0; round < 12; ++round) {
    const std::size_t words = 2 + dplda::uniform_below(bits, 4), n = 3 + dplda::uniform_below(bits, 4);
    std::vector<std::vector<dplda::word_id>> docs(n);
    for (auto& doc : docs) {
      doc.resize(dplda::uniform_below(bits, 8));  // some are too short
      for (auto& word : doc) word = static_cast<dplda::word_id>(dplda::uniform_below(bits, words));
    }
    docs[1] = {0, 1, 1, 0};
    const double alpha0 = std::exp(dplda::normal(bits));
    const auto v = static_cast<Eigen::Index>(words);
    const tall_matrix x = normal_matrix(v, 3, 100 + static_cast<std::uint64_t>(round));
    for (const auto products : {moment_products::plug_in, moment_products::unbiased}) {
      const auto expected = of_corpus(docs, words, alpha0, products == moment_products::unbiased);
      const spectral_moments moments(make_corpus(docs, words), alpha0, products, n, 1);
      REQUIRE((moments.first() - expected.m1).norm() < 1e-14);
      REQUIRE(distance(moments.second(x), multiplied(expected.m2, x)) < 1e-13);
      const symmetric_tensor third = moments.third(x);
      for (Eigen::Index a = 0; a < 3; ++a) {
        for (Eigen::Index b = 0; b < 3; ++b) {
          for (Eigen::Index c = 0; c < 3; ++c) {
            double value = 0;
            for (Eigen::Index i = 0; i < v * v * v; ++i) {
              value += expected.m3[i] * x(i / (v * v), a) * x(i / v % v, b) * x(i % v, c);
            }
            REQUIRE(third(static_cast<std::size_t>(a), static_cast<std::size_t>(b), static_cast<std::size_t>(c)) ==
                    Catch::Approx(value).margin(1e-12));
          }
        }
      }
    }
  }
}

TEST_CASE("the count is the number of documents with three tokens, or a public number", "[spectral]") {
  const corpus docs = make_corpus({{0, 1, 1}, {}, {0}, {0, 0, 0, 1}, {1, 0}, {1, 1, 1}}, 2);
  const corpus longer = make_corpus({{0, 1, 1}, {0, 0, 0, 1}, {1, 1, 1}}, 2);
  const spectral_moments all(docs, 1), only(longer, 1), counted(docs, 1, moment_products::plug_in, 12);
  CHECK(all.count() == 3);
  CHECK(all.used() == 3);
  CHECK(all.first() == only.first());
  CHECK(counted.count() == 12);
  CHECK((4 * counted.first() - all.first()).norm() < 1e-15);
  CHECK_THROWS_WITH(spectral_moments(docs, 1, moment_products::plug_in, 2),
                    "dplda::spectral_moments: count is 2, but must be at least the number of documents with at least 3 "
                    "tokens, 3");
  CHECK_THROWS_AS(spectral_moments(make_corpus({{0, 0}, {1}}, 2), 1, moment_products::plug_in), std::invalid_argument);
  CHECK_THROWS_WITH(spectral_moments(make_corpus({{0, 0, 1}, {1, 1, 1}}, 2), 1),
                    "dplda::spectral_moments: count is 2, but must be at least 3 for averages over distinct documents");
  CHECK(spectral_moments(make_corpus({{0, 0, 1}}, 2), 1, moment_products::plug_in).count() == 1);
}

TEST_CASE("averages over distinct documents are unbiased", "[spectral]") {
  // All corpora of three documents of one length over two words, weighted by their probability under two topics: the
  // mean of M2 must be that of the model.
  const double alpha0 = 1.5, phi[2] = {0.9, 0.2}, share[2] = {1.0 / 3, 2.0 / 3};
  // A document is one of four token sequences' classes: number of word 0 among three tokens.
  double p[4] = {};
  const double alpha[2] = {alpha0 * share[0], alpha0 * share[1]};
  for (int z = 0; z < 8; ++z) {
    double topics = 1, seen[2] = {0, 0};
    for (int t = 0; t < 3; ++t) {
      const int k = z >> t & 1;
      topics *= (alpha[k] + seen[k]) / (alpha0 + t);
      seen[k] += 1;
    }
    for (int w = 0; w < 8; ++w) {
      double words = topics;
      int zeros = 0;
      for (int t = 0; t < 3; ++t) {
        const double first = phi[z >> t & 1];
        words *= (w >> t & 1) != 0 ? first : 1 - first;
        zeros += w >> t & 1;
      }
      p[zeros] += words;
    }
  }
  Eigen::MatrixXd second = Eigen::MatrixXd::Zero(2, 2), expected = second;
  Eigen::MatrixXd third = Eigen::MatrixXd::Zero(4, 2);
  const tall_matrix unit = identity(2);
  for (int i = 0; i < 64; ++i) {
    std::vector<std::vector<dplda::word_id>> docs;
    double weight = 1;
    for (const int zeros : {i & 3, i >> 2 & 3, i >> 4 & 3}) {
      std::vector<dplda::word_id> doc(3, 1);
      std::fill_n(doc.begin(), zeros, 0u);
      docs.push_back(doc);
      weight *= p[zeros];
    }
    const spectral_moments moments(make_corpus(docs, 2), alpha0);
    second += weight * moments.second(unit);
    third += weight * moments.third(unit).entries();
  }
  symmetric_tensor cubes(2);
  for (int k = 0; k < 2; ++k) {
    const Eigen::Vector2d mu(phi[k], 1 - phi[k]);
    expected += share[k] / (alpha0 + 1) * mu * mu.transpose();
    cubes.add_cube(mu, 2 * share[k] / ((alpha0 + 1) * (alpha0 + 2)));
  }
  CHECK((second - expected).norm() < 1e-14);
  CHECK((third - cubes.entries()).norm() < 1e-14);
}

TEST_CASE("eigenpairs of small symmetric matrices", "[spectral]") {
  const auto check = [](const Eigen::MatrixXd& matrix, double tolerance) {
    const Eigen::Index n = matrix.rows();
    Eigen::MatrixXd lower = matrix;  // the rest must not be read
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index i = 0; i < j; ++i) lower(i, j) = std::nan("");
    }
    const auto found = dplda::detail::eigen_of(lower);
    REQUIRE(found.values.size() == n);
    CHECK(distance(multiplied(transposed(found.vectors), found.vectors), identity(n)) < 1e-13 * static_cast<double>(n));
    CHECK(distance(weighted_square(found.vectors, found.values), matrix) <= tolerance * matrix.norm());
    CHECK(std::is_sorted(found.values.begin(), found.values.end()));
    return found.values;
  };
  for (const Eigen::Index n : {1, 2, 3, 10, 61, 150}) {
    CAPTURE(n);
    const Eigen::MatrixXd frame = random_frame(n, 6);
    check(weighted_square(frame, Eigen::VectorXd::LinSpaced(n, -2, 3)), 1e-13);
    check(weighted_square(frame, Eigen::VectorXd::Ones(n)), 1e-13);
    Eigen::VectorXd graded(n);  // from 1 to 1e-30
    for (Eigen::Index i = 0; i < n; ++i)
      graded[i] = std::pow(10, -30 * static_cast<double>(i) / static_cast<double>(n));
    check(weighted_square(frame, graded), 1e-13);
    // Near the ends of what a double holds.
    check(1e300 * weighted_square(frame, graded), 1e-13);
    check(1e-290 * weighted_square(frame, graded), 1e-13);
    check(Eigen::MatrixXd::Zero(n, n), 0);
    check(graded.asDiagonal(), 0);
    check(Eigen::MatrixXd::Ones(n, n), 1e-13);
  }
  // 2 on the diagonal and -1 beside it: the eigenvalues are 2 - 2 cos(i pi/(n + 1)).
  Eigen::MatrixXd chain = 2 * identity(40);
  for (Eigen::Index i = 0; i + 1 < 40; ++i) chain(i, i + 1) = chain(i + 1, i) = -1;
  const Eigen::VectorXd values = check(chain, 1e-14);
  for (Eigen::Index i = 0; i < 40; ++i) {
    CHECK(values[i] ==
          Catch::Approx(2 - 2 * std::cos(static_cast<double>(i + 1) * std::acos(-1.0) / 41)).margin(1e-13));
  }
  // NaN must not loop forever.
  CHECK(dplda::detail::eigen_of(Eigen::MatrixXd::Constant(9, 9, std::nan(""))).values.size() == 9);
}

TEST_CASE("leading eigenpairs of a matrix known by its products", "[spectral]") {
  const auto check = [](const Eigen::VectorXd& spectrum, std::size_t count) {
    const Eigen::Index n = spectrum.size();
    const Eigen::MatrixXd matrix = weighted_square(random_frame(n, 5), spectrum);
    const auto found = dplda::top_eigenpairs(applied(matrix), static_cast<std::size_t>(n), count, seeded_random(3),
                                             {.tolerance = 1e-11, .iterations = 2000});
    Eigen::VectorXd sorted = spectrum;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const auto k = static_cast<Eigen::Index>(count);
    const double scale = spectrum.cwiseAbs().maxCoeff();
    CHECK((found.values - sorted.head(k)).norm() < 1e-9 * scale);
    CHECK(distance(multiplied(transposed(found.vectors), found.vectors), identity(k)) < 1e-10);
    Eigen::MatrixXd scaled = found.vectors;
    for (Eigen::Index j = 0; j < k; ++j) scaled.col(j) *= found.values[j];
    CHECK(distance(multiplied(matrix, found.vectors), scaled) < 1e-9 * scale);
    for (Eigen::Index j = 0; j < k; ++j) {
      CHECK(found.vectors.col(j).maxCoeff() == found.vectors.col(j).cwiseAbs().maxCoeff());
    }
    return found.iterations;
  };
  Eigen::VectorXd spectrum = Eigen::VectorXd::LinSpaced(200, -1, 1);
  CHECK(check(spectrum, 3) < 200);
  spectrum[0] = -50;  // largest in size, and not wanted
  check(spectrum, 5);
  spectrum.tail(20).setConstant(2);  // more equal ones than a block has columns
  check(spectrum, 17);
  spectrum.setZero();
  spectrum.tail(50).setConstant(1);
  spectrum.tail(20).setConstant(2);  // the same, where the first Krylov space is soon closed
  check(spectrum, 17);
  spectrum.setZero();
  spectrum.tail(3) << 1e-3, 1, 1e3;  // of low rank
  check(spectrum, 5);
  check(Eigen::VectorXd::LinSpaced(9, -3, 5), 9);
  check(Eigen::VectorXd::LinSpaced(12, -3, 5), 7);
  check(Eigen::VectorXd::Constant(1, 4), 1);
  CHECK_THROWS_WITH(dplda::top_eigenpairs(applied(identity(3)), 3, 4, seeded_random(1)),
                    "dplda::top_eigenpairs: count is 4, but must lie in [1, 3]");
}

TEST_CASE("more equal eigenvalues than a block holds are found, and no restart is stuck", "[spectral]") {
  // A check by few products missed the ninth of nine; restarts that forgot residuals never ended.
  constexpr Eigen::Index size = 2000;
  struct sample {
    Eigen::Index equal;
    double next;
    double apart = 0;  // one of the nearly equal from the other
  };
  for (const auto& [equal, next, apart] :
       {sample{9, 0.99}, {10, 0.95}, {20, 0.9}, {9, 0.99, 1e-11}, {9, 0.99, 1e-8}, {10, 0.95, 1e-6}}) {
    Eigen::VectorXd spectrum(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const auto place = static_cast<double>(i);
      spectrum[i] = i < equal ? 1 - apart * place : next * std::pow(0.98, place - static_cast<double>(equal));
    }
    const auto apply = [&](const dplda::detail::tall_matrix& x) {
      dplda::detail::tall_matrix y = x;
      for (Eigen::Index row = 0; row < size; ++row) dplda::detail::scale(spectrum[row], &y(row, 0), y.cols());
      return y;
    };
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto found = dplda::top_eigenpairs(apply, size, static_cast<std::size_t>(equal), seeded_random(seed));
      CHECK((found.values - spectrum.head(equal)).cwiseAbs().maxCoeff() < 1e-8);
      CHECK(found.residual < 1e-9);
      CHECK(found.iterations < 300);
    }
  }
}

TEST_CASE("eigenvectors stay orthogonal where one value is large and the others fall slowly", "[spectral]") {
  // With one round of orthogonalisation the basis lost its orthogonality from block to block, and the values were wrong.
  for (const double power : {0.3, 0.5, 1.0}) {
    constexpr Eigen::Index size = 300, count = 20;
    Eigen::VectorXd diagonal(size);
    for (Eigen::Index i = 0; i < size; ++i) diagonal[i] = i == 0 ? 50 : std::pow(static_cast<double>(i), -power);
    const auto apply = [&](const tall_matrix& x) { return tall_matrix(diagonal.asDiagonal() * x); };
    auto random = seeded_random(1);
    const auto found = dplda::top_eigenpairs(apply, size, count, random.fork(), {.tolerance = 1e-9});
    CAPTURE(power);
    CHECK((found.values - diagonal.head(count)).cwiseAbs().maxCoeff() < 1e-7);
    const Eigen::MatrixXd gram = found.vectors.transpose() * found.vectors;
    CHECK((gram - Eigen::MatrixXd::Identity(count, count)).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("orthogonal tensors are decomposed", "[spectral]") {
  for (const auto method : {tensor_method::simultaneous, tensor_method::deflation}) {
    for (const Eigen::Index k : {1, 2, 5, 12}) {
      const Eigen::MatrixXd frame = random_frame(k, 7);
      for (const double spread : {0.0, 0.5}) {  // equal values are no harder
        symmetric_tensor tensor(static_cast<std::size_t>(k));
        for (Eigen::Index i = 0; i < k; ++i) tensor.add_cube(frame.col(i), 2 + spread * static_cast<double>(k - i));
        const auto found = dplda::decompose(tensor, seeded_random(4), {.method = method});
        const Eigen::MatrixXd overlap = multiplied(transposed(frame), found.vectors);
        for (Eigen::Index i = 0; i < k; ++i) {
          CHECK(overlap.row(i).maxCoeff() == Catch::Approx(1).margin(1e-9));
          CHECK(found.values[i] == Catch::Approx(2 + spread * static_cast<double>(k - i)).margin(1e-9));
        }
        if (spread > 0) CHECK(distance(overlap, identity(k)) < 1e-8);
      }
    }
  }
}

TEST_CASE("both decompositions agree on a noisy tensor", "[spectral]") {
  const Eigen::Index k = 8;
  const Eigen::MatrixXd frame = random_frame(k, 9);
  symmetric_tensor tensor(8);
  for (Eigen::Index i = 0; i < k; ++i) tensor.add_cube(frame.col(i), 1 + 0.2 * static_cast<double>(k - i));
  auto bits = seeded_random(3).stream("test");
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = a; b < 8; ++b) {
      for (std::size_t c = b; c < 8; ++c) tensor.set(a, b, c, tensor(a, b, c) + 0.005 * dplda::normal(bits));
    }
  }
  const auto together = dplda::decompose(tensor, seeded_random(1));
  const auto single = dplda::decompose(tensor, seeded_random(1), {.method = tensor_method::deflation});
  CHECK((together.vectors - single.vectors).colwise().norm().maxCoeff() < 0.05);
  CHECK((together.vectors - frame).colwise().norm().maxCoeff() < 0.05);
  CHECK(distance(multiplied(transposed(together.vectors), together.vectors), identity(k)) < 1e-12);
  CHECK((together.values - single.values).cwiseAbs().maxCoeff() < 0.01);
  const auto threaded = dplda::decompose(tensor, seeded_random(1), {}, 3);
  CHECK(threaded.vectors == together.vectors);
}

TEST_CASE("exact moments give exact parameters", "[spectral]") {
  for (const double alpha0 : {0.1, 1.0, 6.0}) {
    const Eigen::Index v = 30, k = 4;
    Eigen::MatrixXd mu = normal_matrix(v, k, 11).array().exp();
    for (Eigen::Index i = 0; i < k; ++i) mu.col(i) /= mu.col(i).sum();
    const Eigen::VectorXd share = Eigen::Vector4d(0.1, 0.2, 0.3, 0.4), first = multiplied(mu, share);
    const Eigen::MatrixXd second = weighted_square(mu, share / (alpha0 + 1));
    const auto pairs = dplda::top_eigenpairs(applied(second), 30, 4, seeded_random(1), {.tolerance = 1e-13});
    const tall_matrix whitening = dplda::whitening_matrix(pairs);
    CHECK(distance(multiplied(transposed(whitening), multiplied(second, whitening)), identity(k)) < 1e-9);
    CHECK(whitened(whitening, first).squaredNorm() == Catch::Approx(alpha0 + 1).epsilon(1e-9));
    symmetric_tensor third(4);
    for (Eigen::Index i = 0; i < k; ++i) {
      third.add_cube(whitened(whitening, mu.col(i)), 2 * share[i] / ((alpha0 + 1) * (alpha0 + 2)));
    }
    const auto parameters = dplda::recover_parameters(alpha0, pairs, dplda::decompose(third, seeded_random(2)));
    // Large eigenvalues, and so small alpha, come first.
    CHECK((parameters.alpha - alpha0 * share).norm() < 1e-7);
    CHECK((parameters.topics.transpose() - mu).cwiseAbs().maxCoeff() < 1e-8);
  }
}

TEST_CASE("spectral LDA recovers the topics of a synthetic corpus", "[spectral]") {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto data = figure_two(10'000, 1, seed);
    for (const auto products : {moment_products::unbiased, moment_products::plug_in}) {
      auto random = seeded_random(7);
      const auto state = spectral<>({.topics = 5, .alpha0 = 1, .products = products}).fit_state(data.docs, random);
      CHECK(worst_topic(state.model(), data.model) < 0.02);
      CHECK((state.parameters().alpha.array() - 0.2).abs().maxCoeff() < 0.02);
      const tall_matrix whitening = dplda::whitening_matrix(state.second());
      CHECK(whitened(whitening, state.first()).squaredNorm() == Catch::Approx(2).epsilon(0.005));
      CHECK((state.parameters().topics.rowwise().sum().array() - 1).abs().maxCoeff() < 0.02);
    }
    auto random = seeded_random(7);
    const spectral<> deflation({.topics = 5, .alpha0 = 1, .tensor = {.method = tensor_method::deflation}});
    CHECK(worst_topic(deflation.fit(data.docs, random), data.model) < 0.025);
  }
}

TEST_CASE("short documents are left out", "[spectral]") {
  const auto data = figure_two(600, 0.5, 4);
  dplda::corpus_builder builder;
  for (std::size_t d = 0; d < data.docs.size(); ++d) {
    const dplda::document doc = data.docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) builder.add(doc.words[n], doc.counts[n]);
    builder.end_document();
    if (d % 3 == 0) {
      for (std::size_t t = 0; t < d % 9 / 3; ++t) builder.add(49);
      builder.end_document();
    }
  }
  const corpus more = builder.build(data.docs.vocab());
  CHECK(more.size() == 800);
  const spectral<> learner({.topics = 5, .alpha0 = 0.5});
  auto one = seeded_random(1), two = seeded_random(1);
  CHECK((learner.fit(data.docs, one).phi() - learner.fit(more, two).phi()).cwiseAbs().maxCoeff() < 1e-7);
}

TEMPLATE_TEST_CASE("the number of threads changes no bit of spectral LDA", "[spectral]", float, double) {
  const auto data = dplda::synthetic_lda(
      {.documents = 1500, .words = 1300, .topics = 4, .length = dplda::length_law::log_normal}, seeded_random(2));
  dplda::spectral_options options{.topics = 6, .alpha0 = 0.4, .threads = 1};
  auto random = seeded_random(9);
  const auto one = spectral<TestType>(options).fit(data.docs, random);
  for (const std::size_t threads : {2u, 5u}) {
    options.threads = threads;
    auto again = seeded_random(9);
    const auto many = spectral<TestType>(options).fit(data.docs, again);
    CHECK(many.phi() == one.phi());
    CHECK(many.alpha() == one.alpha());
  }
}

TEST_CASE("spectral LDA fits corpora of unusual shape", "[spectral]") {
  const auto fit = [](const corpus& docs, const dplda::spectral_options& options) {
    auto random = seeded_random(1);
    return spectral<>(options).fit(docs, random);
  };
  SECTION("one topic") {
    const auto data = dplda::synthetic_lda({.documents = 3000, .words = 20, .topics = 1}, seeded_random(3));
    const auto model = fit(data.docs, {.topics = 1, .alpha0 = 0.1});
    CHECK(worst_topic(model, data.model) < 0.02);
    CHECK(model.alpha()[0] == Catch::Approx(0.1).epsilon(0.02));
  }
  SECTION("as many topics as words") {
    const auto model = fit(make_corpus({{0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, 3),
                           {.topics = 3, .alpha0 = 1e-3});
    CHECK((model.phi().rowwise().maxCoeff().array() > 0.99).all());
    CHECK((model.phi().colwise().maxCoeff().array() > 0.99).all());
  }
  SECTION("more topics than words") {
    CHECK_THROWS_WITH(fit(make_corpus({{0, 1, 1}, {0, 0, 1}, {0, 0, 0}}, 2), {.topics = 3}),
                      "dplda::spectral: topics is 3, but must be at most the vocabulary's size, 2");
  }
  SECTION("more topics than the second moment shows") {
    CHECK_THROWS_WITH(fit(make_corpus({{0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}, 5), {.topics = 3, .alpha0 = 0.1}),
                      "dplda::spectral: number of topics is 3, but must be at most 2, the number of positive "
                      "eigenvalues of the second moment");
  }
  SECTION("unused words have no probability to speak of") {
    const auto model = fit(make_corpus({{0, 0, 1, 1}, {2, 2, 3, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}, 6), {.topics = 2});
    CHECK(model.phi().rightCols(2).maxCoeff() < 1e-9);
  }
  SECTION("very long documents") {
    dplda::corpus_builder builder;
    for (dplda::word_id d = 0; d < 6; ++d) {
      builder.add(d % 3, 4'000'000'000u);
      builder.add(3, 1);
      builder.end_document();
    }
    const auto model = fit(builder.build(dplda::numbered_vocabulary(4)), {.topics = 3, .alpha0 = 1e-3});
    CHECK((model.phi().rowwise().maxCoeff().array() > 0.99).all());
  }
  SECTION("a corpus without structure") {
    const auto data =
        dplda::synthetic_lda({.documents = 40, .words = 60, .topics = 1, .mean_length = 8}, seeded_random(8));
    CHECK(fit(data.docs, {.topics = 6}).topics() == 6);  // topic_model refuses what is not a distribution
  }
}

TEST_CASE("the simplex projection is the nearest distribution", "[spectral]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Eigen::VectorXd x = 3 * normal_matrix(1 + static_cast<Eigen::Index>(seed) % 7, 1, seed);
    const Eigen::VectorXd point = dplda::project_to_simplex(x);
    REQUIRE(point.minCoeff() >= 0);
    REQUIRE(point.sum() == Catch::Approx(1).epsilon(1e-14));
    // The condition of optimality: no corner lies on the side of x.
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      REQUIRE((x - point).dot(Eigen::VectorXd::Unit(x.size(), i) - point) < 1e-12);
    }
    const Eigen::VectorXd other = x + 0.1 * normal_matrix(x.size(), 1, seed + 1000);
    REQUIRE((dplda::project_to_simplex(other) - point).norm() <= (other - x).norm() + 1e-14);
  }
  const Eigen::Vector3d already(0.2, 0.3, 0.5);
  CHECK((dplda::project_to_simplex(already) - already).norm() < 1e-15);
  // Far from the simplex: numbers so large that 1 is lost beside them, and all of them alike.
  CHECK(dplda::project_to_simplex(Eigen::Vector3d(1e20, -1e20, 0)) == Eigen::Vector3d(1, 0, 0));
  CHECK(dplda::project_to_simplex(Eigen::Vector4d::Constant(-1e300)) == Eigen::Vector4d::Constant(0.25));
}

TEST_CASE("the observer of spectral LDA sees its steps", "[spectral]") {
  const auto data = figure_two(300, 1, 5);
  std::size_t calls = 0;
  auto random = seeded_random(1);
  spectral<>({.topics = 3}).fit(data.docs, random, [&](const dplda::progress& p) {
    CHECK(p.step == ++calls);
    CHECK(p.steps == 4);
    return false;
  });
  CHECK(calls == 4);
}

TEST_CASE("spectral LDA refuses options out of range and names them", "[spectral]") {
  CHECK_THROWS_WITH(spectral<>({.topics = 0}), "dplda::spectral: topics is 0, but must be at least 1");
  CHECK_THROWS_AS(spectral<>({.topics = 1001}), std::invalid_argument);
  CHECK_THROWS_WITH(spectral<>({.alpha0 = 0}), "dplda::spectral: alpha0 is 0, but must be positive and finite");
  CHECK_THROWS_AS(spectral<>({.alpha0 = std::nan("")}), std::invalid_argument);
  CHECK_THROWS_WITH(spectral<>({.tensor = {.restarts = 0}}), "dplda::spectral: restarts is 0, but must be at least 1");
  CHECK_THROWS_AS(spectral<>({.tensor = {.iterations = 0}}), std::invalid_argument);
  CHECK_THROWS_AS(spectral<>({.tensor = {.tolerance = -1}}), std::invalid_argument);
  CHECK_THROWS_AS(spectral<>({.eigen_tolerance = 0}), std::invalid_argument);
  CHECK_THROWS_AS(spectral<>({.eigen_iterations = 0}), std::invalid_argument);
  auto random = seeded_random(1);
  CHECK_THROWS_WITH(spectral<>().fit(corpus(), random),
                    "dplda::spectral_moments: vocabulary is empty, but must have at least 1 word");
  CHECK_THROWS_WITH(spectral<>().fit(make_corpus({}, 2), random),
                    "dplda::spectral_moments: number of documents with at least 3 tokens is 0, but must be at least 1");
  CHECK_THROWS_AS(symmetric_tensor(0), std::invalid_argument);
  CHECK_THROWS_AS(dplda::recover_parameters(-1, {}, {}), std::invalid_argument);
}
