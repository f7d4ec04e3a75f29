"""An organizer whose boxes or groups cross units, so that official totals of units minus groups tell votes.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from server.release import gate
from shared.cells import UnitCells
from shared.errors import ElectionError, OpeningError, SpecificationError
from shared.joining import Joining, Row, Segment, row_of
from shared.specification import Specification
from shared.verification import permitted
from tests.elections import HeldElection
from tests.unit_cells import election_of_units

COUNTS = (3, 3, 3, 2, 3, 3, 3, 3)
K = 3
WOMEN = frozenset(range(4))


def told_by_subtraction(groups: Sequence[Sequence[int]]) -> int:
    """Ballots of women outside of the groups of women alone: their official total minus these groups."""
    return sum(COUNTS[:4]) - sum(COUNTS[c] for cells in groups if WOMEN.issuperset(cells) for c in cells)


def regardless(row: Row, counts: Sequence[int], minimum: int, joining: Joining) -> Sequence[Segment]:
    """The rule as if there were no units."""
    return joining(replace(row, units=()), counts, minimum)


def test_groups_across_units_without_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last box of women and the first of men: two women's votes are the total minus the other groups."""
    election = HeldElection(tmp_path, specification=election_of_units()).fill(*COUNTS)
    export = election.write()
    with monkeypatch.context() as patch:
        patch.setattr(permitted, "join_within", regardless)
        stated = election.all_stated(export)
        result = election.result(export, stated).result
        assert 0 < told_by_subtraction([g.cells for g in result.groups]) < K, "the attack succeeds"
        election.verify(export, result)
    with pytest.raises(ElectionError) as refused:
        election.verify(export, result)
    assert refused.value.code == "election.result-groups"
    with pytest.raises(OpeningError):
        election.decrypt(export, 1, stated)


def test_whole_units_let_nothing_follow(tmp_path: Path) -> None:
    election = HeldElection(tmp_path, specification=election_of_units()).fill(*COUNTS)
    export = election.write()
    result = election.result(export).result
    assert told_by_subtraction([group.cells for group in result.groups]) == 0
    election.verify(export, result)


def test_a_row_that_interleaves_units(monkeypatch: pytest.MonkeyPatch) -> None:
    document = election_of_units(row=(0, 4, 1, 5, 2, 6, 3, 7)).to_bytes()
    with pytest.raises(SpecificationError, match="stand apart"):
        Specification.parse(document)
    monkeypatch.setattr(UnitCells, "stretches", lambda *_: ())
    groups = gate.decide(
        COUNTS, gate.Policy(rule="merge", minimum=K, distinct_values=1, t_closeness=None),
        row_of(Specification.parse(document)),
    ).groups  # fmt: skip
    assert 0 < told_by_subtraction([group.cells for group in groups]) < K, "the attack succeeds"


def test_a_box_that_crosses_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Women listed as a unit of men as well: whoever is listed first takes them, and the other is a sham."""
    specification = election_of_units()
    document = specification.to_bytes().replace(b'{"values":["male"]', b'{"values":["female","male"]')
    assert document != specification.to_bytes()
    with pytest.raises(SpecificationError, match="in no unit or in two"):
        Specification.parse(document)
    # One unit for all is none: two units are what makes totals official.
    document = specification.to_bytes().replace(b'{"values":["female"]', b'{"values":["male","female"]')
    with pytest.raises(SpecificationError):
        Specification.parse(document)
    monkeypatch.setattr(UnitCells, "part_of", lambda *_: 0)
    boxes = {specification.cells.assign((40, f, 1 - f)) for f in (0, 1)}
    assert len(boxes) == 1, "without the unit of a vector women and men share a box"
