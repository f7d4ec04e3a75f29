"""``roomful questionnaire``: check a questionnaire, and import one from another format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from server.cli.options import PATH, json_option
from server.design.questionnaire_file.checking import Checked, Refusal
from server.design.questionnaire_file.checking import check as check_questionnaire
from server.design.questionnaire_file.importing import import_questionnaire
from server.design.questionnaire_file.surveyjs import languages_of, read_document, respelled
from server.files import SHARED, write_new
from shared.errors import InputError, QuestionnaireError
from shared.fields import is_language


@click.group()
def questionnaire() -> None:
    """Check a questionnaire before anything is designed, or import one from another format."""


@questionnaire.command()
@click.argument("file", type=PATH)
@click.option(
    "--languages", metavar="A,B", help="Languages of the survey, as in survey.toml; else those of the file."
)
@json_option("what was found")
def check(file: Path, languages: str | None, as_json: bool) -> None:
    """Say of a questionnaire FILE in SurveyJS JSON everything that is refused, and what to do about it."""
    value = read_document(file)
    codes = _codes(languages) or languages_of(value)
    document = respelled(value, codes)
    checked = check_questionnaire(document.value, codes)
    refusals = [replace(refusal, path=document.place(refusal.path)) for refusal in checked.refusals]
    if as_json:
        click.echo(json.dumps({"refusals": [asdict(r) for r in refusals], **_summary(checked, codes)}))
    else:
        _tell(refusals)
        if not refusals:
            click.echo(f"{file.name} can be used: {_described(checked, codes)}.")
    if refusals:
        count = "1 thing is" if len(refusals) == 1 else f"{len(refusals)} things are"
        raise QuestionnaireError(
            f"{count} refused",
            where=file.name,
            remedy=f"`roomful questionnaire import {file.name} --out NEW.json` makes a file without them.",
        )


@questionnaire.command("import")
@click.argument("file", type=PATH)
@click.option("--out", type=PATH, required=True, help="The file to make; must not exist.")
@click.option("--languages", metavar="A,B", help="Languages of the survey; else those of the file.")
@json_option("what was found")
def import_(file: Path, out: Path, languages: str | None, as_json: bool) -> None:
    """Make a questionnaire of FILE: SurveyJS (.json), XLSForm (.xlsx, .xls, .csv) or LimeSurvey (.txt, .tsv).

    What could not be kept is listed, with what to do about it.
    """
    if out.exists():
        raise InputError("the file is there already", where=str(out), remedy="Choose another --out.")
    draft = import_questionnaire(file, _codes(languages))
    checked = draft.finished()
    if checked.questionnaire is None:
        if not as_json:
            _tell(checked.refusals)
        raise QuestionnaireError(
            "nothing of it can be asked", where=file.name, expected="one question at least"
        )
    document = ({"title": draft.title} if draft.title else {}) | checked.questionnaire.to_object()
    write_new(out, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode(), mode=SHARED)
    if as_json:
        left_out = [asdict(note) for note in checked.refusals]
        click.echo(json.dumps({"left_out": left_out, **_summary(checked, draft.languages)}))
        return
    if checked.refusals:
        click.echo("Left out or changed:\n")
        _tell(checked.refusals)
        click.echo()
    click.echo(f"{out}: {_described(checked, draft.languages)}; {len(checked.refusals)} notes above.")
    click.echo(f"In survey.toml: languages = {json.dumps(list(draft.languages), ensure_ascii=False)}")


def _codes(text: str | None) -> tuple[str, ...]:
    codes = tuple(dict.fromkeys(code.strip() for code in text.split(","))) if text else ()
    for code in codes:
        if not is_language(code):
            raise InputError(
                f"{code!r} is not a language", where="--languages", expected="language tags such as en,pt-BR"
            )
    return codes


def _tell(refusals: Sequence[Refusal]) -> None:
    """Print refusals; those with the same reason and remedy together."""
    places: dict[tuple[str, str], list[str]] = {}
    for refusal in refusals:
        name = f" ({refusal.name})" if refusal.name and refusal.name != refusal.path else ""
        places.setdefault((refusal.reason, refusal.remedy), []).append(refusal.path + name)
    for (reason, remedy), paths in places.items():
        click.echo("\n".join([*paths, f"    {reason}", f"    {remedy}"]))


def _summary(checked: Checked, codes: tuple[str, ...]) -> dict[str, object]:
    questions = checked.questionnaire.questions if checked.questionnaire else ()
    return {
        "languages": codes,
        "questions": [question.name for question in questions],
        "free_text": [question.name for question in questions if question.free_text],
    }


def _described(checked: Checked, codes: tuple[str, ...]) -> str:
    questions = checked.questionnaire.questions if checked.questionnaire else ()
    free = sum(question.free_text for question in questions)
    words = f"{len(questions)} questions in {', '.join(codes)}"
    return words + (f", {free} of them in free text, which needs free_text = true" if free else "")
