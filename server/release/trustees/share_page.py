"""One share for the person who keeps it: a text file that the tool reads again, and a page to print."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Final

_COLUMNS: Final = 3
_STYLE: Final = (
    "@page{margin:2cm}"
    "body{margin:2em auto;padding:0 1em;max-width:42em;font:1.1em/1.5 sans-serif;color:#000;background:#fff}"
    "ol{columns:9em;font:1.15em/1.7 monospace;padding-left:2.5em}"
    "strong,ol{overflow-wrap:anywhere}"
)
_DUTIES: Final = (
    "Keep it secret. Give it to nobody, the organizer included. Do not photograph it or send it.",
    "Keep it on paper or on a stick of your own, in a place that locks, until the survey is over.",
    "If you lose it or somebody sees it, tell the other trustees at once.",
    "Bring it to the rehearsal; sign your statement with it; bring it to the opening if you are asked.",
    "Destroy it when all trustees agree.",
)
_ABOUT: Final = "This is your part of the key that opens the answers of a Roomful survey."
_KEY: Final = "The opening key of this survey in words (not secret; the same on every share; compare it):"
_CHECK: Final = "The last three words check the others: a mistyped word is found."


@dataclass(frozen=True, slots=True, kw_only=True)
class SharePage:
    """What stands on a share.

    Attributes
    ----------
    words : str
        The share itself.
    number, threshold, shares : int
        Which of how many, and how many open.
    fingerprint : str
        Words of the public key.
    name : str
        The trustee's name; empty if none was given.
    """

    words: str = field(repr=False)
    number: int
    threshold: int
    shares: int
    fingerprint: str
    name: str

    def to_text(self) -> str:
        """The file."""
        lines = [
            self._title.upper(),
            *([f"For {self.name}"] if self.name else []),
            "",
            _ABOUT,
            self._rule,
            "",
            "What to do with it",
            *(f"- {duty}" for duty in _DUTIES),
            "",
            _KEY,
            f"    {self.fingerprint}",
            "",
            "Your share (secret):",
            "",
            *_in_columns(self.words.split()),
            "",
            _CHECK,
            "",
        ]
        return "\n".join(lines)

    def to_html(self) -> str:
        """The page: self-contained, nothing is loaded from anywhere."""
        words = "".join(f"<li>{word}</li>" for word in self.words.split())
        duties = "".join(f"<li>{duty}</li>" for duty in _DUTIES)
        name = f"<p>For {html.escape(self.name)}</p>" if self.name else ""
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{self._title}</title><style>{_STYLE}</style></head><body>"
            f"<h1>{self._title}</h1>{name}<p>{_ABOUT} {self._rule}</p>"
            f"<h2>What to do with it</h2><ul>{duties}</ul>"
            f"<p>{_KEY}</p><p><strong>{self.fingerprint}</strong></p>"
            f"<h2>Your share (secret)</h2><ol>{words}</ol><p>{_CHECK}</p></body></html>\n"
        )

    @property
    def _title(self) -> str:
        return f"Share {self.number} of {self.shares}"

    @property
    def _rule(self) -> str:
        return f"Any {self.threshold} of the {self.shares} shares open them. Fewer open nothing."


def _in_columns(words: list[str]) -> list[str]:
    numbered = [f"{i:>2} {word:<10}" for i, word in enumerate(words, 1)]
    rows = -(-len(numbered) // _COLUMNS)
    return ["    " + "    ".join(numbered[row::rows]).rstrip() for row in range(rows)]
