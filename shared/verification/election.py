"""Verifying an election and its result: with what everybody can get, and the line that does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.election.electorate import election_terms
from shared.election.groups import Sums, add_up
from shared.election.key_signatures import MAX_SIGNATURES_BYTES, KeySignatures
from shared.election.result import MAX_RESULT_BYTES, Result
from shared.errors import ElectionError, OpeningError, RoomfulError
from shared.invited import require_election
from shared.specification import Specification
from shared.verification.examining import Examined, ReceivedExport, examine_export
from shared.verification.export import SignedSurvey
from shared.verification.faults import culprit, fault
from shared.verification.figures import figures
from shared.verification.files import RESULT_FILE, SIGNATURES_FILE, ExportFiles
from shared.verification.library import Library
from shared.verification.lines import LineProgress
from shared.verification.permitted import Permitted, permit_merged

PASSED, REFUSED, NOT_RUN = "passed", "refused", "not-run"
LINES: Final = {
    "form": "The file of the result has its form",
    "specification": "The election is the one that the organizer signed, and soundly made",
    "receipts": "The ballots are exactly those under the signed root of the board",
    "board": "The board agrees with its ballots, its roll and its used codes",
    "known-board": "The board is the one that was seen elsewhere",
    "tokens": "Each ballot has a token of its own, and is as the device of its holder signed it",
    "token-numbers": "No token was issued after the numbers of tokens were published",
    "codes": "No box has more ballots than codes that were used",
    "proofs": "Each counted ballot has one vote in each contest",
    "groups": "Boxes are joined as the signed rule says",
    "key-signatures": "Every trustee signed that her key is for this election",
    "result": "The result is of this board and of these groups",
    "statements": "Enough trustees stated that there is no other set of ballots",
    "factors": "Each trustee decrypted these sums, and with her own key",
    "votes": "The votes of each group are what the factors leave of its sums",
}
"""What each line says when it passes, in the order in which they are run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Election:
    """An election that was verified up to the sums of its groups.

    Attributes
    ----------
    examined : Examined
    sums : tuple of Sums
        Of each permitted group.
    """

    examined: Examined
    sums: tuple[Sums, ...]

    @property
    def ballots(self) -> tuple[int, ...]:
        """Counted ballots of each group."""
        counts = self.examined.counts
        return tuple(sum(counts[cell] for cell in group) for group in self.examined.permitted.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Outcome of one line.

    Attributes
    ----------
    code : str
        One of :data:`LINES`.
    outcome : str
        ``passed``, ``refused`` or ``not-run``: what comes after a refusal, or has nothing to compare with.
    error : RoomfulError or None
        Why it was refused.
    """

    code: str
    outcome: str
    error: RoomfulError | None = None

    def to_object(self) -> dict[str, str]:
        """As JSON; of a refusal with who is at fault."""
        told = {"line": self.code, "outcome": self.outcome}
        if self.error is None:
            return told
        named = {
            name: getattr(self.error, name) for name in ("code", "message", "where", "expected", "remedy")
        }
        return told | named | {"culprit": culprit(self.error.code), "fault": fault(self.error.code)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of verifying a result; the same in a terminal and in a browser.

    Attributes
    ----------
    lines : tuple of Line
        All of :data:`LINES`; at most one is refused.
    election : Election or None
        None after a refusal.
    result : Result or None
        As published; None after a refusal.
    """

    lines: tuple[Line, ...]
    election: Election | None = None
    result: Result | None = None

    @property
    def refusal(self) -> RoomfulError | None:
        """Why the result is not to be believed."""
        return next((line.error for line in self.lines if line.error is not None), None)

    def to_object(self) -> dict[str, Any]:
        """As JSON: ``lines``, and unless one was refused what :func:`figures` says."""
        told: dict[str, Any] = {"lines": [line.to_object() for line in self.lines]}
        if self.election is not None and self.result is not None:
            told |= figures(self.election.examined, self.election.ballots, self.result)
        return told


def examine_election(received: ReceivedExport, library: Library, progress: LineProgress) -> Election:
    """Verify all that can be verified of an election without a share, and add its votes.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        As :func:`examine_export`; ``opening.not-an-election``; ``opening.discrepancy`` if there are more
        ballots than used codes, which nobody can accept in an election; ``election.key-signature``.
    """
    examined = examine_export(received, library, _permit, progress)
    survey = examined.survey
    progress("key-signatures", 0, 1)
    require_key_signatures(received.files, survey, library)
    if examined.surplus:
        raise OpeningError(
            f"there are {examined.surplus} more ballots than used codes",
            where="board",
            expected="at most one ballot for each used code",
            remedy="In an election nobody can accept that. Decrypt nothing, and ask registrar and collector.",
            code="opening.discrepancy",
        )
    terms = election_terms(survey.specification, survey.digest)
    sums = add_up(examined.votes, examined.permitted.groups, terms, library.group)
    return Election(examined=examined, sums=sums)


def _permit(counts: Sequence[int], specification: Specification, _surplus: int) -> Permitted:
    """The rule of every election; a surplus is refused afterwards."""
    return permit_merged(counts, specification)


def require_key_signatures(files: ExportFiles, survey: SignedSurvey, library: Library) -> None:
    """Refuse an election that not every trustee has signed.

    Raises
    ------
    OpeningError
        With the code ``opening.not-an-election``.
    ElectionError
        With the code ``election.key-signature``.
    """
    trustees = require_election(survey.invited)
    data = files.read(SIGNATURES_FILE, MAX_SIGNATURES_BYTES)
    try:
        signatures = KeySignatures.parse(data, SIGNATURES_FILE)
    except ElectionError as error:
        raise ElectionError(
            error.message, where=SIGNATURES_FILE, expected=error.expected, code="election.key-signature"
        ) from None
    signatures.verify(trustees, survey.digest, library.group)


def verify_result(
    received: ReceivedExport, result: Result, library: Library, progress: LineProgress
) -> Election:
    """Verify a result with nothing but the export and what is known of the board from elsewhere.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        The first line that does not hold.
    """
    election = examine_election(received, library, progress)
    examined = election.examined
    survey = examined.survey
    result.verify(
        election_terms(survey.specification, survey.digest),
        survey.invited,
        examined.stated.root,
        examined.permitted.groups,
        election.ballots,
        election.sums,
        library.group,
        lambda line: progress(line, 0, 1),
    )
    return election


def report_of(
    received: ReceivedExport, library: Library, progress: LineProgress, data: bytes | None = None
) -> Report:
    """Verify a result, and say of each line how it came out.

    Parameters
    ----------
    received : ReceivedExport
    library : Library
    progress : LineProgress
    data : bytes or None
        Of ``result.json``; None for the one among the files.

    Returns
    -------
    Report
        Whatever is refused is told by its line.
    """
    begun = ["form"]

    def begin(line: str, done: int, total: int) -> None:
        if line != begun[-1]:
            begun.append(line)
        progress(line, done, total)

    try:
        if data is None:
            data = received.files.read(RESULT_FILE, MAX_RESULT_BYTES)
        result = Result.parse(data)
        election = verify_result(received, result, library, begin)
    except RoomfulError as error:
        *passed, at = begun
        return Report(lines=_lines(passed, Line(code=at, outcome=REFUSED, error=error)))
    return Report(lines=_lines(begun), election=election, result=result)


def _lines(passed: Sequence[str], refused: Line | None = None) -> tuple[Line, ...]:
    known = {code: Line(code=code, outcome=PASSED) for code in passed}
    if refused is not None:
        known[refused.code] = refused
    return tuple(known.get(code, Line(code=code, outcome=NOT_RUN)) for code in LINES)
