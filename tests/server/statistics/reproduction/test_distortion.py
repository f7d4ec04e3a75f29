"""PCL against MDAV on real data, with the published rule and every cell counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.need import Need
from server.statistics.microaggregation.pcl import on_grid
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.preparation import standardize
from server.statistics.reproduction import distortion
from server.statistics.reproduction.distortion import JUDGED, assigned, gaussian_records, measured
from server.statistics.reproduction.inputs import Inputs
from shared.cells import PowerDiagram
from tests.server.statistics.reproduction.examples import silent


@pytest.mark.parametrize(("name", "bound"), [("census", 0.93), ("tarragona", 0.98)])
@pytest.mark.parametrize("n", JUDGED)
def test_pcl_loses_less_than_mdav_and_every_cell_is_large_enough(
    reference_data: Path, name: str, bound: float, n: int
) -> None:
    X = standardize(Inputs(reference_data, None).matrix(name)[1])[0]
    found = measured(X, n)
    assert found.ratio <= bound
    assert found.smallest >= n
    assert found.cells >= 0.8 * (len(X) // n)


@pytest.mark.parametrize("n", JUDGED)
def test_pcl_loses_less_than_mdav_on_gaussian_records(n: int) -> None:
    found = measured(standardize(gaussian_records())[0], n)
    assert found.ratio <= 0.88
    assert found.smallest >= n


def test_the_rule_is_that_of_a_device(reference_data: Path) -> None:
    X = standardize(Inputs(reference_data, None).matrix("census")[1])[0]
    points, people, _ = canonical(on_grid(X), np.ones((len(X), 1), dtype=np.int64))
    cells = power_diagram(points, people, (1,) * X.shape[1], Need(minimum=(53,)))
    device = PowerDiagram(
        weights=(1,) * X.shape[1],
        resolution=cells.resolution,
        sites=tuple(tuple(row) for row in cells.sites.tolist()),
        offsets=tuple(cells.offsets.tolist()),
    )
    labels = assigned(points, cells)
    assert labels.tolist() == [device.assign(tuple(point)) for point in points.tolist()]
    assert np.bincount(labels, weights=people[:, 0]).min() >= 53


def test_blocks_do_not_change_the_assignment(monkeypatch: pytest.MonkeyPatch) -> None:
    points, people, _ = canonical(np.arange(60).reshape(30, 2) ** 2, np.ones((30, 1), dtype=np.int64))
    cells = power_diagram(points, people, (1, 1), Need(minimum=(4,)))
    whole = assigned(points, cells)
    monkeypatch.setattr(distortion, "_BLOCK", 7)
    assert assigned(points, cells).tolist() == whole.tolist() == cells.labels.tolist()


def test_tarragona_is_reproduced_within_its_bounds(reference_data: Path) -> None:
    found = distortion.tarragona(Inputs(reference_data, None), silent)
    assert found.broken == ()
    assert [(c.where[1], c.measure) for c in found.comparisons] == [
        (f"n_min = {n}", measure) for n in JUDGED for measure in ("PCL / MDAV", "smallest cell")
    ]
    against_k, against_participation, against_failure = found.figures
    assert all(list(c.y) == sorted(c.y) for c in against_k.curves if c.label == "MDAV")
    assert [c.label for c in against_participation.curves][:2] == ["MDAV, pbar = 1e-2", "PCL, pbar = 1e-2"]
    for figure in (against_k, against_participation, against_failure):
        for mdav, pcl in zip(figure.curves[::2], figure.curves[1::2], strict=True):
            assert np.mean(pcl.y) < np.mean(mdav.y)
    losses = {row[0]: row for row in found.tables[0].rows}
    # The golden value of MDAV, and a coarser partition where fewer people take part.
    assert losses[3][1] == pytest.approx(0.169326, abs=5e-7)
    assert losses[53][1] > losses[29][1] > losses[10][1]  # type: ignore[operator]
    assert all(row[5] >= row[0] for row in found.tables[0].rows)  # type: ignore[operator]
