"""Ten checks, each with its own code."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shared.checks
from shared.attributes import Numeric
from shared.cells import Boxes
from shared.checks import CODES, MODEL, Floor
from shared.effective_anonymity import cell_failure
from shared.envelope import Envelope, encode_key
from shared.errors import SoundnessError
from shared.invitation import Invitation
from shared.participation import Dependence, ParticipationLevel
from shared.register import map_centroids
from shared.soundness import Examination, Line, examine, refused_envelope
from shared.specification import Specification
from shared.strict_json import dumps
from shared.words import digest_words
from tests.builders import (
    AUDITOR_KEY,
    ORGANIZER_KEY,
    age,
    both,
    public_bytes,
    register_cells,
    sex,
    sign,
    small_cells,
    small_model,
    small_specification,
)
from tests.invited import invited, invited_specification
from tests.shared.examining import examine_bytes, outcomes
from tests.vectors.generate import FOLDER
from tests.vectors.surveys import altered, fragment_of, register, small_boxes, uneven_survey

VECTORS = {p.stem: json.loads(p.read_text("utf-8")) for p in sorted(FOLDER.glob("soundness/*.json"))}
SMALL = small_specification()


def examined(specification: Specification | bytes, floor: Floor | None = None) -> Examination:
    """With an honest invitation, and without a model."""
    payload = specification if isinstance(specification, bytes) else specification.to_bytes()
    envelope = sign(payload, ORGANIZER_KEY)
    return examine_bytes(envelope.to_bytes(), fragment_of(envelope), None, floor)


@pytest.mark.parametrize("name", VECTORS)
def test_committed_vectors(name: str) -> None:
    vector = VECTORS[name]
    model = vector["model"]
    examination = examine_bytes(
        vector["envelope"].encode("utf-8"),
        vector["invitation"],
        None if model is None else model.encode("utf-8"),
    )
    assert [line.number for line in examination.lines] == list(range(1, 12))
    assert [line.code for line in examination.lines] == list(CODES)
    if vector["check"] is None:
        assert examination.refusal is None
        sound = examination.sound()
        assert len(sound.metrics) == sound.specification.cells.count
        assert {line.outcome for line in examination.lines} <= {"passed", "not-applicable"}
        return
    assert examination.refusal is not None
    assert examination.refusal.code == vector["check"]
    with pytest.raises(SoundnessError) as caught:
        examination.sound(compared=True)
    assert caught.value.code == vector["check"]
    assert caught.value.message
    assert caught.value.expected


def test_figures_that_a_respondent_reads() -> None:
    data = sign(SMALL.to_bytes(), ORGANIZER_KEY, AUDITOR_KEY)
    examination = examine_bytes(data.to_bytes(), fragment_of(data), small_model())
    digest = examination.sound().digest
    key = public_bytes(ORGANIZER_KEY)
    figures = {line.code: line.figures for line in examination.lines}
    assert figures["check.signature"] == {
        "key": encode_key(key),
        "words": digest_words(key.hex()),
        "auditors": "1",
    }
    assert figures["check.digest"] == {"words": digest_words(digest), "digest": digest}
    assert figures["check.form"] == {"bytes": str(len(SMALL.to_bytes()))}
    # 990^2 for the age, and twice 5000 * 10^2 for the sex
    assert figures["check.distance"] == {"largest": str(990**2 + 2 * 5000 * 100)}
    assert figures["check.floor"] == {"k": "3", "failure": "0.001", "participation": "50"}
    assert figures["check.n-min"] == {"n_min": "18", "n_min_safe": "18"}
    # 25 people at 0.5, k = 3: qbar = (25 + 300) / 2^25, rbar' = (25 + 600) / 2^25 / 12.5; at half of 0.5,
    # fewer than two of the 24 others take part with 0.75^24 + 24 * 0.25 * 0.75^23
    assert figures["check.cell-failure"] == {
        "cells": "8",
        "smallest": "25",
        "largest": "25",
        "worst_failure": "9.69e-6",
        "worst_unprotected": "1.49e-6",
        "table_failure": "7.75e-5",
        "half_unprotected": "9.03e-3",
    }
    assert figures["check.model-shape"] == {"kind": "public", "shape": "power-diagram", "people": "200"}
    assert figures["check.questions"] == {"attributes": "2", "questions": "6", "free_text": "no"}
    assert figures["check.model"] == {"people": "200", "cells": "8"}


def test_figures_of_cells_of_different_size() -> None:
    cells = replace(small_cells(), offsets=(0, 30_000, *small_cells().offsets[2:]))
    specification = small_specification(cells=cells)
    sizes = [people for (people,) in specification.eligible]
    assert len(set(sizes)) > 2
    figures = examined(specification).lines[6].figures
    assert (figures["smallest"], figures["largest"]) == (str(min(sizes)), str(max(sizes)))
    worst = cell_failure((min(sizes),), ("0.5",), 3)
    assert figures["worst_failure"] == f"{worst.attained_cell_failure:.2e}"
    assert figures["worst_unprotected"] == f"{worst.record_failure_given_participation:.2e}"


def test_a_cell_that_fails_exactly_as_often_as_acceptable_passes() -> None:
    """25 people at 0.5, k = 3: qbar = 325 / 2^25, a decimal of 25 places."""
    exact = "0.0000096857547760009765625"
    for failure, outcome in ((exact, "passed"), (exact[:-1] + "4", "refused")):
        assert examined(small_specification(failure=failure)).lines[6].outcome == outcome


def test_one_small_cell_of_a_register_is_enough_to_refuse() -> None:
    """At a participation of 0.001 two people seldom fail, but one who answers is alone."""
    rare = (ParticipationLevel(low="0.001", high="0.001"),)
    cells = replace(small_cells(), sites=((0, 0, 10), (370, 0, 10)), offsets=(130_000, 0))
    specification = register(cells, levels=rare, failure="0.01")
    sizes = [people for (people,) in specification.eligible]
    assert min(sizes) < 3 < max(sizes)
    line = examined(specification).lines[6]
    assert line.outcome == "refused"
    assert f"of {min(sizes)} people fails too often" in str(line.error)


def test_an_invitation_that_says_nothing_asks_to_compare_words() -> None:
    envelope = sign(register(register_cells()).to_bytes(), ORGANIZER_KEY)
    examination = examine_bytes(envelope.to_bytes(), "")
    assert [line.outcome for line in examination.lines[:2]] == ["compare", "compare"]
    assert examination.must_compare
    with pytest.raises(SoundnessError, match="still open") as caught:
        examination.sound()
    assert caught.value.code == "check.signature"
    assert examination.sound(compared=True).specification.model.kind == "register"


@pytest.mark.parametrize("part", ["digest", "key"])
def test_half_an_invitation(part: str) -> None:
    envelope = sign(register(register_cells()).to_bytes(), ORGANIZER_KEY)
    digest, _, key = fragment_of(envelope).partition(".")
    examination = examine_bytes(envelope.to_bytes(), digest if part == "digest" else "." + key)
    pinned = ["passed", "passed"] if part == "digest" else ["passed", "compare"]
    assert [line.outcome for line in examination.lines[:2]] == pinned
    assert examination.must_compare is (part == "key")


def test_a_public_model_has_to_be_recounted() -> None:
    examination = examined(SMALL)
    assert examination.must_recount
    assert examination.line(MODEL).outcome == "not-run"
    with pytest.raises(SoundnessError, match="still open") as caught:
        examination.sound(compared=True)
    assert caught.value.code == "check.model"


def test_everything_that_is_wrong_is_shown() -> None:
    def weaken(document: dict[str, Any]) -> None:
        document["anonymity"].update(k=2, n_min=[99])
        document["weights"][0] = 2**40
        document["questionnaire"]["pages"][0]["elements"][0]["name"] = "age"

    examination = examined(altered(SMALL, weaken))
    refused = [line.code for line in examination.lines if line.outcome == "refused"]
    assert refused == ["check.distance", "check.floor", "check.n-min", "check.questions", "check.length"]
    assert not examination.must_recount


def test_nothing_is_examined_after_a_broken_signature() -> None:
    envelope = sign(SMALL.to_bytes(), ORGANIZER_KEY)
    examination = examine(envelope, [False], Invitation(digest=None, organizer_key=None))
    assert [line.outcome for line in examination.lines] == ["refused"] + ["not-run"] * 10
    assert examination.specification is None
    assert examination.verified is None


def test_a_questionnaire_outside_the_whitelist_is_blamed_on_check_9() -> None:
    examination = examined(altered(SMALL, lambda d: d["questionnaire"]["pages"][0].update(visibleIf="true")))
    assert [line.outcome for line in examination.lines][2:] == ["not-run"] * 6 + [
        "refused",
        "not-run",
        "not-run",
    ]
    with pytest.raises(SoundnessError) as caught:
        examination.sound(compared=True)
    assert caught.value.code == "check.questions"


def test_a_refused_line_without_an_error_does_not_pass() -> None:
    examination = examined(register(register_cells()))
    line = replace(examination.lines[4], outcome="refused")
    with pytest.raises(SoundnessError, match="the check was refused") as caught:
        examination.with_line(line).sound()
    assert caught.value.code == "check.floor"


def test_nothing_examined_is_nothing_sound() -> None:
    lines = tuple(Line(number=i + 1, code=code, outcome="passed") for i, code in enumerate(CODES))
    with pytest.raises(SoundnessError, match="nothing was examined"):
        Examination(lines=lines, verified=None, specification=None).sound()
    assert refused_envelope(SoundnessError("x")).refusal is not None


@pytest.mark.parametrize(
    ("floor", "where"),
    [
        (Floor(k=4), "k"),
        (Floor(cell_failure="0.0009"), "acceptable_cell_failure"),
        (Floor(lowest_participation="0.51"), "participation"),
        (Floor(highest_participation="0.49"), "participation"),
        (Floor(k=3, cell_failure="0.001", lowest_participation="0.5", highest_participation="0.5"), None),
    ],
)
def test_floor_of_the_client(floor: Floor, where: str | None) -> None:
    line = examined(SMALL, floor).lines[4]
    if where is None:
        assert line.outcome == "passed"
    else:
        assert line.outcome == "refused"
        assert line.error is not None
        assert line.error.where == where


def test_a_claim_for_which_nobody_is_enough_is_refused() -> None:
    rare = altered(SMALL, lambda d: d["participation"].update(levels=[{"low": "1e-12", "high": "1e-12"}]))
    line = examined(rare).lines[5]
    assert (line.outcome, line.code) == ("refused", "check.n-min")
    assert "no cell of up to 10^10 people is safe" in str(line.error)


def test_exact_bound_is_exclusive() -> None:
    cells = small_cells()
    largest = cells.largest_value(SMALL.coordinate_ranges)
    for offset, outcome in ((2**53 - largest - 1, "passed"), (2**53 - largest, "refused")):
        document = SMALL.to_object()
        document["cells"]["offsets"][7] = -offset
        line = examined(dumps(document)).lines[3]
        assert line.outcome == outcome


def test_uneven_participation_is_computed_from_the_counts_of_each_level() -> None:
    specification, _ = uneven_survey()
    assert examined(specification).lines[6].figures["smallest"] == "27"
    assert len(examined(specification).metrics) == 8


@pytest.mark.parametrize(("people", "outcome"), [(99, "refused"), (100, "passed")])
def test_nobody_can_expect_more_answers_than_invitations(people: int, outcome: str) -> None:
    """The 200 people of the model answer with probability 0.5, so 100 of them are expected."""
    line = examined(invited_specification(invited=invited(people=people))).lines[6]
    assert line.outcome == outcome
    assert line.error is None or line.error.where == "invited.people"


def test_free_text_with_permission() -> None:
    question = {"type": "comment", "name": "remarks", "title": both("Remarks")}
    specification = small_specification(questionnaire={"pages": [{"elements": [question]}]})
    allowed = altered(specification, lambda d: d["permissions"].update(free_text=True))
    assert examined(allowed).lines[8].figures["free_text"] == "yes"
    assert examined(specification).lines[8].outcome == "refused"


@pytest.mark.parametrize("name", ["age", "AGE", "Sex"])
def test_a_question_for_a_quasi_identifier_is_refused_whatever_its_capitals(name: str) -> None:
    asks = small_specification(questionnaire={"pages": [{"elements": [{"type": "boolean", "name": name}]}]})
    assert examined(asks).lines[8].outcome == "refused"


def test_more_boxes_than_can_be_compared_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.checks, "MAX_BOXES_TO_COMPARE", 7)
    line = examined(register(small_boxes())).lines[7]
    assert line.outcome == "refused"
    assert "at most 7 boxes" in str(line.error)


def test_boxes_over_a_long_table_are_refused_before_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four bands and two one-hot pairs: 8 looks for 84 comparisons of pairs."""
    monkeypatch.setattr(shared.checks, "MAX_TILING_WORK", 84)
    assert examined(register(small_boxes())).lines[7].outcome == "passed"
    monkeypatch.setattr(Numeric, "counting_steps", 85)
    line = examined(register(small_boxes())).lines[7]
    assert line.outcome == "refused"
    assert "boxes over the table of 'age'" in str(line.error)


