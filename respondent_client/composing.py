"""From a person in her room and her answers to the exact bytes that will be sent.

Of an open survey the bytes are the answers themselves, padded. Of an invited survey the same bytes are sealed
to the trustees, put into a ballot with her cell and her token, signed by the token's one-time key, and sealed
once more to the collector. Of an election the choices are encrypted so that they can be added, and proven.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from respondent_client.link import Link
from respondent_client.platform import Platform
from respondent_client.session import Placement
from respondent_client.token_box import require_cell
from shared import submission
from shared.ballot import CONTENT_TYPE, UnsignedBallot, require_invited
from shared.election.contests import chosen
from shared.election.electorate import election_terms
from shared.election.group import PythonGroup
from shared.election.making import SEED_BYTES
from shared.election.tested import BallotTest
from shared.errors import StateError
from shared.invited import Invited
from shared.questions import Answer
from shared.sealing import ballot_info, box_info
from shared.soundness import SoundSpecification
from shared.token import HeldToken

JSON: Final = "application/json"
_GROUP: Final = PythonGroup()
"""With the tables of the key, which a second ballot finds made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """Bytes that are sent, again and again if need be, until somebody answers for them.

    Attributes
    ----------
    url, content_type : str
        Where they go, and what they are called there.
    body : bytes
        What travels.
    receipt : str
        SHA-256, hexadecimal, of the body, or of the ballot inside the outer seal.
    sealed, relayed : bool
        Whether it is a ballot; whether it goes over a relay.
    acceptance_key : bytes or None
        Of a ballot: the key by which the collector, or a relay with a key, signs that it took it.
    specification : str
        Digest of the survey.
    """

    link: Link
    specification: str
    url: str
    content_type: str
    body: bytes
    receipt: str
    sealed: bool = False
    relayed: bool = False
    acceptance_key: bytes | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.body)} bytes)"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Message(Outgoing):
    """The exact bytes that will be sent, and what they say; only :func:`compose` makes one.

    Attributes
    ----------
    content : bytes
        The cell and the answers as text: of an open survey the body itself, of an invited one what is inside
        the inner seal.
    """

    content: bytes
    cell: int
    answers: Mapping[str, Answer]


async def compose(
    platform: Platform,
    link: Link,
    placement: Placement,
    answers: Mapping[str, Any],
    token: HeldToken | None = None,
) -> Message:
    """The exact bytes for a person's answers: her cell, the answers, and padding.

    Guarantee: beside the answers and the token, which nobody can trace to her, the bytes depend on nothing
    of the person but her cell.

    Raises
    ------
    AnswerError
        For an answer outside its question's domain.
    StateError
        With the code ``state.token`` if the survey is invited and there is no token.
    TokenError
        With the code ``token.box`` for an election's token of another box.
    RemoteError, SpecificationError
        If they cannot be sealed; see :meth:`Platform.seal`.
    """
    sound, cell = placement.sound, placement.room.cell
    specification = sound.specification
    if specification.invited is not None and specification.invited.election is not None:
        return await cast(platform, attempt(platform, link, placement, answers, token))
    accepted, content = write_content(platform, placement, answers)
    if specification.invited is None:
        return Message(
            link=link,
            specification=sound.digest,
            url=link.api("submissions"),
            content_type=JSON,
            body=content,
            content=content,
            cell=cell,
            answers=accepted,
            receipt=submission.receipt(content),
        )
    held = _required(token)
    box = await _seal_box(platform, specification.invited, sound.digest, cell, content, held)
    unsigned = UnsignedBallot(cell=cell, token=held.token, box=box)
    return await _seal_ballot(platform, link, sound, unsigned, held, accepted, content)


class Attempt:
    """An encrypted vote that is neither cast nor tested yet; only :func:`attempt` makes one.

    It ends by :func:`cast` or by :meth:`test`, and never by both: a ballot whose seed was given away would
    show its vote to whoever got the seed.

    Attributes
    ----------
    content, cell, answers
        As of a :class:`Message`.
    words : str
        To be shown before she decides (:attr:`shared.ballot.UnsignedBallot.words`).
    """

    def __init__(
        self,
        *,
        link: Link,
        sound: SoundSpecification,
        cell: int,
        accepted: Mapping[str, Answer],
        content: bytes,
        held: HeldToken,
        seed: bytes,
    ) -> None:
        self.link, self.sound, self.cell, self.answers, self.content = link, sound, cell, accepted, content
        self.held = held
        self._test: BallotTest | None = BallotTest(
            specification=sound.digest,
            cell=cell,
            token=held.token,
            chosen=chosen(sound.specification.questionnaire, accepted),
            seed=seed,
        )
        self.unsigned = self._test.ballot(election_terms(sound.specification, sound.digest), _GROUP)
        self.words = self.unsigned.words

    def __repr__(self) -> str:
        return "Attempt(...)"

    def test(self) -> BallotTest:
        """Give away what this ballot was made of; it can never be cast.

        Raises
        ------
        StateError
            With the code ``state.attempt`` if it was cast or tested before.
        """
        if self._test is None:
            raise StateError(
                "this ballot was cast or tested before",
                expected="a ballot that is neither",
                remedy="Make a new ballot.",
                code="state.attempt",
            )
        tested, self._test = self._test, None
        return tested


