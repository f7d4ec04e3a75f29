"""Joining: equal to all cuttings tried one by one, on small rows; its bounds and totals on large ones."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from shared.errors import ReleaseError
from shared.joining import Row, join, join_within, points_of, row_of
from tests.builders import small_specification
from tests.reference.joining import best_cutting, best_within, every_cutting, loss
from tests.vectors.checking import random_tables

TESTS = Path(__file__).resolve().parent.parent
VECTORS, REFERENCE = TESTS / "vectors", TESTS / "reference"


def some_rows(many: int, seed: int, most: int = 9) -> Iterator[tuple[Row, list[int], int]]:
    """Rows of up to `most` cells with empty ones, equal points, weights of 0 and too few answers in all."""
    chance = random.Random(seed)
    for _ in range(many):
        n, d = chance.randint(1, most), chance.randint(1, 3)
        order = chance.sample(range(n), n)
        span = chance.choice((1, 3, 10**6))
        points = tuple(tuple(chance.randint(-span, span) for _ in range(d)) for _ in range(n))
        weights = tuple(chance.choice((0, 1, 7, 10**6)) for _ in range(d))
        counts = [chance.choice((0, 0, 1, 2, 3, chance.randint(0, 12))) for _ in range(n)]
        yield Row(order=tuple(order), points=points, weights=weights), counts, chance.randint(1, 6)


def line(*places: int) -> Row:
    return Row(order=tuple(range(len(places))), points=tuple((place,) for place in places), weights=(1,))


@pytest.mark.no_cover
def test_it_equals_all_cuttings_tried_one_by_one() -> None:
    refused = 0
    for row, counts, minimum in some_rows(1500, 1):
        expected = best_cutting(row, counts, minimum)
        if expected is None:
            refused += 1
            with pytest.raises(ReleaseError):
                join(row, counts, minimum)
        else:
            assert join(row, counts, minimum) == expected
    assert refused > 20


@pytest.mark.no_cover
def test_every_small_table_equals_all_cuttings() -> None:
    row = Row(order=(2, 0, 3, 1, 4), points=((0,), (4,), (5,), (1,), (9,)), weights=(1,))
    for counts in itertools.product(range(5), repeat=5):
        expected = best_cutting(row, counts, 3)
        if expected is None:
            assert sum(counts) < 3
        else:
            assert join(row, counts, 3) == expected


@pytest.mark.no_cover
def test_every_vector_keeps_the_bounds() -> None:
    """10,000 random tables: each cell once, none or at least k, totals exact, smaller than 2k + max c."""
    tables = 0
    for row, counts, minimum in random_tables(10_000):
        tables += 1
        try:
            segments = join_within(row, counts, minimum)
        except ReleaseError:
            assert sum(counts) < minimum
            continue
        assert [p for first, behind in segments for p in range(first, behind)] == list(range(len(counts)))
        sums = [sum(counts[cell] for cell in row.cells(segment)) for segment in segments]
        assert sum(sums) == sum(counts)
        assert all(n == 0 or minimum <= n < 2 * minimum + max(counts) for n in sums)
    assert tables == 10_000


def test_javascript_joins_every_vector_alike() -> None:
    """A second implementation, in the other language, with the same digest over all tables."""
    expected = json.loads((VECTORS / "joining.json").read_text("utf-8"))["cases"][-1]
    node = subprocess.Popen(
        ["node", str(REFERENCE / "joining.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    lines = "".join(
        json.dumps([row.order, row.points, row.weights, row.units, counts, minimum]) + "\n"
        for row, counts, minimum in random_tables(expected["tables"])
    )
    found, _ = node.communicate(lines)
    assert node.returncode == 0
    assert hashlib.sha256(found.encode()).hexdigest() == expected["digest"]


def test_a_large_segment_can_always_be_cut_without_more_loss() -> None:
    """The reason of the bounded look back, by itself: cut where the beginning first has enough."""
    for row, counts, minimum in some_rows(400, 2):
        whole = (0, len(counts))
        if sum(counts) < 2 * minimum - 1 + max(counts):
            continue
        ordered = [counts[cell] for cell in row.order]
        cut = next(i for i in range(len(counts)) if sum(ordered[:i]) >= minimum)
        assert sum(ordered[cut:]) >= minimum
        parts = loss(row, counts, (0, cut)) + loss(row, counts, (cut, len(counts)))
        assert parts <= loss(row, counts, whole)


def test_too_few_in_all_release_not_even_the_total() -> None:
    for counts in ([0], [0, 0, 0], [2, 0, 2], [4]):
        with pytest.raises(ReleaseError, match="fewer than 5"):
            join(line(*range(len(counts))), counts, 5)


def test_an_empty_cell_stands_alone_at_an_edge_and_goes_along_in_the_middle() -> None:
    assert join(line(0, 1, 2, 3, 4), [0, 2, 0, 2, 0], 3) == ((0, 1), (1, 4), (4, 5))


def test_the_later_cut_wins_a_tie() -> None:
    assert join(line(0, 1, 2), [3, 1, 3], 3) == ((0, 2), (2, 3))


def with_units(row: Row, *units: tuple[int, int]) -> Row:
    return replace(row, units=units)


def test_units_come_first() -> None:
    """Without units the third and fourth cell would be joined, over the border of the units."""
    row, counts = line(0, 10, 20, 21), [3, 3, 2, 3]
    assert join_within(row, counts, 3) == join(row, counts, 3) == ((0, 1), (1, 2), (2, 4))
    assert join_within(with_units(row, (0, 3), (3, 4)), counts, 3) == ((0, 1), (1, 3), (3, 4))


def test_a_unit_that_is_too_small_is_joined_as_a_whole() -> None:
    row = with_units(line(0, 1, 10, 11, 30), (0, 2), (2, 4), (4, 5))
    assert join_within(row, [1, 1, 3, 4, 0], 3) == ((0, 3), (3, 4), (4, 5))
    with pytest.raises(ReleaseError):
        join_within(row, [1, 1, 0, 0, 0], 3)


def test_a_stretch_of_units_without_answers_stays_apart() -> None:
    row = with_units(line(0, 1, 10, 11), (0, 2), (2, 4))
    assert join_within(row, [0, 0, 3, 0], 3) == ((0, 1), (1, 2), (2, 3), (3, 4))


def in_units(row: Row, chance: random.Random) -> Row:
    """The same row with units at random."""
    n = len(row.order)
    borders = sorted({0, n, *(place for place in range(1, n) if chance.random() < 0.4)})
    return with_units(row, *itertools.pairwise(borders))


@pytest.mark.no_cover
def test_both_levels_equal_all_cuttings_tried_one_by_one() -> None:
    chance, crossed = random.Random(13), 0
    for plain, counts, minimum in some_rows(1500, 5):
        row = in_units(plain, chance)
        expected = best_within(row, counts, minimum)
        if expected is None:
            with pytest.raises(ReleaseError):
                join_within(row, counts, minimum)
            continue
        assert join_within(row, counts, minimum) == expected
        crossed += any(a < end < b for a, b in expected for _, end in row.units)
    assert crossed > 100


@pytest.mark.no_cover
def test_every_small_table_in_units_equals_all_cuttings() -> None:
    points = ((0,), (4,), (5,), (1,), (9,))
    for units in (((0, 5),), ((0, 2), (2, 5)), ((0, 1), (1, 3), (3, 5)), tuple((i, i + 1) for i in range(5))):
        row = Row(order=(2, 0, 3, 1, 4), points=points, weights=(1,), units=units)
        for counts in itertools.product(range(4), repeat=5):
            expected = best_within(row, counts, 3)
            if expected is not None:
                assert join_within(row, counts, 3) == expected
            else:
                assert sum(counts) < 3


def test_a_border_of_units_is_crossed_only_where_one_side_is_too_small() -> None:
    for row, counts, minimum in random_tables(4000):
        if not row.units or sum(counts) < minimum:
            continue
        sums = [sum(counts[cell] for cell in row.order[slice(*unit)]) for unit in row.units]
        ends = {end for _, end in join_within(row, counts, minimum)}
        stretch: list[int] = []
        for (_, end), own in zip(row.units, sums, strict=True):
            stretch.append(own)
            if end in ends:
                for border in range(1, len(stretch)):
                    assert min(sum(stretch[:border]), sum(stretch[border:])) < minimum
                stretch = []


def test_one_set_of_groups_lets_no_other_follow() -> None:
    """Laminar: groups partition the cells, and each unit or stretch of units is a union of whole groups."""
    chance = random.Random(15)
    for plain, counts, minimum in some_rows(600, 7):
        row = in_units(plain, chance)
        if sum(counts) < minimum:
            continue
        ends = {end for _, end in join_within(row, counts, minimum)}
        start = 0
        for _, end in row.units:
            if end in ends:
                assert sum(counts[cell] for cell in row.order[start:end]) not in range(1, minimum)
                start = end


@dataclass
class Parity:
    """Admits segments with an even number of answers: more than a count asks, and not monotone."""

    ordered: Sequence[int]
    total: int = field(default=0)

    def add(self, position: int) -> None:
        self.total += self.ordered[position]

    def satisfies(self) -> bool:
        return self.total % 2 == 0


def test_what_more_is_asked_of_a_segment_is_obeyed_at_the_least_loss() -> None:
    refused = 0
    for row, counts, minimum in some_rows(600, 4):
        if sum(counts) < minimum:
            continue
        ordered = [counts[cell] for cell in row.order]
        found = []
        for cutting in every_cutting(len(counts)):
            sums = [sum(ordered[slice(*segment)]) for segment in cutting]
            if all(n == 0 or (n >= minimum and n % 2 == 0) for n in sums):
                total = sum(loss(row, counts, segment) for segment in cutting)
                found.append((total, [-start for start, _ in reversed(cutting)], cutting))
        if found:
            assert join(row, counts, minimum, lambda ordered=ordered: Parity(ordered)) == min(found)[2]
        else:
            refused += 1
            with pytest.raises(ReleaseError, match="diversity"):
                join(row, counts, minimum, lambda ordered=ordered: Parity(ordered))
    assert refused > 20


def test_units_lie_at_the_mean_of_their_answers() -> None:
    row = line(-3, 0, 7, 9).coarser([(0, 2), (2, 3), (3, 4)], [1, 1, 0, 2])
    assert (row.order, row.points) == ((0, 1, 2), ((-2,), (0,), (9,)))


def test_means_and_spreads_are_those_of_their_definition() -> None:
    """Whatever coordinates are the least ones: nothing but those above them is added up."""
    for row, counts, minimum in some_rows(400, 6):
        if sum(counts) < minimum:
            continue
        segments = join(row, counts, minimum)
        coarse = row.coarser(segments, counts)
        for segment, mean in zip(segments, coarse.points, strict=True):
            cells = row.cells(segment)
            answers = sum(counts[cell] for cell in cells)
            assert mean == tuple(
                sum(counts[cell] * row.points[cell][j] for cell in cells) // max(answers, 1)
                for j in range(len(row.weights))
            )
            assert row.spread(segment, counts) == sum(
                counts[cell] * row.distance_to(cell, mean) for cell in cells
            )


def test_what_was_joined_over_a_border_is_one_unit_from_then_on() -> None:
    row = with_units(line(0, 1, 2, 3, 4), (0, 2), (2, 3), (3, 5))
    coarse = row.coarser([(0, 1), (1, 3), (3, 5)], [1] * 5)
    assert coarse.units == ((0, 2), (2, 3))


def test_units_follow_one_another_and_cover_the_row() -> None:
    row = line(0, 1, 2)
    for units in (((0, 2),), ((1, 3),), ((0, 2), (1, 3)), ((0, 3), (3, 3)), ((0, 1), (2, 3))):
        with pytest.raises(ValueError, match="unit"):
            with_units(row, *units)


def test_a_row_holds_each_cell_once() -> None:
    for order, points, weights in (
        ((0, 0), ((1,), (2,)), (1,)),
        ((0,), ((1,), (2,)), (1,)),
        ((0, 1), ((1,), (2,)), (-1,)),
        ((0, 1), ((1,), (2, 3)), (1,)),
    ):
        with pytest.raises(ValueError):
            Row(order=order, points=points, weights=weights)


def test_points_are_the_published_centroids() -> None:
    assert points_of((("-0.5000", "12.3456"), ("0.0001", "-7.0000"))) == ((-5000, 123456), (1, -70000))
    specification = small_specification(row=(7, 6, 5, 4, 3, 2, 1, 0))
    assert row_of(specification).order == (7, 6, 5, 4, 3, 2, 1, 0)
    assert row_of(specification).distance(0, 2) == 25_0000**2
