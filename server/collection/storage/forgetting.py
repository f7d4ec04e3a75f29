"""What an invited survey leaves beside its ballots, deleted on the same day: keys, and who was invited.

The collector's key opens envelopes that somebody recorded on the way, and the registrar's file says which
codes fetched a token. Neither is needed once the ballots are gone.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from server import files
from server.collection.storage.databases import Connection, Database
from server.collection.storage.registrar import delete_codes
from server.collection.storage.server_keys import KEYS_NAME


def is_remembered(folder: Path, registrar: Database) -> bool:
    """Whether keys or codes are still in a survey's folder.

    Raises
    ------
    StorageError
        If the registrar's file cannot be read.
    """
    if (folder / KEYS_NAME).is_dir():
        return True
    if not registrar.exists():
        return False
    with closing(registrar.connect()) as connection:
        return _has_codes(connection) or not registrar.is_swept(connection)


def forget(folder: Path, registrar: Database) -> None:
    """Delete the private keys in a survey's folder, and the registrar's codes.

    Notes
    -----
    Guarantee: when it returns, no private key and no hash of a request is in a file of the folder; of codes
    there is what the board has published of them. It
    may be interrupted at any moment and called again. What a server that runs meanwhile holds in its memory
    it drops by itself (:meth:`server.collection.storage.store.SurveyStore.expire`).

    Raises
    ------
    StorageError
        If something cannot be deleted.
    """
    keys = folder / KEYS_NAME
    with files.named_file_errors(KEYS_NAME):
        if keys.is_dir():
            for path in keys.iterdir():
                files.erase(path)
            keys.rmdir()
            files.sync_folder(folder)
    if registrar.exists():
        delete_codes(registrar)


def _has_codes(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM code LIMIT 1").fetchone() is not None
