"""A draft in the respondent's real page, for its organizer: everything but the storing.

What is served is a copy of the specification, signed by a key that is thrown away and open to everybody: its
digest is another one, so that nothing of it can ever be taken for the survey. It lies in a folder that is
deleted at the end, on the loopback address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from flask import Flask

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import MODEL_NAME
from server.collection.web.app import create_app
from server.collection.web.event_log import set_up_logging
from server.collection.web.serving import listen, make_server, run
from server.collection.web.static_files import ClientFiles, find_client
from server.files import read_bounded
from server.keys.parts_folder import parts_in
from server.keys.signing import DESIGN_FILE, ENVELOPE_FILE
from shared.envelope import PAYLOAD_TYPE, Envelope, pre_authentication_encoding, survey_digest
from shared.errors import InputError
from shared.invitation import survey_link
from shared.limits import MAX_ENVELOPE_BYTES, MAX_MODEL_BYTES, MAX_SPECIFICATION_BYTES
from shared.specification import STORED, Specification

_THREADS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What is ready to be served, and the link that leads to it."""

    app: Flask
    config: Config
    data: DataDirectory
    link: str
    leaves_out_code: bool


def preview(source: Path, port: int, say: Callable[[str], None]) -> None:
    """Serve a design's page until it is ended; answers are checked and forgotten.

    Parameters
    ----------
    source : Path
        The folder of ``roomful design``, signed or not.
    port : int
        On 127.0.0.1.
    say : callable
        Tells the organizer a line.

    Raises
    ------
    InputError, SpecificationError, EnvelopeError
        If there is no design, or it is damaged.
    SetupError
        If the port is taken, or the respondent's client is not built.
    """
    set_up_logging()
    with prepared(source, port) as ready:
        server = make_server(ready.app, ready.config, listen(ready.config))
        say(f"A preview for you, on this machine only; nothing is stored:\n{ready.link}")
        if ready.leaves_out_code:
            say("The survey is for invited people: code and encrypting are left out.")
        say("End it with Ctrl-C.")
        run(server)


@contextmanager
def prepared(source: Path, port: int, client: Callable[[], ClientFiles] = find_client) -> Iterator[Preview]:
    """A design's copy in a folder that is deleted at the end; parameters and errors as :func:`preview`."""
    specification, model = _read(source)
    copy = replace(specification, invited=None, stored=STORED["open"])
    first = "" if copy.period is None else copy.period.opens or ""  # the moment at which it is tried
    key = Ed25519PrivateKey.generate()
    public, payload = key.public_key().public_bytes_raw(), copy.to_bytes()
    signature = key.sign(pre_authentication_encoding(PAYLOAD_TYPE, payload))
    envelope = Envelope(payload=payload, signatures=()).with_signature(public, signature)
    with (
        TemporaryDirectory(prefix="roomful-preview-") as folder,
        DataDirectory(Path(folder) / "data", now=lambda: first) as data,
    ):
        survey = data.publish(envelope.to_bytes(), model, parts=parts_in(source), is_test=True)
        data.open(survey)
        config = Config(host="127.0.0.1", port=port, threads=_THREADS, processes=1)
        yield Preview(
            app=create_app(config, data, client=client, keeps=False),
            config=config,
            data=data,
            link=survey_link(config.public_url, survey_digest(payload), public),
            leaves_out_code=specification.invited is not None,
        )


def _read(source: Path) -> tuple[Specification, bytes | None]:
    """The specification in a folder, and the public model beside it."""
    design, signed, model = (source / name for name in (DESIGN_FILE, ENVELOPE_FILE, MODEL_NAME))
    if design.is_file():
        payload = _bytes(design, MAX_SPECIFICATION_BYTES)
    elif signed.is_file():
        payload = Envelope.parse(_bytes(signed, MAX_ENVELOPE_BYTES)).payload
    else:
        raise InputError(
            "there is no design",
            where=str(source),
            expected=f"the folder of roomful design, with {DESIGN_FILE}",
            remedy="Design the survey first: roomful design survey.toml --out DIR",
            code="input.no-design",
        )
    found = Specification.parse(payload, parts_in(source))
    return found, _bytes(model, MAX_MODEL_BYTES) if found.model.kind == "public" else None


def _bytes(path: Path, most: int) -> bytes:
    return read_bounded(path, most, lambda message: InputError(message, where=str(path)))
