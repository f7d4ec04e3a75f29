"""What the two kinds of survey do differently with a submission: read it, store it, delete it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from server.storage.states import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What became of a group of submissions.

    Attributes
    ----------
    outcomes : tuple of (Exception or None)
        None for what is stored, now or before; else the error for its sender.
    added : int
        How many are new.
    """

    outcomes: tuple[Exception | None, ...]
    added: int


class Row(Protocol):
    """A submission that was read and found in order."""

    @property
    def receipt(self) -> bytes:
        """32 bytes that its sender is told."""


R = TypeVar("R", bound=Row)


class Intake(Protocol[R]):
    """The way of one kind of survey."""

    def read(self, message: bytes) -> R:
        """Check a submission; nothing is stored yet.

        Raises
        ------
        SubmissionError, TokenError, StateError
            If it is not in order.
        """

    def store(self, connection: sqlite3.Connection, group: Sequence[R], state: State) -> Stored:
        """Store what is new of a group, inside one transaction."""

    def count(self, connection: sqlite3.Connection) -> int:
        """How many are stored."""

    def delete(self, connection: sqlite3.Connection) -> None:
        """Delete all of them, inside a transaction."""
