"""JSON as the protocol means it: integers and strings, no floats, no duplicate keys.

Python and JavaScript print binary floats differently, and a duplicate key means different things to different
parsers; both are refused when reading, so that a signed document has one meaning.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import Any, Final, NoReturn

from shared.errors import RoomfulError
from shared.limits import MAX_INTEGER_DIGITS, MAX_JSON_DEPTH

# The closing quote is optional: a text that never ends is passed over at once, and refused by the parser.
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_BETWEEN: Final = re.compile(r"[^\[\]{}]+")
ErrorClass = Callable[..., RoomfulError]


def loads(
    data: bytes, *, error: ErrorClass, where: str, max_bytes: int, decimals_as_texts: bool = False
) -> Any:
    """Parse strict JSON.

    Parameters
    ----------
    data : bytes
        UTF-8, without a byte order mark.
    error : callable
        Class of the error to raise.
    where : str
        What the document is, for messages.
    max_bytes : int
        Upper bound on ``len(data)``.
    decimals_as_texts : bool
        Whether a float is read as the text that it is written as, and not refused: of what people write.

    Returns
    -------
    object
        dict, list, str, int, bool or None, nested.

    Raises
    ------
    RoomfulError
        Of the class given: too large, not UTF-8, not JSON, a float or NaN, a duplicate key, an integer of
        more than 19 digits, a lone surrogate, or nesting of more than 32 levels.
    """
    if len(data) > max_bytes:
        raise error(f"{len(data)} bytes are too many", where=where, expected=f"at most {max_bytes} bytes")

    def no_float(_text: str) -> NoReturn:
        raise error("a number is not an integer", where=where, expected="integers and strings")

    def bounded_integer(text: str) -> int:
        if len(text.lstrip("-")) > MAX_INTEGER_DIGITS:
            raise error(
                "an integer has too many digits", where=where, expected=f"at most {MAX_INTEGER_DIGITS}"
            )
        return int(text)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
            raise error(f"the key {twice[:80]!r} stands twice", where=where, expected="each key once")
        return result

    try:
        text = data.decode("utf-8")
        if _depth(text) > MAX_JSON_DEPTH:
            raise error("nested too deeply", where=where, expected=f"at most {MAX_JSON_DEPTH} levels")
        value = json.loads(
            text,
            parse_float=str if decimals_as_texts else no_float,
            parse_constant=no_float,
            parse_int=bounded_integer,
            object_pairs_hook=unique,
        )
        if "\\u" in text:  # only an escape can bring a lone surrogate into a string
            dumps(value)
    except UnicodeDecodeError as problem:
        raise error(f"byte {problem.start} is not UTF-8", where=where, expected="UTF-8 text") from None
    except UnicodeEncodeError:
        raise error(
            "a string holds half of a surrogate pair", where=where, expected="whole characters"
        ) from None
    except json.JSONDecodeError as problem:
        place = f"{where}, line {problem.lineno}, column {problem.colno}"
        raise error(f"not JSON: {problem.msg}", where=place, expected="a JSON document") from None
    return value


def _depth(text: str) -> int:
    """Deepest nesting of brackets outside strings.

    Counted before parsing: under WebAssembly a deep recursion ends the whole interpreter, not just the parse.
    """
    brackets = _BETWEEN.sub("", _STRING.sub("", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON in the order of insertion."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
