"""``[invited]`` of survey.toml: what may be left out, and of a relay a key only of an election."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.design.survey_file.invited_entry import _relay, _spare_keys
from server.design.survey_file.toml_document import Section, parse_toml
from server.keys.relay_key import create_relay_key
from shared.errors import KeyFileError, SurveyFileError

TEXT = '[relay]\nurl = "https://relay.example/"\nmessages = 20\nseconds = 600\n'


def section(text: str) -> Section:
    """The section around the relay's."""
    document = parse_toml(text.encode(), source="survey.toml")
    return Section(document, document.value, (), ("relay",))


def test_a_key_is_read_from_its_file(tmp_path: Path) -> None:
    key = create_relay_key(tmp_path / "relay.pem").public_key
    named = section(TEXT + 'key = "relay.pub"\n')
    assert _relay(named, tmp_path, True).key == key
    assert "key" not in _relay(section(TEXT), tmp_path, True).to_object()
    with pytest.raises(SurveyFileError, match="of an election"):
        _relay(named, tmp_path, False)
    (tmp_path / "relay.pub").write_text("no key")
    with pytest.raises(KeyFileError):
        _relay(named, tmp_path, True)


def test_spare_keys_may_be_left_out(tmp_path: Path) -> None:
    document = parse_toml(b"people = 700\n", source="survey.toml")
    assert _spare_keys(Section(document, document.value, (), ("people", "spare_keys")), tmp_path) == ()
