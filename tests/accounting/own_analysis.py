# SPDX-License-Identifier: Apache-2.0
# Independent reference values of own_analysis_test.cpp and of "replaced units" in rdp_curves_test.cpp, with 40 digits:
# /usr/bin/python3 tests/accounting/own_analysis.py (mpmath). Losses are enumerated; nothing is put on a grid.

import mpmath as mp

mp.mp.dps = 40


def discrete_gaussian(sigma, sensitivity, rate):
    reach = int(40 * sigma) + sensitivity
    weight = [mp.e ** (-mp.mpf(x) ** 2 / (2 * mp.mpf(sigma) ** 2)) for x in range(-reach - sensitivity, 2 * reach)]
    total = mp.nsum(lambda x: mp.e ** (-(x**2) / (2 * mp.mpf(sigma) ** 2)), [-mp.inf, mp.inf])
    a = [w / total for w in weight[sensitivity:]]
    b = [w / total for w in weight[:-sensitivity]]
    q = mp.mpf(rate)
    return [(1 - q) * y + q * x for x, y in zip(b, a)], a


def hockey_stick(p, q, epsilon):
    return mp.fsum(max(mp.mpf(0), x - mp.e**epsilon * y) for x, y in zip(p, q))


def composed(p, q, uses):
    table = {tuple([0] * len(p)): (mp.mpf(1), mp.mpf(1))}
    for _ in range(uses):
        further = {}
        for counts, (x, y) in table.items():
            for i in range(len(p)):
                key = tuple(c + (i == j) for j, c in enumerate(counts))
                old = further.get(key, (mp.mpf(0), mp.mpf(0)))
                further[key] = (old[0] + x * p[i], old[1] + y * q[i])
        table = further
    return [x for x, _ in table.values()], [y for _, y in table.values()]


def epsilon(delta, pairs):
    delta = mp.mpf(delta)
    worst = mp.mpf(0)
    for p, q in pairs:
        if hockey_stick(p, q, 0) <= delta:
            continue
        low, high = mp.mpf(0), mp.mpf(40)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (middle, high) if hockey_stick(p, q, middle) > delta else (low, middle)
        worst = max(worst, high)
    return worst


def both(p, q):
    return [(p, q), (q, p)]


def replaced_rdp(rate, multiplier, alpha):
    q, c, a = mp.mpf(rate), 1 / (2 * mp.mpf(multiplier)), mp.mpf(alpha)

    def up(x):
        return (1 - q) + q * mp.e ** (c * x - c * c / 2)

    def excess(x):
        r = up(x) / up(-x)
        return mp.npdf(x) * up(-x) * (r**a - 1 - a * (r - 1))

    reach = (2 * a + 1) * c + 14
    nodes = max(20, int(reach))
    points = [-14 + (reach + 14) * mp.mpf(k) / nodes for k in range(nodes + 1)]
    return mp.log1p(mp.quad(excess, points)) / (a - 1)


if __name__ == "__main__":
    for sigma, sensitivity, rate, delta in [(0.7, 1, 1, 1e-5), (2.5, 1, 1, 1e-6), (4.5, 3, 1, 1e-9), (2.5, 1, 0.1, 1e-6),
                                            (12, 5, 0.02, 1e-7), (0.4, 2, 0.3, 1e-4)]:
        p, q = discrete_gaussian(sigma, sensitivity, rate)
        print("integer", sigma, sensitivity, rate, delta, mp.nstr(epsilon(delta, both(p, q)), 12))
    with_unit = [mp.mpf(x) for x in ("0.5", "0.3", "0.15", "0.05")]
    without = [mp.mpf(x) for x in ("0.4", "0.2", "0.3", "0.1")]
    for rate, uses, delta in [(1, 1, 1e-2), (1, 8, 1e-3), (0.25, 8, 1e-3), (0.05, 12, 1e-6)]:
        r = mp.mpf(rate)
        mixed = [(1 - r) * y + r * x for x, y in zip(with_unit, without)]
        p, q = composed(mixed, without, uses)
        print("pair", rate, uses, delta, mp.nstr(epsilon(delta, both(p, q)), 12))
    for rate, multiplier, alpha in [(0.01, 1, 2), (0.01, 1, 16), (1e-6, 0.7, 3.7), (0.3, 5, 1.5), (0.9, 0.7, 64),
                                    (0.001, 0.2, 1.001)]:
        print("replaced", rate, multiplier, alpha, mp.nstr(replaced_rdp(rate, multiplier, alpha), 12))
    for most, units, rate in [(130, 10000, 0.01), (25, 20, 0.5), (1200, 100000, 0.01), (60, 100, 0.5)]:
        n, p = units - 1, mp.mpf(rate)
        tail = mp.fsum(mp.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(most, n + 1))
        print("cut", most, units, rate, mp.nstr(tail, 12))
