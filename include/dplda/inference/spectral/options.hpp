// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_OPTIONS_HPP
#define DPLDA_INFERENCE_SPECTRAL_OPTIONS_HPP

#include <dplda/core/config.hpp>

#include <cstddef>

namespace dplda::inline v0_1 {

/// How products of expectations are estimated from one corpus.
enum class moment_products {
  unbiased,  ///< averages over pairs and triples of distinct documents
  plug_in    ///< products of averages, as published; with a relative bias of order 1/N
};

/// How the whitened tensor is decomposed.
enum class tensor_method {
  simultaneous,  ///< power iterations on an orthonormal frame of all eigenvectors
  deflation      ///< power iterations for one eigenvector, whose part is then subtracted
};

/// Settings of the decomposition of a tensor.
struct tensor_options {
  tensor_method method = tensor_method::simultaneous;
  std::size_t restarts = 5;      ///< random starts; the best result counts
  std::size_t iterations = 200;  ///< at most this many for each start
  double tolerance = 1e-12;      ///< done when no entry of an eigenvector moves by more
};

/// Settings of spectral LDA.
struct spectral_options {
  std::size_t topics = 20;
  double alpha0 = 1;  ///< sum of the Dirichlet parameters of a document's topic proportions; must be known beforehand
  moment_products products = moment_products::unbiased;
  tensor_options tensor = {};
  double eigen_tolerance = 1e-9;       ///< residuals of the second moment's eigenpairs, relative to the largest
  std::size_t eigen_iterations = 500;  ///< at most this many products with the second moment
  std::size_t threads = 0;             ///< 0: as many as the machine runs at once; never changes the result
};

namespace detail {

void validate(const tensor_options& o, const char* function);

void require_alpha0(double alpha0, const char* function);

void validate(const spectral_options& o);

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/options.ipp>
#endif

#endif
