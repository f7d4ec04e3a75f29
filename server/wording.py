"""How values and names are shown in messages."""

from __future__ import annotations

import difflib


def quoted(text: str | None, limit: int = 40) -> str:
    """Return a value as messages show it: in quotes, control characters visible, long ones cut."""
    if text is None:
        return "(missing)"
    shown = text if len(text) <= limit else text[:limit] + "…"
    return f'"{on_one_line(shown)}"'


def on_one_line(text: str) -> str:
    """Return a text with its control characters, line breaks among them, as escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened_list(names: tuple[str, ...], limit: int = 20) -> str:
    """Return names for a message, at most ``limit`` of them."""
    shown = ", ".join(quoted(name) for name in names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def nearest_name(name: str, names: tuple[str, ...]) -> str:
    """Return ``Did you mean "…"? `` with the closest of the names, or nothing."""
    folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.6)
    return f"Did you mean {quoted(folded[close[0]])}? " if close else ""
