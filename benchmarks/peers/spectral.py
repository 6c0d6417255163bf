# SPDX-License-Identifier: Apache-2.0
"""Spectral LDA by dplda and by the same algorithm in numpy and scipy, on the same documents.

    python3 spectral.py PROGRAM DATA WORK [--quick] [--runs N] [--products unbiased|plug_in] [--method simultaneous|deflation]

PROGRAM is spectral, built with plain -O3; DATA holds corpora in UCI layout (DATA/<name>/docword.<name>.txt.gz); WORK is a folder for
unpacked files. CPU seconds of training on one thread, without reading; runs of both sides alternate, and medians are shown. Both sides
start the decomposition from the same random vectors, stop at the same tolerances, and fix the signs of eigenvectors alike, so that they
climb to the same optimum if their whitened tensors agree. "every start to the end" is the simplest numpy version, which
follows all starts, not only the best one, to full precision. "topics" are l1 distances between topics, matched one to one.

The numpy version leaves the second moment to ARPACK (scipy.sparse.linalg.eigsh on a LinearOperator) and all else to products of
matrices, by blocks of documents or words where the factors are large. Its speed is that of its BLAS, which the first line names:
Debian's numpy takes the reference BLAS unless another one, such as libopenblas0-pthread, is installed or in LD_LIBRARY_PATH.
"""
import argparse
import os
import statistics
import time

for limit in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[limit] = "1"

import numpy as np
import scipy
import scipy.optimize
import scipy.sparse
import scipy.sparse.linalg

from common import ask, label, table_head, table_row, unpack

ALPHA0, RESTARTS, ITERATIONS, ROUGH, TOLERANCE, EIGEN_TOLERANCE = 1.0, 5, 200, 1e-2, 1e-12, 1e-9
STEPS = ("moments", "whitening", "third", "decomposition", "recovery")


def read_counts(file):
    with open(file) as lines:
        documents, words, _ = (int(lines.readline()) for _ in range(3))
        triples = np.fromfile(lines, sep=" ", dtype=np.int64).reshape(-1, 3)
    return scipy.sparse.csr_matrix((triples[:, 2].astype(float), (triples[:, 0] - 1, triples[:, 1] - 1)), (documents, words))


def symmetrised(x, u):
    """X_ab u_c + X_ac u_b + X_bc u_a."""
    outer = x[:, :, None] * u
    return outer + outer.transpose(0, 2, 1) + outer.transpose(2, 0, 1)


def sum_of_products(left, right, block=256):
    """sum_i left_i (x) left_i (x) right_i."""
    k = left.shape[1]
    total = np.zeros((k * k, right.shape[1]))
    for first in range(0, len(left), block):
        part = left[first:first + block]
        pairs = (part[:, :, None] * part[:, None, :]).reshape(len(part), k * k)
        total += pairs.T @ right[first:first + block]
    return total.reshape(k, k, -1)


