"""mu-Approx: Table 5, the loss on the reference data. Table 6 is in `near_optimality`.

References
----------
J. Domingo-Ferrer, F. Sebe, A. Solanas, "A polynomial-time approximation to optimal multivariate
microaggregation", Computers and Mathematics with Applications 55 (2008) 714-732.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.measures.information_loss import euclidean_loss, sse_over_sst
from server.statistics.microaggregation.m_d import m_d
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.mu_approx import mu_approx
from server.statistics.microaggregation.preparation import group_means, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.reproduction.catalogue import PAPERS
from server.statistics.reproduction.inputs import MATRICES, Inputs
from server.statistics.reproduction.result import Cell, Comparison, Curve, Figure, Reproduction, Table

PAPER = PAPERS["mu-approx"]
FILE = "microaggregation"
KS = (3, 4, 5, 10)
SEEDS = 20
"""Runs of mu-Approx, of which means are taken."""
TOLERANCE = 0.05
"""Promised for the mean of mu-Approx over the seeds, as a share of the printed value."""
MISPRINT = ("census", 3, "L_E")
"""Printed as 25.35, and 23.35 by the same program: nothing is promised there; see the explanation."""
_KEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "MDAV": {"L_E": ("mdav_l_e_printed",), "L_SSE": ("mdav_l_sse", "printed")},
    "mu-Approx": {"L_E": ("mu_approx_printed", "l_e"), "L_SSE": ("mu_approx_printed", "l_sse")},
    "M-d": {"L_SSE": ("m_d_mst_printed_l_sse",)},
}
OTHER_MDAV = frozenset({("census", 4), ("census", 10)})
"""Where the printed MDAV divides the last records another way; see the explanation."""
_PROMISED = {"MDAV": 0.0, "mu-Approx": TOLERANCE, "M-d": 0.005}
_PRINTED_UNIT = 0.01


def table_5(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Table 5: L_E and L_SSE of MDAV, mu-Approx and M-d."""
    ours: dict[tuple[str, str, int, str], tuple[float, float]] = {}
    without_order: dict[tuple[str, str, int, str], tuple[float, float]] = {}
    done, total = 0, len(MATRICES) * len(KS)
    for name in MATRICES:
        X = standardize(inputs.matrix(name)[1])[0]
        for k in KS:
            rule = SizeRule.of_k(k)
            for method, algorithm in (("MDAV", mdav_records), ("M-d", m_d)):
                for measure, lost in losses(X, algorithm(X, rule)).items():
                    ours[method, name, k, measure] = (lost, 0.0)
            as_in_file = np.arange(len(X))
            for order, into in ((as_in_file, ours), (None, without_order)):
                found = [losses(X, mu_approx(X, rule, seed=seed, order=order)) for seed in range(SEEDS)]
                for measure in ("L_E", "L_SSE"):
                    values = [losses_of_seed[measure] for losses_of_seed in found]
                    into["mu-Approx", name, k, measure] = (float(np.mean(values)), float(np.std(values)))
            done += 1
            progress("partitions", done, total)
    printed: dict[tuple[str, str, int, str], float] = {}
    for method, name, k, measure in ours:
        keys = _KEYS[method].get(measure)
        value = inputs.figures(FILE, *keys, name, str(k)) if keys else None
        if value is not None:
            printed[method, name, k, measure] = float(value)
    comparisons = tuple(
        Comparison(
            (name, f"k = {k}", method),
            measure,
            ours[method, name, k, measure][0],
            value,
            _tolerance(method, name, k, measure, value),
            "%",
        )
        for (method, name, k, measure), value in printed.items()
    )
    return Reproduction(
        name="mu-approx-table-5",
        paper=PAPER,
        source="Table 5, and M-d's row of its source (Laszlo and Mukherjee 2005)",
        tables=(
            *(_loss_table(measure, ours, printed) for measure in ("L_E", "L_SSE")),
            _ratio_table(ours, printed),
            _order_table(ours, without_order, printed),
        ),
        figures=tuple(_loss_figure(name, ours, printed) for name in MATRICES),
        comparisons=comparisons,
        explanation=_explanation_5(comparisons),
    )


def losses(X: FloatArray, labels: IntArray) -> dict[str, float]:
    """L_E and L_SSE of a partition, in percent, on standardized records."""
    masked = group_means(X, labels)[labels]
    return {
        "L_E": euclidean_loss(X, masked, scaled=True).value,
        "L_SSE": 100 * sse_over_sst(X, masked, scaled=True).value,
    }


def _tolerance(method: str, name: str, k: int, measure: str, printed: float) -> float | None:
    if method == "mu-Approx" and (name, k, measure) == MISPRINT:
        return None
    share = 0.005 if method == "MDAV" and (name, k) in OTHER_MDAV else _PROMISED[method]
    return share * printed + _PRINTED_UNIT / 2


