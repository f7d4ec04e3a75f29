"""Who is at fault if a line of the verification of an election does not hold."""

from __future__ import annotations

from typing import Final

CULPRITS: Final = {
    "handed-out": "whoever handed these files out: they are not those that the organizer signed",
    "organizer": "the organizer, who signed what contradicts itself",
    "two-boards": "the organizer, if both boards bear her signature: she showed two",
    "provisional": "the organizer, who handed out ballots before the board was final",
    "not-signed": "the organizer, who opened an election that not every trustee had signed",
    "collector": "the collector, who took a ballot that it had to refuse, or changed one",
    "token-numbers": "the registrar, whose numbers of tokens contradict the list of used codes",
    "filled-box": "the registrar, who signed tokens without a code, or a collector who has its keys",
    "discrepancy": "registrar or collector: there are more ballots than used codes",
    "other-set": "the trustee who stated another set of ballots, if she stated two",
    "factor": "the trustee who is named, and whoever put her factors into the result",
    "result": "whoever made this result: it does not follow from the ballots",
}
"""Who it can be, by a name that pages translate."""
FAULTS: Final = {
    "verification": "handed-out",
    "check.digest": "handed-out",
    "check": "organizer",
    "specification": "organizer",
    "board": "organizer",
    "board.form": "handed-out",
    "opening.export": "handed-out",
    "opening.root": "two-boards",
    "opening.token": "collector",
    "opening.signature": "collector",
    "opening.tokens": "token-numbers",
    "opening.box": "filled-box",
    "opening.token-twice": "collector",
    "opening.provisional": "provisional",
    "opening.discrepancy": "discrepancy",
    "opening.not-an-election": "handed-out",
    "opening.statement": "result",
    "opening.statements": "result",
    "opening.other-set": "other-set",
    "election.key-signature": "not-signed",
    "election.factor": "factor",
    "election": "result",
    "release": "organizer",
}
"""Names of :data:`CULPRITS` by the code of the error, or by its beginning up to a point."""


def culprit(code: str) -> str:
    """Name of who is at fault; the longest beginning of the code decides, and an unknown one is nobody's."""
    parts = code.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((FAULTS[name] for name in beginnings if name in FAULTS), "")


def fault(code: str) -> str:
    """Who is at fault, in words; empty if nobody is known to be."""
    return CULPRITS.get(culprit(code), "")
