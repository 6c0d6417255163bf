// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/spectral/private_spectral.hpp>

#include "engine_plan.hpp"

namespace dplda_program {

planned_fit plan_spectral(const learning_options& options, dplda::privacy_unit unit,
                          const dplda::vocabulary_ptr& vocab) {
  return make_plan<dplda::private_spectral>(options, unit, vocab);
}

}  // namespace dplda_program
