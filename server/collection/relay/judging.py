"""What a relay can know about the messages that it cannot read: only how many there can be.

Bytes of the right length may be a ballot or not; the relay cannot tell, and the collector, which can, may
lie. But nobody has more tokens than there are invitations, and their number is signed. So what is counted is
held against it, and the collector's words against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from server.collection.storage.relay import STEPS, Totals
from shared.invited import Relay

TAKEN: Final = "taken-exceeds-invited"
POOL: Final = "pool-exceeds-invited"
PUBLIC: Final = "taken-exceeds-public"
MEANINGS: Final = {
    TAKEN: "the collector says that it took more ballots than people are invited: it lies, or somebody made"
    " tokens. No pool leaves any more but by --flush. Tell the organizer.",
    POOL: "more messages wait than people are left who can have sent one: somebody floods the pool. Who"
    " answers now hides among fewer. Tell the organizer to ask people to wait.",
    PUBLIC: "the collector said here that it took more ballots than it says in public, now that the survey is"
    " closed: it lied to one side, and what it took may have hidden nobody. Tell the organizer.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What can be said of a pool.

    Attributes
    ----------
    people : int
        Invitations, as signed.
    most_ballots : int
        So many of what waits can be ballots, at most, if the collector told the truth about the others.
    alarms : tuple of str
        Keys of :data:`MEANINGS`.
    """

    people: int
    most_ballots: int
    alarms: tuple[str, ...]


def judge(totals: Totals, people: int, public: int | None = None) -> Judgement:
    """Hold the totals of a pool against the invitations and the collector's public number.

    Parameters
    ----------
    totals : Totals
        Of the pool, not newer than `public`.
    people : int
        Invitations, as signed.
    public : int or None
        How many ballots the collector says in public that it has, if that number is exact: once the survey is
        closed. While it is open the number is some hours old and wrong on purpose
        (:mod:`server.collection.totals`), so nothing can be held against it.

    Notes
    -----
    Guarantee: whatever is sent to the relay, if the collector is honest and no token was made without an
    invitation, neither :data:`TAKEN` nor :data:`PUBLIC` is raised.
    """
    held = totals.waiting + totals.leaving
    left = max(0, people - totals.passed)
    alarms = [
        (TAKEN, totals.passed > people),
        (POOL, held > left),
        (PUBLIC, public is not None and totals.passed > public),
    ]
    return Judgement(
        people=people,
        most_ballots=min(totals.waiting, left),
        alarms=tuple(name for name, raised in alarms if raised),
    )


def warn_of_flush(totals: Totals, waited: int, rule: Relay, judgement: Judgement) -> tuple[str, ...]:
    """What an operator must know before she passes on what neither number nor time allow yet.

    Guarantee: it is empty only if nothing waits. Enough messages are no reason to say nothing: whoever wants
    to single out one person sends the others himself, and nobody here can see that.

    Parameters
    ----------
    totals, waited
        Of the pool; the sixteenths of its time.
    rule : Relay
        Signed in the specification.
    judgement : Judgement
        Of the same totals.
    """
    waiting = totals.waiting
    if not waiting:
        return ()
    lines = []
    if waiting < rule.messages:
        lines.append(
            f"{waiting} waiting instead of {rule.messages}. Whoever sees who sends to this relay and what the"
            " collector stores now can tell that each of these is by one of"
            f" {waiting} people" + (", so by this one person." if waiting == 1 else ".")
        )
    if waited < STEPS:
        lines.append(
            f"the first has waited at most {waited + 1} sixteenths of {rule.seconds} seconds. The time is"
            " what protects from somebody who fills the pool himself."
        )
    if waiting > 1 or judgement.most_ballots < 1:
        lines.append(
            f"how many of these {waiting} are ballots, the relay cannot see: at most"
            f" {judgement.most_ballots}, perhaps a single one among bytes that somebody made up. Its sender"
            " would be known then."
        )
    return tuple(lines)
