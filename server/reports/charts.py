"""Charts of reports: lines, histograms and bars, made fit to stand inside a page.

Each is an SVG that takes its colours and fonts from the page (so it is dark in the dark scheme), has no
style attributes (so a strict policy can hold), has names of its own, and is the same bytes each time. What
matplotlib draws is turned into such a one.
"""

from __future__ import annotations

import html
import io
import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap
from threading import Lock
from typing import Any, Final

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from server.reports.numbers import percent, significant, whole
from server.reports.page import Picture, colours, data_table

# Colours that stand for the page's own; replaced after drawing.
_INK, _RULE, _MARK = "#010101", "#020202", "#030303"
_SERIES: Final = ("#040404", "#050505", "#060606", "#070707")
_PAGE_COLOURS: Final = {
    _INK: "currentColor",
    _RULE: "var(--rule)",
    _MARK: "var(--mark)",
    **{colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES, 1)},
}
_SETTINGS: Final[Any] = {
    "svg.hashsalt": "roomful",
    "svg.fonttype": "none",
    "font.size": 9.5,
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "grid.color": _RULE,
    "grid.linewidth": 0.6,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "lines.linewidth": 1.8,
    "path.simplify": False,
}
_POWERS: Final = FuncFormatter(lambda value, _: significant(Decimal(repr(float(value)))).removeprefix("1 × "))
_SIZE_INCHES: Final = (4.7, 3.2)
_MOST_STEPS: Final = 5
"""Between numbers below a chart, so that numbers of six digits have room."""
_FEW_BINS: Final = 5
_DASHES: Final[Any] = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_MARKERS: Final = ("o", "s", "^", "D")
_FEW_POINTS: Final = 16
"""So many points are shown as points."""
_BESIDE: Final = 3
"""So many lines are named inside the chart, more below it."""
_STANDALONE: Final = (
    "svg { color: var(--ink); background: var(--paper); font-family: system-ui, sans-serif; } "
    "text { fill: var(--ink); }"
)
_BAR_WIDTH, _ROW_HEIGHT, _TITLE_HEIGHT = 400, 44, 19
_LONGEST_LABEL, _TITLE_CHARACTERS = 40, 42
_DISTRIBUTION_WIDTH, _DISTRIBUTION_HEIGHT, _DISTRIBUTION_LABEL = 260, 56, 18
_ONE_AT_A_TIME: Final = Lock()
"""matplotlib's settings are those of the whole process."""
_STYLE: Final = re.compile(r' style="([^"]*)"')
_FONT: Final = re.compile(r"^(?:(?:normal|bold|italic|[1-9]00)\s+)*([0-9.]+)px\b.*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a chart: points with numbers only for drawing; the table beside it has the exact texts.

    A ``published`` one is hollow marks in the colour of the line of ours that stands before it.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    published: bool = False

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y) or not self.x:
            raise ValueError("a line needs as many x as y, at least one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its label, the share that it stands for with its interval, and the unweighted share."""

    label: str
    share: float
    low: float
    high: float
    unweighted: float


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
    from_zero: bool = True,
) -> Markup:
    """Draw lines over a common axis, with one point marked (today's choice).

    Parameters
    ----------
    name : str
        Prefix of the names inside the SVG; distinct within a page.
    alt : str
        What the picture says, in a sentence.
    lines : sequence of Line
        At most sixteen of ours; told apart by dashes as well as by colour.
    mark : tuple of two floats, optional
        Point of the present choice, with ``mark_label``.
    log_x, log_y, steps : bool
        Logarithmic axes; steps instead of slopes between points.
    from_zero : bool
        Whether a linear y axis always begins at 0; otherwise only if the values come near it.

    Returns
    -------
    Markup
        An ``svg`` element.
    """
    if sum(not line.published for line in lines) > len(_SERIES) * len(_DASHES):
        raise ValueError(f"at most {len(_SERIES) * len(_DASHES)} lines can be told apart")

    def draw(axes: Axes) -> None:
        place = -1
        for line in lines:
            place = max(0, place + (not line.published))
            _draw_line(axes, line, place, steps=steps)
        if log_x:
            axes.set_xscale("log")
            _logarithmic(axes.xaxis, [value for line in lines for value in line.x])
        else:
            axes.xaxis.set_major_locator(MaxNLocator(_MOST_STEPS, steps=(1, 2, 5, 10)))
        y = [value for line in lines for value in line.y]
        if log_y:
            axes.set_yscale("log")
            _logarithmic(axes.yaxis, y)
        elif from_zero or 0 <= min(y) < 0.5 * max(y):
            axes.set_ylim(bottom=0)
        axes.minorticks_off()
        if mark is not None:
            axes.plot(
                [mark[0]],
                [mark[1]],
                color=_MARK,
                marker="D",
                markersize=7,
                linestyle="none",
                label=mark_label,
            )
        _legend(axes, len(lines) + (mark is not None))
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    return _drawing(draw, name=name, alt=alt)


