"""Bars for the answers to a question, as SVG that stands in a report page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from markupsafe import Markup

WIDTH = 400
ROW_HEIGHT = 44
TITLE_HEIGHT = 19
_LONGEST_LABEL = 40
_TITLE_CHARACTERS = 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its label, the share that it stands for with its interval, and the unweighted share."""

    label: str
    share: float
    low: float
    high: float
    unweighted: float


def percent(share: float) -> str:
    """A share with one decimal: ``41.2 %``."""
    return f"{100 * share:.1f} %"


def bar_chart(bars: Sequence[Bar], *, title: str) -> Markup:
    """Draw one bar below the other under a title, each under its label.

    Parameters
    ----------
    bars : sequence of Bar
        From top to bottom. A thin line is the interval, a tick below the bar the unweighted share.
    title : str
        What was asked; also read to those who cannot see the picture. The exact numbers belong into a table
        beside.

    Notes
    -----
    Colours are those of the page. No style attributes, so that a strict policy can hold; numbers have one
    decimal, so that the bytes are the same on any machine.
    """
    highest = max((bar.high for bar in bars), default=0) or 1
    lines = wrap(title, _TITLE_CHARACTERS)
    parts = [
        f'<text x="0" y="{TITLE_HEIGHT * line + 15}" font-size="14" font-weight="600">{escape(text)}</text>'
        for line, text in enumerate(lines)
    ]
    start = TITLE_HEIGHT * len(lines) + 6
    for row, bar in enumerate(bars):
        top = start + row * ROW_HEIGHT
        length, low, high, plain = (
            WIDTH * share / highest for share in (bar.share, bar.low, bar.high, bar.unweighted)
        )
        label = bar.label if len(bar.label) <= _LONGEST_LABEL else bar.label[: _LONGEST_LABEL - 1] + "…"
        parts.append(
            f'<text x="0" y="{top + 15}" font-size="13">{escape(label)}</text>'
            f'<text x="{WIDTH}" y="{top + 15}" font-size="13" text-anchor="end">{percent(bar.share)}</text>'
            f'<rect x="0" y="{top + 21}" width="{WIDTH}" height="14" fill="var(--panel)"/>'
            f'<rect x="0" y="{top + 21}" width="{length:.1f}" height="14" fill="var(--series-1)"/>'
            f'<rect x="{low:.1f}" y="{top + 27}" width="{high - low:.1f}" height="2" fill="currentColor"/>'
            f'<rect x="{max(0, plain - 1):.1f}" y="{top + 35}" width="2" height="5" fill="currentColor"/>'
        )
    height = start + ROW_HEIGHT * len(bars)
    return Markup(  # noqa: S704 (labels are escaped above)
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
