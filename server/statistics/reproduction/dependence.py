"""Preservation of statistical dependence: what the weight of the confidential attributes trades for what.

Figure 8: D_X and D_Y against k; 9 to 12: D_Y against D_X as lambda goes from 0 to 1; 13: l_avg; 14: blocks.
On Gaussian pairs of correlation 0.5 and 0.9 and on Census and Tarragona, whose first six attributes are the
quasi-identifiers X and whose last seven the confidential attributes Y.

References
----------
D. Rebollo-Monedero, J. Forne, M. Soriano, J. Puiggali Allepuz, "k-Anonymous microaggregation with
preservation of statistical dependence", Information Sciences 342 (2016) 1-23.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.measures.disclosure_risk import distance_linkage, linkage_of_masked
from server.statistics.measures.diversity import Contingency, average_kl_risk, average_l, coded, in_intervals
from server.statistics.measures.information_loss import (
    distortion_of_dependence,
    distortion_of_quasi_identifiers,
)
from server.statistics.measures.moments import moments
from server.statistics.microaggregation.dependence import preserving_dependence
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import group_means, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import At, Record

MORE: Final = ("additional_reference", "dependence_000")
PAIRS: Final = 1_000
CORRELATIONS: Final = (0.5, 0.9)
GAUSSIAN_KS: Final = (50, 100, 200, 500)
DATA_KS: Final = (5, 10, 20, 50, 100)
WEIGHTS: Final = tuple(round(0.1 * i, 1) for i in range(11))
"""Values of lambda."""
INTERVAL: Final = 0.02
"""Delta of l_avg, in standard deviations. The 0.2 beside the formula is a misprint."""
QUASI_IDENTIFIERS: Final = 6
BLOCKS: Final = (6, 3, 2)
"""Attributes of a block in Figure 14."""
_NUMBERS: Final = {"rho = 0.5": 9, "rho = 0.9": 10, "census": 11, "tarragona": 12}


def figure_8(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001
    """Figure 8: D_X and D_Y against k for lambda = 0 and 1, Gaussian pairs."""
    for place, rho in enumerate(CORRELATIONS, 1):
        X, Y = gaussian_pairs(rho)
        for k in GAUSSIAN_KS:
            for weight in (0.0, 1.0):
                at: At = {"rho": rho, "lambda": weight, "k": k}
                found = point(X, Y, grouped(X, Y, k, weight))
                yield from (Record(at=at, measure=m, ours=found[m]) for m in ("D_X", "D_Y"))
        progress("correlations", place, len(CORRELATIONS))


def figures_9_12(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figures 9 to 12: D_Y against D_X, and their increments relative to lambda = 0."""
    cases: list[tuple[str, FloatArray, FloatArray, tuple[int, ...]]]
    cases = [(f"rho = {rho}", *gaussian_pairs(rho), GAUSSIAN_KS) for rho in CORRELATIONS]
    cases += [(name, *halves(inputs, name), DATA_KS) for name in ("census", "tarragona")]
    for place, (name, X, Y, ks) in enumerate(cases, 1):
        for k in ks:
            start: dict[str, float] = {}
            for weight in WEIGHTS:
                at: At = {"figure": f"Figure {_NUMBERS[name]}: {name}", "k": k, "lambda": weight}
                found = point(X, Y, grouped(X, Y, k, weight), full=True)
                start = start or found
                for measure in ("D_X", "D_Y"):
                    increment = 100 * (found[measure] / start[measure] - 1)
                    found[f"increment of {measure}, percent"] = increment
                found["D(lambda)"] = (1 - weight) * found["D_X"] + weight * found["D_Y"]
                yield from (Record(at=at, measure=m, ours=value) for m, value in found.items())
        progress("data sets", place, len(cases))


