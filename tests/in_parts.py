"""A signed survey in parts: in a folder as design and sign leave it, or published, and answers to it."""

from __future__ import annotations

import os
from pathlib import Path

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.files import write_file
from server.keys.parts_folder import write_parts
from server.keys.signing import DESIGN_FILE, ENVELOPE_FILE
from shared.envelope import survey_digest
from shared.specification import Specification
from shared.submission import encode
from tests.builders import ANSWERS, ORGANIZER_KEY, register_cells, sign
from tests.vectors.surveys import districts_of, register

CUT = 51
"""The greatest age of the first district."""


def survey_in_parts() -> tuple[Specification, dict[str, bytes]]:
    """A register of two districts with four cells of 18 people each, and its parts."""
    return register(districts_of(register_cells(), CUT)).in_parts()


def envelope_in_parts() -> bytes:
    """Its root, signed."""
    return sign(survey_in_parts()[0].to_bytes(), ORGANIZER_KEY).to_bytes()


def write_survey_in_parts(folder: Path, *, signed: bool = True) -> Specification:
    """Write it; returns the specification."""
    specification, parts = survey_in_parts()
    folder.mkdir(exist_ok=True)
    write_file(folder / DESIGN_FILE, specification.to_bytes())
    write_parts(folder, parts, write_file)
    if signed:
        write_file(folder / ENVELOPE_FILE, envelope_in_parts())
    return specification


def publish_in_parts(data: DataDirectory) -> SurveyStore:
    """Publish and open it."""
    store = data.survey(data.publish(envelope_in_parts(), None, parts=survey_in_parts()[1].get))
    store.open()
    return store


def submission_in_parts(cell: int) -> bytes:
    """A valid submission to it, different each time."""
    specification, _ = survey_in_parts()
    n_bytes = specification.message_bytes
    return encode(survey_digest(specification.to_bytes()), cell, ANSWERS, os.urandom(n_bytes), n_bytes)
