"""What the groups of a masked table disclose about a confidential attribute.

All measures look at a `Contingency`: how often each value occurs in each group. Missing values are nobody's
protection and are left out; a group in which nobody has a value discloses nothing and is passed over.

References
----------
A. Machanavajjhala et al., l-Diversity, ACM TKDD 1(1), 2007. T. Truta, B. Vinay, p-Sensitive k-Anonymity,
ICDE Workshops 2006. N. Li et al., t-Closeness, ICDE 2007. J. Brickell, V. Shmatikov, The Cost of Privacy, KDD
2008 (delta-disclosure). D. Rebollo-Monedero, J. Forne, J. Domingo-Ferrer, From t-Closeness-Like Privacy to
Postrandomization via Information Theory, IEEE TKDE 22(11), 2010 (average privacy risk).

Notes
-----
Differences to pyCANON 1.3.6 are listed in ``docs/measures.md`` and tested in ``test_pycanon.py``: it rounds
entropy l-diversity down to an integer, its delta ignores values that a group lacks, where the definition
gives infinity (`delta_disclosure_of_occurring_values` is its figure), and a missing number is a value to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from server.arrays import FloatArray, IntArray
from server.statistics.measures.measure import Measure

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contingency:
    """Occurrences of values in groups, without the empty pairs.

    Attributes
    ----------
    groups, values, counts : int arrays, shape (pairs,)
        Sorted by group, then value.
    n_groups, n_values : int
        Groups with at least one value, and values of the domain.
    """

    groups: IntArray
    values: IntArray
    counts: IntArray
    n_groups: int
    n_values: int

    @classmethod
    def of(cls, labels: IntArray, values: IntArray, n_values: int | None = None) -> Contingency:
        """Count values (0..n_values-1, or -1 where missing; n) in groups (n).

        Raises
        ------
        ValueError
            Different lengths, a value outside the domain, or no value at all.
        """
        labels, values = np.asarray(labels, dtype=np.int64), np.asarray(values, dtype=np.int64)
        if labels.shape != values.shape or labels.ndim != 1:
            raise ValueError("labels and values must have one entry per record")
        given = values >= 0
        if not given.any():
            raise ValueError("the confidential attribute has no value at all")
        domain = int(values.max()) + 1 if n_values is None else n_values
        if values.max() >= domain or values.min() < -1:
            raise ValueError("a value lies outside its domain")
        present, group = np.unique(labels[given], return_inverse=True)
        pairs, counts = np.unique(group * domain + values[given], return_counts=True)
        return cls(
            groups=pairs // domain,
            values=pairs % domain,
            counts=counts.astype(np.int64),
            n_groups=len(present),
            n_values=domain,
        )

    def sizes(self) -> FloatArray:
        """Records with a value, per group."""
        return np.bincount(self.groups, self.counts, self.n_groups).astype(np.float64)

    def shares(self) -> FloatArray:
        """Share of each pair in its group."""
        return np.asarray(self.counts / self.sizes()[self.groups])

    def table(self) -> FloatArray:
        """Share of each value in the whole table."""
        total = np.bincount(self.values, self.counts, self.n_values)
        return np.asarray(total / total.sum())


def coded(column: Sequence[object] | NDArray[np.generic]) -> tuple[IntArray, tuple[object, ...]]:
    """Codes 0.. of a column in the order of its sorted values, -1 where None, NaN or NaT, and the values."""
    array = np.asarray(column)
    if array.dtype.kind in "fmM":
        missing = array != array
    elif array.dtype.kind == "O":
        missing = np.array([v is None or v != v for v in array.tolist()], dtype=bool)
    else:
        missing = np.zeros(len(array), dtype=bool)
    codes = np.full(len(array), -1, dtype=np.int64)
    try:
        values, found = np.unique(array[~missing], return_inverse=True)
    except TypeError:  # numbers beside texts
        values, found = np.unique(array[~missing].astype(str), return_inverse=True)
    codes[~missing] = found
    return codes, tuple(values.tolist())


def distinct_l_diversity(contingency: Contingency) -> Measure:
    """Fewest distinct values in a group. Lower is unsafe: 1 discloses the value."""
    least = np.bincount(contingency.groups, minlength=contingency.n_groups).min()
    return Measure(
        name="distinct l-diversity",
        value=int(least),
        direction="lower is unsafe",
        source="Machanavajjhala et al. 2007",
    )


def entropy_l_diversity(contingency: Contingency) -> Measure:
    """Smallest exp(entropy) of a group. Lower is unsafe; never above distinct l."""
    share = contingency.shares()
    entropy = np.bincount(contingency.groups, -share * np.log(share), contingency.n_groups)
    return Measure(
        name="entropy l-diversity",
        value=float(np.exp(max(entropy.min(), 0.0))),
        direction="lower is unsafe",
        source="Machanavajjhala et al. 2007, entropy l-diversity",
    )


def p_sensitivity(contingencies: Sequence[Contingency]) -> Measure:
    """Fewest distinct values of any confidential attribute in a group. Lower is unsafe."""
    if not contingencies:
        raise ValueError("p-sensitivity needs at least one confidential attribute")
    return Measure(
        name="p-sensitivity",
        value=min(distinct_l_diversity(contingency).value for contingency in contingencies),
        direction="lower is unsafe",
        source="Truta, Vinay 2006",
    )


def checked_paths(paths: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the paths as tuples, or raise ValueError if they are no hierarchy of equal depth."""
    steps = tuple(tuple(path) for path in paths)
    if not steps or len({len(path) for path in steps}) != 1 or not steps[0]:
        raise ValueError("every value needs a path of the same length, from below the root to itself")
    if len(set(steps)) < len(steps):
        raise ValueError("two values have the same path")
    return steps


