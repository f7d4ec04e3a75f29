"""The promise on controls: what it would cost, at once, from estimates."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from flask import Flask, Response, render_template, request
from markupsafe import Markup

from server.design.estimate import Promise, estimate
from server.desk.desk import Desk
from server.desk.draft import Draft
from server.desk.pages import go, show
from server.desk.recommending import recommend
from server.desk.texts import number, odds, say, share, typed, written
from server.reports.charts import Bar, Line, bar_chart, line_chart
from shared.decimals import parse_decimal, parse_probability
from shared.effective_anonymity import n_min_safe
from shared.errors import InputError, RoomfulError
from shared.limits import HOUSEHOLD_SIZES, MAX_K
from shared.participation import Dependence, ParticipationLevel

FAILURES: Final = ("1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9")
ALGORITHMS: Final = {
    "public": ("mdav", "power-diagram", "mondrian"),
    "register": ("power-diagram", "mondrian"),
}
CONTROLS: Final = (
    "k", "failure", "low", "high", "correlation", "household_size", "algorithm", "source_statement",
)  # fmt: skip
_DECIMALS: Final = ("low", "high", "correlation")
_CURVE: Final = tuple(f"0.{percent:02d}" for percent in range(10, 96, 5))


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.get("/promise")
    def promise() -> str:
        draft = desk.draft()
        values = values_of(draft) | _typed(request.args)
        return show(
            desk,
            "promise.html.j2",
            "promise",
            command="roomful anonymity " + _options(values),
            values=values | {name: written(desk.language, values[name]) for name in _DECIMALS},
            failures=_failures(desk.language, desk.entered.get("failure", values["failure"])),
            households=HOUSEHOLD_SIZES,
            algorithms=ALGORITHMS.get(str(draft.section("model").get("kind", "register")), ()),
            elsewhere=other_form(draft),
            answer=_answer(desk, values),
            job=desk.jobs.state,  # before what it makes: a page that says "done" shows that too
            tried=desk.tried,
        )

    @app.get("/promise/estimate")
    def estimated() -> str:
        values = values_of(desk.draft()) | _typed(request.args)
        return render_template("estimate.html.j2", answer=_answer(desk, values))

    @app.get("/promise/curve")
    def curve() -> Response:
        draft = desk.draft()
        try:
            picture = _curve(desk, promise_from(draft, values_of(draft) | dict(request.args)))
        except RoomfulError:
            picture = Markup("")
        return Response(picture, content_type="text/html; charset=utf-8")

    @app.post("/promise")
    def save_promise() -> Response:
        draft, values = desk.draft(), dict(request.form)
        kept = promise_from(draft, values)
        changed: dict[str, Any] = {
            "anonymity": {"k": kept.k, "acceptable_cell_failure": kept.failure},
            "design": draft.section("design") | {"algorithm": kept.algorithm},
        }
        if not other_form(draft):
            changed["participation"] = participation(draft, kept, values)
        draft.saved(**changed)
        return go(desk, "promise", note="saved")

    @app.post("/promise/recommend")
    def recommended() -> str:
        draft = desk.draft()
        try:
            proposals = recommend(desk.model(), promise_of(draft))
        except RoomfulError as problem:
            return render_template("recommend.html.j2", proposals=(), problem=problem, page="promise")
        return render_template("recommend.html.j2", proposals=proposals, problem=None, page="promise")


def _failures(language: str, present: str) -> dict[str, str]:
    """Probabilities to choose from, the present one among them, with what each is called."""
    offered = FAILURES if present in FAILURES else (present, *FAILURES)
    return {
        text: text if parse_probability(text) is None else f"{odds(language, Decimal(text))} ({text})"
        for text in offered
    }


def _typed(values: Mapping[str, str]) -> dict[str, str]:
    """What stands in the controls but not yet in survey.toml."""
    return {name: values[name] for name in CONTROLS if values.get(name)}


def participation(draft: Draft, kept: Promise, values: Mapping[str, str]) -> dict[str, Any]:
    """The section of survey.toml, with what the form does not have as it was."""
    low, high = kept.level.low, kept.level.high
    section: dict[str, Any] = {"rate": low} if low == high else {"low": low, "high": high}
    if kept.dependence.correlation != "0":
        section["correlation"] = kept.dependence.correlation
    before = draft.section("participation")
    if "household_column" in before:
        section["household_column"] = before["household_column"]
    elif kept.dependence.household_size > 1:
        section["household_size"] = kept.dependence.household_size
    statement = values.get("source_statement", "").strip()
    if statement:
        section["source_statement"] = dict.fromkeys(draft.languages, statement)
    return section


def other_form(draft: Draft) -> bool:
    """Whether participation comes from a column or from rates, which the controls do not have."""
    return bool({"column", "attribute"} & draft.section("participation").keys())


def values_of(draft: Draft) -> dict[str, str]:
    """The controls as survey.toml has them, or where they begin."""
    anonymity, part = draft.section("anonymity"), draft.section("participation")
    kind = str(draft.section("model").get("kind", "register"))
    statement = part.get("source_statement", "")
    if isinstance(statement, dict):
        statement = next(iter(statement.values()), "")
    return {
        "k": str(anonymity.get("k", 10)),
        "failure": str(anonymity.get("acceptable_cell_failure", "1e-6")),
        "low": str(part.get("rate", part.get("low", "0.5"))),
        "high": str(part.get("rate", part.get("high", part.get("low", "0.5")))),
        "correlation": str(part.get("correlation", "0")),
        "household_size": str(part.get("household_size", 1)),
        "algorithm": str(
            draft.section("design").get("algorithm", "mdav" if kind == "public" else "power-diagram")
        ),
        "source_statement": str(statement),
    }


def promise_of(draft: Draft) -> Promise:
    """The promise that survey.toml has, or where it begins."""
    return promise_from(draft, values_of(draft))


def promise_from(draft: Draft, values: Mapping[str, str]) -> Promise:
    """A promise from the texts of controls.

    Raises
    ------
    InputError
        Naming the control, what was expected and what to do.
    """
    k = values.get("k", "").strip()
    if not (k.isascii() and k.isdigit() and 2 <= int(k[:9]) <= MAX_K):
        raise InputError(
            "this is no number of answers", where="k", expected=f"2 to {MAX_K}; devices ask for 3"
        )
    low = _probability(values, "low")
    high = _probability(values, "high") if values.get("high", "").strip() else low
    failure = _probability(values, "failure")
    if (parse_decimal(low) or 0) > (parse_decimal(high) or 0):
        raise InputError("the range is upside down", where="participation", expected="the lower end first")
    size = values.get("household_size", "1")
    try:
        level = ParticipationLevel(low=low, high=high)
        dependence = Dependence(
            correlation=typed("en", values.get("correlation", "")) or "0",
            household_size=int(size) if size.isascii() and size.isdigit() else 0,
        )
        dependence.check((level,))
    except RoomfulError as problem:
        raise InputError(problem.message, where="participation", expected=problem.expected) from None
    kind = str(draft.section("model").get("kind", "register"))
    algorithm = values.get("algorithm", "")
    return Promise(
        k=int(k),
        failure=failure,
        level=level,
        dependence=dependence,
        algorithm=algorithm if algorithm in ALGORITHMS.get(kind, ()) else ALGORITHMS["register"][0],
        register=kind != "public",
    )


def _probability(values: Mapping[str, str], name: str) -> str:
    """A probability; a number that can only be a percentage is named as such."""
    text = typed("en", values.get(name, ""))  # at most 1, so that no sign stands between thousands
    if parse_probability(text) is not None:
        return text
    number = parse_decimal(text)
    remedy = ""
    if number is not None and 1 < number <= 100:
        remedy = f"For {text} % write {float(number / 100):g}."
    raise InputError(
        "this is no probability", where=name, expected="a decimal above 0 and up to 1", remedy=remedy
    )


def _answer(desk: Desk, values: Mapping[str, str]) -> dict[str, Any]:
    """What the controls would cost, drawn; or why it cannot be said."""
    try:
        wanted = promise_from(desk.draft(), values)
        model = desk.model()
        found = desk.once("estimate", model, wanted, lambda: estimate(model, wanted))
    except RoomfulError as problem:
        return {"problem": problem}
    bars = tuple(
        Bar(label=name, share=loss, low=loss, high=loss, unweighted=loss)
        for name, loss in found.loss_by_attribute
    )
    return {
        "problem": None,
        "estimate": found,
        "bars": bars,
        "loss": bar_chart(
            bars, title=say(desk.language, "figure.loss-by"), share=partial(share, desk.language)
        ),
        "query": urlencode(values),
        "algorithm": wanted.algorithm,
        "weak": wanted.level.highest > Decimal("0.6"),
    }


def _curve(desk: Desk, wanted: Promise) -> Markup:
    """People that a cell needs at other participations, today's choice marked."""

    def draw() -> Markup:
        x, y = [], []
        for rate in _CURVE:
            level = ParticipationLevel(low=rate, high=rate)
            try:
                wanted.dependence.check((level,))
                y.append(float(n_min_safe(wanted.k, level, wanted.failure, wanted.dependence)))
            except (ValueError, RoomfulError):
                continue
            x.append(float(rate))
        if not x:
            return Markup("")
        needed = n_min_safe(wanted.k, wanted.level, wanted.failure, wanted.dependence)
        return line_chart(
            alt=f"{say(desk.language, 'figure.needed')}: {number(desk.language, needed)}",
            lines=[Line(label=say(desk.language, "figure.needed"), x=tuple(x), y=tuple(y))],
            x_label=say(desk.language, "figure.participation"),
            y_label=say(desk.language, "figure.needed"),
            mark=(float(wanted.level.lowest), float(needed)),
            mark_label=say(desk.language, "figure.now"),
            number=partial(number, desk.language),
        )

    return desk.once("curve", None, (wanted, desk.language), draw)


def _options(values: Mapping[str, str]) -> str:
    low, high = values["low"], values["high"]
    rate = low if low == high else f"{low}..{high}"
    more = f" --correlation {values['correlation']}" if values["correlation"] != "0" else ""
    return f"--k {values['k']} --participation {rate} --failure {values['failure']}{more}"
