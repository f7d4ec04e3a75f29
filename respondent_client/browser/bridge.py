"""The worker's entrance: JSON messages from the page in, JSON messages out.

Whatever happens, :func:`handle` answers; an error carries its stable code, and an unforeseen one only its
class, never a value that she entered.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

from respondent_client.browser.invited import Entrance, look_at_code
from respondent_client.browser.messages import (
    attempt_object,
    error_object,
    line_object,
    message_object,
    part_object,
    rebuilt_object,
    receipt_object,
    room_object,
    survey_object,
)
from respondent_client.browser.typed import check_answers, read_quasi_identifiers
from respondent_client.composing import Attempt, Message, attempt, cast, compose
from respondent_client.delay import draw_delay
from respondent_client.keeping import keep_message
from respondent_client.link import Link
from respondent_client.picture import axes_of, draw
from respondent_client.platform import Platform
from respondent_client.sending import Receipt, Sender
from respondent_client.session import (
    Placement,
    district_of,
    examine_alone,
    faulty,
    issued_by_box,
    load_parts,
    place,
    recount,
)
from respondent_client.typed_numbers import Signs
from shared.ballot import require_invited
from shared.cells import ReferencedCells
from shared.complaint import sealed_text
from shared.election.group import PythonGroup
from shared.election.tested import BallotTest, rebuild
from shared.errors import RoomfulError, StateError
from shared.invitation import Invitation
from shared.questionnaire import Questionnaire
from shared.receipt import BallotReceipt
from shared.soundness import Examination, SoundSpecification
from shared.words import digest_words

T = TypeVar("T")
Answers = dict[str, Any]


class Bridge:
    """One respondent's way through the steps.

    Parameters
    ----------
    platform : Platform
        What the worker offers.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._sender = Sender(platform)
        self._link: Link | None = None
        self._examination: Examination | None = None
        self._compared = False
        self._sound: SoundSpecification | None = None
        self._district = 0
        self._parts: dict[str, bytes] = {}
        self._entrance: Entrance | None = None
        self._placement: Placement | None = None
        self._attempt: Attempt | None = None
        self._message: Message | None = None
        self._composing: object = None  # what was composed last: what is sealed earlier may be ready later

    async def handle(self, text: str) -> str:
        """Answer one message ``{"method", "arguments"}`` with ``{"result"}`` or ``{"error"}``."""
        try:
            request = json.loads(text)
            method = _METHODS.get(request["method"])
            if method is None:
                raise StateError("no such step", where="method")
            result = method(self, **request["arguments"])
            if hasattr(result, "__await__"):
                result = await result
        except RoomfulError as error:
            return json.dumps({"error": error_object(error)})
        except Exception as error:
            kind = type(error).__name__
            return json.dumps({"error": error_object(RoomfulError(kind, code="internal"))})
        return json.dumps({"result": result})

    async def open(self, base: str, survey: str, fragment: str) -> dict[str, Any]:
        """Fetch and check the survey, once; a public model is counted by :meth:`recount`.

        Returns
        -------
        dict
            ``lines`` and ``words``; ``compare`` if she has to compare them; ``survey`` once it may be shown;
            ``sound`` once every check has passed: before that nothing maps a person or sends.
        """
        self._link = Link(base=base, survey=survey, invitation=Invitation.parse_fragment(fragment))
        self._sound, self._compared, self._parts, self._entrance = None, False, {}, None
        self._examination = await examine_alone(self._platform, self._link)
        return self._examined()

    def confirm_words(self) -> dict[str, Any]:
        """She found the words to be those of her invitation."""
        self._compared = True
        return self._examined()

    async def recount(self) -> dict[str, Any]:
        """Make the last check, which may take seconds."""
        self._examination = await recount(self._platform, _needed(self._link), _needed(self._examination))
        return self._examined()

    def _examined(self) -> dict[str, Any]:
        examination, compared = _needed(self._examination), self._compared
        lines = [line_object(line) for line in examination.lines]
        words = digest_words(examination.verified.digest) if examination.verified else ""
        result: dict[str, Any] = {
            "lines": lines, "words": words, "survey": None, "compare": False, "sound": False
        }  # fmt: skip
        if examination.refusal is None and examination.must_compare and not compared:
            return result | {"compare": True}
        if examination.must_recount or examination.must_load:
            return result | {"survey": survey_object(_needed(examination.specification))}
        try:
            self._sound = examination.sound(compared=compared)
        except RoomfulError as error:
            return result | {"refused": {"code": error.code, "error": error_object(error)}}
        if self._sound.specification.invited is not None and self._entrance is None:
            organizer_key = _needed(examination.verified).organizer_key
            self._entrance = Entrance(self._platform, _needed(self._link), self._sound, organizer_key)
        return result | {"survey": survey_object(self._sound.specification), "sound": True}

    async def load(self, everything: bool) -> dict[str, Any]:
        """Fetch the part of her district, or all parts, and make the checks that were open."""
        districts = None if everything else (self._district,)
        examination = _needed(self._examination)
        self._examination = await load_parts(
            self._platform, _needed(self._link), examination, districts, kept=self._parts
        )
        return self._examined()

    def look_at_code(self, text: str) -> dict[str, Any]:
        """What can be said of a code while it is typed."""
        return look_at_code(text)

    async def begin_invitation(self, kept: str | None, message: str | None = None) -> dict[str, Any]:
        """What is there already: of an earlier load of the page, or of the link.

        ``sent`` says that ballot was sent with the token that is there, and nobody has answered for it yet.
        """
        entrance = _needed(self._entrance)
        found = await entrance.begin(kept)
        sent = entrance.restore_message(message) if message and entrance.token is not None else None
        if sent is None:
            return found
        self._sender.resume(sent)
        return found | {"sent": True}

    async def use_invitation(self, text: str) -> dict[str, Any]:
        """Take a code or a saved token; in an election after :meth:`place`."""
        self._forget_message()
        placement = self._placement
        if require_invited(_needed(self._sound).specification).election is not None:
            placement = _needed(placement)
        return await _needed(self._entrance).use(text, 0 if placement is None else placement.room.cell)

    async def fetch_token(self) -> dict[str, Any]:
        """Exchange the code for the token."""
        return await _needed(self._entrance).fetch()

    def forget_invitation(self) -> dict[str, Any]:
        """Drop code and token."""
        self._forget_message()
        self._sender.forget()
        return _needed(self._entrance).forget()

    def place(
        self, quasi_identifiers: dict[str, str | None], signs: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Find her room, or the part of the survey that is needed for it, or say which fields are wrong.

        ``signs`` are those in which numbers were typed; without them only plain decimals are numbers.
        """
        specification = _needed(_needed(self._examination).specification)
        quasi_identifiers, doubts = read_quasi_identifiers(specification, quasi_identifiers, Signs.of(signs))
        faults = faulty(specification, quasi_identifiers)
        errors = {name: error_object(error) for name, error in faults.items()} | doubts
        if errors:
            return {"errors": errors}
        self._district = district_of(specification, quasi_identifiers)
        if isinstance(specification.cells.parts[self._district], ReferencedCells):
            return {"part": part_object(specification, self._district)}
        sound = _needed(self._sound)
        placement = place(sound, quasi_identifiers)
        if self._placement is None or placement.vector != self._placement.vector:
            self._placement = placement
        return {"room": room_object(self._placement.room, sound.specification)}

    async def tokens(self) -> dict[str, Any]:
        """How many of her box in an election hold a token; None while codes are exchanged."""
        cell = _needed(self._placement).room.cell
        try:
            return {"tokens": (await issued_by_box(self._platform, _needed(self._link)))[cell]}
        except (RoomfulError, IndexError):
            return {"tokens": None}

    def picture(self, across: int, up: int) -> dict[str, Any]:
        """The picture of her room over two axes."""
        placement = _needed(self._placement)
        specification = placement.sound.specification
        axes = axes_of(specification)
        return draw(specification, placement.vector, placement.room.cell, axes[across], axes[up])

    def questionnaire(self, language: str) -> dict[str, Any]:
        """The questions in one language, for SurveyJS."""
        return self._questionnaire().to_surveyjs(language)

    def _questionnaire(self) -> Questionnaire:
        """The questions, once the survey may be shown: a check may still be under way."""
        return _needed(_needed(self._examination).specification).questionnaire

    def check_answers(
        self,
        page: int,
        answers: Answers,
        settled: Answers | None = None,
        signs: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """Which answers of one page do not do, and those that do, in the form in which they are sent; and
        what is hidden by the answers."""
        return check_answers(self._questionnaire(), page, answers, settled or {}, Signs.of(signs))

    async def compose(self, answers: Answers) -> dict[str, Any]:
        """The message to be sent; the same answers keep the same bytes, so that sending again is harmless.

        Of an election that is no message before :meth:`cast`, but an encrypted vote with its words.
        """
        placement = _needed(self._placement)
        specification = placement.sound.specification
        answers = specification.questionnaire.without_hidden(answers)
        said = (placement.room.cell, specification.questionnaire.accept(answers))
        if self._message is None or (self._message.cell, self._message.answers) != said:
            token = self._entrance.token if self._entrance else None
            if specification.invited is not None and specification.invited.election is not None:
                if self._attempt is None or (self._attempt.cell, self._attempt.answers) != said:
                    self._attempt = attempt(self._platform, _needed(self._link), placement, answers, token)
                return attempt_object(self._attempt, specification)
            self._composing = said
            message = await compose(self._platform, _needed(self._link), placement, answers, token)
            if self._composing is said:
                self._message = message
            return message_object(message, specification)
        return message_object(self._message, specification)

    async def cast(self) -> dict[str, Any]:
        """Make the encrypted vote a message; it cannot be tested any more."""
        attempted, self._attempt = (
            _needed(self._attempt),
            None,
        )  # if it cannot be sealed, the next is another one
        self._message = await cast(self._platform, attempted)
        return message_object(self._message, _needed(self._sound).specification)

    def test_ballot(self) -> dict[str, Any]:
        """Give the encrypted vote away to be tested; it is never cast, and the next is another one."""
        attempted, self._attempt = _needed(self._attempt), None
        return {
            "text": attempted.test().to_bytes().decode("ascii"),
            "words": attempted.words,
            "page": _needed(self._entrance).verify_link(),
        }

    def check_ballot(self, text: str) -> dict[str, Any]:
        """Make a ballot again that another device gave away to be tested."""
        sound, tested = _needed(self._sound), BallotTest.parse(text.strip().encode("utf-8", "replace"))
        found = rebuild(sound.specification, sound.digest, tested, PythonGroup())
        return rebuilt_object(found, sound.specification)

    def _forget_message(self) -> None:
        self._message = self._attempt = self._composing = None

    def delay(self) -> dict[str, Any]:
        """Milliseconds until a random moment at which an invited respondent's message is sent."""
        invited = require_invited(_needed(self._sound).specification)
        return {"milliseconds": draw_delay(self._platform, invited)}

    def keep_message(self) -> dict[str, Any]:
        """What the page keeps of a ballot from before it is sent until somebody has answered for it."""
        if self._entrance is None:
            return {"kept": None}
        first = self._sender.unanswered or _needed(self._message)
        return {"kept": keep_message(first)}

    async def send_again(self) -> dict[str, Any]:
        """Send the ballot that was sent before the page was loaded anew; the receipt."""
        return self._received(await self._sender.send(_needed(self._sender.unanswered)))

    async def send(self) -> dict[str, Any]:
        """Send it; the receipt."""
        return self._received(await self._sender.send(_needed(self._message)))

    def _received(self, receipt: Receipt) -> dict[str, Any]:
        self._placement = None
        self._forget_message()
        result = receipt_object(receipt)
        if self._entrance is None:
            return result
        self._entrance.forget()
        self._sender.forget()
        sound = _needed(self._sound)
        digest, is_election = sound.digest, require_invited(sound.specification).election is not None
        ballot = sealed_text(receipt.sealed) if is_election and receipt.sealed else ""
        text = BallotReceipt.of(digest, receipt.digest, receipt.acceptance).to_text()
        return result | {"text": text, "ballot": ballot, "board": self._entrance.board_link(text)}


_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "open": Bridge.open,
    "confirm_words": Bridge.confirm_words,
    "recount": Bridge.recount,
    "load": Bridge.load,
    "look_at_code": Bridge.look_at_code,
    "begin_invitation": Bridge.begin_invitation,
    "use_invitation": Bridge.use_invitation,
    "fetch_token": Bridge.fetch_token,
    "forget_invitation": Bridge.forget_invitation,
    "place": Bridge.place,
    "picture": Bridge.picture,
    "tokens": Bridge.tokens,
    "questionnaire": Bridge.questionnaire,
    "check_answers": Bridge.check_answers,
    "compose": Bridge.compose,
    "cast": Bridge.cast,
    "test_ballot": Bridge.test_ballot,
    "check_ballot": Bridge.check_ballot,
    "delay": Bridge.delay,
    "keep_message": Bridge.keep_message,
    "send_again": Bridge.send_again,
    "send": Bridge.send,
}


def _needed(value: T | None) -> T:
    if value is None:
        raise StateError("a step before this one is missing", remedy="Load the page again.")
    return value
