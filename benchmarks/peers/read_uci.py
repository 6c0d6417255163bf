# SPDX-License-Identifier: Apache-2.0
"""Reads <folder>/docword.txt by numpy into a scipy CSR matrix; the counterpart of read_uci.cpp.

np.loadtxt on a file's name is the fastest way in numpy 1.24: it is slower on an open file, and np.fromfile with a separator
is slower than both.
"""
import resource
import sys
import time

import numpy as np
import scipy.sparse

start, processor_start = time.perf_counter(), time.process_time()
with open(sys.argv[1] + "/docword.txt") as file:
    documents, words, entries = (int(file.readline()) for _ in range(3))
table = np.loadtxt(sys.argv[1] + "/docword.txt", dtype=np.int32, skiprows=3, max_rows=entries)
matrix = scipy.sparse.csr_matrix((table[:, 2], (table[:, 0] - 1, table[:, 1] - 1)), shape=(documents, words))
seconds, processor = time.perf_counter() - start, time.process_time() - processor_start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(f"numpy seconds  {seconds:.3f} ({processor:.3f} of the processor)")
print(f"numpy memory   {peak:.0f} MB at the peak, matrix "
      f"{(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes) / 1e6:.0f} MB, {matrix.sum()} tokens")
