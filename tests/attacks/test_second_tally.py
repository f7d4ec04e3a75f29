"""An organizer who wants to know one vote of an election: two boards, other groups, a key used twice.

Each attack is seen to succeed once the line that stops it is taken out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from server.release import permission
from server.release.trustees import decrypting, stating, tallying
from server.release.trustees.export import FolderFiles, read_survey
from server.release.trustees.ledger import Ledger, new_ledger
from server.release.trustees.library import library
from server.release.trustees.opening import rebuild_key
from server.release.trustees.tallying import Tally
from shared.edwards import L
from shared.election.decryption import Factors
from shared.election.factors import FactorsFile
from shared.election.result import Result
from shared.specification import Specification
from shared.statements import Statement
from shared.verification import election as verification
from shared.verification import examining
from tests import election_held as held
from tests.elections import COUNTS, HeldElection, election_specification, signatures, words
from tests.refusals import code_of
from tests.sealed_surveys import shares


@pytest.fixture(scope="module")
def election(tmp_path_factory: pytest.TempPathFactory) -> HeldElection:
    return HeldElection(tmp_path_factory.mktemp("election")).fill(*COUNTS)


@pytest.fixture(scope="module")
def export(election: HeldElection) -> Path:
    return election.write()


@pytest.fixture(scope="module")
def given(election: HeldElection, export: Path) -> list[tuple[str, Statement]]:
    """The statements of all trustees, which stand in their ledgers."""
    return election.all_stated(export)


@pytest.fixture(scope="module")
def files(election: HeldElection, export: Path, given: list[tuple[str, Statement]]) -> list[FactorsFile]:
    return [election.decrypt(export, number, given) for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def counted(
    election: HeldElection, export: Path, given: list[tuple[str, Statement]], files: list[FactorsFile]
) -> Tally:
    return election.tally(export, [files[0], files[2]], given)


def test_an_honest_election(election: HeldElection, export: Path, counted: Tally) -> None:
    result = counted.result
    groups = [group.cells for group in result.groups]
    assert sorted(cell for cells in groups for cell in cells) == list(range(8))
    assert all(group.ballots >= 3 for group in result.groups)
    assert sum(group.ballots for group in result.groups) == sum(COUNTS)
    for group in result.groups:
        people = [person for cell in group.cells for person in range(COUNTS[cell])]
        board = tuple(sum(person % 3 == choice for person in people) for choice in range(3))
        yes = sum(person % 2 == 0 for person in people)
        assert group.votes == (board, (yes, len(people) - yes))
    assert not counted.ignored
    assert election.verify(export, result).ballots == tuple(group.ballots for group in result.groups)


def test_two_boards_for_two_trustees(
    election: HeldElection,
    export: Path,
    given: list[tuple[str, Statement]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """One ballot less: the difference of both results would be that ballot."""
    other = HeldElection(tmp_path, ballots=election.ballots[1:])
    second = other.write()
    assert code_of(lambda: other.decrypt(second, 1, given)) == "opening.other-set"
    for number in (1, 2, 3):
        (tmp_path / f"ledger-{number}.jsonl").write_bytes(election.ledger(number).read_bytes())
    assert code_of(lambda: other.stated(second, 1)) == "opening.second-set"
    # One corrupt trustee states both; two of three are not enough.
    corrupt = other.ledger(3)
    corrupt.write_bytes(new_ledger(held.trustees().key))
    lie = ("3.json", other.stated(second, 3).statement)
    assert code_of(lambda: other.decrypt(second, 3, [lie, lie])) == "opening.statements"
    monkeypatch.setattr(decrypting, "require_statements", lambda *_: ())
    assert code_of(lambda: other.decrypt(second, 3, [lie])) == ""
    assert code_of(lambda: other.decrypt(second, 1, [lie])) == "opening.second-set", "her own ledger"


def test_no_ledger_no_decryption(
    election: HeldElection, export: Path, given: list[tuple[str, Statement]], tmp_path: Path
) -> None:
    """A restored disk, or a new ledger, has no statement."""
    restored = HeldElection(tmp_path)
    assert code_of(lambda: restored.decrypt(export, 1, given)) == "opening.ledger"


def test_one_key_is_for_one_election(election: HeldElection, export: Path, tmp_path: Path) -> None:
    """A second election under the same key gives its trustees' factors for other sums."""
    election.stated(export, 1)
    again = HeldElection(tmp_path, specification=election_specification(retention_days=31)).fill(4, 4)
    folder = again.write()
    (tmp_path / "ledger-1.jsonl").write_bytes(election.ledger(1).read_bytes())
    assert code_of(lambda: again.stated(folder, 1)) == "opening.second-set"


