"""What all pages of one desk share: the folder, the data directory, long work, and what was read already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from server.collection.publishing.handing_over import Said
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.design.population.model import Model, read_model
from server.design.questionnaire_file.checking import Refusal
from server.desk.draft import Draft
from server.desk.gate import Gate
from server.desk.jobs import Jobs
from server.desk.preview import Preview
from server.desk.steps import Progress, progress_of, published_store
from server.desk.texts import say
from server.tables.data_file import DataFile
from server.tables.files import Reading, open_data
from shared.errors import InputError, RoomfulError, StateError

_Value = TypeVar("_Value")
_TRIED: Final = 4
"""Designs that are kept beside each other."""


@dataclass(slots=True, kw_only=True)
class Desk:
    """One session.

    Attributes
    ----------
    folder : Path
        Where survey.toml and everything that is made of it lies.
    data : DataDirectory
        Where surveys are published.
    gate : Gate
    jobs : Jobs
    language : str
        Of the pages; empty until a browser has said what it prefers.
    tried : list
        Designs to compare, the latest last.
    problem : RoomfulError or None
        What went wrong last; the next page shows it once.
    entered : dict
        What stood in the form that went wrong.
    note : str
        Key of a text that says what was done; shown once.
    left_out : tuple of Refusal
        What an import left out or changed; shown once.
    preview : Preview
    said : Said or None
        What the server on which the survey was published said last, when it was asked.
    """

    folder: Path
    data: DataDirectory
    gate: Gate
    jobs: Jobs = field(default_factory=Jobs)
    language: str = ""
    tried: list[Any] = field(default_factory=list)
    problem: RoomfulError | None = None
    entered: dict[str, str] = field(default_factory=dict)
    note: str = ""
    left_out: tuple[Refusal, ...] = ()
    preview: Preview = field(default_factory=Preview)
    said: Said | None = None
    _kept: dict[str, tuple[object, Any, Any]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def draft(self) -> Draft:
        """The survey as it stands now."""
        return Draft.read(self.folder, self.language or "en")

    def progress(self) -> Progress:
        """The steps as they stand now."""
        return progress_of(self.draft(), self.data, self.said)

    def table(self) -> DataFile:
        """The population file, read again only when it, or how it is read, changed.

        Raises
        ------
        StateError
            If none was chosen.
        ModelFileError
            If it cannot be read.
        """
        model = self.draft().section("model")
        if "file" not in model:
            raise StateError("no population was chosen yet", code="state.desk-step")
        path = self.folder / str(model["file"])
        known: dict[str, Any] = {k: model.get(k) for k in ("separator", "decimal", "encoding", "sheet")}
        if known["separator"] == "tab":
            known["separator"] = "\t"
        reading = Reading(**known)
        return self._once("table", (path, _stamp(path), reading), lambda: open_data(path, reading))

    def model(self) -> Model:
        """The people of the population in the declared attributes.

        Raises
        ------
        ModelFileError
            With row, column and remedy, as ``roomful design`` says it.
        """
        draft = self.draft()
        if not draft.attributes:
            raise StateError("no attribute was chosen yet", code="state.desk-step")
        path = self.folder / str(draft.section("model").get("file"))
        parts = {key: draft.document.get(key) for key in ("model", "attributes", "participation")}

        def make() -> Model:
            with draft.completed() as survey:
                return read_model(survey)

        return self._once("model", (path, _stamp(path), repr(parts)), make)

    def require(self, step: str) -> None:
        """Refuse what belongs to a step that waits for another.

        Raises
        ------
        StateError
            Naming the step that comes first.
        """
        found = self.progress()[step]
        if found.mark == "blocked":
            raise StateError(
                f"this step waits for another: {say(self.language or 'en', f'step.{found.waits_for}')}",
                where=say(self.language or "en", f"step.{step}"),
                code="state.desk-step",
            )

    def published(self) -> SurveyStore:
        """The survey of this folder in the data directory; StateError if it is not published there."""
        store = published_store(self.folder, self.data)
        if store is None:
            raise StateError("the survey is not published yet", code="state.desk-step")
        return store

    def once(self, name: str, of: object, key: Any, make: Callable[[], _Value]) -> _Value:
        """A value that is computed again only when its key changed, or the object that it is of."""
        return self._once(name, key, make, of)

    def keep_tried(self, design: Any) -> None:
        """Put a design beside the earlier ones."""
        self.tried[:] = [*self.tried, design][-_TRIED:]

    def _once(self, name: str, key: Any, make: Callable[[], _Value], of: object = None) -> _Value:
        with self._lock:
            kept = self._kept.get(name)
            if kept is None or kept[0] is not of or kept[1] != key:
                kept = self._kept[name] = (of, key, make())
            found: _Value = kept[2]
            return found


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as problem:
        raise InputError(f"cannot be read ({problem.strerror})", where=path.name) from None
    return found.st_mtime_ns, found.st_size
