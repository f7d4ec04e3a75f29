"""``roomful election result`` and ``verify``: votes of each group from trustees' factors, without a share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.keys.election_group import fast_group
from server.progress import StageProgress
from server.release.trustees.decrypting import examine_election
from server.release.trustees.library import library
from shared.election.decryption import Factors, verify_factors
from shared.election.factors import FactorsFile
from shared.election.result import CountedGroup, Result, count
from shared.errors import ElectionError
from shared.invited import require_election
from shared.statements import Statement, require_statements
from shared.verification import election
from shared.verification.election import Election, Report
from shared.verification.examining import ReceivedExport


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A result, and what was left out on the way.

    Attributes
    ----------
    election : Election
    result : Result
    ignored : tuple of ElectionError
        Of each file of factors that does not hold, its trustee and place.
    """

    election: Election
    result: Result
    ignored: tuple[ElectionError, ...]


def read_factors(
    files: Sequence[tuple[str, bytes]],
) -> tuple[tuple[FactorsFile, ...], tuple[ElectionError, ...]]:
    """The trustees' files of factors by their names, and what is wrong with those that are none."""
    found, refused = [], []
    for name, data in files:
        try:
            found.append(FactorsFile.parse(data, name))
        except ElectionError as error:
            refused.append(error)
    return tuple(found), tuple(refused)


def tally(
    received: ReceivedExport,
    *,
    statements: Sequence[tuple[str, Statement]],
    files: Sequence[FactorsFile],
    progress: StageProgress,
) -> Tally:
    """Count the votes of each group.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        As :func:`examine_election`; ``election.too-few-factors`` if too few files hold.
    """
    group = fast_group()
    found = examine_election(received, progress, group)
    examined, invited = found.examined, found.examined.survey.invited
    trustees = require_election(invited)
    require_statements(examined.stated, invited, statements)
    by_trustee: dict[int, Factors] = {}
    ignored: list[ElectionError] = []
    for file in files:
        try:
            _require_same(file, found)
            verify_factors(file.factors, file.trustee, trustees, examined.stated, found.sums, group)
        except ElectionError as error:
            ignored.append(error)
        else:
            by_trustee[file.trustee] = file.factors
        progress("factors", len(by_trustee) + len(ignored), len(files))
    votes = count(found.sums, found.ballots, by_trustee, trustees.threshold, group)
    kept = {statement.trustee: statement for _, statement in statements}
    result = Result(
        stated=examined.stated,
        statements=tuple(kept[number] for number in sorted(kept)),
        groups=tuple(
            CountedGroup(cells=cells, ballots=ballots, votes=rows)
            for cells, ballots, rows in zip(examined.permitted.groups, found.ballots, votes, strict=True)
        ),
        factors=tuple((number, by_trustee[number]) for number in sorted(by_trustee)[: trustees.threshold]),
    )
    return Tally(election=found, result=result, ignored=tuple(ignored))


def verify_result(received: ReceivedExport, result: Result, progress: StageProgress) -> Election:
    """As :func:`shared.verification.election.verify_result`, by the arithmetic of this computer."""
    return election.verify_result(received, result, library(fast_group()), progress)


def report_of(received: ReceivedExport, progress: StageProgress, data: bytes | None = None) -> Report:
    """As :func:`shared.verification.election.report_of`, by the arithmetic of this computer."""
    return election.report_of(received, library(fast_group()), progress, data)


def _require_same(file: FactorsFile, found: Election) -> None:
    shares = found.examined.survey.invited.shares
    if file.stated != found.examined.stated or file.trustee > shares:
        raise ElectionError(
            "these are factors of other sums",
            where=f"trustee {file.trustee}",
            expected="factors of the groups of this board",
            remedy="Leave her file out and take another trustee's.",
            code="election.factors",
        )
