// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_STOP_WORDS_IPP
#define DPLDA_IO_DETAIL_STOP_WORDS_IPP

// Bodies of io/stop_words.hpp.

#include <dplda/io/stop_words.hpp>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::string> english_stop_words() {
  return {
      // articles, conjunctions, prepositions
      "about", "above", "across", "after", "against", "along", "although", "among", "and", "around", "because",
      "before", "behind", "below", "beside", "besides", "between", "beyond", "both", "but", "despite", "down", "during",
      "either", "except", "for", "from", "into", "near", "neither", "nor", "off", "onto", "out", "over", "per", "since",
      "than", "that", "the", "though", "through", "throughout", "toward", "towards", "under", "unless", "until", "unto",
      "upon", "via", "whereas", "whether", "while", "with", "within", "without",
      // pronouns and determiners
      "all", "another", "any", "anybody", "anyone", "anything", "each", "every", "everybody", "everyone", "everything",
      "few", "her", "hers", "herself", "him", "himself", "his", "its", "itself", "many", "more", "most", "much",
      "myself", "nobody", "none", "nothing", "one", "ones", "other", "others", "our", "ours", "ourselves", "own",
      "same", "several", "she", "some", "somebody", "someone", "something", "such", "their", "theirs", "them",
      "themselves", "these", "they", "this", "those", "what", "whatever", "which", "who", "whoever", "whom", "whose",
      "you", "your", "yours", "yourself", "yourselves",
      // auxiliaries and their negations
      "ain", "are", "aren", "been", "being", "can", "cannot", "could", "couldn", "did", "didn", "does", "doesn",
      "doing", "don", "had", "hadn", "has", "hasn", "have", "haven", "having", "isn", "may", "might", "mustn", "must",
      "not", "shall", "shan", "should", "shouldn", "was", "wasn", "were", "weren", "will", "won", "would", "wouldn",
      // adverbs and particles
      "again", "almost", "already", "also", "always", "ever", "even", "hence", "here", "how", "however", "just", "less",
      "never", "now", "often", "once", "only", "perhaps", "quite", "rather", "really", "soon", "still", "then", "there",
      "therefore", "thus", "too", "very", "well", "when", "whenever", "where", "wherever", "why", "yet"};
}

}  // namespace dplda::inline v0_1

#endif
