"""An election verified from files in memory, by the standard library, as ``roomful election verify`` does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from respondent_client.browser.messages import error_object
from respondent_client.platform import Platform
from shared.errors import RoomfulError
from shared.invitation import Invitation
from shared.roll import parse_token_counts
from shared.verification.election import report_of
from shared.verification.examining import ReceivedExport
from shared.verification.files import GivenFiles
from shared.verification.library import standard_library
from shared.words import digest_words

TOKENS_FILE: Final = "tokens.json"
"""Tokens of each box, as the registrar published them before the vote; if somebody has them."""


def verify_files(text: str, files: Mapping[str, bytes], platform: Platform) -> str:
    """Verify an election, and say how far it is by notices of the platform.

    Parameters
    ----------
    text : str
        ``{"fragment": <part of the link after the #>}``; empty if the person has no link.
    files : mapping of str to bytes
        By name, as in an export, with ``result.json``.
    platform : Platform

    Returns
    -------
    str
        ``{"result"}`` with what :meth:`shared.verification.election.Report.to_object` says, ``pinned``, and
        the words of the election and of the key that signed it; or ``{"error"}``, never a traceback.
    """
    try:
        return json.dumps({"result": _verify(json.loads(text)["fragment"], files, platform)})
    except RoomfulError as error:
        return json.dumps({"error": error_object(error)})
    except Exception as error:
        kind = type(error).__name__
        return json.dumps({"error": error_object(RoomfulError(kind, code="internal"))})


def _verify(fragment: str, files: Mapping[str, bytes], platform: Platform) -> dict[str, Any]:
    invitation = Invitation.parse_fragment(fragment)
    tokens = files.get(TOKENS_FILE)
    received = ReceivedExport(
        files=GivenFiles(contents=files),
        invitation=invitation,
        known=None,
        tokens=None if tokens is None else parse_token_counts(tokens),
    )

    def progress(line: str, done: int, total: int) -> None:
        platform.notify({"line": line, "done": done, "total": total})

    report = report_of(received, standard_library(platform.entropy), progress)
    pinned = invitation.organizer_key is not None and invitation.digest is not None
    told = report.to_object() | {"pinned": pinned}
    if report.election is not None:
        told["key_words"] = digest_words(report.election.examined.survey.organizer_key.hex())
    return told
