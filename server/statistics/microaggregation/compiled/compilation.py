"""How the inner loops are compiled: on first use, into a cache that can be missing or read-only."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


@cache
def _fingerprint() -> str:
    """Digest of all sources in this folder.

    numba notices a change of the file of a function, not of the functions that it calls; the digest in the
    function's name gives each state of this folder its own cache files.
    """
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def compiled(function: F) -> F:
    """Compile `function` at its first call, without locking the interpreter while it runs.

    Machine code is kept in `NUMBA_CACHE_DIR`, else in `__pycache__` beside the source, else in the user's
    cache folder. Where none of them can be written it is compiled anew in each process, with the same
    results. No fused or reordered arithmetic: a result is what numpy's float64 operations give.
    """
    numba: Any = import_module("numba")
    function.__qualname__ = f"{function.__qualname__}_{_fingerprint()}"
    options = {"nogil": True, "error_model": "numpy", "fastmath": False, "no_cfunc_wrapper": True}
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no folder that it may write
        made = numba.njit(**options)(function)
    template, plain = made.get_call_template, numba.types.unliteral

    def call_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Without this numba compiles the callee once more for each number that is written into a call."""
        return template(tuple(map(plain, args)), {name: plain(kind) for name, kind in kws.items()})

    made.get_call_template = call_template
    return cast(F, made)
