"""Figures as SVG: inside a page, and as files of their own that need no page."""

from __future__ import annotations

import math

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from server.reports.page import colours
from server.reports.pictures import POWERS, SERIES, drawing
from server.statistics.reproduction.views import Figure

_DASHES = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_MARKERS = ("o", "s", "^", "D")
_FEW_POINTS = 16
_STANDALONE = (
    "svg { color: var(--ink); background: var(--paper); font-family: system-ui, sans-serif; } "
    "text { fill: var(--ink); }"
)


def alternative(figure: Figure) -> str:
    """What the picture says, for those who cannot see it: axes, and where each curve begins and ends."""
    ends = []
    for curve in figure.curves:
        first, last = curve.y[0], curve.y[-1]
        where = (
            f"{curve.label}: {first:.4g}"
            if len(curve.y) == 1
            else f"{curve.label}: {first:.4g} to {last:.4g}"
        )
        ends.append(where + (" (published)" if curve.published and "published" not in curve.label else ""))
    return f"{figure.title}. {figure.y_label} against {figure.x_label}. {'; '.join(ends)}."


def picture(figure: Figure, prefix: str) -> Markup:
    """Return the figure as an ``svg`` element for a page.

    Parameters
    ----------
    figure : Figure
        Published curves are hollow marks in the colour of the curve of ours that stands before them.
    prefix : str
        Makes names inside the page distinct.
    """

    def draw(axes: Axes) -> None:
        _curves(axes, figure)
        _scales(axes, figure)
        axes.set_xlabel(figure.x_label)
        axes.set_ylabel(figure.y_label)
        _legend(axes, len(figure.curves))

    return drawing(draw, name=f"{prefix}-{figure.name}", alt=alternative(figure))


def standalone(svg: Markup) -> str:
    """Return the element as a document of its own, with the page's colours, dark scheme included."""
    head, _, rest = str(svg).partition(">")
    return f"{head}>\n<style>{colours()}\n{_STANDALONE}</style>\n{rest}\n"


def _curves(axes: Axes, figure: Figure) -> None:
    ours = -1
    for curve in figure.curves:
        if not curve.published:
            ours += 1
        place = max(ours, 0)
        colour = SERIES[place % len(SERIES)]
        family = place // len(SERIES)
        if curve.published:
            axes.plot(
                curve.x,
                curve.y,
                linestyle="none",
                marker=_MARKERS[place % len(_MARKERS)],
                markersize=8,
                markerfacecolor="none",
                markeredgewidth=1.6,
                color=colour,
                label=curve.label,
            )
        else:
            marker = _MARKERS[place % len(_MARKERS)] if len(curve.x) <= _FEW_POINTS else None
            dash = _DASHES[(place + family) % len(_DASHES)]
            axes.plot(
                curve.x,
                curve.y,
                color=colour,
                linestyle=dash,
                marker=marker,
                markersize=3.5,
                label=curve.label,
            )


def _scales(axes: Axes, figure: Figure) -> None:
    x = [value for curve in figure.curves for value in curve.x]
    y = [value for curve in figure.curves for value in curve.y]
    if figure.log_x:
        axes.set_xscale("log")
        _logarithmic(axes.xaxis, max(x) / min(x))
    elif all(float(value).is_integer() for value in x):
        axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    if figure.log_y:
        axes.set_yscale("log")
        _logarithmic(axes.yaxis, max(y) / min(y))
    elif 0 <= min(y) < 0.5 * max(y):
        axes.set_ylim(bottom=0)


def _logarithmic(axis: object, ratio: float) -> None:
    """Labels like 10⁻³; where fewer than two decades are seen, also 2 and 5 times the powers."""
    decades = math.log10(ratio) if ratio > 1 else 0.0
    steps = (1.0, 2.0, 5.0) if decades < 2 else (1.0,)
    axis.set_major_locator(LogLocator(subs=steps, numticks=7))  # type: ignore[attr-defined]
    axis.set_major_formatter(POWERS)  # type: ignore[attr-defined]
    axis.set_minor_formatter(NullFormatter())  # type: ignore[attr-defined]


def _legend(axes: Axes, n_curves: int) -> None:
    axes.minorticks_off()
    if n_curves == 1:
        return
    figure = axes.figure
    if n_curves <= 3 or not isinstance(figure, MatplotlibFigure):
        axes.legend(frameon=False, fontsize=8.5)
        return
    # Many curves: the legend stands below, and the picture grows so that the plot keeps its size.
    columns = 2 if max(len(str(text)) for text in axes.get_legend_handles_labels()[1]) < 30 else 1
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + 0.17 * math.ceil(n_curves / columns) + 0.1)
    figure.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)
