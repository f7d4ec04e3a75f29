"""Pictures and counts of the release report."""

from __future__ import annotations

import random
import re
from decimal import Decimal
from fractions import Fraction

import pytest

from server.release.answer_columns import answer_columns
from server.release.answers import collect, confidential_attributes
from server.release.bands import bands_of
from server.release.columns import TableColumn
from server.release.estimates_section import answers_section
from server.release.gate import decide
from server.release.pictures import MEAN, N_BINS, _bins, tally
from server.release.policy import policy_of
from server.release.tables import ReleasedTable, cells_table, microdata_table
from server.reports.charts import Bar, bar_chart
from shared.joining import row_of
from tests.builders import sex
from tests.server.release.survey import N_CELLS, answers, document, specification


def table_of(name: str, *answers: str) -> ReleasedTable:
    """A released table with the columns of one question."""
    question = next(q for q in specification().questionnaire.questions if q.name == name)
    group = TableColumn(name="group", type="integer", title="Group", description="Of the test.")
    columns = (group, *answer_columns(question, "en"))
    return ReleasedTable(columns=columns, rows=tuple(("7", *answer.split("/")) for answer in answers))


def counted(name: str, *answers: str) -> tuple[int, int, list[tuple[str, int]]]:
    question = next(q for q in specification().questionnaire.questions if q.name == name)
    found = tally(question, table_of(name, *answers), {"7": 40}, "en")
    assert found is not None
    return found.answered, found.skipped, [(i.label, i.count()) for i in found.items if not i.is_mean]


def test_counts_of_each_kind_of_question() -> None:
    assert counted("health", "good", "bad", "good") == (3, 0, [("good", 2), ("bad", 1)])
    wishes = counted("wishes", "true/false/false", "false/false/false", "//")
    assert wishes == (2, 1, [("a", 1), ("b", 0), ("c", 0)])
    assert counted("mood", "5", "1", "", "5")[2] == [("1", 1), ("2", 0), ("3", 0), ("4", 0), ("5", 2)]
    assert counted("smokes", "true", "true", "false")[2] == [("yes", 2), ("no", 1)]
    assert counted("remark", "Hello", "") == (1, 1, [])
    numbers = counted("hours", "0", "37.5", "80", "37")
    assert numbers[2][0] == ("0 to below 10", 1)
    assert sum(count for _, count in numbers[2]) == 4


def test_a_question_without_columns_has_no_picture() -> None:
    question = specification().questionnaire.questions[-1]
    assert tally(question, table_of("health", "good"), {"7": 40}, "en") is None


def test_numbers_and_ratings_have_a_mean_within_their_bounds() -> None:
    question = next(q for q in specification().questionnaire.questions if q.name == "hours")
    found = tally(question, table_of("hours", "0", "10", "80", "80", ""), {"7": 40}, "en")
    assert found is not None
    mean = found.items[-1]
    assert (mean.label, mean.estimate().value) == (MEAN, 42.5)
    assert 0 <= mean.estimate().low < 42.5 < mean.estimate().high <= 80


@pytest.mark.parametrize(
    "values",
    [
        ["3"],
        ["-7", "5"],
        ["0.25", "0.5", "19.75"],
        ["1000", "1000000"],
        ["-0.3", "-0.1"],
        [str(half / 2) for half in range(-10, 10)],
    ],
)
def test_every_number_lies_in_exactly_one_bin(values: list[str]) -> None:
    bins = _bins([Fraction(value) for value in values])
    assert len(bins) <= N_BINS + 2
    inside = [[value for value in values if within((value,))] for _, within in bins]
    assert sorted(value for own in inside for value in own) == sorted(values)
    for (label, _), own in zip(bins, inside, strict=True):
        bounds = [Decimal(text) for text in re.findall(r"-?[0-9.]+", label)]
        assert own == [v for v in values if Decimal(v) == bounds[0] or bounds[0] <= Decimal(v) < bounds[-1]]
    assert inside[0]
    assert inside[-1]


def test_the_share_of_a_band_is_of_its_people_and_not_of_its_groups() -> None:
    groups = [("0", 900, "female", ("0.500",)), ("1", 100, "female", ("1",)), ("2", 50, "male", ("1",))]
    assert bands_of(sex(), groups, "en") == [
        ("Female (55 % of their people)", frozenset({"0", "1"})),
        ("Male (100 % of their people)", frozenset({"2"})),
    ]


def test_who_was_not_asked_is_not_said_to_have_kept_silent() -> None:
    pages = document()["questionnaire"]["pages"]
    pages[0]["elements"][2]["visibleIf"] = "{health} = 'good'"  # mood
    survey = specification(questionnaire={"pages": pages})
    chance = random.Random(3)
    rows = [(i % 6, answers(chance, health="good" if i < 40 else "bad")) for i in range(120)]
    rows = [(cell, survey.questionnaire.without_hidden(given)) for cell, given in rows]
    collected = collect(rows, survey.questionnaire, N_CELLS)
    decision = decide(collected.counts, policy_of(survey), row_of(survey), confidential_attributes(collected))
    microdata = microdata_table(survey, decision, collected, list.sort)
    section = answers_section(survey, microdata, cells_table(survey, decision))
    captions = {picture.caption.partition(" did not")[0]: picture.caption for picture in section.pictures}
    assert captions["40 answered, 80"].startswith("40 answered, 80 did not, or were not asked. Mean")
    assert captions["120 answered, 0"].startswith("120 answered, 0 did not.")


def test_bars_are_escaped_and_exact() -> None:
    bars = [
        Bar(label="<a> & b", share=1 / 3, low=0.25, high=0.4, unweighted=0.5),
        Bar(label="c", share=0.5, low=0.4, high=1, unweighted=0.5),
    ]
    svg = str(bar_chart(bars, title='"Why?"'))
    assert "&lt;a&gt; &amp; b" in svg
    assert 'aria-label="&quot;Why?&quot;"' in svg
    assert "33.3 %" in svg
    assert 'width="200.0"' in svg  # half, where the highest end of an interval is 1
    assert '<rect x="100.0" y="51" width="60.0" height="2"' in svg
    assert '<rect x="199.0" y="59" width="2" height="5"' in svg
    assert "style" not in svg


def test_no_answers_at_all() -> None:
    assert "0.0 %" in str(bar_chart([Bar(label="a", share=0, low=0, high=0, unweighted=0)], title="Empty"))
