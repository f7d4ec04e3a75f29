"""Specifications in parts: sound ones, and one defect each, for everybody who checks some or all parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from shared.specification import Specification
from shared.strict_json import dumps
from tests.builders import register_cells
from tests.vectors.surveys import districts_of, register

Document = dict[str, Any]


def survey_in_parts() -> tuple[Specification, list[bytes]]:
    """A register of two districts, and its two parts in order."""
    specification, parts = register(districts_of(register_cells(), 51)).in_parts()
    return specification, [parts[reference.digest] for reference in specification.parts]


def referenced(root: Document, number: int, part: bytes, **changes: Any) -> None:
    """Let a root name another part, and say something else about it."""
    own = {"digest": hashlib.sha256(part).hexdigest(), "bytes": len(part)}
    root["cells"]["districts"][number].update(own | changes)


def part_vectors() -> list[Document]:
    """All of them; ``check`` is what must refuse, null if root and parts are sound."""
    specification, parts = survey_in_parts()
    first, second = parts
    digests = [reference.digest for reference in specification.parts]
    honest = dict(zip(digests, parts, strict=True))
    found: list[Document] = []

    def add(
        name: str,
        comment: str,
        check: str | None,
        given: dict[str, bytes],
        needed: Sequence[int] | None = None,
        change: Callable[[Document], object] = lambda _root: None,
    ) -> None:
        root = specification.to_object()
        change(root)
        found.append(
            {
                "name": name,
                "comment": comment,
                "check": check,
                "root": dumps(root).decode(),
                "parts": {digest: data.decode() for digest, data in given.items()},
                "needed": needed,
            }
        )

    def altered(name: str, comment: str, check: str, change: Callable[[Document], object]) -> None:
        """The first part changed, and signed so."""
        document = json.loads(first)
        change(document)
        part = dumps(document)
        signed = {hashlib.sha256(part).hexdigest(): part, digests[1]: second}
        add(name, comment, check, signed, None, lambda root: referenced(root, 0, part))

    form, digest = "check.form", "check.digest"
    add("all", "Root and both parts.", None, honest)
    add("own", "The part of the second district alone.", None, {digests[1]: second}, [1])
    add("root", "The root alone: checks 4, 7 and 8 are open.", None, {}, [])
    add("missing", "One of two parts, for somebody who needs both.", digest, {digests[1]: second})
    add("missing-own", "The part of another district.", digest, {digests[1]: second}, [0])
    add(
        "swapped",
        "Each part under the name of the other.",
        digest,
        dict(zip(digests, [second, first], strict=True)),
    )
    add("truncated", "The last byte is missing.", digest, {digests[0]: first[:-1]}, [0])
    add("too-long", "A byte more.", digest, {digests[0]: first + b"\n"}, [0])
    add("another", "A cell has other people.", digest, {digests[0]: first.replace(b"[18]", b"[19]", 1)}, [0])
    add("fewer-cells", "The root says of a part that it has three cells.", form, honest, None,
        lambda root: root["cells"]["districts"][0].update(cells=3))  # fmt: skip
    add("other-people", "The root says that a part has a person more.", form, honest, [0],
        lambda root: root["cells"]["districts"][0].update(people=[73]))  # fmt: skip
    add("other-levels", "The root counts people of a part at two levels.", form, {digests[1]: second}, [1],
        lambda root: root["cells"]["districts"][0].update(people=[36, 36]))  # fmt: skip
    add("no-levels", "The root counts no people of a part.", form, {digests[1]: second}, [1],
        lambda root: root["cells"]["districts"][0].update(people=[]))  # fmt: skip
    add("one-inline", "Only one district is in a part.", form, honest, None,
        lambda root: root["cells"]["districts"].__setitem__(0, json.loads(first)["cells"]))  # fmt: skip
    add("figures-in-the-root", "The root has rows of eligible people.", form, honest, None,
        lambda root: root.update(eligible=[[18]] * 8))  # fmt: skip
    add("row-without-a-district", "A district stands twice in the row.", form, honest, None,
        lambda root: root["release"].update(row=[0, 0]))  # fmt: skip
    add("no-release", "The root says nothing of the release.", form, honest, None,
        lambda root: root.update(release=None))  # fmt: skip
    add("too-many-cells", "More cells than all districts may have.", form, honest, [],
        lambda root: root["cells"].update(
            districts=[{**root["cells"]["districts"][0], "cells": 20_000} for _ in range(51)]
        ))  # fmt: skip
    add(
        "public",
        "A public model, which every device counts again.",
        form,
        honest,
        None,
        lambda root: root["model"].update(kind="public"),
    )
    altered("part-of-a-part", "A part names another part.", form,
            lambda part: part.update(cells=specification.parts[1].to_object()))  # fmt: skip
    altered("no-cells", "A part without cells.", form, lambda part: part.update(cells=None))
    altered("no-row", "A cell stands twice in the row of a part.", form,
            lambda part: part.update(row=[0, 0, 1, 2]))  # fmt: skip
    altered("not-a-row", "A text stands in the row of a part.", form,
            lambda part: part.update(row=[0, "1", 2, 3]))  # fmt: skip
    altered(
        "no-people", "A cell of a part has nobody.", form, lambda part: part["eligible"].__setitem__(0, [])
    )
    altered("another-field", "A part has a field that nobody knows.", form, lambda part: part.update(more=1))
    altered("site-off-the-grid", "A site finer than a register may tell.", "check.model-shape",
            lambda part: part["cells"]["sites"][0].__setitem__(0, 166))  # fmt: skip
    return found
