"""Designs by districts: each cell keeps the promise, auditors cut again, and small populations stay whole."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from server.design import dividing, plan, refusals
from server.design.audit import audit_survey
from server.design.design import Design, design
from server.design.dividing import Recipe, divide
from server.design.mapping import leaves_of
from server.design.plan import DistrictPlan, district_plan, plan_from
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
from server.executor import Threads
from shared.cells import DistrictCells
from shared.errors import DesignError, SoundnessError, SurveyFileError
from shared.invitation import Invitation
from shared.limits import MAX_CELLS
from shared.register import on_grid, site_steps
from shared.soundness import examine
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, SALT, public_bytes, sign
from tests.registers import assert_counts_are_kept
from tests.towns import EVEN, RATES, write_town


def made(survey: Path, district: str | None = None) -> Design:
    file = read_survey_file(survey)
    own = file.plan if district is None else replace(file.plan, district=district_plan(district))
    return design(own, read_model(file), salt=SALT if own.model_kind == "register" else None)


def cut_of(found: Design) -> DistrictCells:
    cells = found.specification.cells
    assert isinstance(cells, DistrictCells)
    return cells


def assert_sound(found: Design) -> None:
    """Devices map as the design does, count what it counts, and find nothing to refuse."""
    specification, model = found.specification, found.model
    assert found.labels.tolist() == [specification.cells.assign(x) for x in model.X.tolist()]
    assert_counts_are_kept(found)
    assert Specification.parse(specification.to_bytes()) == specification
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    key = Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY))
    assert examine(envelope, [True], key).refusal is None


@pytest.mark.parametrize("kind", ["public", "register"])
@pytest.mark.parametrize("participation", [EVEN, RATES], ids=["even", "rates"])
@pytest.mark.parametrize("district", ["700", "sex", "schooling", "age"])
def test_every_cell_of_every_district_keeps_the_promise(
    tmp_path: Path, kind: str, participation: str, district: str
) -> None:
    found = made(
        write_town(tmp_path, people=3000, kind=kind, participation=participation, k=3, failure="0.01"),
        district,
    )
    assert_sound(found)
    cells = cut_of(found)
    if district == "700":
        sizes = np.bincount(leaves_of(cells.tree, found.basis.X), found.basis.people.sum(axis=1))
        assert 700 >= sizes.max() >= sizes.min() >= 700 / 4
    else:
        names = [attribute.name for attribute in found.model.attributes]
        first = sum(a.dimension for a in found.model.attributes[: names.index(district)])
        own = range(first, first + found.model.attributes[names.index(district)].dimension)
        assert {cut[0] for cut in cells.tree.nodes if cut} <= set(own)
    if district == "sex":
        assert len(cells.districts) == 2
    if kind == "register":
        ranges = found.specification.coordinate_ranges
        steps = site_steps(ranges, 1, min(found.specification.n_min_safe))
        for cut in filter(None, cells.tree.nodes):
            assert on_grid(cut[1], *ranges[cut[0]], steps[cut[0]])


@pytest.mark.parametrize("algorithm", ["power-diagram", "mdav", "mondrian", "v-mdav", "m-d", "mu-approx"])
def test_any_algorithm_works_within_districts(tmp_path: Path, algorithm: str) -> None:
    survey = write_town(tmp_path, more=f'[design]\nalgorithm = "{algorithm}"\ndistrict = 600')
    found = made(survey)
    assert_sound(found)
    assert len(cut_of(found).districts) > 2


@pytest.mark.parametrize("kind", ["public", "register"])
@pytest.mark.parametrize("district", ["600", "schooling"])
def test_an_auditor_cuts_again(tmp_path: Path, kind: str, district: str) -> None:
    survey = write_town(tmp_path, kind=kind)
    specification = made(survey, district).specification
    signed = tmp_path / "survey.dsse.json"
    (tmp_path / "model.salt").write_text(SALT.hex() + "\n")
    salt = tmp_path / "model.salt" if kind == "register" else None

    def audited(payload: bytes) -> None:
        signed.write_bytes(sign(payload, ORGANIZER_KEY).to_bytes())
        audit_survey(signed, tmp_path / "town.csv", salt_path=salt).require_passed()

    audited(specification.to_bytes())
    for parameters in ({}, {"district": 5000}, {"district": -1}, {"district": 0, "district_attribute": "x"}):
        algorithm = replace(specification.algorithm, parameters=parameters)
        with pytest.raises(SoundnessError):
            audited(replace(specification, algorithm=algorithm).to_bytes())


def test_what_needs_no_district_is_designed_as_before(tmp_path: Path) -> None:
    survey = write_town(tmp_path)
    whole = made(survey).specification.to_bytes()
    assert made(survey, "0").specification.to_bytes() == whole
    assert made(survey, "5000").specification.to_bytes() == whole
    again = plan_from(Specification.parse(whole))
    assert again.district == DistrictPlan(most=0)


def test_only_large_populations_are_cut_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    district = DistrictPlan()
    assert district.most_of(plan.LARGEST_UNCUT, 100) == 0
    assert district.most_of(plan.LARGEST_UNCUT + 1, 100) == plan.DISTRICT
    # Cells of five people: more would be in the district than it may have.
    assert district.most_of(plan.LARGEST_UNCUT, 5) == MAX_CELLS * 5
    monkeypatch.setattr(plan, "LARGEST_UNCUT", 1000)
    monkeypatch.setattr(plan, "DISTRICT", 800)
    assert len(cut_of(made(write_town(tmp_path))).districts) == 2


def test_answers_with_too_few_people_stay_with_others(tmp_path: Path) -> None:
    survey = write_town(tmp_path)
    survey.write_text(survey.read_text().replace('["female", "male"]', '["female", "male", "other"]'))
    lines = (tmp_path / "town.csv").read_text().splitlines()
    for i in range(1, 4):
        lines[i] = lines[i].replace(",female,", ",other,").replace(",male,", ",other,")
    (tmp_path / "town.csv").write_text("\n".join(lines) + "\n")
    found = made(survey, "sex")
    assert_sound(found)
    assert len(cut_of(found).districts) == 2


def test_equal_people_stay_together(tmp_path: Path) -> None:
    """Two thirds have one age: the cut lies beside it, and none goes through it."""
    survey = write_town(tmp_path)
    lines = (tmp_path / "town.csv").read_text().splitlines()
    for i in range(1, len(lines), 3):
        for j in (i, i + 1):
            lines[j] = "40," + lines[j].split(",", 1)[1]
    (tmp_path / "town.csv").write_text("\n".join(lines) + "\n")
    found = made(survey, "600")
    assert_sound(found)
    assert len(cut_of(found).districts) > 2


def test_nothing_can_be_cut_where_everybody_is_equal(tmp_path: Path) -> None:
    survey = write_town(tmp_path, people=1500)
    lines = (tmp_path / "town.csv").read_text().splitlines()
    both = [f"40,{sex},basic,x" for sex in ("female", "male") for _ in range(700)]
    (tmp_path / "town.csv").write_text("\n".join([lines[0], *both]) + "\n")
    found = made(survey, "600")
    assert len(cut_of(found).districts) == 2, "women and men are more than 600, and cannot be cut"
    assert_sound(found)


@pytest.mark.parametrize(
    ("district", "message"),
    [("100", "would lie at a cut"), ("region", "no attribute"), ("name", "no attribute")],
)
def test_districts_that_cannot_be_are_refused(tmp_path: Path, district: str, message: str) -> None:
    with pytest.raises(DesignError, match=message) as caught:
        made(write_town(tmp_path), district)
    assert caught.value.where == "--district"
    assert caught.value.expected


def test_more_districts_than_a_specification_has_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dividing, "MAX_DISTRICTS", 3)
    with pytest.raises(DesignError, match="cut into 4 districts"):
        made(write_town(tmp_path), "schooling")


def test_a_specification_too_long_to_be_signed_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(refusals, "MAX_SPECIFICATION_BYTES", 1000)
    found = made(write_town(tmp_path), "600")
    assert found.refused
    assert "cannot be signed" in found.warnings[0]


@pytest.mark.parametrize("value", ["-5", "true", "1.5", '""'])
def test_the_file_says_a_number_or_an_attribute(tmp_path: Path, value: str) -> None:
    with pytest.raises(SurveyFileError, match="district"):
        read_survey_file(write_town(tmp_path, more=f"[design]\ndistrict = {value}"))


@pytest.mark.parametrize("kind", ["public", "register"])
def test_a_district_is_designed_from_what_can_be_sent(tmp_path: Path, kind: str) -> None:
    """The same in another process: everything that decides can be pickled, with several levels too."""
    found = made(write_town(tmp_path, kind=kind, participation=RATES), "0")
    specification = found.specification
    recipe = Recipe(
        algorithm=specification.algorithm.name,
        parameters=specification.algorithm.parameters,
        weights=specification.weights,
        k=specification.k,
        failure=specification.acceptable_cell_failure,
        dependence=specification.dependence,
        levels=specification.levels,
        safe=specification.n_min_safe,
        minimum=specification.release.minimum,
        is_register=kind == "register",
    )
    sent = pickle.loads(pickle.dumps((recipe, found.basis)))  # noqa: S301 - our own
    divided = pickle.loads(pickle.dumps(divide(*sent)))  # noqa: S301
    assert divided.compiled.cells == specification.cells
    assert (divided.compiled.eligible, divided.row) == (specification.eligible, specification.row)


def test_the_number_of_workers_does_not_change_a_byte(tmp_path: Path) -> None:
    file = read_survey_file(write_town(tmp_path, kind="register"))
    own, model = replace(file.plan, district=district_plan("600")), read_model(file)
    one, four = (
        design(own, model, salt=SALT, executor=Threads(workers)).specification.to_bytes()
        for workers in (1, 4)
    )
    assert one == four


def test_the_cells_of_districts_can_be_used_again(tmp_path: Path) -> None:
    survey = write_town(tmp_path)
    first = made(survey, "600").specification
    file = read_survey_file(survey)
    own = replace(file.plan, algorithm="reused", parameters={"specification": "0" * 64})
    again = design(own, read_model(file), reuse=first.cells).specification
    assert again.cells == first.cells
    assert again.algorithm.parameters == {"specification": "0" * 64}
    assert sorted(again.row) == list(range(again.cells.count))


def test_a_row_does_not_jump_between_districts(tmp_path: Path) -> None:
    found = made(write_town(tmp_path), "600")
    cells, row = cut_of(found), found.specification.row
    owner = [next(i for i, own in enumerate(cells.members) if cell in own) for cell in row]
    assert sum(a != b for a, b in itertools.pairwise(owner)) == len(cells.districts) - 1
