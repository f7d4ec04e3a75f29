"""Every byte of an election's folder, changed once: refused, with its line and who is at fault.

Each file is given to the part of the verification that reads it, after all that comes before. The suite takes
every ``STRIDE``-th byte; ``python benchmarks/bench_mutations.py`` takes every one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from server.release.trustees.decrypting import examine_election
from server.release.trustees.examining import examine_export
from server.release.trustees.export import FolderFiles, read_survey
from server.release.trustees.library import library
from shared import statements
from shared.election.electorate import election_terms
from shared.election.result import Result
from shared.errors import RoomfulError
from shared.verification import examining
from shared.verification.election import require_key_signatures
from shared.verification.faults import fault
from shared.verification.files import SIGNATURES_FILE, SPECIFICATION_FILE
from tests.elections import HeldElection
from tests.sealed_surveys import board_of
from tests.shared.election.test_decryption import RememberingGroup

COUNTS = (1, 1, 1, 1, 1, 0, 1, 2)
STRIDE = 97
FILES = {
    "ballots.bin",
    "board.json",
    "checkpoint",
    "rehearsal.json",
    "result.json",
    "roll.txt",
    "specification.dsse.json",
    "used-codes.txt",
}


class PublishedElection:
    """A small election with its result, held once, and what verifies one of its files.

    Parameters
    ----------
    folder : Path
        An empty one.
    """

    def __init__(self, folder: Path) -> None:
        election = HeldElection(folder).fill(*COUNTS)
        self.export = election.write()
        result = election.result(self.export).result
        (self.export / "result.json").write_bytes(result.to_bytes())
        self._received = election.received(self.export, known=board_of(self.export))
        self._survey = read_survey(self.export, self._received.invitation)
        self._verified, self._group = examine_election(self._received, lambda *_: None), RememberingGroup()

    def refusals(self, stride: int) -> Iterator[tuple[str, int, str]]:
        """File, place and code, empty if it was not refused, of every so many-th byte."""
        with patch.object(statements.ed25519, "verifies", cache(statements.ed25519.verifies)):
            for path in sorted(self.export.iterdir()):
                data, verify = path.read_bytes(), self._step(path.name)
                verify()
                for place in range(0, len(data), stride):
                    path.write_bytes(data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :])
                    try:
                        verify()
                    except RoomfulError as error:
                        yield path.name, place, error.code
                    else:
                        yield path.name, place, ""
                    finally:
                        path.write_bytes(data)

    def _step(self, name: str) -> Callable[[], object]:
        steps: dict[str, Callable[[], object]] = {
            SPECIFICATION_FILE: lambda: read_survey(self.export, self._received.invitation),
            SIGNATURES_FILE: lambda: require_key_signatures(
                FolderFiles(folder=self.export), self._survey, library()
            ),
            "result.json": self._result,
        }
        return steps.get(name, self._board)

    def _board(self) -> None:
        """Ballots, board, roll and used codes, with the specification that was read."""
        with patch.object(examining, "verified_survey", lambda *_: self._survey):
            examine_export(self._received, lambda *_: None)

    def _result(self) -> None:
        examined = self._verified.examined
        Result.parse((self.export / "result.json").read_bytes()).verify(
            election_terms(self._survey.specification, self._survey.digest),
            self._survey.invited,
            examined.stated.root,
            examined.permitted.groups,
            self._verified.ballots,
            self._verified.sums,
            self._group,
        )


def test_every_byte_of_the_folder_counts(tmp_path: Path) -> None:
    found = list(PublishedElection(tmp_path).refusals(STRIDE))
    assert [(name, place) for name, place, code in found if not code] == []
    assert [code for _, _, code in found if not fault(code)] == []
    assert set(Counter(name for name, _, _ in found)) == FILES


def test_what_is_not_refused_is_told(tmp_path: Path) -> None:
    """The test above can fail: with one line taken out, bytes of a file pass."""
    election = PublishedElection(tmp_path)
    with patch.object(PublishedElection, "_result", lambda _: None), pytest.raises(AssertionError):
        assert all(code for _, _, code in election.refusals(5 * STRIDE))
