"""MDAV in specifiable form, as slow and obvious as it gets: Python integers and fractions, no numpy.

The text of docs and of server/statistics/microaggregation/mdav.py, sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Tuple = tuple[int, ...]
FURTHER_REFERENCES = 64


def distance(
    a: Sequence[int | Fraction], b: Sequence[int | Fraction], weights: Sequence[int]
) -> int | Fraction:
    return sum((w * (x - y) ** 2 for x, y, w in zip(a, b, weights, strict=True)), 0)


def divide(
    X: Sequence[Tuple],
    people: Sequence[Tuple],
    weights: Sequence[int],
    acceptable: Callable[[Tuple], bool],
    floor: int,
) -> tuple[list[Tuple], list[int], list[int]]:
    """References, radii and labels."""
    left = list(range(len(X)))
    references: list[Tuple] = []
    radii: list[int] = []
    labels = [-1] * len(X)

    def count(rows: Sequence[int]) -> Tuple:
        return tuple(sum(people[i][level] for i in rows) for level in range(len(people[0])))

    def farthest(point: Sequence[int | Fraction]) -> int:
        return max(left, key=lambda i: (distance(X[i], point, weights), -i))

    def cut(r: int) -> bool:
        for radius in sorted({distance(X[i], X[r], weights) for i in left}):
            inside = [i for i in left if distance(X[i], X[r], weights) <= radius]
            if not acceptable(count(inside)):
                continue
            rest = [i for i in left if i not in inside]
            if not acceptable(count(rest)):
                return False
            references.append(X[r])
            radii.append(int(radius))
            for i in inside:
                labels[i] = len(radii) - 1
            left[:] = rest
            return True
        return False

    while True:
        heads = [sum(people[i]) for i in left]
        n = sum(heads)
        centroid = [
            Fraction(sum(h * X[i][j] for i, h in zip(left, heads, strict=True)), n)
            for j in range(len(weights))
        ]
        r = farthest(centroid)
        if len(left) == 1 or n < 2 * floor:
            break
        s = farthest(X[r])
        if cut(r):
            if s in left:
                cut(s)
            continue
        order = sorted(left, key=lambda i: (-distance(X[i], X[r], weights), i))
        if not any(cut(i) for i in order[:FURTHER_REFERENCES]):
            break
    references.append(X[r])
    radii.append(int(max(distance(X[i], X[r], weights) for i in left)))
    for i in left:
        labels[i] = len(radii) - 1
    return references, radii, labels
