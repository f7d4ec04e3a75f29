"""Collect what the browser needs into ``static/``: ``python -m respondent_client.build``.

The modules of ``web/`` become five files (:data:`ENTRIES`), and Python is compiled for Pyodide, with only
that part of its standard library that the client imports: each byte is time before the first question.

Every file carries a hash of its content in its name, so that it may be cached for ever and a changed file is
never mixed with an old one; modules name one another by these names. Beside each file lie its brotli and gzip
forms. ``manifest.json`` maps logical names to the names with hashes. ``SHA256SUMS`` has the hash of every
file, as ``sha256sum -c`` reads it; its own SHA-256 is the build's digest. A second run with nothing changed
does nothing, and the same sources give the same bytes in any folder and on any day.
"""

from __future__ import annotations

import ast
import fcntl
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import brotli

from shared.errors import SetupError
from shared.questions import ELEMENTS

CLIENT: Final = Path(__file__).resolve().parent
ROOT: Final = CLIENT.parent
_OURS: Final = ("shared", CLIENT.name)
STATIC: Final = CLIENT / "static"
WEB: Final = CLIENT / "web"
SEALING: Final = CLIENT / "sealing"
SCANNING: Final = CLIENT / "scanning"
COMPILING: Final = CLIENT / "compiling"
NODE_MODULES: Final = CLIENT / "node_modules"
ESBUILD: Final = NODE_MODULES / "esbuild" / "bin" / "esbuild"
SUMS: Final = "SHA256SUMS"
REMEDY: Final = "Run: python -m respondent_client.build"

LIBRARIES: Final[Mapping[str, str]] = {
    "survey.core.js": "survey-core/survey.core.min.js",
    "survey-ui.js": "survey-js-ui/survey-js-ui.min.js",
    "survey-core.css": "survey-core/survey-core.fontless.min.css",
    "survey.de.js": "survey-core/i18n/german.min.js",
    "survey.fr.js": "survey-core/i18n/french.min.js",
    "survey.ar.js": "survey-core/i18n/arabic.min.js",
    "htmx.js": "htmx.org/dist/htmx.min.js",
}
NOTICE: Final = (
    "/*! HPKE: @hpke/core and its companions (MIT, Ajitomi Daisuke), mlkem (MIT), noble (MIT, Paul Miller) */"
)
ENTRIES: Final = ("start.mjs", "app.mjs", "worker.mjs", "board.mjs", "verify.mjs", "verify_result.mjs")
"""Modules of ``web/`` that become files, each with what it imports."""
ENTRANCES: Final = ("respondent_client.browser.program", "respondent_client.browser.start")
"""The modules that the worker calls."""
LATER: Final[Mapping[str, str]] = {"verification.zip": "respondent_client.browser.verification"}
"""What the worker loads when it is asked for: a zip, and its module."""
STARTING: Final = ("python_stdlib.zip", "roomful.zip")
COMPILED: Final = (*STARTING, *LATER)
BUNDLES: Final[Mapping[str, tuple[Path, str]]] = {
    "hpke.mjs": (SEALING, NOTICE),
    "hpke-x-wing.mjs": (SEALING, NOTICE),
    "qr.mjs": (SCANNING, "/*! QR codes: qr (MIT or Apache-2.0, Paul Miller) */"),
}
PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "survey.html": ("noscript.", "state.", "lost.", "period.", "trial."),
    "board.html": ("board.", "lost.", "statement.election-warning"),
    "verify.html": ("verify.", "lost.", "statement.election-warning"),
}
PARTS: Final = ("texts", "meta", "header", "lost")
"""What all pages have in common: ``parts/<name>.html``, in the place of ``__PAGE_<NAME>__``."""
REFERENCE: Final = re.compile(rb'"\./([A-Za-z0-9_./-]+\.(?:mjs|js|css|json|zip|wasm))"')


_RULE: Final = re.compile(rb"([^{}@]+)\{[^{}]*\}")
_UNUSED: Final = re.compile(
    rb"\.(?:sd|sv)-(?:slider|ranking|file|paneldynamic|pd|progress|completed|completedpage|imagepicker|imagemap|tagbox"
    rb"|multipletext|matrixdynamic|matrixdropdown|signaturepad|timer|header|summary|popup|list|drag|dragged|dragdrop"
    rb"|breadcrumbs|save|tabs?|brand|star|expression|color)(?![a-z])"
)
"""Classes of elements that :mod:`shared.questions` refuses, or that the page draws with native controls."""


