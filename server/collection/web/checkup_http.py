"""The checkup as a visitor sees it: the same server through its proxy, over HTTP."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from server.collection.config import is_loopback
from server.collection.web.checkup_http2 import keeps_connection
from server.collection.web.checkup_line import Line, line
from server.collection.web.security import CONTENT_SECURITY_POLICY, HEADERS
from server.collection.web.static_files import ClientFiles, content_type
from shared.errors import InputError

TIMEOUT_SECONDS: Final = 10.0
MAX_BYTES: Final = 64 * 2**20
CLOCK_SECONDS: Final = 300
MARKING: Final = (
    "Set-Cookie", "ETag", "X-Request-Id", "X-Correlation-Id", "Traceparent", "CF-Ray", "X-Amz-Cf-Id",
    "X-Amzn-Trace-Id", "NEL", "Report-To", "Reporting-Endpoints", "Alt-Svc", "Accept-CH",
)  # fmt: skip
"""Headers with which proxies number, trace or mark visitors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    status: int
    headers: Message
    body: bytes


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: object, **_more: object) -> None:
        """Redirects are findings, not to be followed."""


def examine_http(url: str, client: ClientFiles | None) -> tuple[Line, ...]:
    """Look at a running server from outside.

    Parameters
    ----------
    url : str
        Its public address.
    client : ClientFiles or None
        The client of this installation, to know the names of the files.

    Raises
    ------
    InputError
        If `url` is not a web address.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("not a web address", where="--url", expected="https://example.org/")
    base = url if url.endswith("/") else url + "/"
    first = _get(base + "api/v1/openapi.json")
    if first is None or first.status != 200:
        untrusted = _untrusted(base) if first is None else ""
        status = "did not answer" if first is None else f"answered {first.status}"
        return (
            line(
                "http-reachable", False, "",
                f"Its certificate is not trusted: {untrusted}." if untrusted else f"The server {status}.",
                "Give the proxy a certificate for this name, with its whole chain, that browsers trust."
                if untrusted
                else "Start it with roomful serve, and check the proxy's target and sub-path.",
            ),
        )  # fmt: skip
    return (
        line("http-reachable", True, "The server answers.", "", ""),
        *_identity(first, base),
        *_headers(base, https=parts.scheme == "https"),
        line(
            "http-secure-context",
            parts.scheme == "https" or is_loopback(parts.hostname),
            "Browsers grant the cryptography that the checks need.",
            "Browsers refuse the cryptography that the checks need, because the address is not encrypted.",
            "Put a proxy with a certificate in front.",
        ),
        *(_connection(base) if parts.scheme == "https" else ()),
        *_files(base, client),
    )


def _untrusted(url: str) -> str:
    """Why a server's certificate is not trusted; empty if that is not what is the matter."""
    try:
        urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS).close()  # noqa: S310 - scheme is checked
    except OSError as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            return reason.verify_message
    return ""


def _identity(first: _Answer, base: str) -> Iterator[Line]:
    try:
        told = json.loads(first.body)["servers"][0]["url"].rstrip("/") + "/"
    except (ValueError, LookupError, TypeError, AttributeError):
        told = ""
    yield line(
        "http-public-url", told == base, "The server knows this address as its own.",
        "The server believes to be at another address; its invitations would lead there.",
        "Set public_url to the address that people use, with its sub-path.",
    )  # fmt: skip
    date = first.headers.get("Date")
    if date is not None:
        try:
            away = abs(parsedate_to_datetime(date).timestamp() - time.time())
        except ValueError:
            away = float("inf")
        yield line(
            "http-clock", away <= CLOCK_SECONDS, "Its clock agrees with this machine's.",
            "Its clock and this machine's are more than five minutes apart.", "Turn on time synchronization.",
            warning=True,
        )  # fmt: skip


def _headers(base: str, *, https: bool) -> Iterator[Line]:
    page = _get(base)
    headers = page.headers if page else Message()
    changed = [
        name for name, value in HEADERS.items() if headers.get_all(name, []) != [value]
    ]  # fmt: skip
    yield line(
        "http-headers", not changed, "The security headers arrive as they were sent.",
        "The proxy changed or doubled: " + ", ".join(changed) + ".",
        "Remove these headers from the proxy's configuration; the server sends them itself.",
    )  # fmt: skip
    marked = [name for name in MARKING if name in headers]
    yield line(
        "http-marks", not marked, "Nothing in the answers marks or numbers a visitor.",
        "The proxy adds " + ", ".join(marked) + ", which can tell visitors apart.",
        "Turn this off in the proxy, and its access log with it (nginx: access_log off).",
        warning=True,
    )  # fmt: skip
    if https:
        yield line(
            "http-strict-transport",
            "Strict-Transport-Security" in headers,
            "Browsers are told to come encrypted.",
            "Browsers are not told to come encrypted.",
            "Set public_url to the https address.",
            warning=True,
        )


def _connection(base: str) -> Iterator[Line]:
    try:
        kept = keeps_connection(base)
    except OSError:
        yield line(
            "http-connection", False, "", "Whether a connection ends after a ballot could not be seen.",
            "Look again; the proxy broke off a connection that offered HTTP/2.", warning=True,
        )  # fmt: skip
        return
    yield line(
        "http-connection",
        not kept,
        "No HTTP/2 connection goes on after a code or a ballot.",
        "The proxy speaks HTTP/2 and keeps a connection after a ballot: one can carry a code and a ballot.",
        "Turn HTTP/2 off in the proxy (nginx: without http2), or let it end the connection (Caddy: header "
        "Connection close).",
    )


def _files(base: str, client: ClientFiles | None) -> Iterator[Line]:
    if client is None:
        return
    for suffix in (".wasm", ".mjs"):
        name = next((asset for asset in client.assets.values() if asset.endswith(suffix)), None)
        if name is None:
            continue
        answer = _get(f"{base}static/{name}", accept="br, gzip")
        code = f"http{suffix.replace('.', '-')}"
        if answer is None or answer.status != 200:
            yield line(
                code, False, "", f"A {suffix} file is missing.",
                "Build the client on the server and restart it; do not let the proxy serve static/ itself.",
            )  # fmt: skip
            continue
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        policy = answer.headers.get("Content-Security-Policy")
        yield line(
            code,
            kind == content_type(name).partition(";")[0] and policy == CONTENT_SECURITY_POLICY,
            f"{suffix} files arrive with the right type and policy.",
            f"{suffix} files arrive with a wrong type or policy, and the page would wait for ever.",
            "Let the proxy pass Content-Type and Content-Security-Policy through unchanged.",
        )
        if suffix == ".wasm":
            yield line(
                "http-compression",
                answer.headers.get("Content-Encoding") in ("br", "gzip"),
                "Large files arrive compressed.",
                "Large files arrive uncompressed; the first visit takes twice as long.",
                "Let the proxy pass Accept-Encoding through.",
                warning=True,
            )


def _get(url: str, accept: str = "identity") -> _Answer | None:
    request = urllib.request.Request(url, headers={"Accept-Encoding": accept})  # noqa: S310 - scheme is checked
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=TIMEOUT_SECONDS) as answer:
            return _Answer(status=answer.status, headers=answer.headers, body=answer.read(MAX_BYTES))
    except urllib.error.HTTPError as error:
        return _Answer(status=error.code, headers=error.headers, body=b"")
    except (OSError, http.client.HTTPException):
        return None
