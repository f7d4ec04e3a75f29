"""The survey as it stands in the folder: survey.toml and the files it names, read and written.

The desk keeps nothing of its own. It reads survey.toml before each page and writes it after each change, so
that an editor and the commands can be used between any two steps.
"""

from __future__ import annotations

import copy
import json
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from server.design.survey_file.survey import SurveyFile, read_survey_file
from server.design.survey_file.writing import format_survey, parse_survey
from server.files import read_file, write_file
from shared.errors import SurveyFileError
from shared.limits import MAX_SPECIFICATION_BYTES

SURVEY_FILE: Final = "survey.toml"
KEPT_FILE: Final = "survey.before-desk.toml"
"""What an organizer wrote by hand, comments included, before the desk wrote it first."""
QUESTIONS_FILE: Final = "questions.json"
_STAND_INS: Final[Mapping[str, Any]] = {
    "title": "Untitled",
    "organizer": {"name": "Nobody yet", "contact": "nobody@survey.example"},
    "participation": {"rate": "0.5"},
    "anonymity": {"k": 10, "acceptable_cell_failure": "1e-6"},
}
_STAND_IN_QUESTIONS: Final = {
    "pages": [{"elements": [{"type": "rating", "name": "answer", "rateMin": 1, "rateMax": 5}]}]
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The contents of survey.toml, complete or not.

    Attributes
    ----------
    folder : Path
    document : dict
        As :func:`parse_survey` reads it; empty if there is no file yet.
    begun_in : str
        The language of a survey that says nothing of its languages yet.
    """

    folder: Path
    document: dict[str, Any] = field(default_factory=dict)
    begun_in: str = "en"

    @classmethod
    def read(cls, folder: Path, begun_in: str) -> Draft:
        """Read survey.toml.

        Raises
        ------
        SurveyFileError
            If it is no TOML.
        """
        path = folder / SURVEY_FILE
        if not path.exists():
            return cls(folder=folder, begun_in=begun_in)
        data = read_file(path, "a survey.toml", MAX_SPECIFICATION_BYTES)
        try:
            return cls(folder=folder, document=parse_survey(data.decode("utf-8")), begun_in=begun_in)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise SurveyFileError(
                f"this is no TOML: {problem}", where=SURVEY_FILE, remedy="Correct it in an editor."
            ) from None

    def section(self, name: str) -> dict[str, Any]:
        """A copy of a section; empty if it is not there."""
        found = self.document.get(name)
        return copy.deepcopy(found) if isinstance(found, dict) else {}

    @property
    def attributes(self) -> list[dict[str, Any]]:
        """Copies of the declared attributes."""
        found = self.document.get("attributes")
        return copy.deepcopy(found) if isinstance(found, list) else []

    @property
    def languages(self) -> list[str]:
        """Languages of the survey; before it has a title, that in which it was begun."""
        found = self.document.get("languages")
        if isinstance(found, list) and found:
            return found
        return ["en"] if "title" in self.document else [self.begun_in]

    def saved(self, **changed: Any) -> Draft:
        """Write survey.toml with some top-level keys changed; None removes one.

        A file that the desk did not lay out itself is kept beside it first, once.
        """
        document = {key: value for key, value in (self.document | changed).items() if value is not None}
        path = self.folder / SURVEY_FILE
        if path.exists() and not (self.folder / KEPT_FILE).exists():
            before = read_file(path, "a survey.toml", MAX_SPECIFICATION_BYTES)
            if before != format_survey(self.document).encode("utf-8"):
                write_file(self.folder / KEPT_FILE, before)
        write_file(path, format_survey(document).encode("utf-8"))
        return replace(self, document=document)

    def survey(self) -> SurveyFile:
        """The file as ``roomful design`` reads it; errors as :func:`read_survey_file`."""
        return read_survey_file(self.folder / SURVEY_FILE)

    @contextmanager
    def completed(self, **changed: Any) -> Iterator[SurveyFile]:
        """The survey with stand-ins for what is not declared yet, to try a promise early.

        ``changed`` are top-level keys. Nothing is written into the folder.
        """
        document = copy.deepcopy({**_STAND_INS, "languages": self.languages, **self.document, **changed})
        document.pop("invited", None)  # its keys may not be made yet, and no cell depends on them
        with tempfile.TemporaryDirectory(prefix="roomful-desk-") as name:
            questionnaire = document.get("questionnaire")
            if isinstance(questionnaire, dict) and (self.folder / str(questionnaire.get("file"))).is_file():
                questionnaire["file"] = str(self.folder.absolute() / str(questionnaire["file"]))
            else:
                stand_in = Path(name) / QUESTIONS_FILE
                stand_in.write_text(json.dumps(_STAND_IN_QUESTIONS))
                document["questionnaire"] = {"file": str(stand_in)}
            model = document.get("model")
            if isinstance(model, dict) and "file" in model:
                model["file"] = str(self.folder.absolute() / str(model["file"]))
            logo = document.get("logo")
            if isinstance(logo, dict) and "file" in logo:
                logo["file"] = str(self.folder.absolute() / str(logo["file"]))
            for attribute in document.get("attributes", []):
                if isinstance(attribute, dict) and "table" in attribute:
                    attribute["table"] = str(self.folder.absolute() / str(attribute["table"]))
            path = Path(name) / SURVEY_FILE
            path.write_text(format_survey(document), encoding="utf-8")
            # As for the boxes of an election, which may have [units] before there is a roll.
            yield read_survey_file(path, boxes_only=True)
