"""Who is let in: requests that know the session's secret, from a page of the desk itself.

The desk listens on the loopback address, which every program and every user of the machine reaches, and
which every page in the organizer's browser can send requests to. So each request is judged before the
application sees it:

1. Host is the desk's own address. A foreign name that was rebound to 127.0.0.1 carries the foreign name.
2. The first part of the path is the secret, 256 random bits that are new each time the desk is started.
   There is no cookie: cookies are sent to every port of a host, so a server of another user would get it.
3. What changes something comes from a page of the desk: its Origin is the desk's own.
4. A body has a declared length within bounds; only an upload of a file may be large.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

SAFE_METHODS: Final = ("GET", "HEAD")
MAX_UPLOAD_BYTES: Final = 100 * 2**20
"""Of a population file or a roll; a larger one is copied into the folder by hand."""
MAX_FORM_BYTES: Final = 2**20
"""Of everything else."""
UPLOAD_PATHS: Final = frozenset({"/population/upload", "/roles/file"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request goes no further; ``reason`` is for people and repeats nothing of the request."""

    status: HTTPStatus
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the gate looks at. Missing headers are empty texts; ``length`` is None if none is declared."""

    method: str
    path: str
    host: str
    origin: str = ""
    fetch_site: str = ""
    length: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The gate of one session.

    Attributes
    ----------
    port : int
        Port on 127.0.0.1.
    secret : str
        Known to whoever was shown the address, and never logged.
    """

    port: int
    secret: str

    def __repr__(self) -> str:
        return f"Gate(port={self.port}, secret=<hidden>)"

    @classmethod
    def new(cls, port: int) -> Gate:
        """A gate with a secret of its own, from the operating system's randomness."""
        return cls(port=port, secret=secrets.token_urlsafe(32))

    @property
    def host(self) -> str:
        """The only Host that is answered."""
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """What the organizer opens."""
        return f"http://{self.host}/{self.secret}/"

    def judge(self, request: Request) -> Refusal | None:
        """Return why a request is refused, or None.

        Guarantee: whoever does not know the secret gets the same answer for every path and method, and
        changes nothing.
        """
        if request.host != self.host:
            return Refusal(status=HTTPStatus.FORBIDDEN, reason="This is not an address of the desk.")
        first, _, rest = request.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(first.encode("utf-8", "replace"), self.secret.encode("ascii")):
            return Refusal(
                status=HTTPStatus.FORBIDDEN,
                reason="The desk answers only under the address that it printed when it was started.",
            )
        if request.method in SAFE_METHODS:
            return None
        if request.origin != f"http://{self.host}" or request.fetch_site not in ("", "same-origin"):
            return Refusal(status=HTTPStatus.FORBIDDEN, reason="This was not sent by a page of the desk.")
        if request.length is None:
            return Refusal(status=HTTPStatus.LENGTH_REQUIRED, reason="The length has to be declared.")
        most = MAX_UPLOAD_BYTES if f"/{rest}" in UPLOAD_PATHS else MAX_FORM_BYTES
        if request.length > most:
            return Refusal(
                status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                reason=f"This is larger than {most >> 20} MB. Copy the file into the folder of the survey.",
            )
        return None
