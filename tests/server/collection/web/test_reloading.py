"""``serve --reload``: a client that is built again is served by the server that runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.collection.web.reloading import Reloading
from server.collection.web.static_files import ClientFiles


def test_a_client_that_is_built_again_is_served_at_once(data: DataDirectory, client_folder: Path) -> None:
    made = []

    def make() -> object:
        made.append(1)
        return create_app(Config(), data, client=lambda: ClientFiles.load(client_folder)).wsgi_app

    app = create_app(Config(), data, client=lambda: ClientFiles.load(client_folder))
    app.wsgi_app = Reloading(make, client_folder)  # type: ignore[method-assign,arg-type]
    visitor = app.test_client()
    manifest = client_folder / "manifest.json"
    name = next(name for name in json.loads(manifest.read_text()).values() if name.endswith(".mjs"))
    new = f"new.{name}"
    assert visitor.get(f"/static/{name}").status_code == 200
    assert visitor.get(f"/static/{new}").status_code == 404
    assert len(made) == 1
    (client_folder / new).write_bytes(b"export {};")
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"new.mjs": new}))
    os.utime(manifest, ns=(1, 1))
    assert visitor.get(f"/static/{new}").status_code == 200
    assert len(made) == 2
