"""One frozen configuration; every setting is documented."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from server.collection.config import FILE_NAME, PREFIX, Config
from shared.errors import SetupError

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "operator-guide.md"


def test_later_sources_win(tmp_path: Path) -> None:
    assert Config.load(tmp_path, {}, {}).port == 8000
    (tmp_path / FILE_NAME).write_text('port = 8001\noperator = "Office"\nlist_surveys = false\n')
    assert Config.load(tmp_path, {}, {}).port == 8001
    environment = {PREFIX + "PORT": "8002", PREFIX + "LIST_SURVEYS": "true", "OTHER": "x", "ROOMFUL_X": "y"}
    loaded = Config.load(tmp_path, environment, {})
    assert (loaded.port, loaded.list_surveys, loaded.operator) == (8002, True, "Office")
    assert Config.load(tmp_path, environment, {"port": 8003, "host": None}).port == 8003


def test_it_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().port = 1  # type: ignore[misc] # the point


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("prot = 1", "prot"),
        ("port = '8000'", "port"),
        ("port = true", "port"),
        ("port = 70000", "port"),
        ("list_surveys = 1", "list_surveys"),
        ("threads = 0", "threads"),
        ("port = ", FILE_NAME),
        ("[server]\nport = 1", "server"),
    ],
)
def test_an_impossible_file_is_refused_by_name(tmp_path: Path, text: str, where: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(SetupError) as caught:
        Config.load(tmp_path, {}, {})
    assert (caught.value.code, caught.value.where) == ("setup.config", where)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("PROT", "1"), ("PORT", "eight"), ("PORT", "-1"), ("PORT", "²"), ("LIST_SURVEYS", "yes"), ("PORT", "")],
)
def test_an_impossible_variable_is_refused_by_name(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(SetupError) as caught:
        Config.load(tmp_path, {PREFIX + variable: value}, {})
    assert caught.value.where == PREFIX + variable


@pytest.mark.parametrize(
    ("url", "base", "https", "secure"),
    [
        ("", "/", False, True),
        ("https://example.org", "/", True, True),
        ("https://example.org/surveys", "/surveys/", True, True),
        ("https://example.org/a/b/", "/a/b/", True, True),
        ("http://example.org/", "/", False, False),
        ("http://localhost:8000/", "/", False, True),
        ("http://[::1]:8000/x/", "/x/", False, True),
    ],
)
def test_the_public_address_gives_sub_path_and_security(
    url: str, base: str, https: bool, secure: bool
) -> None:
    config = Config(public_url=url)
    assert (config.base, config.https, config.secure_context) == (base, https, secure)
    assert config.public_url.endswith(base)


@pytest.mark.parametrize(
    "url",
    [
        "example.org", "ftp://example.org/", "https:///x", "https://example.org/?a", "https://example.org/#a",
        "https://user@example.org/", "https://example.org//x/", "https://example.org/../", "https://exämple.org/",
        "https://example.org/a%2fb/", "https://example.org:0/", "https://example.org:99999/", "https://[::1/",
        "https://example.org/s/", "https://example.org/api/x/", "https://example.org/static/",
    ],
)  # fmt: skip
def test_an_impossible_address_is_refused(url: str) -> None:
    with pytest.raises(SetupError) as caught:
        Config(public_url=url)
    assert caught.value.where == "public_url"


def test_the_default_address_is_the_one_listened_on() -> None:
    assert Config(host="127.0.0.1", port=81).public_url == "http://127.0.0.1:81/"
    assert Config(host="::1", port=81).public_url == "http://[::1]:81/"


@pytest.mark.parametrize("setting", dataclasses.fields(Config), ids=lambda setting: setting.name)
def test_every_setting_is_documented(setting: dataclasses.Field[Any]) -> None:
    """With its name, its default and its meaning, in the operator's guide."""
    row = next(
        line for line in GUIDE.read_text("utf-8").splitlines() if line.startswith(f"| `{setting.name}` |")
    )
    default = {"": "", True: "`true`", False: "`false`"}.get(setting.default, f"`{setting.default}`")  # type: ignore[call-overload]
    assert [cell.strip() for cell in row.strip("|").split("|")][1:] == [default, setting.metadata["help"]]
