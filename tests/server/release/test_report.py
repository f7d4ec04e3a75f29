"""Pictures and counts of the release report."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from server.release.answer_columns import answer_columns
from server.release.bars import Bar, bar_chart
from server.release.pictures import N_BINS, _bins, _round_up, count_answers
from server.release.tables import ReleasedTable
from tests.server.release.survey import specification


def table_of(name: str, *answers: str) -> ReleasedTable:
    """A released table with the columns of one question."""
    question = next(q for q in specification().questionnaire.questions if q.name == name)
    columns = answer_columns(question, "en")
    return ReleasedTable(columns=columns, rows=tuple(tuple(answer.split("/")) for answer in answers))


def counted(name: str, *answers: str) -> tuple[int, int, list[tuple[str, int]]]:
    question = next(q for q in specification().questionnaire.questions if q.name == name)
    found = count_answers(question, table_of(name, *answers), "en")
    assert found is not None
    return found.answered, found.skipped, [(bar.label, bar.count) for bar in found.bars]


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
    assert count_answers(question, table_of("health", "good"), "en") is None


@pytest.mark.parametrize(
    "values", [["3"], ["-7", "5"], ["0.25", "0.5", "19.75"], ["1000", "1000000"], ["-0.3", "-0.1"]]
)
def test_every_number_lies_in_exactly_one_bin(values: list[str]) -> None:
    bars = _bins([Decimal(value) for value in values])
    assert sum(bar.count for bar in bars) == len(values)
    assert len(bars) <= N_BINS + 2
    for bar in bars:
        bounds = [Decimal(text) for text in re.findall(r"-?[0-9.]+", bar.label)]
        inside = [v for v in map(Decimal, values) if v == bounds[0] or bounds[0] <= v < bounds[-1]]
        assert len(inside) == bar.count
    assert bars[0].count
    assert bars[-1].count


def test_widths_are_round() -> None:
    widths = [Decimal(text) for text in ("0", "0.3", "1", "1.1", "4.9", "7", "83")]
    assert [f"{_round_up(width):f}" for width in widths] == ["1", "0.5", "1", "2", "5", "10", "100"]


def test_bars_are_escaped_and_exact() -> None:
    svg = str(
        bar_chart([Bar(label="<a> & b", count=1, total=3), Bar(label="c", count=2, total=3)], title='"Why?"')
    )
    assert "&lt;a&gt; &amp; b" in svg
    assert 'aria-label="&quot;Why?&quot;"' in svg
    assert "33.3 %" in svg
    assert 'width="200.0"' in svg
    assert "style" not in svg


def test_no_answers_at_all() -> None:
    svg = str(bar_chart([Bar(label="a", count=0, total=0)], title="Empty"))
    assert "0.0 %" in svg
