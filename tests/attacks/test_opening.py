"""Whoever brings the trustees something else than the closed survey gets a named refusal and no answer.

The collector, the organizer or both are the attacker; the trustees' tool and ledger are honest. In every case
the ledger stays as it was, so that a refused attempt does not stand in the way of the honest opening.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shamir_mnemonic.share import Share as LibraryShare

from server.keys.sealing import OpeningKey
from server.release.trustees.ledger import new_ledger
from server.release.trustees.shares import parse_share, split_secret
from shared.declarations import ReleaseRule
from shared.errors import RoomfulError
from shared.invitation import Invitation
from shared.verification.files import BALLOTS_FILE, CHECKPOINT_FILE, SPECIFICATION_FILE
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, public_bytes, sign
from tests.invited import sign_ballot
from tests.sealed_surveys import SECRET, SealedSurvey, copied, moved, sealed_specification, shares


@pytest.fixture
def survey(tmp_path: Path) -> SealedSurvey:
    """Five full cells and two small ones."""
    return SealedSurvey(tmp_path).fill(3, 4, 5, 2, 2)


def refused(
    survey: SealedSurvey,
    attempt: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
    *,
    stated: bool = False,
) -> str:
    """The code of a refusal before which nothing was decrypted, and nothing stated, unless that was right."""

    def never(*_: object) -> bytes:
        raise AssertionError("a box was decrypted")

    before = survey.ledger().read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(OpeningKey, "open", never)
        with pytest.raises(RoomfulError) as caught:
            attempt()
    assert stated or survey.ledger().read_bytes() == before
    assert caught.value.remedy or caught.value.expected
    return caught.value.code


# A box of k - 1


def test_a_box_of_k_minus_1_stays_sealed(survey: SealedSurvey) -> None:
    report = survey.open()
    opened = {cell for group in report.answers.groups for cell in group.cells}
    assert opened == {0, 1, 2}
    assert report.answers.withheld == 4


def test_a_survey_of_k_minus_1_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    survey = SealedSurvey(tmp_path).fill(2)
    assert refused(survey, survey.open, monkeypatch) == "release"


def test_a_lower_minimum_than_the_signed_one_is_another_survey(
    survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = survey.write()
    weak = replace(survey.specification, retention_days=survey.specification.retention_days + 1)
    (export / SPECIFICATION_FILE).write_bytes(sign(weak.to_bytes(), ORGANIZER_KEY).to_bytes())
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "check.digest"


def test_filling_a_cell_with_a_moved_ballot_opens_no_smaller_group(tmp_path: Path) -> None:
    """Collector and organizer put a ballot of another cell beside two: its box does not open there."""
    survey = SealedSurvey(tmp_path).fill(2, 5, 5, 5)
    survey.ballots[2] = moved(survey, survey.ballots[2], 0)
    report = survey.open()
    opened = {cell for group in report.answers.groups for cell in group.cells}
    assert 0 not in opened
    assert report.invalid == {"ballot.sealed": 1}
    assert report.answers.withheld >= 3


def test_a_box_copied_under_another_token_opens_nothing(tmp_path: Path) -> None:
    """The collector and some invited people copy her box: were it opened with each of their tokens, her
    answers would be those that stand in the table once more than the copies."""
    survey = SealedSurvey(tmp_path).fill(5, 5, 5)
    hers = survey.ballots[0]
    survey.ballots += [copied(survey, hers, survey.ballot(hers.cell)) for _ in range(3)]
    report = survey.open()
    assert report.invalid == {"ballot.sealed": 3}
    assert [len(group.answers) for group in report.answers.groups] == [5, 5, 5]


# Differencing


@pytest.mark.parametrize(
    "change", ["one more", "one less", "one exchanged", "another box for one token", "no token in common"]
)
def test_any_second_set_of_a_survey(
    survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    survey.open()
    ballots = list(survey.ballots)
    if change == "no token in common":
        ballots = [survey.ballot(0) for _ in range(4)]
    elif change != "one more":
        gone = ballots.pop()
    if change in ("one more", "one exchanged"):
        ballots.append(survey.ballot(0))
    if change == "another box for one token":
        ballots.append(sign_ballot(survey.digest, replace(gone, box=survey.ballot(gone.cell).box)))
    export = survey.write("again", ballots=ballots, signed=ballots)
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "opening.second-set"


def test_boxes_under_fresh_tokens_do_not_open_even_with_new_ledgers(
    survey: SealedSurvey,
) -> None:
    """The registrar signs fresh tokens for old boxes, and every ledger is a new one: the boxes stay shut."""
    survey.open()
    for number in (1, 2, 3):
        survey.ledger(number).unlink()
    ballots = [copied(survey, ballot, survey.ballot(ballot.cell)) for ballot in survey.ballots[1:]]
    export = survey.write("again", ballots=ballots, signed=ballots)
    with pytest.raises(RoomfulError) as caught:
        survey.open(export)
    assert caught.value.code == "release"


def test_an_altered_ledger(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    survey.open()
    export = survey.folder / "export"
    lines = survey.ledger().read_bytes().splitlines(keepends=True)
    for data in (
        lines[0] + lines[1].replace(b'"root":"', b'"root":"0')[:-2] + b"\n",
        lines[0] + lines[1].replace(b'"before":"', b'"before":"' + b"0" * 64)[: len(lines[1])],
        lines[0] + lines[1][:-1],
        lines[1],
        b"",
        b"\n",
        new_ledger(bytes(32)),
        b"\xff\xff\n",
    ):
        survey.ledger().write_bytes(data)
        assert refused(survey, lambda: survey.state(export), monkeypatch) == "opening.ledger"


def test_no_ledger(survey: SealedSurvey) -> None:
    with pytest.raises(RoomfulError) as caught:
        survey.state(survey.write(), ledger=survey.folder / "none.jsonl")
    assert caught.value.code == "opening.ledger"


# A tampered export


def _removed(survey: SealedSurvey) -> Path:
    return survey.write(ballots=survey.ballots[1:])


def _added(survey: SealedSurvey) -> Path:
    return survey.write(ballots=[*survey.ballots, survey.ballot(0)], signed=survey.ballots)


def _exchanged(survey: SealedSurvey) -> Path:
    return survey.write(ballots=[*survey.ballots[1:], survey.ballot(0)], signed=survey.ballots)


def _cell_swapped(survey: SealedSurvey) -> Path:
    return survey.write(
        ballots=[moved(survey, survey.ballots[0], 1), *survey.ballots[1:]], signed=survey.ballots
    )


def _twice(survey: SealedSurvey) -> Path:
    return survey.write(ballots=[survey.ballots[0], *survey.ballots], signed=survey.ballots)


def _out_of_order(survey: SealedSurvey) -> Path:
    ballots = sorted(survey.ballots, key=lambda ballot: ballot.receipt, reverse=True)
    return survey.write(ballots=ballots, in_order=False)


def _edited(change: Callable[[bytes], bytes], name: str = BALLOTS_FILE) -> Callable[[SealedSurvey], Path]:
    def write(survey: SealedSurvey) -> Path:
        export = survey.write()
        path = export / name
        path.write_bytes(change(path.read_bytes()))
        return export

    return write


EXPORTS: dict[str, Callable[[SealedSurvey], Path]] = {
    "a ballot is removed": _removed,
    "a ballot is added": _added,
    "a ballot is exchanged": _exchanged,
    "a ballot is under another cell": _cell_swapped,
    "a ballot stands twice": _twice,
    "the order is another": _out_of_order,
    "a bit of a box is flipped": _edited(lambda data: data[:-1] + bytes([data[-1] ^ 1])),
    "the file is cut": _edited(lambda data: data[:-1]),
    "the file ends in a length": _edited(lambda data: data + b"\x00\x00"),
    "a length is absurd": _edited(lambda data: b"\xff\xff\xff\xff" + data[4:]),
    "a ballot is empty": _edited(lambda data: b"\x00\x00\x00\x00" + data),
    "the file is empty": _edited(lambda _: b""),
    "the file is noise": _edited(lambda data: bytes(reversed(data))),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_tampered_export(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    export = EXPORTS[name](survey)
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "opening.export"


def test_a_missing_file(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (BALLOTS_FILE, CHECKPOINT_FILE, SPECIFICATION_FILE):
        export = survey.write(f"without-{name}")
        (export / name).unlink()
        assert refused(survey, lambda folder=export: survey.open(folder), monkeypatch) == "input"


# The checkpoint


def test_a_checkpoint_by_another_signer(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    note = survey.checkpoint(survey.ballots, key=AUDITOR_KEY)
    export = survey.write(checkpoint=note)
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "board.checkpoint"


def test_a_checkpoint_of_another_survey(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    note = survey.checkpoint(survey.ballots, origin="roomful-board/" + "0" * 64)
    export = survey.write(checkpoint=note)
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "board.checkpoint"


def test_a_checkpoint_with_another_root(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    export = survey.write(checkpoint=survey.checkpoint([*survey.ballots[1:], survey.ballot(0)]))
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "opening.export"


# Shares


def test_too_few_shares(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        refused(survey, lambda: survey.open(held=shares(1)), monkeypatch, stated=True)
        == "opening.too-few-shares"
    )


def test_shares_of_another_ceremony(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of another ceremony, and one among honest ones, even with the same identifier."""
    others = shares(1, 2, words=split_secret(bytes(32), 2, 3))
    export = survey.write()
    code = "opening.share-of-another-key"
    assert refused(survey, lambda: survey.open(export, held=others), monkeypatch, stated=True) == code
    mixed = [*shares(1), others[1]]
    assert refused(survey, lambda: survey.open(export, held=mixed), monkeypatch, stated=True) == code
    disguised = [*shares(1), replace(others[1], ceremony=shares(1)[0].ceremony)]
    assert refused(survey, lambda: survey.open(export, held=disguised), monkeypatch, stated=True).startswith(
        "opening.share-"
    )


