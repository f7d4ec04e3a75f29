"""A promise that holds only if everybody decides alone: couples, a strike, a correlation forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shared.participation import Dependence
from shared.soundness import Examination, Line
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, sign, small_model, small_specification
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import altered, fragment_of

PEOPLE, K, ACCEPTABLE = 25, 3, 0.001
"""Of each cell of the small survey, which says that a cell fails in one survey of a thousand."""


def couples_fail() -> float:
    """P{0 < K < 3} of twelve couples and one person alone: she comes alone, or one couple without her."""
    return 13 * 0.5**13


def strike_fails(cells: int = 200_000) -> float:
    """Share of cells with 0 < K < 3 if each has a chance of its own, of mean 0.5 and correlation 0.05."""
    generator = np.random.default_rng(11)
    K_c = generator.binomial(PEOPLE, generator.beta(9.5, 9.5, cells))
    return float(np.count_nonzero((K_c > 0) & (K_c < K)) / cells)


def examined(payload: bytes | Specification) -> Examination:
    """As a device does, with everything else in order."""
    data = payload if isinstance(payload, bytes) else payload.to_bytes()
    envelope = sign(data, ORGANIZER_KEY)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope), small_model())


def refusal(payload: bytes | Specification) -> Line:
    """The first refused check."""
    line = examined(payload).refusal
    assert line is not None
    return line


def stating(**values: Any) -> Callable[[dict[str, Any]], None]:
    """Say something about participation and leave n_min as it was for people who decide alone."""
    return lambda document: document["participation"].update(values)


def test_couples_and_strikes_break_the_promise_of_people_who_decide_alone() -> None:
    """The survey as it was signed before: sound, and wrong. It can no longer be silent about it."""
    promised = float(examined(small_specification()).metrics[0].attained_cell_failure)
    assert promised < 1e-5 < ACCEPTABLE < couples_fail()
    assert strike_fails() > ACCEPTABLE
    for name in ("correlation", "household_size"):
        silent = altered(small_specification(), lambda d, name=name: d["participation"].pop(name))
        assert refusal(silent).code == "check.form"


@pytest.mark.parametrize("stated", [{"household_size": 2}, {"correlation": "0.05"}])
def test_who_states_it_needs_larger_cells(stated: dict[str, Any]) -> None:
    lines = examined(altered(small_specification(), stating(**stated))).lines
    assert [line.code for line in lines if line.outcome == "refused"] == ["check.n-min", "check.cell-failure"]


def test_what_can_be_promised_to_couples_is_kept() -> None:
    honest = small_specification(dependence=Dependence(household_size=2), failure="0.005")
    promised = float(examined(honest).sound().metrics[0].attained_cell_failure)
    assert couples_fail() <= promised <= 0.005


def test_n_min_of_the_other_model_is_refused_on_either_side() -> None:
    """A correlation is stated and n_min ignores it; or n_min allows for one that is not stated."""
    ignoring = altered(small_specification(), stating(correlation="0.02"))
    assert refusal(ignoring).code == "check.n-min"
    withdrawn = altered(
        small_specification(dependence=Dependence(correlation="0.02")), stating(correlation="0")
    )
    assert refusal(withdrawn).code == "check.n-min"


@pytest.mark.parametrize("correlation", ["0.21", "0.5", "0.99", "1", "-0.1", "0.0000001", "nan"])
def test_a_correlation_that_makes_cells_look_safe_is_refused(correlation: str) -> None:
    """With 0.99 a cell of three people fails in 1.5 % of surveys only: everybody comes, or nobody."""
    line = refusal(altered(small_specification(), stating(correlation=correlation)))
    assert (line.code, line.error.where if line.error else "") == ("check.form", "participation.correlation")


def test_a_correlation_that_is_too_strong_for_the_participation_is_refused() -> None:
    def change(document: dict[str, Any]) -> None:
        document["participation"].update(correlation="0.1", levels=[{"low": "0.05", "high": "0.05"}])

    line = refusal(altered(small_specification(), change))
    assert (line.code, line.error.where if line.error else "") == ("check.form", "participation.correlation")
