// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/recovery.hpp>
#include <dplda/inference/spectral/sensitivity.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/tiny.hpp"

using dplda::moment_products;
using dplda::seeded_random;
using dplda::spectral_moments;
using dplda::symmetric_tensor;
using dplda_tests::make_corpus;

namespace {

using documents = std::vector<std::vector<dplda::word_id>>;

// All of M2 and M3 of a tiny corpus; tests/inference/spectral_test.cpp holds them against their definition.
struct dense_moments {
  Eigen::VectorXd first;
  Eigen::MatrixXd second;
  Eigen::MatrixXd third;  // V^2 x V
};

dense_moments moments_of(const documents& docs, std::size_t words, double alpha0, moment_products products) {
  const spectral_moments moments(make_corpus(docs, words), alpha0, products, docs.size(), 1);
  const auto v = static_cast<Eigen::Index>(words);
  const dplda::detail::tall_matrix identity = dplda::detail::tall_matrix::Identity(v, v);
  return {moments.first(), moments.second(identity), moments.third(identity).entries()};
}

// The change caused by one document divided by its bound; at most 1.
struct ratios {
  std::array<double, 3> averages{};  // of m1, m2 and m3
  double m1 = 0, m2_l1 = 0, m2_frobenius = 0, m2_triangle = 0, m2_operator = 0, m3_l1 = 0, m3_frobenius = 0;

  double largest() const {
    return std::max({averages[0], averages[1], averages[2], m1, m2_l1, m2_frobenius, m2_triangle, m2_operator, m3_l1,
                     m3_frobenius});
  }
};

struct bounds {
  double m2_l1, m2_frobenius, m2_triangle, m2_operator, m3_l1, m3_frobenius;
};

bounds bounds_of(double alpha0, std::size_t n) {
  return {dplda::m2_l1_sensitivity(alpha0, n),       dplda::m2_frobenius_sensitivity(alpha0, n),
          dplda::m2_triangle_sensitivity(alpha0, n), dplda::m2_operator_sensitivity(alpha0, n),
          dplda::m3_l1_sensitivity(alpha0, n),       dplda::m3_frobenius_sensitivity(alpha0, n)};
}

ratios compare(documents docs, const std::vector<dplda::word_id>& other, std::size_t words, double alpha0,
               moment_products products, const bounds& most) {
  const std::size_t n = docs.size();
  // With alpha0 next to 0 the moments are plain averages.
  const auto plain = [&] { return moments_of(docs, words, 1e-300, moment_products::plug_in); };
  const auto before = moments_of(docs, words, alpha0, products), plain_before = plain();
  docs[0] = other;
  const auto after = moments_of(docs, words, alpha0, products), plain_after = plain();
  const Eigen::MatrixXd d2 = after.second - before.second, d3 = after.third - before.third;
  ratios r;
  const double average = dplda::average_sensitivity(n);
  r.averages = {(plain_after.first - plain_before.first).norm() / average,
                (plain_after.second - plain_before.second).norm() / average,
                (plain_after.third - plain_before.third).norm() / average};
  r.m1 = (after.first - before.first).lpNorm<1>() / dplda::m1_l1_sensitivity(n);
  r.m2_l1 = d2.lpNorm<1>() / most.m2_l1;
  r.m2_frobenius = d2.norm() / most.m2_frobenius;
  const Eigen::MatrixXd upper = d2.triangularView<Eigen::Upper>();
  r.m2_triangle = upper.norm() / most.m2_triangle;
  r.m2_operator = dplda::detail::operator_norm(d2) / most.m2_operator;
  r.m3_l1 = d3.lpNorm<1>() / most.m3_l1;
  r.m3_frobenius = d3.norm() / most.m3_frobenius;
  return r;
}

// Symmetric, with independent normal entries.
symmetric_tensor random_tensor(std::size_t k, dplda::chacha20& bits) {
  symmetric_tensor t(k);
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a; b < k; ++b) {
      for (std::size_t c = b; c < k; ++c) t.set(a, b, c, dplda::normal(bits));
    }
  }
  return t;
}

symmetric_tensor sum(const symmetric_tensor& s, const symmetric_tensor& t, double weight) {
  symmetric_tensor result(s.size());
  for (std::size_t a = 0; a < s.size(); ++a) {
    for (std::size_t b = a; b < s.size(); ++b) {
      for (std::size_t c = b; c < s.size(); ++c) result.set(a, b, c, s(a, b, c) + weight * t(a, b, c));
    }
  }
  return result;
}

