"""Looking at the databases of surveys from outside, for ``roomful checkup``: what they really keep."""

from __future__ import annotations

from contextlib import closing

from server.collection.storage import database as db
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.databases import Database
from server.collection.storage.registrar import REGISTRAR_NAME
from server.collection.storage.schema import REGISTRAR_FIELDS, StoredField, fields_of
from server.collection.storage.store import DATABASE_NAME


def _has_only(database: Database, fields: tuple[StoredField, ...]) -> bool:
    with db.named_errors(), closing(database.connect()) as connection:
        return database.columns(connection) == {field.name for field in fields}


def with_other_columns(data: DataDirectory) -> tuple[str, ...]:
    """The databases of surveys that keep something else than the list of stored fields says.

    Returns
    -------
    tuple of str
        ``<survey>/<file>`` of each.
    """
    strange = []
    for survey in data.ids():
        specification = data.survey(survey).specification
        files = {
            DATABASE_NAME: fields_of(invited=specification.invited is not None),
            REGISTRAR_NAME: REGISTRAR_FIELDS,
        }
        for name, fields in files.items():
            database = data.database(survey, name)
            if database.exists() and not _has_only(database, fields):
                strange.append(f"{survey}/{name}")
    return tuple(strange)