def attempt(
    platform: Platform,
    link: Link,
    placement: Placement,
    answers: Mapping[str, Any],
    token: HeldToken | None,
) -> Attempt:
    """Encrypt a vote from a fresh seed; errors as :func:`compose`.

    Guarantee: whoever has seed, token, cell and choices makes the same bytes again, on any device.
    """
    accepted, content = write_content(platform, placement, answers)
    held = _required(token)
    require_cell(held.token, placement.sound, placement.room.cell)
    return Attempt(
        link=link,
        sound=placement.sound,
        cell=placement.room.cell,
        accepted=accepted,
        content=content,
        held=held,
        seed=platform.entropy(SEED_BYTES),
    )


async def cast(platform: Platform, attempted: Attempt) -> Message:
    """Forget the seed, sign and seal; errors as :func:`compose` and :meth:`Attempt.test`."""
    attempted.test()
    a = attempted
    return await _seal_ballot(platform, a.link, a.sound, a.unsigned, a.held, a.answers, a.content)


def _required(token: HeldToken | None) -> HeldToken:
    if token is None:
        raise StateError(
            "only invited people can answer this survey",
            expected="the code of an invitation, or a saved token",
            remedy="Enter the code on your letter.",
            code="state.token",
        )
    return token


async def _seal_ballot(
    platform: Platform,
    link: Link,
    sound: SoundSpecification,
    unsigned: UnsignedBallot,
    held: HeldToken,
    accepted: Mapping[str, Answer],
    content: bytes,
) -> Message:
    """Sign a ballot with its token's key, and seal it to the collector."""
    signature = await platform.sign(secret=held.secret, message=unsigned.to_be_signed(sound.digest))
    ballot = unsigned.signed(signature)
    ballot.verify(sound.digest)
    invited = require_invited(sound.specification)
    body = await platform.seal(
        suite=invited.suite.name,
        public_key=invited.collector_key,
        info=ballot_info(sound.digest),
        plaintext=ballot.to_bytes(),
    )
    way = sealed_ballot(sound, link, body, ballot.receipt)
    return Message(
        link=link,
        specification=sound.digest,
        url=way.url,
        content_type=way.content_type,
        body=body,
        content=content,
        cell=unsigned.cell,
        answers=accepted,
        receipt=ballot.receipt,
        sealed=True,
        relayed=way.relayed,
        acceptance_key=way.acceptance_key,
    )


def sealed_ballot(sound: SoundSpecification, link: Link, body: bytes, receipt: str) -> Outgoing:
    """A sealed ballot on its way: to the relay, if the survey has one, or else to the collector."""
    invited = require_invited(sound.specification)
    relay = invited.relay
    return Outgoing(
        link=link,
        specification=sound.digest,
        url=link.api("submissions") if relay is None else link.at(relay.url, "submissions"),
        content_type=CONTENT_TYPE,
        body=body,
        receipt=receipt,
        sealed=True,
        relayed=relay is not None,
        acceptance_key=invited.acceptance_key if relay is None else relay.key,
    )


def write_content(
    platform: Platform, placement: Placement, answers: Mapping[str, Any]
) -> tuple[Mapping[str, Answer], bytes]:
    """The canonical answers, and the text of cell, answers and padding; errors as :func:`compose`."""
    sound = placement.sound
    accepted = sound.specification.questionnaire.accept(answers)
    length = sound.specification.message_bytes
    cell = placement.room.cell
    return accepted, submission.encode(sound.digest, cell, accepted, platform.entropy(length), length)


async def _seal_box(
    platform: Platform, invited: Invited, digest: str, cell: int, content: bytes, held: HeldToken
) -> bytes:
    token = held.token
    return await platform.seal(
        suite=invited.suite.name,
        public_key=invited.opening_key,
        info=box_info(digest, token.prefix, token.device_key, cell),
        plaintext=content,
    )
