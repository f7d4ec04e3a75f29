"""``roomful election check-ballot``: another device makes a ballot that is tested again."""

from __future__ import annotations

from dataclasses import dataclass

from server.release.trustees.decrypting import GROUP
from server.release.trustees.export import verified_survey
from shared.conditions import Answer
from shared.election.contests import choices_of
from shared.election.electorate import election_terms
from shared.election.tested import BallotTest
from shared.errors import TokenError
from shared.invitation import Invitation
from shared.invited import require_election
from shared.questionnaire import Questionnaire


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A ballot that was made again.

    Attributes
    ----------
    words : str
        To be compared with those that the voter's device showed.
    cell : int
    choices : dict of str to Answer
        What the ballot says, by the name of the contest.
    genuine : bool
        Whether its token is the registrar's: else it could not have been cast.
    """

    words: str
    cell: int
    choices: dict[str, Answer]
    genuine: bool


def rebuild(specification: bytes, invitation: Invitation, tested: BallotTest) -> Rebuilt:
    """Make the ballot again, from nothing but the signed specification and what the voter's device gave.

    Raises
    ------
    VerificationError, SoundnessError, SpecificationError, OpeningError
        If the specification is not that of the invitation, or of no election.
    ElectionError
        With the code ``election.test``.
    """
    survey = verified_survey(specification, invitation)
    require_election(survey.invited)
    ballot = tested.ballot(election_terms(survey.specification, survey.digest), GROUP)
    try:
        ballot.token.verify(survey.invited.token_key, survey.digest)
    except TokenError:
        genuine = False
    else:
        genuine = True
    return Rebuilt(
        words=ballot.words,
        cell=ballot.cell,
        choices=said(survey.specification.questionnaire, tested.chosen),
        genuine=genuine,
    )


def said(questionnaire: Questionnaire, chosen: tuple[int, ...]) -> dict[str, Answer]:
    """Choices by the names of their contests."""
    contests = zip(questionnaire.questions, choices_of(questionnaire), chosen, strict=True)
    return {question.name: choices[index] for question, choices, index in contests}
