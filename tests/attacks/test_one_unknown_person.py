"""Whoever knows everybody of a register but one person learns nothing of her from what is published.

Before protocol roomful/3 the specification of a register had exact head counts, means of four decimals, a
plain digest and no secret; the same attacker then named the one person's answers nearly always. Here she does
so on figures that are published in the old way, and with the salt in her hands: so these tests can fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from server.design.design import Design
from server.design.population.model import Model
from server.release.centroid_columns import group_mean
from shared.attributes import Attribute
from shared.cells import PowerDiagram
from shared.model import model_digest
from shared.recount import centroid
from shared.register import map_centroids
from shared.specification import Specification
from tests.attacks.one_unknown import (
    Attacker,
    Candidate,
    Cell,
    admits_bounds,
    admits_exact,
    cells_of,
    odds,
    one_attribute,
    people_of,
    without,
)
from tests.builders import SALT
from tests.registers import EVEN, RATES_BY_AGE, designed, write_adult, write_small

SMALL_RATES = RATES_BY_AGE.replace("upto = 29", "upto = 3").replace("49", "6").replace("90", "9")
STATES = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
TRIED = 12
"""People whose state is guessed by designing again; of three states, by chance four are right."""
BY_CHANCE_AT_MOST = 9


@pytest.fixture(scope="module", params=[EVEN, SMALL_RATES], ids=["even", "rates"])
def survey(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small(tmp_path_factory.mktemp("small"), participation=request.param, people=800)


@pytest.fixture(scope="module")
def small(survey: Path) -> Design:
    made = designed(survey)
    assert made.specification.cells.count >= 4
    return made


def as_before(made: Design) -> Specification:
    """The specification as registers were published before: exact counts, exact means."""
    cells = cells_of(made.specification, made.model)
    return replace(
        made.specification,
        levels=made.model.levels,
        eligible=tuple(cell.counts for cell in cells),
        centroids=tuple(centroid(list(cell.sums), sum(cell.counts)) for cell in cells),
    )


def domain(made: Design) -> list[Candidate]:
    """Everybody that there could be in the small register."""
    level_of_age = {vector[0]: level for vector, level in people_of(made.model)}
    return [((age, *state), level_of_age[age]) for age, state in product(range(10), STATES)]


def alike(made: Design, target: Candidate, index: int) -> list[Candidate]:
    """Everybody who differs from a person in one attribute at most."""
    vectors = one_attribute(made.model, target[0], index)
    return [candidate for candidate in domain(made) if candidate[0] in vectors]


def test_one_person_of_whom_nothing_is_known(small: Design) -> None:
    """All 30 answers of the small domain, for everybody."""
    everything = domain(small)
    before = Attacker(as_before(small), small.model, admits_exact)
    now = Attacker(small.specification, small.model, admits_bounds)
    for target in people_of(small.model):
        assert before.left(target, everything) == [target]
        assert now.left(target, everything) == everything


@pytest.mark.parametrize("index", [0, 1], ids=["age", "state"])
def test_one_attribute_that_is_not_known(small: Design, index: int) -> None:
    before = Attacker(as_before(small), small.model, admits_exact)
    now = Attacker(small.specification, small.model, admits_bounds)
    for target in people_of(small.model):
        candidates = alike(small, target, index)
        assert before.left(target, candidates) == [target]
        assert now.left(target, candidates) == candidates


def test_designing_again_names_a_person_with_the_salt_and_nobody_without(survey: Path, small: Design) -> None:
    """She runs the whole design for every state that a person could have, and looks for what is most
    alike."""
    known = set(people_of(small.model))
    targets = [t for t in known if all(c in known for c in alike(small, t, 1))]
    hits = named = 0
    for number, target in enumerate(sorted(targets)[:: max(1, len(targets) // TRIED)][:TRIED]):
        candidates = alike(small, target, 1)
        models = [without(small.model, target, candidate) for candidate in candidates]
        if number < 4:  # an auditor, who has the salt, could
            again = [designed(survey, model=model).specification for model in models]
            assert again[candidates.index(target)] == small.specification
            named += again.count(small.specification) == 1
        apart = []
        for model in models:
            guessed = designed(survey, salt=bytes([number] * 32), model=model).specification
            assert guessed.to_bytes() != small.specification.to_bytes()
            apart.append(distance(guessed, small.specification))
        hits += candidates[apart.index(min(apart))] == target
    assert named > 0
    assert hits <= BY_CHANCE_AT_MOST


def distance(one: Specification, other: Specification) -> int:
    """How far two maps are apart: what they differ in, number by number."""
    assert isinstance(one.cells, PowerDiagram)
    assert isinstance(other.cells, PowerDiagram)
    flat = [[value for site in s.cells.sites for value in site] for s in (one, other)]  # type: ignore[attr-defined]
    return sum(abs(a - b) for a, b in zip(*flat, strict=False)) + 1000 * abs(len(flat[0]) - len(flat[1]))


def test_the_digest_confirms_no_guess(small: Design) -> None:
    """She knows the canonical text but for one person, and writes it with each candidate."""
    target = next(people_of(small.model))
    known = set(people_of(small.model))
    candidates = [candidate for candidate in alike(small, target, 1) if candidate in known]
    texts = [without(small.model, target, candidate).canonical_text() for candidate in candidates]
    published, truth = small.specification.model.digest, small.model.canonical_text()
    assert [model_digest(text) == model_digest(truth) for text in texts].count(True) == 1
    assert published not in {model_digest(text) for text in texts}
    assert [model_digest(text, SALT) == published for text in texts].count(True) == 1


def table_row(attributes: Sequence[Attribute], mean: Sequence[Fraction]) -> tuple[str, ...]:
    """The centroid columns of a released cell."""
    texts: list[str] = []
    start = 0
    for attribute in attributes:
        texts += attribute.column_values(mean[start : start + attribute.dimension])
        start += attribute.dimension
    return tuple(texts)


def test_the_centroid_columns_of_the_released_table(small: Design) -> None:
    """Means of exact people told who was in the cell; now the columns are made from the map alone."""
    specification, attributes = small.specification, small.model.attributes
    rows = [table_row(attributes, list(map(Fraction, c))) for c in as_before(small).centroids]

    def admits_row(_: Specification, model: Model, place: int, cell: Cell) -> bool:
        people = sum(cell.counts)
        mean = [Fraction(total, max(1, people)) for total in cell.sums]
        return people == counts[place] and table_row(model.attributes, mean) == rows[place]

    counts = small.people_of_cells
    before = Attacker(as_before(small), small.model, admits_row)
    people = list(people_of(small.model))
    named = sum(before.left(target, alike(small, target, 1)) == [target] for target in people)
    assert named > 0.9 * len(people)
    shown = [table_row(attributes, group_mean([i], specification.centroids, specification.eligible))
             for i in range(specification.cells.count)]  # fmt: skip
    of_the_map = map_centroids(specification.cells, attributes)
    assert shown == [table_row(attributes, list(map(Fraction, point))) for point in of_the_map]


def test_bounds_change_the_odds_of_a_candidate_by_little() -> None:
    """The likelihood of a bound, exactly: what remains to an attacker who counts with the secret sample."""
    for need in (18, 53, 200):
        assert odds(need - 1 + 25, need) < 1.1
        assert odds(need, need) < 12


@pytest.mark.parametrize("participation", [EVEN, RATES_BY_AGE], ids=["even", "rates"])
def test_nobody_of_adult(tmp_path: Path, reference_data: Path, participation: str) -> None:
    """45,222 people: before everybody, now in no cell anybody.

    A candidate adds a person to a cell that was published without her, which no bound contradicts; so
    somebody is told from others only if her own cell could not have been published without her. That is
    looked at for everybody, and all candidates are tried for a few.
    """
    made = designed(write_adult(tmp_path, reference_data, participation=participation))
    now = Attacker(made.specification, made.model, admits_bounds)
    before = Attacker(as_before(made), made.model, admits_exact)
    level_of_age = {vector[0]: level for vector, level in people_of(made.model)}
    everybody = list(people_of(made.model))
    labels = dict(zip(map(tuple, made.model.X.tolist()), made.labels.tolist(), strict=True))
    told = set()
    for target in everybody:
        home = labels[target[0]]
        if not admits_bounds(made.specification, made.model, home, now.cells[home].moved(target, -1)):
            told.add(home)
    assert told == set()
    for target in everybody[::2000]:
        for index in range(len(made.model.attributes)):
            vectors = one_attribute(made.model, target[0], index)
            candidates = [(vector, level_of_age[vector[0]]) for vector in vectors]
            assert now.left(target, candidates) == candidates
            assert before.left(target, candidates) == [target]