def _draw_line(axes: Axes, line: Line, place: int, *, steps: bool) -> None:
    colour, marker = _SERIES[place % len(_SERIES)], _MARKERS[place % len(_MARKERS)]
    if line.published:
        hollow: Any = {"markersize": 8, "markerfacecolor": "none", "markeredgewidth": 1.6}
        axes.plot(line.x, line.y, linestyle="none", marker=marker, color=colour, label=line.label, **hollow)
        return
    axes.plot(
        line.x,
        line.y,
        color=colour,
        linestyle=_DASHES[(place + place // len(_SERIES)) % len(_DASHES)],
        drawstyle="steps-post" if steps else "default",
        marker=marker if len(line.x) <= _FEW_POINTS else None,
        markersize=3.5,
        label=line.label,
    )


def _logarithmic(axis: Any, values: Sequence[float]) -> None:
    """Labels like 10⁻³; where fewer than two decades are seen, also 2 and 5 times the powers.

    Values of 0 have no place on such an axis, and are left out of the picture.
    """
    seen = [value for value in values if value > 0] or [1.0]
    decades = math.log10(max(seen)) - math.log10(min(seen))
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2 else (1.0,), numticks=7))
    axis.set_major_formatter(_POWERS)
    axis.set_minor_formatter(NullFormatter())


def _legend(axes: Axes, n_labels: int) -> None:
    figure = axes.figure
    if n_labels == 1:
        return
    if n_labels <= _BESIDE or not isinstance(figure, Figure):
        axes.legend(frameon=False, fontsize=8.5)
        return
    # Many lines: the legend stands below, and the picture grows so that the plot keeps its size.
    columns = 2 if max(len(str(text)) for text in axes.get_legend_handles_labels()[1]) < 30 else 1
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + 0.17 * math.ceil(n_labels / columns) + 0.1)
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)


