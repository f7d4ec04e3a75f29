"""The order of published records: a function of what is published, so that it says nothing more.

A file sorted by age gives everybody's age away by position, and so does any order that a list has grown in.
A drawn order would hide that as long as nobody can repeat the draw: a seed that stands in a report, or is one
of few, undoes it. Sorting by the published values needs no secret. A fixed public permutation follows, so
that programs that take the first records, or every tenth, do not meet a sorted file.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from server.arrays import IntArray


def published_order(keys: Sequence[IntArray]) -> IntArray:
    """Positions of the records in the order in which they are published.

    Parameters
    ----------
    keys : sequence of int arrays, shape (n,)
        One for each published column, at least one: equal where the published values are, and in their order.

    Returns
    -------
    int array, shape (n,)

    Notes
    -----
    Guarantee: for every permutation of the records the returned order lists the same rows of keys. Records
    that are alike in all of them change places unseen.
    """
    if len(keys) == 1:
        ascending = np.argsort(keys[0], kind="stable")
    else:
        ascending = np.lexsort(tuple(reversed([np.asarray(key) for key in keys])))
    return np.asarray(ascending[_spread(len(ascending))], dtype=np.int64)


def places_of(keys: Sequence[IntArray]) -> IntArray:
    """For each row of the keys its place among the different ones, in their order."""
    order = np.lexsort(tuple(reversed(list(keys))))
    new = np.zeros(len(order), np.int64)
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    places = np.empty(len(order), np.int64)
    places[order] = np.cumsum(new)
    return places


def value_codes(texts: Sequence[str]) -> IntArray:
    """For each text its rank among the distinct ones."""
    rank = {text: code for code, text in enumerate(sorted(set(texts)))}
    return np.fromiter((rank[text] for text in texts), dtype=np.int64, count=len(texts))


def _spread(n: int) -> IntArray:
    """A permutation of n that everybody knows: multiples of n over the golden ratio, modulo n."""
    step = max(1, round(n * 0.6180339887498949))
    while np.gcd(step, n) != 1:
        step += 1
    return np.asarray(np.arange(n, dtype=np.int64) * step % n, dtype=np.int64) if n else np.arange(0)