Eigen::VectorXd eigenvector_near(const symmetric_tensor& t, Eigen::VectorXd v) {
  for (int i = 0; i < 500; ++i) v = Eigen::VectorXd(t.apply(v)).normalized();
  return v;
}

Eigen::MatrixXd random_frame(Eigen::Index rows, Eigen::Index columns, dplda::chacha20& bits) {
  Eigen::MatrixXd m(rows, rows);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = dplda::normal(bits);
  const Eigen::MatrixXd q = dplda::detail::orthonormal_columns(m);
  return q.leftCols(columns);
}

}  // namespace

TEST_CASE("sensitivities match the derivation", "[spectral]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto close = [](double value) { return Catch::Approx(value).margin(6e-4); };
  CHECK(dplda::average_sensitivity(1) == close(std::sqrt(2.0)));
  CHECK(dplda::m1_l1_sensitivity(4) == close(0.5));
  // alpha0, then l1, Frobenius, triangle and operator of M2, l1 and Frobenius of M3.
  const double table[4][7] = {{0.1, 2.364, 1.426, 1.420, 1.117, 2.623, 1.422},
                              {1, 4, 1.732, 1.581, 1.412, 8, 1.732},
                              {5, 5.333, 2.186, 1.841, 1.785, 17.714, 3.334},
                              {infinity, 6, 2.449, 2, 2, 26, 5.657}};
  for (const auto& row : table) {
    // Times a large count, where the terms in 1/N^2 are gone.
    const std::size_t n = 100'000;
    const bounds b = bounds_of(row[0], n);
    const double values[6] = {b.m2_l1, b.m2_frobenius, b.m2_triangle, b.m2_operator, b.m3_l1, b.m3_frobenius};
    for (std::size_t i = 0; i < 6; ++i) {
      CAPTURE(row[0], i);
      CHECK(1e5 * values[i] == close(row[i + 1]));
    }
  }
  CHECK(dplda::m2_operator_sensitivity(0, 1) == close(1.0787));
  CHECK(dplda::m3_l1_sensitivity(1, 2) == close((8 + 2.0 / 3 / 4) / 2));
  CHECK(dplda::m3_frobenius_sensitivity(1, 1) == close(std::sqrt(3.0) + 1 / (3 * std::sqrt(2.0))));
}

