"""mu-Approx: Table 5, the loss on the reference data. Table 6 is in `server.reproduction.near_optimality`.

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

from server.measures.information_loss import euclidean_loss, sse_over_sst
from server.microaggregation.geometry import FloatArray
from server.microaggregation.m_d import m_d
from server.microaggregation.mdav_records import mdav_records
from server.microaggregation.mu_approx import mu_approx
from server.microaggregation.need import IntArray
from server.microaggregation.preparation import group_means, standardize
from server.microaggregation.size_rule import SizeRule
from server.reproduction.catalogue import PAPERS
from server.reproduction.inputs import MATRICES, Inputs
from server.reproduction.result import Cell, Comparison, Curve, Figure, Reproduction, StageProgress, Table

PAPER = PAPERS["mu-approx"]
FILE = "microaggregation"
KS = (3, 4, 5, 10)
SEEDS = 20
"""Runs of mu-Approx, of which means are taken."""
TOLERANCE = 0.05
"""Promised for the mean of mu-Approx over the seeds, as a share of the printed value."""
BELOW = frozenset({("census", 3, "L_E"), ("census", 5, "L_SSE")})
"""Where ours loses more than 5 % less than printed: nothing is promised there; see the explanation."""
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
    done, total = 0, len(MATRICES) * len(KS)
    for name in MATRICES:
        X = standardize(inputs.matrix(name)[1])[0]
        for k in KS:
            rule = SizeRule.of_k(k)
            for method, algorithm in (("MDAV", mdav_records), ("M-d", m_d)):
                for measure, lost in losses(X, algorithm(X, rule)).items():
                    ours[method, name, k, measure] = (lost, 0.0)
            found = [losses(X, mu_approx(X, rule, seed=seed)) for seed in range(SEEDS)]
            for measure in ("L_E", "L_SSE"):
                values = [losses_of_seed[measure] for losses_of_seed in found]
                ours["mu-Approx", name, k, measure] = (float(np.mean(values)), float(np.std(values)))
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
    if method == "mu-Approx" and (name, k, measure) in BELOW:
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
        note=f"mu-Approx: mean and standard deviation over {SEEDS} seeds.",
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
        f"mu-Approx is random: ours is its mean over {SEEDS} seeds, the table's perhaps a single run. "
        "Promised are 5 % of the printed value and half a unit of its last digit, in all cells but two."
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
        "Census, k = 3: the printed L_E contradicts the printed L_SSE of the same run, which ours meets. "
        "L_E over the root of L_SSE is 9.1 to 9.3 in every other printed cell of mu-Approx on Census, and "
        "10.1 there; 23.35 would fit. Census, k = 5: the printed L_E is higher than ours, too. One of the "
        "paper's free choices may explain it.\n\n"
        "Those choices are the order in which trees grow, and the vertex at which a tree is divided. We "
        "tried growing the smallest, any, each in turn and the one of the shortest edge, and dividing at "
        "any vertex, at the root, near the centroid, at any edge and at the longest one: none brings all "
        "cells within 5 %. Growing any tree and dividing it at any vertex, the literal reading, brings "
        "Census k = 5 to just within 5 %, but loses more than 10 % more than printed in EIA's L_SSE at k = "
        "5, and leaves Census k = 3 at -8 %. Only with the smallest tree and a long edge, as here, does no "
        "cell lose more than 5 % more than printed. MDAV's division of large groups plays no part at k = 3 "
        "and 4, where no component has 2k records.\n\n"
        "MDAV agrees to the last printed digit but on Census at k = 10 (and, it seems, 4), printed by a "
        "program that divides the last records another way: up to 0.5 %. M-d differs by up to 0.3 %, by "
        "where the last records of a large tree go."
    )
