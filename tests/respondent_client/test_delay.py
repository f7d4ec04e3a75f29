from __future__ import annotations

import pytest

from respondent_client.delay import draw_delay, window_seconds
from respondent_client.headless.platform import HeadlessPlatform
from shared.invited import Relay
from tests.invited import invited


class Dice(HeadlessPlatform):
    """Draws what a test wants."""

    def __init__(self, drawn: bytes) -> None:
        super().__init__()
        self.drawn = drawn

    def entropy(self, n_bytes: int) -> bytes:
        return (self.drawn * n_bytes)[:n_bytes]


def over_relay(seconds: int) -> int:
    return window_seconds(invited(relay=Relay(url="https://relay.example/", messages=5, seconds=seconds)))


def test_the_window_is_that_of_the_relay_within_reason() -> None:
    assert window_seconds(invited()) == 900
    assert [over_relay(seconds) for seconds in (1, 600, 86_400)] == [60, 600, 3600]


@pytest.mark.parametrize(
    ("drawn", "low", "high"), [(b"\0", 0, 0), (b"\x80", 450_000, 460_000), (b"\xff", 899_999, 899_999)]
)
def test_the_moment_lies_within_the_window(drawn: bytes, low: int, high: int) -> None:
    assert low <= draw_delay(Dice(drawn), invited()) <= high


def test_moments_are_spread_evenly() -> None:
    platform, survey = HeadlessPlatform(), invited()
    tenths = [0] * 10
    for _ in range(2000):
        tenths[draw_delay(platform, survey) // 90_000] += 1
    assert min(tenths) > 130  # 200 are expected, with a standard deviation of 13
