"""Masking: the promise is counted on what is written, whatever the method, format and data."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.anonymize import methods
from server.statistics.anonymize.encoding import Encoding
from server.statistics.anonymize.masking import mask
from server.statistics.anonymize.methods import METHODS, find
from server.statistics.anonymize.people import People
from server.statistics.anonymize.preparation import prepare
from server.statistics.anonymize.request import Distances, Request
from server.statistics.microaggregation.preparation import encode
from server.tables.files import open_data
from shared.errors import DesignError, InputError
from tests.data_files import N, town

QUASI = ("age", "height", "sex")


def run(path: Path, out: Path | None = None, **wanted):
    request = Request(
        **(
            {
                "quasi_identifiers": QUASI,
                "k": 5,
                "method": "mdav",
                "confidential": ("illness",),
                "drop": ("name",),
                "keep_order": True,  # to compare record by record; test_written_order.py is about the order
            }
            | wanted
        )
    )
    target = out or path.with_stem("masked")
    return mask(prepare(path, target, request), target), open_data(target)


def smallest_class(file, names=QUASI) -> int:
    columns = [file.column(name).texts.tolist() for name in names]
    return min(Counter(zip(*columns, strict=True)).values())


@pytest.mark.parametrize("method", [m.name for m in METHODS if not m.one_number])
def test_every_method_keeps_its_promise(method: str, town_csv: Path) -> None:
    masked, file = run(town_csv, method=method)
    assert smallest_class(file) >= 5
    assert np.bincount(masked.labels).min() >= 5
    assert "name" not in file.names
    assert file.column("illness").texts.tolist() == town()["illness"].tolist()
    assert file.column("note").texts.tolist() == open_data(town_csv).column("note").texts.tolist()


def test_every_format_keeps_the_promise(town_file: Path) -> None:
    drop = () if town_file.suffix == ".parquet" else ("name",)
    _, file = run(town_file, drop=drop)
    assert smallest_class(file) >= 5
    assert file.column("age").decimals == 0


def test_the_same_town_is_masked_alike_in_every_format(town_file: Path, tmp_path: Path) -> None:
    from tests.data_files import write_csv

    write_csv(tmp_path / "reference.csv")
    _, reference = run(tmp_path / "reference.csv", quasi_identifiers=("age",), confidential=(), drop=())
    _, file = run(town_file, quasi_identifiers=("age",), confidential=(), drop=())
    assert file.column("age").numbers.tolist() == reference.column("age").numbers.tolist()


def test_published_values_are_means_rounded_to_the_decimals_of_the_file_and_modes(town_csv: Path) -> None:
    masked, file = run(town_csv)
    frame = town()
    for group in range(masked.labels.max() + 1):
        members = masked.labels == group
        assert set(file.column("age").numbers[members]) == {np.rint(frame["age"][members].mean())}
        (height,) = set(file.column("height").numbers[members])
        assert height == pytest.approx(frame["height"][members].mean(), abs=0.005001)
        counts = Counter(frame["sex"][members])
        (sex,) = set(file.column("sex").texts[members])
        assert counts[sex] == max(counts.values())
    _, exact = run(town_csv, unrounded=True)
    assert exact.column("age").decimals > 0


def test_missing_values_are_refused_dropped_or_a_category(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{i},{'' if i in (3, 4, 5, 6, 7) else 'fm'[i % 2]},x" for i in range(30)]
    path.write_text("age,sex,ill\n" + "\n".join(rows) + "\n")
    wanted = {"quasi_identifiers": ("age", "sex"), "confidential": ("ill",), "drop": (), "k": 3}
    with pytest.raises(InputError, match=r"5 records have no .sex."):
        run(path, **wanted)
    dropped, file = run(path, missing="drop", **wanted)
    assert file.n_records == 25
    assert "5 records" in dropped.warnings[0]
    assert dropped.prepared.rows.tolist() == [0, 1, 2, *range(8, 30)]
    _, file = run(path, missing="category", **wanted)
    assert file.n_records == 30
    assert smallest_class(file, ("age", "sex")) >= 3
    path.write_text("age,ill\n" + "1,x\n,x\n" * 5)
    _, file = run(path, missing="category", quasi_identifiers=("age",), confidential=("ill",), drop=(), k=2)
    assert file.column("age").missing.sum() == 5


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"k": 41}, "40 records, fewer than k = 41"),
        ({"k": 1}, "at least 2"),
        ({"method": "magic"}, "no method"),
        ({"options": {"strict": False}}, "no option --relaxed"),
        ({"seed": 1}, "does not depend on chance"),
        ({"method": "univariate"}, "exactly one numeric"),
        ({"breach": "p3m"}, "is nominal"),
        ({"quasi_identifiers": ()}, "no quasi-identifier"),
        ({"quasi_identifiers": ("age", "age")}, "named twice"),
        ({"confidential": ("age",)}, "named twice"),
        ({"quasi_identifiers": ("Age",)}, "no column"),
        ({"confidential": ("x",)}, "no column"),
        ({"nominal": ("note",)}, "neither a quasi-identifier nor"),
        ({"nominal": ("age",), "numeric": ("age",)}, "both"),
        ({"numeric": ("sex",)}, "no numbers"),
        ({"dependence": -0.1}, "between 0 and 1"),
        ({"dependence": 0.5}, "needs numbers without gaps"),
        ({"dependence": 0.5, "confidential": ()}, "needs numeric confidential"),
        ({"method": "v-mdav", "options": {"gamma": -1.0}}, "gamma"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(town_csv: Path, wanted, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run(town_csv, **wanted)
    assert sorted(path.name for path in town_csv.parent.iterdir()) == ["town.csv"]


def test_conversion_and_overwriting_are_refused(town_csv: Path) -> None:
    before = town_csv.read_bytes()
    with pytest.raises(InputError, match="not converted"):
        run(town_csv, town_csv.with_suffix(".sav"))
    with pytest.raises(InputError, match="overwrite the original"):
        run(town_csv, town_csv)
    assert town_csv.read_bytes() == before


def test_a_date_is_no_quasi_identifier(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"born": pa.array(range(20), pa.date32())}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="dates or times"):
        run(tmp_path / "a.parquet", quasi_identifiers=("born",), confidential=(), drop=())


def test_columns_without_a_role_are_warned_about(town_csv: Path) -> None:
    masked, _ = run(town_csv, drop=())
    assert any('"name", "note"' in warning for warning in masked.warnings)


def test_a_broken_method_writes_nothing(town_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = methods.Method(name="mdav", function=f"{__name__}:singles", summary="")
    monkeypatch.setattr(methods, "METHODS", (broken,))
    with pytest.raises(RuntimeError, match="too small"):
        run(town_csv)
    assert not town_csv.with_stem("masked").exists()


def singles(X, rule, *, counts, seed, progress):
    return np.arange(len(X))


def test_a_published_combination_that_is_too_rare_writes_nothing(
    town_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.statistics.anonymize import masking

    monkeypatch.setattr(masking, "modes", lambda _, labels, __: np.arange(len(labels)))
    monkeypatch.setattr(masking, "divide", lambda *_, **__: np.arange(N))
    with pytest.raises(DesignError, match="for 1 records only"):
        run(town_csv)
    assert not town_csv.with_stem("masked").exists()


def test_p3m_by_value_and_by_record_keep_mean_and_variance(town_csv: Path) -> None:
    frame = town()
    for breach in ("p3m", "p3m-record"):
        masked, file = run(town_csv, quasi_identifiers=("age", "height"), breach=breach, unrounded=True)
        assert masked.unmet == ()
        for name in ("age", "height"):
            published = file.column(name).numbers
            assert published.mean() == pytest.approx(frame[name].mean())
            assert published.std() == pytest.approx(frame[name].std(ddof=0))
        assert smallest_class(file, ("age", "height")) >= 5


def test_constraints_that_cannot_be_met_are_reported(town_csv: Path) -> None:
    masked, _ = run(town_csv, quasi_identifiers=("age",), k=25, breach="p3m")
    assert masked.unmet == ("age",)
    assert any("could not be kept" in warning for warning in masked.warnings)


def test_distances_that_rounding_undoes_are_warned_of(tmp_path: Path) -> None:
    """Ages of three years in a row: what P3M moves by less than half a year, rounding moves back."""
    path = tmp_path / "ages.csv"
    path.write_text("age,illness\n" + "".join(f"{30 + i % 3},flu\n" for i in range(60)))
    wanted = {"quasi_identifiers": ("age",), "k": 20, "breach": "p3m", "drop": ()}
    near = Distances(common=0.3, trade_off=0.0)
    masked, _ = run(path, distances=near, **wanted)
    assert any(w.startswith('Rounding "age" brings published values back') for w in masked.warnings)
    masked, _ = run(path, distances=near, unrounded=True, **wanted)
    assert not any("Rounding" in warning for warning in masked.warnings)


def test_bad_parameters_of_p3m_are_refused(town_csv: Path) -> None:
    with pytest.raises(InputError, match="trade_off"):
        run(town_csv, quasi_identifiers=("age",), breach="p3m", distances=Distances(trade_off=1.0))


def test_the_matrix_is_that_of_the_library(town_csv: Path) -> None:
    file, frame = open_data(town_csv), town()
    columns = [file.column(name) for name in QUASI]
    ours = Encoding.fit(columns, (False, False, True)).matrix(columns)[:]
    assert ours == pytest.approx(encode({name: frame[name].to_numpy() for name in QUASI}))


def test_refinement_loses_less_and_keeps_the_promise(town_csv: Path) -> None:
    def error(**wanted) -> float:
        _, file = run(town_csv, quasi_identifiers=("age", "height"), unrounded=True, **wanted)
        assert smallest_class(file, ("age", "height")) >= 5
        X = Encoding.fit(
            columns := [open_data(town_csv).column(n) for n in ("age", "height")], (False, False)
        )
        Y = X.matrix([file.column(n) for n in ("age", "height")])[:]
        return ((X.matrix(columns)[:] - Y) ** 2).sum()

    for method in ("mdav", "mondrian", "m-d"):
        assert error(method=method, refine=True) <= error(method=method) + 1e-9


def test_dependence_weighs_confidential_numbers(town_csv: Path) -> None:
    def spread(**wanted) -> float:
        """Variance of the confidential heights within groups."""
        masked, file = run(
            town_csv, quasi_identifiers=("age", "sex"), confidential=("height",), method="mdav", **wanted
        )
        assert smallest_class(file, ("age", "sex")) >= 5
        height = town()["height"].to_numpy()
        means = np.bincount(masked.labels, height) / np.bincount(masked.labels)
        return float(((height - means[masked.labels]) ** 2).mean())

    assert spread(dependence=1.0) < spread(dependence=0.5) < spread()


def test_input_is_unchanged_and_runs_are_repeatable(town_csv: Path) -> None:
    before = town_csv.read_bytes()
    run(town_csv, method="mu-approx", seed=3)
    first = town_csv.with_stem("masked").read_bytes()
    run(town_csv, method="mu-approx", seed=3)
    assert town_csv.with_stem("masked").read_bytes() == first
    assert town_csv.read_bytes() == before


cells = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=5)
numbers = st.one_of(st.integers(-999, 999).map(str), st.decimals(-99, 99, places=2).map(str))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(numbers, cells, cells), min_size=3, max_size=25),
    st.integers(2, 3),
    st.sampled_from(["mdav", "mondrian", "v-mdav"]),
)
def test_any_file_is_masked_or_refused(tmp_path_factory, rows, k: int, method: str) -> None:
    path = tmp_path_factory.mktemp("any") / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "z"])
        writer.writerows(rows)
    request = {"quasi_identifiers": ("x", "y"), "confidential": (), "drop": (), "missing": "drop"}
    try:
        masked, found = run(path, k=k, method=method, **request)
    except InputError:
        return
    assert smallest_class(found, ("x", "y")) >= k
    assert found.n_records == len(masked.prepared.rows)


def test_an_estimate_of_time_needs_many_records() -> None:
    random = np.random.default_rng(1)
    few, many = random.standard_normal((100, 2)), random.standard_normal((8000, 2))

    def people_behind(n: int) -> People:
        return People(k=5, by_level=np.ones((n, 1), dtype=np.int64))

    assert methods.estimate_seconds(find("mondrian"), few, people_behind(100)) is None
    estimated = methods.estimate_seconds(find("mondrian"), many, people_behind(8000))
    assert estimated is not None
    assert 0 < estimated < 60
