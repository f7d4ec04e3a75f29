"""A scheduler that is named: with certificates, with wrong ones, and workers that must not be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from server.executor import cluster, worker
from server.executor.cluster import executor_at
from server.statistics.microaggregation.districts import districts, mended
from server.statistics.microaggregation.size_rule import SizeRule
from shared.errors import DesignError, RemoteError, SetupError
from tests.programs import Program
from tests.server.executor import tasks
from tests.server.executor.clusters import certificates, joined, started


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    return certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def programs(
    tmp_path_factory: pytest.TempPathFactory, files: Mapping[str, str]
) -> Iterator[tuple[str, Program, Program]]:
    """The scheduler's address, itself, and a worker."""
    folder = tmp_path_factory.mktemp("scheduler")
    options = ("--nthreads", "1", "--memory-limit", "0")
    with started(folder, files) as (url, scheduler), joined(url, folder, files, *options) as one:
        yield url, scheduler, one


@pytest.fixture
def scheduler(programs: tuple[str, Program, Program]) -> str:
    return programs[0]


@pytest.fixture
def settings(files: Mapping[str, str]) -> Iterator[None]:
    with configured(files):
        yield


def configured(files: Mapping[str, str]) -> Any:
    """As if these environment variables had been set."""
    import dask
    import distributed  # noqa: F401 - its settings are there from now on

    keys = {name: name.removeprefix("DASK_").lower().replace("__", ".").replace("_", "-") for name in files}
    return dask.config.set({keys[name]: path for name, path in files.items()})


@pytest.mark.usefixtures("settings")
def test_one_worker_by_tls(scheduler: str) -> None:
    with executor_at(scheduler) as executor:
        assert executor.workers == 1
        assert executor.map(tasks.squared, range(9)) == [number**2 for number in range(9)]
        X = np.random.default_rng(1).normal(size=(600, 2))
        cut = districts(X, 200, lambda rows: len(rows) > 3)
        rule = SizeRule.of_k(3)
        expected = mended(X, np.arange(600) // 3, cut, rule, most=200)
        assert (mended(X, np.arange(600) // 3, cut, rule, most=200, executor=executor) == expected).all()


@pytest.mark.usefixtures("settings")
def test_logs_hold_nothing_of_a_task(programs: tuple[str, Program, Program]) -> None:
    url, *logging = programs
    with executor_at(url) as executor:
        with pytest.raises(DesignError, match="Ann-4711"):
            executor.map(tasks.refused, ["Ann-4711"])
        with pytest.raises(RuntimeError, match="Locked"):
            executor.map(tasks.locked, ["Bob-4712"])
        with pytest.raises(RuntimeError, match="Unreadable"):
            executor.map(tasks.unreadable, ["Bob-4712"])
        with pytest.raises(RuntimeError, match="of function, cannot be pickled"):
            executor.map(tasks.unpicklable, ["Bob-4712"])
    said = "".join(program.output for program in logging)
    assert "Registered to" in said
    assert "Ann-4711" not in said
    assert "Bob-4712" not in said
    assert "Ann-4711" not in repr(worker.Parcel(worker.installation(), tasks.refused, "Ann-4711"))
    assert "Ann-4711" not in repr(worker.Answer(result=b"Ann-4711"))


def test_certificates_that_are_not_named(scheduler: str) -> None:
    with pytest.raises(SetupError, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE"), executor_at(scheduler):
        pass


def test_a_certificate_of_another_authority(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE_SECONDS", 2)
    with configured(certificates(tmp_path)), pytest.raises(RemoteError, match="authority"):  # noqa: SIM117
        with executor_at(scheduler):
            pass


def test_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE_SECONDS", 1)
    with pytest.raises(RemoteError, match="cannot be used"), executor_at("tcp://127.0.0.1:9"):
        pass


@pytest.mark.usefixtures("settings")
def test_another_version(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**worker.installation(), "numpy": "1.0"}
    monkeypatch.setattr(cluster, "installation", lambda: other)
    with pytest.raises(SetupError, match=r"numpy is 1\.0 here and .* there"), executor_at(scheduler):
        pass


@pytest.mark.usefixtures("settings")
def test_a_worker_with_another_version_that_joins_later(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with executor_at(scheduler) as executor:
        other = {**worker.installation(), "the code of Roomful": "0"}
        monkeypatch.setattr(cluster, "installation", lambda: other)
        with pytest.raises(SetupError, match="the code of Roomful is 0 here"):
            executor.map(tasks.squared, [1])


class Workers:
    """What `_require_usable` asks a client."""

    def __init__(self, greetings: dict[str, worker.Greeting] | Exception) -> None:
        self._greetings = greetings

    def run(self, _function: object) -> dict[str, worker.Greeting]:
        if isinstance(self._greetings, Exception):
            raise self._greetings
        return self._greetings


def greeting(**changes: Any) -> worker.Greeting:
    return worker.Greeting(
        **{"installation": worker.installation(), "threads": 1, "spills": False, **changes}
    )


@pytest.mark.parametrize(
    ("greetings", "message"),
    [
        ({"tls://10.0.0.7:1": greeting(), "tls://10.0.0.8:1": greeting(threads=4)}, "has 4 threads"),
        ({"tls://10.0.0.7:1": greeting(spills=True)}, "to its disk"),
        ({"tcp://10.0.0.7:1": greeting()}, "without encryption"),
        ({"tls://10.0.0.7:1": greeting(installation={})}, "Python is .* there"),
        ({}, "no workers"),
        (
            ModuleNotFoundError("No module named 'server'"),
            "cannot run this version .*No module named 'server'",
        ),
    ],
)
def test_a_worker_that_must_not_be_used(greetings: Any, message: str) -> None:
    with pytest.raises((SetupError, RemoteError), match=message):
        cluster._require_usable(Workers(greetings), "tls://10.0.0.1:1")


def test_workers_that_may_be_used() -> None:
    greetings = {"tls://10.0.0.7:1": greeting(), "tcp://127.0.0.1:1": greeting()}
    cluster._require_usable(Workers(greetings), "tls://10.0.0.1:1")


@pytest.mark.usefixtures("settings")
def test_what_a_worker_says_of_itself(scheduler: str, tmp_path: Path, files: Mapping[str, str]) -> None:
    """The last test here: another worker joins."""
    from distributed import Client

    with joined(scheduler, tmp_path, files, "--nthreads", "2", "--memory-limit", "1GB"):
        with pytest.raises(SetupError, match="has 2 threads"), executor_at(scheduler):
            pass
        with Client(scheduler, set_as_default=False) as client:
            greetings = client.run(worker.greet).values()
    assert {(one.threads, one.spills) for one in greetings} == {(1, False), (2, True)}
    assert all(one.installation == worker.installation() for one in greetings)
