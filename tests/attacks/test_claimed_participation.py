"""An organizer claims that nearly everybody answers: cells of ten seem enough."""

from __future__ import annotations

from typing import Any

import pytest

from respondent_client.room import describe
from server.design.design import design
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from shared.cells import PowerDiagram
from shared.checks import Floor
from shared.effective_anonymity import cell_failure
from shared.errors import DesignError
from shared.participation import ParticipationLevel, ParticipationSource
from shared.soundness import Examination
from shared.specification import Specification
from shared.strict_json import dumps
from tests.builders import ORGANIZER_KEY, both, sign, small_model, small_specification
from tests.shared.examining import examine_bytes
from tests.towns import write_town
from tests.vectors.surveys import fragment_of

STATEMENT = {"en": "The census of 2021 had 94 %.", "de": "An der Zählung 2021 nahmen 94 % teil."}


def claiming(participation: str, statement: dict[str, str] | None) -> Specification:
    """Twenty cells of ten people, k = 3, a failure of 0.01: enough at 0.9, as the arithmetic says."""
    sites = tuple((10 * middle, 10 * f, 10 * (1 - f)) for middle in range(4, 100, 10) for f in (0, 1))
    cells = PowerDiagram(weights=(1, 5000, 5000), resolution=10, sites=sites, offsets=(0,) * len(sites))
    level = ParticipationLevel(low=participation, high=participation)
    source = ParticipationSource(kind="even", statement=statement)
    return small_specification(cells=cells, levels=(level,), participation_source=source, failure="0.01")


def examined(specification: Specification, floor: Floor | None = None) -> Examination:
    """As a device does."""
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope), small_model(), floor)


def test_the_claim_hides_how_badly_cells_fail() -> None:
    """What the signed figures say, and what happens if 45 % take part: one cell in ten fails."""
    promised = cell_failure((10,), ("0.9",), 3).attained_cell_failure
    true = cell_failure((10,), ("0.45",), 3).attained_cell_failure
    assert promised < 1e-5
    assert true > 0.09


@pytest.mark.parametrize("participation", ["0.601", "0.75", "0.9", "0.95"])
def test_a_high_participation_without_a_source_is_refused(participation: str) -> None:
    line = examined(claiming(participation, None)).lines[4]
    assert (line.code, line.outcome) == ("check.floor", "refused")
    assert line.error is not None
    assert line.error.where == "participation.source.statement"


def test_with_a_source_the_respondent_sees_both_chances_and_the_source() -> None:
    sound = examined(claiming("0.9", STATEMENT)).sound()
    room = describe(sound, 0)
    true = cell_failure((10,), ("0.45",), 3).record_failure_given_participation
    assert float(room.record_failure) < 1e-5
    assert room.half_failure == f"{true:.2e}"
    assert sound.specification.participation_source.statement == STATEMENT


def test_what_may_be_claimed_without_a_source_and_what_never() -> None:
    assert examined(claiming("0.6", None)).lines[4].outcome == "passed"
    assert examined(claiming("0.96", STATEMENT)).lines[4].outcome == "refused"
    stricter = Floor(highest_unsourced_participation="0.3")
    assert examined(claiming("0.5", None), stricter).lines[4].outcome == "refused"


def test_the_statement_is_shown_in_every_language() -> None:
    for statement in ({"en": "Trust us."}, both(""), "Trust us."):
        document = claiming("0.9", STATEMENT).to_object()
        document["participation"]["source"]["statement"] = statement
        envelope = sign(dumps(document), ORGANIZER_KEY)
        refusal = examine_bytes(envelope.to_bytes(), fragment_of(envelope)).refusal
        assert refusal is not None
        assert refusal.code == "check.form"


@pytest.mark.parametrize(
    ("more", "refused"),
    [("", True), ('source_statement = "The census of 2021 had 94 %."\n', False)],
)
def test_design_refuses_it_before_anybody_signs(tmp_path: Any, more: str, refused: bool) -> None:
    survey = read_survey_file(
        write_town(tmp_path, participation=f'[participation]\n{more}rate = "0.9"', people=400)
    )
    if refused:
        with pytest.raises(DesignError, match="does not say where the figure comes from") as caught:
            design(survey.plan, read_model(survey))
        assert caught.value.where == "participation.source_statement"
        return
    made = design(survey.plan, read_model(survey))
    worst = max(m.record_failure_given_participation for m in made.metrics)
    half = max(m.record_failure_given_participation for m in made.half)
    assert worst < 1e-3 < half
