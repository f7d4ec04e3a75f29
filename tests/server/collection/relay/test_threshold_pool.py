"""The formulas of docs/relay.md against a simulation that asks the relay's own rule, and its pictures."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks.relay_pictures import PICTURES, main
from benchmarks.threshold_pool import Pool, poisson, poisson_below, simulate

PICTURES_FOLDER = Path(__file__).resolve().parents[4] / "docs" / "pictures"
POOLS = 4000
RULES = [
    (20, 600, 1 / 60), (20, 600, 1 / 30), (20, 600, 1 / 10), (2, 10, 1), (1, 10, 1), (5, 0, 2),
    (50, 3600, 0.01), (3, 100, 0.03), (7, 1, 0.01),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "seconds", "rate"), RULES)
def test_the_formulas_agree_with_the_simulation(messages: int, seconds: float, rate: float) -> None:
    pool = Pool(messages=messages, seconds=seconds, rate=rate)
    sizes, wait = simulate(pool, POOLS, seed=2)
    mean = sum(sizes) / POOLS
    spread = math.sqrt(sum((size - mean) ** 2 for size in sizes) / POOLS)
    assert mean == pytest.approx(pool.mean_size(), abs=5 * spread / math.sqrt(POOLS) + 0.01)
    assert sum(s * s for s in sizes) / sum(sizes) == pytest.approx(pool.mean_anonymity(), rel=0.03)
    assert wait == pytest.approx(pool.mean_wait(), rel=0.05)
    for size in {messages, messages + 1, round(mean)}:
        expected = pool.size_probability(size)
        error = 5 * math.sqrt(expected * (1 - expected) / POOLS) + 0.002
        assert sizes.count(size) / POOLS == pytest.approx(expected, abs=error)


@pytest.mark.parametrize(("messages", "seconds", "rate"), RULES)
def test_probabilities_sum_to_one_and_no_pool_is_too_small(
    messages: int, seconds: float, rate: float
) -> None:
    pool = Pool(messages=messages, seconds=seconds, rate=rate)
    assert math.fsum(probability for _, probability in pool.sizes()) == pytest.approx(1)
    assert min(size for size, _ in pool.sizes()) >= messages
    assert pool.mean_anonymity() >= pool.mean_size() >= messages


def test_known_cases() -> None:
    """A threshold alone: n messages wait (n-1)/2 gaps on average. A time alone: as a timed mix."""
    threshold = Pool(messages=9, seconds=0, rate=2)
    assert threshold.mean_size() == pytest.approx(9)
    assert threshold.mean_wait() == pytest.approx(4 / 2)
    timed = Pool(messages=1, seconds=100, rate=0.5)
    assert timed.mean_size() == pytest.approx(51)
    assert timed.mean_wait() == pytest.approx((100 + 50 * 50) / 51)


def test_a_flood_leaves_those_who_came_in_the_time() -> None:
    pool = Pool(messages=20, seconds=600, rate=1 / 60)
    assert pool.others_under_flooding(1) == pytest.approx(math.exp(-10))
    assert math.fsum(size * pool.others_under_flooding(size) for size in range(1, 200)) == pytest.approx(11)


def test_poisson() -> None:
    assert [poisson(0, 0), poisson(0, 1), poisson(3, -1)] == [1, 0, 0]
    assert poisson(3, 2) == pytest.approx(9 / 2 * math.exp(-3))
    assert poisson_below(3, 0) == 0
    assert poisson_below(0.5, 50) == pytest.approx(1)


@pytest.mark.parametrize("impossible", [(0, 1, 1), (1, -1, 1), (1, 1, 0), (1, 1, math.nan)])
def test_impossible_pools(impossible: tuple[int, float, float]) -> None:
    messages, seconds, rate = impossible
    with pytest.raises(ValueError, match="pool"):
        Pool(messages=messages, seconds=seconds, rate=rate)


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_in_the_docs_are_those_of_the_formulas(name: str, tmp_path: Path) -> None:
    """If this fails: python -m benchmarks.relay_pictures docs/pictures"""
    main(str(tmp_path))
    assert (tmp_path / name).read_bytes() == (PICTURES_FOLDER / name).read_bytes()
    root = ET.fromstring((tmp_path / name).read_text("utf-8"))  # noqa: S314 - our own
    texts = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) > 10
    assert max(len(text) for text in texts) < 70


def test_the_table_of_the_docs_is_that_of_the_formulas() -> None:
    page = (PICTURES_FOLDER.parent / "relay.md").read_text("utf-8")
    rows = 0
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 6 and cells[0].isdigit():
            rate, messages, minutes, wait, anonymity, alone = cells
            pool = Pool(messages=int(messages), seconds=60 * float(minutes), rate=float(rate) / 3600)
            assert f"{pool.mean_wait() / 60:.0f}" == wait
            assert f"{pool.mean_anonymity():.0f}" == anonymity
            assert f"{pool.others_under_flooding(1):.1e}" == alone
            rows += 1
    assert rows >= 6
