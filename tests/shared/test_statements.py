"""Trustees' statements: which ballots are the survey's, once and for ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from shared.errors import OpeningError
from shared.statements import Statement, groups_digest, require_statements
from tests import election_held as held
from tests.refusals import code_of

ALL = (1, 2, 3)


def named(statements: Sequence[Statement]) -> list[tuple[str, Statement]]:
    """With names of files."""
    return [(f"{number}.json", statement) for number, statement in enumerate(statements)]


def test_statements_of_enough_trustees() -> None:
    given = [held.statement(i) for i in ALL]
    assert require_statements(held.stated(), held.keys(), named(given)) == ALL
    few = [given[0], given[1], given[1]]
    assert code_of(lambda: require_statements(held.stated(), held.keys(), named(few))) == "opening.statements"
    assert code_of(lambda: require_statements(held.stated(), held.keys(), ())) == "opening.statements"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (held.statement(1, held.stated(root="00" * 32)), "opening.other-set"),
        (held.statement(1, held.stated(groups=((0,), (1,)))), "opening.other-set"),
        (held.statement(1, replace(held.stated(), specification="00" * 32)), "opening.statement"),
        (replace(held.statement(1), trustee=2), "opening.statement"),
        (replace(held.statement(1), trustee=4), "opening.statement"),
        (replace(held.statement(1), signature=bytes(64)), "opening.statement"),
    ],
    ids=["another-board", "other-groups", "another-survey", "another-trustee", "nobody", "unsigned"],
)
def test_a_statement_that_is_not_one_about_this(statement: Statement, code: str) -> None:
    assert code_of(lambda: require_statements(held.stated(), held.keys(), named([statement]))) == code


def test_a_file_is_read_back() -> None:
    statement = held.statement(2)
    assert Statement.parse(statement.to_bytes(), "file") == statement
    data = statement.to_bytes()
    for old, new in (
        (b'"signature":"', b'"signature":"AA'),
        (b'"signature":"', b'"signature":"!'),
        (b'"trustee":2', b'"trustee":0'),
        (b"statement/1", b"statement/0"),
    ):
        changed = data.replace(old, new)
        assert code_of(lambda c=changed: Statement.parse(c, "file")) == "opening.statement"  # type: ignore[misc]


def test_every_byte_of_a_statement_counts() -> None:
    data = held.statement(2).to_bytes()
    for place in range(len(data) - 1):
        changed = data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]
        try:
            read = Statement.parse(changed, "file")
        except OpeningError:
            continue
        assert code_of(lambda r=read: require_statements(held.stated(), held.keys(), named([r]))), place  # type: ignore[misc]


def test_groups_have_one_digest() -> None:
    sets = (held.GROUPS, ((0,), (1,), (2,), (3,)), ((1, 0), (2,), (3,)), ())
    assert len({groups_digest(groups) for groups in sets}) == 4
