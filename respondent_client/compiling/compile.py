"""Run by ``compile.mjs`` inside Pyodide: modules into compiled modules, byte for byte the same each time.

Of the standard library only what is imported when all of ours are there is kept, and :data:`LATER`. What is
compiled has no docstrings and no line numbers: nobody reads them there, and they are half of the bytes.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import io
import json
import marshal
import sys
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any, Final

LIBRARY: Final = "/lib/python314.zip"
OURS: Final = "/sources.zip"
LATER: Final = ("encodings.ascii", "encodings.latin_1")
"""What is imported only in use: encodings by name."""
UNCHECKED_HASH: Final = (1).to_bytes(4, "little")
"""A compiled module that is known by a hash of its source, and not compared with one (PEP 552)."""
NO_HASH: Final = bytes(8)
"""Of its source: nobody compares it, and nothing makes a hash smaller."""
NO_DATE: Final = (1980, 1, 1, 0, 0, 0)


def lean(code: CodeType) -> CodeType:
    """Code without its line numbers and the name of its file."""
    constants = tuple(lean(item) if isinstance(item, CodeType) else item for item in code.co_consts)
    return code.replace(co_consts=constants, co_linetable=b"", co_filename="")


class Terse(ast.NodeTransformer):
    """Without annotations of functions, which nothing reads there; those of classes make dataclasses."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Not inside of expressions, which are most of a module and hold no annotation of a function."""
        return node if isinstance(node, ast.expr) else super().generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A dataclass says something of itself, or it would work out its signature to say that."""
        if any("dataclass" in ast.dump(decorator) for decorator in node.decorator_list):
            node.body[:0] = ast.parse("__doc__ = '-'").body
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """An argument."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function, and those inside."""
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """An asynchronous one."""
        node.returns = None
        return self.generic_visit(node)


def compiled(path: str, source: bytes) -> bytes:
    """A module as ``import`` reads it from a zip."""
    code = compile(Terse().visit(ast.parse(source, path)), path, "exec", dont_inherit=True, optimize=2)
    return importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + NO_HASH + marshal.dumps(lean(code))


class Methods:
    """Of dataclasses, compiled: each class writes a text and executes it.

    Attributes
    ----------
    found : dict of bytes to code
        By the SHA-256 of the text; ``browser/program.py`` finds them by it.
    """

    def __init__(self) -> None:
        self.found: dict[bytes, CodeType] = {}

    def run(self, text: str, variables: dict[str, Any], made: dict[str, Any]) -> None:
        """What ``exec`` does, in the place of ``dataclasses.exec``."""
        code = compile(text, "", "exec", dont_inherit=True, optimize=2)
        self.found[sha256(text.encode()).digest()] = lean(code)
        exec(code, variables, made)  # noqa: S102 - as dataclasses does


def pack(target: str, archive: zipfile.ZipFile, paths: Iterable[str], **more: bytes) -> None:
    """A zip of compiled modules and ``more``, stored: brotli then sees all of them at once."""
    files = {f"{path}c": compiled(path, archive.read(path)) for path in sorted(paths)} | more
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as packed:
        for name, content in files.items():
            packed.writestr(zipfile.ZipInfo(name, NO_DATE), content)
    Path(target).write_bytes(buffer.getvalue())


def imported() -> set[str]:
    """Paths in the library of the modules that are loaded."""
    origins = [getattr(getattr(module, "__spec__", None), "origin", None) for module in sys.modules.values()]
    return {origin.removeprefix(f"{LIBRARY}/") for origin in origins if origin and origin.startswith(LIBRARY)}


def module_name(path: str) -> str:
    """The name by which a path is imported."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


with zipfile.ZipFile(OURS) as ours, zipfile.ZipFile(LIBRARY) as library:
    sys.path.insert(0, OURS)
    parts = json.loads(ours.read("parts"))
    for part, paths in parts.items():
        methods = Methods()
        dataclasses.exec = methods.run  # type: ignore[attr-defined] # in place of the built-in one
        for path in paths:
            importlib.import_module(module_name(path))
        pack(f"/{part}.zip", ours, paths, methods=marshal.dumps(methods.found))
    for name in LATER:
        importlib.import_module(name)
    pack("/python_stdlib.zip", library, imported())
