// SPDX-License-Identifier: Apache-2.0
#include <dplda/dplda.hpp>

// No header leaves a macro behind, and no template needs one where it is used.
#pragma GCC poison DPLDA_KERNELS DPLDA_ISA DPLDA_ISA_BYTES DPLDA_DETAIL_DISPATCH DPLDA_DETAIL_HAS_BASELINE
#pragma GCC poison DPLDA_DETAIL_OWN_ISA DPLDA_DETAIL_OWN_AVX2 DPLDA_DETAIL_MORE_AVX2 DPLDA_DETAIL_STRING

const void* version_string_of_the_other_unit();

const void* version_string_of_the_other_unit() {
  float x = 0;
  dplda::vector_exp<float>({&x, 1}, {&x, 1});
  return x == 1 ? &dplda::version_string : nullptr;
}
