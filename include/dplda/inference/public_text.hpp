// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PUBLIC_TEXT_HPP
#define DPLDA_INFERENCE_PUBLIC_TEXT_HPP

// Claim: what a private fit takes from public text costs no privacy.
// Preconditions: what is declared public is public: it would be the same text if the private documents did not exist.
//   Which text to take was not decided by looking at the private documents.
// Argument: for the guarantee, public text and public topics are constants, like the options. Learners read word
//   frequencies and associations, and fit how much to trust them to released values
//   (private_topics/detail/noisy_topics.hpp), which is post-processing. Whether public topics are used is decided by a
//   release that the plan pays for (private_topics/private_topics.hpp). That a fit refuses its own documents as public
//   text depends on the documents, as every refusal of input does: only the person who runs the fit sees it.
// Test: tests/inference/public_text_test.cpp

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/distributed/process_group.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace dplda::inline v0_1 {

/// Text that anybody may know, and that private learners may learn from for free. It need not be about the same things
/// as the private documents: the frequencies of words in any text of the language help where people are few.
class public_text {
 public:
  /// As reports call it.
  const std::string& name() const noexcept { return name_; }
  const corpus& docs() const noexcept { return docs_; }

 private:
  friend public_text declare_public(const corpus& docs, std::string name);
  public_text(corpus docs, std::string name) : docs_(std::move(docs)), name_(std::move(name)) {}

  corpus docs_;
  std::string name_;
};

/// The documents as public text. By calling this you declare them public: they would be the same if the private
/// documents did not exist. The library cannot check that. A published collection is public, and so are encyclopaedias
/// and laws; a part of the private documents is not, even if nobody in it objects, because the people in it were to be
/// protected. Throws std::invalid_argument if the name is empty, if there is no word in the documents, or if the list of
/// their words was chosen from private documents.
public_text declare_public(const corpus& docs, std::string name);

/// Throws std::invalid_argument if private documents are given as public text: if one of the texts has the same documents,
/// in any order. Learners check this; a program may do so before it spends anything. Processes of a group have the
/// documents together, and each has all texts.
void require_other_text(std::span<const public_text> texts, const corpus& docs, const process_group& processes = {});

namespace detail {

/// The share of each word in each text, by the number of documents that have it: words x texts. A text that has none of
/// the words is a column of zeros.
Eigen::MatrixXd public_frequencies(std::span<const public_text> texts, const vocabulary& words);

/// How much more frequent each word is in each topic than on average, with a mean of 1 over the topics: topics x words.
/// It is near 1 for words that are rare in all topics, and 1 for words that the model lacks.
Eigen::MatrixXd topic_lifts(const public_topics& topics, const vocabulary& words);

/// A number that two corpora share if they have the same documents, in any order, over these words; different corpora
/// share it by accident only.
std::uint64_t fingerprint(const corpus& docs, const vocabulary_ptr& words);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/detail/public_text.ipp>
#endif

#endif