def static() -> Path:
    """The folder with the built files, for the server (entry-point group ``roomful.client``).

    Raises
    ------
    SetupError
        The client was not built.
    """
    if not (STATIC / "manifest.json").is_file():
        raise SetupError("the respondent's pages are not built", remedy=REMEDY)
    return STATIC


def build(*, progress: bool = True) -> Path:
    """Build the client if anything changed, and return its folder.

    Raises
    ------
    SetupError
        npm is missing or could not install the locked packages.
    """
    with _alone():
        return _build(progress=progress)


@contextmanager
def _alone() -> Iterator[None]:
    """Let a build that is under way end first: each removes what it does not know, the other's files too."""
    folder = os.open(CLIENT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _build(*, progress: bool) -> Path:
    fingerprint = _fingerprint()
    marker = STATIC / ".built-from"
    if marker.is_file() and marker.read_text("ascii") == fingerprint and (STATIC / SUMS).is_file():
        return STATIC
    _install_packages()
    STATIC.mkdir(exist_ok=True)
    assets = Assets(_sources())
    manifest = {name: assets.hashed(name) for name in sorted(assets.sources)}
    kept = {"manifest.json", SUMS, marker.name}
    contents = {hashed: assets.content(name) for name, hashed in manifest.items()}
    largest_first = sorted(contents, key=lambda hashed: -len(contents[hashed]))
    with ThreadPoolExecutor(os.cpu_count()) as cores:  # compressing holds no lock of Python
        kept.update(*cores.map(lambda hashed: _write(hashed, contents[hashed], progress), largest_first))
    (STATIC / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", "utf-8")
    (STATIC / SUMS).write_bytes(assets.sums())
    marker.write_text(fingerprint, "ascii")
    _remove_others(kept)
    return STATIC


class Assets:
    """Logical names, their content with references solved, and their names with hashes.

    Parameters
    ----------
    sources : mapping of str to bytes
        Content by logical name; a text ``"./NAME"`` of one of these names in a module is a reference.
    """

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        self.sources = sources
        self._solved: dict[str, bytes] = {}
        self._open: list[str] = []
        runtime = hashlib.sha256()
        for name in sorted(sources):
            if name.startswith("pyodide/"):
                runtime.update(name.encode() + b"\0" + hashlib.sha256(sources[name]).digest())
        self._runtime = f"pyodide.{runtime.hexdigest()[:16]}"

    def hashed(self, name: str) -> str:
        """The name with a hash; Pyodide's own files keep their names in a folder that has the hash."""
        if name.startswith("pyodide/"):
            return f"{self._runtime}/{name.removeprefix('pyodide/')}"
        stem, _, suffix = name.rpartition(".")
        return f"{stem}.{hashlib.sha256(self.content(name)).hexdigest()[:16]}.{suffix}"

    def content(self, name: str) -> bytes:
        """The file as it is served."""
        if name not in self._solved:
            if name in self._open:
                raise SetupError(f"modules import each other in a circle: {' -> '.join([*self._open, name])}")
            self._open.append(name)
            raw = self.sources[name]
            ours = name.endswith(".mjs") and not name.startswith("pyodide/")
            self._solved[name] = REFERENCE.sub(self._reference, raw) if ours else raw
            self._open.pop()
        return self._solved[name]

    def sums(self) -> bytes:
        """A line for each file: its SHA-256 and its name with the hash, by name."""
        lines = sorted(
            (self.hashed(name), hashlib.sha256(self.content(name)).hexdigest()) for name in self.sources
        )
        return "".join(f"{digest}  {name}\n" for name, digest in lines).encode("ascii")

    def _reference(self, match: re.Match[bytes]) -> bytes:
        name = match[1].decode("ascii")
        if name not in self.sources:
            raise SetupError(f"{self._open[-1]} refers to {name}, which does not exist")
        return f'"./{self.hashed(name)}"'.encode("ascii")


def _sources() -> dict[str, bytes]:
    sources = {
        path.relative_to(WEB).as_posix(): path.read_bytes() for path in _web_files() if path.suffix != ".mjs"
    }
    parts = {name: sources.pop(f"parts/{name}.html").rstrip() for name in PARTS}
    for page, own in PAGES.items():
        for name, part in parts.items():
            sources[page] = sources[page].replace(b"__PAGE_%s__" % name.upper().encode(), part)
        sources[page] = sources[page].replace(b"__ALL_TEXTS__", _page_texts(sources, own))
    for name, path in LIBRARIES.items():
        sources[name] = _without_map((NODE_MODULES / path).read_bytes())
    sources["survey-core.css"] = styles_in_use(sources["survey-core.css"])
    for name, (folder, notice) in BUNDLES.items():
        sources[name] = _bundle(folder / name, "--minify", f"--banner:js={notice}")
    runtime = NODE_MODULES / "pyodide"
    # The same program with shorter names: an eighth of its bytes.
    sources["pyodide/pyodide.asm.mjs"] = _node(
        "pyodide.asm.mjs could not be minified", runtime, ESBUILD, "pyodide.asm.mjs", "--minify"
    )
    sources["pyodide/pyodide.asm.wasm"] = (runtime / "pyodide.asm.wasm").read_bytes()
    sources |= _compiled()
    sizes = {f"./{name}": len(sources[name]) for name in ("pyodide/pyodide.asm.wasm", *STARTING)}
    # Pyodide wants a lock file of loadable packages; ours has none.
    lock = json.loads((runtime / "pyodide-lock.json").read_bytes())
    lock = json.dumps({"info": lock["info"], "packages": {}})
    return sources | _web_bundles({"sizes": sizes, "lock": lock, "fieldsOf": element_fields()})


def element_fields() -> dict[str, tuple[str, ...]]:
    """What an element of a questionnaire may hold, by its word, for the look before Python is there."""
    return {word: ("type", "name", *kind.needed, *kind.permitted) for word, kind in ELEMENTS.items()}


def _without_map(script: bytes) -> bytes:
    return re.sub(rb"\n//# sourceMappingURL=.*", b"", script)


def styles_in_use(sheet: bytes) -> bytes:
    """SurveyJS's styles without the rules of what no questionnaire of ours can hold: half of them."""
    return _RULE.sub(
        lambda rule: rule[0] if any(not _UNUSED.search(s) for s in rule[1].split(b",")) else b"", sheet
    )


def _web_bundles(facts: Mapping[str, object]) -> dict[str, bytes]:
    """The modules of the page and of the worker, joined; ``facts`` is what they know of this build."""
    runtime = "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in facts.items())
    with TemporaryDirectory() as folder:
        for path in WEB.glob("*.mjs"):
            shutil.copy(path, folder)
        Path(folder, "runtime.mjs").write_text(runtime, "utf-8")
        Path(folder, "node_modules").symlink_to(NODE_MODULES)
        # Not minified: an auditor can read them. Names of files in them are relative to the folder.
        return {name: _bundle(Path(folder, name), "--preserve-symlinks") for name in ENTRIES}


def _compiled() -> dict[str, bytes]:
    """The standard library's and our own Python, see ``compiling/``."""
    parts = {
        Path(name).stem: [_relative(path) for path in paths] for name, paths in parts_of_python().items()
    }
    ours = ((name, (ROOT / name).read_bytes()) for names in parts.values() for name in names)
    with TemporaryDirectory() as folder:
        given = Path(folder, "sources.zip")
        given.write_bytes(_stored_zip(iter([*ours, ("parts", json.dumps(parts).encode())])))
        _node("Python could not be compiled", CLIENT, COMPILING / "compile.mjs", given, folder)
        return {name: Path(folder, name).read_bytes() for name in COMPILED}


def _bundle(path: Path, *options: str) -> bytes:
    """A module and what it imports, as one module."""
    later = [f"--external:./{name}" for name in (*ENTRIES, *BUNDLES) if name != path.name]
    return _node(
        f"{path.name} could not be bundled",
        path.parent,
        ESBUILD,
        path.name,
        "--bundle",
        "--format=esm",
        "--platform=browser",
        "--charset=utf8",
        "--external:crypto",  # asked for only where there is no WebCrypto
        "--external:node:*",  # by Pyodide, only in Node.js
        "--legal-comments=none",
        *later,
        *options,
    )


def _node(failed: str, folder: Path, *command: object) -> bytes:
    """The output of a program that Node.js runs in a folder."""
    result = subprocess.run(  # noqa: S603 - fixed command
        [_program("node"), *map(str, command)],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    if result.returncode != 0:
        raise SetupError(
            failed,
            where=result.stderr.decode("utf-8", "replace").strip()[:500],
            remedy="Delete respondent_client/node_modules and run the build again.",
        )
    return result.stdout


def _page_texts(sources: Mapping[str, bytes], own: tuple[str, ...]) -> bytes:
    """The texts that the server writes into the page before any script runs, as a literal of the template."""
    wanted = ("name", "direction", "skip", "language", "about.", *own)
    languages = {}
    for name in sources:
        if name.startswith("texts/"):
            texts = json.loads(sources[name])
            chosen = {key: text for key, text in texts.items() if key.startswith(wanted)}
            languages[name.removeprefix("texts/").removesuffix(".json")] = chosen
    return json.dumps(languages, ensure_ascii=False, sort_keys=True).encode()


def _web_files() -> list[Path]:
    return sorted(path for path in WEB.rglob("*") if path.is_file())


def python_files() -> list[Path]:
    """What runs in the browser, at once or later."""
    return sorted(path for paths in parts_of_python().values() for path in paths)


def parts_of_python() -> dict[str, list[Path]]:
    """Modules of ours by the zip that has them: of :data:`LATER` those that are not there at once."""
    found = {"roomful.zip": _reached(*ENTRANCES)}
    for name, entrance in LATER.items():
        found[name] = sorted(set(_reached(entrance)) - set(found["roomful.zip"]))
    return found


def _reached(*entrances: str) -> list[Path]:
    """Modules and what they import of ours, also inside functions."""
    found: set[Path] = set()
    waiting = [*entrances]
    while waiting:
        path = _file_of(waiting.pop())
        if path is None or path in found:
            continue
        found.add(path)
        waiting += _imported(path.read_bytes())
        waiting += [
            ".".join(path.relative_to(ROOT).parts[:i]) for i in range(1, len(path.relative_to(ROOT).parts))
        ]
    return sorted(found)


@cache
def _imported(source: bytes) -> tuple[str, ...]:
    """Names of ours that a module imports, which may be modules or what they have."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in dict.fromkeys(names) if name.partition(".")[0] in _OURS)


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _file_of(module: str) -> Path | None:
    """The source of a module of ours; None for any other name."""
    if module.partition(".")[0] not in _OURS:
        return None
    path = ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _fingerprint() -> str:
    digest = hashlib.sha256()
    inputs = [
        *_web_files(),
        *python_files(),
        *(path for folder in (SEALING, SCANNING, COMPILING) for path in sorted(folder.glob("*.*"))),
        CLIENT / "package-lock.json",
        Path(__file__).resolve(),
    ]
    for path in inputs:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _install_packages() -> None:
    package = json.loads((CLIENT / "package.json").read_bytes())
    wanted = package["dependencies"] | package["devDependencies"]
    if all(_installed_version(name) == version for name, version in wanted.items()):
        return
    command = [_program("npm"), "ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    result = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, check=False)  # noqa: S603 - fixed command
    if result.returncode != 0:
        raise SetupError(
            "npm could not install the client's packages",
            where=result.stderr.strip()[-500:],
            remedy="Check the connection to the npm registry and run the build again.",
        )


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise SetupError(f"{name} is not installed", remedy="Install Node.js 18 or newer, which brings npm.")
    return path


def _installed_version(name: str) -> str | None:
    package = NODE_MODULES / name / "package.json"
    return str(json.loads(package.read_bytes())["version"]) if package.is_file() else None


def _stored_zip(files: Iterator[tuple[str, bytes]]) -> bytes:
    """A zip without compression and dates: the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return buffer.getvalue()


def _write(hashed: str, content: bytes, progress: bool) -> set[str]:
    """Write a file and its compressed forms unless they are there: the name says what is inside."""
    path = STATIC / hashed
    names = {hashed, f"{hashed}.br", f"{hashed}.gz"}
    if all((STATIC / name).is_file() for name in names) and path.read_bytes() == content:
        return names
    path.parent.mkdir(parents=True, exist_ok=True)
    forms = {
        # Twenty seconds for the 10 MB of Pyodide, once; each visitor is spared a tenth of them.
        f"{hashed}.br": brotli.compress(content, quality=11, lgwin=24),
        f"{hashed}.gz": gzip.compress(content, 9, mtime=0),
        hashed: content,
    }
    for name, data in forms.items():
        temporary = STATIC / f"{name}.tmp"
        temporary.write_bytes(data)
        os.replace(temporary, STATIC / name)  # noqa: PTH105 - the atomic form
    if progress:
        line = f"{hashed}: {len(content):,} bytes, brotli {len(forms[f'{hashed}.br']):,}\n"
        print(line, end="", file=sys.stderr, flush=True)
    return names


def _remove_others(kept: set[str]) -> None:
    for path in sorted(STATIC.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(STATIC).as_posix() not in kept:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def digest() -> str:
    """What the sources of this checkout are built into, without writing it: the SHA-256 of ``SHA256SUMS``."""
    _install_packages()
    return hashlib.sha256(Assets(_sources()).sums()).hexdigest()


if __name__ == "__main__":
    if sys.argv[1:] == ["--digest"]:
        print(digest())
    else:
        print(build())
