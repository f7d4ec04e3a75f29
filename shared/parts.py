"""Specifications in parts: a root that is signed, and a file for the cells of each district.

A root has, in place of the cells of every district, their number and the digest of its part; what else
grows with the cells is in the parts. ``release.row`` of a root is a row of districts. Put together, root
and parts are the document that the specification would be in one piece, and are read as that. Who has
some of the parts alone reads the others' cells as :class:`shared.cells.ReferencedCells`, of which nothing
but a number is known.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from shared import strict_json
from shared.cells import DistrictCells, ReferencedCells
from shared.errors import SpecificationError
from shared.fields import Fields
from shared.limits import MAX_ALL_CELLS, MAX_DISTRICTS, MAX_SPECIFICATION_BYTES

Parts = Callable[[str], bytes | None]
"""Contents of a part by its digest; None if it is not there."""
PART_KEYS: Final = ("cells", "eligible", "centroids", "row")
PART_CODE: Final = "specification.part"


def no_parts(_digest: str) -> None:
    """Of a specification in one piece."""


def references_of(document: Any) -> tuple[ReferencedCells, ...]:
    """The parts that a parsed root names, by district; none if the document is in one piece.

    Raises
    ------
    SpecificationError
        If a reference is malformed, or only some districts are in parts.
    """
    cells = document.get("cells") if isinstance(document, dict) else None
    listed = cells.get("districts") if isinstance(cells, dict) else None
    if not isinstance(listed, list) or not any(
        isinstance(item, dict) and item.get("shape") == ReferencedCells.shape for item in listed
    ):
        return ()
    found = tuple(
        ReferencedCells.parse(item, f"cells.districts[{number}]", ())
        for number, item in enumerate(listed[:MAX_DISTRICTS])
    )
    total = sum(part.count for part in found)
    if total > MAX_ALL_CELLS:
        raise SpecificationError(
            f"{total} cells are too many", where="cells.districts", expected=f"at most {MAX_ALL_CELLS}"
        )
    return found


def named_parts(payload: bytes) -> tuple[ReferencedCells, ...]:
    """The parts that a signed document names; raises as :func:`references_of`."""
    return references_of(
        strict_json.loads(
            payload, error=SpecificationError, where="specification", max_bytes=MAX_SPECIFICATION_BYTES
        )
    )


def put_together(
    root: dict[str, Any],
    references: Sequence[ReferencedCells],
    parts: Parts,
    needed: Collection[int] | None,
) -> dict[str, Any]:
    """The document in one piece, as far as the parts are needed.

    Parameters
    ----------
    root : dict
        The parsed root.
    references : sequence of ReferencedCells
        What :func:`references_of` found in it.
    parts : callable
        Contents by digest.
    needed : collection of int or None
        Districts whose parts are read; all if None. Cells of others have empty rows in ``eligible`` and
        ``centroids``, and stand in ``release.row`` in the order of their numbers.

    Raises
    ------
    SpecificationError
        With the code ``specification.part`` if a needed part is not there or not the one that was signed;
        else if root or part have not their form, or do not fit together.
    """
    for name in ("eligible", "centroids"):
        if root.get(name) != []:
            raise SpecificationError(
                "the parts say this, and not their root", where=name, expected="an empty list"
            )
    release = root.get("release")
    release = release if isinstance(release, dict) else {}
    order = release.get("row")
    if not isinstance(order, list) or not _is_permutation(order, len(references)):
        raise SpecificationError(
            "not every district stands in it once",
            where="release.row",
            expected=f"a permutation of 0 to {len(references) - 1}",
        )
    documents = [
        _read(parts, reference, number) if needed is None or number in needed else _unread(reference)
        for number, reference in enumerate(references)
    ]
    starts = [*itertools.accumulate((part.count for part in references), initial=0)]
    cells = {**root["cells"], "districts": [document["cells"] for document in documents]}
    row = [starts[number] + cell for number in order for cell in documents[number]["row"]]
    return {
        **root,
        "cells": cells,
        "eligible": [counts for document in documents for counts in document["eligible"]],
        "centroids": [centroid for document in documents for centroid in document["centroids"]],
        "release": {**release, "row": row},
    }


def _unread(reference: ReferencedCells) -> dict[str, Any]:
    nothing: list[list[Any]] = [[]] * reference.count
    row = list(range(reference.count))
    return {"cells": reference.to_object(), "eligible": nothing, "centroids": nothing, "row": row}


def _read(parts: Parts, reference: ReferencedCells, number: int) -> dict[str, Any]:
    where = f"part of district {number}"
    data = parts(reference.digest)
    if data is None:
        raise SpecificationError(
            "the part is not there",
            where=where,
            expected=f"a file with the SHA-256 {reference.digest}",
            remedy="Keep the folder of parts beside the specification that names them.",
            code=PART_CODE,
        )
    if len(data) != reference.n_bytes or hashlib.sha256(data).hexdigest() != reference.digest:
        raise SpecificationError(
            "the part is not the one that was signed",
            where=where,
            expected=f"{reference.n_bytes} bytes with the SHA-256 {reference.digest}",
            code=PART_CODE,
        )
    value = strict_json.loads(data, error=SpecificationError, where=where, max_bytes=reference.n_bytes)
    fields = Fields(value, where, PART_KEYS, error=SpecificationError)
    for name in ("eligible", "centroids", "row"):
        fields.items(name, reference.count, minimum=reference.count)
    if not _is_permutation(value["row"], reference.count):
        raise fields.fail(
            "row", "not every cell stands in it once", f"a permutation of 0 to {reference.count - 1}"
        )
    shape = value["cells"].get("shape") if isinstance(value["cells"], dict) else None
    if shape == ReferencedCells.shape:
        raise fields.fail("cells", "a part names another part", "cells of another shape")
    document: dict[str, Any] = value
    return document


def _is_permutation(values: list[Any], length: int) -> bool:
    return all(type(value) is int for value in values) and sorted(values) == list(range(length))


def take_apart(
    document: dict[str, Any], cells: DistrictCells
) -> tuple[tuple[ReferencedCells, ...], dict[str, bytes]]:
    """The parts of a specification in one piece, and the references of its root to them (:func:`root_of`).

    Parameters
    ----------
    document : dict
        The specification as a JSON document.
    cells : DistrictCells
        Its cells.

    Raises
    ------
    SpecificationError
        If the cells of a district do not stand together in the row.
    """
    row, eligible = document["release"]["row"], document["eligible"]
    order = _districts_along(row, cells)
    if len(order) != len(cells.districts):
        raise SpecificationError(
            "cells of a district stand apart in the row along which cells are joined",
            where="release.row",
            expected="the cells of each district beside one another",
        )
    ends = [*itertools.accumulate((cells.districts[number].count for number in order), initial=0)]
    row_of = {number: row[start:end] for number, start, end in zip(order, ends, ends[1:], strict=False)}
    references, parts = [], {}
    for number, (district, members) in enumerate(zip(cells.districts, cells.members, strict=True)):
        own = slice(members.start, members.stop)
        data = strict_json.dumps(
            {
                "cells": district.to_object(),
                "eligible": eligible[own],
                "centroids": document["centroids"][own],
                "row": [cell - members.start for cell in row_of[number]],
            }
        )
        reference = ReferencedCells(
            weights=(),
            digest=hashlib.sha256(data).hexdigest(),
            n_bytes=len(data),
            n_cells=len(members),
            people=tuple(map(sum, zip(*eligible[own], strict=True))),
        )
        parts[reference.digest] = data
        references.append(reference)
    return tuple(references), parts


def root_of(
    document: dict[str, Any], cells: DistrictCells, references: Sequence[ReferencedCells]
) -> dict[str, Any]:
    """The root of a specification: its document without what is in the parts."""
    order = _districts_along(document["release"]["row"], cells)
    districts = [reference.to_object() for reference in references]
    return {
        **document,
        "cells": {**document["cells"], "districts": districts},
        "eligible": [],
        "centroids": [],
        "release": {**document["release"], "row": order},
    }


def _districts_along(row: Sequence[int], cells: DistrictCells) -> list[int]:
    """Districts in the order of a row of their cells; one that does not stand together is there twice."""
    owner = [number for number, members in enumerate(cells.members) for _ in members]
    return [number for number, _ in itertools.groupby(owner[cell] for cell in row)]
