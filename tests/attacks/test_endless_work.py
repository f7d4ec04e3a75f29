"""A document that is small and valid in form, but would keep its reader busy for hours."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import pytest

from shared.checks import failure_work
from shared.effective_anonymity import n_min, n_min_safe
from shared.errors import EnvelopeError, SpecificationError
from shared.limits import MAX_FAILURE_WORK
from shared.participation import Dependence, ParticipationLevel
from shared.specification import Specification
from shared.strict_json import loads
from tests.builders import ORGANIZER_KEY, sign, small_specification
from tests.shared.examining import examine_bytes
from tests.vectors.surveys import altered, fragment_of, uneven_survey

CPU_SECONDS = 8.0


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < CPU_SECONDS


def test_a_million_keys_of_which_the_last_stands_twice() -> None:
    keys = ",".join(f'"{i}":0' for i in range(400_000))
    with pytest.raises(SpecificationError, match="the key '399999' stands twice"):
        loads(f'{{{keys},"399999":0}}'.encode(), error=SpecificationError, where="document", max_bytes=10**7)


@pytest.mark.parametrize("text", ['"' + '\\"' * 100_000, "[" + '"\\' * 100_000])
def test_a_text_that_never_ends(text: str) -> None:
    with pytest.raises(SpecificationError, match="not JSON"):
        loads(text.encode(), error=SpecificationError, where="document", max_bytes=10**7)


def test_a_long_envelope_of_nothing() -> None:
    data = b'{"payload":"' + b"A" * 10_000_000 + b'","payloadType":"x","signatures":[]}'
    refusal = examine_bytes(data, "").refusal
    assert refusal is not None
    assert isinstance(refusal.error, EnvelopeError)


@pytest.mark.parametrize(
    ("k", "low", "high", "failure"),
    [
        (2, "1e-9", "1e-9", "0.9"),
        (2, "1e-9", "0.9", "0.5"),
        (1000, "0.0001", "0.0001", "0.9"),
        (1000, "0.0001", "0.9", "0.999"),
        (1000, "1e-6", "0.5", "1e-300"),
        (1000, "0.999999", "1", "1e-300"),
    ],
)
def test_parameters_that_need_many_people(k: int, low: str, high: str, failure: str) -> None:
    level = ParticipationLevel(low=low, high=high)
    assert k <= n_min(k, level, failure) <= n_min_safe(k, level, failure) <= 10**10


@pytest.mark.parametrize(
    ("k", "low", "high", "correlation", "size"),
    [
        (1000, "0.25", "0.95", "0.2", 1),
        (1000, "0.001", "0.95", "0.000001", 1),
        (2, "0.25", "0.95", "0.2", 1),
        (1000, "0.001", "0.001", "0.0009", 20),
    ],
)
def test_people_who_decide_together_in_large_cells(
    k: int, low: str, high: str, correlation: str, size: int
) -> None:
    level = ParticipationLevel(low=low, high=high)
    dependence = Dependence(correlation=correlation, household_size=size)
    dependence.check((level,))
    with contextlib.suppress(ValueError):  # no cell may be large enough; what counts is the time
        assert k <= n_min_safe(k, level, "0.001", dependence) <= 10**10


def test_cells_of_all_sizes_whose_worst_participation_must_be_searched() -> None:
    """Two thousand different cells, a range and a correlation: refused before any of it is computed."""

    def change(document: dict[str, dict[str, object]]) -> None:
        levels = [{"low": "0.3", "high": "0.6"}]
        document["participation"].update(levels=levels, correlation="0.01")

    specification = Specification.parse(altered(small_specification(), change))
    rows = {(n,) for n in range(30, 2030)}
    assert failure_work(specification, rows) > MAX_FAILURE_WORK > failure_work(specification, {(30,)})
    even = small_specification(dependence=Dependence(correlation="0.01"))
    assert failure_work(even, rows) < MAX_FAILURE_WORK


def test_generating_functions_count_as_work() -> None:
    specification, _ = uneven_survey(dependence=Dependence(correlation="0.005"), failure="0.01")
    alone, _ = uneven_survey()
    households, _ = uneven_survey(dependence=Dependence(household_size=2), failure="0.01")
    rows = {(n, n + 1) for n in range(30, 530)}
    work = [failure_work(s, rows) for s in (alone, households, specification)]
    assert work == sorted(work)
    assert work[2] - work[1] > 500 * 2 * 38_000 - 10**6


@pytest.mark.parametrize("failure", ["0.9", "0.5", "1e-300"])
def test_a_signed_specification_with_such_parameters_is_refused_in_time(failure: str) -> None:
    def change(document: dict[str, dict[str, object]]) -> None:
        document["anonymity"].update(k=1000, acceptable_cell_failure=failure)
        document["release"].update(minimum=1000)
        document["participation"].update(levels=[{"low": "1e-9", "high": "1e-9"}])

    envelope = sign(altered(small_specification(), change), ORGANIZER_KEY)
    refusal = examine_bytes(envelope.to_bytes(), fragment_of(envelope)).refusal
    assert refusal is not None
    assert refusal.code == "check.floor"
