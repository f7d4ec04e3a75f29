"""The pages, one step of the list a module."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import Response, render_template, request, url_for

from server.desk.desk import Desk


def show(desk: Desk, template: str, name: str, *, command: str = "", **values: Any) -> str:
    """Render a page of a step, with what went wrong or was done before it, once.

    Parameters
    ----------
    template : str
        Name in ``templates``.
    name : str
        The page's endpoint, which its forms name.
    command : str
        The command that does the same.
    """
    problem, entered, note = desk.problem, desk.entered, desk.note
    if not is_part():
        desk.problem, desk.entered, desk.note = None, {}, ""
    return render_template(
        template,
        progress=desk.progress(),
        page=name,
        command=command,
        problem=problem,
        entered=entered,
        note=note,
        **values,
    )


def is_part() -> bool:
    """Whether a page asks for a part of itself, beside whatever else is under way."""
    return "HX-Request" in request.headers


def go(desk: Desk, name: str, *, note: str = "", anchor: str = "", **query: str) -> Response:
    """Lead to a page after a form, so that reloading it sends nothing twice."""
    desk.note = note
    address = url_for(name, _anchor=anchor or None, **query)  # type: ignore[arg-type]
    return Response(status=HTTPStatus.SEE_OTHER, headers={"Location": address})
