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
    """One bar: its label, and how many of ``total`` people it stands for."""

    label: str
    count: int
    total: int

    @property
    def percent(self) -> str:
        """Share of the people, with one decimal."""
        return f"{100 * self.count / self.total:.1f} %" if self.total else "0.0 %"


def bar_chart(bars: Sequence[Bar], *, title: str) -> Markup:
    """Draw one bar below the other under a title, each under its label.

    Parameters
    ----------
    bars : sequence of Bar
        From top to bottom; the longest fills the width.
    title : str
        What was asked; also read to those who cannot see the picture. The exact numbers belong into a table
        beside.

    Notes
    -----
    Colours are those of the page. No style attributes, so that a strict policy can hold; numbers have one
    decimal, so that the bytes are the same on any machine.
    """
    highest = max((bar.count for bar in bars), default=0) or 1
    lines = wrap(title, _TITLE_CHARACTERS)
    parts = [
        f'<text x="0" y="{TITLE_HEIGHT * line + 15}" font-size="14" font-weight="600">{escape(text)}</text>'
        for line, text in enumerate(lines)
    ]
    start = TITLE_HEIGHT * len(lines) + 6
    for row, bar in enumerate(bars):
        top = start + row * ROW_HEIGHT
        length = WIDTH * bar.count / highest
        label = bar.label if len(bar.label) <= _LONGEST_LABEL else bar.label[: _LONGEST_LABEL - 1] + "…"
        parts.append(
            f'<text x="0" y="{top + 15}" font-size="13">{escape(label)}</text>'
            f'<text x="{WIDTH}" y="{top + 15}" font-size="13" text-anchor="end">{bar.percent}</text>'
            f'<rect x="0" y="{top + 21}" width="{WIDTH}" height="14" fill="var(--panel)"/>'
            f'<rect x="0" y="{top + 21}" width="{length:.1f}" height="14" fill="var(--series-1)"/>'
        )
    height = start + ROW_HEIGHT * len(bars)
    return Markup(  # noqa: S704 (labels are escaped above)
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
