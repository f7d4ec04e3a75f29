"""The last look before files are published: read what was written and count again.

Written on purpose without the code that made the files. It knows only the head counts of the store, the
signed rule and the bytes on the disk.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from server.release import recheck_columns as columns
from server.release import recheck_exports
from server.release.written_table import written_table
from shared.errors import ReleaseError
from shared.specification import Specification

FILES: Final = ("cells.csv", "codebook.xml", "datapackage.json", "microdata.csv", "report.html")
"""Of every release; others are the two tables in the formats that were asked for."""
_FORMATS: Final = ("dta", "parquet", "sav", "xlsx")
_FIGURES: Final = {
    "specification_sha256",
    "organizer_contact",
    "k",
    "acceptable_cell_failure",
    "release_rule",
    "release_minimum",
    "distinct_values",
    "t_closeness",
    "total_answers",
    "released_answers",
    "withheld_answers",
    "invalid_answers",
    "files",
}
"""Of the survey as a whole, in datapackage.json."""
_PACKAGE: Final = {
    "profile",
    "name",
    "id",
    "title",
    "description",
    "languages",
    "contributors",
    "keywords",
    "roomful",
    "resources",
}
_RESOURCE: Final = {
    "profile",
    "name",
    "path",
    "title",
    "format",
    "mediatype",
    "encoding",
    "bytes",
    "hash",
    "dialect",
    "schema",
}


def recheck(folder: Path, specification: Specification, counts: Sequence[int]) -> None:
    """Check the written files of a release against the signed rule.

    Parameters
    ----------
    folder : Path
        Where the files were written.
    specification : Specification
        What was signed.
    counts : sequence of int
        K_c of each cell, counted in the store.

    Raises
    ------
    ReleaseError
        If a group of the files has fewer answers than the minimum or other answers than its cells; if a cell
        appears twice or never; if subtraction would yield too little; if a column is undescribed or not on
        the list; if any field but an answer is another than the specification and the head counts make it; if
        a cell that is not released shows anything but what the specification had published; or if the files
        on the disk are not those that belong there, or say different things.

    Notes
    -----
    Guarantee: if it returns, every group in ``microdata.csv`` has at least ``minimum`` rows, as many as its
    cells have answers; the answers that are missing from it are none, or at least ``minimum`` from at least
    two non-empty cells, and none under ``merge``, where every group is a stretch of the signed row; every
    question that a group answered has at least ``distinct_values`` values; and in both tables all that is not
    an answer is a function of the specification and of the number of answers of a released group.
    """
    found = sorted(path.name for path in folder.iterdir())
    others = sorted(set(found) - set(FILES))
    forms = [form for form in _FORMATS if f"cells.{form}" in others]
    _require(
        found == sorted([*FILES, *others])
        and others == sorted(f"{name}.{form}" for name in ("cells", "microdata") for form in forms),
        f"the folder holds {', '.join(found)}",
        ", ".join(FILES) + ", and both tables in another format",
    )
    package = json.loads((folder / "datapackage.json").read_bytes())
    tables = {resource["name"]: _checked_resource(folder, resource) for resource in package["resources"]}
    _require(
        set(package["roomful"]) <= _FIGURES
        and set(package) == _PACKAGE
        and all(set(resource) == _RESOURCE for resource in package["resources"]),
        "datapackage.json holds another figure",
        "the known ones",
    )
    _check_others(folder, package, tables, others)
    groups = _check_cells(tables["cells"], specification, counts)
    rows = tables["microdata"]
    _check_microdata(rows, specification, counts, groups)
    _check_unanimous(tables["cells"], rows, specification)
    minimum = specification.release.minimum
    in_table = Counter(row["group"] for row in rows)
    _require(
        in_table == Counter({group: sum(counts[cell] for cell in cells) for group, cells in groups.items()}),
        "a group has other answers in microdata.csv than its cells have in the store",
        "the same number",
    )
    _require(
        all(count >= minimum for count in in_table.values()), "a group is too small", f"{minimum} answers"
    )
    _check_pool(groups, counts, minimum)
    if specification.release.rule == "merge":
        _check_row(groups, counts, specification)
    _check_distinct(rows, package, specification)


def _check_others(
    folder: Path, package: dict[str, Any], tables: dict[str, list[dict[str, str]]], others: list[str]
) -> None:
    """The codebook and the other formats: the described bytes, and nothing that the CSV files lack."""
    hashes = {
        name: f"sha256:{hashlib.sha256((folder / name).read_bytes()).hexdigest()}"
        for name in ("codebook.xml", *others)
    }
    _require(
        package["roomful"].get("files") == hashes,
        "a file is not the one that the data package describes",
        "the same bytes",
    )
    fields = {resource["name"]: resource["schema"]["fields"] for resource in package["resources"]}
    _require(
        recheck_exports.is_codebook_of(
            folder / "codebook.xml", {name: (fields[name], len(rows)) for name, rows in tables.items()}
        ),
        "codebook.xml describes other columns, or more than columns",
        "the columns of the tables",
    )
    for name in others:
        table = name.partition(".")[0]
        rows = [tuple(row.values()) for row in tables[table]]
        _require(
            recheck_exports.says_the_same(folder / name, fields[table], rows),
            f"{name} says something else than {table}.csv",
            "the same",
        )


def _check_cells(
    rows: list[dict[str, str]], specification: Specification, counts: Sequence[int]
) -> dict[str, list[int]]:
    """The released groups of cells.csv, after checking that each cell stands in one row, and every field."""
    groups: dict[str, list[int]] = {}
    listed: list[int] = []
    digits: list[set[int]] = [set() for _ in rows[0].values()] if rows else []
    for row in rows:
        cells = [int(text) for text in row["cells"].split()]
        listed += cells
        fields, answers = list(row.values()), sum(counts[cell] for cell in cells)
        centroid = columns.expected_centroid(specification, cells)
        shares = columns.expected_shares(specification, cells)
        released = row["status"] == "released"
        _require_columns("cells.csv", row, columns.CELLS, len(centroid) + len(shares), last=(columns.LAST,))
        if released:
            groups[row["group"]] = cells
            _require(
                row["answers"] == str(answers),
                "a group of cells.csv has another number of answers than the store",
                "the same number",
            )
        expected = [*centroid, *shares]
        for place, value in enumerate(expected, len(columns.CELLS)):
            if isinstance(value, Fraction):
                digits[place].add(columns.digits(fields[place]))
        public: list[columns.Expected] = [
            str(min(cells)),
            "released" if released else "not-released",
            " ".join(map(str, sorted(cells))),
            str(sum(sum(specification.eligible[cell]) for cell in cells)),
        ]
        counted = [
            expected_field(specification, cells, answers) if released else None
            for expected_field in columns.COUNTED.values()
        ]
        _require(
            (released or (len(cells) == 1 and fields[-1] == ""))
            and all(map(columns.agrees, fields[:-1], [*public, *counted, *expected])),
            "a group shows more than that"
            if released
            else "a cell that is not released shows more than that",
            "what the specification says of it, and empty fields",
        )
    _require(
        all(len(found) <= 1 for found in digits),
        "the numbers of a column of cells.csv have different digits",
        "as many in each row",
    )
    _require(
        sorted(listed) == list(range(specification.cells.count)),
        "a cell is listed twice or not at all",
        f"each of the {specification.cells.count} cells once",
    )
    return groups


def _require_columns(
    file: str, found: Iterable[str], first: tuple[str, ...], others: int, last: tuple[str, ...] = ()
) -> None:
    """The columns on the list, and between them as many others as the specification makes."""
    names = tuple(found)
    between = names[len(first) : len(names) - len(last)]
    _require(
        names == (*first, *between, *last) and len(between) == others,
        f"{file} has columns that are not on the list: {', '.join(names)}",
        ", ".join((*first, f"{others} of attributes and answers", *last)),
    )


def _check_microdata(
    rows: list[dict[str, str]],
    specification: Specification,
    counts: Sequence[int],
    groups: dict[str, list[int]],
) -> None:
    """Every field is one of the group's, the same for all of it, or an answer to its question."""
    answers = columns.answer_fields(specification)
    public = specification.model.kind == "public"
    known: dict[str, tuple[str, ...]] = {}
    for row in rows:
        fields = tuple(row.values())
        _require(
            row["group"] in groups, "a row of microdata.csv is of no released group", "groups of cells.csv"
        )
        own = fields[: len(fields) - len(answers)]
        if row["group"] not in known:
            cells = groups[row["group"]]
            people = str(sum(sum(specification.eligible[cell]) for cell in cells)) if public else None
            number = sum(counts[cell] for cell in cells)
            expected = [
                row["group"],
                columns.expected_weight(specification, cells, number) if number else None,
                row["group"],
                people,
                *columns.expected_centroid(specification, cells),
            ]
            _require_columns(
                "microdata.csv",
                row,
                columns.MICRODATA,
                len(expected) - len(columns.MICRODATA) + len(answers),
            )
            _require(
                all(map(columns.agrees, own, expected)),
                "a row of microdata.csv shows more than its group",
                "what the specification says of the group, and answers",
            )
            known[row["group"]] = own
        _require(
            own == known[row["group"]],
            "a row of microdata.csv differs from its group in more than the answers",
            "the same fields in all rows of a group",
        )
        _require(
            all(
                columns.is_an_answer(question, text)
                for (question, _), text in zip(answers, fields[len(own) :], strict=True)
            ),
            "microdata.csv holds something that is no answer",
            "answers that the questionnaire admits",
        )


