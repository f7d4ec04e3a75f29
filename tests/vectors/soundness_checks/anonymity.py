"""Checks 5, 6 and 7: the floor, n_min, and the failure of each cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shared.participation import Dependence, ParticipationLevel
from shared.specification import Specification
from tests.builders import register_cells, small_cells, small_model, small_specification
from tests.invited import invited, invited_specification
from tests.vectors.soundness_checks.making import Change, claimed, signed, vector
from tests.vectors.surveys import SoundnessVector, altered, register, uneven_survey


def floor() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, specification: Specification) -> SoundnessVector:
        return vector(name, comment, "check.floor", signed(specification), number=5, model=small_model())

    yield refused("k-too-small", "k = 2, consistently.", small_specification(k=2))
    yield refused(
        "acceptable-failure-too-large",
        "One cell in twenty may fail, consistently.",
        small_specification(failure="0.05"),
    )
    yield refused(
        "participation-certain",
        "Everybody is claimed to take part, which makes cells of k people look safe.",
        small_specification(levels=(ParticipationLevel(low="1", high="1"),)),
    )
    yield refused(
        "participation-range-reaches-certainty",
        "A range of participation up to 0.99.",
        small_specification(levels=(ParticipationLevel(low="0.5", high="0.99"),)),
    )
    yield refused(
        "participation-claimed-without-source",
        "A participation of 0.9 is claimed, and nothing is said about where the figure comes from.",
        claimed("0.9", None),
    )
    yield refused(
        "participation-hardly-any",
        "Participation so low that cells are safe by being empty.",
        small_specification(levels=(ParticipationLevel(low="0.0001", high="0.0001"),)),
    )


def n_min() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, payload: bytes, model: bytes | None = None) -> SoundnessVector:
        return vector(name, comment, "check.n-min", signed(payload), number=6, model=model or small_model())

    honest = small_specification()

    def claims(**values: list[int]) -> Change:
        return lambda d: d["anonymity"].update(values)

    yield refused(
        "n-min-too-small",
        "n_min 17 where 18 are needed.",
        altered(honest, claims(n_min=[17], n_min_safe=[17])),
    )
    yield refused("n-min-too-large", "n_min 19 where 18 suffice.", altered(honest, claims(n_min=[19])))
    yield refused(
        "k-weakened",
        "k lowered from 4 to 3 without computing n_min again.",
        altered(small_specification(k=4), lambda d: d["anonymity"].update(k=3)),
    )
    rare = small_specification(levels=(ParticipationLevel(low="0.003", high="0.003"),), failure="0.01")
    assert rare.n_min[0] < rare.n_min_safe[0]
    yield refused(
        "low-participation-trap",
        "n_min is 3 because cells so small are usually empty; n_min_safe is claimed to be 3 too.",
        altered(rare, claims(n_min_safe=list(rare.n_min))),
    )
    yield refused(
        "n-min-of-people-who-decide-alone",
        "A correlation is stated, and n_min is that of people who decide alone.",
        altered(honest, lambda d: d["participation"].update(correlation="0.02")),
    )
    yield refused(
        "correlation-withdrawn",
        "n_min was computed for a correlation that is no longer stated: one side forgot it.",
        altered(
            small_specification(dependence=Dependence(correlation="0.02")),
            lambda d: d["participation"].update(correlation="0"),
        ),
    )
    uneven, uneven_model = uneven_survey()
    yield refused(
        "n-min-levels-swapped",
        "n_min of two levels of participation in the wrong order.",
        altered(uneven, lambda d: d["anonymity"]["n_min"].reverse()),
        uneven_model,
    )


def cell_failure() -> Iterator[SoundnessVector]:
    def refused(name: str, comment: str, specification: Specification, **more: Any) -> SoundnessVector:
        more.setdefault("model", small_model())
        return vector(name, comment, "check.cell-failure", signed(specification), number=7, **more)

    cells = small_cells()
    sites = ((20, 0, 10), *cells.sites[1:])
    yield refused(
        "cell-too-small",
        "An offset of the power diagram leaves 7 people in a cell; it fails in one of five surveys.",
        small_specification(cells=replace(cells, sites=sites, offsets=(90_000, *cells.offsets[1:]))),
    )
    yield refused(
        "cell-fails-within-range",
        "Cells of 25 are acceptable at the high end of participation, not at the low end.",
        small_specification(levels=(ParticipationLevel(low="0.3", high="0.6"),)),
    )
    yield refused(
        "cell-too-small-for-couples",
        "25 people are enough if they decide alone, and too few if couples decide together.",
        small_specification(dependence=Dependence(household_size=2)),
    )
    yield refused(
        "cell-too-small-for-a-strike",
        "25 people are enough if they decide alone, and too few for a correlation of 0.05.",
        small_specification(dependence=Dependence(correlation="0.05")),
    )
    uneven, uneven_model = uneven_survey(failure="1e-6")
    yield refused(
        "uneven-cell-too-small",
        "A cell of 12 people at 0.4 and 15 at 0.6 fails more often than once in a million.",
        uneven,
        model=uneven_model,
    )
    small = register(replace(cells, sites=sites, offsets=(90_000, *cells.offsets[1:])))
    yield refused("register-cell-too-small", "The same in a register.", small, model=None)
    sites = tuple((10 * middle, 10 * f, 10 * (1 - f)) for middle in range(2, 100, 5) for f in (0, 1))
    lonely = small_specification(
        cells=replace(small_cells(), sites=sites, offsets=(0,) * len(sites)),
        k=10,
        failure="0.01",
        levels=(ParticipationLevel(low="0.001", high="0.001"),),
    )
    yield refused(
        "cell-safe-by-being-empty",
        "At low participation a cell of 5 hardly ever fails, but whoever does answer from it is alone.",
        lonely,
    )
    promised = register(register_cells())
    yield refused(
        "register-smaller-than-its-cells",
        "Eight cells of at least 18 people, which is 144, of a register of 130.",
        replace(promised, model=replace(promised.model, people=130)),
        model=None,
    )
    yield refused(
        "fewer-invitations-than-answers",
        "Eight cells of 25 are counted on for half, which is 100 answers; 99 people are invited.",
        invited_specification(invited=invited(people=99)),
    )