TEST_CASE("closed forms are the maxima over all patterns of tokens", "[spectral]") {
  std::size_t patterns = 0;
  dplda::detail::for_each_pattern<5>([&](const std::array<std::size_t, 5>&) { ++patterns; });
  CHECK(patterns == 52);

  SECTION("M2") {
    const std::vector<double> grid{0, 0.1, 0.3, 0.5, 0.8, 1};
    std::vector<std::array<double, 3>> largest(grid.size(), {0, 0, 0});
    patterns = 0;
    dplda::detail::for_each_pattern<7>([&](const std::array<std::size_t, 7>& words) {
      ++patterns;
      Eigen::MatrixXd d2 = Eigen::MatrixXd::Zero(7, 7), product = d2;
      for (std::size_t s = 0; s < 6; ++s) {
        const double sign = s < 3 ? 1 : -1;
        const auto i = static_cast<Eigen::Index>(words[s]), p = static_cast<Eigen::Index>(words[6]);
        product(i, p) += sign / 3;
        product(p, i) += sign / 3;
        for (std::size_t t = 0; t < 6; ++t) {
          if (t != s && t / 3 == s / 3) d2(i, static_cast<Eigen::Index>(words[t])) += sign / 6;
        }
      }
      for (std::size_t g = 0; g < grid.size(); ++g) {
        const Eigen::MatrixXd d = d2 - grid[g] * product, upper = d.triangularView<Eigen::Upper>();
        largest[g][0] = std::max(largest[g][0], d.lpNorm<1>());
        largest[g][1] = std::max(largest[g][1], d.norm());
        largest[g][2] = std::max(largest[g][2], upper.norm());
      }
    });
    CHECK(patterns == 877);
    for (std::size_t g = 0; g < grid.size(); ++g) {
      const double alpha0 = grid[g] / (1 - grid[g]);
      CHECK(largest[g][0] == Catch::Approx(dplda::m2_l1_sensitivity(alpha0, 1)).epsilon(1e-9));
      CHECK(largest[g][1] == Catch::Approx(dplda::m2_frobenius_sensitivity(alpha0, 1)).epsilon(1e-9));
      CHECK(largest[g][2] == Catch::Approx(dplda::m2_triangle_sensitivity(alpha0, 1)).epsilon(1e-9));
    }
  }

  SECTION("M3") {
    // Tokens 0-2 and 3-5 are the documents, 6-7 and 8-9 the pairs of two others. The square of the norm of d3 - b P + c Q
    // is a polynomial in b and c, so one round serves all alpha0.
    const std::vector<double> grid{1e-3, 0.1, 0.3, 0.45, 0.7, 1, 1.7, 3, 3.5, 5, 10, 100, 1e9};
    std::vector<double> largest(grid.size(), 0);
    patterns = 0;
    std::array<std::array<double, 1000>, 3> parts{};
    dplda::detail::for_each_pattern<10>([&](const std::array<std::size_t, 10>& w) {
      ++patterns;
      for (auto& part : parts) part.fill(0);
      // Adds all six orders of a triple, sharing the weight.
      const auto add = [&](std::array<double, 1000>& part, std::size_t i, std::size_t j, std::size_t k, double weight) {
        weight /= 6;
        for (const std::size_t at : {100 * i + 10 * j + k, 100 * i + 10 * k + j, 100 * j + 10 * i + k,
                                     100 * j + 10 * k + i, 100 * k + 10 * i + j, 100 * k + 10 * j + i}) {
          part[at] += weight;
        }
      };
      for (std::size_t doc = 0; doc < 2; ++doc) {
        const double sign = doc == 0 ? 1 : -1;
        const std::size_t* x = w.data() + 3 * doc;
        add(parts[0], x[0], x[1], x[2], sign);
        for (std::size_t s = 0; s < 3; ++s) {
          // S(X, u) is 3 times the symmetric part of X (x) u.
          for (std::size_t p = 6; p < 10; ++p) add(parts[1], x[s], x[(s + 1) % 3], w[p], 3 * sign / 12);
          for (std::size_t p = 6; p < 10; p += 2) add(parts[1], w[p], w[p + 1], x[s], 3 * sign / 6);
          for (std::size_t p = 6; p < 8; ++p) {
            for (std::size_t q = 8; q < 10; ++q) add(parts[2], w[p], w[q], x[s], 3 * sign / 12);
          }
        }
      }
      double g[3][3] = {};
      for (std::size_t e = 0; e < 1000; ++e) {
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = i; j < 3; ++j) g[i][j] += parts[i][e] * parts[j][e];
        }
      }
      for (std::size_t n = 0; n < grid.size(); ++n) {
        const auto [a, b, c] = dplda::moment_weights::of(grid[n]);
        const double square =
            g[0][0] + b * b * g[1][1] + c * c * g[2][2] - 2 * b * g[0][1] + 2 * c * g[0][2] - 2 * b * c * g[1][2];
        largest[n] = std::max(largest[n], std::sqrt(std::max(0.0, square)));
      }
    });
    CHECK(patterns == 115'975);
    for (std::size_t n = 0; n < grid.size(); ++n) {
      CAPTURE(grid[n]);
      CHECK(1e4 * dplda::m3_frobenius_sensitivity(grid[n], 10'000) == Catch::Approx(largest[n]).epsilon(1e-7));
    }
  }
}

TEST_CASE("no document moves the moments by more than their sensitivities", "[spectral]") {
  auto bits = seeded_random(1).stream("test");
  double highest = 0;
  for (const double alpha0 : {0.05, 1.0, 4.0, 1000.0}) {
    for (std::size_t n = 1; n <= 6; ++n) {
      const bounds most = bounds_of(alpha0, n);
      for (int round = 0; round < 40; ++round) {
        const std::size_t words = 2 + dplda::uniform_below(bits, 4);
        // Half of the documents repeat one word; some are too short to count.
        const auto draw = [&] {
          std::vector<dplda::word_id> doc(dplda::uniform_below(bits, 7));
          const auto only = static_cast<dplda::word_id>(dplda::uniform_below(bits, words));
          const bool mixed = dplda::uniform_below(bits, 2) == 0;
          for (auto& word : doc) word = mixed ? static_cast<dplda::word_id>(dplda::uniform_below(bits, words)) : only;
          return doc;
        };
        documents docs(n);
        for (auto& doc : docs) doc = draw();
        docs.back() = {0, 0, 0, 1};  // the moments of nothing are refused
        const auto other = n == 1 ? std::vector<dplda::word_id>{1, 1, 1} : draw();
        for (const auto products : {moment_products::plug_in, moment_products::unbiased}) {
          if (products == moment_products::unbiased && n < 3) continue;
          const ratios r = compare(docs, other, words, alpha0, products, most);
          REQUIRE(r.largest() <= 1);
          highest = std::max(highest, r.m3_frobenius);
        }
      }
    }
  }
  CHECK(highest > 0.7);  // else the documents were too tame to say much
}

TEST_CASE("the named patterns attain the sensitivities", "[spectral]") {
  for (const double alpha0 : {0.01, 0.2, 1.0, 2.0, 5.0, 50.0}) {
    CAPTURE(alpha0);
    for (const std::size_t n : {3u, 8u}) {
      documents docs(n, {2, 2, 2});
      docs[0] = {0, 0, 0};
      const ratios r = compare(docs, {1, 1, 1}, 3, alpha0, moment_products::unbiased, bounds_of(alpha0, n));
      for (const double average : r.averages) CHECK(average > 1 - 1e-9);
      CHECK(r.m1 > 1 - 1e-9);
      CHECK(r.m2_l1 > 1 - 1e-9);
      CHECK(r.m2_frobenius > 1 - 1e-9);
      CHECK(r.m2_triangle > 1 - 1e-9);
    }
    {
      // Products of averages: as the two documents' own share in the average goes.
      documents docs(400, {2, 2, 2});
      docs[0] = {0, 0, 0};
      const ratios r = compare(docs, {1, 1, 1}, 3, alpha0, moment_products::plug_in, bounds_of(alpha0, 400));
      CHECK(r.m2_frobenius > 0.99);
      CHECK(r.m2_triangle > 0.99);
    }
    // M3 with two other documents. The bound's last term is for products of averages alone.
    const auto c = dplda::moment_weights::of(alpha0).c;
    bounds most = bounds_of(alpha0, 3);
    most.m3_frobenius -= c / (std::sqrt(2.0) * 27);
    most.m3_l1 -= 2 * c / 27;
    double frobenius = 0, l1 = 0;
    for (const documents& others : {documents{{2, 2, 2}, {3, 3, 3}}, {{2, 2, 2}, {2, 2, 2}}, {{0, 0, 0}, {1, 1, 1}}}) {
      const ratios r =
          compare({{0, 0, 0}, others[0], others[1]}, {1, 1, 1}, 4, alpha0, moment_products::unbiased, most);
      CHECK(r.m3_frobenius < 1 + 1e-9);
      frobenius = std::max(frobenius, r.m3_frobenius);
      l1 = std::max(l1, r.m3_l1);
    }
    CHECK(frobenius > 1 - 1e-9);
    CHECK(l1 > 1 - 1e-9);
  }
}

TEST_CASE("a corpus attains the operator sensitivity of M2", "[spectral]") {
  const documents docs{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  const auto met_by = [&](const std::vector<dplda::word_id>& other, double alpha0) {
    return compare(docs, other, 3, alpha0, moment_products::unbiased, bounds_of(alpha0, 3)).m2_operator;
  };
  for (const auto& [alpha0, value] : {std::pair{0.1, 1.117}, {1.0, 1.412}, {5.0, 1.785}}) {
    CAPTURE(alpha0);
    CHECK(dplda::m2_operator_sensitivity(alpha0, 1) == Catch::Approx(value).margin(6e-4));
    CHECK(met_by({0, 1, 1}, alpha0) > 1 - 1e-9);  // iii -> ijj beside jjj
    CHECK(met_by({2, 2, 2}, alpha0) < 0.99);      // and not iii -> kkk
  }
  // On a grid, and at its ends.
  for (int i = 0; i <= 40; ++i) {
    const double a = i / 40.0, alpha0 = i == 40 ? 1e12 : a / (1 - a);
    CAPTURE(alpha0);
    CHECK(dplda::m2_operator_sensitivity(alpha0, 1) ==
          Catch::Approx((1 + 2 * a + std::sqrt(8 * a * a - 4 * a + 5)) / 3).epsilon(1e-9));
  }
  // For large alpha0 iii -> jjj beside jjj meets it as well.
  CHECK(met_by({1, 1, 1}, 1e9) > 1 - 1e-6);
  // Weyl: 2/N for every alpha0.
  for (const double alpha0 : {0.0, 0.1, 1.0, 10.0, 1e3}) CHECK(dplda::m2_operator_sensitivity(alpha0, 1) <= 2 + 1e-9);
}

TEST_CASE("sensitivity of whitening with a public matrix", "[spectral]") {
  auto bits = seeded_random(2).stream("test");
  double highest = 0, highest_average = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t words = 3, n = 1 + dplda::uniform_below(bits, 4);
    const double alpha0 = std::exp(2 * dplda::normal(bits));
    dplda::detail::tall_matrix w(3, 2);
    for (Eigen::Index i = 0; i < w.size(); ++i) w.data()[i] = dplda::normal(bits);
    const double row_norm = w.rowwise().norm().maxCoeff();
    documents docs(n);
    for (auto& doc : docs) {
      for (int t = 0; t < 3; ++t) doc.push_back(static_cast<dplda::word_id>(dplda::uniform_below(bits, words)));
    }
    documents after = docs;
    after[0].assign(3, static_cast<dplda::word_id>(dplda::uniform_below(bits, words)));
    const auto whitened = [&](const documents& d) {
      return spectral_moments(make_corpus(d, words), alpha0, moment_products::plug_in, n, 1).third(w);
    };
    const double moved = sum(whitened(after), whitened(docs), -1).frobenius_norm();
    const double most = dplda::whitened_tensor_sensitivity(row_norm, alpha0, n);
    REQUIRE(moved <= most);
    highest = std::max(highest, moved / most);

    // A document's m3(W) - b S(W' m2 W, omega), from the moments at alpha0 near 0, where M2 and M3 are plain averages.
    const Eigen::VectorXd omega = Eigen::Vector2d(dplda::normal(bits), dplda::normal(bits));
    const double b = dplda::moment_weights::of(alpha0).b;
    const auto average = [&](const documents& d) {
      const spectral_moments plain(make_corpus(d, words), 1e-300, moment_products::plug_in, n, 1);
      symmetric_tensor t = plain.third(w);
      t.add_symmetrised(w.transpose() * plain.second(w), omega, -b);
      return t;
    };
    const double averages = sum(average(after), average(docs), -1).frobenius_norm();
    const double most_average = dplda::whitened_average_sensitivity(row_norm, omega.norm(), alpha0, n);
    REQUIRE(averages <= most_average);
    highest_average = std::max(highest_average, averages / most_average);
  }
  CHECK(highest > 0.6);
  CHECK(highest_average > 0.8);

  // The two terms of the average's bound by themselves. Without omega: opposite rows meet it. With an omega beside which
  // rows are short: iii -> jjj with orthogonal rows and omega along one of them, of which |S(X, u)|^2 = 3 |X|^2 |u|^2 +
  // 6 |Xu|^2 makes sqrt(12) where the triangle inequality says 6.
  const double b = dplda::moment_weights::of(2).b;
  const auto moved = [&](const Eigen::Matrix2d& rows, const Eigen::Vector2d& omega) {
    const auto of = [&](dplda::word_id word) {
      const spectral_moments plain(make_corpus({{word, word, word}}, 2), 1e-300, moment_products::plug_in, 1, 1);
      const dplda::detail::tall_matrix w = rows;
      symmetric_tensor t = plain.third(w);
      t.add_symmetrised(w.transpose() * plain.second(w), omega, -b);
      return t;
    };
    const double row_norm = rows.rowwise().norm().maxCoeff();
    return sum(of(1), of(0), -1).frobenius_norm() / dplda::whitened_average_sensitivity(row_norm, omega.norm(), 2, 1);
  };
  Eigen::Matrix2d opposite;
  opposite << 3, 4, -3, -4;
  CHECK(moved(opposite, {0, 0}) == Catch::Approx(1).epsilon(1e-9));
  CHECK(moved(Eigen::Matrix2d::Identity(), {1e6, 0}) == Catch::Approx(1 / std::sqrt(3.0)).epsilon(1e-5));
}

TEST_CASE("either term of the whitened tensor's sensitivity is attained", "[spectral]") {
  // Not corpora but what is known of neighbours: A and M3 in the basis, moved by no more than a document may move them.
  const auto whitened = [](const Eigen::MatrixXd& a, const symmetric_tensor& m3) {
    const Eigen::MatrixXd root =
        dplda::detail::apply_to_eigenvalues(dplda::detail::eigen_of(a), [](double x) { return 1 / std::sqrt(x); });
    // M3 is a sum of cubes of the standard vectors here, and W takes e_i to its i-th row.
    symmetric_tensor t(m3.size());
    for (std::size_t i = 0; i < m3.size(); ++i)
      t.add_cube(root.row(static_cast<Eigen::Index>(i)).transpose(), m3(i, i, i));
    return t;
  };
  for (const double alpha0 : {0.1, 1.0, 5.0}) {
    CAPTURE(alpha0);
    const std::size_t n = 10'000;
    const double smallest = 0.05, d2 = dplda::m2_operator_sensitivity(alpha0, n),
                 d3 = dplda::m3_frobenius_sensitivity(alpha0, n);
    {
      // A stays, and M3 goes from nothing to a cube: the first term, and all of it.
      const Eigen::MatrixXd a = smallest * Eigen::MatrixXd::Identity(3, 3);
      symmetric_tensor m3(3);
      const symmetric_tensor before = whitened(a, m3);
      m3.set(0, 0, 0, d3);
      const double most = dplda::basis_tensor_sensitivity({.smallest = smallest, .largest = smallest}, 0, alpha0, n);
      const double ratio = sum(whitened(a, m3), before, -1).frobenius_norm() / most;
      CHECK(ratio <= 1);
      CHECK(ratio > 0.999);
    }
    {
      // M3 stays, and A falls along its least eigenvector, where all of T is, as much as T can be: the second term, beside
      // which the first is small.
      Eigen::MatrixXd a = Eigen::Vector3d(1.001, 1.001, 1).asDiagonal();
      a *= smallest + d2;
      const double norm = dplda::tensor_norm_bound(smallest + d2, alpha0);
      symmetric_tensor m3(3);
      m3.set(2, 2, 2, norm * std::pow(smallest + d2, 1.5));
      const symmetric_tensor before = whitened(a, m3);
      CHECK(before.frobenius_norm() == Catch::Approx(norm).epsilon(1e-12));
      const dplda::basis_bounds known{.smallest = smallest, .largest = a(0, 0)};
      const double most = dplda::basis_tensor_sensitivity(known, norm, alpha0, n);
      a(2, 2) -= d2;
      const double ratio = sum(whitened(a, m3), before, -1).frobenius_norm() / most;
      CHECK(ratio <= 1);
      CHECK(ratio > 0.9);
    }
  }
}

TEST_CASE("sensitivity of whitening in a public basis", "[spectral]") {
  auto bits = seeded_random(3).stream("test");
  int tried = 0;
  double highest = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t words = 4, n = 30;
    const double alpha0 = round % 2 == 0 ? 0.1 : 1.0;
    documents docs(n);
    for (std::size_t d = 0; d < n; ++d) {
      // Two topics of two words each, and some noise.
      const std::size_t topic = dplda::uniform_below(bits, 2);
      for (int t = 0; t < 6; ++t) {
        const std::size_t word = dplda::uniform_below(bits, 8) == 0 ? dplda::uniform_below(bits, 4)
                                                                    : 2 * topic + dplda::uniform_below(bits, 2);
        docs[d].push_back(static_cast<dplda::word_id>(word));
      }
    }
    documents after = docs;
    after[0].assign(3, static_cast<dplda::word_id>(dplda::uniform_below(bits, words)));
    Eigen::MatrixXd u = Eigen::MatrixXd::Zero(4, 2);
    u(0, 0) = u(1, 0) = u(2, 1) = u(3, 1) = std::sqrt(0.5);
    u = random_frame(4, 4, bits).leftCols(2) * 0.2 + u;
    u = dplda::detail::orthonormal_columns(u);
    std::array<Eigen::MatrixXd, 2> a;
    std::vector<symmetric_tensor> t;
    double smallest = 1;
    for (std::size_t side = 0; side < 2; ++side) {
      const spectral_moments m(make_corpus(side == 0 ? docs : after, words), alpha0, moment_products::unbiased, n, 1);
      a[side] = u.transpose() * m.second(u);
      const dplda::detail::symmetric_eigen solved = dplda::detail::eigen_of(a[side]);
      smallest = std::min(smallest, solved.values[0]);
      if (!(smallest > 0.01)) break;
      t.push_back(m.third(u * dplda::detail::apply_to_eigenvalues(solved, [](double x) { return 1 / std::sqrt(x); })));
    }
    if (!(smallest > 0.01)) continue;
    ++tried;
    const dplda::basis_bounds known{.smallest = smallest, .largest = dplda::detail::operator_norm(a[0])};
    const double moved = sum(t[1], t[0], -1).frobenius_norm();
    REQUIRE(t[0].frobenius_norm() <= dplda::tensor_norm_bound(smallest, alpha0));
    const double most = dplda::basis_tensor_sensitivity(known, t[0].frobenius_norm(), alpha0, n);
    REQUIRE(moved <= most);
    highest = std::max(highest, moved / most);
  }
  CHECK(tried > 100);
  // Corpora stay far below: what a document takes from M3 it also takes from A, and T moves one way by the one and the
  // other way by the other. Each term of the bound has its own test.
  CHECK(highest > 0.05);
}

