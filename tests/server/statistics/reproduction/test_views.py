"""Tables and figures of records."""

from __future__ import annotations

from dataclasses import replace

from server.reports.charts import Line
from server.statistics.reproduction.result import Plot, Record
from server.statistics.reproduction.views import curve_rows, figures, tables
from tests.server.statistics.reproduction.examples import record

RECORDS = [
    Record(at={"data": data, "k": k, "method": method}, measure=measure, ours=k * factor, published=published)
    for data in ("census", "eia")
    for method, factor in (("MDAV", 1.0), ("P3M", 0.5))
    for k in (3, 5)
    for measure, published in (("loss", 4.0 if method == "P3M" else None), ("risk", None))
]


def test_a_table_has_a_row_for_each_place_and_columns_for_each_measure() -> None:
    (table,) = tables(RECORDS)
    assert table.columns == ("data", "k", "method", "loss", "loss; published", "risk")
    assert table.rows[:3] == (
        ("census", 3, "MDAV", 3.0, None, 3.0),
        ("census", 5, "MDAV", 5.0, None, 5.0),
        ("census", 3, "P3M", 1.5, 4.0, 1.5),
    )
    limit = replace(record(), sense="at-most")
    assert [t.columns for t in tables([*RECORDS, limit])][1] == ("data", "k", "loss", "loss; at-most")


def test_a_figure_has_a_panel_each_and_curves_for_what_is_left() -> None:
    census, eia = figures([Plot(name="l", title="L", x="k", y=("loss",), panels=("data",))], RECORDS)
    assert (census.name, census.title, eia.name) == ("l-census", "L: census", "l-eia")
    assert (census.x_label, census.y_label) == ("k", "loss")
    assert census.curves == (
        Line(label="MDAV", x=(3.0, 5.0), y=(3.0, 5.0)),
        Line(label="P3M", x=(3.0, 5.0), y=(1.5, 2.5)),
        Line(label="P3M, published", x=(3.0, 5.0), y=(4.0, 4.0), published=True),
    )
    by_measure = figures([Plot(name="m", title="M", x="k", y=("loss", "risk"), panels=("measure",))], RECORDS)
    assert [figure.y_label for figure in by_measure] == ["loss", "risk"]
    assert by_measure[1].curves[0].label == "census, MDAV"
    assert figures([Plot(name="n", title="N", x="k", y=("gain",))], RECORDS) == ()


def test_a_measure_against_another_runs_along_a_key() -> None:
    plot = Plot(name="t", title="T", x="risk", along="k", y=("loss",), panels=("data",))
    baseline = Record(at={"data": "census", "k": 3, "method": "none"}, measure="loss", ours=0.0)
    census = figures([plot], [*RECORDS, baseline])[0]
    assert census.curves[1].x == (1.5, 2.5)
    assert [curve.label for curve in census.curves if not curve.published] == ["MDAV", "P3M"]


def test_only_positive_values_stand_on_logarithmic_axes() -> None:
    zero = Record(at={"k": 1}, measure="loss", ours=0.0)
    one = Record(at={"k": 2}, measure="loss", ours=1.0)
    plot = Plot(name="t", title="T", x="k", y=("loss",), log_y=True)
    assert figures([plot], [zero, one])[0].curves == (Line(label="loss", x=(2.0,), y=(1.0,)),)
    assert figures([plot], [zero]) == ()


def test_curves_with_the_same_x_share_a_column() -> None:
    census = figures([Plot(name="l", title="L", x="k", y=("loss",), panels=("data",))], RECORDS)[0]
    assert curve_rows(census).rows == ((3, 3, 1.5, 4), (5, 5, 2.5, 4))
    apart = replace(census, curves=(census.curves[0], Line(label="b", x=(7.0,), y=(1.0,))))
    assert curve_rows(apart).columns == ("curve", "k", "loss")
    assert curve_rows(apart).rows[-1] == ("b", 7, 1)
