"""Sending prepared bytes with the encoding that the request accepts."""

from __future__ import annotations

from flask import Response, request

from server.collection.web import security
from server.collection.web.static_files import StaticFile


def send(file: StaticFile) -> Response:
    """Answer with a file; no entity tag and no date, which could mark a browser."""
    encoding = file.choose(dict(request.accept_encodings))
    response = Response(file.bodies[encoding], content_type=file.content_type)
    if encoding != "identity":
        response.headers["Content-Encoding"] = encoding
    response.headers["Vary"] = "Accept-Encoding"
    response.headers["Cache-Control"] = security.IMMUTABLE if file.immutable else security.NO_STORE
    return response
