"""The size rule: k, counts, and participation as a survey's design understands it."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.statistics.anonymize import methods
from server.statistics.anonymize.masking import mask
from server.statistics.anonymize.methods import METHODS, divide, find
from server.statistics.anonymize.people import MOST_PEOPLE, Participation, People, people_of
from server.statistics.anonymize.preparation import prepare
from server.statistics.anonymize.request import Request
from server.statistics.microaggregation.preparation import group_means
from server.tables.files import open_data
from shared.effective_anonymity import cell_failure, n_min_safe
from shared.errors import DesignError, InputError
from shared.participation import ParticipationLevel

HALF = ParticipationLevel(low="0.5", high="0.5")
ALL = [m.name for m in METHODS if not m.one_number]


def table(path: Path, n: int = 300, **more) -> Path:
    random = np.random.default_rng(3)
    columns = {"x": random.normal(50, 20, n).round(1), "y": random.integers(0, 99, n), **more}
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    return path


def run(path: Path, **wanted):
    request = Request(
        **({"quasi_identifiers": ("x", "y"), "k": 4, "method": "mdav", "keep_order": True} | wanted)
    )
    out = path.with_stem("masked")
    masked = mask(prepare(path, out, request), out)
    return masked, open_data(out)


def test_even_participation_is_the_effective_anonymity(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv")
    chance = Participation(level=HALF, failure="1e-6")
    masked, file = run(path, participation=chance)
    needed = n_min_safe(4, HALF, "1e-6")
    assert masked.prepared.people.rule.minimum == (needed,)
    classes = Counter(zip(file.column("x").texts, file.column("y").texts, strict=True))
    assert min(classes.values()) >= needed > 4
    worst = {m.name: m.value for m in masked.prepared.people.measures(masked.labels)}
    assert worst["attained failure, worst class"] <= 1e-6
    smallest = cell_failure((min(classes.values()),), ("0.5",), 4)
    assert worst["attained failure, worst class"] == pytest.approx(float(smallest.attained_cell_failure))


@pytest.mark.parametrize("method", ALL)
def test_uneven_participation_is_kept_by_every_method(tmp_path: Path, method: str) -> None:
    chances = np.random.default_rng(1).choice([0.33, 0.5, 0.99], 300)
    path = table(tmp_path / "a.csv", chance=chances)
    masked, file = run(path, method=method, participation=Participation(column="chance", failure="1e-4"))
    assert file.names == ("x", "y")  # nobody's own chance is published
    people: dict[tuple[object, object], Counter[str]] = defaultdict(Counter)
    published = {0.33: "0.3", 0.5: "0.5", 0.99: "0.95"}
    for x, y, chance in zip(file.column("x").texts, file.column("y").texts, chances.tolist(), strict=True):
        people[x, y][published[chance]] += 1
    assert len(people) > 1
    for held in people.values():
        metrics = cell_failure(list(held.values()), list(held), 4)
        assert metrics.attained_cell_failure <= 1e-4
    assert [level.low for level in masked.prepared.people.levels] == ["0.3", "0.5", "0.95"]


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("refine", [False, True])
def test_counts_are_people(tmp_path: Path, method: str, refine: bool) -> None:
    counts = np.random.default_rng(2).integers(1, 5, 300)
    path = table(tmp_path / "a.csv", people=counts)
    masked, file = run(path, method=method, counts="people", k=7, refine=refine, unrounded=True)
    classes: Counter[tuple[object, object]] = Counter()
    for x, y, n in zip(file.column("x").texts, file.column("y").texts, counts.tolist(), strict=True):
        classes[x, y] += n
    assert min(classes.values()) >= 7
    assert file.column("people").numbers.tolist() == counts.tolist()
    X = np.column_stack([open_data(path).column(name).numbers for name in ("x", "y")])
    means = group_means(X, masked.labels, counts)[masked.labels]
    assert file.column("x").numbers == pytest.approx(means[:, 0])


def test_counts_say_what_repeated_records_say(tmp_path: Path) -> None:
    """Repeating each record by its count gives the same figures, and (ties apart) the same groups."""
    from server.statistics.anonymize.measuring import evaluate

    counts = np.random.default_rng(2).integers(1, 4, 60)
    path = table(tmp_path / "a.csv", n=60, people=counts)
    request = {"quasi_identifiers": ("x", "y"), "confidential": ("people",)}
    _, masked = run(path, counts="people", k=5)
    original = open_data(path)
    counted = evaluate(
        original,
        masked,
        people=people_of(original, None, k=5, counts="people", participation=None),
        **request,
    )
    long, long_masked = tmp_path / "long.csv", tmp_path / "long_masked.csv"
    for file, target in ((original, long), (masked, long_masked)):
        file.write(target, replace={}, rows=np.repeat(np.arange(60), counts))
    repeated = evaluate(open_data(long), open_data(long_masked), **request)
    assert counted.n_people == repeated.n_records == counts.sum()
    for ours, theirs in (
        (counted.anonymity, repeated.anonymity),
        (counted.information, repeated.information),
        (counted.disclosure, repeated.disclosure),
        (dict(counted.confidential)["people"], dict(repeated.confidential)["people"]),
    ):
        assert {m.name: m.value for m in ours} == pytest.approx({m.name: m.value for m in theirs})


def test_blocks_each_keep_the_rule(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv")
    masked, file = run(path, blocks=(("x",), ("y",)), method="univariate", k=10)
    for name in ("x", "y"):
        assert min(Counter(file.column(name).texts.tolist()).values()) >= 10
    assert len(masked.groups) == 2
    assert any("block" in warning for warning in masked.warnings)


def test_too_few_people_and_too_many(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", n=20, people=np.full(20, MOST_PEOPLE // 10))
    with pytest.raises(InputError, match="20 records; with this participation a group needs"):
        run(path, participation=Participation(level=HALF, failure="1e-6"))
    with pytest.raises(InputError, match=f"at most {MOST_PEOPLE}"):
        run(path, counts="people")
    with pytest.raises(InputError, match="k up to 1000"):
        run(path, k=1001, participation=Participation(level=HALF, failure="1e-6"))
    tiny = ParticipationLevel(low="1e-12", high="1e-12")
    with pytest.raises(DesignError, match="no cell"):
        run(path, participation=Participation(level=tiny, failure="1e-6"))


@pytest.mark.parametrize("bad", ["0", "-1", "1.5", "many", "", "1e300"])
def test_bad_counts_are_refused_with_their_line(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,n\n1,1\n2," + bad + "\n3,1\n")
    with pytest.raises(InputError) as caught:
        run(path, quasi_identifiers=("x",), counts="n", k=2)
    assert "line 3" in str(caught.value) or "no numbers" in str(caught.value)


@pytest.mark.parametrize("bad", ["0", "0.04", "1.1", "often", "", "-0.5"])
def test_bad_chances_are_refused_with_their_line(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,p\n1,0.5\n2," + bad + "\n3,0.5\n")
    with pytest.raises(InputError, match="line 3"):
        run(path, quasi_identifiers=("x",), participation=Participation(column="p", failure="0.1"), k=2)


def test_decimal_commas_of_chances(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x;p\n" + "".join(f"{i},5;0,5\n" for i in range(60)))
    masked, _ = run(
        path, quasi_identifiers=("x",), participation=Participation(column="p", failure="0.1"), k=2
    )
    assert [level.low for level in masked.prepared.people.levels] == ["0.5"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["mdav", "v-mdav", "mondrian", "m-d"]), st.booleans())
def test_any_mixture_of_levels_is_divided_or_refused(seed: int, method: str, refine: bool) -> None:
    random = np.random.default_rng(seed)
    n, levels = int(random.integers(5, 80)), ("0.2", "0.6", "1")
    by_level = np.zeros((n, 3), dtype=np.int64)
    by_level[np.arange(n), random.integers(0, 3, n)] = random.integers(1, 6, n)
    people = People(
        k=2,
        by_level=by_level,
        levels=tuple(ParticipationLevel(low=level, high=level) for level in levels),
        failure="0.05",
    )
    try:
        people.check()
    except InputError:
        return
    labels = divide(find(method), random.integers(0, 9, (n, 2)).astype(float), people, refine=refine)
    for group in range(labels.max() + 1):
        held = by_level[labels == group].sum(axis=0).tolist()
        assert cell_failure(held, levels, 2).attained_cell_failure <= 0.05


def test_groups_that_fall_short_are_united_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    by_level = np.zeros((6, 2), dtype=np.int64)
    by_level[:, 0] = [9, 9, 9, 9, 1, 9]
    by_level[:, 1] = 1
    levels = tuple(ParticipationLevel(low=low, high=low) for low in ("0.5", "0.9"))
    people = People(k=2, by_level=by_level, levels=levels, failure="0.05")
    X = np.array([[0.0], [1], [10], [11], [20], [22]])
    united = methods._united(X, np.array([0, 0, 1, 1, 2, 3]), people)
    assert united[4] == united[5] != united[0]
    assert len(people.failing(united)) == 0
