"""Ends the connection after a code or a ballot, so that no connection carries both.

Blind tokens are of no use against somebody who sees that one connection fetched a token and then sent a
ballot. A page cannot end its browser's connections, so the server does: each request with a body is the last
one of its connection. A proxy in front has connections of its own with browsers; the configurations in
``deploy/`` end those too.

Kept are connections on which nobody is told apart by it: those of a relay, and of open surveys, which have no
codes.
"""

from __future__ import annotations

from typing import Final

from flask import request
from waitress.task import WSGITask

END: Final = "roomful.end_connection"
"""In a request's environment: whether its connection ends with the answer."""


def keep_open() -> None:
    """Let the connection of the request that is being answered stay open."""
    request.environ[END] = False


class Task(WSGITask):
    """Answers one request, and then ends the connection if the application wants it."""

    def build_response_header(self) -> bytes:
        """The head of the answer; waitress allows no application to set ``Connection`` itself."""
        if self.environ is not None and self.environ.get(END):
            self.set_close_on_finish()
        head: bytes = super().build_response_header()
        return head
