"""Where the files of an export come from: a folder on a disk, or bytes that a browser has at hand."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import BinaryIO, Final, Protocol

from shared.errors import InputError

SPECIFICATION_FILE: Final = "specification.dsse.json"
BALLOTS_FILE: Final = "ballots.bin"
CHECKPOINT_FILE: Final = "checkpoint"
BOARD_FILE: Final = "board.json"
ROLL_FILE: Final = "roll.txt"
USED_CODES_FILE: Final = "used-codes.txt"
SIGNATURES_FILE: Final = "rehearsal.json"
"""Of an election: every trustee's signature of its specification."""
RESULT_FILE: Final = "result.json"
EXPORTED: Final = "a file in the folder that roomful trustees export or challenge wrote"


class ExportFiles(Protocol):
    """The files of an export by their names, which nobody has verified."""

    def read(self, name: str, most: int) -> bytes:
        """Contents of a file; of a longer one a byte more than `most`, by which its parser refuses it.

        Raises
        ------
        InputError
            If it is not there, or cannot be read.
        """

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file that is read in parts; errors as :meth:`read`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFiles:
    """Files that are in memory.

    Attributes
    ----------
    contents : mapping of str to bytes
        By name.
    """

    contents: Mapping[str, bytes] = field(repr=False)

    def read(self, name: str, most: int) -> bytes:
        """See :meth:`ExportFiles.read`."""
        return self._contents(name)[: most + 1]

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """See :meth:`ExportFiles.open`."""
        return io.BytesIO(self._contents(name))

    def _contents(self, name: str) -> bytes:
        if name not in self.contents:
            raise InputError("is not among the files", where=name, expected=EXPORTED)
        return self.contents[name]
