"""Intervals of a release hold the true value about as often as they say; the benchmark draws more."""

from __future__ import annotations

from benchmarks.bench_estimates import measured


def test_intervals_hold_under_uneven_participation_and_plain_ones_do_not() -> None:
    share, rating, rare = measured("unexpected", 2500, 100)
    for line in (share, rating, rare):
        # 100 draws: 95 % give or take 2.2 %.
        assert float(line["coverage, strata"]) >= 0.88
        assert abs(float(line["off by, strata"])) < 0.1 * float(line["width, strata"]) + 0.001
    assert float(rating["coverage, unweighted"]) < 0.5


def test_what_mixed_levels_do_stays_below_its_bound() -> None:
    share, rating, _ = measured("mixed", 2500, 30)
    assert float(share["coverage, strata"]) < 0.9
    for line, reach in ((share, 1), (rating, 4)):
        assert 0 < abs(float(line["off by, strata"])) <= float(line["mixing"]) * reach
