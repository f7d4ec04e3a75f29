"""Figures as SVG: inside a page, and as files of their own that need no page."""

from __future__ import annotations

from markupsafe import Markup

from server.reports.charts import line_chart
from server.statistics.reproduction.views import Figure


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


def picture(figure: Figure) -> Markup:
    """Return the figure as an ``svg`` element for a page.

    Parameters
    ----------
    figure : Figure
        Published curves are hollow marks in the colour of the curve of ours that stands before them.
    """

    return line_chart(
        alt=alternative(figure),
        lines=figure.curves,
        x_label=figure.x_label,
        y_label=figure.y_label,
        log_x=figure.log_x,
        log_y=figure.log_y,
        from_zero=False,
    )
