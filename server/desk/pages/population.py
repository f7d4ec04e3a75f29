"""Population and attributes: which file, what was understood of it, and what each column becomes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any, Final

from flask import Flask, Response, render_template, request
from werkzeug.datastructures import MultiDict

from server.design.estimate import estimate, without
from server.design.population.cross_table import find_cross_table, header_below
from server.desk.columns import ColumnView, column_views, people_by_value, suggested_entry
from server.desk.desk import Desk
from server.desk.draft import Draft
from server.desk.inside import data_files, inside, upload_name
from server.desk.mending import MENDS, OF_ALL, Given, write_mended
from server.desk.pages import go, show
from server.desk.pages.promise import promise_of
from server.desk.pages.units import is_election
from server.desk.texts import say, typed
from server.files import PRIVATE, write_new
from shared.errors import InputError, RoomfulError, StateError

_OWN_TEXTS: Final = ("separator", "decimal", "encoding", "sheet", "count_column", "id_column")


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/population")
    def population() -> str:
        draft, problem = desk.draft(), None
        model = draft.section("model")
        table, kept, cross, below_titles = None, None, None, False
        views: tuple[ColumnView, ...] = ()
        if "file" in model:
            try:
                table = desk.table()
                views = _views(desk)
                below_titles = header_below(table) is not None
                cross = None if below_titles or "count_column" in model else find_cross_table(table)
                kept = desk.model() if draft.attributes else None
            except RoomfulError as error:
                problem = error
        chosen = {str(a.get("name")): a for a in draft.attributes}
        return show(
            desk,
            "population.html.j2",
            "population",
            command=f"roomful inspect {model['file']}" if "file" in model else "roomful inspect FILE",
            files=data_files(desk.folder),
            model=model,
            table=table,
            views=views,
            chosen=chosen,
            languages_of_survey=draft.languages,
            unknown=[name for name in chosen if table is not None and name not in table.names],
            below_titles=below_titles,
            cross=cross,
            people=kept,
            units=is_election(draft) or "units" in draft.document,
            reading_problem=problem,
            today=date.today().isoformat(),
        )

    @app.post("/population/upload")
    def upload() -> Response:
        sent = request.files.get("file")
        if sent is None or not sent.filename:
            raise InputError("no file was chosen", where="the upload")
        name = upload_name(sent.filename)
        path = inside(desk.folder, name)
        if path.exists():
            raise InputError(
                "a file of this name is in the folder",
                where=name,
                remedy="Choose it there, or give the other one another name.",
            )
        try:
            write_new(path, sent.stream.read(), mode=PRIVATE)
        except OSError as problem:
            raise InputError(f"cannot be written ({problem.strerror})", where=name) from None
        _choose(desk, name)
        return go(desk, "population", note="uploaded")

    @app.post("/population/file")
    def choose_file() -> Response:
        name = request.form.get("file", "")
        if not inside(desk.folder, name).is_file():
            raise InputError("there is no such file", where="the folder")
        _choose(desk, name)
        return go(desk, "population", note="saved")

    @app.post("/population/reading")
    def reading() -> Response:
        draft, form = desk.draft(), request.form
        model = draft.section("model")
        for key in _OWN_TEXTS:
            model[key] = form.get(key, "").strip() or None
        model["kind"] = form.get("kind") if form.get("kind") in ("public", "register") else None
        markers = [part.strip() for part in form.get("missing_markers", "").split(",") if part.strip()]
        model["missing_markers"] = markers or None
        model["incomplete"] = "drop" if form.get("incomplete") == "drop" else None
        draft.saved(model={key: value for key, value in model.items() if value is not None})
        return go(desk, "population", note="saved")

    @app.post("/population/attribute")
    def attribute() -> Response:
        draft, form = desk.draft(), request.form
        name = form.get("name", "")
        entries = [a for a in draft.attributes if a.get("name") != name or form.get("action") == "save"]
        if form.get("action") == "use":
            view = _view_of(desk, name)
            entries.append(view.entry or _suggested(desk, view))
        elif form.get("action") == "save":
            entries = [
                _edited(desk.language, a, form, draft) if a.get("name") == name else a for a in entries
            ]
        draft.saved(attributes=entries or None)
        return go(desk, "population", note="saved", anchor="columns")

    @app.post("/population/mend")
    def mend() -> Response:
        draft, form = desk.draft(), request.form
        name, column = form.get("mend", ""), form.get("column", "")
        model = draft.section("model")
        if name in ("id", "count"):
            draft.saved(model=model | {f"{name}_column": column})
            return go(desk, "population", note="saved")
        if name == "drop":
            draft.saved(model=model | {"incomplete": "drop"})
            return go(desk, "population", note="saved")
        if name not in MENDS:
            raise InputError("there is no such mend", where="the form")
        table = desk.table()
        if name not in OF_ALL and column not in table.names:
            raise InputError("there is no such column", where="the population")
        given = Given(
            day=_day(form.get("day", "")),
            word=partial(say, desk.language),
            people=lambda: people_by_value(table, column, model.get("count_column")),
            across=form.get("across", ""),
        )
        mended = MENDS[name](table, column, given)
        ends = _view_of(desk, column).preview.ends if name == "ends" else {}
        file = write_mended(mended, desk.folder, str(model["file"]))
        # The mended file is in the one form that the desk writes, whatever the old one was.
        model = {k: v for k, v in model.items() if k not in ("separator", "decimal", "encoding", "sheet")}
        if table.understood.decimal == ",":
            model["decimal"] = ","
        if mended.count_column:
            model["count_column"] = mended.count_column
        draft = draft.saved(model=model | {"file": file})
        if ends:
            others = [entry for entry in draft.attributes if entry.get("name") != column]
            draft.saved(attributes=[*others, _suggested(desk, _view_of(desk, column), ends)])
        return go(desk, "population", note="mended")

    @app.get("/population/cost")
    def cost() -> str:
        rows, whole = [], None
        try:
            model, promise = desk.model(), promise_of(desk.draft())
            whole = estimate(model, promise)
            losses = dict(whole.loss_by_attribute)
            for name, loss in losses.items():
                others = [value for other, value in losses.items() if other != name]
                if others:
                    less = estimate(without(model, name), promise)
                    now = sum(value for _, value in less.loss_by_attribute) / len(others)
                    rows.append((name, loss, sum(others) / len(others), now))
        except RoomfulError as problem:
            return render_template("cost.html.j2", problem=problem, rows=[], whole=None)
        return render_template("cost.html.j2", problem=None, rows=rows, whole=whole)


def _day(text: str) -> date:
    """The day of a form; today without one."""
    try:
        return date.fromisoformat(text) if text else date.today()
    except ValueError:
        raise InputError("this is no day", where="the form", expected="such as 2030-12-01") from None


def _views(desk: Desk) -> tuple[ColumnView, ...]:
    table = desk.table()
    key = desk.language, desk.draft().section("model").get("count_column")
    return desk.once("views", table, key, lambda: column_views(table, *key))


def _view_of(desk: Desk, column: str) -> ColumnView:
    view = next((view for view in _views(desk) if view.preview.name == column), None)
    if view is None:
        raise InputError("there is no such column", where="the population")
    return view


def _suggested(
    desk: Desk, view: ColumnView, ends: Mapping[str, tuple[str, str]] | None = None
) -> dict[str, Any]:
    table, count_column = desk.table(), desk.draft().section("model").get("count_column")
    counted = people_by_value(table, view.preview.name, count_column)
    return suggested_entry(table, view.preview, counted, ends)


def _choose(desk: Desk, name: str) -> None:
    """Name another population; what was said of reading the last one is void.

    It is a register, which is never published, until the organizer says otherwise.
    """
    draft = desk.draft()
    model = draft.section("model")
    if model.get("file") == name:
        return
    kept = {key: model[key] for key in ("kind", "incomplete") if key in model}
    draft.saved(model={"file": name, "kind": "register", **kept})


def _edited(language: str, entry: dict[str, Any], form: MultiDict[str, str], draft: Draft) -> dict[str, Any]:
    """An attribute as its form says it; what the form does not have stays."""
    kind = form.get("kind", entry.get("kind"))
    edited = {"name": entry["name"], "kind": kind}
    if kind == "numeric":
        for key in ("minimum", "maximum", "step"):
            if text := typed(language, form.get(key, "")):
                edited[key] = text
        for key in ("open_below", "open_above"):
            if form.get(key):
                edited[key] = True
        if form.get("rounding") in ("down", "nearest"):
            edited["rounding"] = form["rounding"]
    elif kind in ("nominal", "ordinal", "cyclic"):
        lines = [line.strip() for line in form.get("categories", "").splitlines()]
        known = {c.get("value"): c for c in entry.get("categories", []) if isinstance(c, dict)}
        edited["categories"] = [known.get(line, line) for line in dict.fromkeys(lines) if line]
    elif kind == "lookup":
        edited["table"] = form.get("table", "").strip()
        if edited["table"] != entry.get("table"):
            inside(draft.folder, edited["table"])
        else:  # what is read of this table, declared in an editor
            edited |= {key: entry[key] for key in ("axes", "labels", "regions") if key in entry}
    else:
        raise StateError("there is no such kind of attribute", code="state.desk-step")
    if form.get("missing") == "own-category":
        edited["missing"] = "own-category"
    labels = {language: form.get(f"label-{language}", "").strip() for language in draft.languages}
    if any(labels.values()):
        edited["label"] = {language: text or entry["name"] for language, text in labels.items()}
    elif "label" in entry:
        edited["label"] = entry["label"]
    if "help" in entry:
        edited["help"] = entry["help"]
    return edited
