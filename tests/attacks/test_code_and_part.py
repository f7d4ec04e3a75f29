"""An organizer writes an invited survey in parts by hand, to lay each part that is fetched beside a code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from respondent_client.headless.respondent import run
from respondent_client.session import examine_survey
from server.files import write_file
from server.keys.parts_folder import write_parts
from server.keys.signing import DESIGN_FILE, sign_design
from shared.cells import DistrictCells
from shared.errors import SoundnessError, SpecificationError
from shared.parts import root_of, take_apart
from shared.specification import Specification
from shared.strict_json import dumps
from tests.builders import ORGANIZER_KEY, register_cells, sign
from tests.in_parts import survey_in_parts
from tests.invited import invited_specification
from tests.respondent_client.fakes import FakePlatform, link_to
from tests.vectors.surveys import districts_of, register

CELLS = districts_of(register_cells(), 51)
INVITED = invited_specification(kind="register", cells=CELLS)
OPEN = register(CELLS)
PUBLIC = replace(OPEN, model=replace(OPEN.model, kind="public", people=sum(map(sum, OPEN.eligible))))


def by_hand(document: dict[str, Any]) -> tuple[bytes, dict[str, bytes]]:
    """Root and parts of what :meth:`Specification.in_parts` refuses to take apart."""
    references, parts = take_apart(document, CELLS)
    return dumps(root_of(document, CELLS, references)), parts


def test_by_hand_as_by_the_program() -> None:
    root, parts = by_hand(OPEN.to_object())
    assert (root, parts) == (survey_in_parts()[0].to_bytes(), survey_in_parts()[1])
    assert isinstance(CELLS, DistrictCells)


@pytest.mark.parametrize("survey", [INVITED, PUBLIC], ids=["invited", "public"])
def test_no_device_asks_for_a_part_of_it(survey: Specification, tmp_path: Path) -> None:
    root, parts = by_hand(survey.to_object())
    platform = FakePlatform(sign(root, ORGANIZER_KEY).to_bytes())
    platform.parts = parts
    examination = run(examine_survey(platform, link_to(platform.envelope)))
    with pytest.raises(SoundnessError) as caught:
        examination.sound()
    assert caught.value.code == "check.form"
    assert [url.rpartition("/")[2] for _, url in platform.requests] == ["specification"]
    write_file(tmp_path / DESIGN_FILE, root)
    write_parts(tmp_path, parts, write_file)
    with pytest.raises(SpecificationError, match=r"beside a code|counts all cells"):
        sign_design(tmp_path, ORGANIZER_KEY)
