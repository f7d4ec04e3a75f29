"""When an invited respondent's ballot leaves her device, if she lets it wait for a random moment.

Her code is exchanged minutes before her ballot is sent. Whoever sees the times of both could match them; a
moment drawn at random within a window in which others answer too takes that hint away, the more so the more
people answer in it. It does not help where nobody else answers.
"""

from __future__ import annotations

from typing import Final

from respondent_client.platform import Platform
from shared.invited import Invited

WINDOW_SECONDS: Final = 900
SHORTEST_WINDOW_SECONDS: Final = 60
LONGEST_WINDOW_SECONDS: Final = 3600
_RANDOM_BYTES: Final = 8


def window_seconds(invited: Invited) -> int:
    """Length of the window: the relay's own delay, from a minute to an hour; without a relay 15 minutes."""
    if invited.relay is None:
        return WINDOW_SECONDS
    return max(SHORTEST_WINDOW_SECONDS, min(invited.relay.seconds, LONGEST_WINDOW_SECONDS))


def draw_delay(platform: Platform, invited: Invited) -> int:
    """Milliseconds until a moment drawn uniformly from the window."""
    number = int.from_bytes(platform.entropy(_RANDOM_BYTES), "big")
    return number * 1000 * window_seconds(invited) >> 8 * _RANDOM_BYTES
