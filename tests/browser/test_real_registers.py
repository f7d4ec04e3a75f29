"""Every record of real registers is mapped in Pyodide to the cell that CPython and the design give it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.harness import Harness
from tests.browser.profiles import Profiles
from tests.browser.site import Site
from tests.builders import ORGANIZER_KEY, sign
from tests.registers import designed, write_adult, write_numeric

pytestmark = pytest.mark.browser

_PLACE_ALL = """async (people) => {
  const cells = [];
  for (const quasi_identifiers of people) {
    const answer = await window.ask("place", {quasi_identifiers});
    cells.push(answer.result.room.cell);
  }
  return cells;
}"""


@pytest.fixture(scope="module")
def profiles(plain_profiles: Profiles) -> Profiles:
    return plain_profiles


def write(name: str, folder: Path, data: Path) -> Path:
    if name == "adult":
        return write_adult(folder, data, limit=4_000)
    column, kind = name.split("-")
    return write_numeric(folder, data, column, kind=kind)


@pytest.mark.parametrize(
    "name", ["census-register", "census-public", "tarragona-register", "tarragona-public", "adult"]
)
def test_pyodide_maps_every_record_like_cpython_and_the_design(
    name: str, tmp_path: Path, reference_data: Path, tab: Callable[..., Page], make_site: Callable[..., Site]
) -> None:
    survey = write(name, tmp_path, reference_data)
    result = designed(survey)
    model = result.model
    specification = result.specification
    names = [attribute.name for attribute in specification.attributes]
    with (tmp_path / "records.csv").open(newline="", encoding="utf-8") as file:
        records = [tuple(record[name] for name in names) for record in csv.DictReader(file)]
    distinct = sorted(set(records))
    site = make_site(
        sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes(),
        model.canonical_text() if specification.model.kind == "public" else None,
    )
    harness = Harness(tab(), site)
    assert "result" in harness.open()
    people = [dict(zip(names, record, strict=True)) for record in distinct]
    in_pyodide = harness.page.evaluate(_PLACE_ALL, people)
    in_cpython = [specification.cells.assign(specification.vector(person)) for person in people]
    cell_of = dict(zip(distinct, in_pyodide, strict=True))
    by_design = [int(result.labels[i]) for i in model.tuple_of_record]
    # The same bytes in all three places, for every record.
    written = [b"".join(cell.to_bytes(4, "big") for cell in cells) for cells in (in_pyodide, in_cpython)]
    assert written[0] == written[1]
    assert [cell_of[record] for record in records] == by_design
