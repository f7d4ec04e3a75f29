"""The registry of methods: what each is called, which options it takes, and what it cannot do."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from server.microaggregation.geometry import FloatArray
from server.microaggregation.need import IntArray, Progress
from server.microaggregation.size_rule import SizeRule
from shared.errors import InputError

_SAMPLE = 2_000
"""Records on which the time of a method is measured before it starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way to divide records into groups.

    Parameters
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
    """

    name: str
    function: str
    summary: str
    options: tuple[str, ...] = ()
    growth: float = 1.5
    random: bool = False
    one_number: bool = False
    blocks: str = ""

    def load(self) -> Callable[..., IntArray]:
        """Import the function."""
        module, _, attribute = self.function.partition(":")
        function: Callable[..., IntArray] = getattr(importlib.import_module(module), attribute)
        return function


_ROOM = "server.microaggregation"
METHODS: tuple[Method, ...] = (
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
    ),
    Method(
        name="m-d",
        function=f"{_ROOM}.m_d:m_d",
        summary="M-d: minimum spanning tree, cut where edges are longest; for clustered records",
        growth=2.0,
    ),
    Method(
        name="mu-approx",
        function=f"{_ROOM}.mu_approx:mu_approx",
        summary="mu-Approx: within a proven factor of the optimum; random, see --seed",
        growth=2.0,
        random=True,
    ),
    Method(
        name="pcl",
        function=f"{_ROOM}.pcl:pcl",
        summary="PCL: Lloyd's algorithm with a least size; often the least loss, slow beyond 10,000 records",
        growth=1.8,
    ),
    Method(
        name="univariate",
        function=f"{_ROOM}.univariate:univariate",
        summary="Optimal for one numeric quasi-identifier (Hansen-Mukherjee)",
        growth=1.1,
        one_number=True,
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
    n_records: int,
    nominal: Sequence[bool],
    options: Mapping[str, Any],
    seed: int | None,
) -> None:
    """Refuse what a method cannot do.

    Raises
    ------
    InputError
        For fewer than k records, an option of another method, a seed for a method without chance, or
        attributes the method cannot use.
    """
    if k < 2:
        raise InputError("k must be at least 2: a group of one hides nobody")
    if n_records < k:
        raise InputError(
            f"there are {n_records} records, fewer than k = {k}",
            remedy="Choose a smaller k, or more records.",
        )
    for option in options:
        if option not in method.options:
            others = [other.name for other in METHODS if option in other.options]
            raise InputError(
                f"the method {method.name} has no option --{option.replace('_', '-')}",
                expected=f"one of the methods {', '.join(others)}" if others else "",
            )
    if seed is not None and not method.random:
        raise InputError(
            f"the method {method.name} does not depend on chance; --seed would change nothing",
            remedy="Leave --seed out.",
        )
    if method.one_number and (len(nominal) != 1 or nominal[0]):
        raise InputError(
            f"the method {method.name} serves exactly one numeric quasi-identifier",
            remedy="Name one numeric column, or choose another method.",
        )


def divide(
    method: Method,
    X: FloatArray,
    k: int,
    *,
    blocks: Sequence[tuple[int, int]] = (),
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> IntArray:
    """Divide records (n x d, encoded) into groups of at least k.

    Parameters
    ----------
    blocks : sequence of (first, end)
        Columns of nominal attributes.

    Returns
    -------
    int array, shape (n,)

    Raises
    ------
    InputError
        What the algorithm refuses, in its words.

    Notes
    -----
    Guarantee: every group has at least k records, or RuntimeError: nothing is written on a promise that was
    not counted.
    """
    arguments = dict(options or {})
    if method.blocks and blocks:
        arguments[method.blocks] = tuple(blocks)
    try:
        labels = np.asarray(method.load()(X, SizeRule.of_k(k), seed=seed, progress=progress, **arguments))
    except ValueError as error:
        raise InputError(str(error), where=f"the method {method.name}") from None
    sizes = np.bincount(labels, minlength=1)
    if labels.shape != (len(X),) or sizes[sizes > 0].min() < k:
        raise RuntimeError(f"the method {method.name} made a group of fewer than {k} records")
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def refined(X: FloatArray, labels: IntArray, k: int, *, progress: Progress | None = None) -> IntArray:
    """Lower the loss of a partition by moves and swaps of records; the guarantee is that of `divide`."""
    # Compiled code: imported when it is used, as the methods are.
    refine = importlib.import_module(f"{_ROOM}.refinement").refine
    found = np.unique(refine(X, labels, SizeRule.of_k(k), progress=progress), return_inverse=True)[1]
    if np.bincount(found).min() < k:
        raise RuntimeError(f"refinement made a group of fewer than {k} records")
    return found.astype(np.int64)


def estimate_seconds(
    method: Method,
    X: FloatArray,
    k: int,
    *,
    blocks: Sequence[tuple[int, int]] = (),
    options: Mapping[str, Any] | None = None,
) -> float | None:
    """Time that `divide` will take, from a run on evenly spaced records; None if there are few of them."""
    if len(X) < 2 * _SAMPLE or k > _SAMPLE // 4:
        return None
    rows = np.linspace(0, len(X) - 1, _SAMPLE).astype(np.int64)
    divide(method, X[rows[: 4 * k]], k, blocks=blocks, options=options)  # loading and compiling is not growth
    started = time.perf_counter()
    divide(method, X[rows], k, blocks=blocks, options=options)
    taken = time.perf_counter() - started
    return float(taken * (len(X) / _SAMPLE) ** method.growth)
