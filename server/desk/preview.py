"""The respondent's real pages over the questions as they stand, for the organizer to try.

Of the design if there is one; before that of a design for made-up people. Nothing that is answered is stored.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from server.collection.web.previewing import prepared
from server.collection.web.serving import in_background, make_server
from server.design.workflow import design_survey
from server.desk.draft import Draft

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
            if designed is None:
                folder = Path(stack.enter_context(TemporaryDirectory(prefix="roomful-desk-")))
                designed = _design_for_made_up_people(draft, folder)
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            ready = stack.enter_context(prepared(designed, listener.getsockname()[1]))
            stack.enter_context(in_background(make_server(ready.app, ready.config, listener)))
            self.address = ready.link
            self._open = stack.pop_all()

    def end(self) -> None:
        """Stop it."""
        self.address = ""
        self._open.close()


def _design_for_made_up_people(draft: Draft, folder: Path) -> Path:
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
        "units": None,
    }
    with draft.completed(**stand_in) as survey:
        return design_survey(survey.path, folder / "survey", lambda *_: None).folder
