"""Submissions of an open survey: answers in plain, and receipts apart from them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from server.collection.storage.databases import Connection
from server.collection.storage.intake import Stored
from server.collection.storage.states import State, read_state, refusal
from shared.specification import Specification
from shared.submission import decode, validate


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """One submission, ready to be stored."""

    receipt: bytes
    cell: int
    answers: str


class OpenIntake:
    """Implements :class:`server.collection.storage.intake.Intake` for a survey that everybody may answer.

    Parameters
    ----------
    specification : callable
        The verified specification, as of now.
    digest : str
        The survey's identity.
    met : callable
        The state in which respondents meet the survey now, of the one in its file.
    """

    def __init__(
        self, specification: Callable[[], Specification], digest: str, met: Callable[[State], State]
    ) -> None:
        self._specification, self._digest, self._met = specification, digest, met

    def read(self, message: bytes) -> AnswerRow:
        """Check a submission; errors as :func:`decode` and :func:`validate`."""
        specification = self._specification()
        submission = decode(message, specification.message_bytes)
        accepted = validate(submission, specification, self._digest)
        return AnswerRow(
            receipt=hashlib.sha256(message).digest(),
            cell=submission.cell,
            answers=json.dumps(accepted, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        )

    def store(self, connection: Connection, group: Sequence[AnswerRow]) -> Stored:
        """Insert what is new, in an order that has nothing to do with arrival.

        Rows go in by their random keys and receipts by their digests: two orders independent of each other
        and of time, so that not even a page written by one group pairs an answer with its receipt.
        """
        state = self._met(read_state(connection))
        marks = ",".join("?" * len(group))
        known = {
            bytes(row[0])
            for row in connection.execute(
                f"SELECT digest FROM receipt WHERE digest IN ({marks})",  # noqa: S608 - only question marks
                [row.receipt for row in group],
            )
        }
        fresh = {row.receipt: row for row in group if row.receipt not in known}
        if fresh and state is State.OPEN:
            keyed = sorted((os.urandom(16), row.cell, row.answers) for row in fresh.values())
            connection.executemany("INSERT INTO answer VALUES (?, ?, ?)", keyed)
            connection.executemany("INSERT INTO receipt VALUES (?)", [(digest,) for digest in sorted(fresh)])
            return Stored(outcomes=(None,) * len(group), added=len(fresh))
        refused = None if state is State.OPEN else refusal(state, "take submissions")
        return Stored(outcomes=tuple(None if r.receipt in known else refused for r in group), added=0)

    def count(self, connection: Connection) -> int:
        return int(connection.execute("SELECT count(*) FROM receipt").fetchone()[0])

    @property
    def tables(self) -> tuple[str, ...]:
        return ("answer", "receipt")


def has_receipt(connection: Connection, digest: bytes) -> bool:
    """Whether a submission with this receipt is stored."""
    row = connection.execute("SELECT count(*) FROM receipt WHERE digest = ?", (digest,)).fetchone()
    return bool(row[0])


def read_answers(connection: Connection) -> Iterator[tuple[int, dict[str, Any]]]:
    """Cell and answers of each submission, in the random order of their keys."""
    for cell, answers in connection.execute("SELECT cell, answers FROM answer ORDER BY key"):
        yield cell, json.loads(answers)
