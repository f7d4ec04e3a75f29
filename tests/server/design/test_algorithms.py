"""Every algorithm of a design: the promise under the mapping of devices, and an audit that passes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from server.design import compile as compiling
from server.design import labelled
from server.design.algorithms import ALGORITHMS
from server.design.audit import Audit, audit_survey
from server.design.design import Design
from server.design.salt import write_salt
from shared.cells import Boxes, Prototypes
from shared.declarations import Algorithm
from shared.errors import DesignError
from shared.invitation import Invitation
from shared.recount import Recount
from shared.soundness import REFUSED, examine
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, SALT, public_bytes, sign
from tests.registers import assert_counts_are_kept, designed
from tests.towns import EVEN, RATES, write_town

pytestmark = pytest.mark.long

PROJECT = Path(__file__).parents[3]
RANGE = '[participation]\nlow = "0.3"\nhigh = "0.6"'
NEW = [name for name in ALGORITHMS if name not in ("mdav", "power-diagram")]
TABULATED = [name for name in NEW if ALGORITHMS[name].shape == "prototypes"]


def chosen(algorithm: str, *parameters: str) -> str:
    return "\n".join(("[design]", f'algorithm = "{algorithm}"', *parameters))


make = designed


def assert_promise(made: Design) -> None:
    """Counts and failures of every cell, and every check of a device."""
    specification, model = made.specification, made.model
    assert_counts_are_kept(made)
    envelope = sign(specification.to_bytes(), ORGANIZER_KEY)
    key = Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY))
    examination = examine(envelope, [True], key)
    assert examination.refusal is None
    if specification.model.kind == "public":
        assert Recount(examination, model.canonical_text()).finish().refusal is None


def audited(folder: Path, specification: Specification) -> Audit:
    path = folder / "survey.dsse.json"
    path.write_bytes(sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes())
    write_salt(folder, SALT)
    return audit_survey(path, folder / "town.csv")


def refused(audit: Audit) -> set[str]:
    return {finding.code for finding in audit.findings if finding.outcome == REFUSED}


@pytest.mark.parametrize("participation", [EVEN, RATES, RANGE], ids=["even", "rates", "range"])
@pytest.mark.parametrize("algorithm", NEW)
def test_every_cell_keeps_the_promise_and_an_audit_passes(
    tmp_path: Path, algorithm: str, participation: str
) -> None:
    survey = write_town(tmp_path, participation=participation, more=chosen(algorithm))
    made = make(survey)
    assert_promise(made)
    specification = made.specification
    assert specification.algorithm.name == algorithm
    assert set(specification.algorithm.parameters) == set(ALGORITHMS[algorithm].parameters)
    assert specification.cells.shape == ALGORITHMS[algorithm].shape
    assert specification.cells.count >= 15
    assert made.distortion < 0.1
    assert audited(tmp_path, specification).passed
    header, *rows = (tmp_path / "town.csv").read_text().splitlines()
    random.Random(3).shuffle(rows)
    (tmp_path / "town.csv").write_text("\n".join([header, *rows]))
    assert make(survey).specification.to_bytes() == specification.to_bytes()


def test_pcl_is_another_name_of_the_power_diagram(tmp_path: Path) -> None:
    named = make(write_town(tmp_path / "a", more=chosen("pcl"))).specification
    assert named.algorithm == Algorithm(name="power-diagram", parameters={})
    assert (
        named.to_bytes()
        == make(write_town(tmp_path / "b", more=chosen("power-diagram"))).specification.to_bytes()
    )


@pytest.mark.parametrize(
    ("algorithm", "parameter", "value"), [("mu-approx", "seed = 7", 7), ("v-mdav", "gamma = 1.1", "1.1")]
)
def test_a_parameter_is_signed_and_audited(
    tmp_path: Path, algorithm: str, parameter: str, value: int | str
) -> None:
    plain = make(write_town(tmp_path, more=chosen(algorithm))).specification
    other = make(write_town(tmp_path, more=chosen(algorithm, parameter))).specification
    assert list(other.algorithm.parameters.values()) == [value]
    assert other.cells != plain.cells
    assert audited(tmp_path, other).passed
    disguised = replace(other, algorithm=plain.algorithm)
    assert {"audit.cells", "audit.bytes"} <= refused(audited(tmp_path, disguised))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("mu-approx", {}),
        ("mu-approx", {"seed": -1}),
        ("mu-approx", {"seed": "7"}),
        ("mu-approx", {"seed": 2**53}),
        ("mu-approx", {"seed": 0, "gamma": "1"}),
        ("v-mdav", {"gamma": 1}),
        ("v-mdav", {"gamma": "-1"}),
        ("v-mdav", {"gamma": "nan"}),
        ("v-mdav", {"gamma": "101"}),
        ("mondrian", {"strict": 0}),
        ("mdav", {"seed": 0}),
    ],
)
def test_parameters_that_no_design_writes_are_a_finding(
    tmp_path: Path, name: str, parameters: Mapping[str, int | str]
) -> None:
    made = make(write_town(tmp_path, more=chosen("mondrian"))).specification
    hostile = replace(made, algorithm=Algorithm(name=name, parameters=parameters))
    audit = audited(tmp_path, hostile)
    assert refused(audit) == {"audit.rebuild"}
    assert any("parameters are wrong" in finding.detail for finding in audit.findings)


@pytest.mark.parametrize("participation", [EVEN, RATES], ids=["even", "rates"])
def test_a_register_can_have_boxes(tmp_path: Path, participation: str) -> None:
    made = make(write_town(tmp_path, kind="register", participation=participation, more=chosen("mondrian")))
    assert_promise(made)
    assert audited(tmp_path, made.specification).passed


@pytest.mark.parametrize("algorithm", TABULATED)
@pytest.mark.parametrize("permission", ["", "balls_from_register = true"])
def test_a_register_is_never_tabulated(tmp_path: Path, algorithm: str, permission: str) -> None:
    survey = write_town(tmp_path, kind="register", more=chosen(algorithm, permission))
    with pytest.raises(DesignError, match="real people") as caught:
        make(survey)
    assert "mondrian" in caught.value.expected


MIXED = """
title = "t"
languages = ["en", "de"]
[organizer]
name = "n"
contact = "c"
[model]
file = "town.csv"
kind = "register"
[[attributes]]
name = "age"
kind = "numeric"
minimum = -10
maximum = 90
missing = "own-category"
[[attributes]]
name = "colour"
kind = "nominal"
categories = ["red", "green", "blue", "white", "nobody's"]
missing = "own-category"
[[attributes]]
name = "school"
kind = "ordinal"
categories = ["none", "some", "much"]
missing = "own-category"
[[attributes]]
name = "place"
kind = "lookup"
table = "places.csv"
missing = "own-category"
[participation]
rate = "0.5"
[anonymity]
k = 3
acceptable_cell_failure = "0.001"
[design]
algorithm = "mondrian"
[questionnaire]
file = "questionnaire.json"
"""


def test_boxes_tile_a_domain_of_all_kinds_with_missing_values(tmp_path: Path) -> None:
    """Check 8 counts the admissible vectors of every box of a register: none may be in two, or in none."""
    draw = random.Random(8)
    survey = write_town(tmp_path)
    survey.write_text(MIXED)
    (tmp_path / "places.csv").write_text(
        "value,east,north\n"
        + "\n".join(f"p{i},{draw.randint(-9, 9)},{draw.randint(-9, 9)}" for i in range(30))
    )
    lines = ["age,colour,school,place"]
    for _ in range(3000):
        lines.append(
            ",".join(
                (
                    draw.choice(["", *map(str, range(-10, 91, 3))]),
                    draw.choice(["red", "red", "red", "green", "blue", "white", ""]),
                    draw.choice(["none", "some", "much", ""]),
                    draw.choice(["", *(f"p{i}" for i in range(0, 30, 2))]),
                )
            )
        )
    (tmp_path / "town.csv").write_text("\n".join(lines))
    made = make(survey)
    assert_promise(made)
    assert made.specification.cells.count > 40
    assert audited(tmp_path, made.specification).passed


def test_boxes_are_never_more_than_devices_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "MAX_BOXES_TO_COMPARE", 12)
    made = make(write_town(tmp_path, kind="register", more=chosen("mondrian")))
    assert_promise(made)
    assert isinstance(made.specification.cells, Boxes)
    assert made.specification.cells.count == 12
    people = made.people_of_cells
    assert max(people) < 4 * min(people)


@pytest.mark.parametrize("algorithm", TABULATED)
def test_large_tables_are_condensed(tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = write_town(tmp_path, participation=RATES, more=chosen(algorithm))
    whole = make(survey)
    monkeypatch.setattr(labelled, "WORK", whole.model.n_tuples * 80)
    made = make(survey)
    assert_promise(made)
    sizes = []
    for result in (whole, made):
        assert isinstance(result.specification.cells, Prototypes)
        sizes.append(len(result.specification.cells.points))
    assert whole.model.n_tuples / 2 > sizes[0] > sizes[1] == 80
    assert made.distortion < 1.6 * whole.distortion
    assert audited(tmp_path, made.specification).passed


_SCRIPT = """
import hashlib, sys
from pathlib import Path
from server.design.design import design
from server.design.population.model import read_model
from server.design.survey_file.survey import read_survey_file
for survey in sys.argv[1:]:
    declared = read_survey_file(Path(survey))
    made = design(declared.plan, read_model(declared)).specification
    print(made.algorithm.name, hashlib.sha256(made.to_bytes()).hexdigest())
"""
ELSEWHERE = (
    {"OPENBLAS_NUM_THREADS": "4", "OPENBLAS_CORETYPE": "Nehalem"},
    {
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX2 FMA3",
        "NUMBA_CPU_NAME": "generic",
    },
)


@pytest.fixture(scope="module")
def digests(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """Of each algorithm's specification, from a process for each machine."""
    folder = tmp_path_factory.mktemp("towns")
    surveys = [write_town(folder / algorithm, more=chosen(algorithm)) for algorithm in NEW]
    runs = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _SCRIPT, *surveys],
            env={**os.environ, "PYTHONPATH": str(PROJECT), **extra},
            capture_output=True,
            text=True,
            check=True,
        )
        for extra in ELSEWHERE
    ]
    return [dict(line.split() for line in run.stdout.splitlines()) for run in runs]


@pytest.mark.parametrize("algorithm", NEW)
def test_same_bytes_with_other_threads_and_other_processor_features(
    digests: list[dict[str, str]], algorithm: str
) -> None:
    assert len({elsewhere[algorithm] for elsewhere in digests}) == 1