def test_one_share_twice(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        refused(survey, lambda: survey.open(held=shares(2, 2)), monkeypatch, stated=True)
        == "opening.share-twice"
    )


def test_a_damaged_share() -> None:
    words = split_secret(SECRET, 2, 3)[0].split()
    words[20] = "academic" if words[20] != "academic" else "acid"
    with pytest.raises(RoomfulError) as caught:
        parse_share(" ".join(words), "share-1")
    assert caught.value.code == "opening.share-damaged"


@pytest.mark.parametrize("changed", [{"iteration_exponent": 15}, {"extendable": False}])
def test_a_share_that_keeps_the_computer_busy(changed: dict[str, Any]) -> None:
    """It asks for 327 million rounds of a hash before anybody is told anything; its checksum is right."""
    share = LibraryShare.from_mnemonic(split_secret(SECRET, 2, 3)[0])
    with pytest.raises(RoomfulError) as caught:
        parse_share(replace(share, **changed).mnemonic(), "share-1")
    assert caught.value.code == "opening.share-damaged"


# The specification


def test_another_organizer(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    export = survey.write()
    path = export / SPECIFICATION_FILE
    path.write_bytes(sign(survey.specification.to_bytes(), AUDITOR_KEY).to_bytes())
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "verification.signature"


def test_another_survey_of_the_same_organizer_and_trustees(
    survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule under which two ballots would do: the digest in the invitation is another."""
    export = survey.write()
    rule = ReleaseRule(rule="merge", minimum=3, distinct_values=1, t_closeness=None)
    other = sealed_specification(release=rule)
    (export / SPECIFICATION_FILE).write_bytes(sign(other.to_bytes(), ORGANIZER_KEY).to_bytes())
    assert refused(survey, lambda: survey.open(export), monkeypatch) == "check.digest"


def test_a_weak_specification_is_refused_even_without_a_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A survey of k = 2, signed by the organizer: the floor of a respondent's device holds here too."""
    survey = SealedSurvey(tmp_path, specification=sealed_specification(k=2)).fill(2, 2)
    unpinned = Invitation(digest=None, organizer_key=public_bytes(ORGANIZER_KEY))
    attempt = lambda: survey.open(survey.write(), statements=(), invitation=unpinned)  # noqa: E731
    assert refused(survey, attempt, monkeypatch) == "check.floor"


def test_ballots_of_one_survey_under_another(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old ballots under a new survey with the same keys: their tokens are for the old one."""
    other = SealedSurvey(
        survey.folder / "other", specification=replace(survey.specification, retention_days=90)
    )
    other.folder.mkdir()
    other.ballots = list(survey.ballots)
    assert refused(other, other.open, monkeypatch) == "opening.token"


# Tokens


def test_a_forged_token(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    ballot = survey.ballot(0)
    forged = replace(ballot, token=replace(ballot.token, prefix=bytes(32)))
    survey.ballots.append(forged)
    assert refused(survey, survey.open, monkeypatch) == "opening.token"


def test_two_ballots_with_one_token(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    survey.ballots.append(copied(survey, survey.ballot(0), survey.ballots[0]))
    assert refused(survey, survey.open, monkeypatch) == "opening.token-twice"


def test_after_every_refusal_the_honest_opening_still_works(survey: SealedSurvey) -> None:
    for name, write in EXPORTS.items():
        with pytest.raises(RoomfulError):
            survey.open(write(replace_folder(survey, name)))
    assert survey.open().answers.answers == 12


def replace_folder(survey: SealedSurvey, name: str) -> SealedSurvey:
    """The same survey writing elsewhere."""
    folder = survey.folder / name.replace(" ", "-")
    folder.mkdir()
    return SealedSurvey(
        folder, specification=survey.specification, ballots=list(survey.ballots), used=survey.used
    )
