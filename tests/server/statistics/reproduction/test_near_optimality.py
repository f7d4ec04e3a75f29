"""Table 6 of mu-Approx and the example of the enterprises, against the exhaustive optimum."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.statistics.microaggregation.preparation import sse, sst, standardize
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.near_optimality import DRAWS, example, table_6


def test_table_6(reference_figures: Path) -> None:
    seen: list[int] = []
    result = table_6(Inputs(None, reference_figures), lambda _, done, __: seen.append(done))
    assert seen == list(range(1, DRAWS + 1))
    assert not result.broken
    (table,) = result.tables
    assert [row[0] for row in table.rows] == [2, 3, 4, 5, 6]
    for row in table.rows:
        optimum, printed, ratio, worst = (float(row[i] or 0) for i in (1, 2, 7, 8))
        assert optimum == pytest.approx(printed, rel=0.05)
        assert 1 <= ratio < worst
        assert float(row[10] or 0) >= 1
        for worst_draw, as_printed in ((row[8], row[9]), (row[11], row[12])):
            assert 1 < float(as_printed or 0) < float(worst_draw or 0)
    better = [float(row[3] or 0) < float(row[5] or 0) for row in table.rows]
    assert better == [False, False, False, False, True]
    ratios = [item for item in result.comparisons if item.measure == "SSE over the optimum"]
    assert len(ratios) == 10
    assert max(abs(item.relative or 0) for item in ratios) < 0.1
    assert [curve.published for curve in result.figures[0].curves] == [False, True, False, True]


def test_example(reference_figures: Path) -> None:
    inputs = Inputs(None, reference_figures)
    result = example(inputs, lambda *_: None)
    assert len(result.promised) == len(result.comparisons) == 4
    assert not result.broken
    given = inputs.figures("microaggregation", "sme_example")
    X = standardize(np.array([given["surface"], given["employees"]], dtype=float).T)[0]
    assert sst(X) == pytest.approx(22)
    (table,) = result.tables
    for row in table.rows:
        labels = np.full(11, -1)
        for g, group in enumerate(str(row[3]).split("; ")):
            labels[[int(i) - 1 for i in group.split(", ")]] = g
        assert np.bincount(labels).min() >= given["k"]
        assert row[1] == pytest.approx(sse(X, labels))
    losses_by_method = {row[0]: float(row[1] or 0) for row in table.rows}
    assert min(losses_by_method, key=lambda method: losses_by_method[method]) == "optimum"


def test_example_without_published_figures() -> None:
    result = example(Inputs(None, None), lambda *_: None)
    assert (len(result.tables), len(result.figures), len(result.comparisons)) == (0, 0, 0)
    assert "--published" in result.explanation
