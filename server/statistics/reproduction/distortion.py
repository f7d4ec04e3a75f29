"""Distortion under uncertain participation: Figures 11 to 13a by MDAV, section VI.B, and PCL's bounds.

PCL is measured as it is published: as a power diagram of sites and integer offsets, by whose exact rule every
record is assigned again and every cell counted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.measures.information_loss import expected_distortion_of_published
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.pcl import on_grid
from server.statistics.microaggregation.power_diagram import PowerCells, power_diagram
from server.statistics.microaggregation.preparation import group_means, sse, sst, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.reproduction.anonymity import level
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import At, Record
from shared.effective_anonymity import n_min

KS: Final = (2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
PARTICIPATIONS: Final = ("0.3", "0.4", "0.5", "0.6", "0.75", "0.9")
EXPONENTS: Final = (1, 2, 3, 4, 5, 6, 8)
JUDGED: Final = {"0.75": 29, "0.5": 53}
"""Participation -> n_min of k = 10 at pbar = 1e-6, at which PCL's bounds hold."""
BOUNDS: Final = {"census": 0.93, "tarragona": 0.98, "gaussian, m = 5": 0.88}
_BLOCK: Final = 2048


def figure_11(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001
    """Figure 11: D against k, pi and pbar, 10^4 Gaussian records of 10 attributes."""
    yield from _curves({}, gaussian_records(10), progress)


def figure_12(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figure 12, on the small Census and on Tarragona."""
    for name in ("census", "tarragona"):
        yield from _curves({"data": name}, inputs.matrix(name)[1], progress)


def _curves(at: At, raw: FloatArray, progress: StageProgress) -> Iterator[Record]:
    X = standardize(raw)[0]
    cases: list[tuple[str, float, dict[str, int | str]]]
    known: dict[int, float] = {}
    cases = [("k", k, {"k": k, "pi": pi, "pbar": "1e-5"}) for pi in ("1", "0.75", "0.5") for k in KS]
    cases += [
        ("participation", float(pi), {"k": 10, "pi": pi, "pbar": pbar})
        for pbar in ("1e-3", "1e-5")
        for pi in PARTICIPATIONS
    ]
    cases += [
        ("-log10 pbar", e, {"k": 10, "pi": pi, "pbar": f"1e-{e}"})
        for pi in ("0.75", "0.5")
        for e in EXPONENTS
    ]
    for number, (axis, x, case) in enumerate(cases, 1):
        k, pi, pbar = int(case["k"]), str(case["pi"]), str(case["pbar"])
        n = k if pi == "1" else n_min(k, level(pi), pbar)
        if n not in known:
            known[n] = distortion(X, n)
        curve = {"k": {"pi": pi}, "participation": {"pbar": pbar}, "-log10 pbar": {"pi": pi}}[axis]
        yield Record(at={**at, "against": axis, **curve, axis: x}, measure="D", ours=known[n])
        progress("distortions", number, len(cases))


def figure_13a(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001
    """Figure 13a: D(pi = 0.75) / D(pi = 1) against k, Gaussian records of 2, 5 and 10 attributes."""
    ks = (5, 10, 20, 30, 40, 50)
    for place, m in enumerate((2, 5, 10)):
        X = standardize(gaussian_records(m))[0]
        for number, k in enumerate(ks, 1):
            ratio = distortion(X, n_min(k, level("0.75"), "1e-5")) / distortion(X, k)
            yield Record(at={"m": m, "k": k}, measure="D(0.75) / D(1)", ours=ratio)
            progress("ratios", place * len(ks) + number, 3 * len(ks))


def uneven(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Section VI.B: Census, participation falling with income from 0.95 to 0.5."""
    names, raw = inputs.matrix("census")
    X = standardize(raw)[0]
    rank = np.argsort(np.argsort(raw[:, 0], kind="stable"), kind="stable") / (len(X) - 1)
    pi = 0.95 - 0.45 * rank
    for number, k in enumerate((5, 10, 20), 1):
        labels = mdav_records(X, SizeRule.of_k(k))
        for centroids, counts in (("plain", None), ("weighted by participation", pi)):
            masked = group_means(X, labels, counts)[labels]
            ours = expected_distortion_of_published(X, masked, pi, scaled=True).value
            yield Record(at={"income": names[0], "k": k, "centroids": centroids}, measure="D", ours=ours)
        progress("partitions", number, 3)


def pcl_bounds(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """What PCL loses beside MDAV, at the n_min of k = 10 and pbar = 1e-6."""
    for number, (name, bound) in enumerate(BOUNDS.items(), 1):
        X = standardize(gaussian_records(5) if name.startswith("gaussian") else inputs.matrix(name)[1])[0]
        for pi, n in JUDGED.items():
            at: At = {"data": name, "pi": pi, "n_min": n}
            labels = pcl_labels(X, n)
            ratio = sse(X, labels) / sst(X) / distortion(X, n)
            yield Record(
                at=at, measure="PCL / MDAV", ours=ratio, published=bound, tolerance=0.0, sense="at-most"
            )
            smallest = int(np.bincount(labels).min())
            yield Record(
                at=at, measure="smallest cell", ours=smallest, published=n, tolerance=0.0, sense="at-least"
            )
        progress("data sets", number, len(BOUNDS))


def distortion(X: FloatArray, n: int) -> float:
    """SSE / SST of MDAV with groups of at least ``n``."""
    return sse(X, mdav_records(X, SizeRule.of_k(n))) / sst(X)


def pcl_labels(X: FloatArray, n: int) -> IntArray:
    """Cells of PCL with at least ``n`` people, by the published rule alone."""
    points, people, inverse = canonical(on_grid(X), np.ones((len(X), 1), dtype=np.int64))
    diagram = power_diagram(points, people, (1,) * X.shape[1], SizeRule(minimum=(n,)))
    return assigned(points, diagram)[inverse]


def assigned(points: IntArray, diagram: PowerCells) -> IntArray:
    """Cell of each point by the published rule: integer sites and offsets, ties to the lowest index.

    Every distance plus offset is below 2^53, so int64 holds it.
    """
    labels = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), _BLOCK):
        refined = diagram.resolution * points[start : start + _BLOCK]
        scores = np.repeat(diagram.offsets[None, :], len(refined), axis=0)
        for column, sites in zip(refined.T, diagram.sites.T, strict=True):
            scores += (column[:, None] - sites[None, :]) ** 2
        labels[start : start + _BLOCK] = scores.argmin(axis=1)
    return labels


def gaussian_records(m: int) -> FloatArray:
    """10^4 records of m independent standard normal attributes, always the same."""
    return np.random.default_rng(1).standard_normal((10_000, m))
