"""Designs: every cell keeps the promise, the same input gives the same bytes, impossible ones are refused."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from server.design import design as designing
from server.design import refusals
from server.design.design import design
from server.design.plan import plan_from
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from shared.cells import Balls, PowerDiagram
from shared.errors import DesignError
from shared.invitation import Invitation
from shared.participation import Dependence
from shared.recount import ROW_WORK
from shared.soundness import examine
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, QUESTIONNAIRE, public_bytes, sign
from tests.invited import invited
from tests.registers import assert_counts_are_kept, designed
from tests.towns import EVEN, RATES, write_town

RANGE = '[participation]\nlow = "0.3"\nhigh = "0.6"'
LOW = '[participation]\nrate = "0.05"'


make = designed


@pytest.mark.parametrize("kind", ["public", "register"])
@pytest.mark.parametrize(
    "participation",
    [
        EVEN,
        RATES,
        RANGE,
        EVEN + '\ncorrelation = "0.02"\nhousehold_size = 2',
        RATES.replace("[participation]", '[participation]\ncorrelation = "0.01"'),
        RANGE + '\ncorrelation = "0.01"',
    ],
    ids=["even", "rates", "range", "even-together", "rates-correlated", "range-correlated"],
)
def test_every_cell_keeps_the_promise_under_the_mapping_of_devices(
    tmp_path: Path, kind: str, participation: str
) -> None:
    made = make(write_town(tmp_path, kind=kind, participation=participation))
    specification, model = made.specification, made.model
    assert made.labels.tolist() == [specification.cells.assign(x) for x in model.X.tolist()]
    assert_counts_are_kept(made)
    assert isinstance(specification.cells, Balls if kind == "public" else PowerDiagram)
    assert 0 < made.distortion < 0.5
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    key = Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY))
    assert examine(envelope, [True], key).refusal is None


def with_homes(folder: Path, largest: int, **changes: str) -> Path:
    """The town with a household for each three people, and one larger one; its first ten tell none."""
    survey = write_town(folder, participation=EVEN + '\nhousehold_column = "home"', **changes)  # type: ignore[arg-type]
    lines = (folder / "town.csv").read_text(encoding="utf-8").splitlines()
    homes = ["home", *[""] * 10, *["big"] * largest]
    homes += [str(i // 3) for i in range(len(lines) - len(homes))]
    text = "\n".join(f"{line},{home}" for line, home in zip(lines, homes, strict=True))
    (folder / "town.csv").write_text(text + "\n", encoding="utf-8")
    return survey


def test_the_largest_household_is_published_rounded_up(tmp_path: Path) -> None:
    made = make(with_homes(tmp_path, 7))
    assert made.specification.dependence == Dependence(household_size=8)
    assert made.specification.participation_source.household_column == "home"
    again = design(plan_from(made.specification), made.model)
    assert again.specification.to_bytes() == made.specification.to_bytes()
    alone = make(write_town(tmp_path / "alone"))
    assert alone.specification.cells.count > made.specification.cells.count


def test_a_household_that_is_no_household_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="a household of the model has 30 people") as caught:
        make(with_homes(tmp_path, 30))
    assert "institutions" in caught.value.remedy


def test_a_correlation_too_strong_for_the_least_level_is_refused(tmp_path: Path) -> None:
    rates = RATES.replace("[participation]", '[participation]\ncorrelation = "0.2"').replace("0.42", "0.22")
    with pytest.raises(DesignError, match="too strong for a participation"):
        make(write_town(tmp_path, participation=rates))


def test_levels_are_published_on_the_coarse_grid(tmp_path: Path) -> None:
    levels = make(write_town(tmp_path, participation=RATES)).specification.levels
    assert [level.low for level in levels] == ["0.4", "0.5", "0.7"]


@pytest.mark.parametrize("kind", ["public", "register"])
def test_the_order_of_the_file_does_not_change_a_byte(tmp_path: Path, kind: str) -> None:
    survey = write_town(tmp_path, kind=kind)
    first = make(survey).specification.to_bytes()
    assert make(survey).specification.to_bytes() == first
    header, *rows = (tmp_path / "town.csv").read_text().splitlines()
    random.Random(3).shuffle(rows)
    (tmp_path / "town.csv").write_text("\n".join([header, *rows]))
    assert make(survey).specification.to_bytes() == first
    assert Specification.parse(first).to_bytes() == first


def test_low_participation_uses_the_safe_number_and_warns(tmp_path: Path) -> None:
    made = make(write_town(tmp_path, participation=LOW, k=2, failure="0.1"))
    assert (made.specification.n_min, made.specification.n_min_safe) == ((2,), (71,))
    assert min(sum(row) for row in made.specification.eligible) >= 71
    assert any("only by being empty" in warning for warning in made.warnings)


def test_balls_from_a_register_need_an_explicit_flag(tmp_path: Path) -> None:
    survey = write_town(tmp_path, kind="register", more='[design]\nalgorithm = "mdav"')
    with pytest.raises(DesignError, match="real people") as caught:
        make(survey)
    assert "balls_from_register" in caught.value.remedy
    survey = write_town(
        tmp_path, kind="register", more='[design]\nalgorithm = "mdav"\nballs_from_register = true'
    )
    assert make(survey).specification.permissions.balls_from_register


@pytest.mark.parametrize(("distinct", "question"), [(3, "smokes"), (4, "health"), (12, "wellbeing")])
def test_a_diversity_that_no_answers_could_reach_is_refused(
    tmp_path: Path, distinct: int, question: str
) -> None:
    elements = [e for page in QUESTIONNAIRE["pages"] for e in page["elements"] if e["name"] == question]
    survey = write_town(
        tmp_path,
        more=f"[release]\ndistinct_values = {distinct}",
        questionnaire={"pages": [{"elements": elements}]},
    )
    with pytest.raises(DesignError, match="possible answers") as caught:
        make(survey)
    assert caught.value.expected == f"at most {distinct - 1}"


@pytest.mark.parametrize("people", [1, 50])
def test_too_few_people_are_refused_with_the_number_needed(tmp_path: Path, people: int) -> None:
    with pytest.raises(DesignError, match="too few") as caught:
        make(write_town(tmp_path, people=people))
    assert "two cells of n_min_safe" in caught.value.expected


def test_a_model_too_large_for_devices_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = write_town(tmp_path)
    rows = len(read_model(read_survey_file(town)).X)
    monkeypatch.setattr(refusals, "MAX_RECOUNT_WORK", ROW_WORK * 3 * rows)
    make(town)
    monkeypatch.setattr(refusals, "MAX_RECOUNT_WORK", ROW_WORK * 3 * rows - 1)
    monkeypatch.setattr(designing, "_new_cells", lambda *_: pytest.fail("cells were designed"))
    with pytest.raises(DesignError, match=f"has {rows} distinct rows, too many for devices") as caught:
        make(town)
    assert caught.value.expected == f"at most {rows - 1} with 3 attributes"


@pytest.mark.parametrize(("people", "fits"), [(649, False), (650, True), (1300, True), (1301, False)])
def test_invitations_fit_the_model_and_its_participation(tmp_path: Path, people: int, fits: bool) -> None:
    declared = read_survey_file(write_town(tmp_path, people=1300, participation=EVEN))
    plan = replace(declared.plan, invited=invited(people=people))
    if fits:
        specification = design(plan, read_model(declared)).specification
        envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
        key = Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY))
        assert examine(envelope, [True], key).refusal is None
        return
    with pytest.raises(DesignError, match=f"{people} people are invited") as caught:
        design(plan, read_model(declared))
    assert caught.value.where == "invited.people"


def test_a_single_possible_cell_is_refused(tmp_path: Path) -> None:
    survey = write_town(tmp_path, people=200)
    lines = (tmp_path / "town.csv").read_text().splitlines()
    (tmp_path / "town.csv").write_text("\n".join([lines[0], *[lines[1]] * 200]))
    with pytest.raises(DesignError, match="only one cell"):
        make(survey)
