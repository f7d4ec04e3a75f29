"""docs/command-line.md agrees with click: every command, argument and option, and nothing else."""

from __future__ import annotations

import re

import click
import pytest

from server.cli.main import command_table, roomful
from tests.docs.documents import ROOT, assert_told, section, text_of

PAGE = "docs/command-line.md"


def command(name: str) -> click.Command:
    """A command as it is run; a group's commands have names of two words."""
    found: click.Command | None = roomful
    for word in name.split():
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word)
    assert found is not None
    return found


def all_commands() -> list[str]:
    """Every command; of a group those in it."""
    names = []
    for name in command_table():
        found = command(name)
        names += [f"{name} {inner}" for inner in found.commands] if isinstance(found, click.Group) else [name]
    return names


def documented(name: str) -> dict[str, list[str]]:
    """Rows of the command's table."""
    rows = {}
    for line in section(text_of(PAGE), name).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells
    return rows


def spelled(parameter: click.Parameter) -> str:
    """As a person types it."""
    if isinstance(parameter, click.Argument):
        return str(parameter.name).upper()
    return next(name for name in parameter.opts if name.startswith("--"))


@pytest.mark.parametrize("name", all_commands())
def test_every_option_is_documented(name: str) -> None:
    options = {spelled(parameter) for parameter in command(name).params}
    assert_told(PAGE, f"`{name}`", documented(name), options)


@pytest.mark.parametrize("name", all_commands())
def test_required_options_and_defaults_are_those_of_the_command(name: str) -> None:
    for parameter in command(name).params:
        _, value, default, meaning = documented(name)[spelled(parameter)]
        where = f"{PAGE}, section `{name}`, row {spelled(parameter)}"
        assert meaning, f"{where}: say what it is for"
        assert (default == "required") == parameter.required, f"{where}: correct the default"
        if isinstance(parameter, click.Option) and parameter.is_flag:
            assert (value, default) == ("flag", ""), f"{where}: the value is `flag`, and there is no default"
        elif isinstance(parameter, click.Option) and parameter.show_default:
            assert default.strip("`") == str(parameter.default), f"{where}: correct the default"
        if isinstance(parameter.type, click.IntRange):
            numbers = [str(n) for n in (parameter.type.min, parameter.type.max) if n is not None]
            assert re.findall(r"\d+", value) == numbers, f"{where}: correct the bounds"
        if isinstance(parameter.type, click.Choice):
            choices = list(parameter.type.choices)
            assert re.findall(r"`([^`]+)`", value) == choices, f"{where}: the values are {choices}"


def test_no_command_is_documented_that_does_not_exist() -> None:
    titles = re.findall(r"^## `([a-z -]+)`$", text_of(PAGE), re.MULTILINE)
    lacking, gone = set(all_commands()) - set(titles), set(titles) - set(all_commands())
    assert not lacking, f"{PAGE}: add the headings ## `...` of {sorted(lacking)}"
    assert not gone, f"{PAGE}: remove the sections of {sorted(gone)}"
    assert len(titles) == len(set(titles))


def test_every_environment_variable_is_documented() -> None:
    files = [
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "tests").rglob("*.sh"),
        *(ROOT / "deploy").rglob("*.*"),
    ]
    for package in ("server", "respondent_client", "shared"):
        files += [path for path in (ROOT / package).rglob("*.py") if "node_modules" not in path.parts]
    used = {
        name
        for path in files
        if path.suffix in (".py", ".sh") and path != ROOT / "tests" / "docs" / "test_command_line.py"
        for name in re.findall(r"ROOMFUL_[A-Z_]+", path.read_text("utf-8"))
    }
    told = set(re.findall(r"^\| `(ROOMFUL_[A-Z_]+)", text_of(PAGE), re.MULTILINE))
    made_up = {"ROOMFUL_X"}  # of the configuration's own tests
    assert {name for name in used - told - made_up if not name.startswith("ROOMFUL_SERVER_")} == set()
    assert {name for name in told - used if name != "ROOMFUL_SERVER_"} == set()


def test_the_steps_name_every_command() -> None:
    steps = text_of(PAGE).partition("## `desk`")[0]
    assert not [name for name in all_commands() if f"[`{name}`](#{name.replace(' ', '-')})" not in steps]