def figure_13(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figure 13: l_avg against lambda; before it, how many categories the attributes have."""
    for place, name in enumerate(("census", "tarragona"), 1):
        X, Y = halves(inputs, name)
        counts = [len(np.unique(column)) for column in in_intervals(Y, INTERVAL).T]
        printed = inputs.figures(*MORE, "l_avg", "categories", name) or (None, None)
        for which, ours, value in zip(("fewest", "most"), (min(counts), max(counts)), printed, strict=True):
            yield Record(
                at={"data": name},
                measure=f"{which} categories of an attribute",
                ours=ours,
                published=value,
                tolerance=None if value is None else 0.0,
            )
        for k in DATA_KS:
            for weight in WEIGHTS:
                at: At = {"data": name, "k": k, "lambda": weight}
                labels = grouped(X, Y, k, weight)
                yield Record(at=at, measure="l_avg", ours=average_l(labels, Y, INTERVAL).value)
        progress("data sets", place, 2)


def figure_14(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figure 14: Census in blocks of 6, 3 and 2 quasi-identifiers, k = 10: D_X and DLD against lambda."""
    X, Y = halves(inputs, "census")
    rule = SizeRule.of_k(10)
    for place, size in enumerate(BLOCKS, 1):
        blocks = [list(range(first, first + size)) for first in range(0, X.shape[1], size)]
        for weight in WEIGHTS:
            masked = np.empty_like(X)
            for block in blocks:
                labels = preserving_dependence(mdav_records, X[:, block], Y, rule, weight=weight)
                masked[:, block] = group_means(X[:, block], labels)[labels]
            found = {"D_X": distortion_of_quasi_identifiers(X, masked).value}
            found["DLD"] = linkage_of_masked(X, masked).value / 100
            checked = inputs.figures(*MORE, "figure_14", "checked", f"b={size}") if not weight else None
            for measure, ours in found.items():
                value = checked[measure] if checked else None
                at: At = {"b": size, "lambda": weight}
                yield Record(
                    at=at,
                    measure=measure,
                    ours=ours,
                    published=value,
                    digit=0.0001,
                    tolerance=None if value is None else 0.0001,
                )
        progress("blocks", place, len(BLOCKS))


def gaussian_pairs(rho: float) -> tuple[FloatArray, FloatArray]:
    """X and Y, `PAIRS` x 1 each, standardized, of correlation rho but for the draw."""
    first, second = np.random.default_rng(0).standard_normal((2, PAIRS, 1))
    return standardize(first)[0], standardize(rho * first + np.sqrt(1 - rho**2) * second)[0]


def halves(inputs: Inputs, name: str) -> tuple[FloatArray, FloatArray]:
    """Quasi-identifiers and confidential attributes of a data set, standardized."""
    Z = standardize(inputs.matrix(name)[1])[0]
    return Z[:, :QUASI_IDENTIFIERS], Z[:, QUASI_IDENTIFIERS:]


def grouped(X: FloatArray, Y: FloatArray, k: int, weight: float) -> IntArray:
    """MDAV's groups of (X, beta Y)."""
    return preserving_dependence(mdav_records, X, Y, SizeRule.of_k(k), weight=weight)


def point(X: FloatArray, Y: FloatArray, labels: IntArray, *, full: bool = False) -> dict[str, float]:
    """What a partition of standardized X and Y costs; ``full`` also says what it discloses.

    Then DLD (ours and the paper's), the average KL risk (mean over Y), and the root mean square error of the
    correlations between X and Y after masking X.
    """
    masked = group_means(X, labels)[labels]
    found = {
        "D_X": distortion_of_quasi_identifiers(X, masked).value,
        "D_Y": distortion_of_dependence(Y, labels).value,
    }
    if full:
        m = X.shape[1]
        before, after = (moments(np.column_stack([side, Y])).correlations[:m, m:] for side in (X, masked))
        risks = [Contingency.of(labels, coded(in_intervals(y, INTERVAL))[0]) for y in Y.T]
        found |= {
            "DLD, percent": linkage_of_masked(X, masked).value,
            "DLD of originals (ours), percent": distance_linkage(X, masked).value,
            "KL risk, bits": float(np.mean([average_kl_risk(risk).value for risk in risks])),
            "correlation error": float(np.sqrt(((after - before) ** 2).mean())),
        }
    return found
