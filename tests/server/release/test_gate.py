"""The gate: exhaustive for small tables, random for larger ones, and an attack that plays the subtraction."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.release.diversity import ConfidentialAttribute
from server.release.gate import Decision, decide
from server.release.policy import Policy
from shared.errors import ReleaseError
from shared.joining import Row, join


def line(*positions: int) -> Row:
    """Cells on a line; the row is that of their numbers."""
    return row_at(*((position,) for position in positions))


def row_at(*points: tuple[int, ...], weights: tuple[int, ...] = (1,)) -> Row:
    """Cells at these points, in the row of their numbers."""
    return Row(order=tuple(range(len(points))), points=tuple(points), weights=weights)


def nominal(values: Sequence[Sequence[int | None]], name: str = "q") -> ConfidentialAttribute:
    return ConfidentialAttribute(
        name=name, measure="nominal", domain_size=None, values=tuple(tuple(cell) for cell in values)
    )


def assert_guarantee(
    decision: Decision,
    counts: Sequence[int],
    policy: Policy,
    attributes: Sequence[ConfidentialAttribute] = (),
) -> None:
    """The guarantee of `decide`, recomputed the slow way."""
    cells = [cell for group in decision.groups for cell in group.cells]
    assert len(cells) == len(set(cells))
    assert decision.groups
    for group in decision.groups:
        assert group.answers == sum(counts[cell] for cell in group.cells) >= policy.minimum
        assert group.cells == tuple(sorted(group.cells))
    withheld = [cell for cell in range(len(counts)) if cell not in cells and counts[cell]]
    if withheld:
        assert policy.rule == "withhold"
        assert len(withheld) >= 2
        assert sum(counts[cell] for cell in withheld) >= policy.minimum
    if policy.rule == "merge":
        assert sorted(cells) == list(range(len(counts)))
        for group in decision.groups:
            assert group.cells == tuple(range(group.cells[0], group.cells[-1] + 1))
    else:
        assert all(len(group.cells) == 1 for group in decision.groups)
        assert all(counts[group.cells[0]] for group in decision.groups)
    assert decision.total_answers == sum(counts)
    assert decision.released_answers == sum(group.answers for group in decision.groups)
    assert decision.withheld_answers == sum(counts[cell] for cell in withheld)
    for attribute in attributes:
        table = [value for cell in cells for value in attribute.values[cell] if value is not None]
        for members in [*[group.cells for group in decision.groups], tuple(withheld)]:
            given_values = [v for cell in members for v in attribute.values[cell] if v is not None]
            if given_values and attribute.judged:
                assert len(set(given_values)) >= policy.distinct_values
                if policy.t_closeness is not None and members != tuple(withheld):
                    distance = sum(
                        abs(
                            Fraction(given_values.count(value), len(given_values))
                            - Fraction(table.count(value), len(table))
                        )
                        for value in set(table)
                    )
                    assert distance / 2 <= policy.t_closeness


@pytest.mark.parametrize("rule", ["withhold", "merge"])
@pytest.mark.parametrize("n_cells", [1, 2, 3, 4, 5])
def test_every_small_table_keeps_the_guarantee(rule: str, n_cells: int) -> None:
    policy = Policy(rule=rule, minimum=3)  # type: ignore[arg-type]
    layouts = [line(*range(n_cells)), line(*(3 * c * c % 7 for c in range(n_cells))), line(*[0] * n_cells)]
    for counts in itertools.product(range(5), repeat=n_cells):
        for row in layouts:
            try:
                decision = decide(counts, policy, row)
            except ReleaseError:
                if rule == "merge":
                    assert sum(counts) < 3
                else:
                    # Nothing can be released only if no single cell may be while the rest form a pool.
                    assert not any(
                        counts[cell] >= 3 and _poolable([*counts[:cell], *counts[cell + 1 :]], 3)
                        for cell in range(n_cells)
                    )
                continue
            assert_guarantee(decision, counts, policy)


def _poolable(rest: Sequence[int], minimum: int) -> bool:
    """Whether cells of the rest can be withheld so that none small is left and subtraction is harmless."""
    small = [count for count in rest if 0 < count < minimum]
    if not small:
        return True
    non_empty = [count for count in rest if count]
    return len(non_empty) >= 2 and sum(non_empty) >= minimum


@pytest.mark.parametrize("rule", ["withhold", "merge"])
def test_every_small_table_of_yes_and_no_keeps_the_diversity(rule: str) -> None:
    policy = Policy(rule=rule, minimum=2, distinct_values=2)  # type: ignore[arg-type]
    cells = [(), (0,), (0, 0), (0, 1), (1, 1, 1), (0, 0, 1), (None, None), (None, 1)]
    for values in itertools.product(cells, repeat=4):
        counts = [len(cell) for cell in values]
        attribute = nominal(values)
        try:
            decision = decide(counts, policy, line(0, 1, 3, 4), [attribute])
        except ReleaseError:
            continue
        assert_guarantee(decision, counts, policy, [attribute])


@st.composite
def surveys(draw: st.DrawFn) -> tuple[list[int], Policy, Row, list[ConfidentialAttribute]]:
    n_cells = draw(st.integers(1, 12))
    values = draw(
        st.lists(
            st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=9),
            min_size=n_cells,
            max_size=n_cells,
        )
    )
    points = draw(
        st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=n_cells, max_size=n_cells)
    )
    policy = Policy(
        rule=draw(st.sampled_from(["withhold", "merge"])),
        minimum=draw(st.integers(2, 8)),
        distinct_values=draw(st.integers(1, 3)),
        t_closeness=draw(st.sampled_from([None, Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)])),
    )
    return [len(cell) for cell in values], policy, row_at(*points, weights=(2, 1)), [nominal(values)]


@settings(max_examples=500, deadline=None)
@given(surveys())
def test_random_surveys_keep_the_guarantee(
    survey: tuple[list[int], Policy, Row, list[ConfidentialAttribute]],
) -> None:
    counts, policy, row, attributes = survey
    try:
        decision = decide(counts, policy, row, attributes)
    except ReleaseError:
        return
    assert_guarantee(decision, counts, policy, attributes)
    assert decide(counts, policy, row, attributes) == decision


@settings(max_examples=150, deadline=None)
@given(
    counts=st.lists(st.integers(0, 12), min_size=1, max_size=7),
    rule=st.sampled_from(["withhold", "merge"]),
    minimum=st.integers(2, 6),
)
def test_the_subtraction_attack_isolates_no_small_set(counts: list[int], rule: str, minimum: int) -> None:
    """The attacker adds and subtracts whatever she likes, and even knows which cells are empty.

    She knows the answers of each released group and, from elsewhere, of the whole survey. A set of cells
    whose answers she can isolate is one whose indicator is a linear combination of the indicators she knows.
    No such set may hold fewer than `minimum` answers, nor only one cell that was not released.
    """
    policy = Policy(rule=rule, minimum=minimum)  # type: ignore[arg-type]
    try:
        decision = decide(counts, policy, line(*range(len(counts))))
    except ReleaseError:
        return
    n_cells = len(counts)
    empty = [{cell} for cell in range(n_cells) if counts[cell] == 0]
    known = [set(range(n_cells)), *[set(group.cells) for group in decision.groups], *empty]
    rows = np.array([[cell in members for cell in range(n_cells)] for members in known], dtype=float)
    rank = np.linalg.matrix_rank(rows)
    non_empty = [cell for cell in range(n_cells) if counts[cell]]
    for size in range(1, len(non_empty) + 1):
        for isolated in itertools.combinations(non_empty, size):
            indicator = np.isin(np.arange(n_cells), isolated).astype(float)
            if np.linalg.matrix_rank(np.vstack([rows, indicator])) == rank:
                assert sum(counts[cell] for cell in isolated) >= minimum
                assert not (size == 1 and isolated[0] in decision.not_released)


def test_a_single_small_cell_takes_its_nearest_neighbour_along() -> None:
    decision = decide([20, 3, 15, 30], Policy(rule="withhold", minimum=10), line(0, 10, 12, 30))
    assert [group.cells for group in decision.groups] == [(0,), (3,)]
    assert decision.reasons == ("enough", "too-few", "complementary", "enough")
    assert decision.not_released == (1, 2)
    assert decision.withheld_answers == 18


def test_two_small_cells_with_too_few_together_take_a_third_along() -> None:
    decision = decide([3, 4, 20, 20], Policy(rule="withhold", minimum=10), line(0, 1, 5, 2))
    assert decision.reasons == ("too-few", "too-few", "enough", "complementary")


def test_two_small_cells_with_enough_together_suffice() -> None:
    decision = decide([6, 4, 20], Policy(rule="withhold", minimum=10), line(0, 1, 2))
    assert decision.not_released == (0, 1)
    assert [group.identifier for group in decision.groups] == [2]


def test_an_empty_cell_does_not_count_as_company() -> None:
    decision = decide([0, 3, 20, 20], Policy(rule="withhold", minimum=4), line(0, 1, 2, 9))
    assert decision.reasons == ("empty", "too-few", "complementary", "enough")
    assert decision.not_released == (0, 1, 2)


def test_exactly_one_cell_of_sufficient_size_is_never_withheld_alone() -> None:
    """A cell withheld for its lack of diversity would follow by subtraction as well."""
    attribute = nominal([[0] * 5, [0, 1] * 3, [0, 1] * 4])
    policy = Policy(rule="withhold", minimum=5, distinct_values=2)
    decision = decide([5, 6, 8], policy, line(0, 1, 2), [attribute])
    assert decision.reasons == ("distinct-values", "complementary", "enough")


def test_a_single_cell_too_far_from_the_table_takes_its_nearest_neighbour_along() -> None:
    """Large and diverse enough to be a pool, but one cell: its answers would follow by subtraction."""
    attribute = nominal([[0, 0, 0, 0, 0, 1], [0, 1] * 10, [0, 1] * 10, [1, 0] * 10])
    policy = Policy(rule="withhold", minimum=5, distinct_values=2, t_closeness=Fraction(1, 5))
    decision = decide([6, 20, 20, 20], policy, line(0, 5, 3, 9), [attribute])
    assert decision.reasons == ("t-closeness", "enough", "complementary", "enough")


def test_a_unanimous_pool_is_enlarged() -> None:
    attribute = nominal([[0] * 5, [0] * 6, [0, 1] * 4, [1, 0] * 4])
    decision = decide(
        [5, 6, 8, 8], Policy(rule="withhold", minimum=5, distinct_values=2), line(0, 1, 2, 3), [attribute]
    )
    assert decision.reasons == ("distinct-values", "distinct-values", "complementary", "enough")


def test_nearest_by_exact_distance_and_lowest_index_at_a_tie() -> None:
    decision = decide([20, 20, 3, 20], Policy(rule="withhold", minimum=10), line(0, 8, 10, 12))
    assert decision.not_released == (1, 2)


def test_merge_unites_the_nearest_and_keeps_everything() -> None:
    decision = decide([20, 3, 15, 30], Policy(rule="merge", minimum=10), line(0, 10, 12, 30))
    assert [group.cells for group in decision.groups] == [(0,), (1, 2), (3,)]
    assert [group.answers for group in decision.groups] == [20, 18, 30]
    assert decision.reasons == ("enough", "merged", "merged", "enough")
    assert decision.not_released == ()


def test_merge_goes_on_until_a_group_is_large_enough() -> None:
    decision = decide([3, 3, 3, 30], Policy(rule="merge", minimum=9), line(0, 1, 2, 50))
    assert [group.cells for group in decision.groups] == [(0, 1, 2), (3,)]


def test_merge_takes_empty_cells_along() -> None:
    """Otherwise the published groups would say which cells nobody answered from."""
    policy = Policy(rule="merge", minimum=10)
    cases = [
        ([20, 1, 15], [(0,), (1, 2)]),
        ([20, 0, 15], [(0,), (1, 2)]),
        ([0, 0, 20, 15], [(0, 1, 2), (3,)]),
        ([5, 0, 5], [(0, 1, 2)]),
        ([0, 12, 0, 0], [(0, 1, 2, 3)]),
    ]
    for counts, expected in cases:
        decision = decide(counts, policy, line(*(0, 4, 5, 6)[: len(counts)]))
        assert [group.cells for group in decision.groups] == expected
        assert decision.not_released == ()


def test_withheld_and_empty_cells_are_one_list() -> None:
    decision = decide([0, 5, 5, 20], Policy(rule="withhold", minimum=10), line(0, 1, 2, 3))
    assert decision.not_released == (0, 1, 2)


def test_merge_joins_whole_groups_until_they_resemble_the_table() -> None:
    attribute = nominal([[0] * 6, [0] * 6, [1] * 6, [1] * 6])
    policy = Policy(rule="merge", minimum=5, t_closeness=Fraction(1, 10))
    decision = decide([6] * 4, policy, line(0, 10, 11, 30), [attribute])
    assert [group.cells for group in decision.groups] == [(0, 1, 2, 3)]


@settings(max_examples=300, deadline=None)
@given(surveys())
def test_diversity_joins_whole_groups_of_the_counts(
    survey: tuple[list[int], Policy, Row, list[ConfidentialAttribute]],
) -> None:
    """What the answers decide is which groups of the counts stay apart, and nothing finer."""
    counts, policy, row, attributes = survey
    policy = replace(policy, rule="merge")
    try:
        decision = decide(counts, policy, row, attributes)
    except ReleaseError:
        return
    for segment in join(row, counts, policy.minimum):
        cells = {cell for cell in row.cells(segment) if counts[cell]}
        assert any(cells <= set(group.cells) for group in decision.groups)


def test_unanimity_is_reported_even_if_the_policy_asks_nothing() -> None:
    attribute = nominal([[0] * 5, [0, 1] * 3])
    decision = decide([5, 6], Policy(rule="withhold", minimum=5), line(0, 1), [attribute])
    assert [group.unanimous for group in decision.groups] == [("q",), ()]


@pytest.mark.parametrize("rule", ["withhold", "merge"])
@pytest.mark.parametrize("counts", [[0], [0, 0], [4], [2, 2], [1, 1, 1, 1]])
def test_too_few_answers_altogether(rule: str, counts: list[int]) -> None:
    with pytest.raises(ReleaseError, match="fewer than the 5"):
        decide(counts, Policy(rule=rule, minimum=5), line(*range(len(counts))))  # type: ignore[arg-type]


def test_withholding_everything_is_an_error() -> None:
    with pytest.raises(ReleaseError, match="no cell may be released"):
        decide([4, 4, 4], Policy(rule="withhold", minimum=5), line(0, 1, 2))
    with pytest.raises(ReleaseError, match="no cell may be released"):
        decide([4, 20], Policy(rule="withhold", minimum=5), line(0, 1))


def test_diversity_that_the_whole_table_lacks_is_an_error() -> None:
    attribute = nominal([[0] * 6, [0] * 6])
    for rule in ("withhold", "merge"):
        policy = Policy(rule=rule, minimum=5, distinct_values=2)  # type: ignore[arg-type]
        with pytest.raises(ReleaseError):
            decide([6, 6], policy, line(0, 1), [attribute])


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": "publish"},
        {"minimum": 1},
        {"distinct_values": 0},
        {"t_closeness": Fraction(-1, 2)},
        {"t_closeness": Fraction(3, 2)},
    ],
)
def test_impossible_policies_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Policy(**{"rule": "withhold", "minimum": 5, **changes})  # type: ignore[arg-type]


def test_inconsistent_input_is_refused() -> None:
    policy = Policy(rule="withhold", minimum=2)
    with pytest.raises(ValueError, match="other cells"):
        decide([3, 3], policy, line(0))
    with pytest.raises(ValueError, match="negative"):
        decide([3, -3], policy, line(0, 1))
    with pytest.raises(ValueError, match="one value per answer"):
        decide([3], policy, line(0), [nominal([[0, 1]])])


def test_large_survey_takes_seconds() -> None:
    n_cells = 2000
    counts = [(cell * 7919) % 23 for cell in range(n_cells)]
    row = row_at(*((cell % 50, cell // 50) for cell in range(n_cells)), weights=(1, 1))
    for rule in ("withhold", "merge"):
        policy = Policy(rule=rule, minimum=10)  # type: ignore[arg-type]
        assert_guarantee(decide(counts, policy, row), counts, policy)


def test_a_wide_gap_of_empty_cells_costs_a_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one at each for every place at which the gap could be cut: 20,000 cells would take hours."""
    n_cells, looks = 3_000, 0
    measured = Row.distance_to

    def counted(row: Row, cell: int, point: tuple[int, ...]) -> int:
        nonlocal looks
        looks += 1
        return measured(row, cell, point)

    monkeypatch.setattr(Row, "distance_to", counted)
    counts = [5] + [0] * (n_cells - 2) + [5]
    decision = decide(counts, Policy(rule="merge", minimum=5), line(*range(n_cells)))
    assert [len(group.cells) for group in decision.groups] == [n_cells // 2] * 2
    assert looks <= 4 * n_cells