TEST_CASE("eigenvectors and topics move as far as their first-order bounds", "[spectral]") {
  auto bits = seeded_random(4).stream("test");
  const double step = 1e-6;
  for (int round = 0; round < 40; ++round) {
    const Eigen::MatrixXd frame = random_frame(4, 4, bits);
    symmetric_tensor tensor(4);
    for (Eigen::Index i = 0; i < 4; ++i) tensor.add_cube(frame.col(i), 1 + static_cast<double>(i));
    const bool exact = round % 2 == 0;
    if (!exact) tensor = sum(tensor, random_tensor(4, bits), 0.03);
    const Eigen::VectorXd v = eigenvector_near(tensor, frame.col(1));
    const double lambda = v.dot(tensor.contract(v) * v), kappa = dplda::eigenvector_coupling(tensor, v);
    CHECK((exact ? kappa < 1e-9 : kappa > 1e-3));
    symmetric_tensor change = random_tensor(4, bits);
    change = sum(change, change, step / change.frobenius_norm() - 1);
    const double most = dplda::eigenvector_sensitivity(step, lambda, kappa);
    const symmetric_tensor moved = sum(tensor, change, 1);
    const Eigen::VectorXd w = eigenvector_near(moved, v);
    CHECK((w - v).norm() <= most * (1 + 1e-4));
    CHECK(std::abs(w.dot(moved.contract(w) * w) - lambda) <= step * (1 + 1e-4));

    // The topic, with A moved by as much as a document can.
    const std::size_t n = 1'000'000;
    const double alpha0 = 0.7, d2 = dplda::m2_operator_sensitivity(alpha0, n);
    Eigen::MatrixXd a = frame * Eigen::Vector4d(0.3, 0.1, 0.05, 0.02).asDiagonal() * frame.transpose();
    Eigen::MatrixXd push = random_frame(4, 4, bits);
    push = (push * Eigen::Vector4d(1, -1, 1, 1).asDiagonal() * push.transpose() * d2).eval();
    const auto topic = [&](const Eigen::MatrixXd& at, const symmetric_tensor& t, const Eigen::VectorXd& at_v) {
      const Eigen::MatrixXd root =
          dplda::detail::apply_to_eigenvalues(dplda::detail::eigen_of(at), [](double x) { return std::sqrt(x); });
      return Eigen::VectorXd((alpha0 + 2) / 2 * at_v.dot(t.contract(at_v) * at_v) * (root * at_v));
    };
    const double bound = dplda::topic_sensitivity({.smallest = 0.02, .largest = 0.3}, step, lambda, kappa, alpha0, n);
    const Eigen::VectorXd before = topic(a, tensor, v), after = topic(a + push, moved, w);
    CHECK((after - before).norm() <= bound * (1 + 1e-3));
    CHECK((dplda::project_to_simplex(after) - dplda::project_to_simplex(before)).norm() <= bound * (1 + 1e-3));

    if (exact) {
      // The pattern that meets it: the symmetrised u (x) v (x) v.
      const Eigen::VectorXd u = frame.col(0);
      symmetric_tensor worst(4);
      worst.add_symmetrised(v * v.transpose(), u, 1);
      worst = sum(worst, worst, step / worst.frobenius_norm() - 1);
      const Eigen::VectorXd turned = eigenvector_near(sum(tensor, worst, 1), v);
      CHECK((turned - v).norm() == Catch::Approx(most).epsilon(1e-4));
    }
  }
  CHECK(std::isinf(dplda::eigenvector_sensitivity(1e-3, 1, 0.5)));
}

