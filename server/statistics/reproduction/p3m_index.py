"""P3M, losses and risks: best scoring indices (Table 4), DREAM's (Table 6), and Figures 2 to 9.

References
----------
R. Mortazavi, S. Jalili, as in `server.statistics.reproduction.p3m`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from server.arrays import FloatArray
from server.progress import StageProgress
from server.statistics.measures.disclosure_risk import (
    average_interval_disclosure,
    distance_linkage,
    scoring_index,
)
from server.statistics.measures.moments import probabilistic_information_loss
from server.statistics.microaggregation.dream import dream
from server.statistics.microaggregation.p3m import p3m
from server.statistics.reproduction.inputs import MATRICES, Inputs
from server.statistics.reproduction.p3m import (
    DISTANCE,
    KS,
    PAPER,
    TRADE_OFF,
    Levels,
    level,
    partitions,
    printed,
    rescaled_centroids,
)
from server.statistics.reproduction.result import Cell, Comparison, Curve, Figure, Reproduction, Table

DISTANCES = (0.1, 0.15, 0.2, 0.3, 0.5, 0.65, 0.8)
"""Values of Delta over which the best index is sought, in sample standard deviations."""
TRADE_OFFS = (0.0, 0.1, 0.25)
RECORD_DISTANCES = (0.5, 1.0, 1.5)
"""The same for DREAM, whose distances are those of whole records."""
MDAV_TOLERANCE = 1.5
"""Promised for MDAV's scoring index, in points."""
FIGURE_DISTANCES = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
FIGURE_TRADE_OFFS = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
FIGURE_K = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What published values keep and give away, all in percent.

    Parameters
    ----------
    satisfaction : float
        SL at the distance asked for; lower is unsafe.
    loss : float
        PIL; higher loses more.
    linkage, interval, index : float
        DLD, the mean of SDID, and SI; higher is unsafe.
    """

    satisfaction: float
    loss: float
    linkage: float
    interval: float
    index: float


MEASURES = {
    "sl": ("SL, percent", "satisfaction"),
    "il": ("IL (PIL), percent", "loss"),
    "dld": ("DLD, percent", "linkage"),
    "sdid": ("SDID, mean over 0.01 to 0.1, percent", "interval"),
    "si": ("SI, percent", "index"),
}


def score(X: FloatArray, masked: FloatArray, distance: float = DISTANCE) -> Score:
    """Measure published values (n x d) against the original, SL at a distance in sample deviations."""
    loss = probabilistic_information_loss(X, masked)[0]
    linkage, interval = distance_linkage(X, masked), average_interval_disclosure(X, masked)
    return Score(
        satisfaction=level(X, masked, distance),
        loss=float(loss.value),
        linkage=float(linkage.value),
        interval=float(interval.value),
        index=float(scoring_index(loss, linkage, interval).value),
    )


def table_4(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Table 4: the best scoring index of P3M over its parameters, and MDAV's."""
    best: dict[tuple[str, int], tuple[float, float, Score]] = {}
    mdav: dict[tuple[str, int], Score] = {}
    done, total = 0, len(MATRICES) * len(KS) * len(DISTANCES) * len(TRADE_OFFS)
    for name, k, X, labels in partitions(inputs):
        mdav[name, k] = score(X, rescaled_centroids(X, labels))
        for distance in DISTANCES:
            for trade_off in TRADE_OFFS:
                result = p3m(X, labels, minimum_distance=distance, trade_off=trade_off)
                done += 1
                progress("settings", done, total)
                if result.unmet:
                    continue
                found = score(X, result.values[labels], distance)
                if (name, k) not in best or found.index < best[name, k][2].index:
                    best[name, k] = (distance, trade_off, found)
    published = {method: printed(inputs, "table_4_best_si", key=method.lower()) for method in ("P3M", "MDAV")}
    ours: dict[str, Levels] = {
        "P3M": {cell: found.index for cell, (_, _, found) in best.items()},
        "MDAV": {cell: found.index for cell, found in mdav.items()},
    }
    comparisons = tuple(
        Comparison(
            (name, f"k = {k}", method),
            "SI",
            ours[method][name, k],
            value,
            MDAV_TOLERANCE if method == "MDAV" else 0.0,
            "points",
            "equal" if method == "MDAV" else "at-most",
        )
        for method in ours
        for (name, k), value in published[method].items()
        if (name, k) in ours[method]
    )
    return Reproduction(
        name="p3m-table-4",
        paper=PAPER,
        source="Table 4 (best scoring index)",
        tables=(
            _index_table(best, published["P3M"]),
            _parts_table("mdav", "MDAV: scoring index SI and its parts, percent", mdav, published["MDAV"]),
        ),
        figures=tuple(
            _against_k(f"si-{name}", f"Best scoring index, {name}", name, ours, published)
            for name in MATRICES
        ),
        comparisons=comparisons,
        explanation=(
            "SI = PIL / 2 + DLD / 4 + SDID / 4; lower is better. "
            + _far(comparisons, "MDAV")
            + "The rest is what the paper leaves open: the density in the standard error of a quantile, and "
            "the widths of SDID. Weights fitted to MDAV's twelve cells confirm the formula (0.12, 0.14, 0.05 "
            "for three parts of PIL, 0.28 for DLD and 0.27 for SDID, where 0.1, 0.1, 0.1, 0.25 and 0.25 are "
            "taken) and still leave 0.6 points; no density that we tried (Gaussian kernels of several "
            "bandwidths, normal, difference quotients) does better in every cell.\n\n"
            + _far(comparisons, "P3M")
            + "Over which settings the paper took the best is not known, so its values are not met, but "
            "serve as bounds: ours should be no worse. It is the best of Delta in "
            f"{', '.join(map(str, DISTANCES))} and trade-off in {', '.join(map(str, TRADE_OFFS))}, each "
            "solved to within 0.2 % of the optimum. SI has a narrow valley between these two, which the "
            "paper's grid or its solver seems not to have reached everywhere; a finer grid goes lower still."
        ),
    )


