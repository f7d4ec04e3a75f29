"""The command-line client, and respondents for simulations (entry-point group ``roomful.respondent``)."""

from __future__ import annotations

from respondent_client.headless.respondent import HeadlessRespondent

__all__ = ["HeadlessRespondent", "headless"]


def headless(url: str) -> HeadlessRespondent:
    """A respondent for a simulation: call ``prepare()`` once, then ``respond(...)`` for each person."""
    return HeadlessRespondent(url)
