"""Quasi-identifiers along a hierarchy: cuts at nodes, nodes written, losses as the papers define them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from server.statistics.anonymize.comparing import Comparison, evaluate_files
from server.statistics.anonymize.hierarchy import Hierarchy, read_hierarchy
from server.statistics.anonymize.request import Request
from server.statistics.anonymize.workflow import anonymize_file
from server.statistics.microaggregation.mondrian import mondrian
from server.statistics.microaggregation.size_rule import SizeRule
from server.tables.files import open_data
from shared.errors import InputError
from tests.server.tables.test_every_format import FORMATS, written

JOBS = "nurse;health;*\ndoctor;health;*\nclerk;office;*\nwelder;metal;*\nsmith;metal;*\npilot;air;*\n"
TREE = {"nurse": "health", "doctor": "health", "clerk": "office", "welder": "metal", "smith": "metal"}
N = 160


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.csv"
    path.write_text(JOBS, "utf-8")
    return path


def frame() -> pd.DataFrame:
    random = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "job": random.choice(list(TREE), N, p=[0.35, 0.05, 0.3, 0.25, 0.05]),
            "age": random.integers(18, 90, N),
            "ill": random.choice(["flu", "cold", "ache"], N),
        }
    )


def masked(path: Path, tree: Path, out: Path | None = None, **more: object):
    """The run, and the masked file as it is read again."""
    target = out or path.with_stem("masked")
    wanted = {"quasi_identifiers": ("job", "age"), "k": 6, "method": "mondrian", "keep_order": True} | more
    run = anonymize_file(path, target, Request(**wanted), hierarchies={"job": tree})
    return run, open_data(target)


def measure(document, name: str) -> float:
    return next(m["value"] for m in document["information"] if m["name"] == name)


def test_a_group_is_divided_among_the_children_of_its_node() -> None:
    """Children with k people are groups; the others stay together at the node, or take the smallest along."""
    paths = (("a", "a1"), ("a", "a2"), ("b", "b1"), ("c", "c1"), ("d", "d1"))

    def groups(people: list[int], k: int) -> set[frozenset[int]]:
        codes = np.repeat(np.arange(5), people)
        labels = mondrian(np.eye(5)[codes], SizeRule.of_k(k), nominal=[(0, 5)], trees=[paths])
        return {frozenset(codes[labels == group].tolist()) for group in range(int(labels.max()) + 1)}

    assert groups([9, 9, 9, 9, 9], 5) == {frozenset({i}) for i in range(5)}
    assert groups([9, 2, 9, 9, 9], 5) == {frozenset({0, 1}), *(frozenset({i}) for i in (2, 3, 4))}
    assert groups([9, 9, 9, 3, 2], 5) == {frozenset({0}), frozenset({1}), frozenset({2}), frozenset({3, 4})}
    assert groups([9, 9, 6, 3, 1], 5) == {frozenset({0}), frozenset({1}), frozenset({2, 3, 4})}
    assert groups([2, 2, 1, 1, 1], 5) == {frozenset(range(5))}
    # The order of the categories would have divided a2 and b1 from the others, across the node a.
    assert groups([4, 1, 5, 0, 0], 5) == {frozenset({0, 1}), frozenset({2})}
    with pytest.raises(ValueError, match="2 categories"):
        mondrian(np.eye(5), SizeRule.of_k(2), nominal=[(0, 5)], trees=[paths[:2]])


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_publishes_nodes_that_are_true_of_each_member(
    tmp_path: Path, jobs: Path, form: str
) -> None:
    table = frame()
    run, file = masked(written(tmp_path, table, form), jobs)
    published = file.column("job").texts.tolist()
    for true, node in zip(table["job"], published, strict=True):
        assert node in (true, TREE[true], "*")
    assert min(Counter(zip(published, file.column("age").texts.tolist(), strict=True)).values()) >= 6
    assert {"health", "nurse"} & set(published)
    sizes = {"health": 2, "office": 1, "metal": 2, "*": 6}
    below = np.array([sizes.get(node, 1) for node in published])
    ncp = np.where(below > 1, below / 6, 0).mean()
    assert measure(run.document, "NCP, mean of generalized values") == pytest.approx(ncp)
    loss = ((below - 1) / 5).mean()
    assert measure(run.document, "generalized loss, mean of generalized values") == pytest.approx(loss)
    assert run.document["generalized"] == {"job": "jobs.csv"}


def test_any_masked_file_is_measured_along_the_hierarchy(tmp_path: Path, jobs: Path) -> None:
    table = frame()
    path = written(tmp_path, table, "csv")
    run, _ = masked(path, jobs)
    asked = Comparison(quasi_identifiers=("job", "age"), hierarchies={"job": jobs})
    again = evaluate_files(path, path.with_stem("masked"), asked)
    assert [m.as_json() for m in again.information] == run.document["information"]
    assert [m.as_json() for m in again.disclosure] == run.document["disclosure"]
    strange = tmp_path / "strange.csv"
    text = path.with_stem("masked").read_text().splitlines()
    cook = ",".join(["cook", *text[1].split(",")[1:]])
    strange.write_text("\n".join([text[0], cook, *text[2:]]))
    with pytest.raises(InputError, match="no node") as error:
        evaluate_files(path, strange, asked)
    assert "line 2" in error.value.where


def test_an_intruder_is_taken_to_know_what_a_node_means(tmp_path: Path, jobs: Path) -> None:
    """If all nodes were equally far from everything, ties alone would be left, and linkage look harder."""
    table = pd.DataFrame(
        {"job": ["nurse", "doctor"] * 10 + ["welder", "smith"] * 10, "age": 30, "ill": "flu"}
    )
    run, file = masked(written(tmp_path, table, "csv"), jobs, k=20, quasi_identifiers=("job",))
    assert set(file.column("job").texts) == {"health", "metal"}
    dld = next(m["value"] for m in run.document["disclosure"] if m["name"] == "DLD, percent")
    assert dld == pytest.approx(100 / 20)  # one of the twenty at the own node, not of all forty


def test_a_value_that_is_written_otherwise_is_named(tmp_path: Path) -> None:
    """Codes such as 63.1 and 63.10 can be two, so a number is not looked for by what it is worth."""
    tree = tmp_path / "codes.csv"
    tree.write_text("63;low;*\n65;high;*\n")
    table = pd.DataFrame({"job": [63.0, 65.0] * 20, "age": 30})
    with pytest.raises(InputError, match=r'"63\.0" of "job" is not in the hierarchy') as error:
        masked(written(tmp_path, table, "csv"), tree)
    assert error.value.remedy.startswith('Did you mean "63"? Write values alike')


def test_codes_with_labels_are_found_by_either(tmp_path: Path, jobs: Path) -> None:
    import pyreadstat

    table = frame()
    names = dict(enumerate(TREE, 1))
    codes = table.assign(job=table["job"].map(dict(zip(TREE, names, strict=True))))
    pyreadstat.write_sav(codes, str(tmp_path / "t.sav"), variable_value_labels={"job": names})
    _, file = masked(tmp_path / "t.sav", jobs)
    _, plain = masked(written(tmp_path, table, "csv"), jobs)
    assert file.column("job").texts.tolist() == plain.column("job").texts.tolist()


def test_constraints_climb_to_a_higher_node(tmp_path: Path, jobs: Path) -> None:
    from server.statistics.anonymize.constraints import Constraints

    table = frame().assign(ill=lambda t: np.where(t["job"].isin(["nurse", "doctor"]), "flu", "ache"))
    _, file = masked(
        written(tmp_path, table, "csv"),
        jobs,
        quasi_identifiers=("job",),
        confidential=("ill",),
        constraints=Constraints(distinct=2),
    )
    classes = pd.DataFrame({"job": file.column("job").texts, "ill": file.column("ill").texts})
    assert classes.groupby("job")["ill"].nunique().min() == 2
    assert "*" in set(classes["job"])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (JOBS.replace("clerk;office", "clerk;metal").replace("pilot;air;*\n", "metal;air;*\n"), "two sets"),
        (JOBS.replace("nurse;health;*\n", ""), "not in the hierarchy"),
        (JOBS.replace("health", "NA"), "missing value"),
    ],
)
def test_what_could_not_be_read_again_is_refused(tmp_path: Path, jobs: Path, lines: str, words: str) -> None:
    jobs.write_text(lines, "utf-8")
    with pytest.raises(InputError, match=words):
        masked(written(tmp_path, frame(), "csv"), jobs)
    assert not (tmp_path / "masked.csv").exists()


def test_a_node_in_letters_that_the_file_lacks_is_refused(tmp_path: Path, jobs: Path) -> None:
    from server.tables.files import Reading

    path = tmp_path / "t.csv"
    path.write_bytes(frame().to_csv(index=False).encode("cp1251"))
    jobs.write_text(JOBS.replace("health", "santé"), "utf-8")
    with pytest.raises(InputError, match="cannot be written in cp1251"):
        anonymize_file(
            path,
            tmp_path / "out.csv",
            Request(quasi_identifiers=("job", "age"), k=6, method="mondrian"),
            hierarchies={"job": jobs},
            reading=Reading(encoding="cp1251"),
        )


def test_gaps_are_no_nodes(tmp_path: Path, jobs: Path) -> None:
    table = frame()
    table.loc[:20, "job"] = None
    path = written(tmp_path, table, "csv")
    with pytest.raises(InputError, match="no node"):
        masked(path, jobs, missing="category")
    _, file = masked(path, jobs, missing="drop")
    assert file.n_records == N - 21


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_hierarchies_have_the_line_ends_of_every_system(tmp_path: Path, end: str) -> None:
    path = tmp_path / "h.csv"
    path.write_bytes(JOBS.replace("\n", end).encode())
    assert read_hierarchy(path, "job").paths["clerk"] == ("office", "clerk")
    path.write_bytes(b'nurse;"health;*' + end.encode())
    with pytest.raises(InputError, match="no line of a CSV"):
        read_hierarchy(path, "job")


def test_the_root_has_the_name_that_the_file_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    path.write_text("a;x;everything\nb;x;everything\nc;y;everything\n")
    tree = read_hierarchy(path, "h")
    assert tree.node([tree.paths["a"], tree.paths["b"]]) == "x"
    assert tree.node([tree.paths["a"], tree.paths["c"]]) == "everything"
    assert tree.node([tree.paths["a"]]) == "a"
    assert tree.values_below()["x"] == {"a", "b"}
    assert (
        Hierarchy(source="s", paths={"a": ("x", "a"), "c": ("y", "c")}).node([("x", "a"), ("y", "c")]) == "*"
    )
