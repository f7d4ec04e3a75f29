"""What may be opened, by numbers alone; and the gate over groups that were opened as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.release.gate import decide
from server.release.permission import decide_groups, permit, stretch
from server.release.policy import Policy
from shared.declarations import ReleaseRule
from shared.errors import ReleaseError
from shared.joining import Row
from tests.builders import small_specification


def line(*positions: int) -> Row:
    points = tuple((position,) for position in positions)
    return Row(order=tuple(range(len(points))), points=points, weights=(1,))


@settings(max_examples=200, deadline=None)
@given(
    counts=st.lists(st.integers(0, 9), min_size=8, max_size=8),
    rule=st.sampled_from(["withhold", "merge"]),
    minimum=st.integers(3, 6),
    distinct=st.integers(1, 4),
)
def test_permitted_groups_keep_the_guarantee(
    counts: list[int], rule: str, minimum: int, distinct: int
) -> None:
    """Numbers decide; the signed diversity waits for the answers."""
    signed = ReleaseRule(rule=rule, minimum=minimum, distinct_values=distinct, t_closeness="0.1")
    try:
        permitted = permit(counts, small_specification(release=signed))
    except ReleaseError:
        return
    opened = [cell for group in permitted.groups for cell in group]
    assert len(set(opened)) == len(opened)
    assert all(sum(counts[cell] for cell in group) >= minimum for group in permitted.groups)
    outside = [cell for cell in range(8) if counts[cell] and cell not in opened]
    assert permitted.sealed == tuple(outside)
    assert not outside or (len(outside) > 1 and sum(counts[cell] for cell in outside) >= minimum)
    if rule == "merge":
        assert sorted(opened) == list(range(8))
    assert permitted.group_of == {cell: i for i, group in enumerate(permitted.groups) for cell in group}


def test_k_holds_even_if_a_smaller_minimum_were_signed() -> None:
    rule = ReleaseRule(rule="withhold", minimum=2, distinct_values=1, t_closeness=None)
    with pytest.raises(ReleaseError):
        permit([2, 2, 0, 0, 0, 0, 0, 0], small_specification(release=rule))


def test_sealed_cells_stay_withheld_and_count() -> None:
    policy = Policy(rule="withhold", minimum=5)
    free = decide([9, 6, 9], policy, line(0, 1, 2))
    assert [group.cells for group in free.groups] == [(0,), (1,), (2,)]
    bound = decide([9, 6, 9], policy, line(0, 1, 5), sealed=[1])
    assert [group.cells for group in bound.groups] == [(2,)]
    assert bound.reasons == ("complementary", "sealed", "enough")
    two = decide([9, 6, 9, 9], policy, line(0, 1, 5, 6), sealed=[0, 1])
    assert [group.cells for group in two.groups] == [(2,), (3,)]
    assert two.withheld_answers == 15


def test_an_empty_sealed_cell_is_an_empty_cell() -> None:
    policy = Policy(rule="withhold", minimum=5)
    decision = decide([9, 0], policy, line(0, 1), sealed=[1])
    assert decision.reasons == ("enough", "empty")


def test_nothing_is_sealed_under_merge() -> None:
    with pytest.raises(ValueError, match="merge"):
        decide([9, 9], Policy(rule="merge", minimum=5), line(0, 1), sealed=[1])


def test_opened_groups_are_united_whole() -> None:
    """The group (1, 2) has lost answers; the group (3, 4) is its nearer neighbour."""
    merge = Policy(rule="merge", minimum=5)
    counts, ballots, row = [9, 2, 0, 7, 0], [9, 3, 3, 4, 3], line(0, 10, 11, 12, 20)
    decision = decide_groups([(0,), (1, 2), (3, 4)], counts, ballots, merge, row)
    assert [(group.cells, group.answers) for group in decision.groups] == [((0,), 9), ((1, 2, 3, 4), 9)]
    assert decision.reasons == ("enough", "merged", "merged", "merged", "merged")


def test_a_group_without_one_valid_answer_goes_with_its_neighbour() -> None:
    merge = Policy(rule="merge", minimum=5)
    decision = decide_groups([(0,), (1,), (2,)], [5, 0, 9], [6, 6, 9], merge, line(0, 1, 5))
    assert [(group.cells, group.answers) for group in decision.groups] == [((0, 1), 5), ((2,), 9)]


def test_groups_keep_the_order_of_their_lowest_cells() -> None:
    row = Row(order=(3, 1, 0, 2), points=((0,), (1,), (2,), (3,)), weights=(1,))
    merge = Policy(rule="merge", minimum=5)
    decision = decide_groups([(1, 3), (0, 2)], [6, 7, 0, 0], [3, 4, 3, 3], merge, row)
    assert [(group.cells, group.answers) for group in decision.groups] == [((0, 2), 6), ((1, 3), 7)]


def test_a_stretch_of_the_row() -> None:
    row = Row(order=(3, 1, 0, 2), points=((0,), (1,), (2,), (3,)), weights=(1,))
    assert stretch(row, (0, 1)) == (1, 3)
    assert stretch(row, (0, 1, 2, 3)) == (0, 4)
    for group in ((0, 3), (0, 4), (4,), (), (1, 1)):
        assert stretch(row, group) is None


def test_a_group_that_shrank_is_withheld_with_company() -> None:
    counts, ballots = [2, 9, 9, 4, 0], [5, 9, 9, 4, 0]
    decision = decide_groups(
        [(0,), (1,), (2,)], counts, ballots, Policy(rule="withhold", minimum=5), line(0, 10, 20, 30, 40)
    )
    assert [group.cells for group in decision.groups] == [(1,), (2,)]
    assert decision.reasons == ("too-few", "enough", "enough", "sealed", "empty")
    assert decision.withheld_answers == 6


@settings(max_examples=200, deadline=None)
@given(counts=st.lists(st.integers(0, 9), min_size=8, max_size=8), surplus=st.integers(1, 6))
def test_a_surplus_unites_whole_groups_of_the_rule(counts: list[int], surplus: int) -> None:
    """So the release, which does not know of a surplus, finds its own groups in them."""
    rule = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)
    specification = small_specification(release=rule, row=(3, 1, 0, 2, 7, 6, 4, 5))
    try:
        larger = permit(counts, specification, surplus=surplus)
    except ReleaseError:
        assert sum(counts) < 3 + surplus
        return
    finer = permit(counts, specification)
    assert sorted(cell for group in larger.groups for cell in group) == list(range(8))
    assert all(sum(counts[cell] for cell in group) >= 3 + surplus for group in larger.groups)
    for group in finer.groups:
        assert sum(set(group) <= set(other) for other in larger.groups) == 1