BAND = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda ends: (min(ends), max(ends)))
ONE_HOT = st.sampled_from(((0, 0), (0, 1), (1, 1)))


@settings(max_examples=60)
@given(st.lists(st.tuples(BAND, ONE_HOT, ONE_HOT), min_size=1, max_size=4))
def test_boxes_of_a_register_tile_the_domain_exactly_if_every_answer_is_in_one(boxes: list[Any]) -> None:
    domain = [(a, f, 1 - f) for a, f in itertools.product(range(10), (0, 1))]
    tiles = all(
        sum(all(low <= c <= high for c, (low, high) in zip(x, box)) for box in boxes) == 1 for x in domain
    )
    assert tiled(boxes) is tiles


@pytest.mark.parametrize("cuts", [(4,), (0, 8), (2, 5), ()])
def test_bands_that_tile_the_domain(cuts: tuple[int, ...]) -> None:
    edges = [-1, *cuts, 9]
    bands = [(a + 1, b) for a, b in itertools.pairwise(edges)]
    assert tiled([(band, sexes, sexes) for band in bands for sexes in ((0, 1),)])
    assert tiled([(band, (f, f), (1 - f, 1 - f)) for band in bands for f in (0, 1)])


def tiled(boxes: list[Any]) -> bool:
    """Whether check 8 accepts the boxes, for ages 0 to 9 and two sexes."""

    def change(document: dict[str, Any]) -> None:
        document["attributes"][0].update(maximum="9")
        cells = Boxes(weights=(1, 1, 1), boxes=tuple(boxes))
        document["cells"] = cells.to_object()
        document["eligible"] = [[18]] * len(boxes)
        document["centroids"] = list(map(list, map_centroids(cells, (age(maximum="9"), sex()))))
        document["release"]["row"] = list(range(len(boxes)))

    line = examined(altered(register(register_cells()), change)).lines[7]
    assert line.outcome in ("passed", "refused")
    return line.outcome == "passed"


