"""The Merkle tree of RFC 6962: one hash for a list, and short proofs that an entry is in it.

Leaves and inner nodes are hashed with different first bytes, so that no inner node can pass for an entry::

    leaf  = SHA-256(0x00 || entry)
    node  = SHA-256(0x01 || left || right)
    empty = SHA-256()

A tree of n entries splits at the largest power of two below n. Hashing level by level and letting a last node
without a partner rise unchanged gives the same tree.

References
----------
RFC 6962, sections 2.1 and 2.1.1; RFC 9162, sections 2.1.1 to 2.1.3.2 (the same tree, and the verification).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.errors import BoardError

HASH_BYTES: Final = 32


def leaf_hash(entry: bytes) -> bytes:
    """Hash of an entry (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of two subtrees (RFC 6962, section 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class MerkleTree:
    """All hashes of a tree, from the leaves to the root.

    Attributes
    ----------
    levels : tuple of tuple of bytes
        The leaves first; the last level is the root alone. No level for an empty tree.
    """

    levels: tuple[tuple[bytes, ...], ...]

    @classmethod
    def of(cls, entries: Iterable[bytes]) -> MerkleTree:
        """The tree over entries in this order.

        Notes
        -----
        2n - 1 hashes for n entries.
        """
        level = tuple(map(leaf_hash, entries))
        levels = [level] if level else []
        while len(level) > 1:
            pairs = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
            level = (*pairs, *level[2 * len(pairs) :])
            levels.append(level)
        return cls(levels=tuple(levels))

    @property
    def size(self) -> int:
        """How many entries it has."""
        return len(self.levels[0]) if self.levels else 0

    @property
    def root(self) -> bytes:
        """Merkle Tree Hash (RFC 9162, section 2.1.1)."""
        return self.levels[-1][0] if self.levels else hashlib.sha256().digest()

    def proof(self, index: int) -> tuple[bytes, ...]:
        """Inclusion proof of an entry, from its sibling up (RFC 9162, section 2.1.3.1).

        Raises
        ------
        ValueError
            If there is no such entry.
        """
        if not 0 <= index < self.size:
            raise ValueError(f"no entry {index} in a tree of {self.size}")
        found = []
        for level in self.levels[:-1]:
            sibling = index ^ 1
            if sibling < len(level):
                found.append(level[sibling])
            index //= 2
        return tuple(found)


def root_from_proof(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2, steps 1 to 5).

    Parameters
    ----------
    leaf : bytes
        Hash of the entry (:func:`leaf_hash`).
    index, size : int
        Where the entry claims to be, in a tree of how many entries.
    proof : sequence of bytes
        Hashes of 32 bytes, the sibling first.

    Raises
    ------
    BoardError
        With the code ``board.proof`` if the proof cannot belong to this place of a tree of this size.
    """
    if not 0 <= index < size:
        raise _refused(f"there is no entry {index}", f"0 to {size - 1}")
    if any(len(node) != HASH_BYTES for node in proof):
        raise _refused("a hash has another length", f"{HASH_BYTES} bytes")
    node, last = leaf, size - 1
    for sibling in proof:
        if last == 0:
            raise _refused(f"{len(proof)} hashes are too many", "one for each level of the tree")
        if index % 2 or index == last:
            node = node_hash(sibling, node)
            while index % 2 == 0 and index:
                index, last = index // 2, last // 2
        else:
            node = node_hash(node, sibling)
        index, last = index // 2, last // 2
    if last:
        raise _refused(f"{len(proof)} hashes are too few", "one for each level of the tree")
    return node


def verify_inclusion(*, root: bytes, leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> None:
    """Check that an entry is in a tree.

    Guarantee: if it returns, whoever made the root had put the entry there, or found a collision of SHA-256.

    Raises
    ------
    BoardError
        With the code ``board.proof``.
    """
    if root_from_proof(leaf=leaf, index=index, size=size, proof=proof) != root:
        raise _refused("the proof leads to another tree", "the root of the checkpoint")


def _refused(message: str, expected: str) -> BoardError:
    return BoardError(message, where="inclusion proof", expected=expected, code="board.proof")