TEST_CASE("each term of a topic's sensitivity is attained", "[spectral]") {
  // T = lambda v^(3) + kappa S(uu', v), with v the first standard vector and u the second: kappa turns u towards v.
  const double lambda = 2, alpha0 = 0.7, step = 1e-6;
  const std::size_t many = 1'000'000'000'000;  // documents, so that A does not move
  const Eigen::Vector2d v(1, 0), u(0, 1);
  const auto moved = [&](double kappa, const symmetric_tensor& change, const Eigen::Vector2d& a_before,
                         const Eigen::Vector2d& a_after, std::size_t n) {
    symmetric_tensor tensor(2);
    tensor.add_cube(v, lambda);
    tensor.add_symmetrised(u * u.transpose(), v, kappa);
    REQUIRE(dplda::eigenvector_coupling(tensor, v) == Catch::Approx(kappa));
    const auto topic = [&](const symmetric_tensor& t, const Eigen::Vector2d& a) {
      const Eigen::VectorXd w = eigenvector_near(t, v);
      return Eigen::VectorXd((alpha0 + 2) / 2 * w.dot(t.contract(w) * w) * (a.cwiseSqrt().asDiagonal() * w));
    };
    const dplda::basis_bounds known{.smallest = std::min(a_before.minCoeff(), a_after.minCoeff()),
                                    .largest = a_before.maxCoeff()};
    const double distance = (topic(sum(tensor, change, 1), a_after) - topic(tensor, a_before)).norm();
    return distance / dplda::topic_sensitivity(known, change.frobenius_norm(), lambda, kappa, alpha0, n);
  };
  const Eigen::Vector2d even(0.3, 0.3);
  // The eigenvalue alone: the change is v^(3). With kappa = 0 the bound also has a vector's part of 1/sqrt(3).
  symmetric_tensor longer(2), turning(2), nothing(2);
  longer.add_cube(v, step);
  const double value = moved(0, longer, even, even, many);
  CHECK(value <= 1 + 1e-4);
  CHECK(value == Catch::Approx(1 / (1 + 1 / std::sqrt(3.0))).epsilon(1e-4));  // 0.634
  // The eigenvector alone, which kappa = 0.4 lambda makes five times as sensitive: 5/sqrt(3) of 1 + 5/sqrt(3).
  turning.add_symmetrised(v * v.transpose(), u, step / std::sqrt(3.0));
  const double vector = moved(0.4 * lambda, turning, even, even, many);
  CHECK(vector <= 1 + 1e-4);
  CHECK(vector == Catch::Approx(5 / (5 + std::sqrt(3.0))).epsilon(1e-3));  // 0.743
  // The root of A alone, along its least eigenvector.
  const std::size_t n = 1'000'000;
  const double d2 = dplda::m2_operator_sensitivity(alpha0, n);
  const double root = moved(0, nothing, {0.02 + d2, 0.3}, {0.02, 0.3}, n);
  CHECK(root <= 1);
  CHECK(root > 0.999);
}

