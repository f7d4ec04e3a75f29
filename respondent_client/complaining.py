"""Complain that the provisional board of an election lacks a ballot that the collector accepted."""

from __future__ import annotations

from typing import Final

from respondent_client.link import Link
from respondent_client.platform import Platform
from respondent_client.replies import refusal, reply_object
from shared.complaint import CONTENT_TYPE, Complaint
from shared.errors import InputError, RemoteError
from shared.receipt import BallotReceipt

MAX_RECEIPT_FILE_BYTES: Final = 131_072
_MAX_REPLY_BYTES: Final = 65_536


def read_complaint(text: str, link: Link) -> tuple[BallotReceipt, Complaint]:
    """What a voter saved: her receipt, and the complaint that follows from it.

    Raises
    ------
    BoardError
        With the code ``board.receipt-form`` if there is no receipt.
    InputError
        If acceptance or sealed ballot are not with it, or it is of another election.
    """
    receipt = BallotReceipt.parse(text)
    if not receipt.acceptance or not receipt.sealed:
        raise InputError(
            "the sealed ballot or its acceptance is not in this file",
            where="--complain",
            expected="the file that was saved when the ballot was cast",
            remedy="Without it nobody can bring the ballot back. The receipt still shows what is missing.",
        )
    if receipt.survey != link.survey[:16]:
        raise InputError("the receipt is of another election", where="--complain", expected=link.survey[:16])
    return receipt, Complaint(acceptance=receipt.acceptance, sealed=receipt.sealed)


async def complain(platform: Platform, link: Link, receipt: BallotReceipt, complaint: Complaint) -> bool:
    """Send a complaint; may be repeated.

    Returns
    -------
    bool
        Whether the board lists the ballot already; else it was admitted, and the final board will.

    Raises
    ------
    StateError, SubmissionError, TokenError, RemoteError
        If it is refused, or nobody answers.
    """
    reply = await platform.request(
        "POST",
        link.api("complaints"),
        body=complaint.to_bytes(),
        content_type=CONTENT_TYPE,
        max_bytes=_MAX_REPLY_BYTES,
    )
    if reply.status >= 300:
        raise refusal(reply)
    value = reply_object(reply)
    if value.get("receipt") != receipt.digest.hex() or not isinstance(value.get("listed"), bool):
        raise RemoteError("the server's receipt is not that of the ballot", code="remote.receipt")
    return bool(value["listed"])
