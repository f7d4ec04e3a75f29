"""docs/organizer-guide.md agrees with the reader of survey.toml: every key and default, and nothing else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from server.design.survey_file.invited_entry import INVITED_KEYS
from server.design.survey_file.survey import SurveyFile, read_survey_file
from server.design.survey_file.toml_document import Document, KeyPath, Section
from shared.effective_anonymity import n_min_safe
from shared.participation import ParticipationLevel
from shared.questions import ELEMENTS
from tests.docs.documents import assert_told, blocks, section, text_of

PAGE = "docs/organizer-guide.md"


def read_example(folder: Path) -> SurveyFile:
    """The page's complete example, as an organizer would have it on disk."""
    for block in blocks(text_of(PAGE)):
        if block.comment.startswith("file:"):
            (folder / block.comment.removeprefix("file:").strip()).write_text(block.text, "utf-8")
    return read_survey_file(folder / "survey.toml")


def reference() -> dict[str, list[str]]:
    """Rows of the reference table by key."""
    rows = {}
    for line in section(text_of(PAGE), "Reference of survey.toml").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells
    return rows


@pytest.fixture
def known_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """Every key that the reader knows, recorded while it reads the complete example."""
    found: set[str] = set()
    original = Section.__init__

    def recording(
        self: Section, document: Document, value: Any, path: KeyPath, keys: tuple[str, ...]
    ) -> None:
        place = ".".join(part for part in path if isinstance(part, str))
        if set(keys) != {"en", "de"}:
            found.update(f"{place}.{key}".lstrip(".") for key in keys)
        original(self, document, value, path, keys)

    monkeypatch.setattr(Section, "__init__", recording)
    read_example(tmp_path)
    return found


def test_every_key_is_in_the_reference_and_no_other(known_keys: set[str]) -> None:
    sections = {"organizer", "model", "anonymity", "design", "release", "questionnaire", "invited", "period",
                "logo", "units"}  # fmt: skip
    assert_told(PAGE, "Reference", reference(), known_keys - sections)
    assert all(f"`[{name}]`" in text_of(PAGE) for name in sections)


def test_every_key_of_an_invited_survey_is_explained_and_in_the_example() -> None:
    text = section(text_of(PAGE), "An invited survey")
    rows = re.findall(r"^\| `([a-z_.]+)` \|", text, re.MULTILINE)
    assert {row.partition(".")[0] for row in rows} == set(INVITED_KEYS)
    example = tomllib.loads(next(block.text for block in blocks(text) if "[invited]" in block.text))[
        "invited"
    ]
    relay = example.pop("relay")
    # The example is a survey's; of an election alone are the top share and a relay's key.
    assert rows == [*example, "top_share", *(f"relay.{key}" for key in relay), "relay.key"]


def test_the_complete_example_uses_every_key_but_those_of_other_choices(
    known_keys: set[str],
) -> None:
    example = next(block.text for block in blocks(text_of(PAGE)) if block.comment == "file: survey.toml")
    used = {
        f"{table}.{key}"
        for table, keys in tomllib.loads(example).items()
        if isinstance(keys, dict)
        for key in keys
    }
    unused = {
        key for key in known_keys if key.partition(".")[0] in ("model", "anonymity", "design", "release")
    }
    assert {key for key in unused if "." in key} <= used | {
        "design.district",
        "design.gamma",
        "design.seed",
        "model.id_column",
        "model.sheet",
    }


def test_defaults_are_those_of_the_reader(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text('{"pages":[{"elements":[{"type":"boolean","name":"a"}]}]}', "utf-8")
    (tmp_path / "survey.toml").write_text(
        "\n".join(
            (
                'title = "t"',
                '[organizer]\nname = "n"\ncontact = "c"',
                '[model]\nfile = "m.csv"\nkind = "public"',
                '[[attributes]]\nname = "age"\nkind = "numeric"\nminimum = 0\nmaximum = 9',
                '[participation]\nrate = "0.5"',
                '[anonymity]\nk = 7\nacceptable_cell_failure = "1e-3"',
                '[questionnaire]\nfile = "q.json"',
            )
        ),
        "utf-8",
    )
    survey = read_survey_file(tmp_path / "survey.toml")
    age: Any = survey.attributes[0]
    rules = survey.plan.reading
    assert (rules.count_column, rules.missing_markers, rules.required_columns) == (None, (), ())
    assert rules.id_column is None
    assert survey.plan.release.t_closeness is None
    rows = reference()
    actual = {
        "languages": str(list(survey.plan.languages)).replace("'", '"'),
        "retention_days": str(survey.plan.retention_days),
        "model.incomplete": rules.incomplete,
        "attributes.missing": age.missing,
        "attributes.step": age.step,
        "attributes.open_below": str(age.open_below).lower(),
        "attributes.open_above": str(age.open_above).lower(),
        "attributes.rounding": age.rounding,
        "design.balls_from_register": str(survey.plan.permissions.balls_from_register).lower(),
        "release.rule": survey.plan.release.rule,
        "release.distinct_values": str(survey.plan.release.distinct_values),
        "questionnaire.free_text": str(survey.plan.permissions.free_text).lower(),
    }
    assert {key: rows[key][2].strip("`") for key in actual} == actual
    assert survey.plan.release.minimum == survey.plan.k
    assert survey.plan.algorithm == "mdav"
    assert age.label == {"en": "age"}


def test_the_table_of_people_that_a_cell_needs_is_right() -> None:
    rows = re.findall(r"^\| (\d+) \| (1e-\d) \| ([\d |]+) \|$", text_of(PAGE), re.MULTILINE)
    assert len(rows) == 8
    for k, failure, numbers in rows:
        expected = [
            n_min_safe(int(k), ParticipationLevel(low=p, high=p), failure)
            for p in ("0.2", "0.35", "0.5", "0.8")
        ]
        assert [int(number) for number in numbers.split("|")] == expected


def test_every_type_of_element_is_in_the_table_of_questions() -> None:
    rows = section(text_of(PAGE), "The questionnaire")
    for word in ELEMENTS:
        kind, _, asked = word.partition(":")
        told = f"`text`, `inputType` `{asked}`" if kind == "text" and asked != "text" else f"`{kind}`"
        assert re.search(rf"^\|[^|]*{told}", rows, re.MULTILINE), f"{PAGE}, The questionnaire: add {told}"
