"""What a survey promises, asks and publishes, as the first thing on its page, before any script runs.

Made from the specification with the client's own texts, so that the page says the same again once the
respondent's device has checked the specification. What the server stores is told by the client from the
specification's list ``stored``, which must cover :data:`server.collection.storage.schema.STORED_FIELDS` to be
published.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.specification import Specification

Texts = Mapping[str, str]
_FIGURE: Final = re.compile(r"\{([a-z_-]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Lines of text.

    Attributes
    ----------
    promise : tuple of str
        What stays on the device, what is sent, and what nobody can know.
    more : tuple of str
        What else the survey asks, keeps and publishes.
    """

    promise: tuple[str, ...]
    more: tuple[str, ...]


def filled(text: str, figures: Mapping[str, str]) -> str:
    """A text with its ``{figures}`` put in, but for those inside what was put in."""
    return _FIGURE.sub(lambda match: figures.get(match[1], match[0]), text)


def statement(specification: Specification, language: str, texts: Mapping[str, Texts]) -> Statement:
    """The lines in one language.

    Parameters
    ----------
    specification : Specification
        Verified.
    language : str
        One of the survey's languages.
    texts : mapping of str to mapping
        The client's texts by key, for each language that it has; English stands in for the others.
    """
    own = texts.get(language.partition("-")[0], {})
    english = texts.get("en", {})

    def text(key: str, figures: Mapping[str, str], count: int | None = None) -> str:
        plural = "one" if count == 1 else "other"
        names = (key,) if count is None else (f"{key}.{plural}", f"{key}.other", key)
        found = next((source[name] for source in (own, english) for name in names if name in source), "")
        return filled(found, {**figures, "count": str(count)})

    def listed(items: Sequence[str]) -> str:
        """As ``Intl.ListFormat`` writes a conjunction."""
        if len(items) < 2:
            return "".join(items)
        start = text("list.comma", {}).join(items[:-1])
        return text("list.pair" if len(items) == 2 else "list.last", {"first": start, "last": items[-1]})

    invited = specification.invited
    is_election = invited is not None and invited.election is not None
    # Rounded up: to demand more people is the cautious side.
    share = math.ceil(100 * min(level.lowest for level in specification.levels))
    figures = {
        "details": listed([attribute.label[language] for attribute in specification.attributes]),
        "k": str(specification.k),
        "share": text("percent", {"number": str(share)}),
        "threshold": str(invited.threshold) if invited else "",
        "shares": str(invited.shares) if invited else "",
        "smallest": str(min(map(specification.people_in, range(specification.cells.count)))),
    }
    more = (
        text("statement.half", figures),
        text("statement.asks", figures, len(specification.questionnaire.questions)),
        text("statement.election" if is_election else "statement.invited", figures) if invited else "",
        text("statement.free-text", figures) if specification.questionnaire.has_free_text else "",
        text(f"statement.release.{specification.release.rule}", figures),
        text("statement.retention", figures, specification.retention_days),
    )
    promise = (*(("election-warning",) if is_election else ()), "stay", "group", "nobody")
    return Statement(
        promise=tuple(text(f"statement.{key}", figures) for key in promise),
        more=tuple(filter(None, more)),
    )
