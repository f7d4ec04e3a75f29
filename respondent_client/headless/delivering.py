"""Send a ballot from the command line so that no second one is ever made of the same token.

Beside the token's file, ``TOKENFILE.message`` holds the sealed ballot from before it is sent until somebody
has answered for it, then its receipt alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from respondent_client.composing import Outgoing
from respondent_client.headless.repeating import repeated
from respondent_client.headless.respondent import HeadlessRespondent
from respondent_client.headless.tokens import read_file, write_file
from respondent_client.keeping import MAX_KEPT_MESSAGE_BYTES, keep_message, restore_message
from respondent_client.sending import Receipt
from shared.soundness import SoundSpecification


def message_path(token_file: Path) -> Path:
    """Where the message is kept that spends the token of a file."""
    return token_file.with_name(f"{token_file.name}.message")


def find_message(
    respondent: HeadlessRespondent, sound: SoundSpecification, token_file: Path | None
) -> Outgoing | Receipt | None:
    """What was sent before with the token of a file, or the receipt of it.

    Raises
    ------
    TokenError
        If the file beside the token is none, or of another survey.
    InputError
        If it cannot be read.
    """
    if token_file is None or not message_path(token_file).exists():
        return None
    text = read_file(message_path(token_file), MAX_KEPT_MESSAGE_BYTES)
    return restore_message(sound, respondent.link, text)


def deliver(
    respondent: HeadlessRespondent,
    found: Outgoing | Receipt | None,
    compose: Callable[[], Outgoing],
    token_file: Path | None,
) -> Receipt:
    """Send what was found, or else a new message; a message that was answered is not sent again.

    Guarantee: with a token file, no two different ballots are ever sent with its token, even if the first is
    refused: who refuses it may be the one who wants a second.

    Raises
    ------
    RemoteError
        After three attempts; the same call again sends the same bytes.
    StateError, SubmissionError, TokenError
        If it is refused.
    InputError
        If the message cannot be kept; then it was not sent.
    """
    if isinstance(found, Receipt):
        return found
    message = found or compose()
    if token_file is not None and found is None:
        _keep(token_file, keep_message(message))  # before anybody can have it
    receipt = repeated(lambda: respondent.send(message))
    if token_file is not None:
        _keep(token_file, keep_message(message, receipt))
    return receipt if found is None else replace(receipt, earlier=True)


def _keep(token_file: Path, text: str) -> None:
    write_file(message_path(token_file), text.encode("ascii"))
