"""Respondents without a browser: the same checks, the same mapping, the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.link import Link
from respondent_client.sending import Receipt, Sender
from respondent_client.session import Message, Placement, compose, examine_survey, place
from shared.errors import StateError
from shared.soundness import Examination, SoundSpecification

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

    def __init__(self, url: str, notify: Callable[[dict[str, int]], None] | None = None) -> None:
        self.link = Link.parse(url)
        self._platform = HeadlessPlatform(notify)
        self._sound: SoundSpecification | None = None

    def close(self) -> None:
        """Close the connections."""
        self._platform.close()

    def examine(self) -> Examination:
        """Fetch the survey and make the ten checks."""
        return run(examine_survey(self._platform, self.link))

    def prepare(self, *, compared: bool = False) -> SoundSpecification:
        """Fetch and check once.

        Raises
        ------
        SoundnessError
            With the code of the first check that did not pass.
        """
        return self.accept(self.examine(), compared=compared)

    def accept(self, examination: Examination, *, compared: bool = False) -> SoundSpecification:
        """Go on with an examination that passed; raises like :meth:`prepare`."""
        self._sound = examination.sound(compared=compared)
        return self._sound

    def place(self, quasi_identifiers: Mapping[str, str | None]) -> Placement:
        """Map a person to her room."""
        if self._sound is None:
            raise StateError("the survey was not checked yet", remedy="Call prepare() first.")
        return place(self._sound, quasi_identifiers)

    def compose(self, placement: Placement, answers: Mapping[str, Any]) -> Message:
        """The exact bytes to be sent."""
        return compose(self._platform, self.link, placement, answers)

    def send(self, message: Message) -> Receipt:
        """Send them; the same message may be sent again."""
        return run(Sender(self._platform).send(message))

    def respond(self, quasi_identifiers: Mapping[str, str | None], answers: Mapping[str, Any]) -> str:
        """Take part: place, compose and send.

        Returns
        -------
        str
            The receipt, hexadecimal.
        """
        return self.send(self.compose(self.place(quasi_identifiers), answers)).digest


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Result of a coroutine that never waits: the headless platform blocks instead, so no loop is needed."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("the headless platform does not wait")
