"""The link that a relay is started with: where the collector is, and which survey it may serve."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from shared.envelope import survey_id
from shared.errors import InputError, VerificationError
from shared.invitation import Invitation

_PATH: Final = re.compile(r"(?P<base>(?:/[^/?#]+)*/)s/(?P<id>[0-9a-f]{16})/?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayLink:
    """A survey's invitation as a relay needs it.

    Attributes
    ----------
    base : str
        Address of the collector, with a slash at its end.
    digest : str
        The survey's identity.
    organizer_key : bytes
        Who must have signed it.
    """

    base: str
    digest: str
    organizer_key: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``BASE/s/ID#DIGEST.KEY``.

        Raises
        ------
        VerificationError
            If the link is damaged, or does not say which survey and whose.
        InputError
            If it is one person's own: her code is not the relay's business.
        """
        try:
            parts = urlsplit(text)
            host, _port = parts.hostname, parts.port
            text.encode("ascii")
            (host or "").encode("idna")  # refuses names that no resolver takes
        except ValueError:
            raise _damaged("this is not the link of a survey") from None
        match = _PATH.fullmatch(parts.path)
        invitation = Invitation.parse_fragment(parts.fragment)
        if invitation.code is not None or invitation.token is not None:
            raise InputError(
                "this link holds the code or the token of one person",
                where="LINK",
                expected="the link without code, as roomful serve prints it",
                code="input.relay-link",
            )
        digest, key = invitation.digest, invitation.organizer_key
        if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or match is None:
            raise _damaged("this is not the link of a survey")
        if digest is None or key is None or survey_id(digest) != match["id"]:
            raise _damaged("the link does not say which survey it is, and whose")
        return cls(base=f"{parts.scheme}://{parts.netloc}{match['base']}", digest=digest, organizer_key=key)

    @property
    def survey(self) -> str:
        """The survey's id."""
        return survey_id(self.digest)

    def api(self, resource: str) -> str:
        """Address of a resource of this survey at the collector."""
        return f"{self.base}api/v1/surveys/{self.survey}/{resource}"


def _damaged(message: str) -> VerificationError:
    return VerificationError(
        message,
        where="LINK",
        expected="https://HOST/s/ID#DIGEST.KEY",
        remedy="Copy the whole link, as roomful serve prints it, and put it in quotes.",
        code="verification.invitation",
    )
