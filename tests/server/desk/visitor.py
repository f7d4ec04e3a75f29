"""A desk without a browser: Flask's test client, behind the gate, with the headers that a browser sends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.collection.storage.data_directory import DataDirectory
from server.desk.app import create_desk
from server.desk.desk import Desk
from server.desk.gate import Gate

GATE = Gate(port=4711, secret="s" * 43)


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """Somebody at the organizer's browser."""

    desk: Desk
    client: FlaskClient
    folder: Path

    def get(self, path: str, **headers: str) -> TestResponse:
        """Ask for a page."""
        return self.client.get(f"/{GATE.secret}{path}", headers={"Host": GATE.host} | headers)

    def post(self, path: str, data: dict[str, Any] | None = None, **headers: str) -> TestResponse:
        """Send a form as a page of the desk does."""
        own = {"Host": GATE.host, "Origin": f"http://{GATE.host}", "Sec-Fetch-Site": "same-origin"}
        return self.client.post(f"/{GATE.secret}{path}", data=data or {}, headers=own | headers)

    def text(self, path: str) -> str:
        """A page's HTML."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def told(self, path: str, data: dict[str, Any], page: str) -> str:
        """What a page says after a form was refused or taken."""
        answer = self.post(path, data)
        assert answer.status_code == 303, answer.text
        assert urlsplit(answer.location).path == f"/{GATE.secret}{page}"
        return self.text(page)


@contextmanager
def visit(folder: Path) -> Iterator[Visitor]:
    """A desk on a new folder."""
    folder.mkdir()
    with DataDirectory(folder / "data") as data:
        app = create_desk(folder, data, GATE)
        try:
            yield Visitor(desk=app.extensions["desk"], client=app.test_client(), folder=folder)
        finally:
            app.extensions["desk"].preview.end()


def people_csv(path: Path, n: int = 600, *, separator: str = ",", **columns: Any) -> Path:
    """A small register; ``columns`` are functions of the row's number and a random generator."""
    chance = random.Random(7)
    made = {
        "age": lambda _i, c: str(c.randint(18, 79)),
        "sex": lambda _i, c: c.choice(("female", "male")),
        **columns,
    }
    lines = [separator.join(made)]
    lines += [separator.join(str(make(i, chance)) for make in made.values()) for i in range(n)]
    path.write_text("\n".join(lines) + "\n")
    return path
