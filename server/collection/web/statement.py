"""What a survey asks, hides and publishes, as the first thing on its page, before any script runs.

Made from the specification with the client's own texts, so that the page says the same again once the
respondent's device has checked the specification. What the server stores is told by the client from the
specification's list ``stored``, which must cover :data:`server.collection.storage.schema.STORED_FIELDS` to be
published.
"""

from __future__ import annotations

from collections.abc import Mapping

from shared.specification import Specification

Texts = Mapping[str, str]


def statement_lines(
    specification: Specification, language: str, texts: Mapping[str, Texts]
) -> tuple[str, ...]:
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
    invited = specification.invited
    figures = {
        "details": ", ".join(attribute.label[language] for attribute in specification.attributes),
        "k": str(specification.k),
        "threshold": str(invited.threshold) if invited else "",
        "shares": str(invited.shares) if invited else "",
        "smallest": str(min(map(specification.people_in, range(specification.cells.count)))),
    }

    def line(key: str, count: int | None = None) -> str:
        plural = "one" if count == 1 else "other"
        names = (key,) if count is None else (f"{key}.{plural}", f"{key}.other", key)
        text = next((source[name] for source in (own, english) for name in names if name in source), "")
        for name, value in {**figures, "count": str(count)}.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    lines = (
        line("statement.stay"),
        line("statement.group"),
        line("statement.asks", len(specification.questionnaire.questions)),
        line("statement.invited") if invited else "",
        line("statement.free-text") if specification.questionnaire.has_free_text else "",
        line(f"statement.release.{specification.release.rule}"),
        line("statement.retention", specification.retention_days),
    )
    return tuple(filter(None, lines))
