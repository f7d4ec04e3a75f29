"""Lines of the checkup about invited surveys: keys, and whether a database was restored from a copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.server_keys import collector_key, key_paths, registrar_keys
from server.collection.storage.states import NOT_CLOSED
from server.collection.web.checkup_line import Line, line
from shared.errors import RoomfulError, StateError
from shared.invited import Invited


def invited_lines(config: Config, data: DataDirectory) -> Iterator[Line]:
    """Four lines if the server has an invited survey, else none."""
    any_survey, wrong, readable, restored, fixed = False, list[str](), list[str](), list[str](), list[str]()
    for survey in data.ids():
        try:
            store = data.survey(survey)
            state = store.state
        except RoomfulError:
            continue  # the line "surveys" names it
        invited, folder = store.specification.invited, store.published.folder
        if invited is None:
            continue
        any_survey = True
        if state in NOT_CLOSED and not _has_its_keys(config.role, folder, invited):
            wrong.append(survey)
        if any(path.is_file() and path.stat().st_mode & 0o077 for path in key_paths(folder)):
            readable.append(survey)
        try:
            data.require_current(survey)
        except RoomfulError:
            restored.append(survey)
            continue  # an anchor that is missing is named there
        try:
            data.require_countable(survey)
        except RoomfulError:
            fixed.append(survey)
    if not any_survey:
        return
    yield line(
        "keys", not wrong, "The keys of every invited survey are here, and the right ones.",
        "Keys of this server's role are missing, or others than the specification names: "
        + ", ".join(wrong) + ".",
        "Publish again with --token-key or --collector-key, or set role to the part this server has.",
    )  # fmt: skip
    yield line(
        "keys-private", not readable, "Private keys can be read by the server's user alone.",
        "Others can read private keys: " + ", ".join(readable) + ".",
        "Run: chmod 600 on the files in the folder keys of these surveys.",
    )  # fmt: skip
    yield line(
        "anchors", not restored, "No database of an invited survey is older than its anchor says.",
        "A database was restored from a copy, or its anchor is missing: " + ", ".join(restored) + ".",
        "Put the newest database back; bring the folder of anchors along, or set anchor_dir to it.",
    )  # fmt: skip
    yield line(
        "anchors-writable", not fixed, "The anchors can be written.",
        "An anchor cannot be written, so no code and no ballot is taken: " + ", ".join(fixed) + ".",
        "Let the server's user write in the folder of anchors; under systemd name it in StateDirectory.",
    )  # fmt: skip


def _has_its_keys(role: str, folder: Path, invited: Invited) -> bool:
    """Whether the keys of a role are there and right; of all roles, at least one."""
    found = 0
    for name, load in (("registrar", registrar_keys), ("collector", collector_key)):
        if role not in ("all", name):
            continue
        try:
            load(folder, invited)
            found += 1
        except StateError:
            continue
        except RoomfulError:
            return False
    return found > 0
