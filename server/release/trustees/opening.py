"""``roomful trustees open``: the opening, with every refusal before the first decryption.

The steps are those of docs/protocol.md, "The opening". Nothing of a box is decrypted before steps 1 to 7 have
passed, and then only boxes of groups that the signed rule permits. The key exists only in this process's
memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.keys.sealing import OpeningKey
from server.progress import StageProgress
from server.release.opened import OpenedAnswers, OpenedGroup
from server.release.permission import decide_groups
from server.release.policy import policy_of_counts
from server.release.trustees.examining import examine_export
from server.release.trustees.shares import Share, join_shares
from shared.errors import OpeningError, SubmissionError
from shared.joining import row_of
from shared.questions import Answer
from shared.sealing import box_info
from shared.statements import Statement, require_statements
from shared.submission import decode, validate
from shared.verification.examining import Examined, ReceivedExport, verified_ballots
from shared.verification.export import BallotFile, SignedSurvey
from shared.verification.files import BALLOTS_FILE, ExportFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningReport:
    """The opened answers, and what the trustees should hear aloud.

    Attributes
    ----------
    survey : SignedSurvey
    answers : OpenedAnswers
        What is handed to the organizer.
    invalid : Mapping[str, int]
        How many opened ballots held no valid answers, by code.
    withdrawn_groups : int
        Groups that were opened and are withheld all the same, because too few valid answers were left.
    surplus : int
        How many more ballots there are than codes were used; every group is large enough without so many.
    stated_by : tuple of int
        Numbers of the trustees who stated this set.
    """

    survey: SignedSurvey
    answers: OpenedAnswers
    invalid: Mapping[str, int]
    withdrawn_groups: int
    surplus: int
    stated_by: tuple[int, ...]


def open_answers(
    received: ReceivedExport,
    *,
    statements: Sequence[tuple[str, Statement]],
    shares: Sequence[Share],
    progress: StageProgress,
) -> OpeningReport:
    """Open what may be opened.

    Parameters
    ----------
    received : ReceivedExport
    statements : sequence of (str, Statement)
        Of the trustees, each with the name of its file.
    shares : sequence of Share
    progress : callable
        ``(stage, done, total)``.

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        Each refusal by its code; nothing was decrypted then.

    Notes
    -----
    Guarantee: for all exports, shares and statements, either an error, or opened groups of at least max(k,
    minimum) valid answers, each from a ballot that the holder of a distinct token of the registrar signed,
    under the one root that so many trustees have stated that no other set of this survey is ever opened,
    unless as many as open together state both. If there are more ballots than used codes, each group has so
    many answers more. A box of a cell outside the permitted groups is never decrypted.
    """
    examined = examine_export(received, progress)  # 1 to 5
    survey, counts, permitted = examined.survey, examined.counts, examined.permitted
    stated_by = require_statements(examined.stated, survey.invited, statements)  # 6
    key = rebuild_key(survey, shares)  # 7
    found, invalid = _decrypt(received.files, examined, key, progress)  # 8
    kept = _keep(examined, found)  # 9
    kept_cells = {cell for group in kept for cell in group.cells}
    ballots = len(examined.receipts)
    answers = OpenedAnswers(
        specification=survey.digest,
        root=examined.stated.root,
        ballots=ballots,
        invalid=sum(sum(counts[cell] for cell in group.cells) - len(group.answers) for group in kept),
        withheld=ballots - sum(counts[cell] for cell in kept_cells),
        groups=kept,
    )
    return OpeningReport(
        survey=survey,
        answers=answers,
        invalid=invalid,
        withdrawn_groups=sum(group[0] not in kept_cells for group in permitted.groups),
        surplus=examined.surplus,
        stated_by=stated_by,
    )


def rebuild_key(survey: SignedSurvey, shares: Sequence[Share]) -> OpeningKey:
    """The private key, in memory only, once the shares make exactly the signed public key.

    Raises
    ------
    OpeningError
        As :func:`join_shares`; ``opening.share-of-another-key`` if they make another key,
        ``opening.election`` for an election.
    """
    if survey.invited.election is not None:
        raise OpeningError(
            "this is an election: no ballot of it is ever opened",
            where="specification",
            expected="a survey",
            remedy="Decrypt the sums of its groups: roomful trustees decrypt.",
            code="opening.election",
        )
    key = OpeningKey(survey.invited.suite, join_shares(shares))
    if key.public_key != survey.invited.opening_key:
        raise OpeningError(
            "these shares make another key than the one in the signed specification",
            where=", ".join(share.where for share in shares),
            expected="shares of the key of this survey",
            remedy="Compare the words of the opening key on the shares with those of the survey.",
            code="opening.share-of-another-key",
        )
    return key


def _decrypt(
    files: ExportFiles, examined: Examined, key: OpeningKey, progress: StageProgress
) -> tuple[list[list[dict[str, Answer]]], Counter[str]]:
    """Valid answers of each permitted group; what is invalid, by code."""
    survey, permitted = examined.survey, examined.permitted
    group_of = permitted.group_of
    found: list[list[dict[str, Answer]]] = [[] for _ in permitted.groups]
    invalid: Counter[str] = Counter()
    with files.open(BALLOTS_FILE) as stream:
        ballots = BallotFile(stream, survey.specification)
        for end, ballot in verified_ballots(ballots, examined.receipts):
            if ballot.cell in group_of:
                token = ballot.token
                try:
                    info = box_info(survey.digest, token.prefix, token.device_key, ballot.cell)
                    submission = decode(key.open(info, ballot.box), survey.specification.message_bytes)
                    if submission.cell != ballot.cell:
                        raise SubmissionError("sealed for another cell", code="submission.cell")
                    answers = validate(submission, survey.specification, survey.digest)
                except SubmissionError as problem:
                    invalid[problem.code] += 1
                else:
                    found[group_of[ballot.cell]].append(answers)
            progress("opening", end, ballots.size_bytes)
    return found, invalid


def _keep(examined: Examined, found: Sequence[Sequence[Mapping[str, Answer]]]) -> tuple[OpenedGroup, ...]:
    """Groups that are still large enough without the invalid ones, by the same signed rule.

    Raises
    ------
    ReleaseError
        If none is.
    """
    specification = examined.survey.specification
    counts, permitted = examined.counts, examined.permitted
    left = [0] * len(counts)
    for cell in permitted.sealed:
        left[cell] = counts[cell]
    for group, answers in zip(permitted.groups, found, strict=True):
        left[group[0]] = len(answers)
    decision = decide_groups(
        permitted.groups,
        left,
        counts,
        policy_of_counts(specification, examined.surplus),
        row_of(specification),
    )
    by_first = {group[0]: answers for group, answers in zip(permitted.groups, found, strict=True)}
    return tuple(
        OpenedGroup.of(group.cells, [answer for cell in group.cells for answer in by_first.get(cell, ())])
        for group in decision.groups
    )
