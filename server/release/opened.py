"""opened.json: what the trustees hand to the organizer, and all that they hand over.

Compact JSON with members in this order (here with line breaks)::

    {"format":"roomful-opened/1","specification":"<64 hex>","root":"<64 hex>","ballots":<int>,"invalid":<int>,
     "withheld":<int>,"groups":[{"cells":[<int>,...],"answers":[{...},...]},...],"digest":"<64 hex>"}

``ballots`` = answers of all groups + ``invalid`` + ``withheld``. The answers of a group stand in the order of
their own bytes, so that nothing but the answers decides it: no order of arrival or receipts is left, and two
openings of the same ballots give the same file. ``digest`` is the SHA-256 of the same object without
``digest``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from shared import strict_json
from shared.errors import OpeningError
from shared.fields import Fields
from shared.limits import MAX_ALL_CELLS, MAX_RECEIPTS
from shared.words import digest_words

OPENED_FORMAT: Final = "roomful-opened/1"
MAX_OPENED_BYTES: Final = 2**30
_KEYS: Final = ("format", "specification", "root", "ballots", "invalid", "withheld", "groups", "digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedGroup:
    """Cells that were opened together, and their answers.

    Attributes
    ----------
    cells : tuple of int
        Ascending.
    answers : tuple of mapping
        Answers by question, in the order of their bytes; whose cell each is, is not kept.
    """

    cells: tuple[int, ...]
    answers: tuple[Mapping[str, Any], ...] = field(repr=False)

    @classmethod
    def of(cls, cells: Sequence[int], answers: Sequence[Mapping[str, Any]]) -> OpenedGroup:
        """Sort away the order in which the answers came."""
        return cls(cells=tuple(sorted(cells)), answers=tuple(sorted(answers, key=strict_json.dumps)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedAnswers:
    """The opened answers of a survey.

    Attributes
    ----------
    specification : str
        Digest of the survey.
    root : str
        Root of the tree over the receipts of the ballots.
    ballots : int
        How many there were.
    invalid : int
        Ballots of the groups that hold no valid answers.
    withheld : int
        Ballots of the cells that are in no group.
    groups : tuple of OpenedGroup
        By their lowest cell.
    """

    specification: str
    root: str
    ballots: int
    invalid: int
    withheld: int
    groups: tuple[OpenedGroup, ...]

    @property
    def answers(self) -> int:
        """Valid answers in all groups."""
        return sum(len(group.answers) for group in self.groups)

    @property
    def digest(self) -> str:
        """SHA-256 of everything."""
        return hashlib.sha256(strict_json.dumps(self._object())).hexdigest()

    @property
    def words(self) -> str:
        """The digest as words, to be read aloud."""
        return digest_words(self.digest)

    def to_bytes(self) -> bytes:
        """The file."""
        value = self._object()
        return strict_json.dumps({**value, "digest": hashlib.sha256(strict_json.dumps(value)).hexdigest()})

    @classmethod
    def parse(cls, data: bytes) -> OpenedAnswers:
        """Read the file.

        Guarantee: for all bytes, either an :class:`OpeningError` or opened answers whose ``to_bytes`` returns
        those bytes and whose numbers add up. Whether they fit a survey is judged elsewhere.

        Raises
        ------
        OpeningError
            With the code ``opening.opened``.
        """
        value = strict_json.loads(data, error=_refused, where="opened.json", max_bytes=MAX_OPENED_BYTES)
        fields = Fields(value, "", _KEYS, error=_refused)
        fields.choice("format", (OPENED_FORMAT,))
        opened = cls(
            specification=fields.digest("specification"),
            root=fields.digest("root"),
            ballots=fields.integer("ballots", 0, MAX_RECEIPTS),
            invalid=fields.integer("invalid", 0, MAX_RECEIPTS),
            withheld=fields.integer("withheld", 0, MAX_RECEIPTS),
            groups=tuple(
                _parse_group(item, f"groups[{i}]")
                for i, item in enumerate(fields.items("groups", MAX_ALL_CELLS))
            ),
        )
        cells = [cell for group in opened.groups for cell in group.cells]
        if len(set(cells)) != len(cells):
            raise fields.fail("groups", "a cell stands in two groups", "each cell once")
        if opened.answers + opened.invalid + opened.withheld != opened.ballots:
            raise fields.fail("ballots", "the numbers do not add up", "answers + invalid + withheld")
        if opened.to_bytes() != data.rstrip(b"\n"):
            raise fields.fail(
                "digest", "the file was changed after it was written", "the digest of its contents"
            )
        return opened

    def _object(self) -> dict[str, Any]:
        return {
            "format": OPENED_FORMAT,
            "specification": self.specification,
            "root": self.root,
            "ballots": self.ballots,
            "invalid": self.invalid,
            "withheld": self.withheld,
            "groups": [{"cells": list(group.cells), "answers": list(group.answers)} for group in self.groups],
        }


def _parse_group(item: Any, where: str) -> OpenedGroup:
    fields = Fields(item, where, ("cells", "answers"), error=_refused)
    answers = fields.items("answers", MAX_RECEIPTS)
    if not all(isinstance(answer, dict) for answer in answers):
        raise fields.fail("answers", "an entry is no object", "answers by question")
    fields.items("cells", MAX_ALL_CELLS, minimum=1)
    return OpenedGroup(cells=fields.integers("cells", 0, MAX_ALL_CELLS), answers=tuple(answers))


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> OpeningError:
    return OpeningError(
        message,
        where=f"opened.json: {where}" if where and where != "opened.json" else "opened.json",
        expected=expected,
        remedy=remedy or "Take the file again from the trustees, and compare its words with theirs.",
        code="opening.opened",
    )
