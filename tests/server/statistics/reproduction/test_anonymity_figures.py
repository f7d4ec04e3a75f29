"""Figures of effective anonymity say what the exact numbers say."""

from __future__ import annotations

import math

from server.statistics.reproduction.anonymity_figures import approximations, figure_13b, figures_6_to_10
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Figure
from tests.server.statistics.reproduction.examples import silent

NOTHING = Inputs(None, None)


def named(name: str) -> Figure:
    return next(figure for figure in figures_6_to_10(NOTHING, silent).figures if figure.name == name)


def test_people_per_cell_against_failure_are_known_values() -> None:
    curves = {
        curve.label: dict(zip(curve.x, curve.y, strict=True))
        for curve in named("n-min-against-failure").curves
    }
    assert curves["k = 10, pi = 0.75"][1e-6] == 29
    assert curves["k = 10, pi = 0.5"][1e-6] == 53
    assert curves["k = 50, pi = 0.5"][1e-5] == 151


def test_what_is_attained_lies_below_what_is_acceptable() -> None:
    acceptable, qbar, r, given = named("attained-against-acceptable").curves
    for bound, attained, eligible, participating in zip(acceptable.y, qbar.y, r.y, given.y, strict=True):
        assert attained <= bound
        assert eligible < participating < attained
        assert math.isclose(eligible, 0.75 * participating)


def test_needs_fall_with_participation_and_grow_with_k() -> None:
    assert all(list(c.y) == sorted(c.y, reverse=True) for c in named("n-min-against-participation").curves)
    assert all(list(c.y) == sorted(c.y) for c in named("n-min-against-k").curves)
    assert all(list(c.y) == sorted(c.y) for c in named("table-failure").curves)


def test_a_certain_failure_exposes_everybody_who_answers() -> None:
    curve = named("exposed-against-people").curves[0]
    assert curve.x[0] == 10
    failing = 1 - 0.75**10 - 0.25**10
    assert math.isclose(curve.y[0], (7.5 - 10 * 0.75**10) / failing)


def test_the_approximations_keep_their_sides() -> None:
    pair, *larger = approximations(NOTHING, silent).tables
    for row in pair.rows:
        values = dict(zip(pair.columns, row, strict=True))
        assert float(values["logarithmic, error %"] or 0) < 0
        assert -1 < float(values["Lambert, error %"] or 0) * int(values["exact"] or 0) / 100 <= 0
    for table in larger:
        for row in table.rows:
            values = dict(zip(table.columns, row, strict=True))
            exact = int(values["exact"] or 0)
            assert float(values["divergence, error %"] or 0) * exact / 100 > -1
            assert float(values["Pinsker, error %"] or 0) >= float(values["divergence, error %"] or 0)


def test_figure_13b_has_the_needs_at_which_distortion_is_judged() -> None:
    found = figure_13b(NOTHING, silent)
    curve = next(c for c in found.figures[0].curves if c.label == "pbar = 1e-6")
    assert dict(zip(curve.x, curve.y, strict=True))[0.75] == 29
    assert dict(zip(curve.x, curve.y, strict=True))[0.5] == 53
