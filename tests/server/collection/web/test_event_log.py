"""What stands in a server's log."""

from __future__ import annotations

import logging

import pytest

from server.collection.web.event_log import MAX_EVENTS, SILENT_SECONDS, EventNames, Seldom


@pytest.mark.parametrize(
    ("logger", "text", "logged"),
    [
        ("waitress", "Exception while serving /s/canary", "request-crashed ValueError"),
        ("waitress", "Client disconnected while serving /canary", "connection-broken ValueError"),
        ("waitress", "anything with canary", "server-event ValueError"),
        ("roomful.web", "request-crashed KeyError", "request-crashed KeyError ValueError"),
    ],
)
def test_the_log_has_names_of_events_only(logger: str, text: str, logged: str) -> None:
    try:
        raise ValueError("canary")
    except ValueError as error:
        exc_info = (ValueError, error, error.__traceback__)
    record = logging.LogRecord(logger, logging.ERROR, "file", 1, text, (), exc_info)
    assert EventNames().filter(record)
    assert logging.Formatter("%(message)s").format(record) == logged


def _record(text: str, level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord("roomful.web", level, "file", 1, "request-failed %s", (text,), None)


def test_an_event_is_written_once_an_hour() -> None:
    now = 5.0
    seldom = Seldom(lambda: now)
    assert [seldom.filter(_record("storage.full")) for _ in range(3)] == [True, False, False]
    assert seldom.filter(_record("storage.disk"))
    assert all(seldom.filter(_record("opened", logging.INFO)) for _ in range(3))
    now += SILENT_SECONDS - 1
    assert not seldom.filter(_record("storage.full"))
    now += 1
    assert [seldom.filter(_record("storage.full")) for _ in range(2)] == [True, False]


def test_what_is_remembered_is_bounded() -> None:
    seldom = Seldom(lambda: 0.0)
    for number in range(3 * MAX_EVENTS):
        assert seldom.filter(_record(f"event-{number}"))
    assert len(seldom._last) <= MAX_EVENTS
