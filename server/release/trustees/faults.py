"""Who is at fault if a line of the verification of an election does not hold."""

from __future__ import annotations

from typing import Final

_HANDED: Final = "whoever handed these files out: they are not those that the organizer signed"
_ORGANIZER: Final = "the organizer, who signed what contradicts itself"
_COLLECTOR: Final = "the collector, who took a ballot that it had to refuse, or changed one"
_RESULT: Final = "whoever made this result: it does not follow from the ballots"

FAULTS: Final = {
    "verification": _HANDED,
    "check.digest": _HANDED,
    "check": _ORGANIZER,
    "specification": _ORGANIZER,
    "board": _ORGANIZER,
    "board.form": _HANDED,
    "opening.export": _HANDED,
    "opening.root": "the organizer, if both boards bear her signature: she showed two",
    "opening.token": _COLLECTOR,
    "opening.signature": _COLLECTOR,
    "opening.tokens": "the registrar, whose numbers of tokens contradict the list of used codes",
    "opening.box": "the registrar, who signed tokens without a code, or a collector who has its keys",
    "opening.token-twice": _COLLECTOR,
    "opening.provisional": "the organizer, who handed out ballots before the board was final",
    "opening.discrepancy": "registrar or collector: there are more ballots than used codes",
    "opening.not-an-election": _HANDED,
    "opening.statement": _RESULT,
    "opening.statements": _RESULT,
    "opening.other-set": "the trustee who stated another set of ballots, if she stated two",
    "election.key-signature": "the organizer, who opened an election that not every trustee had signed",
    "election.factor": "the trustee who is named, and whoever put her factors into the result",
    "election": _RESULT,
    "release": _ORGANIZER,
}
"""By the code of the error, or by its beginning up to a point."""


def fault(code: str) -> str:
    """Who is at fault; the longest beginning of the code decides, and an unknown one is nobody's."""
    parts = code.split(".")
    beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((FAULTS[name] for name in beginnings if name in FAULTS), "")
