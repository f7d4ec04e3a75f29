"""The seam to ristretto255: sums of multiples of elements, all of them in their one encoding.

Everything of an election that is not hashing is a sum of multiples. So a library needs two functions to take
the place of :class:`PythonGroup`, and both can be compared byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from shared import edwards, ristretto
from shared.edwards import FixedBase, L, Point
from shared.errors import ElectionError

ELEMENT_BYTES: Final = ristretto.ELEMENT_BYTES
SCALAR_BYTES: Final = 32
IDENTITY: Final = ristretto.IDENTITY_BYTES
GENERATOR: Final = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
"""G, the encoding of the base point (RFC 9496, appendix A.1)."""


_MOST_TABLES: Final = 8


class Group(Protocol):
    """ristretto255, by whatever code."""

    def require(self, elements: Sequence[bytes]) -> None:
        """Refuse what is not the one encoding of an element, or is that of the identity.

        Raises
        ------
        ElectionError
            With the code ``election.element``.
        """

    def combine(self, factors: Sequence[int], elements: Sequence[bytes]) -> bytes:
        """The sum of factors[i] elements[i].

        Parameters
        ----------
        factors : sequence of int
            From 0 to L - 1.
        elements : sequence of bytes, of the same length
            The identity may be among them.

        Raises
        ------
        ElectionError
            With the code ``election.element`` if one of them is not the encoding of an element.
        """

    def combine_fixed(self, factors: Sequence[int], elements: Sequence[bytes]) -> bytes:
        """As :meth:`combine`, of elements that come again and again: G and the key."""


class PythonGroup:
    """ristretto255 by the standard library alone; not in constant time.

    Parameters
    ----------
    number : callable
        See :func:`shared.ristretto.decode`.
    """

    def __init__(self, number: Callable[[int], int] = int) -> None:
        self._number = number
        self._fixed: dict[bytes, FixedBase] = {}

    def require(self, elements: Sequence[bytes]) -> None:
        """As :meth:`Group.require`."""
        for element in elements:
            if element == IDENTITY or self._decode(element) is None:
                raise not_an_element()

    def combine(self, factors: Sequence[int], elements: Sequence[bytes]) -> bytes:
        """As :meth:`Group.combine`."""
        points = []
        for element in elements:
            point = edwards.IDENTITY if element == IDENTITY else self._decode(element)
            if point is None:
                raise not_an_element()
            points.append(point)
        return ristretto.encode(edwards.combine(factors, points))

    def combine_fixed(self, factors: Sequence[int], elements: Sequence[bytes]) -> bytes:
        """As :meth:`Group.combine_fixed`: 64 additions for each factor, once a table was made."""
        total = edwards.IDENTITY
        for factor, element in zip(factors, elements, strict=True):
            base = self._fixed.get(element) or self._table(element)
            total = edwards.add(total, base.multiply(factor)) if factor else total
        return ristretto.encode(total)

    def _decode(self, element: bytes) -> Point | None:
        return ristretto.decode(element, self._number)

    def _table(self, element: bytes) -> FixedBase:
        point = self._decode(element)
        if point is None:
            raise not_an_element()
        if len(self._fixed) >= _MOST_TABLES:
            self._fixed.clear()
        return self._fixed.setdefault(element, FixedBase(point))


def not_an_element() -> ElectionError:
    """The error of bytes that are no element, or the identity where it has no place."""
    return ElectionError(
        "these bytes are not the encoding of an element of ristretto255",
        expected="32 bytes as RFC 9496 writes them, not the identity",
        code="election.element",
    )


def encode_scalar(scalar: int) -> bytes:
    """32 bytes, little-endian."""
    return scalar.to_bytes(SCALAR_BYTES, "little")


def decode_scalar(data: bytes) -> int:
    """A number below L.

    Raises
    ------
    ElectionError
        With the code ``election.scalar``.
    """
    scalar = int.from_bytes(data, "little")
    if len(data) != SCALAR_BYTES or scalar >= L:
        raise ElectionError(
            "a number is not below the order of the group",
            expected="32 bytes below L",
            code="election.scalar",
        )
    return scalar
