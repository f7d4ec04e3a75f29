"""codebook.xml is a DDI Codebook 2.5: in structure always, and by the schema where a copy is named.

No package registry carries codebook.xsd. ``ROOMFUL_DDI_SCHEMA`` names one, and ``xmllint`` validates then.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from server.release.codebook import NAMESPACE, codebook
from shared.specification import Specification
from tests.server.release.exported import tables
from tests.server.release.survey import document, specification

ORDER = {
    "codeBook": ("stdyDscr", "fileDscr", "dataDscr"),
    "stdyDscr": ("citation", "stdyInfo", "method", "dataAccs"),
    "citation": ("titlStmt", "rspStmt", "distStmt"),
    "titlStmt": ("titl", "parTitl", "IDNo"),
    "distStmt": ("distrbtr", "contact"),
    "stdyInfo": ("abstract", "sumDscr"),
    "sumDscr": ("anlyUnit", "universe", "dataKind"),
    "method": ("dataColl", "notes"),
    "dataColl": ("sampProc", "collMode", "weight"),
    "fileTxt": ("fileName", "fileCont", "dimensns", "fileType"),
    "dimensns": ("caseQnty", "varQnty"),
    "var": ("labl", "qstn", "valrng", "invalrng", "txt", "catgry", "varFormat", "notes"),
    "qstn": ("qstnLit", "ivuInstr"),
    "invalrng": ("item", "notes"),
    "catgry": ("catValu", "labl", "txt"),
}
"""Children of an element in the order of the schema, as far as they are used."""


@pytest.fixture(params=["public", "register"])
def survey(request: pytest.FixtureRequest) -> Specification:
    model = document()["model"] | {"kind": request.param}
    return specification(model=model)


def written(survey: Specification) -> bytes:
    return codebook(survey, "ab" * 32, tables(survey))


def parsed(survey: Specification) -> ElementTree.Element:
    return ElementTree.fromstring(written(survey))  # noqa: S314 (our own)


def test_structure(survey: Specification) -> None:
    root = parsed(survey)
    assert root.tag == f"{{{NAMESPACE}}}codeBook"
    identifiers = [element.get("ID") for element in root.iter() if element.get("ID")]
    assert len(identifiers) == len(set(identifiers))
    for element in root.iter():
        name, children = _name(element), [_name(child) for child in element]
        if name in ORDER:
            places = [ORDER[name].index(child) for child in children]
            assert places == sorted(places), name
        assert element.get("files", "file_cells") in identifiers
    assert len(list(root.iter(f"{{{NAMESPACE}}}titl"))) == 1


def test_questions_labels_and_missing_codes(survey: Specification) -> None:
    root = parsed(survey)
    space = {"d": NAMESPACE}
    mood = root.find(".//d:var[@name='mood']", space)
    assert mood is not None
    assert [_text(e) for e in mood.findall("d:qstn/d:qstnLit", space)] == ["mood"]
    missing = mood.find("d:catgry[@missing='Y']", space)
    assert missing is not None
    assert [_text(e) for e in missing] == ["-9", "not answered"]
    health = root.find(".//d:var[@name='health']", space)
    assert health is not None
    assert [_text(e) for e in health.findall("d:catgry/d:catValu", space)] == ["good", "bad"]
    weight = root.find(".//d:var[@name='weight']", space)
    assert weight is not None
    assert weight.get("wgt") == "wgt"


def test_it_counts_nothing(survey: Specification) -> None:
    names = {_name(element) for element in parsed(survey).iter()}
    assert not names & {"catStat", "sumStat", "nCases"}


def test_the_published_schema(tmp_path: Path, survey: Specification) -> None:
    schema, program = os.environ.get("ROOMFUL_DDI_SCHEMA"), shutil.which("xmllint")
    if not schema or program is None:
        pytest.skip("needs xmllint, and ROOMFUL_DDI_SCHEMA to name a copy of codebook.xsd")
    (tmp_path / "codebook.xml").write_bytes(written(survey))
    subprocess.run(
        [program, "--noout", "--nonet", "--schema", schema, str(tmp_path / "codebook.xml")], check=True
    )


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _text(element: ElementTree.Element) -> str:
    return element.text or ""
