"""Two sets of ballots of one survey, opened one after the other or by different trustees.

The organizer signs what she likes, so she can sign a second checkpoint: over one person's ballot and some of
her own invitations first, over everybody else's afterwards. No ballot is in both, and whoever subtracts what
she wrote knows that person's answers. So there is one set for a survey, for ever, and it takes as many
corrupt trustees as open together to have two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from server.keys.sealing import OpeningKey
from server.release.trustees.ledger import new_ledger
from server.release.trustees.opening import OpeningReport, open_answers
from server.release.trustees.shares import split_secret
from shared.limits import MAX_TRUSTEES
from shared.statements import Statement
from shared.verification.examining import KnownBoard
from shared.words import digest_words
from tests.builders import ANSWERS
from tests.refusals import code_of
from tests.sealed_surveys import (
    SECRET,
    SealedSurvey,
    board_of,
    sealed_specification,
    shares,
    statement_keys_of,
)

HERS = ANSWERS | {"health": "poor"}
FIVE = split_secret(SECRET, 3, 5)


@pytest.fixture
def survey(tmp_path: Path) -> SealedSurvey:
    """One victim among twenty of her cell, and two other full cells."""
    survey = SealedSurvey(tmp_path)
    survey.ballots.append(survey.ballot(0, HERS))
    return survey.fill(19, 5, 5)


def two_boards(survey: SealedSurvey) -> tuple[Path, Path]:
    """Her ballot with four of the organizer's, and everybody else's: both signed, nothing in common."""
    first = [survey.ballots[0], *(survey.ballot(0, ANSWERS) for _ in range(4))]
    rest = survey.ballots[1:]
    assert not {b.token.prefix for b in first} & {b.token.prefix for b in rest}
    return (
        survey.write("first", ballots=first, signed=first),
        survey.write("rest", ballots=rest, signed=rest),
    )


def test_two_disjoint_sets_one_after_the_other(survey: SealedSurvey, monkeypatch: pytest.MonkeyPatch) -> None:
    """Honest trustees, unmodified tools, newest ledgers: the second is refused before it is decrypted."""
    first, rest = two_boards(survey)
    assert survey.open(first).answers.answers == 5
    monkeypatch.setattr(OpeningKey, "open", never)
    assert code_of(lambda: survey.open(rest)) == "opening.second-set"
    for number in (1, 2, 3):
        assert code_of(lambda n=number: survey.state(rest, n)) == "opening.second-set"


def never(*_: object) -> bytes:
    raise AssertionError("a box was decrypted")


def test_the_board_that_the_trustee_saw_is_another(survey: SealedSurvey) -> None:
    """The first attempt already fails where a trustee looks at the public board herself."""
    first, _ = two_boards(survey)
    public = board_of(survey.write("all"))
    assert code_of(lambda: survey.state(first, known=public)) == "opening.root"
    words = KnownBoard(root=digest_words(public.root))
    assert code_of(lambda: survey.state(first, known=words)) == "opening.root"
    published = KnownBoard(checkpoint=(survey.folder / "all" / "checkpoint").read_bytes())
    assert code_of(lambda: survey.state(first, known=published)) == "opening.root"
    assert len(survey.ledger().read_bytes().splitlines()) == 1, "nothing was stated"
    assert survey.state(survey.folder / "all", known=published).statement.trustee == 1


def test_statements_of_the_one_do_not_open_the_other(survey: SealedSurvey) -> None:
    first, rest = two_boards(survey)
    stated = [survey.state(first, number).statement for number in (1, 2, 3)]
    assert code_of(lambda: survey.open(rest, statements=stated)) == "opening.other-set"


def test_statements_of_another_survey(survey: SealedSurvey, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    changed = replace(survey.specification, retention_days=90)
    other = SealedSurvey(tmp_path / "other", specification=changed).fill(5, 5)
    stated = [other.state(other.write("e" + str(n)), n).statement for n in (1, 2, 3)]
    assert code_of(lambda: survey.open(statements=stated)) == "opening.statement"


@pytest.mark.parametrize("change", ["trustee", "root", "groups", "signature"])
def test_forged_statements(survey: SealedSurvey, change: str) -> None:
    """One real statement, changed so as to count for another trustee, another board or other groups."""
    first, rest = two_boards(survey)
    one, two = survey.state(first, 1).statement, survey.state(first, 2).statement
    about = survey.state(rest, 1, ledger=fresh(survey, "other")).statement.stated
    forged = {
        "trustee": replace(one, trustee=3),
        "root": replace(one, trustee=3, stated=replace(one.stated, root=about.root)),
        "groups": replace(one, trustee=3, stated=replace(one.stated, groups="0" * 64)),
        "signature": replace(one, trustee=3, signature=two.signature),
    }[change]
    for statements in ([one, two, forged], [one, two, replace(forged, trustee=MAX_TRUSTEES)]):
        assert code_of(lambda s=statements: survey.open(first, statements=s)) == "opening.statement"
    assert code_of(lambda: survey.open(first, statements=[one, two, two])) == "opening.statements"


def fresh(survey: SealedSurvey, name: str) -> Path:
    """A ledger without a memory: of a corrupt trustee, or restored from an old copy."""
    path = survey.folder / f"{name}.jsonl"
    assert survey.specification.invited is not None
    path.write_bytes(new_ledger(survey.specification.invited.opening_key))
    return path


def test_one_corrupt_trustee_and_two_boards(survey: SealedSurvey) -> None:
    """Of 2-of-3: one trustee signs whatever she is asked. The honest two are shown different boards."""
    first, rest = two_boards(survey)
    corrupt = [survey.state(e, 1, ledger=fresh(survey, f"corrupt-{e.name}")).statement for e in (first, rest)]
    honest = [survey.state(first, 2).statement, survey.state(rest, 3).statement]
    for export, signed in ((first, [corrupt[0], honest[0]]), (rest, [corrupt[1], honest[1]])):
        assert code_of(lambda e=export, s=signed: survey.open(e, statements=s)) == "opening.statements"


def test_an_old_ledger_is_restored(survey: SealedSurvey) -> None:
    """One trustee goes on with an old copy and states a second set; the others do not: it stays shut."""
    first, rest = two_boards(survey)
    old = survey.ledger(1).read_bytes()
    assert survey.open(first).answers.answers == 5
    survey.ledger(1).write_bytes(old)
    again = survey.state(rest, 1).statement
    assert code_of(lambda: survey.state(rest, 2)) == "opening.second-set"
    assert code_of(lambda: survey.open(rest, statements=[again])) == "opening.statements"


@pytest.fixture
def five(tmp_path: Path) -> SealedSurvey:
    """The same of 3-of-5."""
    keys = sealed_specification().invited
    assert keys is not None
    keys = replace(keys, threshold=3, shares=5, statement_keys=statement_keys_of(FIVE))
    survey = SealedSurvey(tmp_path, specification=sealed_specification(invited=keys))
    survey.ballots.append(survey.ballot(0, HERS))
    return survey.fill(19, 5, 5)


def open_five(survey: SealedSurvey, export: Path, statements: Sequence[Statement]) -> OpeningReport:
    """With three of the five shares."""
    return open_answers(
        survey.received(export),
        statements=[(str(s.trustee), s) for s in statements],
        shares=shares(1, 2, 3, words=FIVE),
        progress=lambda *_: None,
    )


def test_whatever_two_corrupt_trustees_of_five_do_one_board_is_opened_at_most(five: SealedSurvey) -> None:
    """Every way in which the three honest ones can be shown two boards; the corrupt sign both."""
    exports = two_boards(five)
    on = [
        {n: five.state(e, n, words=FIVE, ledger=fresh(five, f"{e.name}-{n}")).statement for n in range(1, 6)}
        for e in exports
    ]
    corrupt = (1, 2)
    for size in range(4):
        for shown in combinations((3, 4, 5), size):
            others = [n for n in (3, 4, 5) if n not in shown]
            opened = 0
            for export, numbers, signed in ((exports[0], shown, on[0]), (exports[1], others, on[1])):
                statements = [signed[n] for n in (*corrupt, *numbers)]
                if len(statements) >= 4:
                    open_five(five, export, statements)
                    opened += 1
                else:
                    code = code_of(lambda e=export, s=statements: open_five(five, e, s))
                    assert code == "opening.statements"
            assert opened == 1, "never both; and one has two honest trustees at least"


def test_one_lost_trustee_of_five_does_not_stop_the_opening(five: SealedSurvey) -> None:
    export = five.write()
    stated = [five.state(export, number, words=FIVE).statement for number in (1, 2, 4, 5)]
    assert open_five(five, export, stated).stated_by == (1, 2, 4, 5)
    assert code_of(lambda: open_five(five, export, stated[:3])) == "opening.statements"


def test_a_share_of_another_ceremony_states_nothing(survey: SealedSurvey) -> None:
    export = survey.write()
    other = split_secret(SECRET, 2, 3)  # the same key, split once more
    assert code_of(lambda: survey.state(export, 1, words=other)) == "opening.share-of-another-key"
