"""MDAV under uncertain participation, and PCL with the published rule and every cell counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.pcl import on_grid
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.preparation import sse, sst, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.reproduction import distortion
from server.statistics.reproduction.catalogue import CATALOGUE
from server.statistics.reproduction.distortion import BOUNDS, JUDGED, assigned, gaussian_records, pcl_labels
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.views import figures
from shared.cells import PowerDiagram
from tests.server.statistics.reproduction.examples import silent


@pytest.mark.parametrize("name", ["census", "tarragona"])
@pytest.mark.parametrize("n", JUDGED.values())
def test_pcl_loses_less_than_mdav_and_every_cell_is_large_enough(
    reference_data: Path, name: str, n: int
) -> None:
    X = standardize(Inputs(reference_data, None).matrix(name)[1])[0]
    labels = pcl_labels(X, n)
    assert sse(X, labels) / sst(X) <= BOUNDS[name] * distortion.distortion(X, n)
    assert np.bincount(labels).min() >= n
    assert labels.max() + 1 >= 0.8 * (len(X) // n)


@pytest.mark.parametrize(
    ("m", "k", "ratio"),
    [(2, 5, 3.95), (5, 5, 2.23), (10, 5, 1.79), (2, 50, 1.71), (5, 50, 1.27), (10, 50, 1.15)],
)
def test_figure_13a_is_what_an_independent_program_finds(m: int, k: int, ratio: float) -> None:
    needed = distortion.n_min(k, distortion.level("0.75"), "1e-5")
    X = standardize(gaussian_records(m))[0]
    assert distortion.distortion(X, needed) / distortion.distortion(X, k) == pytest.approx(ratio, rel=0.006)


def test_weighted_centroids_lose_least_where_participation_is_uneven(reference_data: Path) -> None:
    found = {
        (r.at["k"], r.at["centroids"]): r.ours
        for r in distortion.uneven(Inputs(reference_data, None), silent)
    }
    for k in (5, 10, 20):
        assert found[k, "weighted by participation"] < found[k, "plain"]


def test_curves_of_tarragona(reference_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distortion, "KS", (3, 10))
    records = list(distortion.figure_12(Inputs(reference_data, None), silent))
    found = {tuple(r.at.values()): r.ours for r in records}
    # The golden value of MDAV, and a coarser partition where fewer people take part.
    assert found["tarragona", "k", "1", 3] == pytest.approx(0.169326, abs=5e-7)
    assert (
        found["tarragona", "k", "1", 10]
        < found["tarragona", "k", "0.75", 10]
        < found["tarragona", "k", "0.5", 10]
    )
    assert {r.at["against"] for r in records} == {"k", "participation", "-log10 pbar"}
    # A curve's own participation is no place on the axis of another figure.
    for name in ("distortion-figure-11", "distortion-figure-12"):
        own = [replace(r, at={**r.at, "data": "one"}) for r in records if r.at["data"] == "tarragona"]
        drawn = figures(CATALOGUE[name].plots, own)
        assert [len(figure.curves) for figure in drawn] == [3, 2, 2]
        assert [len(figure.curves[0].x) for figure in drawn] == [2, 6, 7]


def test_the_rule_is_that_of_a_device(reference_data: Path) -> None:
    X = standardize(Inputs(reference_data, None).matrix("census")[1])[0]
    points, people, _ = canonical(on_grid(X), np.ones((len(X), 1), dtype=np.int64))
    cells = power_diagram(points, people, (1,) * X.shape[1], SizeRule(minimum=(53,)))
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
    cells = power_diagram(points, people, (1, 1), SizeRule(minimum=(4,)))
    whole = assigned(points, cells)
    monkeypatch.setattr(distortion, "_BLOCK", 7)
    assert assigned(points, cells).tolist() == whole.tolist() == cells.labels.tolist()
