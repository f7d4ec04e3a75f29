"""The way from a file to a published table as a list of steps, each done, next, or blocked by another.

Everything is read from the files in the folder and from the data directory: there is no state of the desk's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from server.collection.publishing.handing_over import Said, place_of
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.states import State
from server.collection.storage.store import SurveyStore
from server.desk.draft import QUESTIONS_FILE, SURVEY_FILE, Draft
from server.files import read_start
from server.keys.signing import DESIGN_FILE, ENVELOPE_FILE
from shared.envelope import Envelope, survey_digest
from shared.errors import NotFoundError, RoomfulError
from shared.limits import MAX_ENVELOPE_BYTES, MAX_SPECIFICATION_BYTES

DESIGN_FOLDER: Final = "survey"
RELEASE_FOLDER: Final = "release"

Mark = Literal["done", "next", "blocked"]

OPEN_STEPS: Final = (
    "population", "attributes", "promise", "about", "questions", "design", "sign", "publish", "open",
    "collect", "close", "release",
)  # fmt: skip
INVITED_STEPS: Final = (
    "population", "attributes", "promise", "about", "questions", "codes", "keys", "ceremony", "design",
    "sign", "publish", "letters", "rehearsal", "open", "collect", "close", "board", "opening", "release",
)  # fmt: skip
FINAL: Final = frozenset({"sign", "open", "close", "release"})
"""What nobody can undo: the survey's name is asked for."""
COMMAND_ONLY: Final = frozenset({"codes", "keys", "ceremony", "letters", "rehearsal", "board", "opening"})
"""Steps of an invited survey that commands do, often on other machines; the desk shows how far they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step.

    Attributes
    ----------
    name : str
        Of :data:`OPEN_STEPS` or :data:`INVITED_STEPS`.
    mark : {"done", "next", "blocked"}
    waits_for : str
        The step that has to come first; empty if none is missing.
    problem : RoomfulError or None
        What is the matter with a step that was begun.
    """

    name: str
    mark: Mark
    waits_for: str = ""
    problem: RoomfulError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """All steps, and the survey in the data directory if it is published."""

    steps: tuple[Step, ...]
    invited: bool
    store: SurveyStore | None

    def __getitem__(self, name: str) -> Step:
        return next(step for step in self.steps if step.name == name)

    @property
    def following(self) -> Step | None:
        """The first step that can be done now."""
        return next((step for step in self.steps if step.mark == "next"), None)

    def done(self, name: str) -> bool:
        """Whether a step is done."""
        return self[name].mark == "done"


def progress_of(draft: Draft, data: DataDirectory, said: Said | None = None) -> Progress:
    """Look at the folder and the data directory; ``said`` is what the server of somebody else said last."""
    invited = isinstance(draft.document.get("invited"), dict)
    names = INVITED_STEPS if invited else OPEN_STEPS
    store = published_store(draft.folder, data)
    problems: dict[str, RoomfulError] = {}
    done = _done(draft, names, store, problems)
    place = place_of(draft.folder / DESIGN_FOLDER)
    if store is None and place is not None and place.digest == signed_id(draft.folder):
        done |= {"publish"} | (set() if said is None else _reached(State(said.state)))
    steps: list[Step] = []
    missing = ""
    for name in names:
        if name in done:
            steps.append(Step(name=name, mark="done"))
        else:
            steps.append(
                Step(
                    name=name,
                    mark="blocked" if missing and not _is_free(name, done) else "next",
                    waits_for=missing,
                    problem=problems.get(name),
                )
            )
            missing = missing or name
    return Progress(steps=tuple(steps), invited=invited, store=store)


def signed_id(folder: Path) -> str | None:
    """The full digest of the signed survey in the folder, if there is one."""
    path = folder / DESIGN_FOLDER / ENVELOPE_FILE
    if not path.is_file():
        return None
    return survey_digest(Envelope.parse(read_start(path, MAX_ENVELOPE_BYTES)).payload)


