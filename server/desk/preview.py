"""The respondent's real pages over the questions as they stand, for the organizer to try.

What is tried is a survey of its own: of the design if there is one, else of made-up people, signed by a key
that is thrown away, served on another port of this machine, and deleted with every answer when it ends.
"""

from __future__ import annotations

import shutil
import socket
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.collection.config import Config
from server.collection.storage.publishing import publish_files
from server.collection.web.app import create_app
from server.collection.web.serving import in_background, make_server
from server.design.workflow import design_survey
from server.desk.draft import Draft
from server.keys.signing import DESIGN_FILE, MODEL_FILE, sign_design
from shared.invitation import survey_link

_THREADS: Final = 4
_AGES: Final = range(18, 91)
_OF_EACH_AGE: Final = 40


class Preview:
    """At most one survey that is tried.

    Attributes
    ----------
    address : str
        Where it is answered; empty if there is none.
    """

    def __init__(self) -> None:
        self.address = ""
        self._open = ExitStack()

    def start(self, draft: Draft, designed: Path | None) -> None:
        """Begin anew.

        Parameters
        ----------
        draft : Draft
            Title, languages and questions.
        designed : Path or None
            Folder of a design that belongs to the draft; without one, people are made up.

        Raises
        ------
        RoomfulError
            Of what respondents' devices would refuse.
        """
        self.end()
        with ExitStack() as stack:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="roomful-preview-")))
            survey = folder / "survey"
            if designed is None:
                _design_for_made_up_people(draft, folder, survey)
            else:
                survey.mkdir()
                for name in (DESIGN_FILE, MODEL_FILE):
                    if (designed / name).is_file():
                        shutil.copy(designed / name, survey)
            sign_design(survey, Ed25519PrivateKey.generate())
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            config = Config(
                public_url=f"http://127.0.0.1:{listener.getsockname()[1]}/", threads=_THREADS, processes=1
            )
            data = stack.enter_context(config.open_data(folder / "data"))
            store = data.survey(publish_files(data, survey))
            store.open()
            stack.enter_context(in_background(make_server(create_app(config, data), config, listener)))
            self.address = survey_link(
                config.public_url, store.published.digest, store.published.organizer_key
            )
            self._open = stack.pop_all()

    def end(self) -> None:
        """Stop it, and delete what was answered."""
        self.address = ""
        self._open.close()


def _design_for_made_up_people(draft: Draft, folder: Path, survey: Path) -> None:
    people = folder / "made-up.csv"
    people.write_text("age_here,people\n" + "".join(f"{age},{_OF_EACH_AGE}\n" for age in _AGES), "ascii")
    age: dict[str, Any] = {"name": "age_here", "kind": "numeric", "minimum": _AGES[0], "maximum": _AGES[-1]}
    stand_in: dict[str, Any] = {
        "model": {"file": str(people), "kind": "public", "count_column": "people"},
        "attributes": [age | {"label": dict.fromkeys(draft.languages, "Age")}],
        "participation": {"rate": "0.5"},
        "anonymity": {"k": 5, "acceptable_cell_failure": "1e-4"},
        "design": None,
        "release": None,
        "period": None,
    }
    with draft.completed(**stand_in) as file:
        design_survey(file.path, survey, lambda *_: None)