def _check_unanimous(
    cells: list[dict[str, str]], rows: list[dict[str, str]], specification: Specification
) -> None:
    """Count once more which questions a group answered as one."""
    answers = columns.answer_fields(specification)
    given: dict[str, dict[str, set[tuple[str, ...]]]] = defaultdict(lambda: defaultdict(set))
    places: dict[str, list[int]] = defaultdict(list)
    for place, (question, _) in enumerate(answers):
        places[question.name].append(place)
    for row in rows:
        fields = tuple(row.values())[-len(answers) :]
        for name, own in places.items():
            if any(value := tuple(fields[place] for place in own)):
                given[row["group"]][name].add(value)
    for row in cells:
        expected = []
        for question in specification.questionnaire.questions:
            values = given[row["group"]][question.name]
            if question.kind in columns.NOT_JUDGED or not values:
                continue
            if len(values) == 1:
                expected.append(question.name)
            if question.kind in columns.UNANIMOUS:
                choices = [choice for asked, choice in answers if asked.name == question.name]
                expected += [
                    f"{question.name}_{choice}"
                    for choice, taken in zip(choices, zip(*values, strict=True), strict=True)
                    if set(taken) == {columns.UNANIMOUS[question.kind]}
                ]
        _require(
            columns.agrees(row[columns.LAST], " ".join(expected)),
            "cells.csv lists other unanimous questions than the answers show",
            "the same",
        )


