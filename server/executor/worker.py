"""What runs on a worker of a cluster: one task, and what it must have in common with its client.

Names of tasks and errors are all that a worker writes into its log: what a task holds has no text.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import server
import shared
from server.executor import alone

_LIBRARIES: Final = ("distributed", "numpy", "scipy", "numba", "scikit-learn", "pandas", "pyarrow")


@dataclass(frozen=True, slots=True, repr=False)
class Parcel:
    """A task on its way."""

    installation: Mapping[str, str]
    work: Callable[[Any], Any]
    task: Any


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What came of it: the result, or the error to raise at the client; or in what the installations differ.

    The result is pickled already: of what Dask cannot pickle no answer would ever come.
    """

    result: bytes = b""
    error: Exception | None = None
    differs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What a worker says of itself, before it is told anything of anybody."""

    installation: Mapping[str, str]
    threads: int
    spills: bool


@cache
def installation() -> Mapping[str, str]:
    """What must be equal for equal bytes: Python, the libraries that compute, and every line of our code."""
    code = sha256()
    for package in (server, shared):
        folder = Path(str(package.__path__[0]))
        for path in sorted(folder.rglob("*.py")):
            code.update(f"{path.relative_to(folder.parent).as_posix()}\n".encode())
            code.update(path.read_bytes())
    return {
        "Python": ".".join(map(str, sys.version_info[:2])),
        **{name: version(name) for name in _LIBRARIES},
        "the code of Roomful": code.hexdigest()[:16],
    }


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """The first thing in which two installations differ, in words; empty if there is none."""
    for name, value in here.items():
        if there.get(name) != value:
            return f"{name} is {value} here and {there.get(name, 'missing')} there"
    return ""


def dask_setup(_worker: object) -> None:
    """Called by Dask in each process of a local cluster: an interrupt is for the command, which ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def greet(dask_worker: Any) -> Greeting:
    """Run on every worker before the first task; Dask gives itself by this name."""
    memory = dask_worker.memory_manager
    return Greeting(
        installation=installation(),
        threads=dask_worker.state.nthreads,
        spills=bool(memory.memory_limit and (memory.memory_target_fraction or memory.memory_spill_fraction)),
    )


def run(parcel: Parcel) -> Answer:
    """Do a task. Errors are answers: a worker would write those that it sees into its log, with the task."""
    if differs := difference(parcel.installation, installation()):
        return Answer(differs=differs)
    try:
        return Answer(result=_pickled(alone(parcel.work, parcel.task)))
    except Exception as error:
        return Answer(error=_sendable(error))


def _pickled(result: Any) -> bytes:
    try:
        return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    except Exception:
        raise RuntimeError(f"a task's result, of {type(result).__name__}, cannot be pickled") from None


def _sendable(error: Exception) -> Exception:
    """The error, or its kind alone if it cannot be pickled there and unpickled here."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:
        return RuntimeError(f"a task ended with {type(error).__name__}")
    return error
