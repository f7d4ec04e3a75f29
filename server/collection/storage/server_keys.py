"""The private keys by which a server is the registrar or the collector of an invited survey.

They lie in the survey's folder, readable by the owner alone, because a server uses them unattended. Whoever
keeps the two in two data directories on two machines keeps apart who is invited and what was sent.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from server import files
from server.collection.storage.published import PublishedSurvey
from server.keys.token_keys import CollectorKey, TokenKey, load_collector_key, load_token_keys
from shared.errors import InputError, KeyFileError, StateError
from shared.invited import Invited

KEYS_NAME: Final = "keys"
TOKEN_KEY_NAME: Final = "tokens.pem"  # noqa: S105 - the name of a file
COLLECTOR_KEY_NAME: Final = "collector.pem"


def install_keys(published: PublishedSurvey, *, token_key: Path | None, collector_key: Path | None) -> None:
    """Copy the keys of this server's roles into the survey's folder.

    Raises
    ------
    InputError
        If an invited survey comes without any key, or an open one with some.
    KeyFileError
        If a key is not the one that the specification names.
    StorageError
        If it cannot be written.
    """
    given = {TOKEN_KEY_NAME: token_key, COLLECTOR_KEY_NAME: collector_key}
    check_keys(published, token_key=token_key, collector_key=collector_key)
    folder = published.folder / KEYS_NAME
    for name, path in given.items():
        if path is None:
            continue
        with files.named_file_errors(f"{KEYS_NAME}/{name}"):
            folder.mkdir(mode=0o700, exist_ok=True)
            files.replace(folder / name, path.read_bytes())


def check_keys(published: PublishedSurvey, *, token_key: Path | None, collector_key: Path | None) -> None:
    """Refuse keys that do not suit a survey, before anything of it is written; see :func:`install_keys`."""
    invited = published.specification.invited
    has_keys = any(installed.is_file() for installed in key_paths(published.folder))
    if invited is None:
        if token_key or collector_key:
            raise InputError(
                "this survey is open to everybody and has no keys for tokens or ballots",
                where=published.id,
                remedy="Leave --token-key and --collector-key out.",
                code="input.keys",
            )
        return
    if token_key is None and collector_key is None and not has_keys:
        raise InputError(
            "the people of this survey are invited, and this server would have no part in it",
            where=published.id,
            expected="--token-key for the registrar, --collector-key for the collector, or both",
            code="input.keys",
        )
    if token_key is not None:
        _load_named(token_key, invited)
    if collector_key is not None:
        _require_named(load_collector_key(collector_key, invited.suite), invited, collector_key)


def key_paths(folder: Path) -> tuple[Path, Path]:
    """Where a survey's keys lie: the registrar's and the collector's."""
    return folder / KEYS_NAME / TOKEN_KEY_NAME, folder / KEYS_NAME / COLLECTOR_KEY_NAME


def registrar_keys(folder: Path, invited: Invited) -> tuple[TokenKey, ...]:
    """The registrar's private keys, in the order of the specification.

    Raises
    ------
    StateError
        With the code ``state.role`` if this server is not the registrar.
    KeyFileError
        If the file is damaged or replaced.
    """
    path = key_paths(folder)[0]
    _require_role(path, "registrar")
    return _load_named(path, invited)


def collector_key(folder: Path, invited: Invited) -> CollectorKey:
    """The collector's private key; errors as :func:`registrar_keys`."""
    path = key_paths(folder)[1]
    _require_role(path, "collector")
    key = load_collector_key(path, invited.suite)
    _require_named(key, invited, path)
    return key


class HeldKeys:
    """The private keys of one survey in a server's memory, from their first use until they are dropped.

    Parameters
    ----------
    folder : Path
        The survey's folder.

    Notes
    -----
    A key that is dropped is read from its file again if it is needed again, and the file is deleted with the
    answers. Python does not overwrite the memory that a dropped key was in.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._registrar: tuple[TokenKey, ...] | None = None
        self._collector: CollectorKey | None = None

    def registrar(self, invited: Invited, box: int) -> TokenKey:
        """The key for the tokens of a box; see :func:`registrar_keys`."""
        keys = self._registrar
        if keys is None:
            keys = self._registrar = registrar_keys(self._folder, invited)
        return keys[box]

    def collector(self, invited: Invited) -> CollectorKey:
        """See :func:`collector_key`."""
        key = self._collector
        if key is None:
            key = self._collector = collector_key(self._folder, invited)
        return key

    def drop(self) -> None:
        """Forget both."""
        self._registrar = self._collector = None


def _require_role(path: Path, role: str) -> None:
    if not path.is_file():
        raise StateError(
            f"this server is not the {role} of this survey",
            remedy=f"Ask the {role}'s server; or publish here with the {role}'s key.",
            code="state.role",
        )


def _load_named(path: Path, invited: Invited) -> tuple[TokenKey, ...]:
    keys = load_token_keys(path)
    if tuple(key.n for key in keys) != invited.token_keys:
        raise _other_key(path)
    return keys


def _require_named(key: CollectorKey, invited: Invited, path: Path) -> None:
    if (key.public_key, key.acceptance_key) != (invited.collector_key, invited.acceptance_key):
        raise _other_key(path)


def _other_key(path: Path) -> KeyFileError:
    return KeyFileError(
        "this is not the key that the specification names",
        where=path.name,
        expected="the private half of the key in survey.toml",
        remedy="Give the file that was made together with the .pub file in survey.toml.",
    )
