"""The API under ``api/v1``: fetch the specification and the model, submit, ask for receipt and state."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from typing import Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import LengthRequired, RequestEntityTooLarge, UnsupportedMediaType

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.tokens.exchange import TokenOffice
from server.collection.totals import arrived
from server.collection.web.connections import keep_open
from server.collection.web.openapi import document
from server.collection.web.sending import send
from server.collection.web.static_files import StaticFile
from shared import base64url
from shared.ballot import CONTENT_TYPE as BALLOT_TYPE
from shared.ballot import most_envelope_bytes
from shared.complaint import CONTENT_TYPE as COMPLAINT_TYPE
from shared.ed25519 import SIGNATURE_BYTES
from shared.errors import NotFoundError

SPECIFICATION_TYPE: Final = "application/vnd.roomful.specification+json"
JSON_TYPE: Final = "application/json"
MAX_SUBMISSION_BYTES: Final = SIGNATURE_BYTES + most_envelope_bytes()
"""The largest body of all: a complaint about the longest ballot that any survey can have."""
_RECEIPT: Final = re.compile(r"[0-9a-f]{64}")


def blueprint(config: Config, data: DataDirectory, *, keeps: bool = True) -> Blueprint:
    """The routes of the API.

    Parameters
    ----------
    config : Config
        For the address in the OpenAPI document, and the role.
    data : DataDirectory
        The surveys.
    keeps : bool
        Whether submissions are stored; a preview checks them and forgets them.
    """
    routes = Blueprint("api", __name__, url_prefix="/api/v1")
    openapi = json.dumps(document(config.public_url), ensure_ascii=False).encode()
    compressed = _Compressed()
    office = TokenOffice(data)

    @routes.get("/openapi.json")
    def describe() -> Response:
        return Response(openapi, content_type="application/json")

    @routes.get("/surveys/<survey>/specification")
    def specification(survey: str) -> Response:
        envelope = data.survey(survey).published.envelope
        return compressed.answer(envelope, lambda: envelope, SPECIFICATION_TYPE)

    @routes.get("/surveys/<survey>/parts/<digest>")
    def part(survey: str, digest: str) -> Response:
        published = data.survey(survey).published
        key = f"{published.digest}/{digest}".encode()
        return compressed.answer(key, lambda: published.part(digest), JSON_TYPE, immutable=True)

    @routes.get("/surveys/<survey>/model")
    def model(survey: str) -> Response:
        published = data.survey(survey).published
        path = published.model_path
        return compressed.answer(published.digest.encode(), path.read_bytes, "text/csv; charset=utf-8")

    @routes.get("/surveys/<survey>/status")
    def status(survey: str) -> Response:
        store = data.survey(survey)
        total = arrived(store) if config.takes_answers else None
        said: dict[str, object] = {"state": store.met.value, "total": total}
        return _json(said | ({"test": True} if store.is_test else {}), 200)

    @routes.get("/surveys/<survey>/receipts/<receipt>")
    def receipt(survey: str, receipt: str) -> Response:
        store = data.survey(survey)
        if not _RECEIPT.fullmatch(receipt) or not store.has_receipt(receipt):
            raise NotFoundError("no submission with this receipt is stored", code="not-found.receipt")
        return _json({"receipt": receipt}, 200)

    @routes.post("/surveys/<survey>/tokens")
    def issue(survey: str) -> Response:
        config.require_role("registrar")
        signature = office.exchange(survey, read_body((JSON_TYPE,)))
        return _json({"blind_signature": base64url.encode(signature)}, 200)

    @routes.get("/surveys/<survey>/tokens")
    def tokens(survey: str) -> Response:
        config.require_role("registrar")
        return Response(office.count(survey), content_type="application/json")

    @routes.post("/surveys/<survey>/submissions")
    def submit(survey: str) -> Response:
        config.require_role("collector")
        message = read_body((JSON_TYPE, BALLOT_TYPE))
        store = data.survey(survey)
        if _body_type() != (JSON_TYPE if store.specification.invited is None else BALLOT_TYPE):
            raise UnsupportedMediaType
        invited = store.specification.invited
        if invited is None or invited.relay is not None:
            keep_open()  # no code belongs to it, or it is the relay that sends
        stored = store.submit(message) if keeps else store.rehearse(message)
        acceptance = store.acceptance(stored)
        answer: dict[str, object] = {"receipt": stored}
        if acceptance is not None:
            answer["acceptance"] = base64url.encode(acceptance)
        return _json(answer, 201)

    @routes.post("/surveys/<survey>/complaints")
    def complain(survey: str) -> Response:
        config.require_role("collector")
        receipt, listed = data.survey(survey).complain(read_body((COMPLAINT_TYPE,)))
        return _json({"receipt": receipt, "listed": listed}, 200 if listed else 201)

    return routes


def _json(value: dict[str, object], status: int) -> Response:
    return Response(json.dumps(value), status, content_type="application/json")


def _body_type() -> str:
    return str(request.environ.get("CONTENT_TYPE", "")).partition(";")[0].strip().lower()


def read_body(types: tuple[str, ...], max_bytes: int = MAX_SUBMISSION_BYTES) -> bytes:
    """The body of a request, refused before it is read if it is too large, undeclared or of another type."""
    environ = request.environ
    length = environ.get("CONTENT_LENGTH", "")
    if not length.isdecimal() or "HTTP_TRANSFER_ENCODING" in environ:
        raise LengthRequired
    if int(length) > max_bytes:
        raise RequestEntityTooLarge
    if _body_type() not in types or environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise UnsupportedMediaType
    return request.get_data(cache=False)


class _Compressed:
    """Large published documents, compressed at the first request and kept."""

    def __init__(self) -> None:
        self._files: dict[bytes, StaticFile] = {}
        self._lock = threading.Lock()

    def answer(
        self, key: bytes, read: Callable[[], bytes], kind: str, *, immutable: bool = False
    ) -> Response:
        """Send the document in the smallest form that the request accepts."""
        with self._lock:
            file = self._files.get(key)
            if file is None:
                file = self._files[key] = StaticFile.compress(kind, read(), immutable=immutable)
        return send(file)