def test_envelopes_that_cannot_be_read_refuse_check_1() -> None:
    examination = examine_bytes(b"{}", "")
    assert examination.refusal is not None
    assert examination.refusal.number == 1


def test_outcomes_are_those_of_the_platform() -> None:
    envelope = Envelope.parse(sign(b"x", ORGANIZER_KEY, AUDITOR_KEY).to_bytes())
    assert outcomes(envelope) == [True, True]


def test_more_work_than_a_device_should_do_is_refused_before_it_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared.checks, "MAX_FAILURE_WORK", 8)
    line = examined(small_specification()).lines[6]
    assert line.outcome == "refused"
    assert "at most 8, not 9" in str(line.error)


@pytest.mark.parametrize(
    ("dependence", "kind"),
    [
        (Dependence(correlation="0.005"), "correlation"),
        (Dependence(household_size=2), "households"),
        (Dependence(correlation="0.005", household_size=2), "together"),
    ],
)
def test_what_the_needed_number_allows_for_is_said(dependence: Dependence, kind: str) -> None:
    figures = examined(small_specification(dependence=dependence, failure="0.01")).lines[5].figures
    assert figures["kind"] == kind
    assert figures["correlation"] == dependence.correlation
    assert figures["household_size"] == str(dependence.household_size)