class Moments:
    def __init__(self, counts, alpha0, unbiased):
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        self.x, self.l, self.unbiased = counts[lengths >= 3], lengths[lengths >= 3], unbiased
        self.xt = self.x.T.tocsr()
        self.n = len(self.l)
        self.a, self.b = alpha0 / (alpha0 + 1), alpha0 / (alpha0 + 2)
        self.c = 2 * self.a * self.b
        self.pair = 1 / (self.n * self.l * (self.l - 1))
        self.first = self.xt @ (1 / (self.n * self.l))
        self.diagonal = self.xt @ self.pair

    def second(self):
        n, words = self.n, self.x.shape[1]
        own = self.a / (n * (n - 1)) if self.unbiased else 0.0
        product = self.a * n / (n - 1) if self.unbiased else self.a
        weights = self.pair + own / self.l**2

        def apply(v):
            v = v.ravel()
            return self.xt @ (weights * (self.x @ v)) - self.diagonal * v - product * (self.first @ v) * self.first

        return scipy.sparse.linalg.LinearOperator((words, words), matvec=apply, dtype=float)

    def third(self, w):
        n, l, b, c = self.n, self.l, self.b, self.c
        pairs = b / (n * (n - 1)) if self.unbiased else 0.0
        triples = 2 * c / (n * (n - 1) * (n - 2)) if self.unbiased else 0.0
        triple = 1 / (n * l * (l - 1) * (l - 2))
        mixed = pairs / (l**2 * (l - 1))
        y = self.x @ w
        tensor = sum_of_products(y, (triple + 3 * mixed + triples / l**3)[:, None] * y)
        z = self.xt @ ((triple + mixed)[:, None] * y)
        part = sum_of_products(w, z)
        tensor -= part + part.transpose(0, 2, 1) + part.transpose(2, 0, 1)
        tensor += sum_of_products(w, (self.xt @ (2 * triple))[:, None] * w)

        mean = w.T @ self.first
        second = y.T @ (self.pair[:, None] * y) - w.T @ (self.diagonal[:, None] * w)
        cube = mean[:, None, None] * mean[:, None] * mean
        if self.unbiased:
            square = y.T @ (y / (l**2)[:, None])
            tensor -= symmetrised(b * n / (n - 1) * second + c / ((n - 1) * (n - 2)) * square, mean)
            return tensor + c * n * n / ((n - 1) * (n - 2)) * cube
        return tensor - b * symmetrised(second, mean) + c * cube


def apply(tensor, frame):
    """T(I, v, v) of the columns v."""
    k = len(tensor)
    return np.einsum("abj,bj->aj", (tensor.reshape(k * k, k) @ frame).reshape(k, k, -1), frame)


def nearest_frame(columns):
    u, _, v = np.linalg.svd(columns)
    return u @ v


def deflated_frame(tensor, starts, tolerance):
    frame, rest = [], tensor.copy()
    for i in range(len(tensor)):
        v = starts[i]
        for _ in range(ITERATIONS):
            new = apply(rest, v)
            new /= np.linalg.norm(new, axis=0)
            moved = np.abs(new - v).max()
            v = new
            if moved <= tolerance:
                break
        values = np.sum(v * apply(rest, v), axis=0)
        best = v[:, values.argmax()]
        frame.append(best)
        rest -= values.max() * (best[:, None, None] * best[:, None] * best)
    return np.column_stack(frame)


def polished(tensor, frame, tolerance):
    for _ in range(ITERATIONS):
        gradient = apply(tensor, frame)
        new = nearest_frame(gradient * np.sum(frame * gradient, axis=0))
        moved = np.abs(new - frame).max()
        frame = new
        if moved <= tolerance:
            break
    return frame


def decompose(tensor, deflation, frames, method, rough=ROUGH):
    if method == "simultaneous":
        starts = [deflated_frame(tensor, deflation, rough), *frames[1:]]
        ends = [polished(tensor, nearest_frame(start), rough) for start in starts]
        frame = polished(tensor, max(ends, key=lambda end: np.sum(np.sum(end * apply(tensor, end), axis=0)**2)), TOLERANCE)
    else:
        frame = deflated_frame(tensor, deflation, TOLERANCE)
    values = np.sum(frame * apply(tensor, frame), axis=0)
    order = np.argsort(-np.abs(values), kind="stable")
    return np.abs(values[order]), (frame * np.copysign(1, values))[:, order]


def to_simplex(x):
    down = np.sort(x)[::-1]
    shifts = (np.cumsum(down) - 1) / np.arange(1, len(x) + 1)
    point = np.maximum(x - shifts[np.nonzero(down > shifts)[0][-1]], 0)
    return point / point.sum()


