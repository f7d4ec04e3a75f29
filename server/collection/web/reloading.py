"""An application that is made anew when the client was built again: for whoever works on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from server.collection.web.static_files import MANIFEST_NAME, SUMS_NAME

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Reloading:
    """Answers by the latest build of the client.

    Parameters
    ----------
    make : callable
        Makes the application.
    folder : Path
        Where the client is built.
    """

    def __init__(self, make: Callable[[], WSGIApplication], folder: Path) -> None:
        self._make, self._folder = make, folder
        self._built = self._state()
        self._application = make()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        built = self._state()
        if built != self._built:  # two threads may both make one: the later stays, and both are right
            self._application = self._make()
            self._built = built
        return self._application(environ, start_response)

    def _state(self) -> tuple[int | None, ...]:
        """When the files were written that a build writes last."""
        return tuple(_written(self._folder / name) for name in (MANIFEST_NAME, SUMS_NAME))


def _written(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