def _check_pool(groups: dict[str, list[int]], counts: Sequence[int], minimum: int) -> None:
    released = {cell for cells in groups.values() for cell in cells}
    pool = [count for cell, count in enumerate(counts) if count and cell not in released]
    _require(
        not pool or (len(pool) > 1 and sum(pool) >= minimum),
        "the answers that are not released follow by subtraction",
        f"none, or at least {minimum} from at least two cells",
    )


def _check_row(groups: dict[str, list[int]], counts: Sequence[int], specification: Specification) -> None:
    place = {cell: index for index, cell in enumerate(specification.row)}
    for cells in groups.values():
        places = [place[cell] for cell in cells]
        _require(
            max(places) - min(places) == len(places) - 1,
            "a group is not a stretch of the signed row",
            "neighbours in the row",
        )
    _require(
        sum(map(len, groups.values())) == len(counts),
        "a cell is in no group, although the signed rule merges",
        "every cell in a group",
    )


def _check_distinct(
    rows: list[dict[str, str]], package: dict[str, Any], specification: Specification
) -> None:
    """Count the values of each question in each group, from the columns that belong to it."""
    required = specification.release.distinct_values
    if required == 1:
        return
    names: dict[str, list[str]] = defaultdict(list)
    for field in package["resources"][0]["schema"]["fields"]:
        if "question" in field:
            names[field["question"]].append(field["name"])
    for question in specification.questionnaire.questions:
        if question.kind in columns.NOT_JUDGED:
            continue
        values = defaultdict(set)
        for row in rows:
            value = tuple(row[name] for name in names[question.name])
            if any(value):
                values[row["group"]].add(value)
        _require(
            all(len(different) >= required for different in values.values()),
            f"a group has too few different answers to {question.name}",
            f"at least {required}",
        )


def _checked_resource(folder: Path, resource: dict[str, Any]) -> list[dict[str, str]]:
    """Rows of a file whose bytes and header are those that the data package describes."""
    path = folder / str(resource["path"])
    data = path.read_bytes()
    _require(
        resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}",
        f"{path.name} is not the file that the data package describes",
        "the same bytes",
    )
    header, rows = written_table(data)
    described: Collection[str] = [field["name"] for field in resource["schema"]["fields"]]
    _require(header == described, f"{path.name} has an undescribed column", "the described columns")
    _require(
        all(None not in row and None not in row.values() for row in rows), f"{path.name} is ragged", "a table"
    )
    return rows


def _require(condition: bool, message: str, expected: str) -> None:
    if not condition:
        raise ReleaseError(
            f"the check of the written files failed: {message}",
            expected=expected,
            remedy="Nothing was published. Please report this as a security problem.",
            code="release.recheck",
        )
