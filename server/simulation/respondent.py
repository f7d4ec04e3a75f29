"""The seam to the respondent's client, which the server's packages never import.

A client registers a function under the entry-point group ``roomful.respondent``; given the link of an
invitation it returns something that behaves as :class:`Respondent`. So simulated people run the very checks,
mapping and bytes of real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any, Final, Protocol

from shared.errors import SetupError
from shared.invitation_code import InvitationCode
from shared.metrics import Metrics
from shared.specification import Specification

GROUP: Final = "roomful.respondent"


class Sound(Protocol):
    """A specification that passed every check of the client."""

    @property
    def specification(self) -> Specification:
        """What was signed."""

    @property
    def digest(self) -> str:
        """Its identity."""

    @property
    def metrics(self) -> Mapping[int, Metrics]:
        """Failure of each cell, as its checks recomputed it, by cell."""


class Message(Protocol):
    """The exact bytes that will be sent."""

    @property
    def cell(self) -> int:
        """The cell that stands in them."""

    @property
    def receipt(self) -> str:
        """What stands on the board for them, if the survey is an invited one."""


class Respondent(Protocol):
    """Takes part for many people; after :meth:`prepare` safe for threads, and pickled for a cluster."""

    def is_test(self) -> bool:
        """Whether the server says that this is a test copy."""

    def prepare(self, *, compared: bool = False) -> Sound:
        """Fetch the survey and make every check once."""

    def place(self, quasi_identifiers: Mapping[str, str | None], /) -> Any:
        """Map a person to her cell."""

    def prepare_token(self, code: InvitationCode, placement: Any, /) -> Any:
        """Draw the blinding of an invited person's token; of an election it counts in her box alone."""

    def fetch_token(self, request: Any, /) -> Any:
        """Exchange her code for the token; may be repeated with the same request."""

    def compose(self, placement: Any, answers: Mapping[str, Any], token: Any = None, /) -> Message:
        """The bytes to be sent for her; with her token if she was invited."""

    def send(self, message: Any, /) -> object:
        """Send them; may be repeated with the same message."""


def respondent_for(url: str) -> Respondent:
    """The installed client's respondent for a survey.

    Raises
    ------
    SetupError
        If no client is installed.
    """
    found = list(entry_points(group=GROUP))
    if not found:
        raise SetupError(
            "no respondent's client is installed",
            expected=f"a package with the entry point {GROUP}",
            remedy="Install Roomful again with pip.",
        )
    factory: Callable[[str], Respondent] = found[0].load()
    return factory(url)
