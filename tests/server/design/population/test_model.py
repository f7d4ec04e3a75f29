"""From records to distinct tuples with head counts."""

from __future__ import annotations

import dataclasses
import random
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.design.population.model import Model, build_model
from server.tables.csv_file import CsvFile
from server.tables.files import open_data
from shared.attributes import Attribute, Category, Nominal, Numeric
from shared.errors import ModelFileError
from shared.model import ReadingRules, parse_model
from shared.participation import ParticipationLevel, ParticipationSource, Rate

RULES = ReadingRules(count_column=None, missing_markers=(), incomplete="refuse", required_columns=())
EVEN = ParticipationSource(kind="even")
HALF = ParticipationLevel(low="0.5", high="0.5")
PARTICIPATION = ("rate = 0.5", 'column = "p"')
DROP = ('kind = "public"', 'kind = "public"\nincomplete = "drop"')

ReadModel = Callable[..., Model]


def attribute(name: str, *, missing: str = "refused", maximum: str = "9") -> Numeric:
    text = {"en": name}
    return Numeric(name=name, label=text, help=text, missing=missing, minimum="0", maximum=maximum, step="1")


def nominal(name: str, values: str) -> Nominal:
    text = {"en": name}
    categories = tuple(Category(value=value, label={"en": value}) for value in values)
    return Nominal(name=name, label=text, help=text, missing="own-category", categories=categories)


def test_equal_tuples_are_counted_and_sorted(model: ReadModel) -> None:
    read = model("sex,age,other\nm,30,x\nf,31,y\nm,30,\nf,7,z\nm,120,w\n")
    assert read.X.tolist() == [[7, 1, 0], [30, 0, 1], [31, 1, 0], [90, 0, 1]]
    assert read.people.tolist() == [[1], [2], [1], [1]]
    assert read.tuple_of_record.tolist() == [1, 2, 1, 0, 3]
    assert (read.records, read.dropped, read.n_people, read.n_tuples, read.warnings) == (5, 0, 5, 4, ())
    assert read.levels == (HALF,)
    for array in (read.X, read.people, read.tuple_of_record):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_canonical_text_reads_back(model: ReadModel) -> None:
    read = model("sex;age\nm;30,0\nf;31,0\n m ;030\n")
    assert read.canonical_text() == b"age,sex,level,people\n30,m,0,2\n31,f,0,1\n"
    rows = tuple(parse_model(read.canonical_text(), read.attributes, len(read.levels)))
    assert rows == tuple(read.model_rows())


_columns = st.lists(st.tuples(st.sampled_from("0123456789"), st.sampled_from(("a", "b", "c", "")),
                              st.integers(0, 3)), min_size=1, max_size=30)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(_columns, st.randoms(use_true_random=False))
def test_model_equals_a_slow_count_and_does_not_depend_on_row_order(
    records: list[tuple[str, str, int]], rng: random.Random
) -> None:
    attributes: tuple[Attribute, ...] = (nominal("y", "abc"), attribute("x"))
    rules = ReadingRules(count_column="n", missing_markers=(), incomplete="refuse", required_columns=())

    def build(rows: list[tuple[str, str, int]]) -> Model:
        text = "x,y,n\n" + "".join(f"{x},{y},{n}\n" for x, y, n in rows)
        return build_model(CsvFile(text.encode()), attributes, rules, EVEN, HALF)

    expected: Counter[tuple[int, ...]] = Counter()
    for x, y, n in records:
        expected[(*attributes[0].vector(y or None), *attributes[1].vector(x))] += n
    expected = +expected
    if not expected:
        with pytest.raises(ModelFileError, match="nobody"):
            build(records)
        return
    read = build(records)
    assert [tuple(row) for row in read.X.tolist()] == sorted(expected)
    assert read.people[:, 0].tolist() == [expected[vector] for vector in sorted(expected)]
    for position, (x, y, n) in zip(read.tuple_of_record.tolist(), records, strict=True):
        vector = (*attributes[0].vector(y or None), *attributes[1].vector(x))
        assert (position == -1) if n == 0 else (tuple(read.X[position].tolist()) == vector)
    shuffled = list(records)
    rng.shuffle(shuffled)
    assert build(shuffled).canonical_text() == read.canonical_text()


def test_keys_are_made_dense_before_they_overflow() -> None:
    rng = random.Random(1)
    names = [f"x{number}" for number in range(30)]
    rows = [[str(rng.randint(0, 9)) for _ in names] for _ in range(300)]
    text = ",".join(names) + "\n" + "".join(",".join(row) + "\n" for row in rows)
    read = build_model(CsvFile(text.encode()), tuple(map(attribute, names)), RULES, EVEN, HALF)
    assert read.X.tolist() == sorted([int(cell) for cell in row] for row in rows)


