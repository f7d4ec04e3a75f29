"""Links between pages resolve, and what pages name exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.documents import DOCS, ROOT, anchors, blocks, links, pages, section, text_of, without_blocks
from tests.warm import run_script

PAGES = [path.relative_to(ROOT).as_posix() for path in pages()]
_PATH = re.compile(r"`((?:shared|server|respondent_client|tests|benchmarks|deploy|docs)/[A-Za-z0-9_./-]*)`")


@pytest.mark.parametrize("page", PAGES)
def test_links_resolve(page: str) -> None:
    text = text_of(page)
    for link in links(text):
        if link.startswith(("https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.exists(), f"{page} links to {link}"
        if anchor:
            assert anchor in anchors(target.read_text("utf-8")), f"{page} links to {link}"


@pytest.mark.parametrize("page", PAGES)
def test_files_and_folders_that_a_page_names_exist(page: str) -> None:
    built = ("respondent_client/static", "respondent_client/node_modules")
    for path in _PATH.findall(without_blocks(text_of(page))):
        assert (ROOT / path).exists() or path.startswith(built), f"{page} names {path}"


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_a_page_names_exist(page: str) -> None:
    from server.cli.main import command_table

    text = text_of(page)
    known = set(command_table()) | {"COMMAND"}
    named = set(re.findall(r"`roomful ([a-z][a-z-]*)[ `]", text)) | set(
        re.findall(r"^ {4}roomful ([a-z][a-z-]*)", text, re.M)
    )
    named |= {
        word
        for block in blocks(text)
        if block.language == "sh"
        for word in re.findall(r"^roomful ([a-z][a-z-]*)", block.text, re.M)
    }
    assert named <= known


def test_every_guide_is_linked_from_the_readme() -> None:
    linked = {link.partition("#")[0] for link in links(text_of("README.md"))}
    expected = {path.relative_to(ROOT).as_posix() for path in DOCS.glob("*.md")}
    assert expected <= linked


def test_no_page_names_a_host_that_somebody_else_owns() -> None:
    allowed = re.compile(r"(\.example|example\.(org|com)|localhost|127\.0\.0\.1|HOST(:PORT)?)$")
    known = (
        "keepachangelog.com",
        "semver.org",
        "www.rfc-editor.org",
        "arxiv.org",
        "doi.org",
        "specs.frictionlessdata.io",
    )
    for path in pages():
        for host in re.findall(r"https?://([A-Za-z0-9.-]+)", path.read_text("utf-8")):
            assert allowed.search(host) or host in known, f"{path.name} names {host}"


def test_the_changelog_names_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"## [{version}]" in text_of("CHANGELOG.md")


def test_decisions_are_numbered_once_and_have_their_parts() -> None:
    numbers = []
    for path in sorted(DOCS.joinpath("decisions").glob("[0-9]*.md")):
        text = path.read_text("utf-8")
        numbers.append(path.name[:4])
        assert re.match(rf"# {path.name[:4]}[ :]", text), path.name
        for part in ("Context", "Decision", "Consequences"):
            assert re.search(rf"^## {part}$", text, re.MULTILINE), f"{path.name} has no {part}"
    assert len(numbers) == len(set(numbers))


def test_the_index_of_decisions_has_every_title() -> None:
    index = text_of("docs/decisions/README.md").splitlines()
    told = [line for line in index if line.startswith("- ")]
    actual = []
    for path in sorted(DOCS.joinpath("decisions").glob("[0-9]*.md")):
        number, _, title = path.read_text("utf-8").splitlines()[0].removeprefix("# ").partition(" ")
        actual.append(f"- [{number.rstrip(':')}]({path.name}) {title}")
    lacking = [f"add the line      {line}" for line in actual if line not in told]
    wrong = [f"remove the line   {line}" for line in told if line not in actual]
    assert not lacking + wrong, "\n".join(["docs/decisions/README.md:", *lacking, *wrong])
    assert len(told) == len(actual)


NEW_CODE = re.findall(
    r"^\| (an? [^|]+) \| ([^|]+) \| ([^|]+) \|$",
    section(text_of("docs/architecture.md"), "Where to put new code"),
    re.MULTILINE,
)


def test_what_is_often_added_has_its_place() -> None:
    told = {what for what, _, _ in NEW_CODE}
    for what in ("a kind of attribute", "a method", "a measure", "a question type", "a released column"):
        assert any(one.startswith(what) for one in told), f"docs/architecture.md: add a row “{what}”"


@pytest.mark.parametrize(("what", "place", "more"), NEW_CODE, ids=[row[0] for row in NEW_CODE])
def test_the_places_of_new_code_exist(what: str, place: str, more: str) -> None:
    """A name in <> is the new one: then its folder must be there."""
    for path in re.findall(r"`([a-z_]+/[^`]*)`", place + more):
        known = path.partition("<")[0]
        assert (ROOT / known).exists(), f"docs/architecture.md, {what}: there is no {known}"


def test_every_room_is_in_the_architecture() -> None:
    text = text_of("docs/architecture.md")
    for package in (ROOT / "server").iterdir():
        if package.is_dir() and (package / "__init__.py").exists():
            assert f"server/{package.name}/" in text, package.name
    for module in sorted((ROOT / "shared").iterdir()):
        if module.name not in ("__init__.py", "__pycache__"):
            assert re.search(rf"[`/]{re.escape(module.name)}/?`", text), module.name


def test_import_contracts_of_the_architecture_are_those_of_the_project() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    names = " ".join(contract["name"] for contract in contracts)
    for claim in ("never import each other", "Flask", "database driver"):
        assert claim in names
        assert claim in " ".join(text_of("docs/architecture.md").split())


def test_entry_points_are_documented() -> None:
    groups = tomllib.loads(Path(ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    text = text_of("docs/architecture.md")
    for group, entries in groups.items():
        for name in entries:
            assert f"| `{group}` | `{name}` |" in text


def test_every_benchmark_is_documented_and_runs_from_any_folder(tmp_path: Path) -> None:
    text = text_of("docs/benchmarks.md")
    scripts = sorted((ROOT / "benchmarks").glob("bench_*.py"))
    assert scripts
    for script in scripts:
        assert f"`python benchmarks/{script.name}" in text, script.name
        done = run_script(script, ["--help"], tmp_path)
        assert done.returncode == 0, done.stderr
