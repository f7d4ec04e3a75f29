"""Looking at the files of surveys from outside, for ``roomful checkup``: what their tables really are.

The only user of sqlite-utils, which brings pandas with it: no server imports this module.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from server.collection.storage import database as db
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.databases import Database as Kept
from server.collection.storage.databases import SqliteDatabase
from server.collection.storage.registrar import REGISTRAR_NAME
from server.collection.storage.schema import REGISTRAR_FIELDS, StoredField, fields_of
from server.collection.storage.store import DATABASE_NAME


def stores_only(path: Path, fields: tuple[StoredField, ...]) -> bool:
    """Whether a file has exactly the columns of some fields: no other table, column, index, view or trigger.

    Raises
    ------
    StorageError
        If the file cannot be read.
    """
    # Only who has files to look at waits for pandas: not who watches another server's pages.
    from sqlite_utils import Database

    with db.named_errors():
        found = Database(db.connect(path), recursive_triggers=False, execute_plugins=False)
        try:
            columns = {
                f"{table.name}.{column['name']}"
                for table in found.tables
                # Hidden and generated ones, too, which the library's own list of columns has not.
                for column in found.query("SELECT name FROM pragma_table_xinfo(?)", [table.name])
            }
            # SQLite's own index of a primary key is its table, WITHOUT ROWID.
            indexes = [index for table in found.tables for index in table.indexes if index.origin != "pk"]
            return columns == {field.name for field in fields} and not (
                indexes or found.views or found.triggers
            )
        finally:
            found.close()


def _has_only(database: Kept, fields: tuple[StoredField, ...]) -> bool:
    if isinstance(database, SqliteDatabase):
        return stores_only(database.path, fields)
    with closing(database.connect()) as connection:
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