TEST_CASE("sensitivities as published", "[spectral]") {
  CHECK(dplda::published_tensor_sensitivity(0.5, 4, 0.25) == Catch::Approx(32));
  CHECK(dplda::published_eigenvector_sensitivity(0.5, 4, 0.25, 0.1) == Catch::Approx(640));
  CHECK(dplda::published_topic_sensitivity(0.5, 4, 0.01, 0.25, 0.1) == Catch::Approx(64));
}

TEST_CASE("sensitivities refuse arguments out of range", "[spectral]") {
  const double nan = std::nan("");
  CHECK_THROWS_WITH(dplda::m2_l1_sensitivity(1, 0), "dplda::m2_l1_sensitivity: count is 0, but must be at least 1");
  CHECK_THROWS_WITH(dplda::m3_frobenius_sensitivity(-1, 5),
                    "dplda::m3_frobenius_sensitivity: alpha0 is -1, but must be at least 0");
  CHECK_THROWS_AS(dplda::m2_operator_sensitivity(nan, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::m3_l1_sensitivity(nan, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::whitened_tensor_sensitivity(nan, 1, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::whitened_average_sensitivity(1, -1, 1, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::tensor_norm_bound(0, 1), std::invalid_argument);
  CHECK_THROWS_AS(dplda::basis_tensor_sensitivity({.smallest = 2, .largest = 1}, 1, 1, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::basis_tensor_sensitivity({.smallest = 0, .largest = 1}, 1, 1, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::eigenvector_sensitivity(1, 1, nan), std::invalid_argument);
  CHECK_THROWS_AS(dplda::topic_sensitivity({.smallest = 1, .largest = 1}, 1, 0, 0, 1, 5), std::invalid_argument);
  CHECK_THROWS_AS(dplda::published_tensor_sensitivity(1, 2, 0), std::invalid_argument);
  CHECK_THROWS_AS(dplda::published_eigenvector_sensitivity(1, 2, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(dplda::published_topic_sensitivity(1, 2, 0, 1, 1), std::invalid_argument);
}