def t_closeness(
    contingency: Contingency, distance: Distance, paths: Sequence[Sequence[str]] | None = None
) -> Measure:
    """Greatest earth mover's distance of a group from the table. Higher is unsafe, at most 1.

    Parameters
    ----------
    contingency : Contingency
    distance : {"equal", "ordered", "hierarchical"}
        ``ordered`` takes the values as ranks 0..n_values-1.
    paths : sequence of sequences of str
        For ``hierarchical`` only: for each value its ancestors from just below the root down to itself, all
        of the same length: ``("respiratory", "flu")``. Two values are as far apart as their lowest common
        ancestor is high, relative to the root's height.

    Notes
    -----
    The same distances as `closeness`, for all groups at once: O(groups x nodes of the tree), by groups.
    """
    if (distance == "hierarchical") != (paths is not None):
        raise ValueError("paths belong to the hierarchical distance")
    table = contingency.table()
    ancestors = [np.arange(contingency.n_values)]
    if paths is not None:
        steps = checked_paths(paths)
        if len(steps) != contingency.n_values:
            raise ValueError("there must be one path per value")
        ancestors = [_numbered([path[:depth] for path in steps]) for depth in range(1, len(steps[0]) + 1)]
    worst = 0.0
    starts = np.searchsorted(contingency.groups, np.arange(contingency.n_groups + 1))
    shares = contingency.shares()
    for first, last in itertools.pairwise(starts):
        difference = -table
        difference[contingency.values[first:last]] += shares[first:last]
        if distance == "ordered":
            moved = np.abs(np.cumsum(difference)[:-1]).sum() / max(contingency.n_values - 1, 1)
        else:
            moved = sum(np.abs(np.bincount(nodes, difference)).sum() for nodes in ancestors)
            moved /= 2 * len(ancestors)
        worst = max(worst, float(moved))
    return Measure(
        name=f"t-closeness, {distance} distance",
        value=min(worst, 1.0),
        direction="higher is unsafe",
        source="Li, Li, Venkatasubramanian 2007, section 5",
    )


