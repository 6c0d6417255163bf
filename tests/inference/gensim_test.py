# SPDX-License-Identifier: Apache-2.0
"""Compares the singular values and directions that gensim_topics wrote with gensim's LsiModel, by many power iterations."""
import sys

import gensim
import numpy as np

folder = sys.argv[1]
documents, words = {}, 0
with open(f"{folder}/docword.txt") as lines:
    for line in lines:
        document, word, count = map(int, line.split())
        documents.setdefault(document, []).append((word, count))
        words = max(words, word + 1)
documents = [documents.get(d, []) for d in range(400)]
names = {word: str(word) for word in range(300)}
faults = 0
for weights in ("tf_idf", "counts"):
    weighted = documents
    if weights == "tf_idf":
        model = gensim.models.TfidfModel(documents, wglobal=lambda with_word, all: np.log(all / with_word), id2word=names)
        weighted = list(model[documents])
    peer = gensim.models.LsiModel(weighted, id2word=names, num_topics=6, onepass=False, power_iters=60, extra_samples=60,
                                  dtype=np.float64)
    values = np.load(f"{folder}/{weights}_values.npy").ravel()
    directions = np.load(f"{folder}/{weights}_directions.npy")
    error = np.abs(peer.projection.s - values).max() / values[0]
    cosines = np.abs((peer.projection.u * directions).sum(axis=0))
    print(f"{weights}: singular values differ by {error:.2g} of the largest, the least cosine of directions is 1 - {1 - cosines.min():.2g}")
    faults += error > 1e-8 or cosines.min() < 1 - 1e-6
sys.exit(1 if faults else 0)