def test_values_outside_the_domain_are_listed_with_place_and_remedy(model: ReadModel) -> None:
    with pytest.raises(ModelFileError) as error:
        model('age,sex\n-1,m\nabc,f\n30,x\n"3\n0",m\n30,x\n')
    text = str(error.value)
    assert text.startswith("town.csv: 5 values cannot be used:")
    assert 'line 2, column "age": -1 is out of range; expected 0 to 90' in text
    assert "line 3, column \"age\": 'abc' is not a number" in text
    assert 'line 5, column "age"' in text
    assert (
        "line 4, column \"sex\": 'x' is not a category (and in 1 more record); expected one of f, m" in text
    )
    assert "widen the attribute's domain" in text


def test_only_the_first_ten_problems_are_shown_and_all_counted(model: ReadModel) -> None:
    with pytest.raises(ModelFileError) as error:
        model("age,sex\n" + "".join(f"{-1 - i},m\n" for i in range(40)))
    assert "40 values cannot be used; the first 10 problems are" in str(error.value)
    assert str(error.value).count("\n  line") == 10


@pytest.mark.parametrize("huge", ["9" * 25, "9" * 400, "1e400", "NaN", "inf", "0x10", "१२"])
def test_huge_and_strange_numbers(model: ReadModel, huge: str) -> None:
    with pytest.raises(ModelFileError, match=r'line 3, column "sex"|line 3, column "age"'):
        model(f"age,sex\n3,m\n-{huge},m\n")


def test_missing_values_are_refused_by_line(model: ReadModel) -> None:
    with pytest.raises(ModelFileError) as error:
        model("age,sex\n1,m\n,m\n3,f\n ,f\n")
    assert 'line 3, column "age": the value is missing ("") (and in 1 more record)' in str(error.value)
    assert 'incomplete = "drop"' in error.value.remedy


def test_missing_values_can_be_dropped(model: ReadModel) -> None:
    markers = (
        'kind = "public"',
        'kind = "public"\nincomplete = "drop"\nmissing_markers = ["?"]\nrequired_columns = ["job"]',
    )
    read = model("age,sex,job\n1,m,x\n?,m,x\n3,f,?\n4,f,y\n", markers)
    assert (read.records, read.dropped, read.rows.tolist()) == (2, 2, [0, 3])
    assert read.X.tolist() == [[1, 0, 1], [4, 1, 0]]
    assert "2 incomplete records were dropped" in read.warnings[0]
    with pytest.raises(ModelFileError, match="every record is incomplete"):
        model("age,sex\n,m\n", DROP)


def test_missing_values_can_be_a_category_of_their_own(model: ReadModel) -> None:
    own = ('categories = ["f", "m"]', 'categories = ["f", "m"]\nmissing = "own-category"')
    read = model("age,sex\n1,m\n1,\n1,f\n", own)
    assert read.X.tolist() == [[1, 0, 0, 1], [1, 0, 1, 0], [1, 1, 0, 0]]


def test_count_column(model: ReadModel) -> None:
    count = ('kind = "public"', 'kind = "public"\ncount_column = "n"')
    read = model("age,sex,n\n1,m,5\n1,m,7\n2,f,0\n", count)
    assert (read.X.tolist(), read.people.tolist()) == ([[1, 0, 1]], [[12]])
    assert "1 record counts 0 people" in read.warnings[0]
    for bad in ("1.5", "-1", "", "1 000", "12345678901234"):
        with pytest.raises(ModelFileError, match=r'line 2, column "n": .* is not a number of people'):
            model(f"age,sex,n\n1,m,{bad}\n", count)
    with pytest.raises(ModelFileError, match="too many"):
        model("age,sex,n\n1,m,9999999999\n2,m,9999999999\n", count)


def test_participation_from_a_column_is_rounded_down_to_the_grid(model: ReadModel) -> None:
    read = model("age;sex;p\n1;m;0,5\n1;m;0,54\n2;f;0,55\n3;f;1\n", PARTICIPATION)
    assert [level.low for level in read.levels] == ["0.5", "0.55", "1"]
    assert read.people.tolist() == [[2, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("0.04", "is nothing when rounded down to the grid of 0.05"),
        ("0", "is not a probability"),
        ("1.01", "is not a probability"),
        ("", "is not a probability"),
        ("half", "is not a probability"),
    ],
)
def test_unusable_probabilities(model: ReadModel, cell: str, words: str) -> None:
    with pytest.raises(ModelFileError, match=words) as error:
        model(f"age,sex,p\n1,m,0.5\n1,m,{cell}\n", PARTICIPATION)
    assert 'line 3, column "p"' in str(error.value)


