"""Pictures of reports: matplotlib's drawing, made fit to stand inside a page.

The SVG that matplotlib writes is turned into one that takes its colours and fonts from the page (so it is
dark in the dark scheme), has no style attributes (so a strict policy can hold), has names of its own, and is
the same bytes each time.
"""

from __future__ import annotations

import html
import io
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from server.reports.numbers import significant

# Colours that stand for the page's own; replaced after drawing.
INK, RULE, MARK = "#010101", "#020202", "#030303"
SERIES = ("#040404", "#050505", "#060606", "#070707")
_PAGE_COLOURS = {
    INK: "currentColor",
    RULE: "var(--rule)",
    MARK: "var(--mark)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(SERIES, 1)},
}
_SETTINGS: Any = {
    "svg.hashsalt": "roomful",
    "svg.fonttype": "none",
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.8,
    "path.simplify": False,
}
POWERS = FuncFormatter(lambda value, _: significant(Decimal(repr(float(value)))).removeprefix("1 × "))
_SIZE_INCHES = (4.7, 3.2)
_MOST_STEPS = 5
"""Between numbers below a chart, so that numbers of six digits have room."""
_FEW_BINS = 5
_STYLE = re.compile(r' style="([^"]*)"')
_FONT = re.compile(r"^(?:(?:normal|bold|italic|[1-9]00)\s+)*([0-9.]+)px\b.*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a chart: points with numbers only for drawing; the table beside it has the exact texts."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or not self.x:
            raise ValueError("a line needs as many x as y, at least one")


def line_chart(
    *,
    name: str,
    alt: str,
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    mark: tuple[float, float] | None = None,
    mark_label: str = "",
    log_x: bool = False,
    log_y: bool = False,
    steps: bool = False,
) -> Markup:
    """Draw lines over a common axis, with one point marked (today's choice).

    Parameters
    ----------
    name : str
        Prefix of the names inside the SVG; distinct within a page.
    alt : str
        What the picture says, in a sentence.
    lines : sequence of Line
        At most four; told apart by dashes as well as by colour.
    mark : tuple of two floats, optional
        Point of the present choice, with ``mark_label``.
    log_x, log_y, steps : bool
        Logarithmic axes; steps instead of slopes between points.

    Returns
    -------
    Markup
        An ``svg`` element.
    """
    if len(lines) > len(SERIES):
        raise ValueError(f"at most {len(SERIES)} lines can be told apart")

    def draw(axes: Axes) -> None:
        dashes = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
        for line, colour, dash in zip(lines, SERIES, dashes, strict=False):
            style = "steps-post" if steps else "default"
            single = "o" if len(line.x) == 1 else None
            axes.plot(
                line.x, line.y, color=colour, linestyle=dash, drawstyle=style, label=line.label, marker=single
            )
        if log_x:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(POWERS)
            axes.xaxis.set_minor_formatter(NullFormatter())
        else:
            axes.xaxis.set_major_locator(MaxNLocator(_MOST_STEPS, steps=(1, 2, 5, 10)))
        if log_y:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(POWERS)
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.set_ylim(bottom=0)
        axes.minorticks_off()
        if mark is not None:
            axes.plot(
                [mark[0]], [mark[1]], color=MARK, marker="D", markersize=7, linestyle="none", label=mark_label
            )
        if len(lines) > 1 or mark is not None:
            axes.legend(frameon=False, fontsize=8.5)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    return drawing(draw, name=name, alt=alt)


def histogram(
    *,
    name: str,
    alt: str,
    values: Sequence[int],
    x_label: str,
    y_label: str,
    marks: Sequence[tuple[float, str]] = (),
    max_bins: int = 30,
) -> tuple[Markup, tuple[tuple[int, int, int], ...]]:
    """Draw how often whole numbers occur, with vertical lines at ``marks``.

    Returns
    -------
    svg : Markup
    bins : tuple of (low, high, count)
        Inclusive whole-number bins, for the table beside the picture.
    """
    if not values:
        raise ValueError("there is nothing to count")
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // max_bins))
    n_bins = (high - low) // width + 1
    counts = [0] * n_bins
    for value in values:
        counts[(value - low) // width] += 1
    bins = tuple((low + i * width, low + (i + 1) * width - 1, count) for i, count in enumerate(counts))

    def draw(axes: Axes) -> None:
        lefts = [start - 0.5 for start, _, _ in bins]
        axes.bar(lefts, counts, width=width * 0.94, align="edge", color=SERIES[0])
        for position, label in marks:
            axes.axvline(position, color=MARK, linestyle=(0, (5, 2)), linewidth=1.4, label=label)
        if marks:
            axes.legend(frameon=False, fontsize=8.5)
        axes.grid(visible=False, axis="x")
        if n_bins < _FEW_BINS:
            axes.set_xlim(low - 3, bins[-1][1] + 3)  # bars, not a wall
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    return drawing(draw, name=name, alt=alt), bins


def drawing(draw: Callable[[Axes], None], *, name: str, alt: str) -> Markup:
    """Return as an ``svg`` element what ``draw`` draws; it may change the size of the axes' figure.

    Parameters
    ----------
    draw : callable
        Uses `INK`, `RULE`, `MARK` and `SERIES` as colours.
    name, alt : str
        As in `line_chart`.
    """
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # Texts stay text and are shown in the reader's fonts, which have more scripts than the measuring one.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        draw(axes)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"), None))
    return Markup(_for_page(out.getvalue(), name, alt))  # noqa: S704 (matplotlib escapes its texts)


def _for_page(text: str, name: str, alt: str) -> str:
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'\bxlink:href="#([^"]+)"', rf'href="#{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    text = _STYLE.sub(lambda match: _attributes(match[1]), text)
    for colour, page_colour in _PAGE_COLOURS.items():
        text = text.replace(colour, page_colour)
    view = re.search(r'viewBox="[^"]+"', text)
    if view is None:
        raise ValueError("the drawing has no view box")
    body = text[text.index(">") + 1 :]
    body = re.sub(r"\n\s*", "\n", body).strip()
    label = html.escape(alt)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {view[0]} role="img" aria-label="{label}">\n{body}'


def _attributes(style: str) -> str:
    """Return the declarations of a style attribute as presentation attributes; fonts keep only their size."""
    result = ""
    for declaration in html.unescape(style).split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if not key or key == "font-family":
            continue
        if key == "font":
            size = _FONT.match(value)
            key, value = "font-size", size[1] if size else ""
        if value:
            result += f' {key}="{html.escape(value)}"'
    return result
