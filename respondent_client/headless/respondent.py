"""Respondents without a browser: the same checks, the same mapping, the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from respondent_client.complaining import complain, read_complaint
from respondent_client.composing import Attempt, Message, Outgoing, attempt, cast, compose, write_content
from respondent_client.delay import draw_delay
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.keeping import restore
from respondent_client.link import Link
from respondent_client.sending import Receipt, Sender
from respondent_client.session import (
    Placement,
    district_of,
    examine_alone,
    faulty,
    is_test_copy,
    load_parts,
    place,
    recount,
    status_of,
)
from respondent_client.token_request import TokenRequest, fetch_token, prepare_request, require_genuine
from shared.ballot import require_invited
from shared.errors import StateError
from shared.invitation_code import InvitationCode
from shared.receipt import BallotReceipt
from shared.soundness import Examination, SoundSpecification
from shared.token import HeldToken

T = TypeVar("T")


class HeadlessRespondent:
    """Takes part in one survey, for one person or, in a simulation, for many.

    Safe to use from several threads once :meth:`prepare` has returned.

    Parameters
    ----------
    url : str
        The invitation's link.
    notify : callable, optional
        Receives ``{"check": 10, "done", "total"}`` while a public model is recounted.
    """

    def __init__(self, url: str, notify: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        self.link = Link.parse(url)
        self._platform = HeadlessPlatform(notify)
        self._sound: SoundSpecification | None = None

    def close(self) -> None:
        """Close the connections."""
        self._platform.close()

    def examine(self) -> Examination:
        """Fetch the survey and make the eleven checks; of one in parts those of its root."""
        return run(recount(self._platform, self.link, run(examine_alone(self._platform, self.link))))

    def district_of(
        self, examination: Examination, quasi_identifiers: Mapping[str, str | None]
    ) -> int | None:
        """The district whose part a person needs; None if nothing is left to be loaded.

        Raises
        ------
        AnswerError
            For a quasi-identifier that is missing, unknown or outside its domain.
        """
        specification = examination.specification
        if specification is None or not examination.must_load:
            return None
        for problem in faulty(specification, quasi_identifiers).values():
            raise problem
        return district_of(specification, quasi_identifiers)

    def load(self, examination: Examination, district: int | None = None) -> Examination:
        """The examination with the part of a district, or with all parts."""
        districts = None if district is None else (district,)
        return run(load_parts(self._platform, self.link, examination, districts))

    def prepare(self, *, compared: bool = False) -> SoundSpecification:
        """Fetch and check once, with all parts.

        Raises
        ------
        SoundnessError
            With the code of the first check that did not pass.
        """
        return self.accept(self.load(self.examine()), compared=compared)

    def is_test(self) -> bool:
        """Whether the server says that this survey is a test copy."""
        return run(is_test_copy(self._platform, self.link))

    def exchanges_codes(self) -> bool:
        """Whether the server says that this is an election that takes no ballots yet."""
        return run(status_of(self._platform, self.link)).get("state") == "tokens"

    def accept(self, examination: Examination, *, compared: bool = False) -> SoundSpecification:
        """Go on with an examination that passed; raises like :meth:`prepare`."""
        self._sound = examination.sound(compared=compared)
        return self._sound

    def place(self, quasi_identifiers: Mapping[str, str | None]) -> Placement:
        """Map a person to her room."""
        return place(self._checked(), quasi_identifiers)

    def _checked(self) -> SoundSpecification:
        if self._sound is None:
            raise StateError("the survey was not checked yet", remedy="Call prepare() first.")
        return self._sound

    def prepare_token(self, code: InvitationCode, placement: Placement) -> TokenRequest:
        """Draw a code's key and blinding; keep the result until :meth:`fetch_token` has succeeded."""
        return run(prepare_request(self._platform, self._checked(), code, placement.room.cell))

    def fetch_token(self, request: TokenRequest) -> HeldToken:
        """Exchange a code for its token; may be repeated with the same request."""
        return run(fetch_token(self._platform, self.link, request))

    def restore(self, text: str) -> TokenRequest | HeldToken:
        """What was kept of this survey: a request, or a token that is of use."""
        return run(restore(self._platform, self._checked(), text))

    def require_genuine(self, token: HeldToken) -> HeldToken:
        """A token that a link brought, once it is known to be of use."""
        return run(require_genuine(self._platform, self._checked(), token))

    def preview(self, placement: Placement, answers: Mapping[str, Any]) -> bytes:
        """What a message would say, before it is sealed."""
        return write_content(self._platform, placement, answers)[1]

    def compose(
        self, placement: Placement, answers: Mapping[str, Any], token: HeldToken | None = None
    ) -> Message:
        """The exact bytes to be sent."""
        return run(compose(self._platform, self.link, placement, answers, token))

    def attempt(self, placement: Placement, answers: Mapping[str, Any], token: HeldToken | None) -> Attempt:
        """An encrypted vote, to be cast or tested."""
        return attempt(self._platform, self.link, placement, answers, token)

    def cast(self, attempted: Attempt) -> Message:
        """The exact bytes of a vote that will not be tested any more."""
        return run(cast(self._platform, attempted))

    def draw_delay(self) -> float:
        """Seconds until a random moment at which the ballot is sent; the same for the page."""
        return draw_delay(self._platform, require_invited(self._checked().specification)) / 1000

    def send(self, message: Outgoing) -> Receipt:
        """Send them; the same message may be sent again."""
        return run(Sender(self._platform).send(message))

    def complain(self, text: str) -> tuple[BallotReceipt, bool]:
        """Send the complaint in a saved file; the receipt, and whether the board lists it already."""
        receipt, complaint = read_complaint(text, self.link)
        return receipt, run(complain(self._platform, self.link, receipt, complaint))

    def respond(
        self,
        quasi_identifiers: Mapping[str, str | None],
        answers: Mapping[str, Any],
        code: InvitationCode | None = None,
    ) -> str:
        """Take part: place, fetch a token if there is a code, compose and send.

        Returns
        -------
        str
            The receipt, hexadecimal.
        """
        placement = self.place(quasi_identifiers)
        token = None if code is None else self.fetch_token(self.prepare_token(code, placement))
        return self.send(self.compose(placement, answers, token)).digest


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Result of a coroutine that never waits: the headless platform blocks instead, so no loop is needed."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("the headless platform does not wait")
