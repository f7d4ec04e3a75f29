"""What is kept of other programs' questionnaires, and what is told to be left out."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from openpyxl import Workbook

from server.cli.main import roomful
from server.design.questionnaire_file.checking import Checked, check
from server.design.questionnaire_file.drafting import plain_text
from server.design.questionnaire_file.expressions import bounds, from_limesurvey, from_xlsform
from server.design.questionnaire_file.importing import import_questionnaire
from server.design.questionnaire_file.language_names import code_of
from server.design.questionnaire_file.surveyjs import respelled
from shared.errors import InputError, QuestionnaireError, SurveyFileError
from shared.questionnaire import Questionnaire


def taken(path: Path, *languages: str) -> tuple[Checked, dict[str, str], dict[str, dict[str, Any]]]:
    """What was made of a file, the notes by name or path, and its elements by name."""
    draft = import_questionnaire(path, languages)
    checked = draft.finished()
    assert checked.questionnaire is not None
    assert check(checked.questionnaire.to_object(), draft.languages).refusals == ()
    elements = {e.name: e.to_object() for page in checked.questionnaire.pages for e in page.elements}
    return checked, {note.name or note.path: note.reason for note in checked.refusals}, elements


STARS = {"type": "rating", "name": "stars", "rateValues": [1, 2, 3], "visibleIf": "{do you} notempty"}
AGREE = {
    "type": "checkbox",
    "name": "ok",
    "isRequired": True,
    "choices": [{"value": 1, "text": "I agree"}],
}
HOURS = {
    "type": "text",
    "name": "hours",
    "validators": [{"type": "numeric", "minValue": 0, "maxValue": 9.5}],
    "step": 0.5,
}
SURVEYJS: dict[str, Any] = {
    "title": "Leisure",
    "showProgressBar": "top",
    "pages": [
        {"elements": [{"type": "html", "name": "h", "html": "<p>Hello &amp; <b>all</b></p>"}]},
        {
            "name": "first",
            "elements": [
                {"type": "tagbox", "name": "do you", "choices": ["Sport", {"value": 2, "text": "{x}"}]},
                {
                    "type": "panel", "name": "p", "title": "More", "visibleIf": "{do you} contains 'Sport'",
                    "elements": [
                        STARS,
                        {"type": "multipletext", "name": "where", "items": [{"name": "in"}, {"name": "out"}]},
                    ],
                },
                HOURS,
                {"type": "rating", "name": "mood", "rateCount": 7},
                {"type": "boolean", "name": "gone", "visible": False},
                AGREE,
                {"type": "comment", "name": "free", "visibleIf": "{ok} contains 1 and {mood} > 3"},
                {"type": "signaturepad", "name": "sign"},
                {"type": "matrix", "name": "m", "rows": ["a"], "columns": [1, 2], "isAllRowRequired": True},
            ],
        },
    ],
}  # fmt: skip


def test_surveyjs_is_adapted(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text(json.dumps(SURVEYJS))
    checked, notes, elements = taken(path)
    assert checked.questionnaire is not None
    (page,) = checked.questionnaire.pages
    assert page.description == {"en": "Hello & all"}
    assert list(elements) == ["do_you", "stars", "where_in", "where_out", "hours", "mood", "ok", "free", "m"]
    assert elements["stars"]["type"] == "radiogroup"
    assert elements["stars"]["visibleIf"] == "{do_you} contains 'Sport' and {do_you} notempty"
    assert elements["stars"]["description"] == {"en": "More"}
    assert elements["where_in"]["visibleIf"] == "{do_you} contains 'Sport'"
    assert (elements["hours"]["min"], elements["hours"]["max"], elements["hours"]["step"]) == (
        "0",
        "9.5",
        "0.5",
    )
    assert (elements["mood"]["rateMin"], elements["mood"]["rateMax"]) == (1, 7)
    assert elements["m"]["isRequired"] is True
    assert (elements["ok"]["type"], elements["ok"]["labelTrue"]) == ("boolean", {"en": "I agree"})
    assert elements["free"]["visibleIf"] == "{ok} = true and {mood} > 3"
    assert elements["do_you"]["title"] == {"en": "do you"}
    assert elements["do_you"]["choices"][1] == {"value": "2", "text": {"en": "…"}}
    assert set(notes) == {
        "showProgressBar",
        "do_you",
        "pages[0].elements[0].choices[1].text",
        "gone",
        "sign",
    }


def test_nothing_of_surveyjs_is_lost_without_a_note(tmp_path: Path) -> None:
    rating = {"type": "rating", "name": "a"}
    several = {
        "type": "multipletext",
        "name": "mt",
        "title": "Times",
        "itemSize": 3,
        "items": [
            {"name": "h", "inputType": "number", "min": 0, "max": 24},
            {"name": "n", "inputType": "number"},
        ],
    }
    panel = {
        "type": "panel",
        "name": "pp",
        "title": "Part",
        "description": "About it",
        "state": "collapsed",
        "elements": [rating | {"name": "b", "rateValues": ["x", "y"], "minRateDescription": "bad"}],
    }
    words = {"type": "html", "html": "<p>Please sign</p>"}
    page = {
        "requiredIf": "{a} = 1",
        "elements": [rating, panel, several, words, {"type": "file", "name": "f"}],
    }
    path = tmp_path / "q.json"
    path.write_text(json.dumps({"pages": [page]}))
    _, notes, elements = taken(path)
    assert elements["b"]["description"] == {"en": "Part\nAbout it"}
    assert elements["mt_h"]["description"] == {"en": "Times"}
    assert (elements["mt_h"]["min"], elements["mt_h"]["max"]) == ("0", "24")
    assert set(notes) == {
        "pp",
        "mt",
        "mt_n",
        "above f",
        "f",
        "pages[0].requiredIf",
        "b",
    }
    assert "Please sign" in notes["above f"]
    assert "from 0 to 1000000 in steps of 1" in notes["mt_n"]


@pytest.mark.parametrize(
    ("texts", "languages"),
    [
        ([{"en": "Hello", "de": "Hallo"}], ("en", "de")),
        ([{"de": "Hallo"}, {"fr": "Bonjour"}], ("de", "fr")),
        ([{"default": "Hello", "fr": "Bonjour", "de": "Hallo"}], ("en", "de", "fr")),
        (["Hello"], ("en",)),
    ],
)
def test_languages_are_those_of_the_texts(
    tmp_path: Path, texts: list[Any], languages: tuple[str, ...]
) -> None:
    elements = [{"type": "rating", "name": f"q{i}", "title": text} for i, text in enumerate(texts)]
    path = tmp_path / "q.json"
    path.write_text(json.dumps({"elements": elements}))
    draft = import_questionnaire(path)
    assert draft.languages == languages
    checked = draft.finished()
    assert checked.refusals == ()
    assert checked.questionnaire is not None
    title = checked.questionnaire.questions[0].title
    given = texts[0] if isinstance(texts[0], dict) else {"en": texts[0]}
    assert all(title[code] == given.get(code, title[code]) for code in languages)
    run = CliRunner().invoke(roomful, ["questionnaire", "check", str(path)])
    assert (run.exit_code == 0) == (f"in {', '.join(languages)}" in run.output) == (len(texts) == 1)


SURVEY: list[list[str]] = [
    [
        "type",
        "name",
        "label::English (en)",
        "label::Deutsch (de)",
        "relevant",
        "required",
        "constraint",
        "appearance",
    ],
    ["start", "start", "", "", "", "", "", ""],
    ["note", "hello", "Hello", "Hallo", "", "", "", ""],
    ["begin group", "you", "You", "Sie", "", "", "", ""],
    ["integer", "age_of_car", "Car's age", "Alter", "", "yes", ". > 0 and . <= 60", ""],
    [
        "select_one yn",
        "smokes",
        "Smoke?",
        "Rauchen?",
        "${age_of_car} != ''",
        "${age_of_car} > 30",
        "",
        "minimal",
    ],
    ["select_multiple what or_other", "reasons", "Why?", "Warum?", "", "", "", ""],
    ["end group", "", "", "", "", "", "", ""],
    ["begin group", "more", "More", "Mehr", "selected(${reasons}, 'x') or not(${smokes} = 'no')", "", "", ""],
    ["begin group", "inner", "", "", "count-selected(${reasons}) >= 1", "", "", ""],
    ["text", "remark", "Remark for ${smokes}", "Bemerkung", "", "", "string-length(.) < 9", "multiline"],
    ["end group", "", "", "", "", "", "", ""],
    ["rank what", "order", "Order", "Folge", "", "", "", ""],
    ["date", "day", "Day", "Tag", "pulldata('x') = 1", "", "", ""],
    ["geopoint", "place", "Where?", "Wo?", "", "", "", ""],
    ["acknowledge", "ok", "OK?", "OK?", "", "", "", ""],
    ["end group", "", "", "", "", "", "", ""],
    ["note", "bye", "Bye", "Tschüss", "", "", "", ""],
]
CHOICES = [
    ["list_name", "name", "label::English (en)", "label::Deutsch (de)"],
    ["yn", "yes", "Yes", "Ja"], ["yn", "no", "No", "Nein"],
    ["what", "x", "Ex", "Ix"], ["what", "z", "Zed", "Zett"],
]  # fmt: skip


def xlsform(path: Path) -> Path:
    book = Workbook()
    book.remove(book.active)
    settings = [["form_title", "default_language"], ["Of cars", "English (en)"]]
    for name, rows in (("survey", SURVEY), ("choices", CHOICES), ("settings", settings)):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([cell or None for cell in row])
    book.save(path)
    return path


def test_an_xlsform_is_imported(tmp_path: Path) -> None:
    checked, notes, elements = taken(xlsform(tmp_path / "form.xlsx"))
    questionnaire = checked.questionnaire
    assert questionnaire is not None
    assert [page.title["de"] for page in questionnaire.pages] == ["Sie", "Mehr"]
    assert questionnaire.pages[0].description == {"en": "Hello", "de": "Hallo"}
    condition = questionnaire.pages[1].visible_if
    assert condition is not None
    assert condition.to_text() == "{reasons} contains 'x' or !({smokes} = 'no')"
    car = elements["age_of_car"]
    assert (car["min"], car["max"], car["step"], car["isRequired"]) == ("1", "60", "1", True)
    assert car["title"] == {"en": "Car's age", "de": "Alter"}
    smokes = elements["smokes"]
    assert (smokes["type"], smokes["visibleIf"]) == ("dropdown", "{age_of_car} notempty")
    assert smokes["requiredIf"] == "{age_of_car} > 30"
    assert elements["reasons_other"]["visibleIf"] == "{reasons} contains 'other'"
    assert (elements["remark"]["type"], elements["remark"]["visibleIf"]) == ("comment", "{reasons} notempty")
    assert elements["remark"]["title"]["en"] == "Remark for …"
    assert elements["order"]["type"] == "ranking"
    assert "visibleIf" not in elements["day"]
    assert elements["ok"]["validators"]
    assert "place" not in elements
    for name in ("start", "remark", "day", "place", "the end"):
        assert name in notes


LIMESURVEY = """\
class\ttype/scale\tname\trelevance\ttext\thelp\tlanguage\tmandatory\tother\tem_validation_q\t\
num_value_int_only\tsuffix
S\t\tlanguage\t\ten\t\t\t\t\t\t
S\t\tadditional_languages\t\tde\t\t\t\t\t\t
SL\t\tsurveyls_title\t\tWork\t\ten\t\t\t\t
SL\t\tsurveyls_title\t\tArbeit\t\tde\t\t\t\t
G\tG0\tFirst\t1\t<p>Hello</p>\t\ten\t\t\t\t
Q\tL\tkind\t1\tWhich?\tTell us\ten\tY\tY\t\t
A\t0\tA1\t\tOne\t\ten\t\t\t\t
A\t0\tA2\t\tTwo\t\ten\t\t\t\t
Q\tM\twhat\t1\tWhat?\t\ten\t\t\t\t
SQ\t\tSQ1\t\tBread\t\ten\t\t\t\t
SQ\t\tSQ2\t\tMilk\t\ten\t\t\t\t
Q\tY\tyes\t((kind.NAOK == "A1" or what_SQ1.NAOK == "Y"))\tSure?\t\ten\t\t\t\t
Q\tN\tnum\tyes == 'Y'\tHow many?\t\ten\t\t\tself >= 18 and self <= 90\t1\tyears
Q\tF\tarr\t!is_empty(num)\tRate\t\ten\t\t\t\t
SQ\t\tR1\t\tFirst row\t\ten\t\t\t\t
A\t0\t1\t\tlow\t\ten\t\t\t\t
A\t0\t2\t\thigh\t\ten\t\t\t\t
Q\tT\tfree\tarr_R1.NAOK == '2'\tWords?\t\ten\t\t\t\t
Q\t|\tup\t1\tFile\t\ten\t\t\t\t
Q\tS\todd\tcount(what) > 1\tOdd?\t\ten\t\t\t\t
G\tG0\tErste\t1\t<p>Hallo</p>\t\tde\t\t\t\t
Q\tL\tkind\t1\tWelche?\tSagen Sie\tde\tY\tY\t\t
A\t0\tA1\t\tEins\t\tde\t\t\t\t
A\t0\tA2\t\tZwei\t\tde\t\t\t\t
"""


@pytest.mark.parametrize(
    ("second", "words"),
    [("اردو", "both read as und"), ("English (en)", "both read as en"), ("French", None)],
)
def test_languages_of_an_xlsform_are_kept_apart(tmp_path: Path, second: str, words: str | None) -> None:
    first = "English" if second.startswith("English") else "عربي"
    book = Workbook()
    book.active.title = "survey"
    book.active.append(["type", "name", f"label::{first}", f"label::{second}"])
    book.active.append(["integer", "n", "one", "two"])
    book.save(tmp_path / "form.xlsx")
    if words:
        with pytest.raises(QuestionnaireError, match=words):
            import_questionnaire(tmp_path / "form.xlsx")
        return
    draft = import_questionnaire(tmp_path / "form.xlsx")
    assert set(draft.languages) == {"en", "und", "fr"}
    assert "called und" in next(note.reason for note in draft.notes if note.path == "عربي")


def test_a_limesurvey_structure_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "survey.txt"
    path.write_text("\ufeff" + LIMESURVEY, encoding="utf-8")
    checked, notes, elements = taken(path)
    questionnaire = checked.questionnaire
    assert questionnaire is not None
    (page,) = questionnaire.pages
    assert (page.title, page.description) == (
        {"en": "First", "de": "Erste"},
        {"en": "Hello", "de": "Hallo"},
    )
    assert elements["kind"]["choices"][1] == {"value": "A2", "text": {"en": "Two", "de": "Zwei"}}
    assert elements["kind"]["hasOther"] is True
    assert elements["yes"]["visibleIf"] == "{kind} = 'A1' or {what} contains 'SQ1'"
    assert elements["num"]["visibleIf"] == "{yes} = true"
    assert (elements["num"]["min"], elements["num"]["max"], elements["num"]["step"]) == ("18", "90", "1")
    assert elements["num"]["unit"] == {"en": "years", "de": "years"}
    assert elements["arr"]["visibleIf"] == "{num} notempty"
    assert elements["free"]["visibleIf"] == "{arr_R1} = 2"
    assert elements["free"]["title"] == {"en": "Words?", "de": "Words?"}
    assert set(notes) == {"up", "odd"}
    assert import_questionnaire(path).title == {"en": "Work", "de": "Arbeit"}


def test_the_command_writes_what_can_be_used(tmp_path: Path) -> None:
    form, out = xlsform(tmp_path / "form.xlsx"), tmp_path / "q.json"
    options = ["questionnaire", "import", str(form), "--out", str(out)]
    result = CliRunner().invoke(roomful, options)
    assert result.exit_code == 0, result.output
    assert "place\n    A question of the type 'geopoint' cannot be asked.\n" in result.output
    assert 'languages = ["en", "de"]' in result.output
    written = json.loads(out.read_text())
    assert written["title"] == {"en": "Of cars", "de": "Of cars"}
    Questionnaire.parse(respelled(written, ("en", "de")).value, ("en", "de"), "")
    assert isinstance(CliRunner().invoke(roomful, options).exception, InputError)
    out.unlink()
    told = json.loads(CliRunner().invoke(roomful, [*options, "--json"]).output)
    assert "remark" in told["free_text"]
    assert any(note["path"] == "place" for note in told["left_out"])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [("q.pdf", b"", "no format"), ("q.xlsx", b"PK", "no XLSForm"),
     ("q.txt", b"a\tb\n", "no survey structure"),
     ("q.tsv", b"\xff\xfe", "no survey structure"), ("q.json", b"{", "not JSON"),
     ("q.csv", b"a,b\n1,2\n", "no XLSForm")],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(QuestionnaireError, match=words):
        import_questionnaire(path)
    with pytest.raises((QuestionnaireError, SurveyFileError)):
        import_questionnaire(tmp_path / ("none" + path.suffix))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${a} = 'x' AND ${b}!=''", "{a} = 'x' and {b} notempty"),
        ("selected( ${m} , 'x')", "{m} contains 'x'"),
        ("selected(${a}, \"x\") or ${b} = ''", '{a} = "x" or {b} empty'),
        ("not(selected(${m}, 'x'))", "!({m} contains 'x')"),
        ("string-length(${a}) > 0", "{a} notempty"),
        ("../a >= 3", "{a} >= 3"),
        ("${a} = 'AND not (OR)' AND ${b} = \"0\"", "{a} = 'AND not (OR)' and {b} = \"0\""),
    ],
)
def test_conditions_of_xlsform(text: str, expected: str) -> None:
    assert from_xlsform(text, lambda name: name == "m") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('((q1.NAOK == "A1"))', '(({q1} == "A1"))'),
        ("q1 != '' && q2.NAOK >= 3", "{q1} notempty  and  {q2} >= 3"),
        ("is_empty(q1.NAOK) || q2 eq 'x'", "{q1} empty  or  {q2} = 'x'"),
        ('m_S1.NAOK == "Y"', "{m} contains 'S1'"),
        ('m_S1.NAOK != "Y"', "{m} notcontains 'S1'"),
        ("q1.NAOK == \"a && b == c\" && q2 == '!(x)'", "{q1} == \"a && b == c\"  and  {q2} == '!(x)'"),
    ],
)
def test_conditions_of_limesurvey(text: str, expected: str) -> None:
    assert from_limesurvey(text, {"m_S1": ("m", "S1")}) == expected


@pytest.mark.parametrize(
    ("text", "step", "found", "whole"),
    [
        (". >= 18 and . <= 120", "1", {"min": "18", "max": "120"}, True),
        ("(. > 17 && . < 120)", "1", {"min": "18", "max": "119"}, True),
        (". > 17.5 and . <= 60.5", "1", {"min": "18", "max": "60"}, True),
        (". > -1 and . < 0.125", "0.01", {"min": "-0.99", "max": "0.12"}, True),
        (". >= 0 and regex(., 'x')", "1", {}, False),
        (". < ${a}", "1", {}, False),
        ("not(. < 18)", "1", {}, False),
        ("(. >= 0 and . <= 100) or . = 999", "1", {}, False),
        (". >= 5 and . >= 7", "1", {}, False),
        (". = 5", "1", {}, False),
    ],
)
def test_bounds_of_a_constraint(text: str, step: str, found: dict[str, str], whole: bool) -> None:
    assert bounds(text, step) == (found, whole)


def limesurvey(path: Path, *lines: dict[str, str]) -> Path:
    """A file as versions 5 and 6 write it, with ids and attributes, quoted as PHP does."""
    header = [
        *dict.fromkeys(["class", "type/scale", "name", "language", *(key for line in lines for key in line)])
    ]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, header, delimiter="\t", restval="")
        writer.writeheader()
        writer.writerows([{"language": "en"} | line for line in lines])
    return path


def question(kind: str, name: str, **more: str) -> dict[str, str]:
    return {"class": "Q", "type/scale": kind, "name": name, "text": name, "relevance": "1"} | more


def group(number: str, name: str) -> dict[str, str]:
    return {"class": "G", "id": number, "type/scale": "0", "name": name}


def test_numbers_of_limesurvey_keep_their_ends_and_decimals(tmp_path: Path) -> None:
    path = limesurvey(
        tmp_path / "s.txt",
        group("1", "One"),
        question("N", "age", em_validation_q="this > 17 and this < 121", num_value_int_only="1"),
        question("N", "weight", em_validation_q="this >= 0.5 and this < 300"),
        question("N", "code", em_validation_q="this < 10 or this == 99", num_value_int_only="1"),
        question("N", "share", min_num_value_n="{age}", max_num_value_n="2.5", num_value_int_only="1"),
    )
    _, notes, elements = taken(path)
    ends = {name: (e["min"], e["max"], e["step"]) for name, e in elements.items()}
    assert ends == {
        "age": ("18", "120", "1"),
        "weight": ("0.5", "299.99", "0.01"),
        "code": ("0", "1000000", "1"),
        "share": ("0", "2", "1"),
    }
    assert notes.keys() == {"code", "share"}


def test_groups_of_limesurvey_with_one_order_are_pages_of_their_own(tmp_path: Path) -> None:
    path = limesurvey(
        tmp_path / "s.txt",
        {"class": "SL", "name": "surveyls_title", "text": "<p>Work &amp; play</p>"},
        group("1", "One"), question("Y", "a"),
        group("2", "Two"), question("Y", "b", text="line\u2028and\x85line"),
    )  # fmt: skip
    draft = import_questionnaire(path)
    checked = draft.finished()
    assert checked.questionnaire is not None
    assert [(p.title["en"], [e.name for e in p.elements]) for p in checked.questionnaire.pages] == [
        ("One", ["a"]),
        ("Two", ["b"]),
    ]
    assert draft.title == {"en": "Work & play"}
    assert [refusal.path for refusal in checked.refusals] == ["pages[1].elements[0].title.en"]


def test_what_limits_answers_in_limesurvey_is_not_lost_without_a_note(tmp_path: Path) -> None:
    path = limesurvey(
        tmp_path / "s.txt",
        group("1", "One"),
        question("L", "way", other="Y"), *({"class": "A", "name": n, "text": n} for n in "ab"),
        question("S", "else", relevance='((way.NAOK == "-oth-"))', maximum_chars="9"),
        question("M", "what", max_answers="1", min_answers="0"),
        {"class": "SQ", "name": "x", "text": "x", "relevance": "1"},
        {"class": "SQ", "name": "y", "text": "y", "relevance": "way == 'a'"},
    )  # fmt: skip
    checked, _, elements = taken(path)
    assert elements["else"]["visibleIf"] == "{way} = 'other'"
    assert {(note.path, note.reason) for note in checked.refusals} == {
        ("else", "These are left out: maximum_chars."),
        ("what", "These are left out: max_answers."),
        ("what", "Lines of it depended on other answers; all are asked."),
    }


def test_words_without_tags_and_languages_by_name() -> None:
    assert plain_text("a <b>c</b><br>d &lt; e<style>x</style>") == "a c\nd < e"
    assert plain_text("a < b and c > d") == "a < b and c > d"
    assert [code_of(name) for name in ("English (en)", "Français", "pt-BR", "Klingon", "fr")] == [
        "en", "fr", "pt-BR", "und", "fr",
    ]  # fmt: skip
