"""The file in which a trustee hands over her factors: compact JSON, three texts in base64url a factor::

{"format":"roomful-factors/1","specification":"<64 hex>","root":"<64 hex>","groups_digest":"<64 hex>",
 "trustee":<int>,"groups":[[[["D","c","z"],...],...],...]}            (without the line break)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

from shared import base64url, strict_json
from shared.election.decryption import Factor, Factors
from shared.election.group import ELEMENT_BYTES, SCALAR_BYTES, decode_scalar, encode_scalar
from shared.errors import ElectionError
from shared.fields import Fields
from shared.limits import MAX_CELLS, MAX_TRUSTEES
from shared.statements import Stated

FORMAT: Final = "roomful-factors/1"
MAX_FACTORS_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorsFile:
    """One trustee's factors, not yet verified.

    Attributes
    ----------
    stated : Stated
        What she decrypted.
    trustee : int
    factors : Factors
    """

    stated: Stated
    trustee: int
    factors: Factors

    def to_bytes(self) -> bytes:
        """The file."""
        value = {
            "format": FORMAT,
            "specification": self.stated.specification,
            "root": self.stated.root,
            "groups_digest": self.stated.groups,
            "trustee": self.trustee,
            "groups": factors_object(self.factors),
        }
        return strict_json.dumps(value) + b"\n"

    @classmethod
    def parse(cls, data: bytes, where: str) -> Self:
        """Read a file.

        Raises
        ------
        ElectionError
            ``election.factors`` for a malformed one, or ``election.scalar``.
        """
        members = ("format", "specification", "root", "groups_digest", "trustee", "groups")
        value = strict_json.loads(data, error=_refused, where=where, max_bytes=MAX_FACTORS_BYTES)
        fields = Fields(value, where, members, error=_refused)
        fields.choice("format", (FORMAT,))
        return cls(
            stated=Stated(
                specification=fields.digest("specification"),
                root=fields.digest("root"),
                groups=fields.digest("groups_digest"),
            ),
            trustee=fields.integer("trustee", 1, MAX_TRUSTEES),
            factors=parse_factors(fields, "groups"),
        )


def factors_object(factors: Factors) -> list[Any]:
    """As a JSON document."""
    return [[[_texts(factor) for factor in row] for row in rows] for rows in factors]


def parse_factors(fields: Fields, name: str) -> Factors:
    """Read :func:`factors_object`; the error is that of the fields, or ``election.scalar``."""
    groups = fields.items(name, MAX_CELLS)
    try:
        return tuple(tuple(tuple(_factor(*texts) for texts in row) for row in rows) for rows in groups)
    except (TypeError, ValueError):
        raise fields.fail(name, "this is no table of factors", "three texts for each choice") from None


def _texts(factor: Factor) -> list[str]:
    parts = (factor.element, encode_scalar(factor.challenge), encode_scalar(factor.response))
    return [base64url.encode(part) for part in parts]


def _factor(element: str, challenge: str, response: str) -> Factor:
    parts = [base64url.decode(text) or b"" for text in (element, challenge, response)]
    lengths = (ELEMENT_BYTES, SCALAR_BYTES, SCALAR_BYTES)
    if any(len(part) != length for part, length in zip(parts, lengths, strict=True)):
        raise ValueError("not 32 bytes each")
    return Factor(element=parts[0], challenge=decode_scalar(parts[1]), response=decode_scalar(parts[2]))


def _refused(message: str, *, where: str = "", expected: str = "", remedy: str = "") -> ElectionError:
    return ElectionError(
        message,
        where=where,
        expected=expected or "the file that roomful trustees decrypt wrote",
        remedy=remedy or "Leave her file out and take another trustee's.",
        code="election.factors",
    )