def rates(attribute: str, *entries: str) -> tuple[str, str]:
    tables = "".join(f"[[participation.rates]]\n{entry}\n" for entry in entries)
    return "rate = 0.5\n", f'attribute = "{attribute}"\n{tables}'


def test_participation_by_numeric_bands_of_the_canonical_answer(model: ReadModel) -> None:
    bands = rates("age", "upto = 29\nrate = 0.42", "upto = 90\nrate = 0.6")
    read = model("age,sex\n29,m\n30,m\n120,m\n", bands)
    assert [level.low for level in read.levels] == ["0.4", "0.6"]
    assert read.people.tolist() == [[1, 0], [0, 1], [0, 1]]


HOMES = ("rate = 0.5", 'rate = 0.5\nhousehold_column = "home"')


def test_the_largest_household_is_counted(model: ReadModel) -> None:
    file = "age,sex,home\n1,m,7\n2,f,7\n3,f,8\n4,m,\n5,m,\n6,m,\n7,f,7\n"
    assert model(file, HOMES).largest_household == 3
    assert model(file).largest_household == 1


def test_who_has_no_household_lives_alone(model: ReadModel) -> None:
    unknown = ('kind = "public"', 'kind = "public"\nmissing_markers = ["?"]')
    file = "age,sex,home\n1,m,?\n2,f,?\n3,f,?\n4,m, \n5,m, \n"
    assert model(file, HOMES, unknown).largest_household == 1


def test_a_row_that_stands_for_many_is_one_household(model: ReadModel) -> None:
    counted = ('kind = "public"', 'kind = "public"\ncount_column = "n"')
    assert model("age,sex,home,n\n1,m,a,4\n2,f,b,2\n3,f,b,1\n4,m,,9\n", HOMES, counted).largest_household == 4


def test_a_column_of_households_that_is_not_there_is_named(model: ReadModel) -> None:
    with pytest.raises(ModelFileError, match='there is no column "home" for households'):
        model("age,sex\n1,m\n", HOMES)


def test_participation_by_category(model: ReadModel) -> None:
    read = model("age,sex\n1,m\n2,f\n", rates("sex", 'value = "m"\nrate = 0.3', 'value = "f"\nrate = 0.7'))
    assert [level.low for level in read.levels] == ["0.3", "0.7"]


def test_people_without_a_rate_are_named(model: ReadModel) -> None:
    with pytest.raises(ModelFileError, match=r'line 3, column "sex": "f" of "sex" has no response rate'):
        model("age,sex\n1,m\n2,f\n", rates("sex", 'value = "m"\nrate = 0.3'))
    with pytest.raises(ModelFileError, match='without "sex" have no response rate'):
        model(
            "age,sex\n1,m\n2,\n",
            ('categories = ["f", "m"]', 'categories = ["f", "m"]\nmissing = "own-category"'),
            rates("sex", 'value = "m"\nrate = 0.3'),
        )


def test_a_value_without_vector_is_reported_once(model: ReadModel) -> None:
    with pytest.raises(ModelFileError) as error:
        model("age,sex\n1,m\n-5,f\n", rates("age", "upto = 90\nrate = 0.3"))
    assert str(error.value).count("line 3") == 1


def test_levels_that_nobody_has_do_not_exist() -> None:
    rules = ReadingRules(count_column="n", missing_markers=(), incomplete="refuse", required_columns=())
    table = CsvFile(b"x,p,n\n1,0.5,3\n2,0.7,0\n")
    read = build_model(table, (attribute("x"),), rules, ParticipationSource(kind="column", column="p"), None)
    assert ([level.low for level in read.levels], read.people.tolist()) == (["0.5"], [[3]])


def test_rates_of_the_wrong_form_are_refused() -> None:
    source = ParticipationSource(kind="rates", attribute="x", rates=(Rate(rate="0.5", value="1"),))
    with pytest.raises(ModelFileError, match="expected upto"):
        build_model(CsvFile(b"x\n1\n"), (attribute("x"),), RULES, source, None)


def test_dropped_rows_of_several_people_are_counted_as_people(model: ReadModel) -> None:
    counted = ('kind = "public"', 'kind = "public"\ncount_column = "n"\nincomplete = "drop"')
    read = model("age,sex,n\n1,m,5\n2,f,6\n,f,3800\n3,,x\n", counted)
    assert "2 incomplete records were dropped, with 3,800 people; these" in read.warnings[0]


