"""The complaint: an accepted ballot of an election that its provisional board does not list.

It is the sealed ballot that was sent before, behind the acceptance of whoever took it, collector or relay
(:mod:`shared.acceptance`)::

    acceptance (64 bytes) || sealed ballot

All complaints of an election have one length, and say nothing but what the missing ballot had said. What the
voter keeps until then can be read by the collector alone, who knows it: ``ROOMFUL-BALLOT:<base64url>`` in the
file with her receipt (:mod:`shared.receipt`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from shared import base64url
from shared.acceptance import acceptance_claim, passed_on_claim
from shared.ed25519 import SIGNATURE_BYTES
from shared.envelope import SignatureClaim
from shared.errors import SubmissionError
from shared.invited import Invited

CONTENT_TYPE: Final = "application/vnd.roomful.complaint"
PREFIX: Final = "ROOMFUL-BALLOT:"
_TEXT: Final = re.compile(rf"{PREFIX}([A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Complaint:
    """A sealed ballot and the acceptance of it; neither verified.

    Attributes
    ----------
    acceptance : bytes
        64 bytes.
    sealed : bytes
        As it was sent.
    """

    acceptance: bytes
    sealed: bytes

    @classmethod
    def parse(cls, data: bytes) -> Complaint:
        """Split a message; what is too short for a ballot is refused when the ballot is read."""
        return cls(acceptance=data[:SIGNATURE_BYTES], sealed=data[SIGNATURE_BYTES:])

    def to_bytes(self) -> bytes:
        """The message."""
        return self.acceptance + self.sealed

    def claims(
        self, invited: Invited, specification_digest: str, receipt: bytes
    ) -> tuple[SignatureClaim, ...]:
        """What the platform's primitive has to verify, once the receipt of the ballot is known.

        One of them is enough.

        It was the collector who took the ballot, or a relay whose key the specification has.
        """
        relay_key = None if invited.relay is None else invited.relay.key
        claims = (
            acceptance_claim(invited.acceptance_key, specification_digest, receipt, self.acceptance),
            None
            if relay_key is None
            else passed_on_claim(relay_key, specification_digest, self.sealed, self.acceptance),
        )
        return tuple(claim for claim in claims if claim is not None)


def sealed_text(sealed: bytes) -> str:
    """A sealed ballot as a line of the receipt's file."""
    return PREFIX + base64url.encode(sealed)


def find_sealed(text: str) -> bytes | None:
    """The sealed ballot in a text; None unless there is exactly one."""
    found = set(_TEXT.findall(text))
    return base64url.decode(found.pop()) if len(found) == 1 else None


def not_accepted() -> SubmissionError:
    """The error of a complaint about a ballot that the collector never accepted."""
    return SubmissionError(
        "nobody who takes ballots signed that it took this one",
        where="acceptance",
        expected="the acceptance that came with the receipt of this ballot",
        remedy="Open the file in which receipt and ballot were saved together. Without an acceptance a ballot"
        " comes too late.",
        code="complaint.acceptance",
    )