def histogram(
    *,
    name: str,
    alt: str,
    caption: str,
    values: Sequence[int],
    x_label: str,
    y_label: str,
    marks: Sequence[tuple[float, str]] = (),
    max_bins: int = 30,
) -> Picture:
    """Draw how often whole numbers occur, with vertical lines at ``marks``; with the counts as a table."""
    if not values:
        raise ValueError("there is nothing to count")
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // max_bins))
    counts = [0] * ((high - low) // width + 1)
    for value in values:
        counts[(value - low) // width] += 1
    bins = [(low + i * width, low + (i + 1) * width - 1, count) for i, count in enumerate(counts)]

    def draw(axes: Axes) -> None:
        lefts = [start - 0.5 for start, _, _ in bins]
        axes.bar(lefts, counts, width=width * 0.94, align="edge", color=_SERIES[0])
        for position, label in marks:
            axes.axvline(position, color=_MARK, linestyle=_DASHES[1], linewidth=1.4, label=label)
        if marks:
            axes.legend(frameon=False, fontsize=8.5)
        axes.grid(visible=False, axis="x")
        if len(bins) < _FEW_BINS:
            axes.set_xlim(low - 3, bins[-1][1] + 3)  # bars, not a wall
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    rows = tuple((whole(a) if a == b else f"{whole(a)} to {whole(b)}", whole(n)) for a, b, n in bins if n)
    table = data_table("The same in numbers", (x_label, y_label), rows, folded=True)
    return Picture(svg=_drawing(draw, name=name, alt=alt), caption=caption, data=table)


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
    Drawn by hand: labels stand above their bars, so that long ones have room. Numbers have one decimal, so
    that the bytes are the same on any machine.
    """
    highest = max((bar.high for bar in bars), default=0) or 1
    lines = wrap(title, _TITLE_CHARACTERS)
    bold = 'font-size="14" font-weight="600"'
    parts = [
        f'<text x="0" y="{_TITLE_HEIGHT * line + 15}" {bold}>{html.escape(text)}</text>'
        for line, text in enumerate(lines)
    ]
    start = _TITLE_HEIGHT * len(lines) + 6
    for row, bar in enumerate(bars):
        top = start + row * _ROW_HEIGHT
        length, low, high, plain = (
            _BAR_WIDTH * share / highest for share in (bar.share, bar.low, bar.high, bar.unweighted)
        )
        label = bar.label if len(bar.label) <= _LONGEST_LABEL else bar.label[: _LONGEST_LABEL - 1] + "…"
        text = f'y="{top + 15}" font-size="13"'
        parts.append(
            f'<text x="0" {text}>{html.escape(label)}</text>'
            f'<text x="{_BAR_WIDTH}" {text} text-anchor="end">{percent(bar.share)}</text>'
            f'<rect x="0" y="{top + 21}" width="{_BAR_WIDTH}" height="14" fill="var(--panel)"/>'
            f'<rect x="0" y="{top + 21}" width="{length:.1f}" height="14" fill="var(--series-1)"/>'
            f'<rect x="{low:.1f}" y="{top + 27}" width="{high - low:.1f}" height="2" fill="currentColor"/>'
            f'<rect x="{max(0, plain - 1):.1f}" y="{top + 35}" width="2" height="5" fill="currentColor"/>'
        )
    height = start + _ROW_HEIGHT * len(bars)
    return Markup(  # noqa: S704 (labels are escaped above)
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_BAR_WIDTH} {height}" role="img" '
        f'aria-label="{html.escape(title)}">{"".join(parts)}</svg>'
    )


def distribution(counts: Sequence[tuple[str, int]], *, alt: str) -> Markup:
    """Draw how often each value, or range of numbers, occurs: bars side by side, first and last named.

    Parameters
    ----------
    counts : sequence of (str, int)
        From left to right; at least one above 0.
    alt : str
        What the picture says, in a sentence; the numbers belong into a text beside.

    Notes
    -----
    Drawn by hand, because a page may have dozens of them.
    """
    highest = max(count for _, count in counts)
    width = _DISTRIBUTION_WIDTH / len(counts)
    bars = "".join(
        f'<rect x="{width * place:.1f}" y="{_DISTRIBUTION_HEIGHT * (1 - count / highest):.1f}" '
        f'width="{max(width - 1, 0.5):.1f}" height="{_DISTRIBUTION_HEIGHT * count / highest:.1f}" '
        'fill="var(--series-1)"/>'
        for place, (_, count) in enumerate(counts)
    )
    first, last = (_shortened(counts[place][0]) for place in (0, -1))
    below = _DISTRIBUTION_HEIGHT + 14
    names = f'<text x="0" y="{below}" font-size="12">{html.escape(first)}</text>'
    if len(counts) > 1:
        names += (
            f'<text x="{_DISTRIBUTION_WIDTH}" y="{below}" font-size="12" text-anchor="end">'
            f"{html.escape(last)}</text>"
        )
    return Markup(  # noqa: S704 (labels are escaped above)
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_DISTRIBUTION_WIDTH} {below + 5}" role="img" '
        f'aria-label="{html.escape(alt)}">{bars}{names}</svg>'
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _DISTRIBUTION_LABEL else text[: _DISTRIBUTION_LABEL - 1] + "…"


def standalone(svg: Markup) -> str:
    """Return a chart as a document of its own, with the page's colours, dark scheme included."""
    head, _, rest = str(svg).partition(">")
    return f"{head}>\n<style>{colours()}\n{_STANDALONE}</style>\n{rest}\n"


def _drawing(draw: Callable[[Axes], None], *, name: str, alt: str) -> Markup:
    """Return as an ``svg`` element what ``draw`` draws; it may change the size of the axes' figure."""
    with _ONE_AT_A_TIME, matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # Texts stay text and are shown in the reader's fonts, which have more scripts than the measuring one.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        figure.patch.set_visible(False)
        axes.patch.set_visible(False)
        draw(axes)
        out = io.StringIO()
        # Not figure.savefig, which draws everything once more before that.
        canvas.print_svg(out, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"), None))
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
