"""The pages that a respondent loads, from what everybody may know: the specification and the built client.

Nothing else goes into them. So an auditor renders them again and compares every byte
(:mod:`server.collection.web.checkup_client`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template

from server.collection.web.statement import statement
from server.collection.web.static_files import ClientFiles
from shared.board import Board, BoardRelease
from shared.election.contests import choices_of
from shared.election.result import Result
from shared.election.unanimity import unanimous
from shared.specification import Specification
from shared.units import names_of_units

SHOWN_DIGITS: Final = 16
"""Of the build's digest, in the footer."""
_TEMPLATES: Final = Environment(autoescape=True, undefined=StrictUndefined)


@lru_cache
def _compiled(page: str) -> Template:
    """Compiling takes 20 ms a page, and the parts of an application that show pages have these in common."""
    return _TEMPLATES.from_string(page)


class RespondentPages:
    """The pages of one build at one installation.

    Parameters
    ----------
    client : ClientFiles
        The build.
    base : str
        Path of the installation, with a slash at both ends.
    """

    def __init__(self, client: ClientFiles, base: str) -> None:
        self._client, self._base = client, base
        self._survey = _compiled(client.page)
        self._board, self._verify = (
            None if page is None else _compiled(page) for page in (client.board_page, client.verify_page)
        )

    def survey(
        self,
        specification: Specification,
        survey: str,
        language: str,
        state: str,
        trial: str | None = None,
    ) -> str:
        """The page on which a survey is answered, in one of its languages.

        Parameters
        ----------
        trial : str, optional
            ``test`` or ``preview`` if the answers are nobody's; the page is marked with it.
        """
        invited = specification.invited
        said = statement(specification, language, self._client.texts)
        return self._survey.render(
            **self._common(specification, survey, language),
            description=specification.description[language],
            state=state,
            statement=said.promise,
            more=said.more,
            period=specification.period,
            logo=specification.logo,
            trial=trial,
            invited=invited is not None,
            relayed=invited is not None and invited.relay is not None,
        )

    def board(
        self,
        specification: Specification,
        survey: str,
        language: str,
        state: str,
        board: Board | None,
        address: str,
        result: Result | None = None,
    ) -> str | None:
        """The page of the public board at `address`, of an election with its result; None if this build has
        none."""
        if self._board is None:
            return None
        return self._board.render(
            **self._common(specification, survey, language),
            state=state,
            invited=specification.invited is not None,
            minimum=specification.release.minimum,
            at_least=specification.counts_are_bounds,
            board=None if board is None else _counts(board, specification, language),
            result=None
            if result is None
            else _result(specification, result, language, self._yes_no(language)),
            # The link has to be her own: one that this server wrote would pin what this server likes.
            command=f"roomful board verify {address} --invitation LINK --receipt receipt.txt",
        )

    def verify(self, specification: Specification, survey: str, language: str) -> str | None:
        """The page on which a ballot is tested; None if this is no election, or the build has none."""
        invited = specification.invited
        if self._verify is None or invited is None or invited.election is None:
            return None
        return self._verify.render(**self._common(specification, survey, language))

    def _yes_no(self, language: str) -> dict[Any, str]:
        """What yes and no are called where a question gives them no words."""
        texts = self._client.texts
        own = texts.get(language.partition("-")[0]) or texts.get("en", {})
        return {True: own.get("review.yes", "yes"), False: own.get("review.no", "no")}

    def _common(self, specification: Specification, survey: str, language: str) -> dict[str, Any]:
        return {
            "language": language,
            "languages": specification.languages,
            "title": specification.title[language],
            "organizer": f"{specification.organizer.name} ({specification.organizer.contact})",
            "id": survey,
            "base": self._base,
            "assets": self._client.assets,
            "build": self._client.digest[:SHOWN_DIGITS],
        }


def _counts(board: Board, specification: Specification, language: str) -> dict[str, Any]:
    invited, complaints = specification.invited, board.complaints
    return {
        "provisional": complaints is None and invited is not None and invited.election is not None,
        "admitted": 0 if complaints is None else len(complaints.admitted),
        "invited": board.invited,
        "tokens_issued": board.tokens_issued,
        "submissions": board.submissions,
        "discrepancy": board.discrepancy is not None,
        "release": None if board.release is None else _release(board.release, specification, language),
    }


def _result(
    specification: Specification, result: Result, language: str, plain: Mapping[Any, str]
) -> dict[str, Any]:
    """Votes of all and of each group, in the words of the contests; groups of one mind are marked."""
    questionnaire = specification.questionnaire
    contests: list[dict[str, Any]] = []
    for place, (question, choices) in enumerate(
        zip(questionnaire.questions, choices_of(questionnaire), strict=True)
    ):
        words: dict[Any, dict[str, str]] = dict(question.words)
        texts = [
            words.get(choice, {}).get(language) or plain.get(choice) or str(choice) for choice in choices
        ]
        rows = [group.votes[place] for group in result.groups]
        votes = [sum(column) for column in zip(*rows, strict=True)]
        contests.append({"title": question.title[language], "choices": texts, "votes": votes, "rows": rows})
    return {
        "ballots": sum(group.ballots for group in result.groups),
        "contests": contests,
        "groups": [
            {
                "ballots": group.ballots,
                "people": sum(map(specification.people_in, group.cells)),
                "boxes": len(group.cells),
                "units": names_of_units(specification, group.cells, language),
                "unanimous": any(choice is not None for choice in unanimous(group.votes)),
            }
            for group in result.groups
        ],
    }


def _release(release: BoardRelease, specification: Specification, language: str) -> dict[str, Any]:
    return {
        "released": release.answers,
        "withheld": release.withheld,
        "invalid": release.invalid,
        "groups": [
            {
                "number": group.cells[0],
                "people": group.people,
                "answers": group.answers,
                "units": names_of_units(specification, group.cells, language),
            }
            for group in release.groups
        ],
    }
