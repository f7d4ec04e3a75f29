"""The link in an invitation: where the survey is, and what the respondent was told about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from shared.errors import VerificationError
from shared.invitation import Invitation

_PATH: Final = re.compile(r"(?P<base>(?:/[^/?#]+)*/)s/(?P<id>[0-9a-f]{16})/?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A survey's place and its invitation.

    Attributes
    ----------
    base : str
        Address of the installation, with a slash at its end.
    survey : str
        The survey's id.
    """

    base: str
    survey: str
    invitation: Invitation

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read ``BASE/s/ID#DIGEST.KEY``.

        Raises
        ------
        VerificationError
            If the link is damaged.
        """
        try:
            parts = urlsplit(url)
            host, _port = parts.hostname, parts.port
        except ValueError:
            parts, host = urlsplit(""), None
        match = _PATH.fullmatch(parts.path)
        if parts.scheme not in ("http", "https") or not host or match is None:
            raise VerificationError(
                "this is not the link of a survey",
                where="invitation link",
                expected="https://HOST/s/ID#DIGEST.KEY",
                remedy="Copy the whole link from the invitation again.",
                code="verification.invitation",
            )
        return cls(
            base=f"{parts.scheme}://{parts.netloc}{match['base']}",
            survey=match["id"],
            invitation=Invitation.parse_fragment(parts.fragment),
        )

    def api(self, resource: str) -> str:
        """Address of a resource of this survey."""
        return self.at(self.base, resource)

    def at(self, base: str, resource: str) -> str:
        """Address of the same resource at another installation, such as a relay."""
        return f"{base}api/v1/surveys/{self.survey}/{resource}"
