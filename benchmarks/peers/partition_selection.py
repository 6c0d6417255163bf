# SPDX-License-Identifier: Apache-2.0
"""How many words methods of private partition selection would release, simulated in floating point on text that was not pruned.

    python3 partition_selection.py DATA CORPUS... [--seeds N]

It compares weights only: all methods have the same Gaussian noise, and thresholds for delta = 1e-5 over documents with at most 256 words
each. Nothing here is private: sums are floating-point numbers, and no sensitivity is enforced. Besides methods of
vocabulary_selector there are MAD and MAD2R (Chen, Cohen-Addad, Epasto and Zadimoghaddam, Scalable private partition selection via adaptive
weighting, 2025) as we derive them from their description; the paper is not at hand:

MAD: a document of d words, d at most d_max, first gives 1 / d to each. Of a word's weight above a cap (threshold and 2 standard deviations)
each document gets its part back, and gives a share c of that to all of its words, 1 / d_max of it to each. Then it gives 1 / sqrt(d) - 1 / d
to each. Longer documents give 1 / sqrt(d). A document that comes or goes moves its own words' weights by 1 / sqrt(d) - g_w, where g_w is what
the cap took, at most 1 / d, and all weights by the returned R_w, at most c / d_max. With E = sum g the squared change is
1 - (2 / sqrt(d)) (E - sum R) + sum (R - g)^2, so it is at most 1 if (1 + c) / sqrt(d) <= 2 (1 - c): c = 1/3 for all d, 0.777 if d >= 16.
With c = 1, as simulated in its favour, it can exceed 1 by 1 / (4 d).
MAD2R: a tenth of the squared budget for a round of equal weights, then MAD for the words that were not released.
"""
import argparse
import gzip

import numpy as np
import scipy.sparse
from scipy.optimize import brentq
from scipy.stats import norm

MOST, DELTA = 256, 1e-5


def read(data, name):
    with gzip.open(f"{data}/{name}/docword.{name}.txt.gz", "rt") as lines:
        documents, words, _ = (int(lines.readline()) for _ in range(3))
        triples = np.array(lines.read().split(), dtype=np.int64).reshape(-1, 3)
    shape = documents, words
    return scipy.sparse.csr_matrix((triples[:, 2].astype(float), (triples[:, 0] - 1, triples[:, 1] - 1)), shape)


def cut(counts, rng):
    parts = [counts.indices[a:b] for a, b in zip(counts.indptr, counts.indptr[1:])]
    parts = [rng.choice(part, MOST, replace=False) if len(part) > MOST else part for part in parts]
    ends = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return scipy.sparse.csr_matrix((np.ones(ends[-1]), np.concatenate(parts), ends), counts.shape)


def noise_of(epsilon, delta):
    """The Gaussian mechanism's noise multiplier (Balle and Wang 2018)."""
    excess = lambda mu: norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) - delta
    return 1 / brentq(excess, 1e-3, 50)


def threshold(z, delta):
    own = np.arange(1, MOST + 1)
    return np.max(1 / np.sqrt(own) - z * norm.ppf(-np.expm1(np.log1p(-delta) / own)))


def only(names, kept):
    rest = (names @ scipy.sparse.diags(kept.astype(float))).tocsr()
    rest.eliminate_zeros()
    return rest


def weigh(names, demands=None):
    asked = names if demands is None else names @ scipy.sparse.diags(demands)
    lengths = np.sqrt(np.asarray(asked.multiply(asked).sum(axis=1)).ravel())
    return np.asarray((scipy.sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ asked).sum(axis=0)).ravel()


def noisy(weights, names, z, rng):
    return np.where(np.asarray(names.sum(axis=0)).ravel() > 0, weights + rng.normal(0, z, len(weights)), -np.inf)


def weighted(names, z, delta, rng):
    return noisy(weigh(names), names, z, rng) >= threshold(z, delta)


def policy(names, z, delta, rng):
    full, sums = threshold(z, delta) + 4 * z, np.zeros(names.shape[1])
    for document in rng.permutation(names.shape[0]):
        own = names.indices[names.indptr[document]:names.indptr[document + 1]]
        gap = np.maximum(full - sums[own], 0)
        length = np.sqrt(gap @ gap)
        if length > 0:
            sums[own] += gap * min(1, 1 / length)
    return noisy(sums, names, z, rng) >= threshold(z, delta)


def mad(names, z, delta, rng, most=60, share=1.0):
    sizes, cap = np.asarray(names.sum(axis=1)).ravel(), threshold(z, delta) + 2 * z
    short, d = names[(sizes > 0) & (sizes <= most)], sizes[(sizes > 0) & (sizes <= most)]
    first = np.asarray((scipy.sparse.diags(1 / d) @ short).sum(axis=0)).ravel()
    back = short @ np.maximum(0, 1 - cap / np.maximum(first, 1e-300)) / d
    sums = np.minimum(first, cap) + short.T @ (share * back / most + 1 / np.sqrt(d) - 1 / d)
    return noisy(sums + weigh(names[sizes > most]), names, z, rng) >= threshold(z, delta)


def mad_two_rounds(names, z, delta, rng):
    first = weighted(names, z / np.sqrt(0.1), 0.1 * delta, rng)
    return first | mad(only(names, ~first), z / np.sqrt(0.9), 0.9 * delta, rng)


def informed_rounds(names, z, delta, rng):
    shares = 2.5 ** np.arange(3) / sum(2.5 ** np.arange(3))
    demands, shown = np.ones(names.shape[1]), np.zeros(names.shape[1], dtype=bool)
    for turn, share in enumerate(shares):
        seen = noisy(weigh(names, demands), only(names, demands > 0), z / np.sqrt(share), rng)
        passed = seen >= threshold(z / np.sqrt(share), delta * share)
        shown |= passed
        demands[passed] = 0
        if turn == 2:
            break
        after = z / np.sqrt(shares[turn + 1])
        level = threshold(after, delta * shares[turn + 1])
        if turn == 1:
            demands[seen < 0.5 * level] = 0
        rich = (demands > 0) & (1.5 * seen > level + 2 * after)
        demands[rich] *= np.maximum(0.1, (level + 2 * after) / (1.5 * seen[rich]))
    return shown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    methods = {"weighted Gaussian": weighted, "policy Gaussian": policy, "MAD": mad,
               "MAD, c = 1/3": lambda *a: mad(*a, share=1 / 3), "MAD2R": mad_two_rounds, "informed rounds": informed_rounds}
    epsilons = (1, 3, 5, 10)
    for corpus in args.corpora:
        counts = read(args.data, corpus)
        tokens = np.asarray(counts.sum(axis=0)).ravel()
        print(f"\n{corpus}, {counts.shape[0]} documents, {counts.shape[1]} words: words released, and missing mass (the share of all tokens whose "
              f"words are not), delta = {DELTA}; means of {args.seeds} seeds\n")
        print("| method | " + " | ".join(f"epsilon {e} | missing" for e in epsilons) + " |")
        print("| --- |" + " --- | --- |" * len(epsilons), flush=True)
        for method, select in methods.items():
            cells = []
            for epsilon in epsilons:
                found = []
                for seed in range(args.seeds):
                    rng = np.random.default_rng(seed)
                    shown = select(cut(counts, rng), noise_of(epsilon, DELTA / 2), DELTA / 2, rng)
                    found.append((shown.sum(), tokens[~shown].sum() / tokens.sum()))
                words, missing = np.mean(found, axis=0)
                cells.append(f"{words:.0f} | {missing:.3f}")
            print(f"| {method} | " + " | ".join(cells) + " |", flush=True)


main()