def fit(counts, topics, unbiased, method, deflation, frames):
    clock = [time.process_time()]
    moments = Moments(counts, ALPHA0, unbiased)
    clock.append(time.process_time())
    values, vectors = scipy.sparse.linalg.eigsh(moments.second(), topics, which="LA", tol=EIGEN_TOLERANCE)
    values, vectors = values[::-1], vectors[:, ::-1]
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(topics)])
    clock.append(time.process_time())
    tensor = moments.third(vectors / np.sqrt(values))
    clock.append(time.process_time())
    eigenvalues, frame = decompose(tensor, deflation, frames, method)
    clock.append(time.process_time())
    phi = ((ALPHA0 + 2) / 2 * eigenvalues * (vectors * np.sqrt(values) @ frame)).T
    sums = phi.sum(axis=1, keepdims=True)
    phi = np.array([to_simplex(topic) for topic in phi / np.where(sums > 0, sums, 1)])
    clock.append(time.process_time())
    steps = dict(zip(STEPS, np.diff(clock)))
    start = time.process_time()
    decompose(tensor, deflation, frames, method, TOLERANCE)
    steps["plain"] = clock[-1] - clock[0] - steps["decomposition"] + time.process_time() - start
    return {"cpu": clock[-1] - clock[0], "score": np.sum(eigenvalues**2), **steps}, values, tensor, phi


def compare(args, name, topics):
    folder = f"{args.work}/{name}"
    unpack(args.data, name, folder)
    counts = read_counts(f"{folder}/docword.txt")
    for seed in range(1, args.runs + 1):
        ours = ask(args.program, folder, topics, ALPHA0, args.products, args.method, RESTARTS, seed)
        load = lambda file: np.load(f"{folder}/{file}.npy")
        deflation, frames = (load(file).reshape(topics, -1, width).transpose(1, 0, 2) for file, width in
                             (("deflation", RESTARTS), ("frames", topics)))
        theirs, values, tensor, phi = fit(counts, topics, args.products == "unbiased", args.method, deflation, frames)
        yield ours, theirs, load("values").ravel(), values, load("tensor").reshape(tensor.shape), tensor, load("phi"), phi


def blas():
    with open("/proc/self/maps") as maps:
        files = {os.path.realpath(line.split()[-1]) for line in maps if "blas" in line.rsplit("/", 1)[-1] and "python" not in line}
    return ", ".join(sorted(map(os.path.basename, files))) or "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("--quick", action="store_true", help="kos with 20 topics in place of nips with 50")
    parser.add_argument("--runs", type=int, default=3, help="with seeds 1, 2, ... of the starts")
    parser.add_argument("--products", choices=("unbiased", "plug_in"), default="unbiased")
    parser.add_argument("--method", choices=("simultaneous", "deflation"), default="simultaneous")
    args = parser.parse_args()
    name, topics = ("kos", 20) if args.quick else ("nips", 50)
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, BLAS {blas()}; {args.products} moments, {args.method}", flush=True)

    rows, closeness = [], []
    for ours, theirs, value, their_value, tensor, their_tensor, phi, their_phi in compare(args, name, topics):
        rows.append((ours, theirs))
        distances = np.array([np.abs(their_phi - topic).sum(axis=1) for topic in phi])
        matched = distances[scipy.optimize.linear_sum_assignment(distances)]
        closeness.append((matched.max(), matched.mean(), np.abs(tensor - their_tensor).max() / np.abs(their_tensor).max(),
                          np.abs(value - their_value).max() / their_value[0], abs(ours["score"] / theirs["score"] - 1)))
    table_head("step", "numpy, s", "dplda, s", "ratio")
    for step in STEPS + ("cpu",):
        peer, mine = (statistics.median(row[side][step] for row in rows) for side in (1, 0))
        table_row("all" if step == "cpu" else step, f"{peer:.3f}", f"{mine:.3f}", f"{peer / mine:.1f}x")
    peer, mine = (statistics.median(row[side]["cpu"] for row in rows) for side in (1, 0))
    plain = statistics.median(row[1]["plain"] for row in rows)
    worst = np.max(closeness, axis=0)
    table_head("corpus", "K", "numpy, s", "every start to the end, s", "dplda, s", "ratio", "every start", "topics, largest", "mean",
               "tensor", "eigenvalues", "objective")
    table_row(label(args.data, name), topics, f"{peer:.2f}", f"{plain:.2f}", f"{mine:.3f}", f"{peer / mine:.1f}x", f"{plain / mine:.1f}x",
              *(f"{x:.1e}" for x in worst))


if __name__ == "__main__":
    main()
