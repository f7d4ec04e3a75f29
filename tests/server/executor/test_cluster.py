"""The same bytes from threads, from workers of a cluster, and from workers of which one is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from respondent_client.headless import headless
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.design.audit import audit_survey
from server.design.plan import district_plan
from server.design.workflow import design_survey
from server.executor import THREADS, Executor, cluster
from server.simulation.taking_part import Contribution, fetch_all, send_all, send_held
from server.statistics.anonymize.comparing import Comparison, evaluate_files
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from shared.errors import DesignError, RemoteError
from shared.invitation import survey_link
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes, sign
from tests.elections import code_in, election_specification
from tests.invited import code, digest_of
from tests.respondent_client.test_headless import PERSON, Server
from tests.served import no_client, serving
from tests.server.collection.relay.survey import open_collector
from tests.server.collection.storage import ballots
from tests.server.executor import tasks
from tests.towns import RATES, write_town
from tests.waiting import until

N = 600
QUASI = ("age", "income")
VOTE = {"board": "ben", "statutes": True}
Told = Callable[[str, int, int], None]


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    fewer = {**cluster._CONFIGURATION, "distributed.scheduler.allowed-failures": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "_CONFIGURATION", fewer)
        with cluster.executor_at("local:2") as executor:
            yield executor


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("cluster") / "town.csv"
    columns = (draw.integers(18, 90, N), draw.lognormal(3, 1, N).round(1), draw.choice(["yes", "no"], N))
    lines = [f"{age},{income},{ill}" for age, income, ill in zip(*columns, strict=True)]
    path.write_text("\n".join(["age,income,ill", *lines, ""]))
    return path


def processes(executor: Executor) -> set[int]:
    """Of its two workers, once both are there."""
    until(lambda: executor.workers == 2)
    found: set[int] = set()
    until(lambda: len(found) == 2 or found.update(executor.map(tasks.process, range(8))))
    return found


@contextmanager
def one_killed(executor: Executor, stage: str) -> Iterator[Told]:
    """A progress that kills a worker when the first task of a stage is done.

    Of both the elder: Dask gives a worker up that ends while it is still being started.
    """
    victims = [min(processes(executor))]

    def told(now: str, done: int, _total: int) -> None:
        if now == stage and done == 1 and victims:
            os.kill(victims.pop(), signal.SIGKILL)

    yield told
    assert not victims, "nobody was killed"


def anonymized(people: Path, folder: Path, executor: Executor, told: Told | None = None) -> list[bytes]:
    folder.mkdir()
    out = folder / "masked.csv"
    request = Request(quasi_identifiers=QUASI, confidential=("ill",), k=3, method="mdav", district=120)
    anonymize_file(people, out, request, progress=told, executor=executor)
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def evaluated(people: Path, executor: Executor) -> object:
    return evaluate_files(
        people,
        people,
        Comparison(quasi_identifiers=QUASI),
        executor=executor,
    ).as_json()


def test_a_file_in_districts(people: Path, tmp_path: Path, two: Executor) -> None:
    expected = anonymized(people, tmp_path / "threads", THREADS)
    assert len(expected) == 3
    with one_killed(two, "grouping") as told:
        assert anonymized(people, tmp_path / "killed", two, told) == expected


def test_an_evaluation(people: Path, two: Executor) -> None:
    assert evaluated(people, two) == evaluated(people, THREADS)


def designed(survey: Path, folder: Path, executor: Executor, told: Told | None = None) -> bytes:
    salt = folder.parent / "threads"
    design_survey(
        survey,
        folder,
        told or (lambda _stage, _done, _total: None),
        salt_path=salt if salt.exists() else None,
        district=district_plan("700"),
        executor=executor,
    )
    return (folder / "design.json").read_bytes()


def test_a_design_by_districts_and_its_audit(tmp_path: Path, two: Executor) -> None:
    survey = write_town(tmp_path, kind="register", participation=RATES)
    expected = designed(survey, tmp_path / "threads", THREADS)
    with one_killed(two, "Cells") as told:
        assert designed(survey, tmp_path / "killed", two, told) == expected
    signed = tmp_path / "killed" / "survey.dsse.json"
    signed.write_bytes(sign(expected, ORGANIZER_KEY).to_bytes())
    audit_survey(signed, survey.with_name("town.csv"), executor=two).require_passed()


def test_a_simulation(two: Executor) -> None:
    """Workers compose; only this process sends, and everybody once."""
    server = Server()
    respondent = headless(server.url)
    try:
        respondent.prepare(compared=True)
        people = [Contribution(quasi_identifiers=PERSON, answers=ANSWERS)] * 70
        told: list[int] = []

        def progress(_stage: str, _done: int, total: int) -> None:
            told.append(total)

        sent = send_all(respondent, people, 3, progress, two)
        assert sent.cells == send_all(respondent, people, 3, progress, THREADS).cells
    finally:
        respondent.close()
        server.http.shutdown()
        server.http.server_close()
    assert told == [70] * 140


@pytest.mark.parametrize("election", [False, True])
def test_sealed_ballots(tmp_path: Path, two: Executor, *, election: bool) -> None:
    """Workers seal and sign with the tokens of people; only this process fetches and sends."""
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        specification = election_specification() if election else ballots.SPECIFICATION
        store = open_collector(data, specification, voting=False) if election else ballots.store_of(data)
        with serving(create_app(Config(), data, client=no_client)) as port:
            digest = digest_of(specification)
            link = survey_link(f"http://127.0.0.1:{port}/", digest, public_bytes(ORGANIZER_KEY))
            respondent = headless(link)
            cell = respondent.prepare(compared=True).specification.cells.assign(specification.vector(PERSON))
            answers = VOTE if election else ANSWERS
            people = [
                Contribution(
                    quasi_identifiers=PERSON, answers=answers, code=code_in(cell, n) if election else code(n)
                )
                for n in range(25)
            ]
            tokens = fetch_all(respondent, people, 3, lambda _stage, _done, _total: None)
            if election:
                store.open()
            sent = send_held(respondent, people, tokens, 3, lambda _stage, _done, _total: None, two)
            respondent.close()
        store.close()
        assert len(sent.receipts) == len(people)
        assert store.ballot_receipts() == sent.receipts


def test_tasks_are_done_by_other_processes_which_divide_nothing_again(two: Executor) -> None:
    found = processes(two)
    assert os.getpid() not in found
    assert set(two.map(tasks.threads, range(4))) == {1}
    assert set(two.map(tasks.interrupt, range(4))) == {signal.SIG_IGN}
    assert two.map(tasks.squared, iter(range(40))) == [number**2 for number in range(40)]


def test_an_error_of_a_task_is_that_error_here(two: Executor) -> None:
    with pytest.raises(DesignError) as problem:
        two.map(tasks.refused, ["Ann"])
    error = problem.value
    assert (error.message, error.where, error.expected, error.remedy, error.code) == (
        "Ann is refused", "here", "another", "Go.", "design.x"
    )  # fmt: skip


def test_a_task_that_kills_every_worker_is_given_up(two: Executor) -> None:
    with pytest.raises(RemoteError, match="again and again"):
        two.map(tasks.killing, [1])
    assert two.map(tasks.squared, [3]) == [9]