def test_missing_columns_are_named(model: ReadModel) -> None:
    with pytest.raises(ModelFileError, match=r'no column "sex" for an attribute.*Did you mean "Sex"'):
        model("age,Sex\n1,m\n")
    with pytest.raises(ModelFileError, match=r'no column "p" for participation'):
        model("age,sex\n1,m\n", PARTICIPATION)
    with pytest.raises(ModelFileError, match=r'no column "n" for count_column'):
        model("age,sex\n1,m\n", ('kind = "public"', 'kind = "public"\ncount_column = "n"'))


def test_constant_columns_and_unseen_categories_are_warned_about(model: ReadModel) -> None:
    warnings = model("age,sex\n7,m\n7,m\n").warnings
    assert any('Everybody has the same age, "7"' in warning for warning in warnings)
    more = ('categories = ["f", "m"]', 'categories = ["f", "m", "d", "x"]')
    assert any(
        'Nobody in the model has the sex "d", "x"' in w for w in model("age,sex\n7,m\n8,f\n", more).warnings
    )


def test_adult_has_its_complete_records(reference_data: Path) -> None:
    text = {"en": "x"}
    age = Numeric(name="age", label=text, help=text, missing="refused", minimum="17", maximum="90", step="1")
    rules = ReadingRules(
        count_column=None,
        missing_markers=("?",),
        incomplete="drop",
        required_columns=("workclass", "occupation", "native-country"),
    )
    read = build_model(open_data(reference_data / "adult.csv"), (age,), rules, EVEN, HALF)
    assert (read.records, read.dropped, read.n_people) == (45_222, 3_620, 45_222)


def test_half_a_million_records_take_seconds() -> None:
    rng = np.random.default_rng(1)
    cells = np.char.mod("%d", rng.integers(0, 10, (200_000, 4))).tolist()
    data = "a,b,c,d\n" + "\n".join(map(",".join, cells)) + "\n"
    start = time.process_time()
    read = build_model(CsvFile(data.encode()), tuple(map(attribute, "abcd")), RULES, EVEN, HALF)
    assert time.process_time() - start < 15
    assert read.n_people == 200_000
    assert read.n_tuples <= 10_000


def test_grid_levels_never_exceed_the_rates() -> None:
    table = CsvFile(b"x,p\n" + b"".join(b"%d,0.%03d\n" % (i % 10, i) for i in range(50, 1000)))
    read = build_model(table, (attribute("x"),), RULES, ParticipationSource(kind="column", column="p"), None)
    assert [Fraction(level.low) for level in read.levels] == [Fraction(step, 20) for step in range(1, 20)]
    assert read.people.sum(axis=0).tolist() == [50] * 19


def test_parquet_and_csv_give_the_same_model(tmp_path: Path, model: ReadModel) -> None:
    pyarrow.parquet.write_table(
        pyarrow.table({"age": [30.0, 31.0, 30.0], "sex": pyarrow.array(["m", "f", "m"]).dictionary_encode()}),
        tmp_path / "people.parquet",
    )
    parquet = model((tmp_path / "people.parquet").read_bytes())
    assert parquet.understood.form == "parquet"
    assert parquet.canonical_text() == model("age;sex\n30;m\n31;f\n30;m\n").canonical_text()


def test_nobody_is_left_when_the_caller_forgets_a_level() -> None:
    with pytest.raises(ValueError, match="needs its level"):
        build_model(CsvFile(b"x\n1\n"), (attribute("x"),), RULES, EVEN, None)
    source = ParticipationSource(kind="rates", attribute="y", rates=(Rate(rate="0.5", upto="9"),))
    with pytest.raises(ValueError, match="no attribute 'y'"):
        build_model(CsvFile(b"x\n1\n"), (attribute("x"),), RULES, source, None)


def test_arrays_that_do_not_fit_are_refused(model: ReadModel) -> None:
    read = model("age,sex\n1,m\n")
    with pytest.raises(ValueError, match="does not fit"):
        dataclasses.replace(read, people=np.zeros((2, 1), np.int64))


def test_a_table_of_counts_whose_counts_nobody_named_is_warned_about(model: ReadModel) -> None:
    """As inspect and the desk do: 40 rows, of 2,000 people, are a design for 40 people."""
    rows = "".join(f"{7 + i % 20},{'fm'[i // 20]},{30 + 7 * i % 40}\n" for i in range(40))
    (warning,) = (w for w in model(f"age,sex,residents\n{rows}").warnings if "count_column" in w)
    assert '"residents"' in warning
    count = ('kind = "public"', 'kind = "public"\ncount_column = "residents"')
    named = model(f"age,sex,residents\n{rows}", count)
    assert not any("count_column" in w for w in named.warnings)
    people = "age,sex,shoe\n" + "".join(f"{7 + i % 50},{'fm'[i % 2]},{36 + i % 9}\n" for i in range(200))
    assert not any("count_column" in w for w in model(people).warnings)
