"""The row of cells, literally: every cell is compared with all others, by numpy, coordinate by coordinate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
MAX_SWEEPS = 20


def _squared(z: FloatArray, point: FloatArray) -> FloatArray:
    """Squared distances of all columns to a point, coordinate by coordinate."""
    total = np.zeros(z.shape[1])
    for column, value in zip(z, point, strict=True):
        total += (column - value) ** 2
    return total


def ward_leaves(z: FloatArray, people: FloatArray) -> list[int]:
    """Leaves of Ward's tree; of two branches the nearer ends meet."""
    n = z.shape[1]
    centre, weight = z.copy(), people.copy()
    leaves: list[list[int]] = [[cell] for cell in range(n)]
    alive = np.ones(n, dtype=bool)
    chain: list[int] = []
    for _ in range(n - 1):
        if not chain:
            chain = [int(np.argmax(alive))]
        while True:
            last = chain[-1]
            cost = _squared(centre, centre[:, last]) * (weight * weight[last] / (weight + weight[last]))
            cost[~alive] = np.inf
            cost[last] = np.inf
            nearest = int(np.argmin(cost))
            if len(chain) > 1 and cost[chain[-2]] <= cost[nearest]:
                break  # The two are one another's nearest.
            chain.append(nearest)
        kept, gone = sorted((chain.pop(), chain.pop()))
        leaves[kept] = _end_to_end(z, leaves[kept], leaves[gone])
        both = weight[kept] + weight[gone]
        centre[:, kept] = (centre[:, kept] * weight[kept] + centre[:, gone] * weight[gone]) / both
        weight[kept] = both
        alive[gone] = False
    return leaves[int(np.argmax(alive))]


def _end_to_end(z: FloatArray, a: list[int], b: list[int]) -> list[int]:
    ways = [(x, y) for x in (a, a[::-1]) for y in (b, b[::-1])]
    gaps = [float(_squared(z[:, [x[-1]]], z[:, y[0]])[0]) for x, y in ways]
    first, second = ways[gaps.index(min(gaps))]
    return first + second


def two_opt(z: FloatArray, order: Sequence[int]) -> list[int]:
    """Turn stretches of the row around while that shortens it; the best turn from each place, in sweeps."""
    path = np.array(order)
    n = len(path)
    line = z[:, path]
    steps = _steps(line)
    for _ in range(MAX_SWEEPS):
        improved = False
        for i in range(-1, n - 2):
            # Turning the places i + 1 to j exchanges the steps (i, i + 1) and (j, j + 1); an end has no step.
            old = steps[i + 2 :]
            new = np.zeros(len(old))
            if i >= 0:
                old = old + steps[i]
                new = np.sqrt(_squared(line[:, i + 2 :], line[:, i]))
            new[:-1] += np.sqrt(_squared(line[:, i + 3 :], line[:, i + 1]))
            gain = old - new
            best = int(np.argmax(gain))
            if gain[best] > 1e-9 * old[best]:
                turned = slice(i + 1, i + 3 + best)
                path[turned] = path[turned][::-1].copy()
                line[:, turned] = line[:, turned][:, ::-1].copy()
                steps = _steps(line)
                improved = True
        if not improved:
            break
    return [int(cell) for cell in path]


def _steps(line: FloatArray) -> FloatArray:
    """Lengths of the steps from each place to the next; the last place has none."""
    total = np.zeros(line.shape[1])
    for column in line:
        total[:-1] += np.diff(column) ** 2
    return np.sqrt(total)
