"""A request to end reaches the command, wherever it arrives."""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Iterator

import pytest

from server.cli.stopping import tidy_when_ended
from tests.waiting import PATIENCE_SECONDS


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As a shell starts what it puts there."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_request_to_end_is_not_lost_in_the_background(in_the_background: None) -> None:
    test_an_interrupt_within_the_garbage_collector_is_raised_a_moment_later(signal.SIGTERM)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_within_the_garbage_collector_is_raised_a_moment_later(number: signal.Signals) -> None:
    collected: list[str] = []

    def callback(phase: str, _info: dict[str, int]) -> None:
        if not collected:
            collected.append(phase)
            signal.raise_signal(number)

    def work() -> None:
        with tidy_when_ended():
            gc.collect()
            time.sleep(PATIENCE_SECONDS)

    hook = sys.unraisablehook
    gc.callbacks.append(callback)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        gc.callbacks.remove(callback)
    assert collected
    assert sys.unraisablehook is hook


def test_other_errors_that_python_passes_over_are_said_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: said.append(what.exc_type.__name__))

    class Failing:
        def __del__(self) -> None:
            raise ValueError

    with tidy_when_ended():
        Failing()
        gc.collect()
    assert said == ["ValueError"]