def delta_disclosure(contingency: Contingency) -> Measure:
    """Greatest ``|ln(share in a group / share in the table)|``. Higher is unsafe.

    Infinite as soon as a group lacks a value of the table: that somebody does *not* have it is disclosed.
    """
    occurring = contingency.table() > 0
    complete = len(contingency.counts) == contingency.n_groups * int(occurring.sum())
    return Measure(
        name="delta-disclosure",
        value=_largest_ratio(contingency) if complete else float("inf"),
        direction="higher is unsafe",
        source="Brickell, Shmatikov 2008",
    )


def delta_disclosure_of_occurring_values(contingency: Contingency) -> Measure:
    """`delta_disclosure` over the values that a group has, passing over those it lacks. Higher is unsafe."""
    return Measure(
        name="delta-disclosure of occurring values",
        value=_largest_ratio(contingency),
        direction="higher is unsafe",
        source="as pyCANON computes delta-disclosure",
    )


def average_kl_risk(contingency: Contingency) -> Measure:
    """Mutual information of group and value, in bits. Higher is unsafe; 0 discloses nothing on average."""
    ratio = contingency.shares() / contingency.table()[contingency.values]
    bits = np.dot(contingency.counts, np.log2(ratio)) / contingency.counts.sum()
    return Measure(
        name="average KL risk, bits",
        value=max(float(bits), 0.0),
        direction="higher is unsafe",
        source="Rebollo-Monedero et al. 2010, average privacy risk",
    )


def in_intervals(values: ArrayLike, interval: float) -> FloatArray:
    """Number of the interval of each value: its distance to the column's mean over Delta, rounded.

    Parameters
    ----------
    values : array, shape (n,) or (n, q)
    interval : float
        Delta >= 0; 0 leaves every value as it is.

    Raises
    ------
    ValueError
        Missing or infinite values, or an interval below 0.
    """
    given = np.asarray(values, dtype=np.float64)
    if not np.isfinite(given).all():
        raise ValueError("the confidential attribute has missing or infinite values")
    if not (np.isfinite(interval) and interval >= 0):
        raise ValueError("the interval is a number of at least 0")
    return given if interval == 0 else np.rint((given - given.mean(axis=0)) / interval)


def average_l(labels: IntArray, confidential: FloatArray, interval: float = 0.0) -> Measure:
    """l_avg: mean over the groups of the number of distinct confidential values. Lower is unsafe.

    Parameters
    ----------
    labels : int array, shape (n,)
    confidential : float array, shape (n,) or (n, q)
        With several attributes, that of a group in which it has fewest counts.
    interval : float
        Delta >= 0 in the units of the attribute: numbers whose distance to the attribute's mean is the same
        multiple of it, rounded to the nearest, are one value. 0 distinguishes every number. The paper takes
        0.02 standard deviations.

    Notes
    -----
    Groups count equally, whatever their size.
    """
    values = in_intervals(confidential, interval)
    columns = values[:, None] if values.ndim == 1 else values
    groups, group = np.unique(labels, return_inverse=True)
    held = [
        np.bincount(np.unique(np.column_stack([group, column]), axis=0)[:, 0].astype(np.int64))
        for column in columns.T
    ]
    return Measure(
        name=f"average l with interval {interval:g}",
        value=float(np.min(held, axis=0).sum() / len(groups)),
        direction="lower is unsafe",
        source="microaggregation with preservation of statistical dependence, section V.B",
    )


def _largest_ratio(contingency: Contingency) -> float:
    ratio = contingency.shares() / contingency.table()[contingency.values]
    return float(np.abs(np.log(ratio)).max())


def _numbered(nodes: Sequence[tuple[str, ...]]) -> IntArray:
    index = {node: number for number, node in enumerate(dict.fromkeys(nodes))}
    return np.array([index[node] for node in nodes], dtype=np.int64)
