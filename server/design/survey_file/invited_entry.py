"""[invited] of survey.toml: who may answer, under which keys, over which relay."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from server.design.survey_file.toml_document import Section
from server.files import read_start
from server.keys.public_keys import read_collector_key, read_opening_key, read_token_keys
from server.keys.signing_keys import load_public_key
from server.wording import quoted
from shared.decimals import parse_probability
from shared.errors import BoardError
from shared.invited import Codes, Invited, Relay, is_relay_url
from shared.limits import MAX_PEOPLE, MAX_POOL_MESSAGES, MAX_POOL_SECONDS, MAX_SPARE_KEYS
from shared.roll import MAX_ROLL_BYTES, Roll

INVITED_KEYS: Final = (
    "people",
    "roll",
    "token_key",
    "collector_key",
    "opening_key",
    "relay",
    "spare_keys",
    "top_share",
)
_ROLL: Final = "the roll.txt of roomful codes, unchanged"


def read_roll(root: Section, folder: Path) -> Roll | None:
    """Read the roll that the section names; None if the survey is open to everybody.

    Raises
    ------
    SurveyFileError
        If it cannot be read, is no roll, or has another number of codes than the section has people.
    """
    if "invited" not in root:
        return None
    section = root.section("invited", INVITED_KEYS)
    path, people = folder / section.text("roll"), section.integer("people", 1, MAX_PEOPLE)
    data = read_start(path, MAX_ROLL_BYTES, lambda message: section.fail("roll", message, expected=_ROLL))
    try:
        roll = Roll.parse(data)
    except BoardError as problem:
        raise section.fail(
            "roll",
            f"{quoted(path.name)} is no roll: {problem.message}",
            expected=_ROLL,
            remedy="Ask whoever made the codes for it again.",
        ) from None
    if len(roll.hashes) != people:
        raise section.fail(
            "roll",
            f"{len(roll.hashes)} codes are on the roll",
            expected=f"{people}, one for each of the people",
            remedy="Correct people, or make the codes again from the right list.",
        )
    return roll


def read_invited(root: Section, folder: Path, roll: Roll | None) -> Invited | None:
    """Read the section and the key files that it names; None if the survey is open to everybody.

    Raises
    ------
    SurveyFileError
        For what does not fit together.
    KeyFileError
        For a key file that is none.
    """
    if roll is None:
        return None
    section = root.section("invited", INVITED_KEYS)
    collector = read_collector_key(folder / section.text("collector_key"))
    opening = read_opening_key(folder / section.text("opening_key"))
    if collector.suite is not opening.suite:
        raise section.fail(
            "collector_key",
            f"the collector's key is of the suite {collector.suite.name}, "
            f"the trustees' of {opening.suite.name}",
            expected="both of one suite",
            remedy="Make one of them again with --suite.",
        )
    return Invited(
        people=len(roll.hashes),
        codes=Codes(roll_id=roll.roll_id, digest=roll.digest),
        token_keys=read_token_keys(folder / section.text("token_key")),
        suite=opening.suite,
        opening_key=opening.key,
        collector_key=collector.key,
        acceptance_key=collector.acceptance_key,
        threshold=opening.threshold,
        shares=opening.shares,
        statement_keys=opening.statement_keys,
        election=opening.election,
        top_share=_top_share(section, election=opening.election is not None),
        relay=_relay(section, folder, opening.election is not None) if "relay" in section else None,
        spare_keys=_spare_keys(section, folder),
    )


def _top_share(section: Section, *, election: bool) -> str | None:
    if election != ("top_share" in section):
        raise section.fail(
            "top_share",
            "an election needs it, and nothing else has it",
            expected="the highest share that you expect for one choice in any box, such as 0.8",
            remedy="Take it from an earlier vote: with it k is checked, so that no group is of one mind.",
        )
    if not election:
        return None
    text: str = section.text("top_share")
    if parse_probability(text) is None:
        raise section.fail("top_share", f"{quoted(text)} is no share", expected="a decimal in (0, 1]")
    return text


def _spare_keys(section: Section, folder: Path) -> tuple[bytes, ...]:
    keys = tuple(
        load_public_key(str(folder / name)) for name in section.texts("spare_keys", MAX_SPARE_KEYS, [])
    )
    if len(set(keys)) != len(keys):
        raise section.fail("spare_keys", "two files hold one key", expected="keys of their own")
    return keys


def _relay(invited: Section, folder: Path, is_election: bool) -> Relay:
    section = invited.section("relay", ("url", "messages", "seconds", "key"))
    if "key" in section and not is_election:
        raise section.fail(
            "key",
            "a relay signs what it takes of an election",
            expected="an election, whose voters keep their sealed ballots for a complaint",
            remedy="Leave the key out.",
        )
    url: str = section.text("url")
    if not is_relay_url(url):
        raise section.fail("url", f"{quoted(url)} is not the address of a relay", expected="https://HOST/")
    return Relay(
        url=url,
        messages=section.integer("messages", 2, MAX_POOL_MESSAGES),
        seconds=section.integer("seconds", 1, MAX_POOL_SECONDS),
        key=load_public_key(str(folder / section.text("key"))) if "key" in section else None,
    )
