from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import BoardError
from shared.merkle import MerkleTree, leaf_hash, node_hash, root_from_proof, verify_inclusion

#: Entries, roots by size, and proofs (entry, size) of the reference tests of Certificate Transparency
#: (``merkle_tree_test.cc``), which the libraries for RFC 6962 share.
ENTRIES = tuple(
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
)
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
PROOFS = {
    (0, 1): (),
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
    (1, 5): (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def slow_root(entries: tuple[bytes, ...]) -> bytes:
    """Merkle Tree Hash as RFC 6962, section 2.1, writes it."""
    if not entries:
        return hashlib.sha256().digest()
    if len(entries) == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    k = 1
    while 2 * k < len(entries):
        k *= 2
    return hashlib.sha256(b"\x01" + slow_root(entries[:k]) + slow_root(entries[k:])).digest()


def slow_proof(m: int, entries: tuple[bytes, ...]) -> list[bytes]:
    """PATH as RFC 6962, section 2.1.1, writes it."""
    if len(entries) == 1:
        return []
    k = 1
    while 2 * k < len(entries):
        k *= 2
    if m < k:
        return [*slow_proof(m, entries[:k]), slow_root(entries[k:])]
    return [*slow_proof(m - k, entries[k:]), slow_root(entries[:k])]


def numbered(count: int) -> tuple[bytes, ...]:
    """Some entries."""
    return tuple(i.to_bytes(32, "big") for i in range(count))


@pytest.mark.parametrize("size", range(9))
def test_roots_of_the_reference_tests(size: int) -> None:
    assert MerkleTree.of(ENTRIES[:size]).root.hex() == ROOTS[size]
    assert MerkleTree.of(ENTRIES[:size]).size == size


@pytest.mark.parametrize(("index", "size"), PROOFS)
def test_proofs_of_the_reference_tests(index: int, size: int) -> None:
    proof = MerkleTree.of(ENTRIES[:size]).proof(index)
    assert tuple(node.hex() for node in proof) == PROOFS[index, size]


@pytest.mark.parametrize("size", [*range(34), 63, 64, 65, 127, 128, 129])
def test_every_entry_of_every_small_tree_is_proved(size: int) -> None:
    entries = numbered(size)
    tree = MerkleTree.of(entries)
    assert tree.root == slow_root(entries)
    for index, entry in enumerate(entries):
        proof = tree.proof(index)
        assert list(proof) == slow_proof(index, entries)
        verify_inclusion(root=tree.root, leaf=leaf_hash(entry), index=index, size=size, proof=proof)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_every_flipped_bit_of_a_proof_is_refused(size: int) -> None:
    entries = numbered(size)
    tree = MerkleTree.of(entries)
    for index, entry in enumerate(entries):
        proof = tree.proof(index)
        for level, node in enumerate(proof):
            for bit in range(256):
                turned = bytearray(node)
                turned[bit // 8] ^= 1 << bit % 8
                changed = (*proof[:level], bytes(turned), *proof[level + 1 :])
                with pytest.raises(BoardError) as caught:
                    verify_inclusion(
                        root=tree.root, leaf=leaf_hash(entry), index=index, size=size, proof=changed
                    )
                assert caught.value.code == "board.proof"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_a_proof_is_for_one_entry_at_one_place(size: int) -> None:
    entries = numbered(size)
    tree = MerkleTree.of(entries)
    for index in range(size):
        for other in range(size):
            if other == index:
                continue
            with pytest.raises(BoardError):
                verify_inclusion(
                    root=tree.root,
                    leaf=leaf_hash(entries[other]),
                    index=index,
                    size=size,
                    proof=tree.proof(index),
                )
            with pytest.raises(BoardError):
                verify_inclusion(
                    root=tree.root,
                    leaf=leaf_hash(entries[index]),
                    index=other,
                    size=size,
                    proof=tree.proof(index),
                )


def test_truncated_lengthened_and_misshapen_proofs_are_refused() -> None:
    entries = numbered(13)
    tree = MerkleTree.of(entries)
    for index in range(13):
        leaf, proof = leaf_hash(entries[index]), tree.proof(index)
        for changed in (proof[:-1], proof[1:], (*proof, bytes(32)), (bytes(32), *proof), (*proof[:-1], b"")):
            with pytest.raises(BoardError):
                verify_inclusion(root=tree.root, leaf=leaf, index=index, size=13, proof=changed)


@pytest.mark.parametrize("index", [-1, 13, 10**9])
def test_there_is_no_entry_outside_the_tree(index: int) -> None:
    tree = MerkleTree.of(numbered(13))
    with pytest.raises(BoardError, match="no entry"):
        root_from_proof(leaf=bytes(32), index=index, size=13, proof=())
    with pytest.raises(ValueError, match="no entry"):
        tree.proof(index)


def test_an_empty_tree_proves_nothing() -> None:
    tree = MerkleTree.of(())
    assert (tree.size, tree.levels) == (0, ())
    with pytest.raises(BoardError):
        verify_inclusion(root=tree.root, leaf=tree.root, index=0, size=0, proof=())


def test_an_inner_node_does_not_pass_for_an_entry() -> None:
    """Second preimage: a tree whose two entries are the nodes of another has another root."""
    tree = MerkleTree.of(numbered(4))
    left, right = tree.levels[1]
    assert node_hash(left, right) == tree.root
    assert MerkleTree.of((left, right)).root != tree.root


@given(st.lists(st.binary(max_size=40), max_size=70), st.data())
def test_any_list_is_proved_and_another_root_refused(entries: list[bytes], data: st.DataObject) -> None:
    tree = MerkleTree.of(entries)
    assert tree.root == slow_root(tuple(entries))
    if not entries:
        return
    index = data.draw(st.integers(0, len(entries) - 1))
    leaf, proof = leaf_hash(entries[index]), tree.proof(index)
    assert root_from_proof(leaf=leaf, index=index, size=len(entries), proof=proof) == tree.root
    with pytest.raises(BoardError):
        verify_inclusion(root=bytes(32), leaf=leaf, index=index, size=len(entries), proof=proof)
