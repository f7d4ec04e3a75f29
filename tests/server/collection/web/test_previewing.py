"""Trying a survey: a preview that keeps nothing, and copies that are marked for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from respondent_client.headless.respondent import HeadlessRespondent
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from server.collection.web.previewing import prepared, preview
from server.keys.signing import DESIGN_FILE, MODEL_FILE
from shared.envelope import survey_digest
from shared.errors import InputError, StateError
from shared.period import Period
from tests.builders import ANSWERS, small_model, small_specification
from tests.invited import invited_specification
from tests.programs import free_port
from tests.served import no_client, running
from tests.server.collection.storage import sample


def design_in(folder: Path, **changes: Any) -> Path:
    folder.mkdir()
    (folder / DESIGN_FILE).write_bytes(small_specification(**changes).to_bytes())
    (folder / MODEL_FILE).write_bytes(small_model())
    return folder


LATER = Period(opens="2099-01-01T00:00:00Z")
EARLIER = Period(closes="2001-01-01T00:00:00Z")


@pytest.mark.parametrize("period", [None, LATER, EARLIER])
def test_a_preview_takes_answers_and_keeps_none(tmp_path: Path, period: Period | None) -> None:
    with prepared(design_in(tmp_path / "design", period=period), free_port(), no_client) as ready:
        (store,) = ready.data.list()
        with running(ready.app, ready.config):
            respondent = HeadlessRespondent(ready.link)
            respondent.prepare()
            assert respondent.is_test()
            assert len(respondent.respond({"age": "43", "sex": "female"}, ANSWERS)) == 64
            respondent.close()
        assert store.total() == 0
        folder = store.published.folder
    assert not folder.exists()


def test_a_preview_of_an_invited_survey_is_another_survey(tmp_path: Path) -> None:
    folder = tmp_path / "design"
    folder.mkdir()
    invited = invited_specification()
    (folder / DESIGN_FILE).write_bytes(invited.to_bytes())
    (folder / MODEL_FILE).write_bytes(small_model())
    with prepared(folder, free_port(), no_client) as ready:
        assert ready.leaves_out_code
        assert survey_digest(invited.to_bytes()) not in ready.link


def test_what_is_no_design_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        preview(tmp_path, free_port(), print)
    assert caught.value.code == "input.no-design"


def test_a_copy_is_a_test_for_ever_and_says_so(tmp_path: Path) -> None:
    envelope = sample.envelope()
    with DataDirectory(tmp_path / "data") as data, DataDirectory(tmp_path / "test") as test:
        real = data.survey(data.publish(envelope, sample.MODEL))
        copy = test.survey(test.publish(envelope, sample.MODEL, is_test=True))
        assert (real.is_test, copy.is_test) == (False, True)
        for directory, is_test in ((data, True), (test, False)):
            with pytest.raises(StateError) as caught:
                directory.publish(envelope, sample.MODEL, is_test=is_test)
            assert caught.value.code == "state.test"
        for directory, said in ((data, None), (test, True)):
            client = create_app(Config(), directory, client=no_client).test_client()
            status = client.get(f"/api/v1/surveys/{real.id}/status").get_json()
            assert status.get("test") is said
