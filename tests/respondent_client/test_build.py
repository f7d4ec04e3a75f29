from __future__ import annotations

import ast
import fcntl
import gzip
import hashlib
import json
import os
import re
import threading
import zipfile
from io import BytesIO
from pathlib import Path

import brotli
import pytest

from respondent_client import build as building
from respondent_client.build import BUNDLES, CLIENT, ENTRIES, WEB, Assets, build, static
from shared.errors import SetupError
from tests.waiting import PATIENCE_SECONDS


@pytest.fixture(scope="module")
def folder() -> Path:
    return build(progress=False)


def manifest(folder: Path) -> dict[str, str]:
    value: dict[str, str] = json.loads((folder / "manifest.json").read_bytes())
    return value


def test_every_name_holds_the_hash_of_its_content(folder: Path) -> None:
    for name, hashed in manifest(folder).items():
        content = (folder / hashed).read_bytes()
        if not name.startswith("pyodide/"):
            assert hashlib.sha256(content).hexdigest()[:16] in hashed


def test_compressed_forms_hold_the_same_content(folder: Path) -> None:
    for hashed in manifest(folder).values():
        content = (folder / hashed).read_bytes()
        assert gzip.decompress((folder / f"{hashed}.gz").read_bytes()) == content
        assert brotli.decompress((folder / f"{hashed}.br").read_bytes()) == content


def test_modules_name_one_another_by_hashed_names(folder: Path) -> None:
    names = manifest(folder)
    start, app, worker = (
        (folder / names[f"{name}.mjs"]).read_text("utf-8") for name in ("start", "app", "worker")
    )
    assert f'import("./{names["app.mjs"]}")' in start
    assert f'"./{names["worker.mjs"]}"' in app
    assert '"./worker.mjs"' not in app
    for name in ("pyodide/pyodide.asm.wasm", "python_stdlib.zip", "roomful.zip"):
        assert f'"./{names[name]}"' in worker


def test_every_module_of_the_page_is_in_a_file_under_its_name(folder: Path) -> None:
    """An auditor finds each in the four files, and no path of the machine that built them."""
    names = manifest(folder)
    text = "\n".join((folder / names[entry]).read_text("utf-8") for entry in ENTRIES)
    missing = [path.name for path in WEB.glob("*.mjs") if f"// {path.name}" not in text]
    assert missing == []
    assert "// ../" not in text
    assert str(CLIENT) not in text
    assert {name for name in names if name.endswith(".mjs")} == {
        *ENTRIES,
        *BUNDLES,
        "pyodide/pyodide.asm.mjs",
    }


def test_nothing_is_loaded_from_elsewhere(folder: Path) -> None:
    for name, hashed in manifest(folder).items():
        if name.endswith((".mjs", ".html", ".css")) and not name.startswith(("pyodide/", "survey-core")):
            text = (folder / hashed).read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            # Pyodide's own loader knows where others may load it from; the page's policy forbids it.
            before, loader, after = text.partition("// node_modules/pyodide/pyodide.mjs\n")
            text = before + after.partition("// platform.mjs\n")[2] if loader else text
            assert "http:" not in text, name
            assert "https:" not in text, name


def test_the_python_in_the_browser_is_what_the_worker_calls_and_no_more(folder: Path) -> None:
    with zipfile.ZipFile(BytesIO((folder / manifest(folder)["roomful.zip"]).read_bytes())) as archive:
        names = archive.namelist()
    assert "shared/soundness.pyc" in names
    assert "respondent_client/session.pyc" in names
    assert "shared/cells/__init__.pyc" in names
    assert not {"shared/board_recount.pyc", "respondent_client/build.pyc"} & set(names)
    assert not [name for name in names if "headless" in name or name.startswith("server")]


def test_what_verifies_an_election_is_loaded_apart(folder: Path) -> None:
    """A voter loads nothing of it, and who verifies loads nothing twice."""
    names = manifest(folder)

    def modules(archive: str) -> set[str]:
        with zipfile.ZipFile(BytesIO((folder / names[archive]).read_bytes())) as packed:
            return set(packed.namelist())

    voting, verifying = modules("roomful.zip"), modules("verification.zip")
    assert voting & verifying == {"methods"}, "each has those of its own dataclasses"
    assert {"shared/verification/election.pyc", "respondent_client/browser/verifying.pyc"} <= verifying
    assert not [name for name in voting if "verification" in name]
    assert (folder / f"{names['verification.zip']}.br").stat().st_size < 60_000
    assert f'"./{names["verification.zip"]}"' in (folder / names["worker.mjs"]).read_text("utf-8")
    assert f'import("./{names["verify_result.mjs"]}")' in (folder / names["board.mjs"]).read_text("utf-8")