def table_6(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Table 6: the scoring index of DREAM, as we read it."""
    best: dict[tuple[str, int], tuple[float, float, Score]] = {}
    done, total = 0, len(MATRICES) * len(KS) * len(RECORD_DISTANCES)
    for name, k, X, labels in partitions(inputs):
        for distance in RECORD_DISTANCES:
            result = dream(X, labels, minimum_distance=distance, trade_off=TRADE_OFF)
            done += 1
            progress("settings", done, total)
            if result.unmet:
                continue
            found = score(X, result.values[labels])
            if (name, k) not in best or found.index < best[name, k][2].index:
                best[name, k] = (distance, TRADE_OFF, found)
    published = printed(inputs, "table_6_dream_si")
    ours = {cell: found.index for cell, (_, _, found) in best.items()}
    comparisons = tuple(
        Comparison((name, f"k = {k}", "DREAM"), "SI", ours[name, k], value, None, "points")
        for (name, k), value in published.items()
        if (name, k) in ours
    )
    return Reproduction(
        name="p3m-table-6",
        paper=PAPER,
        source="Table 6 (scoring index of DREAM)",
        tables=(_index_table(best, published),),
        figures=tuple(
            _against_k(
                f"si-{name}", f"Scoring index of DREAM, {name}", name, {"DREAM": ours}, {"DREAM": published}
            )
            for name in MATRICES
        ),
        comparisons=comparisons,
        explanation=(
            "This table is not reproduced; nothing is promised. "
            + _far(comparisons, "DREAM")
            + "Our DREAM is P3M's objective with one distance per record, a reading of one sentence. In the "
            "printed table DREAM has exactly MDAV's index on Tarragona from k = 4 on, so there it found "
            "nothing better than centroids; ours lowers the index by a quarter to a half. They are two "
            "methods. Our distances are "
            f"{', '.join(map(str, RECORD_DISTANCES))} at a trade-off of {TRADE_OFF}; a greater one lowers "
            "the index further on Tarragona."
        ),
    )


def figures(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Figures 2 to 9: SL, IL, DLD, SDID and SI against Delta, alpha and k."""
    curves: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    per_cell = len(FIGURE_DISTANCES) + len(FIGURE_TRADE_OFFS)
    done, total = 0, len(MATRICES) * (per_cell + len(KS))
    for name, k, X, labels in partitions(inputs):
        settings = [("k", float(k), DISTANCE, TRADE_OFF)]
        if k == FIGURE_K:
            settings += [("delta", distance, distance, TRADE_OFF) for distance in FIGURE_DISTANCES]
            settings += [("alpha", trade_off, DISTANCE, trade_off) for trade_off in FIGURE_TRADE_OFFS]
        for axis, x, distance, trade_off in settings:
            result = p3m(X, labels, minimum_distance=distance, trade_off=trade_off)
            found = score(X, result.values[labels], distance)
            for measure, (_, field) in MEASURES.items():
                curves.setdefault((axis, measure, name), []).append((x, float(getattr(found, field))))
            done += 1
            progress("settings", done, total)
    titles = {
        "delta": (
            "minimum distance Delta, sample standard deviations",
            f"k = {FIGURE_K}, alpha = {TRADE_OFF}",
        ),
        "alpha": ("alpha, weight of information loss", f"k = {FIGURE_K}, Delta = {DISTANCE}"),
        "k": ("k", f"Delta = {DISTANCE}, alpha = {TRADE_OFF}"),
    }
    return Reproduction(
        name="p3m-figures-2-9",
        paper=PAPER,
        source="Figures 2 to 9",
        tables=(),
        figures=tuple(
            Figure(
                f"{measure}-against-{axis}",
                f"{label.split(',')[0]} of P3M against {axis.replace('delta', 'Delta')} ({fixed})",
                x_label,
                label,
                tuple(Curve(name, *_columns(curves[axis, measure, name])) for name in MATRICES),
            )
            for axis, (x_label, fixed) in titles.items()
            for measure, (label, _) in MEASURES.items()
        ),
        comparisons=(),
        explanation=(
            "The published curves are not at hand as numbers, so ours stand alone; which of them is which of "
            "Figures 2 to 9 is not known to us, nor over which values they run. SL is the share of published "
            "values at least Delta from the true ones (more is safer), IL the information loss, DLD and SDID "
            "the risks of linkage and of a true value close by (more is unsafe), and SI = PIL / 2 + DLD / 4 "
            "+ SDID / 4. SL is taken at the Delta "
            "of the setting. Large alpha and small Delta leave only the constraints: P3M "
            "then is MDAV with rescaled centroids. Beyond a threshold of Delta, at which the objective of a "
            "tight group gets two minima, groups jump away from their members and all measures bend."
        ),
    )


def _columns(points: list[tuple[float, float]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    points = sorted(points)
    return tuple(x for x, _ in points), tuple(y for _, y in points)


def _far(comparisons: tuple[Comparison, ...], method: str) -> str:
    own = [item for item in comparisons if item.where[-1] == method]
    if not own:
        return f"No printed values are at hand for {method}. "
    low, high = min(item.difference for item in own), max(item.difference for item in own)
    return f"For {method} ours minus printed lies between {low:+.1f} and {high:+.1f} points. "


def _index_table(best: Mapping[tuple[str, int], tuple[float, float, Score]], published: Levels) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            k,
            found.index,
            published.get((name, k)),
            distance,
            trade_off,
            found.loss,
            found.linkage,
            found.interval,
            found.satisfaction,
        )
        for (name, k), (distance, trade_off, found) in best.items()
    ]
    return Table(
        "best-index",
        "Best scoring index SI and its parts, percent",
        ("data", "k", "SI", "SI published", "Delta", "trade-off", "PIL", "DLD", "SDID", "SL"),
        tuple(rows),
    )


def _parts_table(name: str, title: str, scores: Mapping[tuple[str, int], Score], published: Levels) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (data, k, found.index, published.get((data, k)), found.loss, found.linkage, found.interval)
        for (data, k), found in scores.items()
    ]
    return Table(name, title, ("data", "k", "SI", "SI published", "PIL", "DLD", "SDID"), tuple(rows))


def _against_k(
    name: str, title: str, data: str, ours: Mapping[str, Levels], published: Mapping[str, Levels]
) -> Figure:
    curves = []
    for method, values in ours.items():
        for label, found in ((method, values), (f"{method}, published", published[method])):
            there = tuple(k for k in KS if (data, k) in found)
            if there:
                x, y = tuple(map(float, there)), tuple(found[data, k] for k in there)
                curves.append(Curve(label, x, y, published=label != method))
    return Figure(name, title, "k", "SI, percent", tuple(curves))
