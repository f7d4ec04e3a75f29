"""The zips of our program: modules, and the methods of their dataclasses, compiled by the build.

A dataclass writes its methods as a text and compiles it; on a device that took half of our imports' time.
"""

from __future__ import annotations

import dataclasses
import marshal
import sys
from hashlib import sha256
from types import CodeType
from typing import Any, Final
from zipimport import zipimporter

FIRST: Final = "/roomful.zip"
"""Where the worker has put what is there at once."""
METHODS: Final = "methods"
"""In each zip, beside its modules: compiled methods by the SHA-256 of their text, see ``compiling/``."""
_methods: dict[bytes, CodeType] = {}


def add(archive: str) -> None:
    """Let our packages find modules in a zip of the program, and dataclasses their methods."""
    dataclasses.exec = run  # type: ignore[attr-defined] # in place of the built-in one
    _methods.update(marshal.loads(zipimporter(archive).get_data(METHODS)))  # noqa: S302 - as a compiled module
    if archive == FIRST:
        return
    for module in tuple(sys.modules.values()):
        for path in tuple(getattr(module, "__path__", ())):
            if path.startswith(FIRST):
                module.__path__.append(archive + path.removeprefix(FIRST))


def run(text: str, variables: dict[str, Any], made: dict[str, Any]) -> None:
    """What ``exec`` does with the text of a dataclass's methods."""
    exec(_methods.get(sha256(text.encode()).digest(), text), variables, made)  # noqa: S102