def test_the_library_in_the_browser_has_what_ours_imports_and_little_else(folder: Path) -> None:
    """Also what is imported only inside a function; what the walks meet is in ``tests/browser``."""
    with zipfile.ZipFile(BytesIO((folder / manifest(folder)["python_stdlib.zip"]).read_bytes())) as archive:
        assert all(name.endswith(".pyc") for name in archive.namelist())
        there = {
            name.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".")
            for name in archive.namelist()
        }
    wanted = set()
    for path in building.python_files():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                wanted.add(str(node.module))
    pure = {name for name in wanted if (Path(os.__file__).parent / f"{name.replace('.', '/')}.py").is_file()}
    assert "dataclasses" in pure
    assert pure - {"abc", "collections.abc", "io", "zipimport"} <= there, "but for what is built into Python"
    assert not {"tkinter", "unittest", "http.client", "sqlite3", "email", "xml", "argparse"} & there


def test_an_open_survey_loads_few_bytes(folder: Path) -> None:
    """A tenth of a megabyte is two seconds on a slow network; the requests are counted in Chromium."""
    others = (
        "board",
        "hpke",
        "htmx",
        "qr",
        "survey.ar",
        "survey.de",
        "texts/",
        "verification",
        "verify_result",
    )
    loaded = [hashed for name, hashed in manifest(folder).items() if not name.startswith(others)]
    assert sum((folder / f"{hashed}.br").stat().st_size for hashed in loaded) <= 4_000_000


def test_of_the_styles_only_what_can_be_shown_is_kept(folder: Path) -> None:
    sheet = b".sd-slider{a:b}.sd-slider .sd-item,.sd-item{c:d}@media (x){.sv-popup__x{e:f}.sd-item{g:h}}"
    kept = b".sd-slider .sd-item,.sd-item{c:d}@media (x){.sd-item{g:h}}"
    assert building.styles_in_use(sheet) == kept
    styles = (folder / manifest(folder)["survey-core.css"]).read_text("utf-8")
    assert ".sd-rating__item" in styles
    assert ".sd-table" in styles
    assert ".sd-signaturepad" not in styles


def test_sealing_is_one_module_for_each_kind_of_key(folder: Path) -> None:
    names = manifest(folder)
    platform = (folder / names["worker.mjs"]).read_text("utf-8")
    for bundle in ("hpke.mjs", "hpke-x-wing.mjs"):
        assert f'import("./{names[bundle]}")' in platform
        text = (folder / names[bundle]).read_text("utf-8")
        assert text.startswith("/*! HPKE")
        assert "eval(" not in text
        assert set(re.findall(r"\bimport\b *[^.;]{,10}", text)) == {'import("crypto")'}, "only for old node"
    sizes = [(folder / names[bundle]).stat().st_size for bundle in ("hpke.mjs", "hpke-x-wing.mjs")]
    assert sizes[0] < 0.7 * sizes[1], "the post-quantum part is not in what every survey loads"


def test_what_cannot_be_bundled_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hpke.mjs").write_text('import "nowhere";', "utf-8")
    with pytest.raises(SetupError, match="bundled") as caught:
        building._bundle(tmp_path / "hpke.mjs")
    assert "nowhere" in caught.value.where


def test_a_second_build_changes_nothing(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert build(progress=False) == folder
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_changed_module_changes_the_names_of_those_that_import_it() -> None:
    sources = {"a.mjs": b'import "./b.mjs";', "b.mjs": b"1", "c.mjs": b"3"}
    old, new = Assets(sources), Assets({**sources, "b.mjs": b"2"})
    assert old.hashed("a.mjs") != new.hashed("a.mjs")
    assert old.hashed("c.mjs") == new.hashed("c.mjs")


def test_circles_and_dangling_references_are_refused() -> None:
    with pytest.raises(SetupError, match="circle"):
        Assets({"a.mjs": b'"./b.mjs"', "b.mjs": b'"./a.mjs"'}).content("a.mjs")
    with pytest.raises(SetupError, match="does not exist"):
        Assets({"a.mjs": b'"./gone.mjs"'}).content("a.mjs")


def test_an_installation_that_was_not_built_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "STATIC", tmp_path)
    with pytest.raises(SetupError) as caught:
        static()
    assert "respondent_client.build" in caught.value.remedy


def test_a_machine_without_npm_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "NODE_MODULES", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="npm"):
        building._install_packages()


@pytest.mark.parametrize("folder", [CLIENT, CLIENT.parent / "tests" / "web"])
def test_packages_are_pinned_and_the_lock_names_no_registry(folder: Path) -> None:
    package = json.loads((folder / "package.json").read_bytes())
    wanted = package.get("dependencies", {}) | package["devDependencies"]
    lock = json.loads((folder / "package-lock.json").read_bytes())
    assert all(version[0].isdigit() for version in wanted.values())
    for name, entry in lock["packages"].items():
        assert "resolved" not in entry, name
        assert not name or "integrity" in entry, name
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in wanted} == wanted


def test_a_build_waits_for_another_one() -> None:
    other = os.open(CLIENT, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    built = threading.Event()
    thread = threading.Thread(target=lambda: (build(progress=False), built.set()))
    thread.start()
    assert not built.wait(1)
    os.close(other)
    assert built.wait(PATIENCE_SECONDS)
    thread.join()
