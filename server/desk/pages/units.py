"""Units of law of an election: whose answers they are, and which answers are one unit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Flask, Response, request

from server.desk.desk import Desk
from server.desk.draft import Draft
from server.desk.pages import go, show
from shared.attributes import Attribute
from shared.errors import InputError, RoomfulError

_LONGEST: Final = 40
"""Characters of a mark that says which answers belong together."""


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/units")
    def units() -> str:
        draft = desk.draft()
        attributes, reading_problem = _attributes(draft)
        section = draft.section("units")
        typed = desk.entered.get("attribute", str(section.get("attribute", "")))
        chosen = request.args.get("attribute", typed)
        return show(
            desk,
            "units.html.j2",
            "units",
            command="roomful design election.toml --boxes-only --out boxes",
            election=is_election(draft),
            declared=bool(section),
            reading_problem=reading_problem,
            attributes=[(a.name, a.label[draft.languages[0]]) for a in attributes],
            chosen=chosen,
            answers=_answers(attributes, chosen, section, draft.languages[0]),
        )

    @app.post("/units")
    def save_units() -> Response:
        draft, form = desk.draft(), request.form
        name = form.get("attribute", "")
        if not name:
            draft.saved(units=None)
            return go(desk, "units", note="saved")
        if not is_election(draft):
            raise InputError("units of law belong to an election", where="units")
        attributes, problem = _attributes(draft)
        if problem is not None:
            raise problem
        found = next((a for a in attributes if a.name == name), None)
        if found is None:
            raise InputError("there is no such attribute with a list of answers", where="units")
        if form.get("shown") != name:  # its answers have not been seen yet
            return go(desk, "units", attribute=name)
        marks = [form.get(f"together-{i}", "").strip()[:_LONGEST] for i in range(len(found.listed))]
        together = _together(found.listed, marks)
        draft.saved(units={"attribute": name} | ({"together": together} if together else {}))
        return go(desk, "units", note="saved")


def is_election(draft: Draft) -> bool:
    """Whether survey.toml is that of an election, of which alone there is a highest share."""
    return "top_share" in draft.section("invited")


def _attributes(draft: Draft) -> tuple[list[Attribute], RoomfulError | None]:
    """Those that can make units; or what is the matter with survey.toml."""
    if not draft.attributes:
        return [], None
    try:
        with draft.completed(units=None) as survey:
            return [a for a in survey.attributes if a.listed and not a.takes_missing], None
    except RoomfulError as problem:
        return [], problem


def _answers(
    attributes: Sequence[Attribute], chosen: str, section: Mapping[str, Any], language: str
) -> list[tuple[str, str, str]]:
    """Of the chosen attribute: each answer, its label, and the mark of its unit; empty for one alone."""
    found = next((a for a in attributes if a.name == chosen), None)
    if found is None:
        return []
    together = section.get("together", []) if section.get("attribute") == chosen else []
    mark_of = {
        str(value): str(number)
        for number, values in enumerate(together if isinstance(together, list) else [], 1)
        for value in (values if isinstance(values, list) else [])
    }
    labels = {category.value: category.label.get(language, "") for category in found.labelled}
    return [(value, labels.get(value) or value, mark_of.get(value, "")) for value in found.listed]


def _together(values: Sequence[str], marks: Sequence[str]) -> list[list[str]]:
    """Answers with one mark, where there are several; in the order of the answers."""
    found: dict[str, list[str]] = {}
    for value, mark in zip(values, marks, strict=True):
        if mark:
            found.setdefault(mark, []).append(value)
    if lonely := next((mark for mark, own in found.items() if len(own) == 1), None):
        raise InputError(
            f"only {found[lonely][0]} has the mark {lonely}",
            where="units",
            expected="the same mark at all answers that make one unit together",
            remedy="Leave the field empty for an answer that is a unit by itself.",
        )
    return list(found.values())
