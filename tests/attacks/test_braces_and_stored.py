"""Small print: what is signed is not what is shown, or not what is stored."""

from __future__ import annotations

import json

import pytest

from respondent_client.build import WEB
from server.collection.web.statement import statement
from shared.errors import SpecificationError
from shared.specification import STORED, Specification
from tests.builders import age, sex, small_specification
from tests.invited import invited_specification
from tests.vectors.surveys import altered

TEXTS = {"en": json.loads((WEB / "texts" / "en.json").read_bytes())}


@pytest.mark.parametrize("name", ["{k}", "{count}", "{smallest} and {share}", "{"])
def test_no_figure_is_put_into_a_name_that_the_organizer_signed(name: str) -> None:
    """ "Your {smallest}" would become a number that nobody signed beside the others."""
    label = {"en": name, "de": name}
    specification = small_specification(attributes=(age(label=label), sex()))
    told = statement(specification, "en", TEXTS)
    assert f"{name} and Sex" in told.promise[0]
    page = json.loads((WEB / "texts" / "en.json").read_bytes())["statement.stay"]
    assert told.promise[0] == page.replace("{details}", f"{name} and Sex")


@pytest.mark.parametrize("kind", ["open", "invited"])
def test_a_list_of_what_is_stored_that_leaves_something_out_is_refused(kind: str) -> None:
    """A respondent who reads an empty list believes that nothing is kept."""
    survey = small_specification() if kind == "open" else invited_specification()
    whole = list(STORED[kind])
    assert Specification.parse(altered(survey, lambda d: d.update(stored=whole))).stored == STORED[kind]
    for listed in ([], whole[:1], whole[:-1], whole[::-1], [*whole[:-1], "nothing"]):
        payload = altered(survey, lambda d, listed=listed: d.update(stored=listed))
        with pytest.raises(SpecificationError) as caught:
            Specification.parse(payload)
        assert caught.value.code == "specification.stored"