def _loss_table(
    measure: str, ours: Mapping[tuple[str, str, int, str], tuple[float, float]], printed: Mapping[Any, float]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in MATRICES:
        for k in KS:
            row: list[Cell] = [name, k]
            for method in _KEYS:
                row += [ours[method, name, k, measure][0], printed.get((method, name, k, measure))]
            rows.append((*row, ours["mu-Approx", name, k, measure][1]))
    return Table(
        name=measure.lower().replace("_", "-"),
        title=f"{measure} in percent, ours beside the printed value",
        columns=(
            "data",
            "k",
            *(heading for method in _KEYS for heading in (method, f"{method}, printed")),
            "mu-Approx, deviation",
        ),
        rows=tuple(rows),
        note=f"mu-Approx: mean and standard deviation over {SEEDS} seeds, records in the order of the file.",
    )


def _ratio_table(
    ours: Mapping[tuple[str, str, int, str], tuple[float, float]], printed: Mapping[Any, float]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in MATRICES:
        for k in KS:
            row: list[Cell] = [name, k]
            for method in ("MDAV", "mu-Approx"):
                for losses_of in ({key: value for key, (value, _) in ours.items()}, printed):
                    e, square = (losses_of.get((method, name, k, measure)) for measure in ("L_E", "L_SSE"))
                    row.append(None if e is None or square is None else e / math.sqrt(square))
            rows.append(tuple(row))
    return Table(
        name="consistency",
        title="L_E over the square root of L_SSE: whether two printed figures fit each other",
        columns=("data", "k", "MDAV", "MDAV, printed", "mu-Approx", "mu-Approx, printed"),
        rows=tuple(rows),
        note="The ratio hardly depends on the partition. One printed pair stands out: Census, k = 3.",
    )


def _order_table(
    ours: Mapping[tuple[str, str, int, str], tuple[float, float]],
    without_order: Mapping[tuple[str, str, int, str], tuple[float, float]],
    printed: Mapping[Any, float],
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in MATRICES:
        for k in KS:
            row: list[Cell] = [name, k]
            for measure in ("L_E", "L_SSE"):
                cell = ("mu-Approx", name, k, measure)
                row += [ours[cell][0], without_order[cell][0], printed.get(cell)]
            rows.append(tuple(row))
    return Table(
        name="order",
        title="mu-Approx in the order of the file, and as other commands run it",
        columns=(
            "data",
            "k",
            *(f"{m}, {how}" for m in ("L_E", "L_SSE") for how in ("file", "any order", "printed")),
        ),
        rows=tuple(rows),
        note="Any order: the smallest tree grows next and the longest edge goes, so that rows may be sorted.",
    )


def _loss_figure(
    name: str, ours: Mapping[tuple[str, str, int, str], tuple[float, float]], printed: Mapping[Any, float]
) -> Figure:
    curves: list[Curve] = []
    for method in _KEYS:
        curves.append(
            Curve(method, tuple(map(float, KS)), tuple(ours[method, name, k, "L_E"][0] for k in KS))
        )
        values = [printed.get((method, name, k, "L_E")) for k in KS]
        known = [(float(k), value) for k, value in zip(KS, values, strict=True) if value is not None]
        if known:
            curves.append(printed_curve(method, known))
    return Figure(
        name=f"l-e-{name}",
        title=f"L_E on {name}",
        x_label="k",
        y_label="L_E, percent",
        curves=tuple(curves),
    )


def printed_curve(method: str, points: Sequence[tuple[float, float]]) -> Curve:
    """Printed values of a method, as marks."""
    x, y = tuple(x for x, _ in points), tuple(y for _, y in points)
    return Curve(f"{method}, printed", x, y, published=True)


def _explanation_5(comparisons: tuple[Comparison, ...]) -> str:
    text = (
        "Ours is a mean over "
        f"{SEEDS} seeds: each record in the order of the file sends an edge to its nearest neighbour outside "
        "its tree, as long as the tree is small, and random edges of large trees are removed. Promised are 5 "
        "% of the printed value and half a unit of its last digit, in all cells but one."
    )
    far = [
        item
        for item in comparisons
        if item.where[2] == "mu-Approx" and abs(item.difference) > TOLERANCE * item.published
    ]
    if far:
        listed = "; ".join(
            f"{item.where[0]} {item.where[1]} {item.measure} {item.ours:.3f} beside {item.published:.2f} "
            f"({100 * item.difference / item.published:+.1f} %)"
            for item in far
        )
        text += f" More than 5 % away are: {listed}."
    return text + (
        "\n\n"
        "The order was found by trying: with it, and each large tree divided by the paper's cases from the "
        "record that joined it last, nothing is random, and eight printed figures follow to the last digit: "
        "Census k = 10 (38.11 and 17.01), EIA k = 10 (10.06 and 2.26), and L_SSE of k = 4 and 5 of both. All "
        "others follow within 1 %, but EIA k = 3 (-1.5 and -4.2 %, where many records are equal and ties "
        "decide). Census k = 3 comes to an L_E of 23.35 where 25.35 is printed: a misprint. L_SSE of the "
        "same cell agrees (6.24 and 6.25), and L_E over the root of L_SSE, 9.1 to 9.3 in every other printed "
        "cell of mu-Approx on Census, is 10.1 there. We do not divide by those cases, because they may give "
        "a tree two Steiner vertices, and then cannot divide it any more.\n\n"
        "Orders that were tried before, and lie farther off: the smallest tree first, any tree, trees in "
        "random turns, the shortest edge first, one tree until it is complete; docs/reproduction.md has "
        "their figures.\n\n"
        "MDAV agrees to the last printed digit but on Census at k = 10 (and, it seems, 4), printed by a "
        "program that divides the last records another way: up to 0.5 %. M-d differs by up to 0.3 %, by "
        "where the last records of a large tree go."
    )
