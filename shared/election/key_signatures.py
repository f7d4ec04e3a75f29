"""The rehearsal of an election: every trustee signs that her key is for this one specification.

Nothing is decrypted in it: trustees who decrypt test votes on request would be an oracle. Compact JSON::

    {"format":"roomful-key-signatures/1","specification":"<64 hex>",
     "signatures":[{"trustee":<int>,"proof":"<base64url>"},...]}         (without the line break)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from shared import strict_json
from shared.election.group import Group
from shared.election.schnorr import Proof
from shared.election.trustees import Trustees, verify_specification
from shared.errors import ElectionError
from shared.fields import Fields
from shared.limits import MAX_TRUSTEES

FORMAT: Final = "roomful-key-signatures/1"
MAX_SIGNATURES_BYTES: Final = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySignatures:
    """Trustees' signatures of one specification, not yet verified.

    Attributes
    ----------
    specification : str
        Its digest.
    signatures : tuple of (int, Proof)
        Ascending by trustee.
    """

    specification: str
    signatures: tuple[tuple[int, Proof], ...]

    def to_bytes(self) -> bytes:
        """The file."""
        value = {
            "format": FORMAT,
            "specification": self.specification,
            "signatures": [{"trustee": i, "proof": proof.to_text()} for i, proof in self.signatures],
        }
        return strict_json.dumps(value) + b"\n"

    @classmethod
    def parse(cls, data: bytes, where: str) -> Self:
        """Read a file.

        Raises
        ------
        ElectionError
            ``election.key-signature``, or ``election.scalar`` in a proof.
        """
        value = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_SIGNATURES_BYTES)
        fields = Fields(value, where, ("format", "specification", "signatures"), error=_refused)
        fields.choice("format", (FORMAT,))
        items = (
            Fields(item, f"{where}: signatures", ("trustee", "proof"), error=_refused)
            for item in fields.items("signatures", MAX_TRUSTEES)
        )
        return cls(
            specification=fields.digest("specification"),
            signatures=tuple(
                (item.integer("trustee", 1, MAX_TRUSTEES), Proof.from_text(item.text("proof")))
                for item in items
            ),
        )

    def with_signature(self, trustee: int, proof: Proof) -> KeySignatures:
        """One more; it replaces an earlier one of the same trustee."""
        signatures = dict(self.signatures) | {trustee: proof}
        return KeySignatures(
            specification=self.specification, signatures=tuple(sorted(signatures.items(), key=lambda s: s[0]))
        )

    def require_of(self, digest: str) -> None:
        """Refuse signatures of another specification.

        Raises
        ------
        ElectionError
            With the code ``election.key-signature``.
        """
        if self.specification != digest:
            raise _refused("another specification was signed", where="specification")

    def verify(self, trustees: Trustees, digest: str, group: Group) -> None:
        """Verify that all trustees signed the specification that names their keys.

        Raises
        ------
        ElectionError
            With the code ``election.key-signature``.
        """
        self.require_of(digest)
        numbers = [number for number, _ in self.signatures]
        everybody = list(range(1, len(trustees.verification_keys) + 1))
        if numbers != everybody:
            missing = ", ".join(f"trustee {n}" for n in everybody if n not in numbers)
            raise _refused("not every trustee has signed this specification", where=missing or "signatures")
        verify_specification(trustees, digest, [proof for _, proof in self.signatures], group)


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> ElectionError:
    return ElectionError(
        message,
        where=where,
        expected=expected or "the signature of each trustee, of this specification",
        remedy=remedy
        or "Have every trustee run roomful trustees rehearse, with her share and the same --out.",
        code="election.key-signature",
    )
