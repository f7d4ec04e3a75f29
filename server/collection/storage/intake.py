"""What is stored group by group: submissions of either kind of survey, and codes that fetch a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from server.collection.storage.databases import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What became of a group.

    Attributes
    ----------
    outcomes : tuple of (Exception or None)
        None for what is stored, now or before; else the error for whoever brought it.
    added : int
        How many are new.
    """

    outcomes: tuple[Exception | None, ...]
    added: int


R = TypeVar("R")
R_contra = TypeVar("R_contra", contravariant=True)


class Intake(Protocol[R_contra]):
    """How rows of one kind are stored."""

    def store(self, connection: Connection, group: Sequence[R_contra]) -> Stored:
        """Store what is new of a group, inside one transaction."""

    def count(self, connection: Connection) -> int:
        """How many are stored."""
