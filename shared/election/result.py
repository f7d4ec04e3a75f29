"""The result of an election: votes of each group, and everything by which anybody recomputes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from shared import base64url, strict_json
from shared.election.decryption import Factors, logarithms, remaining, verify_factors
from shared.election.factors import factors_object, parse_factors
from shared.election.group import GENERATOR, Group
from shared.election.groups import Cells, Sums
from shared.election.terms import Terms
from shared.errors import ElectionError
from shared.fields import Fields
from shared.invited import Invited, require_election
from shared.limits import MAX_CELLS, MAX_CONTEST_CHOICES, MAX_PEOPLE, MAX_QUESTIONS, MAX_TRUSTEES
from shared.statements import Stated, Statement, groups_digest, require_statements

FORMAT: Final = "roomful-result/1"
MAX_RESULT_BYTES: Final = 64 * 1024 * 1024
Votes = tuple[tuple[int, ...], ...]
"""Of one group: for each contest the votes of each choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedGroup:
    """One group as a result names it.

    Attributes
    ----------
    cells : tuple of int
        Its boxes, ascending.
    ballots : int
        How many ballots were added.
    votes : tuple of tuple of int
        For each contest and choice.
    """

    cells: Cells
    ballots: int
    votes: Votes


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A result as it is published, not yet verified.

    Attributes
    ----------
    stated : Stated
        Specification, root of the final board, and digest of the groups.
    statements : tuple of Statement
        Ascending by trustee.
    groups : tuple of CountedGroup
    factors : tuple of (int, Factors)
        By the number of the trustee, ascending.
    """

    stated: Stated
    statements: tuple[Statement, ...]
    groups: tuple[CountedGroup, ...]
    factors: tuple[tuple[int, Factors], ...]

    def to_bytes(self) -> bytes:
        """The file: compact JSON with a line end."""
        value = {
            "format": FORMAT,
            "specification": self.stated.specification,
            "root": self.stated.root,
            "statements": [
                {"trustee": statement.trustee, "signature": base64url.encode(statement.signature)}
                for statement in self.statements
            ],
            "groups": [
                {"cells": list(g.cells), "ballots": g.ballots, "votes": [list(row) for row in g.votes]}
                for g in self.groups
            ],
            "factors": [{"trustee": i, "groups": factors_object(factors)} for i, factors in self.factors],
        }
        return strict_json.dumps(value) + b"\n"

    @classmethod
    def parse(cls, data: bytes, where: str = "result.json") -> Self:
        """Read a result.

        Guarantee: for all bytes, either an :class:`ElectionError`, or a result with ``to_bytes() == data``.

        Raises
        ------
        ElectionError
            With the code ``election.result-form``, or ``election.scalar``.
        """
        value = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_RESULT_BYTES)
        names = ("format", "specification", "root", "statements", "groups", "factors")
        fields = Fields(value, where, names, error=_refused)
        fields.choice("format", (FORMAT,))
        groups = tuple(_group(item, where) for item in fields.items("groups", MAX_CELLS))
        stated = Stated(
            specification=fields.digest("specification"),
            root=fields.digest("root"),
            groups=groups_digest([g.cells for g in groups]),
        )
        found = cls(
            stated=stated,
            statements=tuple(
                _statement(item, stated, where) for item in fields.items("statements", MAX_TRUSTEES)
            ),
            groups=groups,
            factors=tuple(_factors(item, where) for item in fields.items("factors", MAX_TRUSTEES)),
        )
        if found.to_bytes() != data:
            raise _refused("the file is written in another way", where=where, expected="compact JSON")
        return found

    def verify(
        self, terms: Terms, invited: Invited, root: str, groups: Sequence[Cells], ballots: Sequence[int],
        sums: Sequence[Sums], group: Group,
        begin: Callable[[str], object] = lambda _line: None,
    ) -> None:  # fmt: skip
        """Verify a result against what a verifier computed herself from board and specification.

        Parameters
        ----------
        root : str
            Of the final board.
        groups : sequence of tuple of int
            By the signed rule, from the counts.
        ballots : sequence of int
            Valid ballots of each group.
        sums : sequence of Sums
            Of each group (:func:`shared.election.groups.add_up`).
        begin : callable, optional
            Told each line before its work: ``result``, ``statements``, ``factors``, ``votes``.

        Raises
        ------
        ElectionError
            ``election.result-board``, ``election.result-groups``, ``election.factor``, ``election.factors``,
            ``election.too-few-factors`` or ``election.votes``.
        OpeningError
            ``opening.statement`` or ``opening.statements``.

        Notes
        -----
        Guarantee: if it returns, the votes of each group are those of exactly these ballots, and enough
        trustees stated that there is no other set.
        """
        begin("result")
        # 1. It is of this election and this board.
        if (self.stated.specification, self.stated.root) != (terms.digest, root):
            raise _wrong("it is of another election or board", code="election.result-board")
        # 2. Its groups are those of the signed rule, with as many ballots.
        if [(g.cells, g.ballots) for g in self.groups] != list(zip(groups, ballots, strict=True)):
            raise _wrong("its groups are not those of the signed rule", code="election.result-groups")
        # 3. Enough trustees stated just this.
        begin("statements")
        trustees = require_election(invited)
        named = [(f"statement of trustee {s.trustee}", s) for s in self.statements]
        require_statements(self.stated, invited, named)
        # 4. Each factor that is in it is right.
        begin("factors")
        numbers = [number for number, _ in self.factors]
        if numbers != sorted(set(numbers)) or any(n > len(trustees.verification_keys) for n in numbers):
            raise _wrong("a trustee's factors are there twice, or she is none", code="election.factors")
        for number, factors in self.factors:
            verify_factors(factors, number, trustees, self.stated, sums, group)
        # 5. The votes are what is left of the sums.
        begin("votes")
        left = remaining(sums, dict(self.factors), trustees.threshold, group)
        for place, (counted, elements) in enumerate(zip(self.groups, left, strict=True)):
            _require_votes(place, counted, elements, terms, group)


def count(
    sums: Sequence[Sums],
    ballots: Sequence[int],
    factors: dict[int, Factors],
    threshold: int,
    group: Group,
) -> tuple[Votes, ...]:
    """Votes of each group from verified factors.

    Raises
    ------
    ElectionError
        ``election.too-few-factors``; ``election.votes`` if a sum holds more votes than ballots.
    """
    numbers = logarithms(max(ballots, default=0), group)
    found = []
    for elements in remaining(sums, factors, threshold, group):
        if any(element not in numbers for row in elements for element in row):
            raise _wrong("a sum holds more votes than ballots", code="election.votes")
        found.append(tuple(tuple(numbers[element] for element in row) for row in elements))
    return tuple(found)


def _require_votes(
    place: int, counted: CountedGroup, elements: Sequence[Sequence[bytes]], terms: Terms, group: Group
) -> None:
    where = f"group {place + 1}"
    if tuple(map(len, counted.votes)) != terms.choices:
        raise _wrong("it has other contests or choices", where, code="election.votes")
    for row, left in zip(counted.votes, elements, strict=True):
        if sum(row) != counted.ballots:
            raise _wrong("there are more or fewer votes than ballots", where, code="election.votes")
        if any(
            group.combine((vote,), (GENERATOR,)) != element for vote, element in zip(row, left, strict=True)
        ):
            raise _wrong("the votes are not those of the sums", where, code="election.votes")


def _statement(item: Any, stated: Stated, where: str) -> Statement:
    fields = Fields(item, f"{where}: statements", ("trustee", "signature"), error=_refused)
    return Statement(
        stated=stated,
        trustee=fields.integer("trustee", 1, MAX_TRUSTEES),
        signature=base64url.decode(fields.text("signature")) or b"",
    )


def _group(item: Any, where: str) -> CountedGroup:
    fields = Fields(item, f"{where}: groups", ("cells", "ballots", "votes"), error=_refused)
    cells = _integers(fields, fields.items("cells", MAX_CELLS, minimum=1), MAX_CELLS - 1)
    if list(cells) != sorted(set(cells)):
        raise fields.fail("cells", "boxes stand twice or in another order", "ascending numbers")
    rows = fields.items("votes", MAX_QUESTIONS, minimum=1)
    if not all(isinstance(row, list) and len(row) <= MAX_CONTEST_CHOICES for row in rows):
        raise fields.fail("votes", "this is no table of votes", "a list for each contest")
    return CountedGroup(
        cells=cells,
        ballots=fields.integer("ballots", 0, MAX_PEOPLE),
        votes=tuple(_integers(fields, row, MAX_PEOPLE) for row in rows),
    )


def _integers(fields: Fields, values: list[Any], maximum: int) -> tuple[int, ...]:
    if not all(type(value) is int and 0 <= value <= maximum for value in values):
        raise fields.fail("cells", "something else than a number stands here", f"0 to {maximum}")
    return tuple(values)


def _factors(item: Any, where: str) -> tuple[int, Factors]:
    fields = Fields(item, f"{where}: factors", ("trustee", "groups"), error=_refused)
    return fields.integer("trustee", 1, MAX_TRUSTEES), parse_factors(fields, "groups")


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> ElectionError:
    return ElectionError(message, where=where, expected=expected, remedy=remedy, code="election.result-form")


def _wrong(message: str, where: str = "result", *, code: str) -> ElectionError:
    return ElectionError(
        message,
        where=where,
        expected="what the ballots of the board give",
        remedy="Do not believe this result.",
        code=code,
    )
