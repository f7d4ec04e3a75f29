"""Which clusters may be named: this machine, or another one by TLS."""

from __future__ import annotations

import pytest

from server.executor import processors
from server.executor.cluster import Address, executor_at
from shared.errors import InputError, SetupError


def test_this_machine() -> None:
    assert Address.parse("local") == Address(processes=processors())
    assert Address.parse("local:3") == Address(processes=3)


@pytest.mark.parametrize(
    "url",
    [
        "tls://scheduler.example.org:8786",
        "tls://10.0.0.7:8786",
        "tcp://127.0.0.1:8786",
        "tcp://127.1.2.3:8786",
        "tcp://[::1]:8786",
        "tcp://localhost:8786",
    ],
)
def test_a_scheduler(url: str) -> None:
    assert Address.parse(url) == Address(url=url)


@pytest.mark.parametrize(
    "url",
    [
        "tcp://10.0.0.7:8786",
        "tcp://0.0.0.0:8786",
        "tcp://localhost.example.org:8786",
        "tcp://127.0.0.1.example.org:8786",
        "tcp://[fe80::1]:8786",
    ],
)
def test_another_machine_without_tls_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="unencrypted"), executor_at(url):
        pass


@pytest.mark.parametrize(
    "text",
    ["", "locally", "local:", "local:0", "local:-1", "local:x", "127.0.0.1:8786", "tls://host", "tls://:1",
     "http://127.0.0.1:8786", "ucx://127.0.0.1:1", "tls://host:99999", "tls://me@host:1", "tls://host:1/x",
     "tcp://127.0.0.1@10.0.0.7:1", "inproc://127.0.0.1:1"],
)  # fmt: skip
def test_anything_else_is_no_cluster(text: str) -> None:
    with pytest.raises(InputError):
        Address.parse(text)


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(SetupError, match=r"roomful\[cluster\]"), executor_at("local"):
        pass