@pytest.mark.usefixtures("given")
def test_a_second_tally_over_other_groups(
    election: HeldElection, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Single boxes instead of the groups of the rule: a box of one ballot would be a vote."""
    honest = verification.permit_merged

    def each_alone(counts: tuple[int, ...], specification: Specification) -> object:
        permitted = honest(counts, specification)
        return replace(permitted, groups=tuple((cell,) for cell in range(len(counts))))

    rooms = (permission, verification)
    for room in rooms:
        monkeypatch.setattr(room, "permit_merged", each_alone)
    assert code_of(lambda: election.stated(export, 1)) == "opening.second-set"
    monkeypatch.setattr(Ledger, "require_only", lambda *_: True)
    monkeypatch.setattr(stating, "require_statement_key", lambda *_: None)
    others = [(f"{i}.json", election.stated(export, i).statement) for i in (1, 2, 3)]
    factors = [election.decrypt(export, i, others) for i in (1, 3)]
    alone = election.tally(export, factors, others).result
    assert [group.ballots for group in alone.groups] == list(COUNTS)
    for room in rooms:
        monkeypatch.setattr(room, "permit_merged", honest)
    assert code_of(lambda: election.verify(export, alone)) == "election.result-groups"


def test_a_wrong_key_in_the_specification(export: Path, election: HeldElection, tmp_path: Path) -> None:
    """Its trustees have not signed, so nobody states or decrypts, and the survey does not open."""
    signed = FolderFiles(folder=tmp_path)
    for numbers in ((1, 2), (3,)):
        (tmp_path / "rehearsal.json").write_bytes(signatures(election.specification, *numbers))
        survey = election.received(export)
        found = read_survey(export, survey.invitation)
        assert code_of(lambda s=found: verification.require_key_signatures(signed, s, library())) == (  # type: ignore[misc]
            "election.key-signature"
        )
    other = signatures(election_specification(retention_days=31), 1, 2, 3)
    (tmp_path / "rehearsal.json").write_bytes(other)
    found = read_survey(export, election.invitation)
    assert (
        code_of(lambda: verification.require_key_signatures(signed, found, library()))
        == "election.key-signature"
    )


def test_no_ballot_is_ever_opened(election: HeldElection, export: Path) -> None:
    survey = read_survey(export, election.invitation)
    assert code_of(lambda: rebuild_key(survey, shares(1, 2, words=words()))) == "opening.election"


def changed(factors: Factors) -> Factors:
    """One factor is another."""
    ((first, *row), *rows), *groups = factors
    bad = replace(first, response=(first.response + 1) % L)
    return (((bad, *row), *rows), *groups)


def test_a_bad_factor_is_named_and_left_out(
    election: HeldElection,
    export: Path,
    given: list[tuple[str, Statement]],
    files: list[FactorsFile],
    counted: Tally,
) -> None:
    files = [replace(files[0], factors=changed(files[0].factors)), *files[1:]]
    found = election.tally(export, files, given)
    assert [(e.code, e.where) for e in found.ignored] == [
        ("election.factor", "trustee 1, group 1, contest 1, choice 1")
    ]
    assert [g.votes for g in found.result.groups] == [g.votes for g in counted.result.groups]
    assert code_of(lambda: election.tally(export, files[:2], given)) == "election.too-few-factors"
    lie = replace(counted.result, factors=((1, files[0].factors), counted.result.factors[1]))
    assert code_of(lambda: election.verify(export, lie)) == "election.factor"


def test_factors_of_other_sums_are_left_out(
    election: HeldElection, export: Path, given: list[tuple[str, Statement]], files: list[FactorsFile]
) -> None:
    other = replace(files[0], stated=replace(files[0].stated, root="00" * 32))
    assert (
        code_of(
            lambda: tallying.tally(
                election.received(export), statements=given, files=[other, other], progress=lambda *_: None
            )
        )
        == "election.too-few-factors"
    )
    someone_else = election.received(export)
    assert (
        code_of(
            lambda: decrypting.decrypt_sums(
                someone_else,
                statements=given,
                share=shares(2, words=words())[0],
                ledger_path=election.ledger(1),
                random_bytes=lambda n: bytes(n),
                progress=lambda *_: None,
            )
        )
        == ""
    ), "her ledger is the same, and the factors are those of the share"


def test_permuted_choices_and_moved_votes(election: HeldElection, export: Path, counted: Tally) -> None:
    """Sums alone would accept both."""
    first, *others = counted.result.groups
    (a, b, c), statutes = first.votes

    def with_votes_of(*votes: tuple[int, ...]) -> Result:
        return replace(counted.result, groups=(replace(first, votes=votes), *others))

    for lie in (with_votes_of((c, a, b), statutes), with_votes_of((a + 1, b - 1, c), statutes)):
        assert lie.groups[0].votes != first.votes
        assert code_of(lambda r=lie: election.verify(export, r)) == "election.votes"  # type: ignore[misc]


def test_an_invalid_ballot_is_listed_and_blocks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collector that took a vote of two: it is not counted, and the receipt is named."""
    survey = HeldElection(tmp_path).fill(*COUNTS)
    good = survey.vote(50, 0, {"board": "ada", "statutes": True})
    contest = good.contests[0]
    bad = replace(good, contests=(replace(contest, sum_response=contest.sum_response ^ 1), good.contests[1]))
    ballot = survey.in_ballot(50, bad)
    survey.ballots.append(ballot)
    export = survey.write()
    found = survey.result(export)
    assert [(receipt, error.code) for receipt, error in found.election.examined.refused] == [
        (ballot.receipt, "ballot.sum")
    ]
    assert sum(group.ballots for group in found.result.groups) == sum(COUNTS)
    survey.verify(export, found.result)
    monkeypatch.setattr(examining, "verify_batch", lambda votes, *_: (None,) * len(votes))
    assert code_of(lambda: survey.verify(export, found.result)) != ""


def test_more_ballots_than_used_codes_stop_an_election(election: HeldElection, tmp_path: Path) -> None:
    """Minted tokens: in a survey the trustees may accept the discrepancy, here nobody can."""
    minted = HeldElection(tmp_path, ballots=list(election.ballots))
    export = minted.write(used=len(minted.ballots) - 1)
    figures = f"{len(minted.ballots)}/{len(minted.ballots) - 1}"
    for accepted in (None, figures):
        received = minted.received(export, accepted=accepted)
        assert code_of(lambda r=received: decrypting.examine_election(r, lambda *_: None)) == (  # type: ignore[misc]
            "board.tokens"
        )


def test_factors_say_nothing_of_one_box(election: HeldElection, export: Path, counted: Tally) -> None:
    """Union minus part: no union of boxes but those of whole groups follows from what is published."""
    groups = [set(group.cells) for group in counted.result.groups]
    assert all(not a & b for i, a in enumerate(groups) for b in groups[:i])
    assert len(counted.result.factors[0][1]) == len(groups)
