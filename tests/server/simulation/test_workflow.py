"""Simulations: who takes part, what is sent, and what the report says about it."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli import simulate as command
from server.simulation.workflow import SimulationReport, simulate
from shared.errors import AnswerError, InputError, ModelFileError, RemoteError, StateError
from tests.server.simulation.people import (
    N_CELLS,
    N_PEOPLE,
    FakeRespondent,
    model_rows,
    specification,
    write_file,
)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    return write_file(tmp_path / "people.csv")


def run(people: Path, respondent: FakeRespondent | None = None, **options: object) -> SimulationReport:
    return simulate(respondent or FakeRespondent(specification()), people, **({"seed": 1} | options))  # type: ignore[arg-type]


def test_everybody_takes_part_with_her_probability(people: Path) -> None:
    """600 people at 0.5: a seed of ten lies within 5 standard deviations (61), their mean within 2."""
    totals = [run(people, seed=seed).submissions for seed in range(10)]
    assert all(abs(total - 300) < 61 for total in totals)
    assert abs(sum(totals) / 10 - 300) < 2 * 12.25 / 10**0.5 + 1
    assert len(set(totals)) > 1


def test_what_is_sent_is_counted_where_it_belongs(people: Path) -> None:
    respondent = FakeRespondent(specification())
    report = run(people, respondent)
    assert Counter(message.cell for message in respondent.sent) == {
        cell: count for cell, count in enumerate(report.head_counts) if count
    }
    assert report.submissions == len(respondent.sent) == sum(report.head_counts)
    for message in respondent.sent:
        assert message.cell == int(message.quasi_identifiers["age"] or "") // 5


def test_the_same_seed_draws_the_same_people_and_answers(people: Path) -> None:
    def sent(seed: int, threads: int) -> Counter[str]:
        respondent = FakeRespondent(specification())
        run(people, respondent, seed=seed, threads=threads)
        return Counter(json.dumps([m.quasi_identifiers, m.answers]) for m in respondent.sent)

    assert sent(4, 1) == sent(4, 8)
    assert sent(4, 1) != sent(5, 1)


def test_failed_cells_match_their_expectation(people: Path) -> None:
    """qbar of a cell of 50 at 0.5 and k = 20 is P{1 <= K <= 19} = 0.0595; 40 draws of 12 cells."""
    reports = [run(people, seed=seed) for seed in range(40)]
    for report in reports:
        assert report.failures.expected == pytest.approx(12 * 0.05946, rel=1e-3)
        assert report.failures.observed == sum(0 < count < 20 for count in report.head_counts)
    observed = sum(report.failures.observed for report in reports)
    expected = sum(report.failures.expected for report in reports)
    assert abs(observed - expected) < 4 * expected**0.5
    # A tail probability is at most p with probability at most p.
    surprising = sum(report.failures.probability_of_at_least_observed < 0.05 for report in reports)
    assert surprising <= 6


def test_another_share_of_participants_changes_the_expectation(people: Path) -> None:
    full = run(people, participation=Fraction(1))
    assert full.head_counts == (50,) * N_CELLS
    assert (full.failures.observed, full.failures.expected) == (0, 0.0)
    few = run(people, participation=Fraction(1, 5))
    assert few.failures.expected == pytest.approx(12 * 0.9992, abs=0.02)
    assert few.failures.observed >= 11
    none = run(people, participation=Fraction(0))
    assert none.submissions == 0
    assert none.figures()["empty_cells"] == N_CELLS
    assert none.failures.probability_of_at_least_observed == 1.0


def test_people_of_a_cell_hang_together_as_stated(people: Path) -> None:
    """Fifty people at 0.5 with a correlation of 0.2: head counts spread far more, and cells fail."""
    together = [run(people, seed=seed, correlation=Fraction(1, 5)) for seed in range(12)]
    alone = [run(people, seed=seed) for seed in range(12)]
    spread = [
        statistics.pvariance([n for r in reports for n in r.head_counts]) for reports in (together, alone)
    ]
    # n pi (1 - pi) (1 + (n - 1) rho) = 12.5 * 10.8 beside 12.5
    assert spread[0] == pytest.approx(135, rel=0.4)
    assert spread[1] == pytest.approx(12.5, rel=0.4)
    for report in together:
        assert report.failures.expected > 20 * report.promised_failed_cells / 12
        assert report.figures()["correlation"] == 0.2
    observed = sum(report.failures.observed for report in together)
    expected = sum(report.failures.expected for report in together)
    assert abs(observed - expected) < 4 * expected**0.5


def test_the_correlation_of_the_survey_is_taken(people: Path) -> None:
    report = run(people, FakeRespondent(specification(correlation="0.05")))
    assert report.correlation == Fraction(1, 20)
    assert report.failures.expected == pytest.approx(report.promised_failed_cells)


def test_a_part_of_the_people_can_be_invited(people: Path) -> None:
    respondent = FakeRespondent(specification())
    report = run(people, respondent, invited=120, participation=Fraction(1))
    assert report.people == report.submissions == 120
    assert not report.is_the_model
    # With everybody taking part the expectation is exact: it counts the cells of those who were drawn.
    assert report.failures.observed == report.failures.expected
    assert Counter(message.cell for message in respondent.sent).total() == 120
    with pytest.raises(InputError, match="only 600 people"):
        run(people, invited=601)


def test_a_range_is_simulated_at_its_middle(people: Path) -> None:
    report = run(people, FakeRespondent(specification(low="0.8", high="1")))
    assert abs(report.submissions - 540) < 5 * 7.4


def test_rates_of_an_attribute_are_simulated_person_by_person(people: Path) -> None:
    rates = [{"upto": "29", "value": None, "rate": "0.05"}, {"upto": "59", "value": None, "rate": "0.95"}]
    source = {"kind": "rates", "column": None, "attribute": "age", "rates": rates}
    source |= {"household_column": None, "statement": None}
    respondent = FakeRespondent(specification(source=source))
    report = run(people, respondent)
    young = sum(int(message.quasi_identifiers["age"] or "") < 30 for message in respondent.sent)
    assert young < 15 + 5 * 3.8
    assert report.submissions - young > 285 - 5 * 3.8


def test_a_file_with_decimal_commas_is_simulated_as_it_was_designed(tmp_path: Path) -> None:
    source = {"kind": "column", "column": "chance", "attribute": None, "rates": []}
    source |= {"household_column": None, "statement": None}
    path = tmp_path / "people.csv"
    lines = [f"{age};0,95;37,5" for age, count in model_rows() for _ in range(count)]
    path.write_text("\n".join(["age;chance;hours", *lines]))
    respondent = FakeRespondent(specification(source=source))
    report = run(path, respondent, answers="hours=hours")
    assert abs(report.submissions - 570) < 5 * 5.4
    assert {message.answers["hours"] for message in respondent.sent} == {"37.5"}


def test_answers_from_columns_belong_to_the_person(people: Path) -> None:
    respondent = FakeRespondent(specification())
    run(people, respondent, answers="job=occupation,smokes=smokes,hours=hours,wishes=wishes,mood=mood")
    assert {type(message.answers["smokes"]) for message in respondent.sent} == {bool}
    for message in respondent.sent:
        old = int(message.quasi_identifiers["age"] or "") >= 30
        assert message.answers["job"] == ("some" if old else "none")
        assert message.answers["hours"] == "37.5"
    rows = [line.split(",") for line in people.read_text().splitlines()[1:]]
    possible = {(row[0], row[2].replace("|", ""), row[3], row[4].casefold() == "yes") for row in rows}
    for message in respondent.sent:
        answered = message.answers
        wishes = "".join(answered.get("wishes", ()))
        assert (
            message.quasi_identifiers["age"],
            wishes,
            str(answered["mood"]),
            answered["smokes"],
        ) in possible


def test_all_questions_from_columns_of_their_names(people: Path, tmp_path: Path) -> None:
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(people.read_text().replace("occupation", "job", 1))
    respondent = FakeRespondent(specification())
    run(renamed, respondent, answers="columns")
    assert all("remark" not in message.answers for message in respondent.sent)  # "?" is a missing value


def test_generated_answers_are_admissible_and_varied(people: Path) -> None:
    respondent = FakeRespondent(specification())
    run(people, respondent, participation=Fraction(1))
    for name in ("job", "mood", "smokes", "wishes", "hours", "remark"):
        values = {json.dumps(message.answers.get(name)) for message in respondent.sent}
        assert len(values) >= 2, name
    assert all("job" in message.answers for message in respondent.sent)  # required
    skipped = sum("mood" not in message.answers for message in respondent.sent)
    assert 0 < skipped < 60


def test_a_field_that_is_no_answer_is_named_before_anything_is_sent(people: Path) -> None:
    lines = people.read_text().splitlines()
    lines[7] = lines[7].replace("none", "Prince")
    people.write_text("\n".join(lines) + "\n")
    respondent = FakeRespondent(specification())
    with pytest.raises(AnswerError, match='"Prince" is no answer to "job"') as caught:
        run(people, respondent, answers="job=occupation", participation=Fraction(1))
    assert caught.value.where == 'people.csv, line 8, column "occupation"'
    assert respondent.sent == []


def test_a_required_answer_that_the_file_lacks_is_named(people: Path) -> None:
    with pytest.raises(AnswerError, match="no answer to a required question"):
        run(people, answers="job=remark", participation=Fraction(1))


@pytest.mark.parametrize("answers", ["job", "job=", "=a", "job=a,job=b", "columns job", "nonsense"])
def test_answers_option_that_says_nothing_definite(people: Path, answers: str) -> None:
    with pytest.raises(InputError, match="which column answers which question"):
        run(people, answers=answers)


def test_unknown_question_and_unknown_column(people: Path) -> None:
    with pytest.raises(InputError, match='does not ask "salary"'):
        run(people, answers="salary=mood")
    with pytest.raises(ModelFileError, match='no column "ocupation" for answers') as caught:
        run(people, answers="job=ocupation")
    assert 'Did you mean "occupation"?' in caught.value.remedy


def test_a_lost_connection_is_tried_again_with_the_same_message(people: Path) -> None:
    respondent = FakeRespondent(specification(), failures=2)
    report = run(people, respondent)
    assert report.submissions == len(respondent.sent)
    assert set(respondent.attempts.values()) == {3}


def test_a_server_that_stays_away_ends_the_simulation(people: Path) -> None:
    with pytest.raises(RemoteError, match=r"Try again\. 0 of \d+ submissions were acknowledged"):
        run(people, FakeRespondent(specification(), failures=3))


def test_another_file_is_mapped_and_said_to_be_another(people: Path) -> None:
    lines = people.read_text().splitlines()
    people.write_text("\n".join(lines[:401]) + "\n")
    report = run(people)
    assert report.people == 400
    assert not report.is_the_model
    assert report.failures.expected == pytest.approx(8 * 0.05946, rel=1e-3)
    assert run(write_file(people)).is_the_model


def test_figures(people: Path) -> None:
    clock = iter((10.0, 12.0))
    figures = run(people, clock=lambda: next(clock)).figures()
    assert figures["people"] == N_PEOPLE
    assert figures["submissions_per_second"] == figures["submissions"] / 2
    assert figures["cells"] == N_CELLS
    assert figures["smallest_head_count"] >= 1
    json.dumps(figures)


def test_command_line(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "respondent_for", lambda _url: FakeRespondent(specification()))
    arguments = ["http://localhost/s/0#0", "--model", str(people), "--seed", "1", "--participants", "0.25"]
    result = CliRunner().invoke(command.simulate, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    figures = json.loads(result.stdout)
    assert abs(figures["submissions"] - 150) < 53
    result = CliRunner().invoke(command.simulate, arguments, catch_exceptions=False)
    assert "Failed cells (some answers, but fewer than k)" in result.stdout
    assert "Repeat it with --seed 1." in result.stdout
    told = [*arguments, "--correlation", "0.1", "--json"]
    result = CliRunner().invoke(command.simulate, told, catch_exceptions=False)
    assert json.loads(result.stdout)["correlation"] == 0.1
    result = CliRunner().invoke(command.simulate, [*arguments, "--correlation", "0.7"])
    assert isinstance(result.exception, InputError)
    assert result.exception.where == "--correlation"


def test_a_file_is_read_as_its_design_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age|x", *(f"{age}|" for age, count in model_rows() for _ in range(count))]))
    respondent = FakeRespondent(specification())
    monkeypatch.setattr(command, "respondent_for", lambda _url: respondent)
    arguments = ["http://localhost/", "--model", str(path), "--seed", "1"]
    with pytest.raises(ModelFileError, match='no column "age"'):
        CliRunner().invoke(command.simulate, arguments, catch_exceptions=False)
    told = CliRunner().invoke(command.simulate, [*arguments, "--separator", "|"], catch_exceptions=False)
    assert told.exit_code == 0
    assert len(respondent.sent) > N_PEOPLE / 3


def test_invented_people_answer_a_real_survey_only_if_told_so(people: Path) -> None:
    """Nobody could ever take their answers out again."""
    real = FakeRespondent(specification(), of_test_copy=False)
    with pytest.raises(StateError) as caught:
        run(people, real)
    assert caught.value.code == "state.real-survey"
    assert real.sent == []
    assert run(people, real, into_real_survey=True).submissions == len(real.sent)
