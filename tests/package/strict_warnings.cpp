// SPDX-License-Identifier: Apache-2.0
// The learners and uses of their topics, compiled but not run: no header causes a warning, although the flags are
// stricter than those of our own programs (tests/package/CMakeLists.txt).
#include <dplda/dplda.hpp>

#include <filesystem>

template class dplda::fully_private_topics<dplda::private_svi>;
template class dplda::topic_model<float>;

void learn(const dplda::corpus& docs, dplda::random_source& random, const std::filesystem::path& folder);

void learn(const dplda::corpus& docs, dplda::random_source& random, const std::filesystem::path& folder) {
  const dplda::budget budget{.epsilon = 1, .delta = 1e-6};
  const dplda::private_svi learner({.topics = 5, .units = 1000}, budget);
  const auto released = learner.fit(docs, random);
  dplda::private_gibbs({.topics = 5, .units = 1000}, budget).fit(docs, random);
  dplda::private_spectral({.topics = 5, .units = 1000}, budget).fit(docs, random);
  dplda::svi({.topics = 5}).fit(docs, random);
  dplda::gibbs({.topics = 5}).fit(docs, random);
  dplda::spectral({.topics = 5}).fit(docs, random);
  dplda::audit(learner, docs, random);
  dplda::document_completion_perplexity(released.value(), docs);
  dplda::npmi_coherence(released.value(), docs, 10);
  dplda::save_model(folder, released.value());
  dplda::load_model(folder);
}
