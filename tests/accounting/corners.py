# SPDX-License-Identifier: Apache-2.0
# Independent reference values of the tests named "Corner" in pld_test.cpp: /usr/bin/python3 tests/accounting/corners.py (numpy,
# scipy, mpmath). Losses are rounded to a grid with their mean kept and convolved directly, without a transform, tilt or
# window; one use is computed in closed form with 60 digits.
import math

import mpmath
import numpy
from scipy.signal import fftconvolve


def law(q, sigma, step, reach):
    width = step * sigma / 40
    nodes = int(min(4e6, max(4e5, (reach + 12) / width)))
    z = numpy.linspace(-11, reach, nodes)
    density = numpy.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    loss = numpy.log1p(q * numpy.expm1(z / sigma - 0.5 / sigma**2))
    mass = density * numpy.exp(loss)
    place = loss / step
    low = numpy.floor(place).astype(int)
    part = place - low
    first = low.min()
    size = low.max() - first + 2
    grid = numpy.bincount(low - first, mass * (1 - part), size) + numpy.bincount(low - first + 1, mass * part, size)
    return first, grid


def power(first, grid, uses, keep, convolve):
    result = None
    for bit in bin(uses)[2:]:
        if result is not None:
            result = (2 * result[0], convolve(result[1], result[1])[:keep])
        if bit == "1":
            result = (first, grid) if result is None else (result[0] + first, convolve(result[1], grid)[:keep])
    return result


def epsilon(delta, q, sigma, uses, step, reach, most, convolve):
    first, grid = law(q, sigma, step, reach)
    first, grid = power(first, grid, uses, int(most / step), convolve)
    x = step * (first + numpy.arange(grid.size))

    def excess(e):
        above = x > e
        return (grid[above] * -numpy.expm1(e - x[above])).sum() - delta

    low, high = 0.0, float(x[-1])
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low


def one_use_replace(delta, q, multiplier):
    mpmath.mp.dps = 60
    q, delta, c = mpmath.mpf(q), mpmath.mpf(delta), 1 / (2 * mpmath.mpf(multiplier))

    def tail(z, centre):
        return mpmath.erfc((z - centre) / mpmath.sqrt(2)) / 2

    def loss(z):
        return mpmath.log((1 - q + q * mpmath.exp(c * z - c * c / 2)) / (1 - q + q * mpmath.exp(-c * z - c * c / 2)))

    def excess(z):
        p = (1 - q) * tail(z, 0) + q * tail(z, c)
        return p - mpmath.exp(loss(z)) * ((1 - q) * tail(z, 0) + q * tail(z, -c)) - delta

    low, high = mpmath.mpf(0), mpmath.mpf(12)
    for _ in range(190):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return loss(low)


if __name__ == "__main__":
    direct = numpy.convolve
    print("rare", epsilon(1e-6, 1e-7, 0.2, 40, 2e-3, 10.5, 24, direct))
    print("one use, replace", mpmath.nstr(one_use_replace(1.7e-13, 7.7e-6, 0.398), 12))
    print("tiny delta", epsilon(4e-24, 9e-4, 1.72, 64, 1e-4, 13.5, 1.2, direct))
    print("wide window", epsilon(1e-6, 1e-3, 0.5, 10000, 2e-5, 9, 60, fftconvolve))
