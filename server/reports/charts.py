"""Charts of reports: lines, histograms and bars, made fit to stand inside a page.

Each is an SVG that takes its colours and fonts from the page (so it is dark in the dark scheme), has no style
attributes (so a strict policy can hold), refers to no names, and has numbers with one decimal, so that it
is the same bytes on any machine. Drawn without a library (decision 0192): texts stand above and below what
they explain, where long ones have room.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from textwrap import wrap
from typing import Final
from unicodedata import east_asian_width

from markupsafe import Markup

from server.reports.numbers import percent, whole
from server.reports.page import Picture, colours, data_table
from server.reports.scales import Scale, linear, logarithmic

_WIDTH, _PLOT_HEIGHT = 400, 210
_SIZE, _GAP = 12, 8
_LETTER: Final = 0.6
"""Width of a letter or digit, by its height, in the wide ones of the fonts that pages take."""
_MARK: Final = "var(--mark)"
_SERIES: Final = tuple(f"var(--series-{number})" for number in range(1, 5))
_DASHES: Final = ("", "9 4", "2.5 2.5", "10 3 2.5 3")
_FEW_POINTS: Final = 16
"""So many points are shown as points."""
_FEW_BINS: Final = 5
_SWATCH: Final = 26
_LETTERS_ACROSS: Final = 46
"""So many have room below a plot."""
_STANDALONE: Final = (
    "svg { color: var(--ink); background: var(--paper); font-family: system-ui, sans-serif; } "
    "text { fill: var(--ink); }"
)
_LONGEST_LABEL, _LONGEST_NAME = 25, 11
"""Of a bar, and below a distribution, by the height of the letters."""
_DISTRIBUTION_WIDTH, _DISTRIBUTION_HEIGHT = 260, 56

_Points = Sequence[tuple[float, float]]


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
    number: Callable[[Decimal], str] | None = None,
) -> Markup:
    """Draw lines over a common axis, with one point marked (today's choice).

    Parameters
    ----------
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
    number : callable, optional
        Writes a number at an axis; by default as reports do.

    Returns
    -------
    Markup
        An ``svg`` element.
    """
    if sum(not line.published for line in lines) > len(_SERIES) * len(_DASHES):
        raise ValueError(f"at most {len(_SERIES) * len(_DASHES)} lines can be told apart")
    looks = _looks(lines)
    curves = [tuple(zip(line.x, line.y, strict=True)) for line in lines]
    legend = [(look, line.label) for look, line in zip(looks, lines, strict=True)]
    if mark is not None:
        looks, curves = (*looks, _TODAY), [*curves, (mark,)]
        legend.append((_TODAY, mark_label))
    x, y = ([point[axis] for curve in curves for point in curve] for axis in (0, 1))
    across = (logarithmic if log_x else linear)(x, most_letters=_LETTERS_ACROSS)
    up = logarithmic(y) if log_y else linear(y, from_zero=from_zero or 0 <= min(y) < 0.5 * max(y))
    if number is not None:
        across, up = across.written(number), up.written(number)
    plot = _Plot(x=across, y=up, grid=True)
    placed = [plot.points(curve) for curve in curves]
    drawn = [look.drawn(points, points, steps=steps) for look, points in zip(looks, placed, strict=True)]
    if len(legend) == 1:
        legend = []
    return plot.chart(drawn, alt=alt, legend=legend, x_label=x_label, y_label=y_label)


def histogram(
    *,
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
    beside = 1.5 if len(bins) < _FEW_BINS else 0.5  # bars, not a wall
    ends = [low - beside, bins[-1][1] + beside, *(position for position, _ in marks)]
    plot = _Plot(
        x=linear(ends, whole_numbers=True, most_letters=_LETTERS_ACROSS),
        y=linear(counts, from_zero=True, whole_numbers=True),
    )
    path = ""
    for start, _, count in bins:
        (x, y), (end, foot) = plot.points(
            [(start - 0.5 + 0.03 * width, count), (start - 0.5 + 0.97 * width, 0)]
        )
        path += f"M{x:.1f} {foot:.1f}V{y:.1f}H{end:.1f}V{foot:.1f}z"
    drawn, legend = [f'<path d="{path}" fill="{_SERIES[0]}"/>'], []
    for number, (position, label) in enumerate(marks):
        look = _Look(colour=_MARK, dash=_DASHES[1 + number % (len(_DASHES) - 1)])
        ((x, foot),) = plot.points([(position, 0)])
        drawn.append(look.drawn([(x, 0), (x, foot)], ()))
        legend.append((look, label))
    rows = tuple((whole(a) if a == b else f"{whole(a)} to {whole(b)}", whole(n)) for a, b, n in bins if n)
    table = data_table("The same in numbers", (x_label, y_label), rows, folded=True)
    svg = plot.chart(drawn, alt=alt, legend=legend, x_label=x_label, y_label=y_label)
    return Picture(svg=svg, caption=caption, data=table)


def _disc(r: float) -> str:
    return f"m{-r} 0a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0"


def _square(r: float) -> str:
    return f"m{-r} {-r}h{2 * r}v{2 * r}h{-2 * r}z"


def _triangle(r: float) -> str:
    return f"m0 {-r}l{r} {2 * r}h{-2 * r}z"


def _diamond(r: float) -> str:
    return f"m0 {-r}l{r} {r}l{-r} {r}l{-r} {-r}z"


_MARKERS: Final = (_disc, _square, _triangle, _diamond)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How a line is drawn, in the plot and in the legend.

    Attributes
    ----------
    colour : str
    dash : str, optional
        As ``stroke-dasharray``; without it no line joins the points.
    marker : callable, optional
        Outline of a mark, by its radius; without it points have no marks.
    radius : float
    hollow : bool
    """

    colour: str
    dash: str | None = None
    marker: Callable[[float], str] | None = None
    radius: float = 2.5
    hollow: bool = False

    def drawn(self, points: _Points, marked: _Points, *, steps: bool = False) -> str:
        """Return a line through ``points``, and marks at ``marked``."""
        result = ""
        if points and self.dash is not None:
            dash = f' stroke-dasharray="{self.dash}"' if self.dash else ""
            result += _stroke(_through(points, steps=steps), self.colour, f' stroke-width="2"{dash}')
        if marked and self.marker is not None:
            outline = self.marker(self.radius)
            path = "".join(f"M{x:.1f} {y:.1f}{outline}" for x, y in marked)
            if self.hollow:
                result += _stroke(path, self.colour, ' stroke-width="1.6"')
            else:
                result += f'<path d="{path}" fill="{self.colour}"/>'
        return result


_TODAY: Final = _Look(colour=_MARK, marker=_diamond, radius=5)


def _looks(lines: Sequence[Line]) -> tuple[_Look, ...]:
    """The looks of lines: those of ours differ, and a published one is like the one of ours before it."""
    looks = []
    place = -1
    for line in lines:
        place = max(0, place + (not line.published))
        colour, marker = _SERIES[place % len(_SERIES)], _MARKERS[place % len(_MARKERS)]
        if line.published:
            looks.append(_Look(colour=colour, marker=marker, radius=5.5, hollow=True))
        else:
            dash = _DASHES[(place + place // len(_SERIES)) % len(_DASHES)]
            few = len(line.x) <= _FEW_POINTS
            looks.append(_Look(colour=colour, dash=dash, marker=marker if few else None))
    return tuple(looks)


def _stroke(path: str, colour: str, more: str = "") -> str:
    return f'<path d="{path}" fill="none" stroke="{colour}"{more}/>'


def _through(points: _Points, *, steps: bool) -> str:
    """Return a path through points, without those that stand where the one before them does."""
    path, before = "", ("", "")
    for place in ((f"{x:.1f}", f"{y:.1f}") for x, y in points):
        if place == before:
            continue
        x, y = before = place
        if not path:
            path = f"M{x} {y}"
        else:
            path += f"H{x}V{y}" if steps else f"L{x} {y}"
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Two axes and the space between them, in which (0, 0) is the upper left corner.

    Attributes
    ----------
    x, y : Scale
    grid : bool
        Whether lines stand at the numbers below, too.
    """

    x: Scale
    y: Scale
    grid: bool = False

    @property
    def left(self) -> float:
        """Room for the numbers on the left."""
        return max((len(text) for _, text in self.y.ticks), default=0) * _SIZE * _LETTER + _GAP

    @property
    def width(self) -> float:
        """Of the space."""
        return _WIDTH - self.left - _GAP

    def points(self, values: Iterable[tuple[float, float]]) -> _Points:
        """Return where points stand, without those that have no place on the axes."""
        width = self.width
        return [
            (width * self.x.place(x), _PLOT_HEIGHT * (1 - self.y.place(y)))
            for x, y in values
            if self.x.holds(x) and self.y.holds(y)
        ]

    def chart(
        self,
        drawn: Sequence[str],
        *,
        alt: str,
        legend: Sequence[tuple[_Look, str]],
        x_label: str,
        y_label: str,
    ) -> Markup:
        """Return the picture; above what is drawn stand the legend and the label of the upright axis."""
        above, top = _legend(legend)
        label, top = _text(y_label, 0, top)
        space = (
            f'<g transform="translate({self.left:.1f} {top + _GAP:.1f})">{self._axes()}{"".join(drawn)}</g>'
        )
        end = top + _GAP + _PLOT_HEIGHT + _SIZE + 4 + _GAP
        right = self.left + self.width
        below, end = _text(x_label, right, end, room=right, more=' text-anchor="end"')
        return _svg(f"{above}{label}{space}{below}", _WIDTH, end + _GAP, alt)

    def _axes(self) -> str:
        """Return the grid, the two axes and the numbers beside them."""
        width, numbers = self.width, []
        grid, axes = "", f"M0 0V{_PLOT_HEIGHT}H{width:.1f}"
        for tick, text in self.y.ticks:
            y = _PLOT_HEIGHT * (1 - self.y.place(tick))
            grid += f"M0 {y:.1f}H{width:.1f}"
            numbers.append(f'<text x="-6" y="{y + _SIZE / 3:.1f}" text-anchor="end">{text}</text>')
        for tick, text in self.x.ticks:
            x = width * self.x.place(tick)
            grid += f"M{x:.1f} 0V{_PLOT_HEIGHT}" if self.grid else ""
            axes += f"M{x:.1f} {_PLOT_HEIGHT}v4"
            half = _SIZE * _width(text) / 2
            x = max(half - self.left, min(x, width + _GAP - half))
            numbers.append(
                f'<text x="{x:.1f}" y="{_PLOT_HEIGHT + _SIZE + 4}" text-anchor="middle">{text}</text>'
            )
        return _stroke(grid, "var(--rule)") + _stroke(axes, "currentColor") + "".join(numbers)


def _legend(entries: Sequence[tuple[_Look, str]]) -> tuple[str, float]:
    """Return what each look stands for, in columns that have room for the texts, and where they end."""
    if not entries:
        return "", 0
    longest = _SIZE * max(_width(label) for _, label in entries)
    column = min(_WIDTH, _SWATCH + _GAP + longest + 2 * _GAP)
    columns = int(_WIDTH // column)
    parts, top, end = [], 0.0, 0.0
    for number, (look, label) in enumerate(entries):
        place = number % columns
        if place == 0:
            top = end
        x, y = column * place, top + _SIZE / 2 + 2
        text, bottom = _text(label, x + _SWATCH + _GAP, top, room=column - _SWATCH - _GAP)
        parts.append(look.drawn([(x, y), (x + _SWATCH, y)], [(x + _SWATCH / 2, y)]) + text)
        end = max(end, bottom)
    return "".join(parts), end + _GAP


def bar_chart(bars: Sequence[Bar], *, title: str, share: Callable[[float], str] = percent) -> Markup:
    """Draw one bar below the other under a title, each under its label.

    Parameters
    ----------
    bars : sequence of Bar
        From top to bottom. A thin line is the interval, a tick below the bar the unweighted share.
    title : str
        What was asked; also read to those who cannot see the picture. The exact numbers belong into a table
        beside.
    share : callable
        Writes a share; by default as reports do.
    """
    highest = max((bar.high for bar in bars), default=0) or 1
    heading, end = _text(title, 0, 0, room=0.9 * _WIDTH, size=14, more=' font-weight="600"')
    parts = [heading]
    for bar in bars:
        top = end + 6
        length, low, high, plain = (
            _WIDTH * each / highest for each in (bar.share, bar.low, bar.high, bar.unweighted)
        )
        label, _ = _text(_shortened(bar.label, _LONGEST_LABEL), 0, top, size=13)
        written, end = _text(share(bar.share), _WIDTH, top, size=13, more=' text-anchor="end"')
        parts.append(
            f'{label}{written}<rect y="{end + 4:g}" width="{_WIDTH}" height="14" fill="var(--panel)"/>'
            f'<rect y="{end + 4:g}" width="{length:.1f}" height="14" fill="{_SERIES[0]}"/>'
            f'<rect x="{low:.1f}" y="{end + 10:g}" width="{high - low:.1f}" height="2"/>'
            f'<rect x="{max(0, plain - 1):.1f}" y="{end + 18:g}" width="2" height="5"/>'
        )
        end += 23
    return _svg("".join(parts), _WIDTH, end, title)


def distribution(counts: Sequence[tuple[str, float]], *, alt: str) -> Markup:
    """Draw how often each value, or range of numbers, occurs: bars side by side, first and last named.

    Parameters
    ----------
    counts : sequence of (str, float)
        From left to right; at least one above 0.
    alt : str
        What the picture says, in a sentence; the numbers belong into a text beside.
    """
    highest = max(count for _, count in counts)
    width = _DISTRIBUTION_WIDTH / len(counts)
    path = "".join(
        f"M{width * place:.1f} {_DISTRIBUTION_HEIGHT}v{-_DISTRIBUTION_HEIGHT * count / highest:.1f}"
        f"h{max(width - 1, 0.5):.1f}V{_DISTRIBUTION_HEIGHT}z"
        for place, (_, count) in enumerate(counts)
    )
    first, last = (_shortened(counts[place][0], _LONGEST_NAME) for place in (0, -1))
    names, end = _text(first, 0, _DISTRIBUTION_HEIGHT + 2)
    if len(counts) > 1:
        names += _text(last, _DISTRIBUTION_WIDTH, _DISTRIBUTION_HEIGHT + 2, more=' text-anchor="end"')[0]
    return _svg(f'<path d="{path}" fill="{_SERIES[0]}"/>{names}', _DISTRIBUTION_WIDTH, end, alt)


def standalone(svg: Markup) -> str:
    """Return a chart as a document of its own, with the page's colours, dark scheme included."""
    head, _, rest = str(svg).partition(">")
    return f"{head}>\n<style>{colours()}\n{_STANDALONE}</style>\n{rest}\n"


def _width(text: str) -> float:
    """About how wide a text is, by its height; East Asian letters are as wide as high."""
    return sum(1.0 if east_asian_width(letter) in "WF" else _LETTER for letter in text)


def _text(
    text: str, x: float, top: float, *, room: float = _WIDTH, size: int = _SIZE, more: str = ""
) -> tuple[str, float]:
    """Return a text below ``top`` in as many lines as it needs, and where they end."""
    lines = wrap(text, int(room / (size * max(map(_width, text), default=1))))
    height = size + 4
    if size != _SIZE:
        more += f' font-size="{size}"'
    parts = (
        f'<text x="{x:g}" y="{top + height * number + size:g}" unicode-bidi="plaintext"{more}>{line}</text>'
        for number, line in enumerate(html.escape(text, quote=False) for text in lines)
    )
    return "".join(parts), top + height * len(lines)


def _shortened(text: str, longest: float) -> str:
    """Return as much of a text as is not wider than that, by its height."""
    kept = len(text)
    while _width(text[:kept]) > longest:
        kept -= 1
    return text if kept == len(text) else text[: kept - 1] + "…"


def _svg(content: str, width: float, height: float, alt: str) -> Markup:
    return Markup(  # noqa: S704 (texts are escaped where they are set)
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{html.escape(alt)}" direction="ltr" fill="currentColor" font-size="{_SIZE}">'
        f"{content}</svg>"
    )
