// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_ENCODING_ERROR_HPP
#define DPLDA_IO_ENCODING_ERROR_HPP

#include <dplda/core/errors.hpp>

namespace dplda::inline v0_1 {

/// Text that is not in the encoding it should be in.
class encoding_error : public parse_error {
 public:
  using parse_error::parse_error;
};

}  // namespace dplda::inline v0_1

#endif
