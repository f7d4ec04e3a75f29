"""``roomful serve`` as a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests import programs


class ServerProcess(programs.Program):
    """A server with these settings, which listens or has refused when the block begins."""

    def __init__(
        self, data: Path, port: int, *, environment: Mapping[str, str] | None = None, **settings: object
    ) -> None:
        super().__init__(
            [*programs.COMMAND, "serve", "--data", str(data), "--port", str(port)],
            ready="^(Serving |Error)",
            environment={f"ROOMFUL_SERVER_{name.upper()}": str(value) for name, value in settings.items()}
            | dict(environment or {}),
        )
