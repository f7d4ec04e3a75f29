"""What ``compile.mjs`` runs under Pyodide: write the zips anew, with compiled modules instead of sources.

All of ``roomful.zip`` is compiled, and of the standard library what the respondent's program imports as it
starts; the rest stays as source, which is smaller, and is hardly ever wanted. Compiled modules are larger, so
packages that no respondent's program has a use for are left out instead.
"""

from __future__ import annotations

import importlib
import py_compile
import sys
import zipfile
from pathlib import Path
from py_compile import PycInvalidationMode

OUT = Path("/compiled")
OURS = "/roomful.zip"
LIBRARY = next(path for path in sys.path if path.endswith(".zip"))
#: Processes, databases, mail, terminals, tests: nothing of it is done in a page.
LEFT_OUT = (
    "_pyrepl/",
    "ctypes/",
    "email/",
    "html/",
    "http/",
    "multiprocessing/",
    "sqlite3/",
    "unittest/",
    "wsgiref/",
    "xml/",
    "xmlrpc/",
)


def compiled(source: bytes, shown: str) -> bytes:
    """A module's code, which is taken as it is: beside it in the zip lies no source to compare it with."""
    path, target = OUT / "module.py", OUT / "module.pyc"
    path.write_bytes(source)
    mode = PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), str(target), shown, doraise=True, invalidation_mode=mode)
    return target.read_bytes()


def write(archive: str, mounted: str, wanted: set[str] | None) -> None:
    """Write a zip with some of its modules compiled, or all.

    Parameters
    ----------
    archive : str
        The zip with sources.
    mounted : str
        Where Python finds the zip in the browser, for the names of files in messages.
    wanted : set of str, optional
        Files as their modules name them.
    """
    with zipfile.ZipFile(archive) as sources, zipfile.ZipFile(OUT / archive.removeprefix("/"), "w") as result:
        for item in sources.infolist():
            if item.filename.startswith(LEFT_OUT):
                continue
            content, name = sources.read(item), item.filename
            shown = f"{mounted}/{name}"
            if name.endswith(".py") and (wanted is None or shown in wanted):
                content, name = compiled(content, shown), f"{name}c"
            result.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


sys.path.insert(0, OURS)
importlib.import_module("respondent_client.browser.start")
loaded = {str(getattr(module, "__file__", "")) for module in list(sys.modules.values())}
OUT.mkdir()
write("/python_stdlib.zip", LIBRARY, loaded)
write(OURS, OURS, None)
