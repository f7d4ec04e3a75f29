"""The registry of methods: what each is called, which options it takes, and what it cannot do."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.executor import processors
from server.progress import Progress, StageProgress, stage
from server.statistics.anonymize.people import People
from server.statistics.microaggregation.preparation import Paths, group_means
from shared.errors import InputError

_SAMPLE: Final = 2_000
"""Records on which the time of a method is measured before it starts."""

_COMPILING: Final = (0.1, 3.0)
"""Seconds of a measurement that may have been compiling, so that a second one is worth its while."""


_OPTIONS: Final = {"strict": "--relaxed", "gamma": "--gamma"}
"""Keyword argument of a function -> option of the command line that sets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to divide records into groups.

    Attributes
    ----------
    name : str
        On the command line.
    function : str
        "module:function" with the library's common signature.
    summary : str
    options : tuple of str
        Keyword arguments of the function that may be set.
    growth : float
        Time grows about like n to this power; for estimates only.
    random : bool
        Whether the seed matters.
    one_number : bool
        Only for a single numeric quasi-identifier.
    blocks : str
        Keyword argument that takes the column ranges of nominal attributes, or empty.
    trees : bool
        Whether it can cut nominal attributes along their hierarchies, given as ``trees``.
    whole : bool
        Whether it is fast enough, or best, over the whole file, so that it is never done in districts.
    uneven : bool
        Whether it asks about head counts at several participation levels itself.
    """

    name: str
    function: str
    summary: str
    options: tuple[str, ...] = ()
    growth: float = 1.5
    random: bool = False
    one_number: bool = False
    blocks: str = ""
    trees: bool = False
    whole: bool = False
    uneven: bool = False

    def load(self) -> Callable[..., IntArray]:
        """Import the function."""
        module, _, attribute = self.function.partition(":")
        function: Callable[..., IntArray] = getattr(importlib.import_module(module), attribute)
        return function


_ROOM: Final = "server.statistics.microaggregation"
METHODS: Final[tuple[Method, ...]] = (
    Method(
        name="mdav",
        function=f"{_ROOM}.mdav_records:mdav_records",
        summary="MDAV: groups of k around the records farthest out; fast, up to millions of records",
        growth=1.3,
    ),
    Method(
        name="v-mdav",
        function=f"{_ROOM}.v_mdav:v_mdav",
        summary="V-MDAV: groups of k to 2k-1 that follow clusters; see --gamma",
        options=("gamma",),
        growth=1.3,
    ),
    Method(
        name="mondrian",
        function=f"{_ROOM}.mondrian:mondrian",
        summary="Mondrian: boxes by cuts at medians; the fastest",
        options=("strict",),
        growth=1.1,
        blocks="nominal",
        trees=True,
        whole=True,
        uneven=True,
    ),
    Method(
        name="m-d",
        function=f"{_ROOM}.m_d:m_d",
        summary="M-d: minimum spanning tree, cut where edges are longest; for clustered records",
        growth=1.55,
    ),
    Method(
        name="mu-approx",
        function=f"{_ROOM}.mu_approx:mu_approx",
        summary="mu-Approx: within a proven factor of the optimum; random, see --seed",
        growth=1.25,
        random=True,
    ),
    Method(
        name="pcl",
        function=f"{_ROOM}.pcl:pcl",
        summary="PCL: Lloyd's algorithm with a least size; often the least loss, slow beyond 10,000 records",
        growth=1.7,
        uneven=True,
    ),
    Method(
        name="univariate",
        function=f"{_ROOM}.univariate:univariate",
        summary="Optimal for one numeric quasi-identifier (Hansen-Mukherjee)",
        growth=1.1,
        one_number=True,
        whole=True,
    ),
)


def find(name: str) -> Method:
    """Return a method by its name.

    Raises
    ------
    InputError
        If there is none.
    """
    for method in METHODS:
        if method.name == name:
            return method
    raise InputError(
        f"there is no method {name!r}", expected="one of " + ", ".join(method.name for method in METHODS)
    )


def check(
    method: Method,
    *,
    k: int,
    parts: Sequence[Sequence[bool]],
    options: Mapping[str, Any],
    seed: int | None,
    effort: int = 0,
    district: int | None = None,
) -> None:
    """Refuse what a method cannot do.

    Parameters
    ----------
    parts : sequence of sequences of bool
        For each block of quasi-identifiers, whether each is nominal.

    Raises
    ------
    InputError
        For a k below 2, an option of another method, a seed for a method without chance, or attributes the
        method cannot use.
    """
    if k < 2:
        raise InputError("k must be at least 2: a group of one hides nobody")
    for option in options:
        if option not in method.options:
            others = [other.name for other in METHODS if option in other.options]
            raise InputError(
                f"the method {method.name} has no option {_OPTIONS.get(option, option)}",
                expected=f"one of the methods {', '.join(others)}" if others else "",
            )
    if district and method.whole:
        raise InputError(
            f"the method {method.name} is done over the whole file, which costs it little",
            where="--district",
            remedy="Leave --district out, or choose another method.",
        )
    if seed is not None and not (method.random or effort):
        raise InputError(
            f"the method {method.name} does not depend on chance; --seed would change nothing",
            remedy="Leave --seed out.",
        )
    if method.one_number and any(len(nominal) != 1 or nominal[0] for nominal in parts):
        raise InputError(
            f"the method {method.name} serves exactly one numeric quasi-identifier, or one in each block",
            remedy="Name one numeric column, or choose another method.",
        )


def divide(
    method: Method,
    X: FloatArray,
    people: People,
    *,
    blocks: Sequence[tuple[int, int]] = (),
    trees: Sequence[Paths | None] = (),
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    refine: bool = False,
    effort: int = 0,
    progress: StageProgress | None = None,
) -> IntArray:
    """Divide records (n x d, encoded) into groups that the size rule accepts.

    Parameters
    ----------
    people : People
        Of the n records.
    blocks : sequence of (first, end)
        Columns of nominal attributes.
    trees : sequence of Paths or None
        Their hierarchies, where they have any.
    refine : bool
        Lower the loss by moves and swaps of records afterwards.
    effort : int
        See `refinement.refine`.

    Returns
    -------
    int array, shape (n,)

    Raises
    ------
    InputError
        What the algorithm refuses, in its words.

    Notes
    -----
    Guarantee: every group is one that the rule accepts, or RuntimeError: nothing is written on a promise that
    was not counted. A group of several participation levels that falls short is united with the group of the
    nearest centroid, the group of fewest people first.
    """
    arguments = dict(options or {})
    if method.blocks and blocks:
        arguments[method.blocks] = tuple(blocks)
    if method.trees and any(tree is not None for tree in trees):
        arguments["trees"] = tuple(trees)
    rule, counts = people.for_algorithm(uneven=method.uneven)
    try:
        labels = np.asarray(
            method.load()(
                X, rule, counts=counts, seed=seed, progress=stage(progress, "grouping"), **arguments
            )
        )
    except ValueError as error:
        raise InputError(str(error), where=f"the method {method.name}") from None
    if labels.shape != (len(X),):
        raise RuntimeError(f"the method {method.name} labelled {labels.shape} of {len(X)} records")
    labels = _numbered(labels)
    if refine:
        labels = _refined(X, labels, people, effort, seed, stage(progress, "refining"))
    if len(people.levels) > 1:
        labels = _united(X, labels, people)
    if len(people.failing(labels)):
        raise RuntimeError(f"the method {method.name} made a group that is too small")
    return labels


def _numbered(labels: IntArray) -> IntArray:
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64).reshape(-1)


def _refined(
    X: FloatArray, labels: IntArray, people: People, effort: int, seed: int, progress: Progress | None
) -> IntArray:
    # Compiled code: imported when it is used, as the methods are.
    refine = importlib.import_module(f"{_ROOM}.refinement").refine
    rule, counts = people.for_algorithm(uneven=False)
    if len(people.levels) > 1:
        labels = _united(X, labels, people, weighed=True)
    return _numbered(refine(X, labels, rule, counts=counts, effort=effort, seed=seed, progress=progress))


def _united(X: FloatArray, labels: IntArray, people: People, *, weighed: bool = False) -> IntArray:
    """Unite groups until the rule accepts each, or (``weighed``) until each weighs enough for `refine`."""
    mass, enough = people.rule.mass(people.by_level)
    while labels.max() > 0:
        held = np.bincount(labels, mass)
        small = np.flatnonzero(held < enough) if weighed else people.failing(labels)
        if not len(small):
            break
        worst = int(small[np.argmin(held[small])])
        centroids = group_means(X, labels, people.counts)
        distance = ((centroids - centroids[worst]) ** 2).sum(axis=1)
        distance[worst] = np.inf
        labels = _numbered(np.where(labels == worst, int(distance.argmin()), labels))
    return labels


def estimate_seconds(
    method: Method,
    X: FloatArray,
    people: People,
    *,
    blocks: Sequence[tuple[int, int]] = (),
    trees: Sequence[Paths | None] = (),
    options: Mapping[str, Any] | None = None,
    district: int = 0,
) -> float | None:
    """Time that `divide` will take, from a run on evenly spaced records; None if there are few of them.

    ``district`` is the most records of a district, 0 where the file is divided whole.
    """
    if len(X) < 2 * _SAMPLE or max(people.rule.minimum) > _SAMPLE // 4:
        return None
    rows = np.linspace(0, len(X) - 1, _SAMPLE).astype(np.int64)
    first = rows[: 4 * max(people.rule.minimum)]
    divide(
        method, X[first], people.of(first), blocks=blocks, trees=trees, options=options
    )  # compiling is not growth

    def taken() -> float:
        started = time.perf_counter()
        divide(method, X[rows], people.of(rows), blocks=blocks, trees=trees, options=options)
        return time.perf_counter() - started

    seconds = taken()
    if _COMPILING[0] < seconds < _COMPILING[1]:
        seconds = min(seconds, taken())
    if district and len(X) > district:
        together = min(processors(), -(-len(X) // district))
        return float(seconds * (district / _SAMPLE) ** method.growth * len(X) / district / together)
    return float(seconds * (len(X) / _SAMPLE) ** method.growth)