def published_store(folder: Path, data: DataDirectory) -> SurveyStore | None:
    """The survey of this folder in the data directory, if it is published there, after what is due.

    As before each command it is closed if its signed period is over, and its answers deleted on their day.
    """
    try:
        digest = signed_id(folder)
        if digest is None:
            return None
        store = data.survey(digest)
    except NotFoundError:
        return None
    store.close_if_over()
    store.expire()
    return store


def is_fresh(folder: Path, files: Sequence[Path]) -> bool:
    """Whether the design in the folder is younger than everything that it was made from."""
    design = folder / DESIGN_FOLDER / DESIGN_FILE
    if not design.is_file():
        return False
    made = design.stat().st_mtime_ns
    return all(path.stat().st_mtime_ns <= made for path in files if path.is_file())


def _is_free(name: str, done: set[str]) -> bool:
    """Whether a step may be taken before those that the list has above it."""
    before = {"promise": {"population", "attributes"}, "close": {"open"}}
    return name in ("about", "questions") or (name in before and before[name] <= done)


def _done(
    draft: Draft, names: Sequence[str], store: SurveyStore | None, problems: dict[str, RoomfulError]
) -> set[str]:
    model, organizer = draft.section("model"), draft.section("organizer")
    population = draft.folder / str(model.get("file", ""))
    found = {
        "population": {"file", "kind"} <= model.keys() and population.is_file(),
        "attributes": bool(draft.attributes),
        "promise": bool(draft.section("participation")) and bool(draft.section("anonymity")),
        "about": bool(draft.document.get("title")) and {"name", "contact"} <= organizer.keys(),
        "questions": bool(draft.section("questionnaire")),
    }
    design = draft.folder / DESIGN_FOLDER
    files = [draft.folder / SURVEY_FILE, population]
    if all(found.values()):
        try:
            survey = draft.survey()
        except RoomfulError as problem:
            step = _step_of(problem)
            found[step] = False
            problems[step] = problem
        else:
            questions = draft.section("questionnaire").get("file", QUESTIONS_FILE)
            files = [survey.path, survey.model, draft.folder / str(questions)]
            found["design"] = is_fresh(draft.folder, files)
    signed = design / ENVELOPE_FILE
    if signed.is_file() and (design / DESIGN_FILE).is_file():
        payload = read_start(design / DESIGN_FILE, MAX_SPECIFICATION_BYTES)
        found["sign"] = Envelope.parse(read_start(signed, MAX_ENVELOPE_BYTES)).payload == payload
        # What is signed cannot change any more, whatever survey.toml says today.
        if found["sign"]:
            found |= dict.fromkeys(
                ("population", "attributes", "promise", "about", "questions", "design"), True
            )
    if store is not None:
        found["publish"] = True
        found |= dict.fromkeys(_reached(store.state), True)
        found["board"] = (store.published.folder / "board").is_dir()
    invited = draft.section("invited")
    keys = ("token_key", "collector_key")
    found["codes"] = (draft.folder / str(invited.get("roll", ""))).is_file()
    found["keys"] = all(key in invited and (draft.folder / str(invited[key])).is_file() for key in keys)
    found["ceremony"] = "opening_key" in invited and (draft.folder / str(invited["opening_key"])).is_file()
    return {name for name in names if found.get(name)}


def _reached(state: State) -> set[str]:
    """The steps that a survey in a state has behind it."""
    reached: set[str] = set()
    if state is not State.DRAFT:
        reached |= {"letters", "rehearsal"}
    if state not in (State.DRAFT, State.TOKENS):
        reached |= {"open"}
    if state in (State.CLOSED, State.RELEASED):
        reached |= {"collect", "close"}
    if state is State.RELEASED:
        reached |= {"release", "opening"}
    return reached


def _step_of(problem: RoomfulError) -> str:
    """The step in which an error of survey.toml is corrected."""
    where = f"{problem.where} {problem.code}"
    if "questionnaire" in where or QUESTIONS_FILE in where:
        return "questions"
    if "attributes" in where or "units" in where:
        return "attributes"
    if "model" in where:
        return "population"
    if "participation" in where or "anonymity" in where:
        return "promise"
    return "about"
